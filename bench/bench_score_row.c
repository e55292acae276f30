/* One row through a scorer, again and again.
 *
 *   bench_score_row MODEL TABLE
 *
 * Prints the microseconds of a row, scores, and label: processor time, the least and the median. */
#include "bench_row.h"

typedef struct scoring {
    pt_scorer *scorer;
    double *scores;
} scoring;

static void score_one(void *context, const double *row)
{
    const scoring *s = context;
    int64_t label = 0;
    pt_error err = PT_ERROR_INIT;
    need(pt_scorer_f64(s->scorer, row, s->scores, NULL, &label, &err), &err);
}

int main(int argc, char **argv)
{
    if (argc < 3)
        return 2;
    setting set = read_setting(argv[1], argv[2]);
    scoring s = {NULL, calloc((size_t)pt_model_n_classes(set.model), sizeof(double))};
    pt_error err = PT_ERROR_INIT;
    need(pt_scorer_new(&s.scorer, set.model, NULL, &err), &err);
    time_rows(&set, score_one, &s);
    pt_scorer_free(s.scorer);
    pt_model_free(set.model);
    free(s.scores);
    free(set.row);
    return 0;
}
