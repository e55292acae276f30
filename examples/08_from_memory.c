/* 08: data and models in memory. A table column by column, as data frames and R have it, with a
 * column of names; borrowed, not copied. Half of its rows train; the model goes into bytes and
 * comes back, says what is in it, and predicts the other half.
 *
 *     08_from_memory
 */
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>

enum { N = 12, D = 2 };

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

int main(void)
{
    /* the heights of all rows, then the numbers of their colours; row i is at i and N + i */
    static const float CELLS[D * N] = {1.0F, 5.1F, 9.2F, 1.2F, 5.0F, 9.1F, 0.9F, 5.2F,
                                       8.9F, 1.1F, 4.9F, 9.0F, 0,    1,    1,    0,
                                       1,    1,    0,    1,    1,    0,    1,    1};
    static const int32_t CLASS[N] = {0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2};
    static const char *const COLUMNS[D] = {"height", "colour"};
    static const char *const COLOURS[] = {"NA", "red"}; /* a colour called NA is a colour */
    static const char *const CLASSES[] = {"dwarf", "man", "giant"};
    static const int64_t FIRST[N / 2] = {0, 1, 2, 3, 4, 5}, REST[N / 2] = {6, 7, 8, 9, 10, 11};
    const pt_dense table = {.type = PT_F32,
                            .values = CELLS,
                            .n_rows = N,
                            .n_columns = D,
                            .row_stride = 1,
                            .column_stride = N};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL, *train = NULL, *test = NULL;
    check(pt_dataset_from_dense(&data, &table, PT_BORROW, &err), &err);
    check(pt_dataset_set_names(data, COLUMNS, &err), &err);
    check(pt_dataset_set_levels(data, 1, NULL, COLOURS, 2, &err), &err);
    check(pt_dataset_set_classes(data, PT_I32, CLASS, CLASSES, 3, &err), &err);
    check(pt_dataset_rows(&train, data, FIRST, N / 2, &err), &err); /* views, of no cells */
    check(pt_dataset_rows(&test, data, REST, N / 2, &err), &err);

    pt_params *params = NULL;
    pt_model *model = NULL, *loaded = NULL;
    pt_report *plan = NULL, *arrays = NULL;
    void *bytes = NULL;
    size_t size = 0;
    check(pt_params_new(&params, &err), &err);
    check(pt_params_parse(params, "machine=softmax,calibrate=no", &err), &err);
    check(pt_model_plan(&plan, train, params, NULL, &err), &err);
    printf("training will take %.0f multiplications: %s\n",
           pt_report_number(plan, "multiplications"), pt_report_text(plan, "route"));
    check(pt_model_train(&model, train, params, NULL, &err), &err);
    check(pt_model_save_memory(&bytes, &size, model, &err), &err);
    check(pt_model_load_memory(&loaded, bytes, size, NULL, &err), &err);
    check(pt_model_arrays(&arrays, loaded, &err), &err);
    for (int64_t i = 0; i < pt_report_n_items(arrays); i++) {
        const pt_item *item = pt_report_item(arrays, i);
        printf("%-12s", item->name);
        for (int a = 0; a < item->n_axes; a++)
            printf("%s%lld", a ? " x " : " ", (long long)item->length[a]);
        printf("\n");
    }

    pt_prediction *prediction = NULL;
    check(pt_model_predict(&prediction, loaded, test, -1, NULL, &err), &err);
    int right = 0;
    for (int64_t i = 0; i < N / 2; i++)
        right += pt_prediction_labels(prediction)[i] == pt_dataset_class(test, i);
    printf("%d of %d right\n", right, N / 2);

    pt_prediction_free(prediction);
    pt_report_free(arrays);
    pt_report_free(plan);
    pt_bytes_free(bytes);
    pt_model_free(loaded);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(test);
    pt_dataset_free(train);
    pt_dataset_free(data); /* after its views */
    return 0;
}
