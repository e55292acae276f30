/* Which cuts leave enough examples on either side (--min-leaf), counted once for all rounds.
 *
 * Examples below a cut grow with it, so that the cuts that may be made are a range: from `low`, the
 * first that leaves enough below it, to `high`, the last that leaves enough above. Levels are
 * counted by group, and a column adds up its groups when it needs them. */
#include <string.h>

#include "base/parallel.h"
#include "trees/stump_parts.h"

typedef struct counting {
    pt_stump_search *search;
    uint32_t **count; /* a worker: (most bins + 1) x groups */
    uint32_t *rows;   /* of each group */
} counting;

/* Of a listed feature all rows are common but for those of its list. */
static void count_listed(const pt_stump_search *s, const pt_feature *feature, const uint32_t *rows,
                         uint32_t *count)
{
    const int64_t groups = s->columns.groups;
    memcpy(count + feature->common * groups, rows, (size_t)groups * sizeof *count);
    for (int64_t j = 0; j < feature->listed; j++) {
        const int64_t g = s->columns.group_of[feature->row[j]];
        const int64_t bin = feature->bin ? feature->bin[j] : feature->wide[j];
        count[feature->common * groups + g]--;
        count[bin * groups + g]++;
    }
}

static void count_bins(const pt_stump_search *s, const pt_feature *feature, const uint32_t *rows,
                       uint32_t *count)
{
    memset(count, 0, (size_t)((feature->bins + 1) * s->columns.groups) * sizeof *count);
    if (feature->row) {
        count_listed(s, feature, rows, count);
        return;
    }
    for (int64_t i = 0; i < s->table->n; i++)
        count[pt_feature_bin(feature, i) * s->columns.groups + s->columns.group_of[i]]++;
}

/* Of column s, -1: of all rows. */
static int64_t rows_at(const pt_stump_search *search, const uint32_t *count, int64_t bin, int64_t s)
{
    const pt_stump_columns *c = &search->columns;
    int64_t rows = 0;
    for (int64_t g = 0; g < c->groups; g++)
        if (s < 0 || c->sign[g * c->ell + s] != 0)
            rows += count[bin * c->groups + g];
    return rows;
}

static int64_t pair_rows_at(const pt_stump_search *search, const uint32_t *count, int64_t bin,
                            int64_t p, int64_t q)
{
    const uint32_t *at = count + bin * search->columns.groups;
    return (int64_t)at[p] + (int64_t)at[q];
}

/* The groups p < q of column s of all pairs. */
static void pair_of(int64_t groups, int64_t s, int64_t *p, int64_t *q)
{
    *p = 0;
    while (s >= groups - 1 - *p) {
        s -= groups - 1 - *p;
        ++*p;
    }
    *q = *p + 1 + s;
}

static int64_t column_rows_at(const pt_stump_search *search, const uint32_t *count, int64_t bin,
                              int64_t s)
{
    if (s < 0 || !search->columns.pairs)
        return rows_at(search, count, bin, s);
    int64_t p = 0;
    int64_t q = 0;
    pair_of(search->columns.groups, s, &p, &q);
    return pair_rows_at(search, count, bin, p, q);
}

/* low > high where no cut leaves enough. */
static void find_range(const pt_stump_search *search, const pt_feature *feature,
                       const uint32_t *count, int64_t s, int64_t *low, int64_t *high)
{
    int64_t below = 0;
    int64_t above = 0;
    *low = 0;
    *high = feature->bins - 2;
    while (*low < feature->bins) {
        below += column_rows_at(search, count, *low, s);
        if (below >= search->options.min_leaf)
            break;
        ++*low;
    }
    while (*high >= 0) {
        above += column_rows_at(search, count, *high + 1, s);
        if (above >= search->options.min_leaf)
            break;
        --*high;
    }
}

static pt_status count_feature(void *context, int64_t f, int worker, pt_error *err)
{
    const counting *c = context;
    pt_stump_search *s = c->search;
    const pt_feature *feature = &s->table->feature[f];
    count_bins(s, feature, c->rows, c->count[worker]);
    find_range(s, feature, c->count[worker], -1, &s->low_shared[f], &s->high_shared[f]);
    for (int64_t j = 0; j < s->column_stride; j++)
        find_range(s, feature, c->count[worker], j < s->columns.ell ? j : 0,
                   &s->low[f * s->column_stride + j], &s->high[f * s->column_stride + j]);
    if (feature->levels == 0)
        return PT_OK;
    const int64_t cells = feature->levels * s->columns.groups;
    s->level_count[f] = pt_alloc(cells, sizeof(uint32_t), "counts of levels", err);
    if (!s->level_count[f])
        return PT_ENOMEM;
    memcpy(s->level_count[f], c->count[worker], (size_t)cells * sizeof(uint32_t));
    return PT_OK;
}

pt_status pt_stump_counts_init(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    const int64_t d = s->table->d;
    if (s->options.min_leaf <= 1)
        return PT_OK;
    const int64_t cells = d * s->column_stride;
    s->low = pt_alloc(cells, sizeof(int64_t), "ranges of cuts", err);
    s->high = pt_alloc(cells, sizeof(int64_t), "ranges of cuts", err);
    s->low_shared = pt_alloc(d, sizeof(int64_t), "ranges of cuts", err);
    s->high_shared = pt_alloc(d, sizeof(int64_t), "ranges of cuts", err);
    s->level_count = pt_alloc_zero(d, sizeof *s->level_count, "counts of levels", err);
    const int workers = pt_parallel_workers(task, d);
    const int64_t room = (s->most_bins + 1) * s->columns.groups;
    uint32_t *count = pt_alloc(room * workers, sizeof *count, "counts of bins", err);
    uint32_t **of = pt_alloc(workers, sizeof *of, "counts of bins", err);
    uint32_t *rows = pt_alloc_zero(s->columns.groups, sizeof *rows, "counts of bins", err);
    pt_status status = s->low && s->high && s->low_shared && s->high_shared && s->level_count &&
                               count && of && rows
                           ? PT_OK
                           : PT_ENOMEM;
    for (int v = 0; v < workers && status == PT_OK; v++)
        of[v] = count + v * room;
    for (int64_t i = 0; i < s->table->n && status == PT_OK; i++)
        rows[s->columns.group_of[i]]++;
    counting c = {s, of, rows};
    if (status == PT_OK)
        status = pt_parallel_for(task, d, count_feature, &c, err);
    pt_free(rows);
    pt_free(of);
    pt_free(count);
    return status;
}

void pt_stump_counts_free(pt_stump_search *s)
{
    for (int64_t f = 0; s->level_count && f < s->table->d; f++)
        pt_free(s->level_count[f]);
    pt_free(s->level_count);
    pt_free(s->high_shared);
    pt_free(s->low_shared);
    pt_free(s->high);
    pt_free(s->low);
}

int64_t pt_stump_level_rows(const pt_stump_search *search, int64_t f, int64_t v, int64_t s)
{
    return column_rows_at(search, search->level_count[f], v, s);
}
