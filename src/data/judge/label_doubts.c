/* Doubts about labels. All of them are judged by the names of the classes and by how many there
 * are, so that they cost nothing where classes are few, and every format has them. */
#include "data/judge/doubts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/judge/judge_cells.h"
#include "data/read/intern.h"
#include "data/read/lines.h"
#include "data/read/number.h"
#include "data/read/roles.h"
#include "params/params_table.h"

enum {
    FEW_ROWS = 20,     /* with fewer, many classes say nothing */
    FEW_NUMBERS = 10,  /* so many different real numbers may be grades */
    FEW_CODES = 20,    /* so many whole ones may be codes, where nobody said which column it is */
    FEW_LEVELS = 50,   /* a column of so many texts may be the label */
    FEW_SETS = 3,      /* classes that look like sets or rankings may be names up to here */
    MOST_NAMES = 10000 /* more names are not looked at: somebody knows what he does */
};

/* A column that was taken since it is the last, and has many whole numbers: which may be meant. */
static pt_status doubt_guess(pt_dataset *data, int64_t rows, pt_error *err)
{
    enum { NAMED = 3 };
    char names[NAMED * (PT_CELL_SHOWN + 2) + 8] = "";
    char shown[PT_CELL_SHOWN];
    size_t used = 0;
    int count = 0;
    for (int64_t j = 0; data->columns && j < data->d && count < NAMED; j++) {
        const pt_column *column = &data->columns[j];
        const pt_file_column own = pt_file_column_of(data, j);
        if (!column->nominal || column->levels.count < 2 || column->levels.count > FEW_LEVELS)
            continue;
        if (own.name)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", count ? ", " : "",
                                     pt_cell_show(own.name, strlen(own.name), shown));
        else
            used += (size_t)snprintf(names + used, sizeof names - used, "%scolumn %lld",
                                     count ? ", " : "", (long long)own.number);
        count++;
    }
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "%lld classes in %lld rows, and they are whole numbers: the last column is "
                   "taken as the label, say `label` if it is another%s%s",
                   (long long)data->labels->classes.count, (long long)rows,
                   count ? ", such as " : "", names);
}

/* Whether a file without names has one column of few words, its first, as where the label comes
 * first. */
static bool begins_with_words(const pt_dataset *data, int64_t rows)
{
    enum { ROWS_EACH = 4 };
    if (data->label_name || !data->columns || data->d < 2 || !data->columns[0].nominal ||
        data->columns[0].text || data->columns[0].levels.count < 2 ||
        data->columns[0].levels.count > FEW_LEVELS ||
        ROWS_EACH * data->columns[0].levels.count > rows)
        return false;
    for (int64_t j = 1; j < data->d; j++)
        if (data->columns[j].nominal)
            return false;
    return true;
}

/* "amounts" where all classes are numbers, some with a decimal comma, a currency, a percent sign or
 * the one unit, "dates" where all are such; NULL: neither. */
static const char *amounts_of(const pt_texts *classes)
{
    pt_number_signs unit = {0};
    bool dressed = false;
    bool numbers = true;
    bool dates = true;
    for (int64_t r = 0; r < classes->count && (numbers || dates); r++) {
        const char *text = classes->items[r];
        pt_number_signs signs;
        pt_date_forms forms;
        numbers = numbers && pt_number_signs_of(text, strlen(text), &signs);
        dates = dates && pt_date_forms_of(text, strlen(text), &forms);
        if (!numbers)
            continue;
        dressed = dressed || signs.unit_length > 0 || signs.percent || signs.comma ||
                  signs.either_comma || signs.thousands;
        unit = unit.unit_length > 0 ? unit : signs;
        numbers = signs.unit_length == 0 || (signs.unit_length == unit.unit_length &&
                                             memcmp(signs.unit, unit.unit, unit.unit_length) == 0);
    }
    return numbers && dressed ? "amounts" : dates ? "dates" : NULL;
}

static pt_status doubt_column(pt_dataset *data, const pt_read_options *options, int64_t rows,
                              pt_error *err)
{
    const pt_texts *classes = &data->labels->classes;
    const int64_t k = classes->count;
    int64_t fraction = -1;
    bool numbers = k > 0;
    for (int64_t r = 0; r < k && numbers; r++) {
        double value = 0;
        numbers = pt_number_parse(classes->items[r], strlen(classes->items[r]), &value) ==
                  PT_NUMBER_FINITE;
        if (numbers && value != floor(value) && fraction < 0)
            fraction = r;
    }
    char shown[PT_CELL_SHOWN];
    if (numbers && fraction >= 0 && k > FEW_NUMBERS)
        return pt_warn(
            &data->warnings, err, PT_KIND_DATA,
            "%lld classes in %lld rows, and they are real numbers such as '%s': is `label` the "
            "right column?",
            (long long)k, (long long)rows,
            pt_cell_show(classes->items[fraction], strlen(classes->items[fraction]), shown));
    const char *amounts = !numbers && k > FEW_NUMBERS ? amounts_of(classes) : NULL;
    if (amounts)
        return pt_warn(
            &data->warnings, err, PT_KIND_DATA,
            "%lld classes in %lld rows, and they are %s such as '%s': is `label` the right column?",
            (long long)k, (long long)rows, amounts,
            pt_cell_show(classes->items[0], strlen(classes->items[0]), shown));
    if (rows >= FEW_ROWS && 2 * k > rows)
        return pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld classes in %lld rows: is `label` the right column?", (long long)k,
                       (long long)rows);
    const bool said = (options->label && *options->label) ||
                      (data->label_name && pt_is_label_name(data->label_name));
    if (numbers && !said && data->label_column > 1 && rows >= FEW_ROWS &&
        (k > FEW_CODES || (k > 2 && begins_with_words(data, rows))))
        return doubt_guess(data, rows, err);
    return PT_OK;
}

/* The next part of a text between any of the signs, of which several may stand together, without
 * the blanks around it; false: there is none. */
static bool next_part(const char **at, const char *signs, const char **part, size_t *length)
{
    for (;;) {
        *at += strspn(*at, signs);
        if (!**at)
            return false;
        const char *end = *at + strcspn(*at, signs);
        *part = *at;
        *at = end;
        while (*part < end && **part == ' ')
            ++*part;
        while (*part < end && end[-1] == ' ')
            end--;
        *length = (size_t)(end - *part);
        if (*length > 0)
            return true;
    }
}

/* What the names of classes are made of, if any of some signs stand between their parts. */
typedef struct name_parts {
    int64_t parts;   /* that differ */
    int64_t several; /* classes of more than one part, */
    int64_t example; /* the first of them */
    int64_t least;   /* parts of a class */
    int64_t most;
    bool turned;   /* a part is the first of several in one class, and not in another */
    bool repeated; /* a class has a part twice */
    bool composed; /* each part of a class of several is a class */
} name_parts;

static pt_status take_apart(const pt_texts *classes, const char *signs, name_parts *out,
                            pt_error *err)
{
    enum { FIRST = 1, LATER = 2, ALONE = 4 };
    typedef struct place {
        int64_t class; /* the last that has it, plus 1 */
        int where;
    } place;
    PT_FREED_BY(pt_intern_free) pt_intern parts = {0};
    const char *part = NULL;
    size_t length = 0;
    int64_t number = 0;
    for (int64_t r = 0; r < classes->count; r++)
        for (const char *at = classes->items[r]; next_part(&at, signs, &part, &length);)
            PT_TRY(pt_intern_add(&parts, part, length, &number, err));
    *out = (name_parts){.parts = parts.texts.count, .example = -1, .least = INT64_MAX};
    PT_SCRATCH place *places = pt_alloc_zero(out->parts + 1, sizeof *places, "labels", err);
    if (!places)
        return PT_ENOMEM;
    for (int64_t r = 0; r < classes->count; r++) {
        int64_t count = 0;
        for (const char *at = classes->items[r]; next_part(&at, signs, &part, &length); count++) {
            PT_TRY(pt_intern_add(&parts, part, length, &number, err));
            out->repeated = out->repeated || places[number].class == r + 1;
            places[number].class = r + 1;
            places[number].where |= count > 0 ? LATER : *at ? FIRST : ALONE;
        }
        out->least = count < out->least ? count : out->least;
        out->most = count > out->most ? count : out->most;
        out->example = out->several == 0 && count > 1 ? r : out->example;
        out->several += count > 1;
    }
    for (int64_t p = 0; p < out->parts; p++)
        out->turned = out->turned || (places[p].where & (FIRST | LATER)) == (FIRST | LATER);
    for (int64_t r = 0; r < classes->count && !out->composed; r++) {
        int64_t count = 0;
        bool all = true;
        for (const char *at = classes->items[r]; next_part(&at, signs, &part, &length); count++) {
            PT_TRY(pt_intern_add(&parts, part, length, &number, err));
            all = all && (places[number].where & ALONE);
        }
        out->composed = all && count > 1;
    }
    return PT_OK;
}

/* ['a', 'b'], {"a"}: every class, as programs print lists and sets of texts. */
static bool are_lists(const pt_texts *classes)
{
    for (int64_t r = 0; r < classes->count; r++) {
        const char *text = classes->items[r];
        const size_t length = strlen(text);
        const char last = *text == '[' ? ']' : '}';
        if (length < 2 || (*text != '[' && *text != '{') || text[length - 1] != last ||
            (length > 2 && text[1] != '\'' && text[1] != '"'))
            return false;
    }
    return classes->count > 0;
}

/* Classes that look like sets, rankings or pairs: a;b and a>b>c, as --labels reads them, and as
 * other programs write them, a|b, ['a', 'b'], a b c. Names of classes have signs and spaces, too
 * (a hierarchy such as animal > cat, names such as low risk): here the parts come again, in another
 * place or as classes of their own, or nearly all classes are made of few of them. */
static pt_status doubt_kind(pt_dataset *data, pt_error *err)
{
    static const char *const SIGNS[] = {";>", "<", "|", ",[]{}'\"", "/", "+", " "};
    const pt_texts *classes = &data->labels->classes;
    const bool lists = are_lists(classes);
    for (size_t s = 0; s < sizeof SIGNS / sizeof *SIGNS; s++) {
        name_parts m;
        PT_TRY(take_apart(classes, SIGNS[s], &m, err));
        if (m.several == 0)
            continue;
        const bool ours = *SIGNS[s] == ';';
        int64_t sets = 0;
        int64_t orders = 0;
        for (int64_t r = 0; r < classes->count && ours; r++) {
            sets += strchr(classes->items[r], ';') != NULL;
            orders += strchr(classes->items[r], '>') != NULL;
        }
        const bool ordered = orders > 0 || *SIGNS[s] == '<';
        const bool many = m.several >= FEW_SETS && 2 * m.several >= classes->count;
        const bool all_in_each = m.least == m.most && m.parts == m.most && m.most > 2;
        bool doubted = false;
        if (ours)
            doubted = m.turned || (m.composed && !ordered) || (many && m.parts < classes->count);
        else if (*SIGNS[s] == ' ' || m.repeated) /* words and genotypes (A/A, A/G) */
            doubted = false;
        else
            doubted = m.turned || (m.composed && !ordered);
        if (lists && *SIGNS[s] == ',')
            doubted = true;
        if (!ours && many && 2 * m.parts <= classes->count && (m.least < m.most || all_in_each))
            doubted = true;
        if (!doubted)
            continue;
        const bool ranks = ordered || (!ours && all_in_each);
        const char *kind = ranks && sets > 0 ? "pairs" : ranks ? "ranking" : "set";
        char shown[PT_CELL_SHOWN];
        return pt_warn(
            &data->warnings, err, PT_KIND_DATA,
            "labels such as '%s' are read as classes, %lld of them; they look like %s%s: %s%s%ssay "
            "`labels=%s`",
            pt_cell_show(classes->items[m.example], strlen(classes->items[m.example]), shown),
            (long long)classes->count, kind, *kind == 'p' ? "" : "s", ours ? "" : "write ",
            ours    ? ""
            : ranks ? "a>b>c, from best to worst,"
                    : "a;b",
            ours ? "" : " and ", kind);
    }
    return PT_OK;
}

/* Sets whose classes are lists of classes: a, b where a;b was meant. */
static pt_status doubt_lists(pt_dataset *data, pt_error *err)
{
    static const char *const SIGNS[] = {"|", ",[]{}'\"", "/", "+"};
    const pt_texts *classes = &data->labels->classes;
    for (size_t s = 0; s < sizeof SIGNS / sizeof *SIGNS; s++) {
        name_parts m;
        PT_TRY(take_apart(classes, SIGNS[s], &m, err));
        if (m.several == 0 || m.repeated || !(m.turned || m.composed))
            continue;
        const char *example = classes->items[m.example];
        char shown[PT_CELL_SHOWN];
        return pt_warn(&data->warnings, err, PT_KIND_DATA,
                       "%lld class%s such as '%s' %s to hold several: a semicolon separates the "
                       "classes of a set, write a;b",
                       (long long)m.several, m.several == 1 ? "" : "es",
                       pt_cell_show(example, strlen(example), shown),
                       m.several == 1 ? "seems" : "seem");
    }
    return PT_OK;
}

/* Whether in every row the label and the features from `first` on are the numbers 1 to k, each
 * once; rank[r] is the number that class r is called. */
static bool are_ranks(const pt_dataset *data, const int64_t *rank, int64_t k, int64_t first)
{
    const pt_labels *labels = data->labels;
    const double *value = data->value;
    for (int64_t i = 0; i < data->n; i++) {
        if (labels->class_of[i] < 0)
            return false;
        uint64_t seen = UINT64_C(1) << rank[labels->class_of[i]];
        for (int64_t j = first; j < first + k - 1; j++) {
            const double x = value[i * data->d + j];
            const uint64_t bit = x >= 1 && x <= (double)k ? UINT64_C(1) << (int)x : 0;
            if (bit == 0 || x != floor(x) || (seen & bit))
                return false;
            seen |= bit;
        }
    }
    return true;
}

/* Ranks in several columns, one of which was taken as the label: the others stand beside it, before
 * it or behind it. */
static pt_status doubt_ranks(pt_dataset *data, pt_error *err)
{
    enum { MOST_RANKS = 63 };
    const pt_texts *classes = &data->labels->classes;
    const int64_t k = classes->count;
    int64_t rank[MOST_RANKS];
    if (k < 3 || k > MOST_RANKS || data->d < k - 1 || data->n < FEW_ROWS || data->index ||
        data->type != PT_F64)
        return PT_OK;
    for (int64_t w = 0; w < data->warnings.count; w++)
        if (strstr(data->warnings.items[w], "`ranks")) /* their names have told it already */
            return PT_OK;
    for (int64_t r = 0; r < k; r++)
        if (!pt_text_to_integer(classes->items[r], &rank[r]) || rank[r] < 1 || rank[r] > k)
            return PT_OK;
    if (!are_ranks(data, rank, k, data->d - (k - 1)) && !are_ranks(data, rank, k, 0))
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "the label and the %lld columns beside it are the numbers 1 to %lld in every "
                   "row: if they are ranks, name all of them with `ranks`, as in `ranks=R_*`",
                   (long long)(k - 1), (long long)k);
}

/* 1, true, yes: 1; 0, false, no: 0; neither: -1. */
static int truth_of(const char *text)
{
    const bool bit = (*text == '0' || *text == '1') && !text[1];
    return bit ? *text - '0' : pt_truth_of(text, strlen(text));
}

/* Whether feature j, the 0/1 label, and those between them have one 1 in
 * every row; `sum` has the ones of those behind j. *possible: a row has no two. */
static bool add_one_hot(const pt_dataset *data, int64_t j, unsigned char *sum, bool *possible)
{
    const double *value = data->value;
    bool all = true;
    for (int64_t i = 0; i < data->n && *possible; i++) {
        const double x = value[i * data->d + j];
        *possible = (x == 0 || x == 1) && sum[i] + x <= 1;
        sum[i] = (unsigned char)(*possible && x == 1 ? 1 : sum[i]);
        all = all && sum[i] == 1;
    }
    return *possible && all;
}

/* A class that stands as several columns of 0 and 1, of which the last was taken as the label. */
static pt_status doubt_one_hot(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    const pt_labels *labels = data->labels;
    const pt_texts *classes = &labels->classes;
    if (classes->count != 2 || truth_of(classes->items[0]) + truth_of(classes->items[1]) != 1 ||
        data->n < FEW_ROWS || data->index || data->type != PT_F64 ||
        data->label_column <= data->d || (options->label && *options->label))
        return PT_OK;
    unsigned char *sum = pt_alloc_zero(data->n, 1, "labels", err);
    if (!sum)
        return PT_ENOMEM;
    bool possible = true;
    bool found = false;
    int64_t first = data->d;
    for (int64_t i = 0; i < data->n; i++)
        sum[i] = labels->class_of[i] >= 0 && truth_of(classes->items[labels->class_of[i]]) == 1;
    while (possible && !found && first > 0 && !pt_is_nominal(data, first - 1))
        found = add_one_hot(data, --first, sum, &possible);
    pt_free(sum);
    if (!found || data->d - first < 2)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "the label and the %lld columns before it hold one 1 in every row: if they are "
                   "the classes of one label, write their names in one column, or say `label` with "
                   "a pattern of all of them",
                   (long long)(data->d - first));
}

static int64_t rows_of(const pt_labels *labels, int64_t r)
{
    int64_t rows = 0;
    for (int64_t i = 0; i < labels->n; i++)
        rows += labels->class_of[i] == r;
    return rows;
}

/* Bytes of a blank at p: a hard space, and what shows nothing (zero width), too. */
static size_t blank_at(const char *p)
{
    static const char *const BLANKS[] = {" ",
                                         "\t",
                                         "\xc2\xa0",
                                         "\xe2\x80\x8b",
                                         "\xe2\x80\x8c",
                                         "\xe2\x80\x8d",
                                         "\xe2\x80\xaf",
                                         "\xef\xbb\xbf"};
    for (size_t b = 0; b < sizeof BLANKS / sizeof *BLANKS; b++)
        if (strncmp(p, BLANKS[b], strlen(BLANKS[b])) == 0)
            return strlen(BLANKS[b]);
    return 0;
}

/* What a name has in common with names that mean the same: its letters in lower case without
 * blanks, or its value. *number: it is one. */
static char *fold_name(const char *text, bool *number, pt_error *err)
{
    char digits[32];
    double value = 0;
    *number = pt_number_parse(text, strlen(text), &value) == PT_NUMBER_FINITE;
    if (*number) {
        snprintf(digits, sizeof digits, "%.17g", value == 0 ? 0 : value); /* -0 is 0 */
        return pt_alloc_text(digits, err);
    }
    char *folded = pt_alloc_text(text, err);
    char *out = folded;
    for (const char *p = text; folded && *p;) {
        const size_t blank = blank_at(p);
        if (blank == 0)
            *out++ = (char)(*p >= 'A' && *p <= 'Z' ? *p | 0x20 : *p);
        p += blank ? blank : 1;
    }
    if (folded)
        *out = '\0';
    return folded;
}

pt_status pt_names_alike(const pt_texts *names, pt_alike *alike, pt_error *err)
{
    PT_FREED_BY(pt_intern_free) pt_intern folded = {0};
    memset(alike, 0, sizeof *alike);
    for (int64_t r = 0; r < names->count; r++) {
        bool number = false;
        int64_t place = 0;
        const int64_t before = folded.texts.count;
        PT_SCRATCH char *common = fold_name(names->items[r], &number, err);
        if (!common)
            return PT_ENOMEM;
        PT_TRY(pt_intern_add(&folded, common, strlen(common), &place, err));
        if (folded.texts.count > before)
            continue;
        int64_t *first = number ? &alike->first_number : &alike->first_word;
        int64_t *count = number ? &alike->numbers : &alike->words;
        *first = (*count)++ ? *first : r;
    }
    return PT_OK;
}

/* Whether a name is another with one letter more, less, changed or swapped with its neighbour.
 * Names that differ in a digit or a sign, in a word of one letter (grade a, grade b) or at once in
 * their first letter (male, female; cat, bat) are others. */
static bool is_misspelled(const char *rare, const char *common)
{
    enum { LEAST = 4 };
    const size_t n = strlen(rare);
    const size_t m = strlen(common);
    pt_nearest near = {0};
    if (n < LEAST || m < LEAST || *rare != *common)
        return false;
    pt_nearest_try(&near, rare, common, m);
    if (near.distance != 1)
        return false;
    size_t same = 0;
    while (rare[same] == common[same])
        same++;
    const char before = rare[same - 1];
    const char changed[] = {rare[same], common[same]};
    for (int c = 0; c < 2; c++)
        if (changed[c] && !isalpha((unsigned char)changed[c]))
            return false;
    const size_t behind = same + 1;
    const bool lone = !isalpha((unsigned char)before) && before >= 0 &&
                      (behind >= n || !isalpha((unsigned char)rare[behind]) || behind >= m ||
                       !isalpha((unsigned char)common[behind]));
    return !lone;
}

/* A class that has hardly any rows, and is nearly called as one that has many. Its rows become 0:
 * enough is said of it. */
static pt_status doubt_misspelled(pt_dataset *data, int64_t *rows, pt_error *err)
{
    enum { RARE = 3, TIMES = 20 }; /* rows; as many times is the other */
    static const double MOST_PAIRS = 1e5;
    const pt_texts *classes = &data->labels->classes;
    int64_t rare = 0;
    for (int64_t r = 0; r < classes->count; r++)
        rare += rows[r] > 0 && rows[r] <= RARE;
    if ((double)rare * (double)classes->count > MOST_PAIRS)
        return PT_OK;
    for (int64_t r = 0; r < classes->count; r++)
        for (int64_t c = 0; c < classes->count && rows[r] > 0 && rows[r] <= RARE; c++) {
            char own[PT_CELL_SHOWN];
            char other[PT_CELL_SHOWN];
            if (rows[c] < TIMES * rows[r] || !is_misspelled(classes->items[r], classes->items[c]))
                continue;
            PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                           "class '%s' has %lld row%s; is it '%s', which has %lld, misspelled?",
                           pt_cell_show(classes->items[r], strlen(classes->items[r]), own),
                           (long long)rows[r], rows[r] == 1 ? "" : "s",
                           pt_cell_show(classes->items[c], strlen(classes->items[c]), other),
                           (long long)rows[c]));
            rows[r] = 0;
        }
    return PT_OK;
}

/* Classes of one row among many rows: nothing can test how they are learned. */
static pt_status doubt_lone(pt_dataset *data, const int64_t *rows, pt_error *err)
{
    enum { NAMED = 3 };
    const pt_texts *classes = &data->labels->classes;
    char names[NAMED * (PT_CELL_SHOWN + 4) + 8] = "";
    char shown[PT_CELL_SHOWN];
    size_t used = 0;
    int64_t lone = 0;
    for (int64_t r = 0; r < classes->count; r++) {
        if (rows[r] != 1 || pt_is_totals_word(classes->items[r], strlen(classes->items[r])))
            continue;
        if (lone < NAMED)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s'%s'", lone ? ", " : "",
                                 pt_cell_show(classes->items[r], strlen(classes->items[r]), shown));
        else if (lone == NAMED)
            snprintf(names + used, sizeof names - used, ", ...");
        lone++;
    }
    if (lone == 0)
        return PT_OK;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "%lld class%s one row (%s): what is learned of %s cannot be tested",
                   (long long)lone, lone == 1 ? " has" : "es have", names,
                   lone == 1 ? "it" : "them");
}

static pt_status doubt_rare(pt_dataset *data, int64_t rows, pt_error *err)
{
    const pt_labels *labels = data->labels;
    const int64_t k = labels->classes.count;
    PT_SCRATCH int64_t *count = pt_alloc_zero(k, sizeof *count, "classes", err);
    if (!count)
        return PT_ENOMEM;
    for (int64_t i = 0; i < labels->n; i++)
        if (labels->class_of[i] >= 0)
            count[labels->class_of[i]]++;
    PT_TRY(doubt_misspelled(data, count, err));
    return rows >= FEW_ROWS && 2 * k <= rows ? doubt_lone(data, count, err) : PT_OK;
}

/* Names that are those of others but for what people do not see as a difference. */
static pt_status warn_alike(pt_dataset *data, int64_t count, int64_t example, bool numbers,
                            pt_error *err)
{
    const char *text = data->labels->classes.items[example];
    const bool one = count == 1;
    char shown[PT_CELL_SHOWN];
    return pt_warn(&data->warnings, err, PT_KIND_DATA, "%lld class%s (such as '%s') %s%s",
                   (long long)count, one ? "" : "es", pt_cell_show(text, strlen(text), shown),
                   numbers ? one ? "is" : "are"
                   : one   ? "differs"
                           : "differ",
                   numbers ? " the same number as another, written otherwise"
                           : " from another in capitals or blanks alone; write them alike if "
                             "they mean the same");
}

static pt_status doubt_alike(pt_dataset *data, pt_alike *alike, pt_error *err)
{
    PT_TRY(pt_names_alike(&data->labels->classes, alike, err));
    if (alike->words > 0)
        PT_TRY(warn_alike(data, alike->words, alike->first_word, false, err));
    if (alike->numbers > 0)
        PT_TRY(warn_alike(data, alike->numbers, alike->first_number, true, err));
    return PT_OK;
}

/* 0, 1, False and True as four classes: yes and no in several spellings. */
static pt_status doubt_truths(pt_dataset *data, pt_error *err)
{
    const pt_texts *classes = &data->labels->classes;
    const char *spelled[2] = {NULL, NULL};
    int64_t truths[2] = {0, 0};
    for (int64_t r = 0; r < classes->count; r++) {
        const char *text = classes->items[r];
        const int truth = truth_of(text);
        if (truth < 0)
            return PT_OK;
        truths[truth]++;
        spelled[truth] = text;
    }
    if (truths[0] < 2 && truths[1] < 2)
        return PT_OK;
    const int twice = truths[1] < 2 ? 0 : 1;
    return pt_warn(&data->warnings, err, PT_KIND_DATA,
                   "%lld classes mean yes or no: '%s' and %s may be one; write them alike",
                   (long long)classes->count, spelled[twice],
                   truths[twice] > 2 ? "others" : "another");
}

/* Classes whose names mean nothing elsewhere, and names that mean the same as another. */
static pt_status doubt_names(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    const pt_texts *classes = &data->labels->classes;
    char shown[PT_CELL_SHOWN];
    for (int64_t r = 0; r < classes->count; r++) {
        const char *text = classes->items[r];
        const size_t length = strlen(text);
        if ((!options->na || !*options->na || pt_na_adds(options->na)) &&
            pt_is_missing_word(NULL, text, length))
            PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                           "'%s' is a class; say `na=+%s` if it means that the label is missing",
                           text, text));
        if (pt_is_totals_word(text, length) && rows_of(data->labels, r) == 1)
            PT_TRY(pt_warn(&data->warnings, err, PT_KIND_DATA,
                           "class '%s' has one row: is it a line of totals? remove it if so",
                           pt_cell_show(text, length, shown)));
    }
    pt_alike alike = {0};
    PT_TRY(doubt_alike(data, &alike, err));
    return alike.words == 0 ? doubt_truths(data, err) : PT_OK;
}

/* Labels that are no classes: doubts about the names in them. */
static pt_status doubt_items(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    pt_alike alike = {0};
    if (options->part || options->block || data->labels->classes.count > MOST_NAMES)
        return PT_OK;
    if (data->labels->kind == PT_LABEL_SET && data->label_columns.count == 0)
        PT_TRY(doubt_lists(data, err));
    return doubt_alike(data, &alike, err);
}

pt_status pt_label_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err)
{
    const pt_labels *labels = data->labels;
    if (!labels || options->label_optional)
        return PT_OK;
    if (labels->kind != PT_LABEL_CLASS)
        return doubt_items(data, options, err);
    int64_t rows = 0;
    for (int64_t i = 0; i < labels->n; i++)
        rows += labels->class_of[i] >= 0;
    PT_TRY(doubt_column(data, options, rows, err));
    if (labels->classes.count > MOST_NAMES)
        return PT_OK;
    if (!options->labels_said)
        PT_TRY(doubt_kind(data, err));
    if (!options->labels_said)
        PT_TRY(doubt_ranks(data, err));
    if (!options->labels_said)
        PT_TRY(doubt_one_hot(data, options, err));
    PT_TRY(doubt_names(data, options, err));
    return doubt_rare(data, rows, err);
}
