/* Applying a preparation: rows of a data set become rows of numbers, in parallel over blocks of
 * rows.
 *
 * Three routes, by what there is to do; each row depends on nothing but itself.
 *   plain    every input is a number in its place and gives one output: one loop that vectorises
 *   cells    the general dense row: cells are gathered into the order of training, as doubles, and
 *            then each input writes its outputs; with counts of words these make a sparse row
 *   sparse   the general sparse row: its cells are gathered, put in order, and written; done twice,
 *            first to count, so that the result is allocated exactly
 *
 * Numbers are computed in double and rounded once to the type asked for; one that the type cannot
 * hold is an error with its row and column. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/prepare/prepare_state.h"
#include "data/read/number.h"

enum { BLOCK_ROWS = 256 }; /* enough work for a thread, few enough rows to balance */

/* Of two levels in one column: what is neither 0 nor 1 is as far from both. */
static const double NEITHER = 0.5;

/*   plain    center factor fill   d each: fill is an output (NaN where missing is kept or an error)
 *            row                  workers x d    cells of a row that do not lie side by side
 *   cells    row                  workers x d    a row in the order of training
 *            unseen               workers x d    cells whose level training did not see
 *            cells                workers x most words of a text
 *   sparse   cells                workers x longest row
 *            start                n+1            counts, then where each row begins
 *            unseen               workers x n_fitted
 */
typedef struct work {
    const pt_prepare *prepare;
    const pt_dataset *data;
    pt_match match;
    pt_type type;
    double limit; /* largest number of the type */
    void *value;  /* what comes out */
    int64_t *index;
    int64_t *start;

    double *center;
    double *factor;
    double *fill;
    double *row;
    int64_t *unseen;
    pt_sparse_cell *cells;
    int64_t longest;
    bool counting;
    bool by_level; /* nominal cells are the numbers of training's levels; the match is empty */
} work;

/* ---- errors with row and column -------------------------------------------------------------- */

static pt_status fail_missing(const work *w, int64_t i, int64_t input, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    return pt_fail_at(err, PT_EFORMAT, w->data->source, 0, 0,
                      "example %lld, %s: the value is missing, and the model was trained with "
                      "`missing=error`; fill it in",
                      (long long)(w->data->rows_before + i + 1),
                      pt_prepare_column_text(w->prepare, input, text));
}

/* y: what x becomes by scaling. */
static pt_status fail_large(const work *w, int64_t i, int64_t input, double x, double y,
                            pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    if (isinf(x))
        return pt_fail_at(err, PT_ENUMERIC, w->data->source, 0, 0,
                          "example %lld, %s: the value is infinite; give a number, or NaN for a "
                          "missing one",
                          (long long)(w->data->rows_before + i + 1),
                          pt_prepare_column_text(w->prepare, input, text));
    return pt_fail_at(
        err, PT_ENUMERIC, w->data->source, 0, 0, "example %lld, %s: %g is too large%s%-s",
        (long long)(w->data->rows_before + i + 1), pt_prepare_column_text(w->prepare, input, text),
        x, x != y ? " after scaling" : "",
        w->type == PT_F32 ? " for float32; use `precision=double`" : "");
}

static pt_status fail_level(const work *w, int64_t i, int64_t input, const char *level,
                            pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    return pt_fail_at(
        err, PT_EFORMAT, w->data->source, 0, 0,
        "example %lld, %s: '%.60s' is not a number; the column was numeric in training",
        (long long)(w->data->rows_before + i + 1), pt_prepare_column_text(w->prepare, input, text),
        level);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void store(void *value, pt_type type, int64_t at, double y)
{
    if (type == PT_F32)
        ((float *)value)[at] = (float)y;
    else
        ((double *)value)[at] = y;
}

/* Appends an output to row i, unless only counting; `next` is where. Zeros are left out. */
static void emit(const work *w, int64_t *next, int64_t output, double y)
{
    if (y == 0)
        return;
    if (!w->counting) {
        w->index[*next] = output;
        store(w->value, w->type, *next, y);
    }
    ++*next;
}

/* Writes an output: of a dense row that begins at *next, or behind the outputs of a sparse one. */
static inline void put(const work *w, int64_t *next, int64_t output, double y)
{
    if (w->start)
        emit(w, next, output, y);
    else
        store(w->value, w->type, *next + output, y);
}

/* What x, not missing, of the data's column c means to an input: a number, or a level's number with
 * -1 for unseen ones. */
static pt_status cell_meaning(const work *w, const pt_meaning *meaning, int64_t i, int64_t c,
                              int64_t input, double *x, pt_error *err)
{
    if (meaning->number) {
        *x = pt_meaning_of_number(meaning, *x);
    } else if (meaning->of_level) {
        const bool known = *x >= 0 && *x < (double)meaning->n_levels;
        const int64_t level = known ? (int64_t)*x : 0;
        *x = known ? meaning->of_level[level] : NAN;
        if (isnan(*x))
            return fail_level(w, i, input, known ? w->data->columns[c].levels.items[level] : "?",
                              err);
    }
    return PT_OK;
}

/* The number of a level of training, or what stands for those that it never saw. */
static double known_level(const pt_fitted *fitted, double x)
{
    const bool known = x >= 0 && x < (double)fitted->levels.count && x == floor(x);
    return known ? x : fitted->grouped ? (double)(fitted->levels.count - 1) : -1;
}

/* ---- plain rows ------------------------------------------------------------------------------ */

/* out <- (in - center) * factor, or fill for missing cells. False if an output is not finite in its
 * type; that cell is 0. */
#define DEFINE_PLAIN_ROW(name, in_type, out_type)                            \
    static bool name(const work *w, const in_type *in, out_type *out)        \
    {                                                                        \
        const double *center = w->center;                                    \
        const double *factor = w->factor;                                    \
        const double *fill = w->fill;                                        \
        const double limit = w->limit;                                       \
        const int keep = w->prepare->missing == PT_MISSING_KEEP;             \
        int bad = 0;                                                         \
        for (int64_t j = 0; j < w->prepare->d; j++) {                        \
            const double x = (double)in[j];                                  \
            const double y = x == x ? (x - center[j]) * factor[j] : fill[j]; \
            const int good = (fabs(y) <= limit) | (keep & (x != x));         \
            out[j] = (out_type)(good ? y : 0);                               \
            bad |= !good;                                                    \
        }                                                                    \
        return !bad;                                                         \
    }
DEFINE_PLAIN_ROW(plain_f32_f32, float, float)
DEFINE_PLAIN_ROW(plain_f32_f64, float, double)
DEFINE_PLAIN_ROW(plain_f64_f32, double, float)
DEFINE_PLAIN_ROW(plain_f64_f64, double, double)

/* The cells of a row side by side, as the loops want them: where they lie, or gathered. */
static const void *plain_cells(const work *w, int64_t i, int worker)
{
    const pt_dataset *data = w->data;
    if (data->type == PT_F32) {
        const float *value = (const float *)data->value;
        if (data->column_stride == 1)
            return value + pt_dataset_place(data, i, 0);
        float *row = (float *)(void *)w->row + worker * data->d;
        for (int64_t j = 0; j < data->d; j++)
            row[j] = value[pt_dataset_place(data, i, j)];
        return row;
    }
    const double *value = (const double *)data->value;
    if (data->column_stride == 1)
        return value + pt_dataset_place(data, i, 0);
    double *row = w->row + worker * data->d;
    for (int64_t j = 0; j < data->d; j++)
        row[j] = value[pt_dataset_place(data, i, j)];
    return row;
}

static bool plain_row(const work *w, int64_t i, int worker)
{
    const int64_t at = i * w->prepare->d;
    const void *in = plain_cells(w, i, worker);
    if (w->data->type == PT_F32)
        return w->type == PT_F32 ? plain_f32_f32(w, in, (float *)w->value + at)
                                 : plain_f32_f64(w, in, (double *)w->value + at);
    return w->type == PT_F32 ? plain_f64_f32(w, in, (float *)w->value + at)
                             : plain_f64_f64(w, in, (double *)w->value + at);
}

static pt_status explain_plain(const work *w, int64_t i, pt_error *err)
{
    for (int64_t j = 0; j < w->prepare->d; j++) {
        const double x = pt_dataset_dense_cell(w->data, i, j);
        if (isnan(x) && w->prepare->missing == PT_MISSING_KEEP)
            continue;
        if (isnan(x) && isnan(w->fill[j]))
            return fail_missing(w, i, j, err);
        const double y = (x - w->center[j]) * w->factor[j];
        if (!isnan(x) && !(fabs(y) <= w->limit))
            return fail_large(w, i, j, x, y, err);
        if (isnan(x) && !(fabs(w->fill[j]) <= w->limit))
            return fail_large(w, i, j, w->prepare->fitted[j].fill, w->fill[j], err);
    }
    return PT_OK;
}

/* ---- general dense rows ---------------------------------------------------------------------- */

static void gather_dense(const work *w, int64_t i, double *row)
{
    const int64_t *source = w->match.source;
    for (int64_t j = 0; j < w->prepare->d; j++)
        row[j] = pt_dataset_dense_cell(w->data, i, source ? source[j] : j);
}

static void gather_sparse(const work *w, int64_t i, double *row)
{
    memset(row, 0, (size_t)w->prepare->d * sizeof *row);
    for (int64_t c = w->data->start[i]; c < w->data->start[i + 1]; c++) {
        const int64_t column = w->data->index[c];
        const int64_t input = w->match.target ? w->match.target[column] : column;
        if (input >= 0 && input < w->prepare->d)
            row[input] = pt_dataset_cell(w->data, c);
    }
}

/* The one output of a nominal column: a level's number. */
static double level_value(const work *w, double x)
{
    return x >= 0 ? x : w->prepare->raw ? NAN : NEITHER;
}

/* The outputs of one input but its indicator; those of a dense row were 0 before. */
static pt_status write_input(const work *w, int64_t i, const pt_fitted *fitted, double x,
                             int64_t *next, pt_error *err)
{
    if (isnan(x) && w->prepare->missing != PT_MISSING_KEEP)
        x = fitted->fill;
    if (fitted->spread) {
        if (x >= 0)
            put(w, next, fitted->first + (int64_t)x, 1);
        return PT_OK;
    }
    if (fitted->nominal) {
        put(w, next, fitted->first, level_value(w, x));
        return PT_OK;
    }
    const double y = (x - fitted->center) * fitted->factor;
    if (!(fabs(y) <= w->limit) && !isnan(x))
        return fail_large(w, i, fitted->column, x, y, err);
    put(w, next, fitted->first, y);
    return PT_OK;
}

/* How often each word of the level x in the data's column c is there, n_w; or the roots of their
 * shares, sqrt(n_w / sum n), so that a row of words has the length 1 whatever the text's length is,
 * and a word that is there ten times does not count ten times. The inner product of two such rows
 * is Bhattacharyya's coefficient of their words. */
static void write_words(const work *w, const pt_fitted *fitted, double x, int64_t c,
                        pt_sparse_cell *cells, int64_t *next)
{
    const pt_column *column = w->data->columns ? &w->data->columns[c] : NULL;
    if (!column || !column->nominal || !(x >= 0 && x < (double)column->levels.count))
        return; /* a missing cell, or a number, has no words */
    const char *text = column->levels.items[(int64_t)x];
    int64_t place;
    int64_t count = 0;
    for (size_t at = 0; (place = pt_hash_next_word(fitted->text_bits, text, &at)) >= 0;)
        cells[count++] = (pt_sparse_cell){fitted->first + place, 1};
    const double words = (double)count;
    count = pt_cells_merge(cells, count);
    for (int64_t k = 0; k < count; k++)
        put(w, next, cells[k].input, fitted->text_roots ? sqrt(cells[k].x / words) : cells[k].x);
}

/* Most words that a text of the data may have: there is something between any two. */
static int64_t most_words(const work *w)
{
    size_t longest = 0;
    for (int64_t j = 0; j < w->prepare->d && w->data->columns; j++) {
        const int64_t c = w->match.source ? w->match.source[j] : j;
        const pt_texts *levels = &w->data->columns[c].levels;
        for (int64_t l = 0; w->prepare->fitted[j].text_bits > 0 && l < levels->count; l++) {
            const size_t length = strlen(levels->items[l]);
            longest = length > longest ? length : longest;
        }
    }
    return (int64_t)longest / 2 + 1;
}

static pt_status cells_row(const work *w, int64_t i, int worker, pt_error *err)
{
    const pt_prepare *prepare = w->prepare;
    double *row = w->row + worker * prepare->d;
    int64_t *unseen = w->unseen + worker * prepare->d;
    const size_t size = pt_type_size(w->type);
    int64_t next = !w->start ? i * prepare->n_outputs : w->counting ? 0 : w->start[i];
    if (w->data->start)
        gather_sparse(w, i, row);
    else
        gather_dense(w, i, row);
    if (!w->start)
        memset((char *)w->value + (size_t)next * size, 0, (size_t)prepare->n_outputs * size);
    for (int64_t j = 0; j < prepare->d; j++) {
        const pt_fitted *fitted = &prepare->fitted[j];
        const int64_t c = w->match.source ? w->match.source[j] : j;
        double x = row[j];
        if (fitted->text_bits > 0) {
            write_words(w, fitted, x, c, w->cells + worker * w->longest, &next);
            continue;
        }
        if (isnan(x) && prepare->missing == PT_MISSING_ERROR)
            return fail_missing(w, i, j, err);
        if (!isnan(x) && w->match.meaning)
            PT_TRY(cell_meaning(w, &w->match.meaning[j], i, c, j, &x, err));
        if (w->by_level && fitted->nominal && !isnan(x))
            x = known_level(fitted, x);
        if (fitted->nominal && x < 0 && (!w->start || w->counting))
            unseen[j]++;
        PT_TRY(write_input(w, i, fitted, x, &next, err));
    }
    for (int64_t j = 0; j < prepare->d && prepare->missing == PT_MISSING_INDICATOR; j++)
        if (isnan(row[j]) && prepare->fitted[j].indicator >= 0)
            put(w, &next, prepare->fitted[j].indicator, 1);
    if (w->start && w->counting)
        w->start[i + 1] = next;
    return PT_OK;
}

/* ---- sparse rows ----------------------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b)
{
    const int64_t x = ((const pt_sparse_cell *)a)->input;
    const int64_t y = ((const pt_sparse_cell *)b)->input;
    return (x > y) - (x < y);
}

/* What the row says by leaving out columns from absence number *next on and before `column`, which
 * it does not leave out. */
static pt_status add_absent(const work *w, int64_t i, int64_t column, int64_t *next,
                            pt_sparse_cell *cells, int64_t *n_cells, pt_error *err)
{
    for (; *next < w->match.n_absences && w->match.absence[*next].column <= column; ++*next) {
        const pt_absence *absence = &w->match.absence[*next];
        if (absence->column == column)
            continue;
        if (isnan(absence->x))
            return fail_level(w, i, absence->input,
                              w->data->columns[absence->column].levels.items[0], err);
        cells[(*n_cells)++] = (pt_sparse_cell){absence->input, absence->x};
    }
    return PT_OK;
}

/* The cells of a row that are inputs and not 0, or levels, in the order of the inputs. */
static pt_status gather_cells(const work *w, int64_t i, pt_sparse_cell *cells, int64_t *count,
                              pt_error *err)
{
    const pt_dataset *data = w->data;
    const int64_t stored = data->start ? data->start[i + 1] - data->start[i] : data->d;
    int64_t n_cells = 0;
    int64_t absence = 0;
    for (int64_t c = 0; c < stored; c++) {
        const int64_t at = data->start ? data->start[i] + c : pt_dataset_place(data, i, c);
        const int64_t column = data->start ? data->index[at] : c;
        PT_TRY(add_absent(w, i, column, &absence, cells, &n_cells, err));
        const int64_t input = w->match.target ? w->match.target[column] : column;
        double x = pt_dataset_cell(data, at);
        if (input < 0 || (input >= w->prepare->d && w->prepare->hash.bits == 0))
            continue;
        if (!isnan(x) && w->match.meaning) {
            PT_TRY(cell_meaning(w, &w->match.meaning[column], i, column, input, &x, err));
        }
        if (isnan(x) && w->prepare->hash.bits > 0)
            return fail_missing(w, i, input, err);
        const pt_fitted *fitted = w->by_level ? pt_prepare_find(w->prepare, input) : NULL;
        if (fitted && fitted->nominal && !isnan(x))
            x = known_level(fitted, x);
        if (x != 0 || w->prepare->n_fitted > 0) /* the first of many levels has an output */
            cells[n_cells++] = w->prepare->hash.bits > 0
                                   ? pt_feature_hash_cell(&w->prepare->hash, input, x)
                                   : (pt_sparse_cell){input, x};
    }
    PT_TRY(add_absent(w, i, data->d, &absence, cells, &n_cells, err));
    if (w->prepare->hash.bits > 0)
        n_cells = pt_cells_merge(cells, n_cells);
    else if (w->match.target)
        qsort(cells, (size_t)n_cells, sizeof *cells, compare_cells);
    *count = n_cells;
    return PT_OK;
}

/* What comes after all the inputs: levels of nominal columns, then the indicators. */
static void emit_behind(const work *w, const pt_sparse_cell *cells, int64_t count, int64_t *next)
{
    for (int64_t c = 0; c < count; c++) {
        const pt_fitted *fitted = pt_prepare_find(w->prepare, cells[c].input);
        if (!fitted || !fitted->spread)
            continue;
        const bool kept = w->prepare->missing == PT_MISSING_KEEP;
        const double x = isnan(cells[c].x) && !kept ? fitted->fill : cells[c].x;
        if (x >= 0)
            emit(w, next, fitted->first + (int64_t)x, 1);
    }
    for (int64_t c = 0; c < count; c++) {
        if (!isnan(cells[c].x))
            continue;
        const pt_fitted *fitted = pt_prepare_find(w->prepare, cells[c].input);
        if (fitted && fitted->indicator >= 0)
            emit(w, next, fitted->indicator, 1);
    }
}

static pt_status sparse_row(const work *w, int64_t i, int worker, pt_error *err)
{
    pt_sparse_cell *cells = w->cells + worker * w->longest;
    int64_t count = 0;
    PT_TRY(gather_cells(w, i, cells, &count, err));

    int64_t next = w->counting ? 0 : w->start[i];
    for (int64_t c = 0; c < count; c++) {
        const pt_fitted *fitted = pt_prepare_find(w->prepare, cells[c].input);
        const bool missing = isnan(cells[c].x);
        if (missing && w->prepare->missing == PT_MISSING_ERROR)
            return fail_missing(w, i, cells[c].input, err);
        const bool kept = missing && w->prepare->missing == PT_MISSING_KEEP;
        const double x = !missing || kept ? cells[c].x : fitted ? fitted->fill : 0;
        if (fitted && fitted->nominal) {
            if (x < 0 && !missing && w->counting)
                w->unseen[worker * w->prepare->n_fitted + (fitted - w->prepare->fitted)]++;
            if (!fitted->spread)
                emit(w, &next, fitted->first, level_value(w, x));
            continue;
        }
        double y = x * (fitted ? fitted->factor : w->prepare->unlisted);
        if (!(fabs(y) <= w->limit) && !kept)
            return fail_large(w, i, cells[c].input, x, y, err);
        if (w->type == PT_F32)
            y = (double)(float)y; /* what becomes 0 is left out when counting, too */
        emit(w, &next, cells[c].input, y);
    }
    if (w->prepare->n_outputs > w->prepare->d)
        emit_behind(w, cells, count, &next);
    if (w->counting)
        w->start[i + 1] = next;
    return PT_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static pt_status run_block(void *context, int64_t block, int worker, pt_error *err)
{
    const work *w = context;
    const int64_t begin = block * BLOCK_ROWS;
    const int64_t end = begin + BLOCK_ROWS < w->data->n ? begin + BLOCK_ROWS : w->data->n;
    for (int64_t i = begin; i < end; i++) {
        if (w->prepare->sparse)
            PT_TRY(sparse_row(w, i, worker, err));
        else if (!w->center)
            PT_TRY(cells_row(w, i, worker, err));
        else if (!plain_row(w, i, worker))
            PT_TRY(explain_plain(w, i, err));
    }
    return PT_OK;
}

static int64_t n_blocks(const work *w)
{
    return (w->data->n + BLOCK_ROWS - 1) / BLOCK_ROWS;
}

/* Beside the data, where a limit was given: what is free is free beside them. */
static pt_status check_memory(const work *w, double bytes, const pt_task *task, pt_error *err)
{
    if (pt_task_limited(task))
        bytes += pt_dataset_bytes(w->data);
    if (pt_task_may_use(task, bytes))
        return PT_OK;
    const int64_t allowed = pt_task_memory(task);
    int64_t widest = 0;
    for (int64_t f = 1; f < w->prepare->n_fitted; f++)
        if (w->prepare->fitted[f].levels.count > w->prepare->fitted[widest].levels.count)
            widest = f;
    char text[PT_COLUMN_WORDS] = "";
    if (w->prepare->n_fitted > 0 && w->prepare->fitted[widest].levels.count > 1)
        return pt_fail_at(
            err, PT_EMEMORY, w->data->source, 0, 0,
            "the data and what is prepared of them need %s, %s may be used; %s alone has %lld "
            "levels: leave it out with `ignore`, lower `max-levels`, or raise `memory`",
            PT_SHOW_BYTES(bytes), PT_SHOW_BYTES(allowed),
            pt_prepare_column_text(w->prepare, w->prepare->fitted[widest].column, text),
            (long long)w->prepare->fitted[widest].levels.count);
    return pt_fail_at(err, PT_EMEMORY, w->data->source, 0, 0,
                      "the data and what is prepared of them need %s, %s may be used; raise "
                      "`memory` or use fewer rows; online learning reads a part at a time",
                      PT_SHOW_BYTES(bytes), PT_SHOW_BYTES(allowed));
}

/* ---- dense results --------------------------------------------------------------------------- */

static bool is_plain(const work *w)
{
    if (w->data->start || w->match.source || w->match.meaning)
        return false;
    for (int64_t j = 0; j < w->prepare->d; j++)
        if (w->prepare->fitted[j].nominal || w->prepare->fitted[j].indicator >= 0 ||
            w->prepare->fitted[j].text_bits > 0)
            return false;
    return true;
}

static pt_status plain_tables(work *w, const pt_task *task, pt_error *err)
{
    const int64_t d = w->prepare->d;
    const int64_t workers = pt_parallel_workers(task, n_blocks(w));
    if (w->data->column_stride != 1)
        PT_TRY(PT_NEW(w->row, d * workers, "a row", err));
    w->center = pt_alloc(d, 3 * sizeof(double), "scaling", err);
    if (!w->center)
        return PT_ENOMEM;
    w->factor = w->center + d;
    w->fill = w->factor + d;
    for (int64_t j = 0; j < d; j++) {
        const pt_fitted *fitted = &w->prepare->fitted[j];
        w->center[j] = fitted->center;
        w->factor[j] = fitted->factor;
        w->fill[j] =
            w->prepare->missing == PT_MISSING_ERROR || w->prepare->missing == PT_MISSING_KEEP
                ? NAN
                : (fitted->fill - fitted->center) * fitted->factor;
    }
    return PT_OK;
}

static pt_status cells_tables(work *w, const pt_task *task, pt_error *err)
{
    const int64_t workers = pt_parallel_workers(task, n_blocks(w));
    w->row = pt_alloc(w->prepare->d, (size_t)workers * sizeof *w->row, "a row", err);
    if (!w->row)
        return PT_ENOMEM;
    w->unseen =
        pt_alloc_zero(w->prepare->d, (size_t)workers * sizeof *w->unseen, "counts of levels", err);
    w->longest = most_words(w);
    w->cells = pt_alloc(w->longest, (size_t)workers * sizeof *w->cells, "words of a text", err);
    return w->unseen && w->cells ? PT_OK : PT_ENOMEM;
}

/* Whether a cell of the data has a level that training never saw. */
static bool is_unseen(const pt_meaning *meaning, double x)
{
    if (meaning->number)
        return pt_meaning_of_number(meaning, x) < 0;
    return meaning->of_level && x >= 0 && x < (double)meaning->n_levels &&
           meaning->of_level[(int64_t)x] < 0;
}

/* The first such cell of a column, for a message; "": it is not known. */
static void show_unseen(const work *w, int64_t input, char shown[PT_CELL_SHOWN])
{
    const int64_t c = w->match.source ? w->match.source[input] : input;
    char number[PT_REAL_ROOM];
    shown[0] = '\0';
    if (w->prepare->sparse || w->data->start || !w->match.meaning)
        return;
    const pt_meaning *meaning = &w->match.meaning[input];
    for (int64_t i = 0; i < w->data->n; i++) {
        const double x = pt_dataset_dense_cell(w->data, i, c);
        if (isnan(x) || !is_unseen(meaning, x))
            continue;
        pt_real_to_text(x, number);
        const char *text = meaning->number ? number : w->data->columns[c].levels.items[(int64_t)x];
        pt_cell_show(text, strlen(text), shown);
        return;
    }
}

/* What the workers counted; an example is the first cell of the first column. */
static pt_status add_unseen(const work *w, pt_prepare_counts *remarks, const pt_task *task,
                            pt_error *err)
{
    const int workers = pt_parallel_workers(task, n_blocks(w));
    const int64_t count = w->prepare->n_fitted;
    if (!w->unseen)
        return PT_OK;
    if (!remarks->unseen)
        remarks->unseen = pt_alloc_zero(count, sizeof(int64_t), "counts of levels", err);
    if (!remarks->unseen)
        return PT_ENOMEM;
    int64_t first = remarks->shown > 0 ? remarks->shown - 1 : count;
    for (int64_t at = 0; at < workers * count; at++) {
        remarks->unseen[at % count] += w->unseen[at];
        if (w->unseen[at] > 0 && at % count < first)
            first = at % count;
    }
    if (first < count && first + 1 != remarks->shown) {
        remarks->shown = first + 1;
        show_unseen(w, first, remarks->example);
    }
    return PT_OK;
}

static pt_status tell_unseen(const pt_prepare *prepare, const pt_prepare_counts *remarks,
                             pt_warnings *warnings, pt_error *err)
{
    const int64_t *unseen = remarks->unseen;
    enum { NAMED = 3 };
    char names[NAMED * (PT_COLUMN_WORDS + 2) + 8] = "";
    size_t used = 0;
    int64_t columns = 0;
    int64_t cells = 0;
    for (int64_t f = 0; unseen && f < prepare->n_fitted; f++) {
        if (unseen[f] == 0)
            continue;
        char text[PT_COLUMN_WORDS];
        if (columns < NAMED)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", columns ? ", " : "",
                                 pt_prepare_column_text(prepare, prepare->fitted[f].column, text));
        columns++;
        cells += unseen[f];
    }
    if (columns == 0)
        return PT_OK;
    char more[48] = "";
    if (columns > NAMED)
        snprintf(more, sizeof more, " and %lld more", (long long)(columns - NAMED));
    const bool one = cells == 1;
    char such[PT_CELL_SHOWN + 16] = "";
    if (*remarks->example)
        snprintf(such, sizeof such, "%s'%s'", one ? ": " : ", such as ", remarks->example);
    return pt_warn(warnings, err, PT_KIND_DATA, "%s%s: %lld cell%s that training never saw%s",
                   names, more, (long long)cells, one ? " has a level" : "s have levels", such);
}

pt_status pt_prepare_tell(const pt_prepare *prepare, const pt_prepare_counts *remarks,
                          pt_warnings *warnings, pt_error *err)
{
    const int64_t more = remarks->more;
    const int64_t cells = remarks->more_cells;
    PT_TRY(pt_warnings_add(warnings, &remarks->columns, err));
    if (more > 0)
        PT_TRY(pt_warn(warnings, err, PT_KIND_DATA,
                       "%lld feature%s beyond the %lld of training %s left out (%lld cell%s)",
                       (long long)more, more == 1 ? "" : "s", (long long)prepare->d,
                       more == 1 ? "is" : "are", (long long)cells, cells == 1 ? "" : "s"));
    return tell_unseen(prepare, remarks, warnings, err);
}

void pt_prepare_counts_free(pt_prepare_counts *remarks)
{
    pt_free(remarks->unseen);
    pt_warnings_free(&remarks->columns);
    memset(remarks, 0, sizeof *remarks);
}

static pt_status apply_dense(work *w, pt_prepared *out, pt_prepare_counts *remarks,
                             const pt_task *task, pt_error *err)
{
    const int64_t n = w->data->n;
    const int64_t outputs = w->prepare->n_outputs;
    const size_t size = pt_type_size(w->type);
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)outputs, size, &row_bytes))
        return pt_fail(err, PT_ELIMIT, "preparation makes rows too long to be addressed");
    PT_TRY(check_memory(w, (double)n * (double)row_bytes, task, err));
    w->value = pt_alloc(n, row_bytes, "the prepared data", err);
    if (!w->value)
        return PT_ENOMEM;
    out->storage = w->value;
    PT_TRY(is_plain(w) ? plain_tables(w, task, err) : cells_tables(w, task, err));
    PT_TRY(pt_parallel_for(task, n_blocks(w), run_block, w, err));
    PT_TRY(add_unseen(w, remarks, task, err));
    out->rows = (pt_rows){.n = n,
                          .d = outputs,
                          .type = w->type,
                          .dense = w->value,
                          .stride = outputs,
                          .levels = w->prepare->levels};
    return PT_OK;
}

/* ---- sparse results -------------------------------------------------------------------------- */

static int64_t longest_row(const pt_dataset *data)
{
    if (!data->start)
        return data->d;
    int64_t longest = 0;
    for (int64_t i = 0; i < data->n; i++)
        if (data->start[i + 1] - data->start[i] > longest)
            longest = data->start[i + 1] - data->start[i];
    return longest;
}

/* One block: start (n+1), index, value. Rows were counted into w->start, which moves there. */
static pt_status sparse_storage(work *w, pt_prepared *out, const pt_task *task, pt_error *err)
{
    const int64_t n = w->data->n;
    const size_t size = pt_type_size(w->type);
    w->start[0] = 0;
    for (int64_t i = 0; i < n; i++)
        w->start[i + 1] += w->start[i];
    const int64_t cells = w->start[n];
    const size_t start_bytes = pt_arena_need(n + 1, sizeof(int64_t));
    const size_t index_bytes = pt_arena_need(cells, sizeof(int64_t));
    const double bytes = (double)start_bytes + (double)index_bytes + (double)cells * (double)size;
    PT_TRY(check_memory(w, bytes, task, err));
    char *block = pt_alloc((int64_t)(start_bytes + index_bytes + (size_t)cells * size), 1,
                           "the prepared data", err);
    if (!block)
        return PT_ENOMEM;
    out->storage = block;
    memcpy(block, w->start, (size_t)(n + 1) * sizeof(int64_t));
    pt_free(w->start);
    w->start = (int64_t *)(void *)block;
    w->index = (int64_t *)(void *)(block + start_bytes);
    w->value = block + start_bytes + index_bytes;
    return PT_OK;
}

static pt_status sparse_tables(work *w, const pt_task *task, pt_error *err)
{
    const int64_t workers = pt_parallel_workers(task, n_blocks(w));
    w->longest = longest_row(w->data) + w->match.n_absences;
    w->cells = pt_alloc(w->longest, (size_t)workers * sizeof *w->cells, "a row", err);
    if (w->cells)
        w->unseen = pt_alloc_zero(w->prepare->n_fitted, (size_t)workers * sizeof *w->unseen,
                                  "counts of levels", err);
    return w->unseen ? PT_OK : PT_ENOMEM;
}

static pt_status apply_sparse(work *w, pt_prepared *out, pt_prepare_counts *remarks,
                              const pt_task *task, pt_error *err)
{
    PT_TRY(w->prepare->sparse ? sparse_tables(w, task, err) : cells_tables(w, task, err));
    int64_t *counts = pt_alloc(w->data->n + 1, sizeof *counts, "the prepared data", err);
    if (!counts)
        return PT_ENOMEM;
    w->start = counts;
    w->counting = true;
    pt_status status = pt_parallel_for(task, n_blocks(w), run_block, w, err);
    if (status == PT_OK)
        status = sparse_storage(w, out, task, err);
    if (!out->storage) {
        pt_free(counts);
        return status;
    }
    w->counting = false;
    status = pt_parallel_for(task, n_blocks(w), run_block, w, err);
    if (status == PT_OK)
        status = add_unseen(w, remarks, task, err);
    out->rows = (pt_rows){.n = w->data->n,
                          .d = w->prepare->n_outputs,
                          .type = w->type,
                          .start = w->start,
                          .index = w->index,
                          .value = w->value};
    return status;
}

static void work_free(work *w)
{
    pt_match_free(&w->match);
    pt_free(w->center);
    pt_free(w->row);
    pt_free(w->unseen);
    pt_free(w->cells);
}

pt_status pt_prepare_apply_part(const pt_prepare *prepare, const pt_dataset *data, pt_type type,
                                pt_prepared *out, pt_prepare_counts *remarks, const pt_task *task,
                                pt_error *err)
{
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    PT_FREED_BY(work_free)
    work w = {.prepare = prepare,
              .data = data,
              .type = type,
              .limit = type == PT_F32 ? (double)FLT_MAX : DBL_MAX};
    PT_TRY(pt_match_make(&w.match, prepare, data, remarks, err));
    PT_TRY(prepare->sparse || prepare->sparse_rows
               ? apply_sparse(&w, &prepared, remarks, task, err)
               : apply_dense(&w, &prepared, remarks, task, err));
    *out = prepared;
    prepared = (pt_prepared){0};
    return PT_OK;
}

pt_status pt_prepare_apply(const pt_prepare *prepare, const pt_dataset *data, pt_type type,
                           pt_prepared *out, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    PT_FREED_BY(pt_prepare_counts_free) pt_prepare_counts remarks = {0};
    PT_TRY(pt_prepare_apply_part(prepare, data, type, &prepared, &remarks, task, err));
    PT_TRY(pt_prepare_tell(prepare, &remarks, &prepared.warnings, err));
    *out = prepared;
    prepared = (pt_prepared){0};
    return PT_OK;
}

/* ---- one row after the other ----------------------------------------------------------------- */

/* What pt_prepare_apply would make anew for every row. */
struct pt_row_prepare {
    work w;
    bool plain; /* dense rows that are tables of numbers */
    double *center;
};

void pt_row_prepare_free(pt_row_prepare *r)
{
    if (!r)
        return;
    r->w.center = r->center;
    pt_free(r->w.value);
    work_free(&r->w);
    pt_free(r);
}

/* A sparse row says that a column is at its first level by leaving it out. */
static pt_status list_first_levels(pt_match *match, const pt_prepare *prepare, pt_error *err)
{
    PT_TRY(PT_NEW(match->absence, prepare->n_fitted, "columns", err));
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].spread) {
            const int64_t column = prepare->fitted[f].column;
            match->absence[match->n_absences++] = (pt_absence){column, column, 0};
        }
    return PT_OK;
}

static pt_status row_tables(pt_row_prepare *r, pt_error *err)
{
    const pt_prepare *prepare = r->w.prepare;
    if (prepare->sparse)
        return list_first_levels(&r->w.match, prepare, err);
    const pt_dataset table = {.d = prepare->d, .row_stride = prepare->d, .column_stride = 1};
    r->w.data = &table;
    r->plain = is_plain(&r->w);
    if (r->plain)
        PT_TRY(plain_tables(&r->w, NULL, err));
    r->center = r->w.center;
    r->w.value = pt_alloc(prepare->n_outputs, pt_type_size(r->w.type), "a row", err);
    PT_TRY(PT_NEW(r->w.row, prepare->d, "a row", err));
    PT_TRY(PT_NEW_ZERO(r->w.unseen, prepare->d, "counts of levels", err));
    return r->w.value ? PT_OK : PT_ENOMEM;
}

static void row_prepare_free_at(pt_row_prepare **address)
{
    pt_row_prepare_free(*address);
}

pt_status pt_row_prepare_new(pt_row_prepare **out, const pt_prepare *prepare, pt_type type,
                             pt_error *err)
{
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].text_bits > 0) {
            char text[PT_COLUMN_WORDS];
            return pt_fail(err, PT_ENOSUPPORT,
                           "%s: its words count, and a row of numbers has none; predict a data set",
                           pt_prepare_column_text(prepare, prepare->fitted[f].column, text));
        }
    PT_FREED_BY(row_prepare_free_at) pt_row_prepare *r = NULL;
    PT_TRY(PT_NEW_ZERO(r, 1, "preparation of rows", err));
    r->w = (work){.prepare = prepare,
                  .type = type,
                  .limit = type == PT_F32 ? (double)FLT_MAX : DBL_MAX,
                  .by_level = true};
    PT_TRY(row_tables(r, err));
    *out = pt_keep(&r);
    return PT_OK;
}

/* A copy of the work, and what is made for this row alone. */
static pt_status prepare_sparse_row(const pt_row_prepare *r, const pt_dataset *row,
                                    pt_prepared *out, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_prepare_counts_free) pt_prepare_counts remarks = {0};
    work w = r->w;
    w.data = row;
    const pt_status status = apply_sparse(&w, out, &remarks, task, err);
    w.match = (pt_match){0};
    work_free(&w);
    return status;
}

pt_status pt_row_prepare_apply(pt_row_prepare *r, const pt_dataset *row, pt_prepared *out,
                               const pt_task *task, pt_error *err)
{
    const pt_prepare *prepare = r->w.prepare;
    *out = (pt_prepared){0};
    if (prepare->sparse)
        return prepare_sparse_row(r, row, out, task, err);
    r->w.data = row;
    if (!r->plain || row->start)
        PT_TRY(cells_row(&r->w, 0, 0, err));
    else if (!plain_row(&r->w, 0, 0))
        PT_TRY(explain_plain(&r->w, 0, err));
    out->rows = (pt_rows){.n = 1,
                          .d = prepare->n_outputs,
                          .type = r->w.type,
                          .dense = r->w.value,
                          .stride = prepare->n_outputs,
                          .levels = prepare->levels};
    return PT_OK;
}

int64_t pt_prepare_level(const pt_prepare *prepare, int64_t column, const char *text)
{
    const pt_fitted *fitted = NULL;
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].column == column && prepare->fitted[f].nominal)
            fitted = &prepare->fitted[f];
    if (!fitted)
        return -1;
    const pt_texts *levels = &fitted->levels;
    double number = 0;
    double other = 0;
    for (int64_t level = 0; level < levels->count; level++)
        if (strcmp(levels->items[level], text) == 0)
            return level;
    if (pt_number_parse(text, strlen(text), &number) == PT_NUMBER_FINITE)
        for (int64_t level = 0; level < levels->count; level++)
            if (pt_number_parse(levels->items[level], strlen(levels->items[level]), &other) ==
                    PT_NUMBER_FINITE &&
                other == number)
                return level;
    return fitted->grouped ? levels->count - 1 : -1;
}

void pt_prepared_free(pt_prepared *prepared)
{
    if (!prepared)
        return;
    pt_free(prepared->storage);
    pt_warnings_free(&prepared->warnings);
    memset(prepared, 0, sizeof *prepared);
}
