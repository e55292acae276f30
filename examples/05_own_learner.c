/* 05: a learner of your own under the library's codes and decoders. The learner is a perceptron,
 * averaged over its steps; the code is random, the decoder that of the perceptron's loss. The model
 * is searched, saved and loaded like any other.
 *
 *     05_own_learner MODEL
 */
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS = 30, N = 300, K = 5, D = 2 };

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

/* ---- the learner: d weights and a bias ------------------------------------------------------- */

typedef struct perceptron {
    int64_t d;
    double w[]; /* d + 1 */
} perceptron;

static perceptron *perceptron_new(int64_t d)
{
    perceptron *p = calloc(1, sizeof *p + (size_t)(d + 1) * sizeof(double));
    if (p)
        p->d = d;
    return p;
}

static double output(const perceptron *p, const double *x)
{
    double f = p->w[p->d];
    for (int64_t j = 0; j < p->d; j++)
        f += p->w[j] * x[j];
    return f;
}

/* One column of the code: side[i] is +1 or -1. Threads learn different columns at the same time;
 * this function has nothing that they share. */
static pt_status fit(void **state, const pt_rows_view *rows, const int8_t *side,
                     const double *weight, int64_t column, void *user, pt_error *err)
{
    (void)weight; /* takes_weights is 0: always NULL */
    (void)column;
    (void)user;
    perceptron *w = perceptron_new(rows->n_columns);
    perceptron *mean = perceptron_new(rows->n_columns);
    if (!w || !mean) {
        free(w);
        free(mean);
        snprintf(err->text, sizeof err->text, "no memory for %lld weights",
                 (long long)rows->n_columns);
        return PT_ENOMEM;
    }
    for (int round = 0; round < ROUNDS; round++)
        for (int64_t i = 0; i < rows->n_rows; i++) {
            const double *x = rows->dense + i * rows->stride;
            if (side[i] * output(w, x) < 1) {
                for (int64_t j = 0; j < w->d; j++)
                    w->w[j] += 0.1 * side[i] * x[j];
                w->w[w->d] += 0.1 * side[i];
            }
            for (int64_t j = 0; j <= w->d; j++)
                mean->w[j] += w->w[j] / (double)(ROUNDS * rows->n_rows);
        }
    free(w);
    *state = mean;
    return PT_OK;
}

static pt_status outputs(const void *state, const pt_rows_view *rows, double *f, void *user,
                         pt_error *err)
{
    (void)user;
    (void)err;
    for (int64_t i = 0; i < rows->n_rows; i++)
        f[i] = output(state, rows->dense + i * rows->stride);
    return PT_OK;
}

static void free_state(void *state, void *user)
{
    (void)user;
    free(state);
}

static size_t save(const void *state, void *bytes, size_t capacity, void *user)
{
    (void)user;
    const perceptron *p = state;
    const size_t size = (size_t)(p->d + 1) * sizeof(double);
    if (capacity >= size)
        memcpy(bytes, p->w, size);
    return size;
}

/* The bytes may come from a stranger. */
static pt_status load(void **state, const void *bytes, size_t size, int64_t n_columns, void *user,
                      pt_error *err)
{
    (void)user;
    if (size != (size_t)(n_columns + 1) * sizeof(double)) {
        snprintf(err->text, sizeof err->text, "%lld bytes are no perceptron", (long long)size);
        return PT_EFORMAT;
    }
    perceptron *p = perceptron_new(n_columns);
    if (!p)
        return PT_ENOMEM;
    memcpy(p->w, bytes, size);
    *state = p;
    return PT_OK;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* K clouds on a circle. */
static pt_dataset *make_data(void)
{
    static const double centre[K][D] = {{1, 0}, {0.3, 1}, {-0.8, 0.6}, {-0.8, -0.6}, {0.3, -1}};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    double x[N * D];
    int64_t y[N];
    unsigned random = 1;
    for (int i = 0; i < N; i++) {
        y[i] = i % K;
        for (int j = 0; j < D; j++) {
            random = random * 1664525u + 1013904223u;
            x[i * D + j] = centre[y[i]][j] + 1.2 * ((double)(random >> 8) / (1 << 24) - 0.5);
        }
    }
    const pt_dense table = {.type = PT_F64, .values = x, .n_rows = N, .n_columns = D};
    check(pt_dataset_from_dense(&data, &table, PT_COPY, &err), &err);
    check(pt_dataset_set_classes(data, PT_I64, y, NULL, 0, &err), &err);
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: 05_own_learner MODEL\n");
        return 2;
    }
    const pt_learner_callbacks learner = {.size = sizeof learner,
                                          .name = "my-perceptron",
                                          .loss = "hinge",
                                          .fit = fit,
                                          .outputs = outputs,
                                          .free_state = free_state,
                                          .save = save,
                                          .load = load};
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_report *search = NULL;
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_model *other = NULL;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_dataset *data = make_data();

    check(pt_params_new(&params, &err), &err);
    check(pt_params_set_learner(params, &learner, &err), &err);
    check(pt_params_parse(params, "grid={code=ova,ovo,dense},folds=5", &err), &err);
    check(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
          &err);
    printf("the best of %lld codes errs on %.1f percent\n",
           (long long)pt_report_integer(search, "n_points"),
           100 * pt_report_number_at(search, "error", pt_report_integer(search, "best"), 0, 0));

    check(pt_params_parse(params, "code=dense,grid=", &err), &err);
    check(pt_model_train(&model, data, params, NULL, &err), &err);
    check(pt_model_save(model, argv[1], &err), &err);
    check(pt_model_load(&loaded, argv[1], params, &err), &err);
    check(pt_model_predict(&prediction, loaded, data, -1, NULL, &err), &err);
    check(pt_model_evaluate(&evaluation, loaded, data, prediction, NULL, NULL, &err), &err);
    printf("a dense code, loaded from its file: %.1f percent on the training rows\n",
           100 * pt_report_number(evaluation, "error"));
    if (pt_model_load(&other, argv[1], NULL, &err) != PT_OK)
        printf("without the learner: %s\n", err.text);

    remove(argv[1]);
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    pt_model_free(other);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
    return 0;
}
