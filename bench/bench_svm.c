/* Times an SVM under a code, data in memory: bench_svm TRAIN TEST THREADS OPTIONS [LABELS].
 *
 * OPTIONS are parameters as in "C=16,rbf-gamma=2,header=no"; LABELS is a file for the predicted
 * classes, one a line. Prints JSON: the seconds of pt_model_train (the median of REPEATS: the first
 * pays for pages that the system has not given before) and of pt_model_predict, the test error, the
 * number of support vectors and, for all pairs, the sum of the dual objectives
 *
 *   sum_pq  sum_i |beta_i| - 1/2 sum_i beta_i (f_pq(x_i) - b_pq),   beta = alpha y
 *
 * which tells whether two solvers have found the same solutions. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/task.h"
#include "learners/pair_expansion.h"
#include "machines/codes/machine_code.h"
#include "model/model.h"
#include "polytomy/polytomy.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* The objective from the coefficients of group g's rows and the outputs there. */
static double add_group(int64_t k, int64_t g, int64_t n, const double *coef, const double *f,
                        const double *bias)
{
    double dual = 0;
    for (int64_t other = 0; other < k; other++) {
        if (other == g)
            continue;
        const int64_t s = other < g ? pt_pairs_column(k, other, g) : pt_pairs_column(k, g, other);
        const double *beta = coef + pt_pair_column_of(g, other) * n;
        for (int64_t i = 0; i < n; i++)
            dual += fabs(beta[i]) -
                    0.5 * beta[i] * (f[i * pt_pairs_count(k) + s] - (bias ? bias[s] : 0));
    }
    return dual;
}

/* NAN where there are no pairs, or a kernel that keeps no support vectors. */
static double dual_of_pairs(const pt_model *model, const pt_task *task, pt_error *err)
{
    const pt_code_machine *machine = (const pt_code_machine *)model->machine;
    pt_pack pack = {0};
    double dual = NAN;
    if (strcmp(model->machine->ops->name, "code") != 0 || !machine->code.pairs ||
        pt_pack_begin(&pack, err) != PT_OK ||
        machine->learner->ops.save(machine->learner, &pack, err) != PT_OK)
        return dual;
    const pt_array *coef = pt_pack_find(&pack, "coef");
    const pt_array *first = pt_pack_find(&pack, "class_first");
    const pt_array *dense = pt_pack_find(&pack, "rows");
    const pt_array *bias = pt_pack_find(&pack, "pair_bias");
    const int64_t k = machine->code.k;
    double *f = coef && first && dense
                    ? pt_alloc(coef->rows * machine->code.ell, sizeof *f, "outputs", err)
                    : NULL;
    if (f) {
        pt_rows rows = {.n = coef->rows, .d = dense->columns, .type = dense->type};
        const int64_t *start = first->value;
        if (pt_pack_find_rows(&rows, &pack, err) == PT_OK &&
            pt_learner_outputs(machine->learner, &rows, f, task, err) == PT_OK) {
            dual = 0;
            for (int64_t g = 0; g < k; g++)
                dual += add_group(k, g, start[g + 1] - start[g],
                                  (const double *)coef->value + start[g] * (k - 1),
                                  f + start[g] * machine->code.ell, bias ? bias->value : NULL);
        }
    }
    pt_free(f);
    pt_free(pack.arrays);
    return dual;
}

static int64_t support_vectors(const pt_model *model)
{
    pt_description said = {0};
    (void)pt_machine_describe(&said, model->machine, NULL, NULL);
    for (int64_t i = 0; i < said.n_figures; i++)
        if (strcmp(said.figure[i].name, "support_vectors") == 0)
            return said.figure[i].value;
    return 0;
}

static int write_labels(const char *path, const pt_model *model, const pt_prediction *prediction)
{
    FILE *file = fopen(path, "w");
    if (!file)
        return 0;
    const int64_t *label = pt_prediction_labels(prediction);
    for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++)
        fprintf(file, "%s\n", pt_model_class_name(model, label[i]));
    return fclose(file) == 0;
}

enum { REPEATS = 3 };

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Trains REPEATS times; the last model stays. */
static pt_status train_often(pt_model **model, const pt_dataset *train, const pt_params *params,
                             pt_task *task, double *median, pt_error *err)
{
    double times[REPEATS];
    pt_status status = PT_OK;
    for (int i = 0; i < REPEATS && status == PT_OK; i++) {
        pt_model_free(*model);
        *model = NULL;
        const double start = seconds();
        status = pt_model_train(model, train, params, task, err);
        times[i] = seconds() - start;
    }
    qsort(times, REPEATS, sizeof *times, by_size);
    *median = times[REPEATS / 2];
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bench_svm TRAIN TEST THREADS OPTIONS [LABELS]\n");
        return 2;
    }
    pt_error err = {0};
    pt_task *task = NULL;
    pt_params *params = NULL;
    pt_dataset *train = NULL;
    pt_dataset *test = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    double trained = 0;
    pt_status status = pt_task_new(&task, &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, argv[4], &err);
    if (status == PT_OK) {
        pt_task_set_threads(task, (int)strtol(argv[3], NULL, 10));
        status = pt_dataset_read(&train, argv[1], params, task, &err);
    }
    if (status == PT_OK)
        status = train_often(&model, train, params, task, &trained, &err);
    if (status == PT_OK)
        status = pt_model_read(&test, model, argv[2], params, task, &err);
    const double start = seconds();
    if (status == PT_OK)
        status = pt_model_predict(&prediction, model, test, -1, task, &err);
    const double predicted = seconds() - start;
    if (status == PT_OK)
        status = pt_model_evaluate(&evaluation, model, test, prediction, NULL, NULL, &err);
    if (status != PT_OK) {
        fprintf(stderr, "bench_svm: %s\n", err.text);
        return 1;
    }
    const double dual = dual_of_pairs(model, task, &err);
    printf("{\"train\": %.6f, \"predict\": %.6f, \"error\": %.6f, \"support\": %lld, ", trained,
           predicted, pt_report_number(evaluation, "error"), (long long)support_vectors(model));
    if (isnan(dual))
        printf("\"dual\": null}\n");
    else
        printf("\"dual\": %.9g}\n", dual);
    const int written = argc < 6 || write_labels(argv[5], model, prediction);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(test);
    pt_dataset_free(train);
    pt_params_free(params);
    pt_task_free(task);
    return written ? 0 : 1;
}
