/* 02: cross-validation over a grid. The held-out scores of every fold come in closed form from one
 * factorisation a grid point, so that a whole grid costs about as much as a few trainings. Then a
 * model is trained on all the data with the best parameters.
 *
 *     02_cross_validation data/iris.csv
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

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: %s DATA\n", argv[0]);
        return 2;
    }

    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_params *params = NULL;
    pt_report *search = NULL;
    pt_params *chosen = NULL; /* the best point */
    check(pt_dataset_read(&data, argv[1], NULL, NULL, &err), &err);

    /* Parameters go by name, with the same names and values as on the command line. */
    check(pt_params_new(&params, &err), &err);
    check(pt_params_set(params, "folds", "10", &err), &err);
    check(pt_params_set(params, "repeat", "3", &err), &err);
    check(pt_params_set(params, "grid", "ridge=2^-4:2^4,sigma=2^-2:2^2", &err), &err);
    const pt_params *machines[] = {params}; /* one machine; several share their folds */
    check(pt_cross_validate(&search, &chosen, data, machines, 1, NULL, &err), &err);

    int64_t best = pt_report_integer(search, "best");
    printf("%lld points, %s\n", (long long)pt_report_integer(search, "n_points"),
           pt_report_text(search, "method"));
    for (int64_t a = 0; a < pt_report_length(search, "axis"); a++)
        printf("best %s: %s\n", pt_report_text_at(search, "axis", a, 0, 0),
               pt_report_text_at(search, "point", best, a, 0));
    printf("its error: %.2f percent in the mean of %lld partitions\n",
           100 * pt_report_number_at(search, "error", best, 0, 0),
           (long long)pt_report_integer(search, "n_repeats"));

    pt_model *model = NULL;
    check(pt_model_train(&model, data, chosen, NULL, &err), &err);
    printf("trained: %s, ridge %s, sigma %s\n", pt_model_param(model, "machine"),
           pt_model_param(model, "ridge"), pt_model_param(model, "sigma"));

    pt_model_free(model);
    pt_params_free(chosen);
    pt_report_free(search);
    pt_params_free(params);
    pt_dataset_free(data);
    return 0;
}
