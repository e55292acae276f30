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

/* The same for whole blocks: one that holds the last rows of a group is given back. */
static int64_t drop_lonely_blocks(const pt_columns *columns, const pt_blocks *blocks, int64_t *list,
                                  int64_t held, int64_t *left)
{
    memset(left, 0, (size_t)columns->groups * sizeof *left);
    for (int64_t i = 0; i < columns->n; i++)
        left[columns->group_of[i]]++;
    for (int64_t h = 0; h < held; h++)
        left[columns->group_of[list[h]]]--;
    for (int64_t h = 0; h < held;) {
        if (left[columns->group_of[list[h]]] > 0) {
            h++;
            continue;
        }
        const int64_t block = blocks->of[list[h]];
        int64_t kept = 0;
        for (int64_t o = 0; o < held; o++)
            if (blocks->of[list[o]] == block)
                left[columns->group_of[list[o]]]++;
            else
                list[kept++] = list[o];
        held = kept;
        h = 0;
    }
    return held;
}

/* The same in the order of time: what is given back is the earliest, up to where no group has its
 * last rows among those that are held out. */
static int64_t drop_lonely_times(const pt_columns *columns, const pt_blocks *blocks, int64_t *list,
                                 int64_t held, int64_t *first)
{
    int64_t from = 0; /* the first block that may be held out */
    int64_t kept = 0;
    for (int64_t g = 0; g < columns->groups; g++)
        first[g] = blocks->count; /* where the group begins */
    for (int64_t i = 0; i < columns->n; i++)
        first[columns->group_of[i]] = pt_lesser(first[columns->group_of[i]], blocks->of[i]);
    for (int64_t g = 0; g < columns->groups; g++)
        if (first[g] < blocks->count)
            from = pt_greater(from, first[g] + 1);
    for (int64_t h = 0; h < held; h++)
        if (blocks->of[list[h]] >= from)
            list[kept++] = list[h];
    return kept;
}

/* list (room for all rows) <- rows to hold out, *held of them as far as that goes; at least one of
 * each group is left. */
static pt_status choose_held(int64_t *list, int64_t *held, const pt_columns *columns, uint64_t seed,
                             int64_t *work, pt_error *err)
{
    const int64_t n = columns->n;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    PT_TRY(pt_blocks_init(&blocks, &columns->ties, n, err));
    if (blocks.of) {
        PT_TRY(pt_block_sample(list, held, n, &blocks, seed, err));
        *held = blocks.past ? drop_lonely_times(columns, &blocks, list, *held, work)
                            : drop_lonely_blocks(columns, &blocks, list, *held, work);
        return PT_OK;
    }
    PT_TRY(pt_sample(list, *held, n, columns->group_of, columns->groups, seed, err));
    *held = drop_lonely(columns, list, *held, work);
    return PT_OK;
}

/* Rows list[0] < list[1] < ... */
static pt_status take_part(pt_boost_part *part, const pt_rows *rows, const pt_columns *columns,
                           const int64_t *list, int64_t m, const pt_task *task, pt_error *err)
{
    part->columns = *columns;
    part->columns.n = m;
    part->columns.ties = (pt_ties){0}; /* nothing more is held out */
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
    const pt_status status = pt_rows_select(&part->owned, rows, list, m, task, err);
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

static pt_status hold_out(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                          double share, uint64_t seed, const pt_task *task, pt_error *err)
{
    const int64_t n = columns->n;
    int64_t held = (int64_t)floor(share * (double)n + 0.5);
    int64_t *list = NULL;
    int64_t *work = NULL;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "a sample", err, PT_PIECE(list, n),
                    PT_PIECE(work, pt_greater(n, columns->groups))));
    PT_TRY(choose_held(list, &held, columns, seed, work, err));
    PT_TRY(take_part(&split->held, rows, columns, list, held, task, err));
    others(list, held, n, work);
    PT_TRY(take_part(&split->train, rows, columns, work, n - held, task, err));
    const size_t a_row = sizeof(double) * (size_t)columns->ell;
    split->outputs = pt_alloc(held, a_row, "outputs", err);
    split->losses = pt_alloc(held, 2 * sizeof *split->losses, "losses", err);
    split->errors = split->losses ? split->losses + held : NULL;
    if (!split->outputs || !split->losses)
        return PT_ENOMEM;
    return pt_task_clear(task, split->outputs, (size_t)held * a_row, err);
}

/* All rows are learned from; others say when to stop. */
static pt_status take_valid(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                            pt_error *err)
{
    const pt_valid_rows *valid = columns->valid;
    const int64_t held = valid->rows->n;
    split->train.rows = *rows;
    split->train.columns = *columns;
    split->held.rows = *valid->rows;
    split->held.columns = *columns;
    split->held.columns.n = held;
    split->held.columns.group_of = valid->class_of;
    split->held.columns.weight = valid->weight;
    split->held.columns.ties = (pt_ties){0};
    split->outputs = pt_alloc_zero(held, sizeof(double) * (size_t)columns->ell, "outputs", err);
    split->losses = pt_alloc(held, 2 * sizeof *split->losses, "losses", err);
    split->errors = split->losses ? split->losses + held : NULL;
    return split->outputs && split->losses ? PT_OK : PT_ENOMEM;
}

pt_status pt_boost_rows_init(pt_boost_rows *split, const pt_rows *rows, const pt_columns *columns,
                             double share, int64_t patience, uint64_t seed, const pt_loss *loss,
                             pt_warnings *warnings, const pt_task *task, pt_error *err)
{
    *split =
        (pt_boost_rows){.loss = loss, .patience = patience, .best = INFINITY, .fewest = INFINITY};
    if (columns->valid)
        return take_valid(split, rows, columns, err);
    if (!(share > 0)) {
        split->train.rows = *rows;
        split->train.columns = *columns;
        return PT_OK;
    }
    PT_TRY(hold_out(split, rows, columns, share, seed, task, err));
    if (split->held.rows.n > 0 || !warnings)
        return PT_OK;
    return pt_warn(warnings, err, PT_KIND_PARAMETERS,
                   "`stop-share=%g` of %lld rows holds none of them out, so that all rounds are "
                   "made; raise it",
                   share, (long long)columns->n);
}

/* ---- the loss of held-out rows --------------------------------------------------------------- */

enum { BLOCK = 256 }; /* rows for each index of the parallel loop */

static void judge(const pt_boost_rows *split, double z, double *loss, double *wrong)
{
    *loss += split->loss->value(z);
    *wrong += pt_loss_hamming.value(z);
}

static pt_status add_losses(void *context, int64_t index, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const pt_boost_rows *split = context;
    const pt_columns *columns = &split->held.columns;
    for (int64_t i = index * BLOCK; i < columns->n && i < (index + 1) * BLOCK; i++) {
        const int64_t g = columns->group_of[i];
        const double *f = split->outputs + i * columns->ell;
        double loss = 0;
        double wrong = 0;
        for (int64_t r = 0; r < columns->groups && columns->pairs; r++) /* only those of g */
            if (r != g)
                judge(split, pt_pairs_between(f, columns->groups, g, r), &loss, &wrong);
        for (int64_t s = 0; s < columns->ell && !columns->pairs; s++) {
            const int8_t sign = columns->sign[g * columns->ell + s];
            if (sign != 0)
                judge(split, sign * f[s], &loss, &wrong);
        }
        split->losses[i] = pt_weight(columns->weight, i) * loss;
        split->errors[i] = pt_weight(columns->weight, i) * wrong;
    }
    return PT_OK;
}

pt_status pt_boost_rows_round(pt_boost_rows *split, const pt_forest *forest, int64_t first,
                              int64_t last, bool *stop, const pt_task *task, pt_error *err)
{
    *stop = false;
    split->rounds++;
    if (split->held.rows.n == 0)
        return PT_OK;
    const int64_t n = split->held.columns.n;
    double total = 0; /* and the mean have their smallest values in the same round */
    double errors = 0;
    PT_TRY(pt_forest_add(forest, first, last, 1, &split->held.rows, split->held.columns.ell,
                         split->outputs, task, err));
    PT_TRY(pt_parallel_for(task, (n + BLOCK - 1) / BLOCK, add_losses, split, err));
    for (int64_t i = 0; i < n; i++) {
        total += split->losses[i];
        errors += split->errors[i];
    }
    if (errors < split->fewest || (errors <= split->fewest && total < split->best)) {
        split->best = total;
        split->fewest = errors;
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
    return copies + share * (double)rows->n * 8 * (double)(columns->ell + 2);
}
