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
