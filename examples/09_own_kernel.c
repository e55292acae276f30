/* 09: a kernel of your own. The rows are histograms of short words: how often each of some letters
 * occurs. Two words are as alike as their histograms have in common, k(a, b) = sum_j min(a_j, b_j),
 * a kernel that the library does not have. It is searched, trained, saved and loaded like one that
 * it has.
 *
 *     09_own_kernel MODEL
 */
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 240, K = 3, LETTERS = 8, LENGTH = 12 };

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

/* ---- the kernel ------------------------------------------------------------------------------ */

static double in_common(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t j = 0; j < n; j++)
        sum += a[j] < b[j] ? a[j] : b[j];
    return sum;
}

/* All rows of a against all rows of b. Threads ask for different blocks at the same time; this
 * function has nothing that they share. */
static pt_status values(const pt_rows_view *a, const pt_rows_view *b, double *block, int64_t ld,
                        void *user, pt_error *err)
{
    (void)user;
    (void)err;
    for (int64_t i = 0; i < a->n_rows; i++)
        for (int64_t j = 0; j < b->n_rows; j++)
            block[i * ld + j] =
                in_common(a->dense + i * a->stride, b->dense + j * b->stride, a->n_columns);
    return PT_OK;
}

/* ---- the program ----------------------------------------------------------------------------- */

/* Words of three languages, which prefer different letters. */
static pt_dataset *make_words(void)
{
    static const int likes[K][4] = {{0, 1, 2, 3}, {2, 3, 4, 5}, {0, 5, 6, 7}};
    static const char *const names[K] = {"first", "second", "third"};
    static double count[N * LETTERS];
    int32_t language[N];
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    unsigned random = 1;
    for (int i = 0; i < N; i++) {
        language[i] = i % K;
        for (int l = 0; l < LENGTH; l++) {
            random = random * 1664525u + 1013904223u;
            const int any = (int)(random >> 16) % LETTERS;
            random = random * 1664525u + 1013904223u;
            const int liked = likes[language[i]][(random >> 16) % 4];
            count[i * LETTERS + (l % 3 == 0 ? liked : any)]++;
        }
    }
    const pt_dense table = {.type = PT_F64, .values = count, .n_rows = N, .n_columns = LETTERS};
    check(pt_dataset_from_dense(&data, &table, PT_COPY, &err), &err);
    check(pt_dataset_set_classes(data, PT_I32, language, names, K, &err), &err);
    return data;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: 09_own_kernel MODEL\n");
        return 2;
    }
    const pt_kernel_callbacks kernel = {.size = sizeof kernel,
                                        .name = "intersection",
                                        .psd = 1, /* takes_sparse is 0: rows are dense */
                                        .values = values};
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_report *search = NULL;
    pt_model *model = NULL;
    pt_model *loaded = NULL;
    pt_model *other = NULL;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    pt_dataset *data = make_words();

    /* scale=none: counts stay counts */
    check(pt_params_new(&params, &err), &err);
    check(pt_params_parse(params, "machine=onelsm,scale=none,grid={ridge=0.1,1,10},folds=5", &err),
          &err);
    check(pt_params_set_kernel(params, &kernel, &err), &err);
    check(pt_cross_validate(&search, NULL, data, &(const pt_params *){params}, 1, NULL, &err),
          &err);
    printf("the best of %lld ridges errs on %.1f percent\n",
           (long long)pt_report_integer(search, "n_points"),
           100 * pt_report_number_at(search, "error", pt_report_integer(search, "best"), 0, 0));

    check(pt_params_parse(params, "ridge=1,grid=", &err), &err);
    check(pt_model_train(&model, data, params, NULL, &err), &err);
    check(pt_model_save(model, argv[1], &err), &err);
    check(pt_model_load(&loaded, argv[1], params, &err), &err);
    check(pt_model_predict(&prediction, loaded, data, -1, NULL, &err), &err);
    check(pt_model_evaluate(&evaluation, loaded, data, prediction, NULL, NULL, &err), &err);
    printf("loaded from its file: %.1f percent on the training rows\n",
           100 * pt_report_number(evaluation, "error"));
    if (pt_model_load(&other, argv[1], NULL, &err) != PT_OK)
        printf("without the kernel: %s\n", err.text);

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
