/* What a kernel costs that a program brings: the Gaussian kernel of the library, the same by
 * callbacks, and the same as a matrix that is computed beforehand.
 *
 *   bench_own_kernel TABLE [ROWS [THREADS [ROUNDS]]]
 *
 * TABLE has the label in its last column or names it. Prints, for three machines, the seconds of
 * processor time of training and of predicting the same rows: the medians of the rounds. Of the
 * matrix: without its computation, which stands beside. */
#include <math.h>
#include <string.h>

#include "bench_training.h"

static const double SIGMA = 2;

static void need(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static pt_status gauss(const pt_rows_view *a, const pt_rows_view *b, double *block, int64_t ld,
                       void *user, pt_error *err)
{
    (void)user;
    (void)err;
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++) {
            const double *x = a->dense + i * a->stride;
            const double *z = b->dense + j * b->stride;
            double sum = 0;
            for (int64_t f = 0; f < a->n_columns; f++)
                sum += (x[f] - z[f]) * (x[f] - z[f]);
            block[i * ld + j] = exp(-sum / (2 * SIGMA * SIGMA));
        }
    return PT_OK;
}

typedef struct timing {
    double train;
    double predict;
} timing;

static timing time_of(const pt_dataset *data, const pt_params *params, pt_task *task, int rounds)
{
    double train[64];
    double predict[64];
    for (int r = 0; r < rounds; r++) {
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        pt_prediction *prediction = NULL;
        bench_times begin = bench_begin();
        need(pt_model_train(&model, data, params, task, &err), &err);
        train[r] = bench_since(begin).work;
        begin = bench_begin();
        need(pt_model_predict(&prediction, model, data, -1, task, &err), &err);
        predict[r] = bench_since(begin).work;
        pt_prediction_free(prediction);
        pt_model_free(model);
    }
    return (timing){bench_median(train, rounds), bench_median(predict, rounds)};
}

static pt_params *params_of(const char *machine, const char *kernel)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    need(pt_params_new(&params, &err), &err);
    need(pt_params_parse(params, "scale=none,calibrate=no", &err), &err);
    need(pt_params_parse(params, machine, &err), &err);
    need(pt_params_parse(params, kernel, &err), &err);
    return params;
}

int main(int argc, char **argv)
{
    static const char *const machines[] = {"machine=onelsm,ridge=0.1", "machine=spoc,C=1",
                                           "machine=code,code=ovo,learner=svm,C=1,decode=vote"};
    const int64_t n = argc > 2 ? strtoll(argv[2], NULL, 10) : 2000;
    const int threads = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
    const int rounds = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 5;
    const pt_kernel_callbacks kernel = {
        .size = sizeof kernel, .name = "gauss", .psd = 1, .values = gauss};
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_dataset *all = NULL;
    pt_dataset *data = NULL;
    pt_dataset *square = NULL;
    if (argc < 2 || rounds < 1 || rounds > 64 || n < 2)
        return 2;
    need(pt_task_new(&task, &err), &err);
    pt_task_set_threads(task, threads);
    need(pt_dataset_read(&all, argv[1], NULL, task, &err), &err);
    const int64_t d = pt_dataset_n_features(all);
    double *x = calloc((size_t)(n * d), sizeof *x);
    double *K = calloc((size_t)(n * n), sizeof *K);
    int64_t *y = calloc((size_t)n, sizeof *y);
    if (!x || !K || !y)
        return 1;
    need(pt_dataset_cells(all, 0, n, x, &err), &err);
    for (int64_t i = 0; i < n; i++)
        y[i] = pt_dataset_class(all, i);
    const pt_rows_view view = {.n_rows = n, .n_columns = d, .dense = x, .stride = d};
    const bench_times begin = bench_begin();
    need(gauss(&view, &view, K, n, NULL, &err), &err);
    printf("%lld rows, %d threads; the matrix by the callback: %.3f s\n", (long long)n, threads,
           bench_since(begin).work);
    const pt_dense table = {.type = PT_F64, .values = x, .n_rows = n, .n_columns = d};
    const pt_dense matrix = {.type = PT_F64, .values = K, .n_rows = n, .n_columns = n};
    need(pt_dataset_from_dense(&data, &table, PT_BORROW, &err), &err);
    need(pt_dataset_from_dense(&square, &matrix, PT_BORROW, &err), &err);
    need(pt_dataset_set_classes(data, PT_I64, y, NULL, 0, &err), &err);
    need(pt_dataset_set_classes(square, PT_I64, y, NULL, 0, &err), &err);

    printf("%-52s %21s %21s %21s\n", "", "library's", "program's", "precomputed");
    for (size_t m = 0; m < sizeof machines / sizeof *machines; m++) {
        char known[64];
        snprintf(known, sizeof known, "kernel=rbf,sigma=%g", SIGMA);
        pt_params *params[] = {params_of(machines[m], known), params_of(machines[m], ""),
                               params_of(machines[m], "kernel=precomputed")};
        need(pt_params_set_kernel(params[1], &kernel, &err), &err);
        printf("%-52s", machines[m]);
        for (int p = 0; p < 3; p++) {
            const timing t = time_of(p == 2 ? square : data, params[p], task, rounds);
            printf(" %9.3f + %9.3f", t.train, t.predict);
            pt_params_free(params[p]);
        }
        printf("\n");
    }
    pt_dataset_free(square);
    pt_dataset_free(data);
    pt_dataset_free(all);
    pt_task_free(task);
    free(y);
    free(K);
    free(x);
    return 0;
}
