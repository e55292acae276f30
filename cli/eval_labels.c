/* The metrics of an evaluation: names and values from the library's table. */
#include "eval_labels.h"

#include <math.h>
#include <string.h>

/* "hamming loss" */
static void put_words(const char *name, int width)
{
    char words[40];
    snprintf(words, sizeof words, "%s", name);
    for (char *c = words; *c; c++)
        *c = *c == '_' ? ' ' : *c;
    printf("  %-*s", width, words);
}

/* Fractions that tell of errors are percents, as the error itself; scores are numbers up to 1. */
static bool is_share(pt_metric metric)
{
    return metric == PT_METRIC_CONSTRAINT_ERROR || metric == PT_METRIC_VIOLATED_PAIRS ||
           metric == PT_METRIC_HAMMING_LOSS || metric == PT_METRIC_RANKING_LOSS ||
           metric == PT_METRIC_ONE_ERROR || metric == PT_METRIC_SUBSET_ACCURACY ||
           metric == PT_METRIC_TOP1_ACCURACY;
}

/* Told with the other figures of probabilities, with intervals. */
static bool is_of_probabilities(pt_metric metric)
{
    return metric == PT_METRIC_LOG_LOSS || metric == PT_METRIC_BRIER;
}

void eval_labels_print(const pt_evaluation *evaluation)
{
    printf("\nmetrics ('polytomy help eval' says what they are)\n");
    for (int m = PT_METRIC_ERROR + 1; pt_metric_name((pt_metric)m); m++) {
        const pt_metric metric = (pt_metric)m;
        const double value = pt_evaluation_metric(evaluation, metric);
        if (isnan(value) || is_of_probabilities(metric))
            continue;
        put_words(pt_metric_name(metric), 18);
        if (is_share(metric))
            printf("%8.2f %%\n", 100 * value);
        else
            printf("%8.4f\n", value);
    }
}

void eval_labels_json(json_t *object, const pt_evaluation *evaluation)
{
    for (int m = PT_METRIC_ERROR + 1; pt_metric_name((pt_metric)m); m++) {
        const double value = pt_evaluation_metric(evaluation, (pt_metric)m);
        if (!isnan(value) && !is_of_probabilities((pt_metric)m))
            json_object_set_new(object, pt_metric_name((pt_metric)m), cli_json_real(value));
    }
}
