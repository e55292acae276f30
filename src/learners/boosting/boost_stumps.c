/* Boosting of stumps by weights: rows, tables, search and weights in one place. */
#include "learners/boosting/boost_stumps.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "learners/boosting/boost_columns.h"

void pt_boost_stumps_free(pt_boost_stumps *b)
{
    pt_free(b->minus);
    pt_free(b->plus);
    pt_free(b->factors);
    pt_free(b->D);
    pt_stump_search_free(b->search);
    pt_feature_table_free(&b->table);
    pt_boost_rows_free(&b->rows);
    *b = (pt_boost_stumps){0};
}

static pt_status take_memory(pt_boost_stumps *b, pt_error *err)
{
    const int64_t cells = PT_BRANCHES * b->columns.ell;
    const size_t a_row = (size_t)b->layout.stride * sizeof(double);
    b->D = pt_alloc_zero(b->table.n, a_row, "weights of boosting", err);
    b->factors = pt_alloc(b->columns.groups * PT_BRANCHES, a_row, "weights of boosting", err);
    b->plus = pt_alloc(cells, sizeof(double), "votes", err);
    b->minus = pt_alloc(cells, sizeof(double), "votes", err);
    return b->D && b->factors && b->plus && b->minus ? PT_OK : PT_ENOMEM;
}

pt_status pt_boost_stumps_init(pt_boost_stumps *b, const pt_rows *rows, const pt_columns *columns,
                               pt_stump_options options, const pt_params *params,
                               const pt_task *task, pt_texts *warnings, pt_error *err)
{
    pt_status status = pt_boost_rows_init(
        &b->rows, rows, columns, pt_params_real(params, PT_P_STOP_SHARE),
        pt_params_integer(params, PT_P_PATIENCE), (uint64_t)pt_params_integer(params, PT_P_SEED),
        &pt_loss_exp, warnings, err);
    if (status == PT_OK)
        status = pt_feature_table_init_listed(&b->table, &b->rows.train.rows,
                                              pt_params_integer(params, PT_P_BINS), task, err);
    const pt_columns *c = &b->rows.train.columns;
    b->columns = (pt_stump_columns){c->groups, c->ell, c->pairs, c->sign, c->group_of};
    b->layout = pt_stump_columns_layout(&b->columns);
    options.min_leaf = pt_params_integer(params, PT_P_MIN_LEAF);
    options.min_weight = pt_params_real(params, PT_P_MIN_LEAF_WEIGHT);
    options.weight = c->weight;
    options.threads_from = PT_STUMP_THREADS_FROM;
    if (status == PT_OK)
        status = pt_stump_search_new(&b->search, &b->table, &b->columns, &options, task, err);
    return status == PT_OK ? take_memory(b, err) : status;
}

void pt_boost_stumps_put_factors(pt_boost_stumps *b)
{
    const int64_t stride = b->layout.stride;
    for (int64_t g = 0; g < b->columns.groups; g++)
        for (int branch = 0; branch < PT_BRANCHES; branch++) {
            double *factor = b->factors + (g * PT_BRANCHES + branch) * stride;
            const double *plus = b->plus + branch * b->columns.ell;
            const double *minus = b->minus + branch * b->columns.ell;
            for (int64_t q = 0; q < stride; q++) {
                int sign = 0;
                const int64_t s =
                    q < b->layout.width ? pt_stump_column(&b->columns, g, q, &sign) : -1;
                factor[q] = sign == 0 ? 1 : sign > 0 ? plus[s] : minus[s];
            }
        }
}

void pt_boost_stumps_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                          const char *of, const pt_task *task, pt_plan *plan)
{
    const int64_t bins = pt_params_integer(params, PT_P_BINS);
    const double rounds = (double)pt_params_integer(params, PT_P_ROUNDS);
    const pt_stump_columns c = {columns->groups, columns->ell, columns->pairs, NULL, NULL};
    const pt_stump_layout layout = pt_stump_columns_layout(&c);
    const double slots = (double)rows->n * (double)layout.stride;
    const double factors = (double)columns->groups * PT_BRANCHES * (double)layout.stride;
    const double votes = 2 * PT_BRANCHES * (double)columns->ell;
    plan->bytes = pt_feature_table_listed_bytes(rows, bins) +
                  pt_boost_rows_bytes(rows, columns, pt_params_real(params, PT_P_STOP_SHARE)) +
                  pt_stump_search_bytes(&c, rows, bins, pt_boost_counts_leaves(params),
                                        pt_parallel_workers(task, rows->d)) +
                  sizeof(double) * (slots + factors + votes);
    /* cells that are looked at, and rows for their weights */
    plan->flops =
        rounds * (double)layout.stride * ((double)pt_rows_stored(rows) + 2 * (double)rows->n);
    snprintf(plan->route, sizeof plan->route, "%s, %s stumps, %s", of,
             pt_params_text(params, PT_P_BOOST), bins > 1 ? "histograms" : "exact");
}
