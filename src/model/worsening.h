/* How much worse a metric gets where scores of the same rows change, with an interval: what
 * importance.c says of columns. */
#ifndef PT_MODEL_WORSENING_H
#define PT_MODEL_WORSENING_H

#include "metrics/intervals.h"
#include "metrics/metric_rules.h"
#include "metrics/reliability.h"
#include "model/model.h"

/* The scores of all rows, judged one after the other: first as they are, then changed, any number
 * of times. Zero-initialise; free it always. `model` and `labels` are lent, and so are groups. */
typedef struct pt_worsening {
    const pt_model *model;
    const pt_labels *labels; /* in the model's classes; every row has one */
    int64_t n;
    int64_t k; /* classes of the model */
    pt_metric metric;
    pt_metric_rules rules;
    int64_t *group; /* n, 0 .. n_groups - 1: rows that come together; NULL: each by itself */
    int64_t n_groups;
    int64_t times; /* draws, for a metric that is no quotient of sums over rows */
    uint64_t seed;
    const pt_task *task;

    /* of the scores that are judged now: */
    pt_tally tally;
    pt_reliability reliability;
    double *proba;     /* k */
    int64_t next;      /* rows so far */
    double *part;      /* n: what each row adds to the sums that the metric is the quotient of; */
    double *whole;     /* NULL: it is none */
    int64_t *said;     /* n: predicted classes; NULL: no draws of classes */
    unsigned char *in; /* n x k of the labels: of sets, as in pt_drawn_rows */
    double *probas;    /* n x k; NULL: no area is asked for */

    double value;     /* as they are */
    double *at_first; /* n: what each row does to the quotient: its variance is made of these */
    double *drawn_at_first; /* times */

    /* since pt_worsening_begin: */
    int64_t count;
    double sum;     /* of worsenings */
    double *change; /* n: sums of the same numbers */
    double *drawn;  /* times */
    double *work;   /* PT_N_DRAWN x times, or n_groups */
} pt_worsening;

/* Of `params` (NULL: the defaults) count metric, top-k, costs, intervals and seed. group: n, any
 * numbers; NULL: none. */
pt_status pt_worsening_init(pt_worsening *w, const pt_model *model, const pt_labels *labels,
                            const int64_t *group, const pt_params *params, const pt_task *task,
                            pt_error *err);
void pt_worsening_free(pt_worsening *w);
double pt_worsening_bytes(const pt_worsening *w);

/* Scores (k each) of rows 0, 1, ... n - 1, in this order, between open and close; *value <- the
 * metric. */
pt_status pt_worsening_open(pt_worsening *w, pt_error *err);
void pt_worsening_row(pt_worsening *w, const double *scores);
pt_status pt_worsening_close(pt_worsening *w, double *value, pt_error *err);
/* The scores that were judged, the first of all, and whose metric is `value`, are those as they
 * are. */
void pt_worsening_keep(pt_worsening *w, double value);

/* Between begin and end all that is judged is a change; `same` is one that changes nothing. *mean
 * <- by how much the metric is worse, over all of them, and the interval of 95 percent; NaN: none.
 */
void pt_worsening_begin(pt_worsening *w);
void pt_worsening_same(pt_worsening *w);
pt_interval pt_worsening_end(pt_worsening *w, double *mean);

#endif
