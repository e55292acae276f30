/* Problems of any size and shape, with labels of any kind, for tests of what takes time. Include
 * after cmocka.h. */
#ifndef PT_TESTS_CLOUDS_H
#define PT_TESTS_CLOUDS_H

#include "data/labels/labels.h"
#include "small_problem.h"

typedef struct shape {
    const char *name;
    int64_t n; /* to begin with */
    int64_t d;
    int64_t k;
    int64_t stored; /* cells of a row; 0: all of them, dense */
} shape;

/* The set {c, c + 1}; c before c + 1 before c + 2; c before c + 1, c before c + 2. */
static inline void put_items(pt_dataset *data, const small *s, pt_label_kind kind)
{
    enum { ROOM = 8 };
    static const int64_t PLACES[][4] = {
        [PT_LABEL_SET] = {0, 1}, [PT_LABEL_RANKING] = {0, 1, 2}, [PT_LABEL_PAIRS] = {0, 1, 0, 2}};
    static const int64_t COUNT[] = {
        [PT_LABEL_SET] = 2, [PT_LABEL_RANKING] = 3, [PT_LABEL_PAIRS] = 4};
    pt_error err = PT_ERROR_INIT;
    const int64_t each = COUNT[kind];
    char *text = calloc((size_t)s->k, ROOM);
    const char **classes = calloc((size_t)s->k, sizeof *classes);
    int64_t *start = calloc((size_t)s->n + 1, sizeof *start);
    int64_t *items = calloc((size_t)(s->n * each), sizeof *items);
    int64_t *ranks = calloc((size_t)(s->n * each), sizeof *ranks);
    assert_true(text && classes && start && items && ranks);
    for (int64_t c = 0; c < s->k; c++) {
        snprintf(text + c * ROOM, ROOM, "c%04d", (int)c);
        classes[c] = text + c * ROOM;
    }
    for (int64_t i = 0; i < s->n; i++) {
        start[i + 1] = start[i] + each;
        for (int64_t j = 0; j < each; j++) {
            items[start[i] + j] = (s->y[i] + PLACES[kind][j]) % s->k;
            ranks[start[i] + j] = j;
        }
    }
    small_must(pt_dataset_set_label_items(data, pt_label_kind_name(kind), classes, s->k, start,
                                          items, kind == PT_LABEL_RANKING ? ranks : NULL, &err),
               &err, "labels");
    free(text);
    free(classes);
    free(start);
    free(items);
    free(ranks);
}

/* Some columns of each row, more often those of its class. */
static inline pt_dataset *sparse_rows(const small *s, const shape *of)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    const int64_t stretch = of->d / of->stored;
    int64_t *start = calloc((size_t)s->n + 1, sizeof *start);
    int64_t *index = calloc((size_t)(s->n * of->stored), sizeof *index);
    double *value = calloc((size_t)(s->n * of->stored), sizeof *value);
    assert_true(start && index && value && stretch > 0);
    pt_random random;
    pt_random_init(&random, 7, PT_RANDOM_TEST, 0);
    for (int64_t i = 0; i < s->n; i++) {
        for (int64_t j = 0; j < of->stored; j++) {
            const int64_t at = i * of->stored + j;
            const bool own = pt_random_below(&random, 3) == 0;
            index[at] = j * stretch + (own ? s->y[i] % stretch : pt_random_below(&random, stretch));
            value[at] = 1 + 0.1 * (double)(at % 7);
        }
        start[i + 1] = (i + 1) * of->stored;
    }
    small_must(dataset_from_csr(&data, start, index, value, s->n, of->d, &err), &err, "rows");
    small_must(dataset_set_numbers(data, s->y, &err), &err, "labels");
    free(start);
    free(index);
    free(value);
    return data;
}

static inline pt_dataset *clouds(int64_t n, const shape *of, pt_label_kind kind)
{
    small s = small_clouds(n, of->stored ? 1 : of->d, of->k, 5);
    pt_dataset *data = of->stored ? sparse_rows(&s, of) : small_dataset(&s);
    if (kind != PT_LABEL_CLASS)
        put_items(data, &s, kind);
    small_free(&s);
    return data;
}

#endif
