/* Labels that are no classes, for tests: random sets, rankings with ties and pairs, given to a data
 * set. Include after cmocka.h. */
#ifndef PT_TESTS_OTHER_LABELS_H
#define PT_TESTS_OTHER_LABELS_H

#include "data/dataset.h"
#include "data/labels/labels.h"
#include "small_problem.h"

/* Classes c00, c01, ..., in that order. */
static inline pt_texts other_names(int64_t k)
{
    pt_texts names = {NULL, 0, 0};
    pt_error err = PT_ERROR_INIT;
    for (int64_t r = 0; r < k; r++)
        small_must(pt_texts_add(&names, &err, "c%02lld", (long long)r), &err, "names");
    return names;
}

/* Items that grow; free() the arrays. */
typedef struct other_items {
    int64_t n;
    int64_t start[1500];
    int64_t item[20000];
    int64_t rank[20000];
} other_items;

static inline void other_put(other_items *o, int64_t item, int64_t rank)
{
    o->item[o->start[o->n]] = item;
    o->rank[o->start[o->n]++] = rank;
}

static inline void other_end(other_items *o)
{
    o->n++;
    o->start[o->n] = o->start[o->n - 1];
}

/* start[] of items that were put: start[i] has moved to where example i ends. */
static inline pt_labels *other_labels(const other_items *o, pt_label_kind kind, int64_t k)
{
    pt_texts names = other_names(k);
    pt_error err = PT_ERROR_INIT;
    pt_labels *labels = NULL;
    int64_t start[1500] = {0};
    for (int64_t i = 0; i < o->n; i++)
        start[i + 1] = o->start[i];
    small_must(pt_labels_from_items(&labels, kind, o->n, start, o->item,
                                    kind == PT_LABEL_RANKING ? o->rank : NULL, &names, NULL, &err),
               &err, "labels");
    pt_texts_free(&names);
    return labels;
}

/* Labels of n examples that lean on x (n x d): class r is worth the product with a random vector.
 *   set      classes that are worth more than 0: some are empty, some full
 *   ranking  by worth, in steps, so that some tie; of every third example a class is left out
 *   pairs    some pairs in the order of worth, no more than k
 */
static inline pt_labels *other_random(pt_label_kind kind, const small *s, int64_t k, uint64_t seed)
{
    static other_items o;
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 7);
    double way[400];
    memset(&o, 0, sizeof o);
    for (int64_t c = 0; c < k * s->d; c++)
        way[c] = pt_random_normal(&random);
    for (int64_t i = 0; i < s->n; i++) {
        double worth[40];
        for (int64_t r = 0; r < k; r++) {
            worth[r] = 0.5 * pt_random_normal(&random);
            for (int64_t j = 0; j < s->d; j++)
                worth[r] += way[r * s->d + j] * s->x[i * s->d + j];
        }
        for (int64_t r = 0; r < k && kind == PT_LABEL_SET; r++)
            if (worth[r] > 0)
                other_put(&o, r, 0);
        for (int64_t r = 0; r < k && kind == PT_LABEL_RANKING; r++)
            if (i % 3 > 0 || r != i % k)
                other_put(&o, r, (int64_t)(10 - worth[r]));
        for (int64_t p = 0; p < k && kind == PT_LABEL_PAIRS; p++) {
            const int64_t a = pt_random_below(&random, k);
            const int64_t b = (a + 1 + pt_random_below(&random, k - 1)) % k;
            other_put(&o, worth[a] > worth[b] ? a : b, 0);
            other_put(&o, worth[a] > worth[b] ? b : a, 0);
        }
        other_end(&o);
    }
    return other_labels(&o, kind, k);
}

/* The examples with these labels, which are taken. */
static inline pt_dataset *other_dataset(const small *s, pt_labels *labels, bool sparse)
{
    pt_dataset *data = sparse ? small_sparse_dataset(s) : small_dataset(s);
    pt_labels_free(data->labels);
    data->labels = labels;
    return data;
}

/* Whether the set of example i has class r. */
static inline bool other_has(const pt_labels *labels, int64_t i, int64_t r)
{
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
        if (labels->item[at] == r)
            return true;
    return false;
}

/* Held-out scores (n x k) of a machine in a partition: in closed form. free() them. */
typedef struct other_taken {
    double *scores;
    int64_t cells;
} other_taken;

static inline pt_status other_take(void *context, int64_t point, int64_t partition,
                                   const double *scores, pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    other_taken *t = context;
    assert_non_null(scores);
    memcpy(t->scores, scores, (size_t)t->cells * sizeof *scores);
    return PT_OK;
}

#endif
