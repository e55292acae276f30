/* Rows that boosting learns from, and those that are held out to stop it. */
#include "learners/boosting/boost_rows.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "data/split.h"

static void free_part(pt_boost_part *part)
{
    pt_rows_owned_free(&part->owned);
    pt_free(part->group_of);
    pt_free(part->weight);
}

void pt_boost_rows_free(pt_boost_rows *split)
{
    pt_free(split->losses);
    pt_free(split->outputs);
    free_part(&split->held);
    free_part(&split->train);
    *split = (pt_boost_rows){0};
}

/* ---- the split ------------------------------------------------------------------------------- */

/* list <- `held` rows of the sample; a group that would be left without rows keeps them all.
 * Returns how many are held out. */
static int64_t drop_lonely(const pt_columns *columns, int64_t *list, int64_t held, int64_t *left)
{
    memset(left, 0, (size_t)columns->groups * sizeof *left);
    for (int64_t i = 0; i < columns->n; i++)
        left[columns->group_of[i]]++;
    for (int64_t h = 0; h < held; h++)
        left[columns->group_of[list[h]]]--;
    int64_t kept = 0;
    for (int64_t h = 0; h < held; h++)
        if (left[columns->group_of[list[h]]] > 0)
            list[kept++] = list[h];
    return kept;
}

/* Rows list[0] < list[1] < ... */
static pt_status take_part(pt_boost_part *part, const pt_rows *rows, const pt_columns *columns,
                           const int64_t *list, int64_t m, pt_error *err)
{
    part->columns = *columns;
    part->columns.n = m;
    part->group_of = pt_alloc(m, sizeof *part->group_of, "groups of rows", err);
    part->weight = columns->weight ? pt_alloc(m, sizeof *part->weight, "weights", err) : NULL;
    if (!part->group_of || (columns->weight && !part->weight))
        return PT_ENOMEM;
    for (int64_t i = 0; i < m; i++) {
        part->group_of[i] = columns->group_of[list[i]];
        if (part->weight)
            part->weight[i] = columns->weight[list[i]];
    }
    part->columns.group_of = part->group_of;
    part->columns.weight = part->weight;
    const pt_status status = pt_rows_select(&part->owned, rows, list, m, err);
    part->rows = part->owned.rows;
    return status;
}

/* rest <- what is not in list, ascending as it is. */
static void others(const int64_t *list, int64_t m, int64_t n, int64_t *rest)
{
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
        if (at < m && list[at] == i)
            at++;
        else
            *rest++ = i;
    }
}

static int64_t rows_to_hold(int64_t n, double share)
{
    return (int64_t)floor(share * (double)n + 0.5);
}

static pt_status make_parts(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                            double share, uint64_t seed, int64_t *list, int64_t *work,
                            pt_error *err)
{
    int64_t held = rows_to_hold(columns->n, share);
    pt_status status =
        pt_sample(list, held, columns->n, columns->group_of, columns->groups, seed, err);
    if (status != PT_OK)
        return status;
    held = drop_lonely(columns, list, held, work);
    status = take_part(&split->held, rows, columns, list, held, err);
    others(list, held, columns->n, work);
    if (status == PT_OK)
        status = take_part(&split->train, rows, columns, work, columns->n - held, err);
    return status;
}

static pt_status hold_out(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                          double share, uint64_t seed, pt_error *err)
{
    const int64_t n = columns->n;
    const int64_t room = n > columns->groups ? n : columns->groups;
    int64_t *list = pt_alloc(n, sizeof *list, "a sample", err);
    int64_t *work = pt_alloc(room, sizeof *work, "a sample", err);
    pt_status status = list && work ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = make_parts(split, rows, columns, share, seed, list, work, err);
    pt_free(work);
    pt_free(list);
    if (status != PT_OK)
        return status;
    const int64_t m = split->held.rows.n;
    split->outputs = pt_alloc_zero(m, sizeof(double) * (size_t)columns->ell, "outputs", err);
    split->losses = pt_alloc(m, sizeof *split->losses, "losses", err);
    return split->outputs && split->losses ? PT_OK : PT_ENOMEM;
}

static pt_status warn_of_share(double share, int64_t n, pt_texts *warnings, pt_error *err)
{
    if (!warnings)
        return PT_OK;
    return pt_texts_add(warnings, err,
                        "--stop-share %g of %lld rows holds none of them out, so that all rounds "
                        "are made; raise it",
                        share, (long long)n);
}

pt_status pt_boost_rows_init(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                             double share, int64_t patience, uint64_t seed, const pt_loss *loss,
                             pt_texts *warnings, pt_error *err)
{
    *split = (pt_boost_rows){.loss = loss, .patience = patience, .best = INFINITY};
    if (share > 0) {
        const pt_status status = hold_out(split, rows, columns, share, seed, err);
        return status == PT_OK && split->held.rows.n == 0
                   ? warn_of_share(share, columns->n, warnings, err)
                   : status;
    }
    split->train.rows = *rows;
    split->train.columns = *columns;
    return PT_OK;
}

/* ---- the loss of held-out rows --------------------------------------------------------------- */

static double loss_of_signs(const pt_boost_rows *split, const int8_t *sign, const double *f)
{
    double sum = 0;
    for (int64_t s = 0; s < split->held.columns.ell; s++)
        if (sign[s] != 0)
            sum += split->loss->value(sign[s] * f[s]);
    return sum;
}

/* Of all pairs a row of group g is in those of g alone. */
static double loss_of_pairs(const pt_boost_rows *split, int64_t g, const double *f)
{
    const int64_t k = split->held.columns.groups;
    double sum = 0;
    for (int64_t r = 0; r < k; r++)
        if (r != g)
            sum += split->loss->value(pt_pairs_between(f, k, g, r));
    return sum;
}

enum { BLOCK = 256 }; /* rows for each index of the parallel loop */

static pt_status add_losses(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const pt_boost_rows *split = context;
    const pt_columns *columns = &split->held.columns;
    for (int64_t i = index * BLOCK; i < columns->n && i < (index + 1) * BLOCK; i++) {
        const int64_t g = columns->group_of[i];
        const double *f = split->outputs + i * columns->ell;
        const double loss = columns->pairs
                                ? loss_of_pairs(split, g, f)
                                : loss_of_signs(split, columns->sign + g * columns->ell, f);
        split->losses[i] = (columns->weight ? columns->weight[i] : 1) * loss;
    }
    return PT_OK;
}

/* The mean and the sum have their smallest values in the same round. */
static pt_status total_loss(pt_boost_rows *split, double *total, const pt_task *task, pt_error *err)
{
    const int64_t n = split->held.columns.n;
    const pt_status status = pt_parallel_for(task, (n + BLOCK - 1) / BLOCK, add_losses, split, err);
    *total = 0;
    for (int64_t i = 0; i < n && status == PT_OK; i++)
        *total += split->losses[i];
    return status;
}

pt_status pt_boost_rows_round(pt_boost_rows *split, const pt_forest *forest, int64_t first,
                              int64_t last, bool *stop, const pt_task *task, pt_error *err)
{
    *stop = false;
    split->rounds++;
    if (split->held.rows.n == 0)
        return PT_OK;
    double total = 0;
    PT_TRY(pt_forest_add(forest, first, last, 1, &split->held.rows, split->held.columns.ell,
                         split->outputs, task, err));
    PT_TRY(total_loss(split, &total, task, err));
    if (total < split->best) {
        split->best = total;
        split->best_round = split->rounds;
    }
    *stop = split->rounds - split->best_round >= split->patience;
    return PT_OK;
}

int64_t pt_boost_rows_best(const pt_boost_rows *split)
{
    return split->held.rows.n > 0 ? split->best_round : split->rounds;
}

double pt_boost_rows_bytes(const pt_rows *rows, const pt_columns *columns, double share)
{
    if (!(share > 0))
        return 0;
    const double cell = (double)pt_type_size(rows->type) + (rows->dense ? 0 : sizeof(int64_t));
    const double copies = (double)pt_rows_stored(rows) * cell + 32 * (double)rows->n;
    return copies + share * (double)rows->n * 8 * (double)(columns->ell + 1);
}
