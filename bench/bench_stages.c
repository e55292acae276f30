/* All stages of a boosted model in one pass over its rounds (pt_model_outputs), beside as many
 * predictions.
 *
 *   bench_stages TRAIN TEST OPTIONS STAGES
 *
 * One thread; prints processor milliseconds, the least of some alternating turns, and whether the
 * scores are the same. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "polytomy/polytomy.h"

enum { TURNS = 5 };

static void need(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

static double milliseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static double lesser(double a, double b)
{
    return a < b ? a : b;
}

int main(int argc, char **argv)
{
    if (argc != 5)
        return 2;
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_dataset *train = NULL;
    pt_dataset *test = NULL;
    pt_model *model = NULL;
    pt_report *report = NULL;
    need(pt_params_new(&params, &err), &err);
    need(pt_params_parse(params, argv[3], &err), &err);
    need(pt_task_new(&task, &err), &err);
    need(pt_task_set(task, "threads", 1, &err), &err);
    need(pt_dataset_read(&train, argv[1], params, task, &err), &err);
    need(pt_model_train(&model, train, params, task, &err), &err);
    need(pt_model_read(&test, model, argv[2], params, task, &err), &err);
    need(pt_model_report(&report, model, &err), &err);
    const int64_t all = pt_report_integer(report, "n_rounds");
    const int64_t n_stages = strtol(argv[4], NULL, 10);
    const size_t cells = (size_t)(pt_dataset_n_examples(test) * pt_model_n_classes(model));
    pt_report_free(report);
    int64_t *rounds = calloc((size_t)n_stages, sizeof *rounds);
    if (!rounds || n_stages < 1 || n_stages > all)
        return 2;
    for (int64_t t = 0; t < n_stages; t++)
        rounds[t] = (t + 1) * all / n_stages;
    double pass = 1e300;
    double predictions = 1e300;
    double one = 1e300;
    int same = 1;
    for (int turn = 0; turn < TURNS; turn++) {
        double begun = milliseconds();
        need(pt_model_outputs(&report, model, test, rounds, n_stages, task, &err), &err);
        pass = lesser(pass, milliseconds() - begun);
        const double *scores = pt_report_find(report, "stage_scores")->values;
        double sum = 0;
        for (int64_t t = 0; t < n_stages; t++) {
            pt_prediction *p = NULL;
            begun = milliseconds();
            need(pt_model_predict(&p, model, test, rounds[t], task, &err), &err);
            const double took = milliseconds() - begun;
            sum += took;
            if (t == n_stages - 1)
                one = lesser(one, took);
            same = same && memcmp(pt_prediction_scores(p), scores + (size_t)t * cells,
                                  cells * sizeof *scores) == 0;
            pt_prediction_free(p);
        }
        predictions = lesser(predictions, sum);
        pt_report_free(report);
    }
    printf("%lld rows, %lld rounds, %lld stages: one pass %.1f ms, predictions %.1f ms (the last "
           "%.2f), %.1f times; %s scores\n",
           (long long)pt_dataset_n_examples(test), (long long)all, (long long)n_stages, pass,
           predictions, one, predictions / pass, same ? "the same" : "OTHER");
    free(rounds);
    pt_model_free(model);
    pt_dataset_free(test);
    pt_dataset_free(train);
    pt_task_free(task);
    pt_params_free(params);
    return !same;
}
