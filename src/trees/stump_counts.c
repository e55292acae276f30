/* Which cuts leave enough examples on either side (--min-leaf, --min-leaf-weight), counted once for
 * all rounds.
 *
 * Examples below a cut grow with it, so that the cuts that may be made are a range: from `low`, the
 * first that leaves enough below it, to `high`, the last that leaves enough above. Levels are
 * counted by group, and a column adds up its groups when it needs them. */
#include <string.h>

#include "base/math.h"
#include "base/parallel.h"
#include "trees/stump_parts.h"

typedef struct counter {
    pt_stump_search *search;
    pt_stump_amount **count; /* a worker: (most bins + 1) x groups */
    pt_stump_amount *rows;   /* of each group */
} counter;

void pt_stump_amount_add(pt_stump_amount *to, int way, const pt_stump_amount *amount)
{
    to->rows += way * amount->rows;
    to->weight += way * amount->weight;
}

bool pt_stump_enough(const pt_stump_search *s, const pt_stump_amount *amount)
{
    return amount->rows >= (double)s->options.min_leaf && amount->weight >= s->options.min_weight;
}

static pt_stump_amount amount_of_row(const pt_stump_search *s, int64_t i)
{
    return (pt_stump_amount){1, pt_weight(s->options.weight, i)};
}

/* Of a listed feature all rows are common but for those of its list. */
static void count_listed(const pt_stump_search *s, const pt_feature *feature,
                         const pt_stump_amount *rows, pt_stump_amount *count)
{
    const int64_t groups = s->columns.groups;
    memcpy(count + feature->common * groups, rows, (size_t)groups * sizeof *count);
    for (int64_t j = 0; j < feature->listed; j++) {
        const int64_t g = s->columns.group_of[feature->row[j]];
        const int64_t bin = feature->bin ? feature->bin[j] : feature->wide[j];
        const pt_stump_amount one = amount_of_row(s, feature->row[j]);
        pt_stump_amount_add(&count[feature->common * groups + g], -1, &one);
        pt_stump_amount_add(&count[bin * groups + g], 1, &one);
    }
}

static void count_bins(const pt_stump_search *s, const pt_feature *feature,
                       const pt_stump_amount *rows, pt_stump_amount *count)
{
    memset(count, 0, (size_t)((feature->bins + 1) * s->columns.groups) * sizeof *count);
    if (feature->row) {
        count_listed(s, feature, rows, count);
        return;
    }
    for (int64_t i = 0; i < s->table->n; i++) {
        const pt_stump_amount one = amount_of_row(s, i);
        pt_stump_amount_add(
            &count[pt_feature_bin(feature, i) * s->columns.groups + s->columns.group_of[i]], 1,
            &one);
    }
}

/* Of column s, -1: of all rows. */
static pt_stump_amount rows_at(const pt_stump_search *search, const pt_stump_amount *count,
                               int64_t bin, int64_t s)
{
    const pt_stump_columns *c = &search->columns;
    pt_stump_amount rows = {0, 0};
    for (int64_t g = 0; g < c->groups; g++)
        if (s < 0 || c->sign[g * c->ell + s] != 0)
            pt_stump_amount_add(&rows, 1, &count[bin * c->groups + g]);
    return rows;
}

static pt_stump_amount pair_rows_at(const pt_stump_search *search, const pt_stump_amount *count,
                                    int64_t bin, int64_t p, int64_t q)
{
    pt_stump_amount rows = count[bin * search->columns.groups + p];
    pt_stump_amount_add(&rows, 1, &count[bin * search->columns.groups + q]);
    return rows;
}

static pt_stump_amount column_rows_at(const pt_stump_search *search, const pt_stump_amount *count,
                                      int64_t bin, int64_t s)
{
    if (s < 0 || !search->columns.pairs)
        return rows_at(search, count, bin, s);
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(search->columns.groups, s, &p, &q);
    return pair_rows_at(search, count, bin, p, q);
}

/* low > high where no cut leaves enough. */
static void find_range(const pt_stump_search *search, const pt_feature *feature,
                       const pt_stump_amount *count, int64_t s, int64_t *low, int64_t *high)
{
    pt_stump_amount below = {0, 0};
    pt_stump_amount above = {0, 0};
    *low = 0;
    *high = feature->bins - 2;
    while (*low < feature->bins) {
        const pt_stump_amount here = column_rows_at(search, count, *low, s);
        pt_stump_amount_add(&below, 1, &here);
        if (pt_stump_enough(search, &below))
            break;
        ++*low;
    }
    while (*high >= 0) {
        const pt_stump_amount here = column_rows_at(search, count, *high + 1, s);
        pt_stump_amount_add(&above, 1, &here);
        if (pt_stump_enough(search, &above))
            break;
        --*high;
    }
}

static pt_status count_feature(void *context, int64_t f, int worker, pt_error *err)
{
    const counter *c = context;
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
    s->level_amount[f] = pt_alloc(cells, sizeof **s->level_amount, "counts of levels", err);
    if (!s->level_amount[f])
        return PT_ENOMEM;
    memcpy(s->level_amount[f], c->count[worker], (size_t)cells * sizeof **s->level_amount);
    return PT_OK;
}

pt_status pt_stump_counts_init(pt_stump_search *s, const pt_task *task, pt_error *err)
{
    const int64_t d = s->table->d;
    if (s->options.min_leaf <= 1 && !(s->options.min_weight > 0))
        return PT_OK;
    const int64_t cells = d * s->column_stride;
    s->low = pt_alloc(cells, sizeof(int64_t), "ranges of cuts", err);
    s->high = pt_alloc(cells, sizeof(int64_t), "ranges of cuts", err);
    s->low_shared = pt_alloc(d, sizeof(int64_t), "ranges of cuts", err);
    s->high_shared = pt_alloc(d, sizeof(int64_t), "ranges of cuts", err);
    s->level_amount = pt_alloc_zero(d, sizeof *s->level_amount, "counts of levels", err);
    const int workers = pt_parallel_workers(task, d);
    const int64_t room = (s->most_bins + 1) * s->columns.groups;
    pt_stump_amount *count = pt_alloc(room * workers, sizeof *count, "counts of bins", err);
    pt_stump_amount **of = pt_alloc(workers, sizeof *of, "counts of bins", err);
    pt_stump_amount *rows = pt_alloc_zero(s->columns.groups, sizeof *rows, "counts of bins", err);
    pt_status status = s->low && s->high && s->low_shared && s->high_shared && s->level_amount &&
                               count && of && rows
                           ? PT_OK
                           : PT_ENOMEM;
    for (int v = 0; v < workers && status == PT_OK; v++)
        of[v] = count + v * room;
    for (int64_t i = 0; i < s->table->n && status == PT_OK; i++) {
        const pt_stump_amount one = amount_of_row(s, i);
        pt_stump_amount_add(&rows[s->columns.group_of[i]], 1, &one);
    }
    counter c = {s, of, rows};
    if (status == PT_OK)
        status = pt_parallel_for(task, d, count_feature, &c, err);
    pt_free(rows);
    pt_free(of);
    pt_free(count);
    return status;
}

void pt_stump_counts_free(pt_stump_search *s)
{
    for (int64_t f = 0; s->level_amount && f < s->table->d; f++)
        pt_free(s->level_amount[f]);
    pt_free(s->level_amount);
    pt_free(s->high_shared);
    pt_free(s->low_shared);
    pt_free(s->high);
    pt_free(s->low);
}

pt_stump_amount pt_stump_level_amount(const pt_stump_search *search, int64_t f, int64_t v,
                                      int64_t s)
{
    return column_rows_at(search, search->level_amount[f], v, s);
}
