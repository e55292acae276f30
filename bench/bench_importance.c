/* Importance of columns against one evaluation.
 *
 *   bench_importance MODEL DATA
 *
 * Prints the seconds of an evaluation, with its intervals and without their draws, those of
 * importance, and these over each of the first and the number of columns: the least of five rounds
 * each, on the clock. */
#include <stdio.h>
#include <stdlib.h>

#include "base/task.h"
#include "polytomy/polytomy.h"

enum { ROUNDS = 5 };

static void need(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

int main(int argc, char **argv)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    pt_params *params = NULL;
    double one = 1e9;
    double bare = 1e9;
    double all = 1e9;
    int64_t columns = 0;
    if (argc < 3)
        return 2;
    need(pt_model_load(&model, argv[1], NULL, &err), &err);
    need(pt_params_new(&params, &err), &err);
    need(pt_params_set(params, "intervals", "0", &err), &err);
    need(pt_model_read(&data, model, argv[2], NULL, NULL, &err), &err);
    for (int round = 0; round < ROUNDS; round++) {
        pt_report *report = NULL;
        const double begin = pt_seconds();
        need(pt_model_evaluate(&report, model, data, NULL, NULL, NULL, &err), &err);
        const double without = pt_seconds();
        pt_report_free(report);
        need(pt_model_evaluate(&report, model, data, NULL, params, NULL, &err), &err);
        const double middle = pt_seconds();
        pt_report_free(report);
        need(pt_model_importance(&report, model, data, NULL, NULL, &err), &err);
        const double end = pt_seconds();
        columns = pt_report_length(report, "column");
        pt_report_free(report);
        one = without - begin < one ? without - begin : one;
        bare = middle - without < bare ? middle - without : bare;
        all = end - middle < all ? end - middle : all;
    }
    printf("evaluation %.4f s, %.4f s without draws; importance of %lld columns %.3f s: %.2f and "
           "%.2f evaluations a column\n",
           one, bare, (long long)columns, all, all / one / (double)columns,
           all / bare / (double)columns);
    pt_params_free(params);
    pt_dataset_free(data);
    pt_model_free(model);
    return 0;
}
