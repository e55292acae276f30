/* A code from a CSV file:
 *
 *     a line of ell signs for each class     -1, 0 or 1; in the order of the classes, or
 *     ell + 1 cells                          the first one names the class
 *     a first line more                      a header: its first cell is `class` (and names follow
 *                                            below it), or none of its cells is a sign
 *
 * First cells are names where one of them is no sign, or below `class`. Where classes are called
 * -1, 0 or 1 and the first cells could be either, the file must tell by a header.
 *
 * What cannot be learned is refused: a row of zeros, two equal rows, a column without classes on
 * both sides. Columns that come again, or their opposite, are told as a warning. */
#include "codes/code.h"

#include "base/alloc.h"
#include "codes/sign_bits.h"
#include "data/read/class_file.h"
#include "data/read/number.h"

typedef struct layout {
    bool header;
    bool names;
    int64_t k;
    int64_t ell;
} layout;

static bool sign_of(const pt_cell *cell, int8_t *sign)
{
    double value = 0;
    if (pt_number_parse(cell->text, cell->length, &value) != PT_NUMBER_FINITE ||
        (value != -1 && value != 0 && value != 1))
        return false;
    *sign = (int8_t)value;
    return true;
}

static bool is_sign(const pt_cell *cell)
{
    int8_t sign = 0;
    return sign_of(cell, &sign);
}

/* ---- the layout ------------------------------------------------------------------------------ */

static bool has_header(const pt_cells *c)
{
    bool signs = false;
    for (int64_t j = 0; j < pt_cells_width(c, 0); j++)
        signs = signs || is_sign(pt_cells_at(c, 0, j));
    return !signs || pt_cell_is(pt_cells_at(c, 0, 0), "class");
}

static bool first_cells_are_signs(const pt_cells *c, int64_t from)
{
    for (int64_t i = from; i < c->n_lines; i++)
        if (!is_sign(pt_cells_at(c, i, 0)))
            return false;
    return true;
}

/* Whether the first cells are the names of all classes, each once. */
static bool first_cells_are_classes(const pt_cells *c, const pt_texts *classes)
{
    int64_t found = 0;
    for (int64_t r = 0; r < classes->count; r++)
        for (int64_t i = 0; i < c->n_lines; i++)
            if (pt_cell_is(pt_cells_at(c, i, 0), classes->items[r])) {
                found++;
                break;
            }
    return c->n_lines == classes->count && found == classes->count;
}

static pt_status check_lines(const pt_cells *c, const layout *l, int64_t k, pt_error *err)
{
    for (int64_t i = l->header; i < c->n_lines; i++) {
        const int64_t line = pt_cells_at(c, i, 0)->line;
        if (i - l->header == k)
            return pt_fail_at(err, PT_EFORMAT, c->path, line, 0,
                              "there are more rows than the %lld classes", (long long)k);
        if (pt_cells_width(c, i) != l->ell + l->names)
            return pt_fail_at(err, PT_EFORMAT, c->path, line, 0,
                              "there are %lld cells; the first row has %lld",
                              (long long)pt_cells_width(c, i), (long long)(l->ell + l->names));
    }
    if (l->k < k)
        return pt_fail_at(err, PT_EFORMAT, c->path, c->last, 0, "there are %lld rows for %lld %s",
                          (long long)l->k, (long long)k, "classes");
    return PT_OK;
}

static pt_status find_layout(const pt_cells *c, const pt_texts *classes, layout *l, pt_error *err)
{
    l->header = c->n_lines > 0 && has_header(c);
    l->k = c->n_lines - l->header;
    if (l->k < 2)
        return pt_fail_at(err, PT_EFORMAT, c->path, c->last, 0,
                          "there are %lld rows of signs; a code has one for each class",
                          (long long)l->k);
    const bool told = l->header && pt_cell_is(pt_cells_at(c, 0, 0), "class");
    l->names = told || !first_cells_are_signs(c, l->header);
    l->ell = pt_cells_width(c, l->header) - l->names;
    if (l->ell < 1)
        return pt_fail_at(err, PT_EFORMAT, c->path, pt_cells_at(c, l->header, 0)->line, 0,
                          "there are no signs (-1, 0 or 1)");
    if (classes && !l->header && !l->names && l->ell > 1 && first_cells_are_classes(c, classes))
        return pt_fail_at(err, PT_EFORMAT, c->path, 1, 0,
                          "the first cells may be signs or the names of classes; put a line before "
                          "them that begins with 'class' if they are names, of words otherwise");
    return check_lines(c, l, classes ? classes->count : l->k, err);
}

/* ---- rows ------------------------------------------------------------------------------------ */

static pt_status match_classes(const pt_cells *c, const layout *l, const pt_texts *classes,
                               int64_t *place, pt_error *err)
{
    const pt_cell **name = pt_alloc(l->k, sizeof(pt_cell *), "a code", err);
    if (!name)
        return PT_ENOMEM;
    for (int64_t r = 0; r < l->k; r++)
        name[r] = pt_cells_at(c, r + l->header, 0);
    const pt_status status = pt_cells_match(c, name, classes, place, err);
    pt_free(name);
    return status;
}

/* names <- the first cells; matched with themselves, so that none comes twice. */
static pt_status keep_names(const pt_cells *c, const layout *l, pt_texts *names, int64_t *place,
                            pt_error *err)
{
    for (int64_t r = 0; r < l->k; r++) {
        const pt_cell *name = pt_cells_at(c, r + l->header, 0);
        PT_TRY(pt_texts_add_n(names, name->text, name->length, err));
    }
    return match_classes(c, l, names, place, err);
}

/* place[i] <- the class of row i. */
static pt_status find_places(const pt_cells *c, const layout *l, const pt_texts *classes,
                             pt_texts *names, int64_t *place, pt_error *err)
{
    pt_texts unheard = {NULL, 0, 0};
    for (int64_t r = 0; r < l->k; r++)
        place[r] = r;
    if (!l->names)
        return PT_OK;
    if (classes)
        return match_classes(c, l, classes, place, err);
    const pt_status status = keep_names(c, l, names ? names : &unheard, place, err);
    pt_texts_free(&unheard);
    return status;
}

static pt_status fill(const pt_cells *c, const layout *l, const int64_t *place, int8_t *M,
                      pt_error *err)
{
    for (int64_t i = 0; i < l->k; i++)
        for (int64_t s = 0; s < l->ell; s++) {
            const pt_cell *cell = pt_cells_at(c, i + l->header, s + l->names);
            if (!sign_of(cell, &M[place[i] * l->ell + s]))
                return pt_fail_at(err, PT_EFORMAT, c->path, cell->line, 0,
                                  "'%.*s' in column %lld is not -1, 0 or 1", pt_cell_shown(cell),
                                  cell->text, (long long)s + 1);
        }
    return PT_OK;
}

/* ---- what can be learned --------------------------------------------------------------------- */

static pt_status check_rows(const pt_cells *c, const layout *l, const int64_t *place,
                            const pt_sign_bits *row, pt_error *err)
{
    pt_sign_set set = {0};
    int64_t *line = pt_alloc(l->k, sizeof *line, "a code", err); /* of a class */
    pt_status status = line ? pt_sign_set_init(&set, l->k, err) : PT_ENOMEM;
    for (int64_t i = 0; i < l->k && status == PT_OK; i++) {
        const int64_t r = place[i];
        line[r] = pt_cells_at(c, i + l->header, 0)->line;
        const int64_t twin = pt_sign_set_enter(&set, row, r, false);
        if (!pt_sign_bits_has_plus(row, r) && !pt_sign_bits_has_minus(row, r))
            status = pt_fail_at(err, PT_EFORMAT, c->path, line[r], 0,
                                "the row has only zeros: no column knows this class");
        else if (twin >= 0)
            status = pt_fail_at(err, PT_EFORMAT, c->path, line[r], 0,
                                "the row is that of line %lld again: no column tells the two "
                                "classes apart",
                                (long long)line[twin]);
    }
    pt_sign_set_free(&set);
    pt_free(line);
    return status;
}

static pt_status check_columns(const pt_cells *c, const pt_sign_bits *column, pt_warnings *warnings,
                               pt_error *err)
{
    pt_sign_set set = {0};
    int64_t again = 0;
    int64_t first = 0;
    int64_t twin = 0;
    pt_status status = pt_sign_set_init(&set, column->n, err);
    for (int64_t s = 0; s < column->n && status == PT_OK; s++) {
        const bool plus = pt_sign_bits_has_plus(column, s);
        if (!plus || !pt_sign_bits_has_minus(column, s))
            status = pt_fail_at(err, PT_EFORMAT, c->path, 0, 0,
                                "column %lld has no %s: a column needs classes on both sides",
                                (long long)s + 1, plus ? "-1" : "1");
        const int64_t other = status == PT_OK ? pt_sign_set_enter(&set, column, s, true) : -1;
        if (other >= 0 && again++ == 0) {
            first = s;
            twin = other;
        }
    }
    if (status == PT_OK && again > 0)
        status =
            pt_warn(warnings, err, PT_KIND_PARAMETERS,
                    "%s: %lld of %lld columns teach nothing new; column %lld is %s column %lld",
                    c->path, (long long)again, (long long)column->n, (long long)first + 1,
                    pt_sign_bits_equal(column, first, twin) ? "equal to" : "the opposite of",
                    (long long)twin + 1);
    pt_sign_set_free(&set);
    return status;
}

static pt_status check_code(const pt_cells *c, const layout *l, const int64_t *place,
                            const pt_code *code, pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(pt_sign_bits_free) pt_sign_bits row = {0};
    PT_FREED_BY(pt_sign_bits_free) pt_sign_bits column = {0};
    PT_TRY(pt_sign_bits_init(&row, code->k, code->ell, err));
    PT_TRY(pt_sign_bits_init(&column, code->ell, code->k, err));
    pt_sign_bits_fill(&row, code->M, code->ell, 1);
    pt_sign_bits_transpose(&row, &column);
    PT_TRY(check_rows(c, l, place, &row, err));
    return check_columns(c, &column, warnings, err);
}

static pt_status code_of_cells(pt_code *code, pt_texts *names, const pt_cells *c,
                               const pt_texts *classes, pt_warnings *warnings, pt_error *err)
{
    layout l = {0};
    PT_SCRATCH int64_t *place = NULL;
    PT_FREED_BY(pt_warnings_free) pt_warnings unheard = {0};
    PT_FREED_BY(pt_code_free) pt_code made = {0};
    PT_TRY(find_layout(c, classes, &l, err));
    made.k = l.k;
    PT_TRY(pt_code_alloc(&made, l.ell, err));
    PT_TRY(PT_NEW(place, l.k, "a code", err));
    PT_TRY(find_places(c, &l, classes, names, place, err));
    PT_TRY(fill(c, &l, place, made.M, err));
    PT_TRY(check_code(c, &l, place, &made, warnings ? warnings : &unheard, err));
    *code = made;
    made = (pt_code){0};
    return PT_OK;
}

pt_status pt_code_read(pt_code *code, pt_texts *names, const char *path, const pt_texts *classes,
                       const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(pt_cells_free) pt_cells c = {0};
    PT_TRY(pt_cells_read(&c, path, task, err));
    return code_of_cells(code, names, &c, classes, warnings, err);
}

pt_status pt_code_read_memory(pt_code *code, pt_texts *names, const void *bytes, size_t size,
                              const char *name, const pt_texts *classes, const pt_task *task,
                              pt_warnings *warnings, pt_error *err)
{
    PT_FREED_BY(pt_cells_free) pt_cells c = {0};
    PT_TRY(pt_cells_read_memory(&c, bytes, size, name, task, err));
    return code_of_cells(code, names, &c, classes, warnings, err);
}
