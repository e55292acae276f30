/* Rows with labels of every kind, made by hidden linear functions and noise. Include after
 * cmocka.h. */
#ifndef PT_TESTS_LABELLED_ROWS_H
#define PT_TESTS_LABELLED_ROWS_H

#include <math.h>

#include "data/labels/label_pairs.h"
#include "machine/machine.h"
#include "small_problem.h"
#include "validate/auto.h"

static const pt_label_kind LABEL_KINDS[] = {PT_LABEL_CLASS, PT_LABEL_SET, PT_LABEL_RANKING,
                                            PT_LABEL_PAIRS};

typedef struct labelled {
    int64_t n;
    int64_t d;
    int64_t k;
    double *x; /* n x d, row-major; some are 0 */
    double *weight;
    pt_labels *labels;
    int64_t *start; /* the same rows, sparse */
    int64_t *index;
    double *value;
} labelled;

/* hidden (k) <- the scores that the label of a row comes from. */
static inline void labelled_hidden(const labelled *l, const double *u, int64_t i, double noise,
                                   pt_random *random, double *hidden)
{
    for (int64_t r = 0; r < l->k; r++) {
        hidden[r] = noise * pt_random_normal(random);
        for (int64_t f = 0; f < l->d; f++)
            hidden[r] += u[r * l->d + f] * l->x[i * l->d + f];
    }
}

/* Appends the items of one label; *used counts them. */
static inline void labelled_items(pt_label_kind kind, int64_t i, int64_t k, const double *hidden,
                                  int64_t *item, int64_t *rank, int64_t *used)
{
    for (int64_t r = 0; r < k; r++) {
        const bool in_set = kind == PT_LABEL_SET && (i % 7 == 0 || hidden[r] > 0) && i % 5 != 0;
        const bool ranked = kind == PT_LABEL_RANKING && (i % 3 || r != i % k);
        if (in_set || ranked) {
            item[*used] = r;
            rank[(*used)++] = -(int64_t)floor(1.5 * hidden[r]); /* with ties */
        }
        for (int64_t q = 0; q < k && kind == PT_LABEL_PAIRS; q++)
            if (hidden[r] > hidden[q] && (r + 2 * q + i) % 3 == 0) {
                item[(*used)++] = r;
                item[(*used)++] = q;
            }
    }
}

static inline pt_labels *labelled_labels(const labelled *l, pt_label_kind kind, double noise,
                                         uint64_t seed)
{
    pt_error err = PT_ERROR_INIT;
    pt_random random;
    pt_texts names = {NULL, 0, 0};
    pt_labels *labels = NULL;
    int64_t used = 0;
    int64_t *start = calloc((size_t)l->n + 1, sizeof *start);
    int64_t *item = calloc((size_t)(2 * l->n * l->k * l->k + 1), sizeof *item);
    int64_t *rank = calloc((size_t)(2 * l->n * l->k * l->k + 1), sizeof *rank);
    double *u = calloc((size_t)(l->k * l->d + l->k), sizeof *u);
    double *hidden = u + l->k * l->d;
    if (!start || !item || !rank || !u)
        abort();
    pt_random_init(&random, seed, PT_RANDOM_TEST, 77);
    for (int64_t c = 0; c < l->k * l->d; c++)
        u[c] = pt_random_normal(&random);
    for (int64_t r = 0; r < l->k; r++) {
        char name[20];
        snprintf(name, sizeof name, "%d", (int)r);
        small_must(pt_texts_add_n(&names, name, strlen(name), &err), &err, "names");
    }
    for (int64_t i = 0; i < l->n; i++) {
        labelled_hidden(l, u, i, noise, &random, hidden);
        if (kind == PT_LABEL_CLASS)
            item[i] = small_argmax(hidden, l->k);
        else
            labelled_items(kind, i, l->k, hidden, item, rank, &used);
        start[i + 1] = used;
    }
    if (kind == PT_LABEL_CLASS)
        small_must(pt_labels_from_codes(&labels, l->n, item, &names, &err), &err, "labels");
    else
        small_must(pt_labels_from_items(&labels, kind, l->n, start, item,
                                        kind == PT_LABEL_RANKING ? rank : NULL, &names, NULL, &err),
                   &err, "labels");
    pt_texts_free(&names);
    free(u);
    free(rank);
    free(item);
    free(start);
    return labels;
}

static inline labelled labelled_rows(pt_label_kind kind, int64_t n, int64_t d, int64_t k,
                                     double noise, uint64_t seed)
{
    labelled l = {n, d, k, NULL, NULL, NULL, NULL, NULL, NULL};
    pt_random random;
    l.x = calloc((size_t)(n * d), sizeof *l.x);
    l.value = calloc((size_t)(n * d), sizeof *l.value);
    l.index = calloc((size_t)(n * d), sizeof *l.index);
    l.start = calloc((size_t)n + 1, sizeof *l.start);
    l.weight = calloc((size_t)n, sizeof *l.weight);
    if (!l.x || !l.value || !l.index || !l.start || !l.weight)
        abort();
    pt_random_init(&random, seed, PT_RANDOM_TEST, 76);
    for (int64_t i = 0; i < n; i++) {
        int64_t at = l.start[i];
        for (int64_t f = 0; f < d; f++) {
            const double x = pt_random_normal(&random);
            l.x[i * d + f] = fabs(x) < 0.3 ? 0 : x;
            if (l.x[i * d + f] != 0) {
                l.index[at] = f;
                l.value[at++] = l.x[i * d + f];
            }
        }
        l.start[i + 1] = at;
        l.weight[i] = 0.5 + (double)(i % 4) / 2;
    }
    l.labels = labelled_labels(&l, kind, noise, seed);
    return l;
}

static inline pt_problem labelled_problem(const labelled *l, bool sparse, bool weighted)
{
    pt_problem problem = {.labels = l->labels, .weight = weighted ? l->weight : NULL};
    problem.rows = (pt_rows){.n = l->n, .d = l->d, .type = PT_F64};
    if (sparse) {
        problem.rows.start = l->start;
        problem.rows.index = l->index;
        problem.rows.value = l->value;
    } else {
        problem.rows.dense = l->x;
        problem.rows.stride = l->d;
    }
    return problem;
}

static inline void labelled_free(labelled *l)
{
    pt_labels_free(l->labels);
    free(l->weight);
    free(l->start);
    free(l->index);
    free(l->value);
    free(l->x);
}

/* A machine trained on the problem, its "auto" resolved; the warnings are dropped. */
static inline pt_machine *labelled_train(const pt_problem *problem, const char *options,
                                         int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_machine *machine = NULL;
    pt_warnings warnings = {0};
    pt_params *params = small_params(options);
    pt_task *task = small_task(threads);
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(params, PT_P_MACHINE));
    assert_non_null(ops);
    small_must(pt_machine_resolve(ops, params, problem, task, &warnings, &err), &err, options);
    small_must(pt_machine_fit(&machine, ops, problem, params, task, &warnings, &err), &err,
               options);
    pt_warnings_free(&warnings);
    pt_task_free(task);
    pt_params_free(params);
    return machine;
}

/* n x k: free() them. */
static inline double *labelled_scores(const pt_machine *machine, const pt_problem *problem)
{
    pt_error err = PT_ERROR_INIT;
    const int64_t k = pt_labels_n_classes(problem->labels);
    double *scores = calloc((size_t)(problem->rows.n * k + 1), sizeof *scores);
    if (!scores)
        abort();
    small_must(machine->ops->scores(machine, &problem->rows, scores, NULL, &err), &err, "scores");
    return scores;
}

/* A figure of a machine by its name; NAN: it has none. */
static inline double labelled_figure(const pt_machine *machine, const char *name)
{
    pt_error err = PT_ERROR_INIT;
    pt_description said = {0};
    small_must(pt_machine_describe(&said, machine, NULL, &err), &err, name);
    for (int64_t f = 0; f < said.n_figures; f++)
        if (strcmp(said.figure[f].name, name) == 0)
            return (double)said.figure[f].value;
    for (int64_t f = 0; f < said.n_reals; f++)
        if (strcmp(said.real[f].name, name) == 0)
            return said.real[f].value;
    return NAN;
}

#endif
