/* The memory of a search for stumps (stump_search.h): what is set up once for all rounds, which
 * features are gone through together, and plans.
 *
 * Memory: for each worker (bins + 1) x 2 x ell numbers a feature of a task. */
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_parts.h"

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

/* ---- the beginning and the end --------------------------------------------------------------- */

/* Masks of the two sums, and which of them is a vector. */
static void set_ways(pt_stump_search *s)
{
    const pt_stump_layout *l = &s->layout;
    const bool newton = s->options.rule == PT_STUMP_NEWTON;
    for (int64_t g = 0; g < s->columns.groups; g++) {
        int64_t count[2] = {0, 0}; /* of slots on either side */
        double *mask[2] = {s->mask[0] + g * l->stride, s->mask[1] + g * l->stride};
        for (int64_t q = 0; q < l->stride; q++) {
            int sign = 0;
            if (q < l->width)
                pt_stump_column(&s->columns, g, q, &sign);
            mask[0][q] = newton || l->pairs || sign > 0;
            mask[1][q] = newton || l->pairs || sign < 0;
            count[0] += sign > 0;
            count[1] += sign < 0;
        }
        s->way[g] = newton ? PT_STUMP_BOTH : l->pairs ? PT_STUMP_FIRST : PT_STUMP_BOTH;
        s->listed[g] = 0;
        if (newton || l->pairs)
            continue;
        if (count[1] * FEW <= l->width)
            s->way[g] = PT_STUMP_FIRST;
        else if (count[0] * FEW <= l->width)
            s->way[g] = PT_STUMP_SECOND;
        const double *few = s->way[g] == PT_STUMP_FIRST    ? mask[1]
                            : s->way[g] == PT_STUMP_SECOND ? mask[0]
                                                           : NULL;
        for (int64_t q = 0; few && q < l->width; q++)
            if (few[q] != 0)
                s->list[g * l->stride + s->listed[g]++] = (int32_t)q;
        s->lists = s->lists || s->listed[g] > 1 || s->way[g] == PT_STUMP_FIRST;
    }
}

/* Rows by group, and how many blocks they make. */
static void set_order(pt_stump_search *s)
{
    const int64_t n = s->table->n;
    s->n_blocks = (n + PT_STUMP_ROWS - 1) / PT_STUMP_ROWS;
    if (!s->order)
        return;
    memset(s->group_start, 0, (size_t)(s->columns.groups + 1) * sizeof *s->group_start);
    for (int64_t i = 0; i < n; i++)
        s->group_start[s->columns.group_of[i] + 1]++;
    s->block_start[0] = 0;
    for (int64_t g = 0; g < s->columns.groups; g++) {
        s->block_start[g + 1] =
            s->block_start[g] + (s->group_start[g + 1] + PT_STUMP_ROWS - 1) / PT_STUMP_ROWS;
        s->group_start[g + 1] += s->group_start[g];
    }
    s->n_blocks = s->block_start[s->columns.groups];
    for (int64_t i = 0; i < n; i++) /* group_start is where a group is being filled */
        s->order[s->group_start[s->columns.group_of[i]]++] = i;
    for (int64_t g = s->columns.groups; g > 0; g--)
        s->group_start[g] = s->group_start[g - 1];
    s->group_start[0] = 0;
}

/* Tasks of a few features; returns the doubles that the largest needs. */
static int64_t set_tasks(pt_stump_search *s, int threads, int64_t *group_most)
{
    const int64_t d = s->table->d;
    const int64_t share = (d + threads - 1) / threads;
    const int64_t most = share < PT_STUMP_FEATURES ? share : PT_STUMP_FEATURES;
    int64_t largest = 0;
    s->n_tasks = 0;
    *group_most = 0;
    for (int64_t f = 0; f < d;) {
        int64_t room = 0;
        int64_t group = 0;
        s->feature_start[s->n_tasks++] = f;
        do {
            room += pt_stump_feature_room(s, &s->table->feature[f]);
            group += pt_stump_group_room(s, &s->table->feature[f]);
            f++;
        } while (f < d && f - s->feature_start[s->n_tasks - 1] < most &&
                 pt_stump_is_listed(s, f) == pt_stump_is_listed(s, f - 1) &&
                 (room + group + pt_stump_feature_room(s, &s->table->feature[f])) * 8 <= CACHE);
        largest = room > largest ? room : largest;
        *group_most = group > *group_most ? group : *group_most;
    }
    s->feature_start[s->n_tasks] = d;
    return largest;
}

static void measure_table(pt_stump_search *s, int64_t *most_levels)
{
    *most_levels = 0;
    for (int64_t f = 0; f < s->table->d; f++) {
        const pt_feature *feature = &s->table->feature[f];
        s->most_bins = feature->bins > s->most_bins ? feature->bins : s->most_bins;
        *most_levels = feature->levels > *most_levels ? feature->levels : *most_levels;
        s->any_listed = s->any_listed || feature->row;
    }
    s->words = (*most_levels + 63) / 64;
}

/* Whether all bins of the features of a task are told in a byte for each row. */
static bool is_narrow(const pt_stump_search *s, int64_t task)
{
    for (int64_t f = s->feature_start[task]; f < s->feature_start[task + 1]; f++)
        if (!s->table->feature[f].bin || s->table->feature[f].row)
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

/* A row's bins side by side, once for all rounds. */
static pt_status take_bins(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    int64_t features = 0;
    for (int64_t t = 0; t < s->n_tasks; t++)
        features += is_narrow(s, t) ? s->feature_start[t + 1] - s->feature_start[t] : 0;
    s->by_row = pt_alloc_zero(s->n_tasks, sizeof *s->by_row, "bins of rows", err);
    s->bins = pt_alloc(s->table->n, (size_t)features, "bins of rows", err);
    if (!s->by_row || !s->bins)
        return PT_ENOMEM;
    uint8_t *at = s->bins;
    for (int64_t t = 0; t < s->n_tasks; t++)
        if (is_narrow(s, t)) {
            s->by_row[t] = at;
            at += s->table->n * (s->feature_start[t + 1] - s->feature_start[t]);
        }
    return pt_parallel_for(task, s->n_tasks, put_by_row, s, err);
}

/* Loops end in every round: few rows are done before another thread is awake. */
static int threads_for(const pt_stump_search *s, const pt_task *task)
{
    double cells = 0;
    for (int64_t f = 0; f < s->table->d; f++)
        cells += (double)(s->table->feature[f].row ? s->table->feature[f].listed : s->table->n);
    return cells * (double)s->layout.stride < s->options.threads_from
               ? 1
               : pt_parallel_workers(task, s->table->d);
}

/* Of the search itself, and of its workers: levels of a feature, and the numbers that the features
 * of a task need, by columns and by opponents, at most. */
static pt_status take_memory(pt_stump_search *s, int64_t levels, int64_t hist, int64_t group_hist,
                             pt_error *err)
{
    static const char what[] = "a search for stumps";
    const int64_t most = (int64_t)UINT32_MAX * PT_STUMP_SLOTS; /* as far as a tile can tell */
    const int64_t groups = s->columns.groups;
    const int64_t ell = s->columns.ell;
    const int64_t cells = groups * s->layout.stride;
    int64_t *order = NULL;
    if (hist > most || group_hist > most)
        return pt_fail(err, PT_ENOMEM, "the sums of a search for stumps are too large");
    PT_TRY(PT_ARENA(&s->arena, what, err, PT_PIECE(s->mask[0], cells), PT_PIECE(s->mask[1], cells),
                    PT_PIECE(s->way, groups), PT_PIECE(s->list, cells), PT_PIECE(s->listed, groups),
                    PT_PIECE(order, s->columns.pairs ? s->table->n : 0),
                    PT_PIECE(s->group_start, groups + 1), PT_PIECE(s->block_start, groups + 1),
                    PT_PIECE(s->sets, ell * s->words), PT_PIECE(s->total, s->step)));
    s->order = s->columns.pairs ? order : NULL;
    for (int v = 0; v < s->workers; v++) {
        pt_stump_worker *w = &s->worker[v];
        PT_TRY(PT_ARENA(&w->arena, what, err, PT_PIECE(w->hist, hist),
                        PT_PIECE(w->group_hist, group_hist),
                        PT_PIECE(w->gains, (s->most_bins + 2) * LANES), PT_PIECE(w->best, ell),
                        PT_PIECE(w->sets, ell * s->words), PT_PIECE(w->sums, 3 * s->step),
                        PT_PIECE(w->side, 3 * s->step), PT_PIECE(w->level, levels),
                        PT_PIECE(w->set, s->words), PT_PIECE(w->sides, pt_stump_search_pieces(s))));
    }
    return PT_OK;
}

static pt_status prepare(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    int64_t levels = 0;
    int64_t group_hist = 0;
    measure_table(s, &levels);
    s->feature_start = pt_alloc(s->table->d + 1, sizeof(int64_t), "a search for stumps", err);
    if (!s->feature_start)
        return PT_ENOMEM;
    const int threads = threads_for(s, task);
    const int64_t hist = set_tasks(s, threads, &group_hist);
    s->workers = threads > 1 ? pt_parallel_workers(task, s->n_tasks) : 1;
    s->worker = pt_alloc_zero(s->workers, sizeof *s->worker, "a search for stumps", err);
    if (!s->worker)
        return PT_ENOMEM;
    PT_TRY(take_memory(s, levels, hist, group_hist, err));
    set_ways(s);
    set_order(s);
    PT_TRY(take_bins(s, task, err));
    return pt_stump_counts_init(s, task, err);
}

pt_status pt_stump_search_new(pt_stump_search **out, const pt_feature_table *table,
                              const pt_stump_columns *columns, const pt_stump_options *options,
                              const pt_task *task, pt_error *err)
{
    pt_stump_search *s = pt_alloc_zero(1, sizeof *s, "a search for stumps", err);
    if (!s)
        return PT_ENOMEM;
    s->table = table;
    s->columns = *columns;
    s->options = *options;
    s->layout = pt_stump_columns_layout(columns);
    s->loops = pt_stump_loops_chosen();
    s->column_stride = pt_round_up(columns->ell, LANES);
    s->step = step_of(s->column_stride);
    if (columns->pairs)
        s->group_step = s->layout.stride * (options->rule == PT_STUMP_NEWTON ? 2 : 1);
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
                    z.most_levels * sizeof(pt_stump_level) +
                    (stride / PT_STUMP_PIECE + 1) * sizeof(pt_stump_sides);
    double common = groups * stride * 2.5 * sizeof(double) + sets +
                    (double)rows->d * (sizeof(int64_t) + sizeof(uint8_t *)) +
                    pt_feature_table_cells(rows);
    if (columns->pairs) {
        worker += task_bytes(&z, 2 * stride);
        common += (double)rows->n * sizeof(int64_t);
    }
    if (counted) {
        worker += z.most_bins * groups * sizeof(pt_stump_amount);
        common += (double)rows->d * (of_columns + 2) * 2 * sizeof(int64_t) +
                  z.all_levels * groups * sizeof(pt_stump_amount);
    }
    return (double)threads * worker + common;
}
