/* Folds and samples: one random order of the examples, grouped by class, from which both are dealt.
 *
 * Folds. The examples are laid out class by class, each class in random order, and dealt to the
 * folds in turn without starting over between classes. A run of consecutive positions meets every
 * fold equally often up to one, so both the sizes within a class and the total sizes differ by at
 * most one. Plain folds are the same with a single class.
 *
 * Sample. m of n examples at equal distances n/m along the same layout, from a random offset: a
 * class of c examples gets floor or ceiling of c m / n, and every example has the chance m/n.
 *
 * Folds of blocks. Groups of rows, or folds of the caller, stay whole. The blocks are put in random
 * order, then sorted by size, the largest first, and go one after the other to the fold f with the
 * least
 *
 *     sum over classes r of  rows_fr b_r / n_r ,
 *
 * b_r the rows of class r in the block, rows_fr those in the fold so far, n_r all: which leaves the
 * sum of (rows_fr)^2 / n_r over folds and classes as small as one step can. Of equal folds it is
 * the one with the fewest rows, then the first. Plain folds are the same with a single class. A
 * fold without rows has a sum of 0 and the fewest rows, so that no fold stays empty.
 *
 * Folds by time. The blocks, each of one time, are laid out in their order and cut into F + 1 runs,
 * one after the other: run r gets an equal share of the rows that are left, 1 / (F + 1 - r) of
 * them, and ends at the change of time nearest to that (of two the earlier one), but each run has a
 * block at least. Run 0 is never held out, run f + 1 is fold f.
 *
 *   class_of  n   class of an example, -1: none, which counts as a class of its own
 *   order     n   the layout
 *   first     k+2 where each class begins in the layout; the class "none" comes last
 */
#include "data/split.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/random.h"

static pt_status check_classes(const int64_t *class_of, int64_t n, int64_t n_classes, pt_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (class_of[i] < -1 || class_of[i] >= n_classes)
            return pt_fail(err, PT_EINVAL, "example %lld has class %lld of %lld", (long long)i + 1,
                           (long long)class_of[i], (long long)n_classes);
    return PT_OK;
}

/* order <- 0..n-1 by class, ascending within a class. */
static void group_by_class(int64_t *order, int64_t *first, int64_t n, const int64_t *class_of,
                           int64_t n_classes)
{
    memset(first, 0, (size_t)(n_classes + 2) * sizeof *first);
    for (int64_t i = 0; i < n; i++)
        first[(class_of[i] < 0 ? n_classes : class_of[i]) + 1]++;
    for (int64_t r = 0; r <= n_classes; r++)
        first[r + 1] += first[r];
    for (int64_t i = 0; i < n; i++)
        order[first[class_of[i] < 0 ? n_classes : class_of[i]]++] = i;
    for (int64_t r = n_classes + 1; r > 0; r--) /* each has moved to where the next one began */
        first[r] = first[r - 1];
    first[0] = 0;
}

/* The layout, for the caller to free. class_of NULL: all in one class. */
static pt_status layout_new(int64_t **out, int64_t n, const int64_t *class_of, int64_t n_classes,
                            pt_random *random, pt_error *err)
{
    if (class_of)
        PT_TRY(check_classes(class_of, n, n_classes, err));
    int64_t *order = pt_alloc(n, sizeof *order, "folds", err);
    if (!order)
        return PT_ENOMEM;
    if (!class_of) {
        for (int64_t i = 0; i < n; i++)
            order[i] = i;
        pt_random_shuffle(random, order, n);
        *out = order;
        return PT_OK;
    }

    int64_t *first = pt_alloc(n_classes + 2, sizeof *first, "folds", err);
    if (!first) {
        pt_free(order);
        return PT_ENOMEM;
    }
    group_by_class(order, first, n, class_of, n_classes);
    for (int64_t r = 0; r <= n_classes; r++)
        pt_random_shuffle(random, order + first[r], first[r + 1] - first[r]);
    pt_free(first);
    *out = order;
    return PT_OK;
}

pt_status pt_folds(int64_t *fold, int64_t n, const int64_t *class_of, int64_t n_classes,
                   int64_t n_folds, bool stratified, uint64_t seed, int64_t repeat, pt_error *err)
{
    if (n_folds < 2 || n_folds > n)
        return pt_fail(err, PT_EINVAL,
                       "%lld folds of %lld examples; choose from 2 folds to one per example",
                       (long long)n_folds, (long long)n);
    if (stratified && !class_of)
        return pt_fail(err, PT_EINVAL, "stratified folds need a class for each example");

    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_FOLDS, (uint64_t)repeat);
    PT_SCRATCH int64_t *order = NULL;
    PT_TRY(layout_new(&order, n, stratified ? class_of : NULL, n_classes, &random, err));
    for (int64_t p = 0; p < n; p++)
        fold[order[p]] = p % n_folds;
    return PT_OK;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* Rows of blocks, block after block. */
typedef struct block_list {
    int64_t *row;
    int64_t *first; /* count + 1 */
    int64_t *order; /* of the blocks, random */
    pt_arena arena;
} block_list;

static void list_free(block_list *list)
{
    pt_arena_free(&list->arena);
}

static pt_status list_init(block_list *list, const pt_blocks *blocks, int64_t n, pt_random *random,
                           pt_error *err)
{
    const int64_t count = blocks->count;
    PT_TRY(PT_ARENA(&list->arena, "groups of rows", err, PT_PIECE(list->row, n),
                    PT_PIECE(list->first, count + 2), PT_PIECE(list->order, count)));
    group_by_class(list->row, list->first, n, blocks->of, count);
    for (int64_t b = 0; b < count; b++)
        list->order[b] = b;
    pt_random_shuffle(random, list->order, count);
    return PT_OK;
}

static int64_t block_size(const block_list *list, int64_t block)
{
    return list->first[block + 1] - list->first[block];
}

/* list->order <- the largest first, equal ones as they are: sorted by merging. */
static pt_status sort_by_size(block_list *list, int64_t count, pt_error *err)
{
    PT_SCRATCH int64_t *other = NULL;
    PT_TRY(PT_NEW(other, count, "groups of rows", err));
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t from = 0; from < count; from += 2 * run) {
            const int64_t middle = pt_lesser(from + run, count);
            const int64_t end = pt_lesser(from + 2 * run, count);
            int64_t a = from;
            int64_t b = middle;
            for (int64_t at = from; at < end; at++)
                other[at] = a < middle && (b == end || block_size(list, list->order[a]) >=
                                                           block_size(list, list->order[b]))
                                ? list->order[a++]
                                : list->order[b++];
        }
        memcpy(list->order, other, (size_t)count * sizeof *other);
    }
    return PT_OK;
}

/* The folds as far as blocks were dealt to them. */
typedef struct dealer {
    const int64_t *class_of; /* NULL: all rows are in one class */
    int64_t k;               /* with the class "none" */
    int64_t n_folds;
    double *in_fold; /* n_folds x k: rows_fr / n_r */
    double *share;   /* k: 1 / n_r */
    int64_t *size;   /* n_folds */
} dealer;

static int64_t class_at(const dealer *d, int64_t i)
{
    return !d->class_of ? 0 : d->class_of[i] < 0 ? d->k - 1 : d->class_of[i];
}

/* The fold for rows row[0] .. row[m-1]. */
static int64_t choose_fold(const dealer *d, const int64_t *row, int64_t m)
{
    int64_t best = 0;
    double least = 0;
    for (int64_t f = 0; f < d->n_folds; f++) {
        double sum = 0;
        for (int64_t a = 0; a < m; a++)
            sum += d->in_fold[f * d->k + class_at(d, row[a])];
        if (f == 0 || sum < least || (sum == least && d->size[f] < d->size[best])) {
            best = f;
            least = sum;
        }
    }
    return best;
}

static pt_status deal(int64_t *fold, dealer *d, const block_list *list, const pt_blocks *blocks,
                      int64_t n, pt_error *err)
{
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)d->k, sizeof(double), &row_bytes))
        return pt_fail_memory(err, "folds", SIZE_MAX);
    PT_SCRATCH double *in_fold = pt_alloc_zero(d->n_folds, row_bytes, "folds", err);
    PT_SCRATCH double *share = pt_alloc_zero(d->k, sizeof *share, "folds", err);
    PT_SCRATCH int64_t *size = pt_alloc_zero(d->n_folds, sizeof *size, "folds", err);
    if (!in_fold || !share || !size)
        return PT_ENOMEM;
    d->in_fold = in_fold;
    d->share = share;
    d->size = size;
    for (int64_t i = 0; i < n; i++)
        share[class_at(d, i)] += blocks->of[i] != PT_NEVER_HELD;
    for (int64_t r = 0; r < d->k; r++)
        share[r] = share[r] > 0 ? 1 / share[r] : 0;
    for (int64_t o = 0; o < blocks->count; o++) {
        const int64_t *row = list->row + list->first[list->order[o]];
        const int64_t m = block_size(list, list->order[o]);
        const int64_t f = choose_fold(d, row, m);
        for (int64_t a = 0; a < m; a++) {
            fold[row[a]] = f;
            in_fold[f * d->k + class_at(d, row[a])] += share[class_at(d, row[a])];
        }
        size[f] += m;
    }
    return PT_OK;
}

static pt_status cut_by_time(int64_t *fold, int64_t n, const pt_blocks *blocks, int64_t n_folds,
                             pt_error *err)
{
    PT_SCRATCH int64_t *run = NULL; /* the rows of a block, then the run that it is in */
    PT_TRY(PT_NEW_ZERO(run, blocks->count, "folds", err));
    for (int64_t i = 0; i < n; i++)
        run[blocks->of[i]]++;
    int64_t at = 0;    /* the run, */
    int64_t first = 0; /*   its first block, */
    int64_t begin = 0; /*   the rows before it, */
    int64_t rows = 0;  /*   and those before the block */
    for (int64_t b = 0; b < blocks->count; b++) {
        const double end = (double)begin + (double)(n - begin) / (double)(n_folds + 1 - at);
        const bool nearer = end - (double)rows <= (double)(rows + run[b]) - end;
        const bool must = blocks->count - b <= n_folds - at; /* a block for each run to come */
        if (b > first && at < n_folds && (must || nearer)) {
            at++;
            first = b;
            begin = rows;
        }
        rows += run[b];
        run[b] = at;
    }
    for (int64_t i = 0; i < n; i++)
        fold[i] = run[blocks->of[i]] == 0 ? PT_NEVER_HELD : run[blocks->of[i]] - 1;
    return PT_OK;
}

pt_status pt_block_folds(int64_t *fold, int64_t n, const int64_t *class_of, int64_t n_classes,
                         const pt_blocks *blocks, int64_t n_folds, bool stratified, uint64_t seed,
                         int64_t repeat, pt_error *err)
{
    if (!blocks->of)
        return pt_folds(fold, n, class_of, n_classes, n_folds, stratified, seed, repeat, err);
    if (n_folds < 1 || n_folds > pt_blocks_most_folds(blocks))
        return pt_fail(err, PT_EINVAL, "%lld folds of %lld groups of rows", (long long)n_folds,
                       (long long)blocks->count);
    if (blocks->past)
        return cut_by_time(fold, n, blocks, n_folds, err);
    if (stratified)
        PT_TRY(check_classes(class_of, n, n_classes, err));
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_FOLDS, (uint64_t)repeat);
    PT_FREED_BY(list_free) block_list list = {0};
    PT_TRY(list_init(&list, blocks, n, &random, err));
    for (int64_t i = 0; i < n; i++)
        fold[i] = blocks->of[i];
    if (n_folds == blocks->count) /* each is a fold, in their order */
        return PT_OK;
    PT_TRY(sort_by_size(&list, blocks->count, err));
    dealer d = {.class_of = stratified ? class_of : NULL,
                .k = stratified ? n_classes + 1 : 1,
                .n_folds = n_folds};
    return deal(fold, &d, &list, blocks, n, err);
}

/* ---- two parts ------------------------------------------------------------------------------- */

/* What the sum over both parts of rows_r^2 / (n_r w), w the share of the part, grows by where the
 * block goes into the part. */
static double cost_of(const dealer *d, int64_t f, const int64_t *in_block, double w)
{
    double sum = 0;
    for (int64_t r = 0; r < d->k; r++) {
        const double b = (double)in_block[r];
        sum += d->share[r] * b * (2 * d->in_fold[f * d->k + r] + b) / w;
    }
    return sum;
}

/* part[b] <- whether block b is in the second part; d->in_fold has rows here, not shares. */
static void deal_in_two(bool *part, dealer *d, int64_t *in_block, const block_list *list,
                        int64_t count, double share)
{
    for (int64_t o = 0; o < count; o++) {
        const int64_t b = list->order[o];
        memset(in_block, 0, (size_t)d->k * sizeof *in_block);
        for (int64_t a = list->first[b]; a < list->first[b + 1]; a++)
            in_block[class_at(d, list->row[a])]++;
        part[b] = cost_of(d, 1, in_block, share) < cost_of(d, 0, in_block, 1 - share);
        for (int64_t r = 0; r < d->k; r++)
            d->in_fold[part[b] * d->k + r] += (double)in_block[r];
    }
}

pt_status pt_block_part(int8_t *part, int64_t n, const int64_t *class_of, int64_t n_classes,
                        const pt_blocks *blocks, double share, uint64_t seed, pt_error *err)
{
    const int64_t k = class_of ? n_classes + 1 : 1;
    dealer d = {.class_of = class_of, .k = k, .n_folds = 2};
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_SAMPLE, 0);
    PT_FREED_BY(list_free) block_list list = {0};
    PT_SCRATCH bool *second = NULL;
    PT_SCRATCH int64_t *in_block = NULL;
    PT_TRY(list_init(&list, blocks, n, &random, err));
    PT_TRY(sort_by_size(&list, blocks->count, err));
    PT_TRY(PT_NEW_ZERO(second, blocks->count, "groups of rows", err));
    PT_TRY(PT_NEW(in_block, k, "groups of rows", err));
    PT_SCRATCH double *rows = pt_alloc_zero(2 * k, sizeof *rows, "groups of rows", err);
    PT_SCRATCH double *per_row = pt_alloc_zero(k, sizeof *per_row, "groups of rows", err);
    if (!rows || !per_row)
        return PT_ENOMEM;
    d.in_fold = rows;
    d.share = per_row;
    bool never = false;
    for (int64_t i = 0; i < n; i++) {
        never = never || blocks->of[i] == PT_NEVER_HELD;
        per_row[class_at(&d, i)] += blocks->of[i] != PT_NEVER_HELD;
    }
    for (int64_t r = 0; r < k; r++)
        per_row[r] = per_row[r] > 0 ? 1 / per_row[r] : 0;
    deal_in_two(second, &d, in_block, &list, blocks->count, share);
    int64_t in_second = 0;
    for (int64_t b = 0; b < blocks->count; b++)
        in_second += second[b];
    const int64_t smallest = list.order[blocks->count - 1];
    if (in_second == 0 || (in_second == blocks->count && !never))
        second[smallest] = in_second == 0;
    for (int64_t i = 0; i < n; i++)
        part[i] = blocks->of[i] != PT_NEVER_HELD && second[blocks->of[i]];
    return PT_OK;
}

/* taken <- the last blocks, `most` rows together at most, and one at least if that is not 0. */
static void take_last(bool *taken, const block_list *list, int64_t count, int64_t most)
{
    int64_t left = most;
    for (int64_t b = count; b-- > 0;) {
        taken[b] = b > 0 && most > 0 && (b == count - 1 || block_size(list, b) <= left);
        left = taken[b] ? left - block_size(list, b) : 0;
    }
}

pt_status pt_block_sample(int64_t *rows, int64_t *m, int64_t n, const pt_blocks *blocks,
                          uint64_t seed, pt_error *err)
{
    const int64_t most = *m;
    int64_t chosen = 0;
    int64_t smallest = 0; /* in the random order */
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_SAMPLE, 0);
    PT_FREED_BY(list_free) block_list list = {0};
    PT_SCRATCH bool *taken = NULL;
    PT_TRY(list_init(&list, blocks, n, &random, err));
    PT_TRY(PT_NEW_ZERO(taken, blocks->count, "groups of rows", err));
    for (int64_t o = 0; o < blocks->count; o++) {
        const int64_t size = block_size(&list, list.order[o]);
        taken[list.order[o]] = size <= most - chosen;
        chosen += taken[list.order[o]] ? size : 0;
        smallest = size < block_size(&list, list.order[smallest]) ? o : smallest;
    }
    if (blocks->past) {
        take_last(taken, &list, blocks->count, most);
    } else if (chosen == 0 && most > 0)
        taken[list.order[smallest]] = true;
    *m = 0;
    for (int64_t i = 0; i < n; i++)
        if (blocks->of[i] != PT_NEVER_HELD && taken[blocks->of[i]])
            rows[(*m)++] = i;
    return PT_OK;
}

/* ---- samples --------------------------------------------------------------------------------- */

pt_status pt_sample(int64_t *rows, int64_t m, int64_t n, const int64_t *class_of, int64_t n_classes,
                    uint64_t seed, pt_error *err)
{
    if (m < 0 || m > n)
        return pt_fail(err, PT_EINVAL, "a sample of %lld from %lld examples", (long long)m,
                       (long long)n);
    if (m == 0)
        return PT_OK;

    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_SAMPLE, 0);
    PT_SCRATCH int64_t *order = NULL;
    PT_TRY(layout_new(&order, n, class_of, n_classes, &random, err));
    int64_t travelled = pt_random_below(&random, n); /* in steps of m; n of them are one choice */
    int64_t chosen = 0;
    for (int64_t p = 0; p < n; p++) {
        travelled += m;
        if (travelled >= n) {
            travelled -= n;
            rows[chosen++] = order[p];
        }
    }
    qsort(rows, (size_t)m, sizeof *rows, pt_ascending_integers);
    return PT_OK;
}
