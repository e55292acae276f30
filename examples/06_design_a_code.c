/* 06: a code designed for columns that are there already. A model learns the four quadrants of the
 * plane by one-vs-all lines, though no line parts a quadrant from the other three. A continuous
 * code on what the same lines say does better (Crammer and Singer): every class gets a row of real
 * numbers, and the row with the largest inner product with the outputs wins.
 *
 *     06_design_a_code
 */
#include <polytomy/experimental.h>
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

static double error_of(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    pt_report *evaluation = NULL;
    check(pt_model_predict(&prediction, model, data, -1, NULL, &err), &err);
    check(pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, &err), &err);
    const double error = pt_report_number(evaluation, "error");
    pt_report_free(evaluation);
    pt_prediction_free(prediction);
    return error;
}

/* The designed rows, one for each class. NULL: the code has a kernel on the outputs instead. */
static void print_rows(const pt_model *model)
{
    int64_t n_columns = 0;
    const double *rows = pt_model_designed_rows(model, &n_columns);
    for (int64_t r = 0; rows && r < pt_model_n_classes(model); r++) {
        printf("  class %s:", pt_model_class_name(model, r));
        for (int64_t s = 0; s < n_columns; s++)
            printf(" %6.2f", rows[r * n_columns + s]);
        printf("\n");
    }
}

int main(void)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_params *params = NULL;
    pt_model *discrete = NULL;
    pt_model *designed = NULL;
    check(pt_dataset_synth(&data, "cs", 400, NULL, &err), &err);

    check(pt_params_new(&params, &err), &err);
    check(pt_params_parse(params, "code=ova,learner=linear-svm", &err), &err);
    check(pt_model_train(&discrete, data, params, NULL, &err), &err);
    printf("one-vs-all, error %.1f %%\n", 100 * error_of(discrete, data));

    /* What the code is designed on are outputs of lines that have not seen the example: five more
     * trainings, on four fifths of the rows each. */
    check(pt_params_set(params, "norm", "2", &err), &err);
    check(pt_model_design(&designed, discrete, data, params, NULL, &err), &err);
    printf("the same lines, designed, error %.1f %%\n", 100 * error_of(designed, data));
    print_rows(designed);

    pt_model_free(designed);
    pt_model_free(discrete);
    pt_params_free(params);
    pt_dataset_free(data);
    return 0;
}
