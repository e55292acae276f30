/* How good predictions are: what an evaluation holds, and its figures. Those outside get them as a
 * report (evaluation_report.c). */
#ifndef PT_MODEL_EVALUATION_H
#define PT_MODEL_EVALUATION_H

#include "metrics/intervals.h"
#include "metrics/metric_rules.h"
#include "metrics/reliability.h"
#include "model/evaluation_decisions.h"
#include "model/model.h"
#include "polytomy/experimental.h"
#include "report/report.h"
#include "theory/boost_margin.h"
#include "theory/diagnosis.h"

/* A model after some of its rounds. */
typedef struct pt_stage {
    int64_t rounds;
    pt_diagnosis diagnosis;
    pt_boost_margins margins; /* capacity 0: it has none */
} pt_stage;

/* Figures beside those of pt_metric that have intervals. */
enum { PT_FIGURE_EXPECTED_ERROR = 100, PT_FIGURE_CALIBRATION_ERROR, PT_MOST_RATIOS = 24 };

/* What intervals are drawn from. */
typedef struct pt_evaluation_rows {
    int64_t times; /* draws; 0: none, and nothing of what follows but group */
    uint64_t seed;
    int64_t *group; /* n: equal numbers are drawn together; NULL: each row by itself */
    int n_ratios;
    int ratio[PT_MOST_RATIOS]; /* figures that are quotients of sums over rows */
    double before[2 * PT_MOST_RATIOS];
    int64_t n;
    double *part; /* n x n_ratios: what a row adds to these sums */
    double *whole;
    double *excess;    /* n x PT_RELIABILITY_BINS: and to those of bins; NULL: not drawn */
    int64_t *said;     /* n: predicted classes; NULL: labels are no classes */
    unsigned char *in; /* n x k: of sets, as in pt_drawn_rows; NULL: they are none */
    pt_interval interval[PT_MOST_RATIOS + PT_N_DRAWN];
} pt_evaluation_rows;

typedef struct pt_evaluation {
    pt_label_kind label_kind; /* of the labels that were compared with */
    int64_t n;                /* examples with a label */
    int64_t k;                /* model's classes, then unseen ones */
    pt_texts classes;
    pt_warnings warnings;
    int64_t n_rows; /* with and without a label */
    pt_tally tally;
    int64_t *naming;      /* k: examples whose label names the class */
    int64_t n_unknown;    /* examples whose label names one that the model does not know */
    int64_t n_unlabelled; /* rows without label, which are not compared */
    /* of class labels: */
    int64_t *class_of;  /* n_rows: the class of each row, -1: none; NULL: other labels */
    int64_t n_known;    /* classes of the model, which are those that it says */
    int64_t *confusion; /* k x n_known: truth, predicted; NULL: other labels */
    double expected_wrong;
    double *margin; /* of rows whose class the model knows, sorted */
    int64_t n_margins;
    int64_t margin_room;
    int64_t margin_step; /* that of every so many rows is kept, where there is no room for all */
    int64_t n_with_margin;
    double *proba;         /* of one example: as many as the model has classes */
    const double *given;   /* rows x k: probabilities of the rows; NULL: they are made of scores */
    bool no_probabilities; /* and not even that */
    pt_metric_rules rules;
    pt_decided decided;
    int64_t n_kept; /* examples of which this is kept: */
    int64_t *truth; /* n_kept: their classes; NULL: there is no room for all examples */
    double *probas; /* n_kept x n_known; NULL: the same, or there are none */
    pt_auc_means auc;
    pt_evaluation_rows rows;
    pt_reliability reliability;
    int64_t rounds;         /* after which predictions and diagnosis are; -1: all */
    pt_diagnosis diagnosis; /* code.ell = 0: none */
    bool decoded;           /* by that code; else a designed one stands in its place */
    pt_stage *stage;
    int64_t n_stages;
    double vc; /* a bound on the VC-dimension of the base hypotheses; NaN: not known */
    int64_t n_training;
} pt_evaluation;

void pt_evaluation_free(pt_evaluation *e);

/* Room for what intervals of n examples at most are drawn from.*/
pt_status pt_evaluation_rows_init(pt_evaluation *e, bool grouped, int64_t n, bool probabilities,
                                  const pt_params *params, pt_error *err);
void pt_evaluation_rows_free(pt_evaluation_rows *rows);
/* Before and after example i, with the class `said`, was counted. */
void pt_evaluation_row_begin(pt_evaluation *e);
void pt_evaluation_row_end(pt_evaluation *e, const pt_labels *labels, int64_t i,
                           const double *scores, int64_t n_known, int64_t said, int64_t group);
/* When all are counted; auc NULL: there are no areas. */
pt_status pt_evaluation_draw(pt_evaluation *e, const pt_auc *auc, const pt_task *task,
                             pt_error *err);
/* Of a pt_metric or another figure; NaN: none. */
pt_interval pt_evaluation_interval(const pt_evaluation *e, int figure);

#define PT_REPORT_EVALUATION "evaluation"
/* *out <- the report of an evaluation, which it owns from then on. */
pt_status pt_evaluation_report(pt_report **out, pt_evaluation *e, pt_error *err);
/* *e <- the evaluation of a report to which items are added that it may have once: not `first`. */
pt_status pt_evaluation_of_report(pt_evaluation **e, const pt_report *report, const char *first,
                                  pt_error *err);

/* Adds the quantiles of ascending numbers at these places, and these, as "quantile"; no numbers:
 * nothing. */
enum { PT_N_QUANTILES = 7 };
extern const double pt_quantiles[PT_N_QUANTILES];
pt_status pt_report_add_quantiles(pt_report *report, const char *name, const double *sorted,
                                  int64_t n, pt_error *err);

/* The loss that the model decodes with, else that of its learner. */
const pt_loss *pt_evaluation_decoding_loss(const pt_model *model, const pt_loss *learned);
/* Refuses labels that the model's scores say nothing of. */
pt_status pt_evaluation_check_kinds(const pt_model *model, const pt_dataset *data, pt_error *err);
/* Warns where the rows, all of them, are those that the model was trained on. */
pt_status pt_warn_of_training(pt_warnings *warnings, const pt_model *model, const pt_dataset *data,
                              const pt_task *task, pt_error *err);
/* Refuses data that the evaluation is not of. */
pt_status pt_evaluation_check_data(const pt_evaluation *e, const pt_model *model,
                                   const pt_dataset *data, pt_error *err);
void pt_evaluation_free_stages(pt_evaluation *e);

static inline void pt_evaluation_free_at(pt_evaluation **address) /* for PT_FREED_BY */
{
    pt_evaluation_free(*address);
}

#endif
