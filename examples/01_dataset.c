/* 01: data sets. Reads a file and says what is in it; then makes a data set from memory, trains on
 * it and asks for the class of each point.
 *
 *     01_dataset data/iris.csv
 */
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>

/* Prints why a call failed and leaves: the usual thing to do in a program of one page. */
static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

static void describe_file(const char *path)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    check(pt_dataset_read(&data, path, NULL, NULL, &err), &err);

    int64_t n = pt_dataset_n_examples(data), k = pt_dataset_n_classes(data);
    printf("%s: %lld examples, %lld features, %lld classes\n", path, (long long)n,
           (long long)pt_dataset_n_features(data), (long long)k);
    for (int64_t r = 0; r < k; r++) {
        int64_t count = 0;
        for (int64_t i = 0; i < n; i++)
            count += pt_dataset_class(data, i) == r;
        printf("  %-12s %lld\n", pt_dataset_class_name(data, r), (long long)count);
    }
    pt_dataset_free(data);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DATA\n", argv[0]);
        return 2;
    }
    describe_file(argv[1]);

    /* Six points in the plane, row by row, with a name for the class of each. */
    const double points[6][2] = {{0, 0}, {0, 1}, {4, 0}, {4, 1}, {2, 5}, {2, 6}};
    const char *const names[6] = {"left", "left", "right", "right", "top", "top"};

    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    const pt_dense table = {.type = PT_F64, .values = points, .n_rows = 6, .n_columns = 2};
    check(pt_dataset_from_dense(&data, &table, PT_COPY, &err), &err);
    check(pt_dataset_set_label_cells(data, "class", names, &err), &err);
    check(pt_model_train(&model, data, NULL, NULL, &err), &err);
    check(pt_model_predict(&prediction, model, data, -1, NULL, &err), &err);

    const int64_t *labels = pt_prediction_labels(prediction);
    for (int i = 0; i < 6; i++)
        printf("(%g, %g) is %s\n", points[i][0], points[i][1],
               pt_model_class_name(model, labels[i]));

    pt_prediction_free(prediction);
    pt_model_free(model);
    pt_dataset_free(data);
    return 0;
}
