/* The sums of stumps that are known: what a search would have found, without one. For boosting that
 * goes on from the rounds of a model. Every sum is formed in the order of stump_search.h, so that
 * it has the same bits: bins from their rows, branches from their bins.
 *
 *   hist   (bins + 1) x 2 for a column, of the one feature that its stump asks: first and second
 *          sum of each bin, that of missing cells last
 *
 * Threads share the columns, some at a time. The sums of one test for all columns are formed as the
 * search does for a feature, all columns side by side. */
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_loops.h"

enum { COLUMNS = PT_STUMP_LANES }; /* that go through the rows together */
static const double LEFT = 1e-14;  /* share of a sum of all rows that is rounding errors */

/* One column: its test's feature, and the sums of its bins. */
typedef struct known_column {
    const pt_feature *feature; /* NULL: it has no stump */
    double *hist;
    double total[2]; /* of all rows, where the feature is listed */
} known_column;

typedef struct known {
    pt_stump_search *search;
    const double *first;
    const double *second;
    pt_stump *stump; /* of each column */
    const pt_task *task;
} known;

/* A row's numbers to a bin: + and - apart, or of NEWTON both. */
static void add_row(const known *x, double *to, int sign, int64_t place)
{
    if (x->search->options.rule == PT_STUMP_NEWTON) {
        to[0] += x->first[place];
        to[1] += x->second[place];
    } else {
        to[sign < 0] += x->first[place];
    }
}

/* Of a listed feature the common bin: all rows less the others. */
static void put_common(const known *x, const known_column *c)
{
    const bool newton = x->search->options.rule == PT_STUMP_NEWTON;
    double *left = c->hist + 2 * c->feature->common;
    left[0] = c->total[0];
    left[1] = c->total[1];
    for (int64_t b = 0; b <= c->feature->bins; b++)
        for (int q = 0; q < 2 && b != c->feature->common; q++)
            left[q] -= c->hist[2 * b + q];
    const bool some = left[0] > LEFT * c->total[0];
    left[0] = some ? left[0] : 0;
    if (newton ? !some : !(left[1] > LEFT * c->total[1]))
        left[1] = 0;
}

/* The sums of the branches of a test, from those of the bins, which are `step` apart, the second
 * sum of a bin `second` further. */
static void put_branches(const pt_stump_search *s, const pt_test *test, const double *hist,
                         int64_t step, int64_t second, double sum[PT_BRANCHES][2])
{
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    const int64_t bins = s->table->feature[test->feature].bins;
    double in[2] = {0, 0};
    double all[2] = {0, 0};
    for (int64_t b = 0; b < bins; b++)
        for (int q = 0; q < 2; q++) {
            const double here = hist[b * step + q * second];
            if (test->set ? pt_forest_in_set(test->set, b) : b <= test->bin)
                in[q] += here;
            all[q] += here;
        }
    for (int q = 0; q < 2; q++) {
        const double out = all[q] - in[q];
        sum[PT_BRANCH_IN][q] = in[q];
        sum[PT_BRANCH_OUT][q] = q == 1 && newton ? out : pt_positive(out);
        sum[PT_BRANCH_MISSING][q] = hist[bins * step + q * second];
    }
}

/* ---- sums of bins ---------------------------------------------------------------------------- */

/* Rows first .. last-1 of the order of the search, all of group g, whose column is at slot q. */
static void add_group(const known *x, const known_column *c, double *hist, int64_t first,
                      int64_t last, int sign, int64_t q)
{
    const pt_stump_search *s = x->search;
    for (int64_t at = first; at < last; at++) {
        const int64_t i = s->order[at];
        add_row(x, hist + 2 * pt_feature_listed(c->feature, i), sign, i * s->layout.stride + q);
    }
}

/* The column of a pair of groups, in a table whose feature has a bin for each row. NEWTON adds the
 * sums of the two groups up; of other rules each is a side of its own. `spare`: as much as hist. */
static void sum_pair(const known *x, known_column *c, int64_t column, const int64_t *group_start,
                     double *spare)
{
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(x->search->columns.groups, column, &p, &q);
    const int64_t cells = 2 * (c->feature->bins + 1);
    memset(spare, 0, (size_t)cells * sizeof *spare);
    add_group(x, c, c->hist, group_start[p], group_start[p + 1], 1, q);
    add_group(x, c, spare, group_start[q], group_start[q + 1], -1, p);
    for (int64_t b = 0; b < cells; b++)
        c->hist[b] += spare[b];
}

/* The side of row i in a column, 0: it takes no part; *place: where its number is. */
static int side_of(const pt_stump_search *s, int64_t i, int64_t column, int64_t *place)
{
    const pt_stump_columns *columns = &s->columns;
    const int64_t g = columns->group_of[i];
    if (!columns->pairs) {
        *place = i * s->layout.stride + column;
        return columns->sign[g * columns->ell + column];
    }
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(columns->groups, column, &p, &q);
    *place = i * s->layout.stride + (g == p ? q : p);
    return (g == p) - (g == q);
}

/* A column whose feature is listed: the rows of the list, and all rows. */
static void sum_listed(const known *x, known_column *c, int64_t column)
{
    const pt_stump_search *s = x->search;
    int64_t place = 0;
    for (int64_t at = 0; at < c->feature->listed; at++) {
        const int sign = side_of(s, c->feature->row[at], column, &place);
        if (sign != 0)
            add_row(x, c->hist + 2 * pt_feature_listed(c->feature, at), sign, place);
    }
    c->total[0] = c->total[1] = 0;
    for (int64_t i = 0; i < s->table->n; i++) {
        const int sign = side_of(s, i, column, &place);
        if (sign != 0)
            add_row(x, c->total, sign, place);
    }
    put_common(x, c);
}

/* What the loop over rows looks at of a column. */
typedef struct summed_column {
    int64_t at; /* from the first of those that go together */
    const pt_feature *feature;
    const uint8_t *bin; /* NULL: they are wide */
    double *hist;
} summed_column;

/* Columns first .. first + count - 1 of a code: a row's numbers lie side by side. Where it takes no
 * part they are 0, and change no sum. */
static void sum_columns(const known *x, const known_column *c, int64_t first, int64_t count)
{
    const pt_stump_search *s = x->search;
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    summed_column list[COLUMNS];
    int64_t n = 0;
    for (int64_t j = 0; j < count; j++)
        if (c[j].feature && !c[j].feature->row)
            list[n++] = (summed_column){j, c[j].feature, c[j].feature->bin, c[j].hist};
    for (int64_t i = 0; i < s->table->n; i++) {
        const int8_t *sign = s->columns.sign + s->columns.group_of[i] * s->columns.ell + first;
        const double *number = x->first + i * s->layout.stride + first;
        const double *other = newton ? x->second + i * s->layout.stride + first : NULL;
        for (int64_t q = 0; q < n; q++) {
            const summed_column *one = &list[q];
            const int64_t bin = one->bin ? one->bin[i] : one->feature->wide[i];
            one->hist[2 * bin + (!newton && sign[one->at] < 0)] += number[one->at];
            if (newton)
                one->hist[2 * bin + 1] += other[one->at];
        }
    }
}

/* ---- a round --------------------------------------------------------------------------------- */

typedef struct known_round {
    known of;
    int64_t cells; /* of a column's hist */
    double *hist;  /* of each worker: COLUMNS and one more */
    int64_t *group_start;
} known_round;

static pt_status sum_some(void *context, int64_t index, int worker, pt_error *err)
{
    const known_round *r = context;
    const known *x = &r->of;
    const pt_stump_search *s = x->search;
    const int64_t first = index * COLUMNS;
    const int64_t count = pt_lesser(COLUMNS, s->columns.ell - first);
    double *hist = r->hist + worker * (COLUMNS + 1) * r->cells;
    known_column c[COLUMNS] = {{0}};
    PT_TRY(pt_task_check(x->task, err));
    for (int64_t j = 0; j < count; j++) {
        const pt_test *test = &x->stump[first + j].test;
        if (test->feature < 0)
            continue;
        c[j].feature = &s->table->feature[test->feature];
        c[j].hist = hist + j * r->cells;
        memset(c[j].hist, 0, (size_t)(2 * (c[j].feature->bins + 1)) * sizeof(double));
        if (c[j].feature->row)
            sum_listed(x, &c[j], first + j);
        else if (s->columns.pairs)
            sum_pair(x, &c[j], first + j, r->group_start, hist + COLUMNS * r->cells);
    }
    if (!s->columns.pairs)
        sum_columns(x, c, first, count);
    for (int64_t j = 0; j < count; j++)
        if (c[j].feature)
            put_branches(s, &x->stump[first + j].test, c[j].hist, 2, 1, x->stump[first + j].sum);
    return PT_OK;
}

/* A test for all columns. */
static void sum_shared(pt_stump_search *s, const double *first, const double *second,
                       const pt_test *test, double *sums, const pt_task *task)
{
    pt_stump_round x = {.search = s, .numbers = s->numbers, .shared = true, .task = task};
    x.numbers.first = first;
    x.numbers.second = s->options.rule == PT_STUMP_NEWTON ? second : first;
    if (s->table->feature[test->feature].row)
        pt_stump_sum_rows(&x);
    pt_stump_sum_feature(&x, s->worker, test->feature);
    for (int64_t j = 0; j < s->columns.ell; j++)
        put_branches(s, test, s->worker->hist + j, s->step, s->column_stride,
                     (double(*)[2])(sums + j * PT_BRANCHES * 2));
}

pt_status pt_stump_search_known(pt_stump_search *s, const double *first, const double *second,
                                pt_stump *stump, double *sums, const pt_task *task, pt_error *err)
{
    const int64_t groups = s->columns.groups;
    const int64_t chunks = (s->columns.ell + COLUMNS - 1) / COLUMNS;
    const int workers = s->workers > 1 ? pt_parallel_workers(task, chunks) : 1;
    if (sums && stump->test.feature >= 0)
        sum_shared(s, first, second, &stump->test, sums, task);
    if (sums)
        return pt_task_check(task, err);
    known_round r = {.of = {s, first, second, stump, task}, .cells = 2 * (s->most_bins + 1)};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "sums of stumps", err,
                    PT_PIECE(r.hist, workers * (COLUMNS + 1) * r.cells),
                    PT_PIECE(r.group_start, groups + 1)));
    memset(r.group_start, 0, (size_t)(groups + 1) * sizeof *r.group_start);
    for (int64_t i = 0; i < s->table->n; i++)
        r.group_start[s->columns.group_of[i] + 1]++;
    for (int64_t g = 0; g < groups; g++)
        r.group_start[g + 1] += r.group_start[g];
    return pt_parallel_for_at_most(task, workers, chunks, sum_some, &r, err);
}
