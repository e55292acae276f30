/* 03: predict. Loads a model (from 00_quick, or `polytomy train`), reads a file whose columns are
 * matched with the model's, prints the class and its probability, and compares with the labels if
 * the file has them.
 *
 *     03_predict iris.model data/iris.csv
 */
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

/* The first few predictions, each with the probability of the class that was chosen. */
static void print_some(const pt_model *model, const pt_prediction *prediction)
{
    pt_error err = PT_ERROR_INIT;
    int64_t n = pt_prediction_n_examples(prediction), k = pt_model_n_classes(model);
    double *proba = malloc(sizeof(double) * (size_t)n * (size_t)k); /* n x k, row-major */
    if (!proba)
        exit(1);
    check(pt_prediction_proba(prediction, proba, &err), &err);

    const int64_t *labels = pt_prediction_labels(prediction);
    for (int64_t i = 0; i < n && i < 5; i++)
        printf("%lld: %s (%.3f)\n", (long long)i + 1, pt_model_class_name(model, labels[i]),
               proba[i * k + labels[i]]);
    free(proba);
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s MODEL DATA\n", argv[0]);
        return 2;
    }

    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    check(pt_model_load(&model, argv[1], NULL, &err), &err);
    check(pt_model_read(&data, model, argv[2], NULL, NULL, &err), &err);
    check(pt_model_predict(&prediction, model, data, -1, NULL, &err), &err);
    print_some(model, prediction);

    if (pt_dataset_n_classes(data) > 0) {
        pt_report *evaluation = NULL;
        check(pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, &err), &err);
        printf("error: %.2f percent of %lld examples\n",
               100 * pt_report_number(evaluation, "error"),
               (long long)pt_report_integer(evaluation, "n_examples"));
        pt_report_free(evaluation);
    }

    pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
    return 0;
}
