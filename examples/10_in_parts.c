/* 10: numbers in memory in place of files. A code of the program's own, given as an array, is
 * learned by boosting; one pass shows how the error fell from round to round. The same rows are
 * then learned online, as they come.
 *
 *     10_in_parts
 */
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 400, D = 2, K = 4, COLUMNS = 3, PIECE = 100 };

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

/* Points of a square, cut into strips from corner to corner. */
static void fill(double *cells, int32_t *class_of)
{
    for (int i = 0; i < N; i++) {
        const double x = (double)(i * 7919 % N) / N;
        const double y = (double)(i * 104729 % 397) / 397;
        cells[i * D] = x;
        cells[i * D + 1] = y;
        class_of[i] = (int32_t)(K * (x + y) / 2);
    }
}

static double share_wrong(const pt_report *outputs, const pt_dataset *data, int64_t stage)
{
    int wrong = 0;
    for (int64_t i = 0; i < N; i++)
        wrong +=
            pt_report_integer_at(outputs, "stage_labels", stage, i, 0) != pt_dataset_class(data, i);
    return 100.0 * wrong / N;
}

int main(void)
{
    static const char *const STRIPS[K] = {"1st", "2nd", "3rd", "4th"};
    /* a row for each class, in the order of their names: is it beyond this border? */
    static const int8_t SIGNS[K * COLUMNS] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, 1, 1, 1};
    static const int64_t ROUNDS[] = {1, 2, 4, 8};
    static double cells[N * D];
    static int32_t class_of[N];
    const pt_dense table = {.type = PT_F64, .values = cells, .n_rows = N, .n_columns = D};
    const pt_dense code = {.type = PT_I8, .values = SIGNS, .n_rows = K, .n_columns = COLUMNS};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_params *params = NULL;
    pt_model *model = NULL;
    pt_report *outputs = NULL;
    fill(cells, class_of);
    check(pt_dataset_from_dense(&data, &table, PT_BORROW, &err), &err);
    check(pt_dataset_set_classes(data, PT_I32, class_of, STRIPS, K, &err), &err);

    check(pt_params_new(&params, &err), &err);
    check(pt_params_parse(params, "learner=adaboost,rounds=8,calibrate=no", &err), &err);
    check(pt_params_set_array(params, "code", &code, &err), &err);
    check(pt_model_train(&model, data, params, NULL, &err), &err);
    check(pt_model_outputs(&outputs, model, data, ROUNDS, 4, NULL, &err), &err);
    for (int64_t t = 0; t < 4; t++)
        printf("after %2d rounds: %.1f %% wrong\n", (int)ROUNDS[t], share_wrong(outputs, data, t));
    printf("what the columns say of the first row:");
    for (int64_t s = 0; s < COLUMNS; s++)
        printf(" %.2f", pt_report_number_at(outputs, "outputs", 0, s, 0));
    printf("\n");

    pt_online *online = NULL;
    pt_report *learned = NULL;
    check(pt_online_new(&online, NULL, &err), &err);
    for (int64_t first = 0; first < N; first += PIECE) {
        int64_t rows[PIECE];
        pt_dataset *piece = NULL;
        for (int64_t i = 0; i < PIECE; i++)
            rows[i] = first + i;
        check(pt_dataset_rows(&piece, data, rows, PIECE, &err), &err);
        check(pt_online_learn(online, piece, NULL, &err), &err);
        pt_dataset_free(piece);
    }
    check(pt_online_report(&learned, online, &err), &err);
    printf("online: %lld rows, %lld of them wrong when they came\n",
           (long long)pt_report_integer(learned, "n_examples"),
           (long long)pt_report_integer(learned, "n_errors"));

    pt_report_free(learned);
    pt_online_free(online);
    pt_report_free(outputs);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
    return 0;
}
