/* The search for stumps (stump_search.h): what is set up once for all rounds, a search, plans.
 *
 * Tasks of a few features are independent; each worker keeps the best stump of every column that it
 * has seen, and the best of those is the same whoever saw which features, since ties go to the
 * lowest feature. The sums of the features of a task are formed together (stump_sums.c), then each
 * is gone through (stump_best.c).
 *
 * Memory: for each worker (bins + 1) x 2 x ell numbers a feature of a task. */
#include "trees/stump_search.h"

#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_loops.h"

enum { LANES = PT_STUMP_LANES };

static const int64_t CACHE = 512 << 10; /* bytes of sums that are formed together */
static const int64_t FEW = 8; /* a side of at most 1/8 of the slots is a list and not a vector */

/* From bin to bin: some lines more than two sums need, since steps of a power of two have bins
 * compete for the same places of the first-level cache. */
static int64_t step_of(int64_t column_stride)
{
    return 2 * column_stride + LANES;
}

pt_stump_layout pt_stump_columns_layout(const pt_stump_columns *columns)
{
    const int64_t width = columns->pairs ? columns->groups : columns->ell;
    return (pt_stump_layout){width, pt_round_up(width, PT_STUMP_SLOTS), columns->pairs};
}

int64_t pt_stump_column(const pt_stump_columns *columns, int64_t g, int64_t q, int *sign)
{
    *sign = 0;
    if (!columns->pairs) {
        const int8_t side = columns->sign[g * columns->ell + q];
        *sign = (side > 0) - (side < 0);
        return q;
    }
    if (q == g)
        return -1;
    *sign = g < q ? 1 : -1;
    return g < q ? pt_pairs_column(columns->groups, g, q) : pt_pairs_column(columns->groups, q, g);
}

/* ---- the beginning and the end --------------------------------------------------------------- */

/* Masks of the two sums, and which of them is a vector. */
static void set_ways(pt_stump_search *s)
{
    const pt_stump_layout *l = &s->layout;
    pt_stump_numbers *x = &s->numbers;
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t g = 0; g < s->columns.groups; g++) {
        int64_t count[2] = {0, 0}; /* of slots on either side */
        double *mask[2] = {x->mask[0] + g * l->stride, x->mask[1] + g * l->stride};
        for (int64_t q = 0; q < l->stride; q++) {
            int sign = 0;
            if (q < l->width)
                pt_stump_column(&s->columns, g, q, &sign);
            mask[0][q] = newton || l->pairs || sign > 0;
            mask[1][q] = newton || l->pairs || sign < 0;
            count[0] += sign > 0;
            count[1] += sign < 0;
        }
        x->way[g] = newton ? PT_STUMP_BOTH : l->pairs ? PT_STUMP_FIRST : PT_STUMP_BOTH;
        x->listed[g] = 0;
        if (newton || l->pairs)
            continue;
        if (count[1] * FEW <= l->width)
            x->way[g] = PT_STUMP_FIRST;
        else if (count[0] * FEW <= l->width)
            x->way[g] = PT_STUMP_SECOND;
        const double *few = x->way[g] == PT_STUMP_FIRST    ? mask[1]
                            : x->way[g] == PT_STUMP_SECOND ? mask[0]
                                                           : NULL;
        for (int64_t q = 0; few && q < l->width; q++)
            if (few[q] != 0)
                x->list[g * l->stride + x->listed[g]++] = (int32_t)q;
        x->lists = x->lists || x->listed[g] > 1 || x->way[g] == PT_STUMP_FIRST;
    }
}

/* Rows by group, and the blocks that they make: none has rows of two groups. */
static void set_order(pt_stump_search *s, int64_t *group_start)
{
    const int64_t n = s->table->n;
    s->n_blocks = (n + PT_STUMP_ROWS - 1) / PT_STUMP_ROWS;
    if (!s->order)
        return;
    memset(group_start, 0, (size_t)(s->columns.groups + 1) * sizeof *group_start);
    for (int64_t i = 0; i < n; i++)
        group_start[s->columns.group_of[i] + 1]++;
    for (int64_t g = 0; g < s->columns.groups; g++)
        group_start[g + 1] += group_start[g];
    s->n_blocks = 0;
    for (int64_t g = 0; g < s->columns.groups; g++)
        for (int64_t at = group_start[g]; at < group_start[g + 1]; at += PT_STUMP_ROWS)
            s->block_start[s->n_blocks++] = at;
    s->block_start[s->n_blocks] = n;
    for (int64_t i = 0; i < n; i++) /* group_start is where a group is being filled */
        s->order[group_start[s->columns.group_of[i]]++] = i;
}

static bool is_listed(const pt_stump_search *s, int64_t f)
{
    return s->table->feature[f].row != NULL;
}

/* Tasks of a few features; returns the bins that the largest has. */
static int64_t set_tasks(pt_stump_search *s, int threads)
{
    const int64_t d = s->table->d;
    const pt_feature *feature = s->table->feature;
    const int64_t share = (d + threads - 1) / threads;
    const int64_t most = pt_lesser(share, PT_STUMP_FEATURES);
    int64_t largest = 0;
    s->n_tasks = 0;
    for (int64_t f = 0; f < d;) {
        int64_t bins = 0;
        s->feature_start[s->n_tasks++] = f;
        do
            bins += feature[f++].bins + 1;
        while (f < d && f - s->feature_start[s->n_tasks - 1] < most &&
               is_listed(s, f) == is_listed(s, f - 1) &&
               (bins * (s->step + s->group_step) + pt_stump_feature_room(s, &feature[f])) * 8 <=
                   CACHE);
        largest = pt_greater(largest, bins);
    }
    s->feature_start[s->n_tasks] = d;
    return largest;
}

static bool is_narrow(const pt_stump_search *s, int64_t task)
{
    for (int64_t f = s->feature_start[task]; f < s->feature_start[task + 1]; f++)
        if (!s->table->feature[f].bin || is_listed(s, f))
            return false;
    return true;
}

static pt_status put_by_row(void *context, int64_t task, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const pt_stump_search *s = context;
    const int64_t first = s->feature_start[task];
    const int64_t features = s->feature_start[task + 1] - first;
    for (int64_t i = 0; i < s->table->n && s->by_row[task]; i++)
        for (int64_t f = 0; f < features; f++)
            s->by_row[task][i * features + f] =
                s->table->feature[first + f].bin[s->order ? s->order[i] : i];
    return PT_OK;
}

/* A row's bins side by side, once for all rounds, of tasks whose bins are told in a byte. */
static pt_status take_bins(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    int64_t features = 0;
    int64_t before = 0;
    for (int64_t t = 0; t < s->n_tasks; t++)
        features += is_narrow(s, t) ? s->feature_start[t + 1] - s->feature_start[t] : 0;
    PT_TRY(PT_NEW_ZERO(s->by_row, s->n_tasks, "bins of rows", err));
    s->bins = pt_alloc(s->table->n, (size_t)features, "bins of rows", err);
    if (!s->bins)
        return PT_ENOMEM;
    for (int64_t t = 0; t < s->n_tasks; t++)
        if (is_narrow(s, t)) {
            s->by_row[t] = s->bins + s->table->n * before;
            before += s->feature_start[t + 1] - s->feature_start[t];
        }
    return pt_parallel_for(task, s->n_tasks, put_by_row, s, err);
}

static pt_status prepare(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    static const char what[] = "a search for stumps";
    const int64_t most = (int64_t)UINT32_MAX * PT_STUMP_SLOTS; /* as far as a tile can tell */
    const int64_t n = s->table->n;
    const int64_t groups = s->columns.groups;
    const int64_t ell = s->columns.ell;
    const int64_t cells = groups * s->layout.stride;
    const bool pairs = s->columns.pairs;
    int64_t levels = 0; /* most of a feature */
    double filled = 0;
    for (int64_t f = 0; f < s->table->d; f++) {
        const pt_feature *feature = &s->table->feature[f];
        s->most_bins = pt_greater(s->most_bins, feature->bins);
        levels = pt_greater(levels, feature->levels);
        s->any_listed = s->any_listed || feature->row;
        filled += (double)(feature->row ? feature->listed : n);
    }
    s->words = pt_forest_set_words(levels);
    PT_TRY(PT_NEW(s->feature_start, s->table->d + 1, what, err));
    /* loops end in every round: few rows are done before another thread is awake */
    const bool several = filled * (double)s->layout.stride >= s->options.threads_from;
    const int64_t bins = set_tasks(s, several ? pt_parallel_workers(task, s->table->d) : 1);
    s->workers = several ? pt_parallel_workers(task, s->n_tasks) : 1;
    if (bins * pt_greater(s->step, s->group_step) > most)
        return pt_fail(err, PT_ENOMEM, "the sums of a search for stumps are too large");

    int64_t *order = NULL;
    int64_t *group_start = NULL;
    pt_stump_numbers *x = &s->numbers;
    PT_TRY(PT_ARENA(&s->arena, what, err, PT_PIECE(x->mask[0], cells), PT_PIECE(x->mask[1], cells),
                    PT_PIECE(x->way, groups), PT_PIECE(x->list, cells), PT_PIECE(x->listed, groups),
                    PT_PIECE(order, pairs ? n : 0), PT_PIECE(group_start, groups + 1),
                    PT_PIECE(s->block_start, pairs ? n / PT_STUMP_ROWS + groups + 1 : 0),
                    PT_PIECE(s->sets, ell * s->words), PT_PIECE(s->total, s->step)));
    s->order = pairs ? order : NULL;
    PT_TRY(PT_NEW_ZERO(s->worker, s->workers, what, err));
    for (int v = 0; v < s->workers; v++) {
        pt_stump_worker *w = &s->worker[v];
        PT_TRY(PT_ARENA(&w->arena, what, err, PT_PIECE(w->hist, bins * s->step),
                        PT_PIECE(w->group_hist, bins * s->group_step),
                        PT_PIECE(w->gains, (s->most_bins + 2) * LANES), PT_PIECE(w->best, ell),
                        PT_PIECE(w->sets, ell * s->words), PT_PIECE(w->sums, 3 * s->step),
                        PT_PIECE(w->side, 3 * s->step), PT_PIECE(w->level, levels),
                        PT_PIECE(w->set, s->words)));
    }
    set_ways(s);
    set_order(s, group_start);
    PT_TRY(take_bins(s, task, err));
    return pt_stump_counts_init(s, task, err);
}

pt_status pt_stump_search_new(pt_stump_search **out, const pt_feature_table *table,
                              const pt_stump_columns *columns, const pt_stump_options *options,
                              const pt_task *task, pt_error *err)
{
    pt_stump_search *s = NULL;
    PT_TRY(PT_NEW_ZERO(s, 1, "a search for stumps", err));
    s->table = table;
    s->columns = *columns;
    s->options = *options;
    s->layout = pt_stump_columns_layout(columns);
    s->loops = pt_stump_loops_chosen();
    s->column_stride = pt_round_up(columns->ell, LANES);
    s->step = step_of(s->column_stride);
    if (columns->pairs)
        s->group_step = s->layout.stride * (options->rule == PT_STUMP_NEWTON ? 2 : 1);
    s->numbers.n = table->n;
    s->numbers.stride = s->layout.stride;
    s->numbers.group_of = columns->group_of;
    const pt_status status = prepare(s, task, err);
    if (status == PT_OK)
        *out = s;
    else
        pt_stump_search_free(s);
    return status;
}

void pt_stump_search_free(pt_stump_search *s)
{
    if (!s)
        return;
    pt_stump_counts_free(s);
    pt_free(s->bins);
    pt_free(s->by_row);
    for (int v = 0; s->worker && v < s->workers; v++)
        pt_arena_free(&s->worker[v].arena);
    pt_free(s->worker);
    pt_arena_free(&s->arena);
    pt_free(s->feature_start);
    pt_free(s);
}

/* ---- a search -------------------------------------------------------------------------------- */

static pt_status search_task(void *context, int64_t task, int worker, pt_error *err)
{
    const pt_stump_round *x = context;
    const pt_stump_search *s = x->search;
    pt_stump_worker *w = &x->search->worker[worker];
    const double *hist = w->hist;
    pt_stump_sum_task(x, w, task);
    PT_TRY(pt_task_check(x->task, err));
    for (int64_t f = s->feature_start[task]; f < s->feature_start[task + 1]; f++) {
        PT_TRY(pt_stump_try_feature(x, w, f, hist, err));
        hist += pt_stump_feature_room(s, &s->table->feature[f]);
    }
    return PT_OK;
}

/* x has its search, and what changes first. */
static pt_status find(pt_stump_round *x, const double *first, const double *second, pt_stump *stump,
                      double *sums, const pt_task *task, pt_error *err)
{
    pt_stump_search *s = x->search;
    x->numbers = s->numbers;
    x->numbers.first = first;
    x->numbers.second = s->options.rule == PT_STUMP_NEWTON ? second : first;
    x->shared = sums != NULL;
    x->task = task;
    /* one task reads every row once */
    x->fused = x->changing && s->n_tasks == 1 && !s->any_listed;
    for (int v = 0; v < s->workers; v++)
        for (int64_t j = 0; j < (x->shared ? 1 : s->columns.ell); j++)
            s->worker[v].best[j] = (pt_stump){.test = {.feature = -1}};
    if (x->changing && !x->fused)
        PT_TRY(pt_stump_change(x, err));
    if (s->any_listed)
        pt_stump_sum_rows(x);
    PT_TRY(pt_parallel_for_at_most(task, s->workers, s->n_tasks, search_task, x, err));
    pt_stump_take_best(x, stump, sums);
    return PT_OK;
}

pt_status pt_stump_search_each(pt_stump_search *s, const double *first, const double *second,
                               pt_stump *stump, const pt_task *task, pt_error *err)
{
    return find(&(pt_stump_round){.search = s}, first, second, stump, NULL, task, err);
}

pt_status pt_stump_search_shared(pt_stump_search *s, const double *first, const double *second,
                                 pt_stump *stump, double *sums, const pt_task *task, pt_error *err)
{
    return find(&(pt_stump_round){.search = s}, first, second, stump, sums, task, err);
}

pt_status pt_stump_search_next(pt_stump_search *s, const double *factors, double *first,
                               pt_stump *stump, double *sums, const pt_task *task, pt_error *err)
{
    pt_stump_round x = {.search = s, .changing = first, .factors = factors, .last = stump};
    return find(&x, first, NULL, stump, sums, task, err);
}

pt_status pt_stump_search_change(pt_stump_search *s, const double *factors, double *first,
                                 const pt_stump *stump, bool shared, const pt_task *task,
                                 pt_error *err)
{
    pt_stump_round x = {.search = s,
                        .numbers = s->numbers,
                        .shared = shared,
                        .changing = first,
                        .factors = factors,
                        .last = stump,
                        .task = task};
    x.numbers.first = x.numbers.second = first;
    return pt_stump_change(&x, err);
}

pt_status pt_stump_plant(const pt_feature_table *table, const pt_stump *stump, const double *value,
                         pt_forest *forest, pt_error *err)
{
    const pt_test *test = &stump->test;
    const bool some = test->feature >= 0;
    int64_t child[PT_BRANCHES] = {0};
    int64_t root = 0;
    for (int b = 0; b < (some ? PT_BRANCHES : 1); b++)
        PT_TRY(pt_forest_add_leaf(forest, value + b * forest->width, &child[b], err));
    if (!some)
        return pt_forest_add_tree(forest, child[0], err);
    const double cut = test->set ? 0 : pt_test_cut(table, test);
    PT_TRY(pt_forest_add_node(forest, test->feature, cut, test->set, child, &root, err));
    return pt_forest_add_tree(forest, root, err);
}

/* ---- plans ----------------------------------------------------------------------------------- */

/* Bins, levels and sums of bins of features that are not yet binned. */
typedef struct sizes {
    double most_bins;
    double most_levels;
    double all_bins;
    double all_levels;
} sizes;

static sizes sizes_of(const pt_rows *rows, int64_t bins)
{
    const int64_t numeric = bins > 1 && bins < rows->n ? bins : rows->n;
    sizes z = {0};
    for (int64_t f = 0; f < rows->d; f++) {
        const int64_t levels = rows->levels ? rows->levels[f] : 0;
        const double here = (double)(levels > 0 ? levels : numeric) + 1;
        z.most_bins = here > z.most_bins ? here : z.most_bins;
        z.most_levels = (double)levels > z.most_levels ? (double)levels : z.most_levels;
        z.all_bins += here;
        z.all_levels += (double)levels;
    }
    return z;
}

/* Sums of the features of a task, `step` numbers a bin: one feature, or as many as fit. */
static double task_bytes(const sizes *z, double step)
{
    const double one = z->most_bins * step * sizeof(double);
    const double all = z->all_bins * step * sizeof(double);
    const double most = one > (double)CACHE ? one : (double)CACHE;
    return all < most ? all : most;
}

double pt_stump_search_bytes(const pt_stump_columns *columns, const pt_rows *rows, int64_t bins,
                             bool counted, int threads)
{
    const pt_stump_layout layout = pt_stump_columns_layout(columns);
    const sizes z = sizes_of(rows, bins);
    const double groups = (double)columns->groups;
    const double stride = (double)layout.stride;
    const double of_columns = (double)pt_round_up(columns->ell, LANES);
    const double sets = (double)columns->ell * (z.most_levels / 64 + 1) * sizeof(uint64_t);
    const double step = (double)step_of(pt_round_up(columns->ell, LANES));
    double worker = sizeof(pt_stump_worker) + task_bytes(&z, step) + sets +
                    (z.most_bins + 1) * LANES * sizeof(double) +
                    (double)columns->ell * sizeof(pt_stump) + 7 * step * sizeof(double) +
                    z.most_levels * sizeof(pt_scored_level);
    double common = groups * stride * 2.5 * sizeof(double) + sets +
                    (double)rows->d * (sizeof(int64_t) + sizeof(uint8_t *)) +
                    pt_feature_table_cells(rows);
    if (columns->pairs) {
        worker += task_bytes(&z, 2 * stride);
        common += ((double)rows->n * (1 + 1.0 / PT_STUMP_ROWS) + groups) * sizeof(int64_t);
    }
    if (counted) {
        worker += z.most_bins * groups * sizeof(pt_stump_amount);
        common += (double)rows->d * (of_columns + 2) * 2 * sizeof(int64_t) +
                  z.all_levels * groups * sizeof(pt_stump_amount);
    }
    return (double)threads * worker + common;
}
