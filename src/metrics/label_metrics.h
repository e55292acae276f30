/* Figures of scores against labels of any kind, collected example by example; docs/metrics.md says
 * what each is. One place for evaluation, for searches and for comparisons. */
#ifndef PT_METRICS_LABEL_METRICS_H
#define PT_METRICS_LABEL_METRICS_H

#include <stdbool.h>

#include "data/labels/labels.h"
#include "metrics/auc.h"
#include "metrics/order_metrics.h"
#include "polytomy/polytomy.h"

/* Figures of scores against labels; docs/metrics.md defines each, and says what ties, empty sets
 * and partial rankings count. Fractions but for the correlations and coverage. */
typedef enum pt_metric {
    PT_METRIC_ERROR = 0,              /* share of examples whose label is not the prediction */
    PT_METRIC_CONSTRAINT_ERROR = 1,   /* with a pair of classes in the wrong order */
    PT_METRIC_VIOLATED_PAIRS = 2,     /* share of all pairs that are */
    PT_METRIC_KENDALL_TAU = 3,        /* rankings: mean of tau-b */
    PT_METRIC_SPEARMAN_RHO = 4,       /* rankings: mean correlation of ranks */
    PT_METRIC_TOP1_ACCURACY = 5,      /* classes, rankings: a best class comes first */
    PT_METRIC_HAMMING_LOSS = 6,       /* sets, as all that follow: share of (example, class) */
    PT_METRIC_SUBSET_ACCURACY = 7,    /* 1 - error */
    PT_METRIC_MICRO_F1 = 8,           /* sets and classes */
    PT_METRIC_MACRO_F1 = 9,           /* sets and classes */
    PT_METRIC_RANKING_LOSS = 10,      /* mean share of (member, other) in the wrong order */
    PT_METRIC_COVERAGE = 11,          /* mean number of classes down to the worst member */
    PT_METRIC_AVERAGE_PRECISION = 12, /* of the ranking of the classes, mean over examples */
    PT_METRIC_ONE_ERROR = 13,         /* the first class is not a member */
    PT_METRIC_BALANCED_ACCURACY = 14, /* classes: mean of their recalls */
    PT_METRIC_LOG_LOSS = 15,          /* of probabilities; sets and classes */
    PT_METRIC_BRIER = 16,             /* the same */
    PT_METRIC_BALANCED_ERROR = 17,    /* classes, as all that follow: 1 - balanced accuracy */
    PT_METRIC_MCC = 18,               /* Matthews' correlation coefficient */
    PT_METRIC_KAPPA = 19,             /* Cohen's */
    PT_METRIC_AUC_OVR = 20,           /* of probabilities: mean over classes against the rest */
    PT_METRIC_AUC_OVO = 21,           /* of probabilities: mean over pairs of classes */
    PT_METRIC_TOP_K_ACCURACY = 22,    /* share of examples with the class among the first few */
    PT_METRIC_COST = 23               /* mean cost of the predicted class */
} pt_metric;

/* Its name, "kendall_tau", as in JSON; with dashes, a value of the parameter "metric". NULL from
 * the first number on that is no figure. */
const char *pt_metric_name(pt_metric metric);
int pt_metric_larger_is_better(pt_metric metric);
/* "kendall_tau_interval" */
const char *pt_metric_interval_name(pt_metric metric);
/* Whether it is a share of the examples, of labels of this kind. */
bool pt_metric_is_share(pt_metric metric, pt_label_kind kind);

/* These judge probabilities: scores must be their logarithms (pt_probabilities_log). */
enum {
    PT_AUC_METRICS = 1 << PT_METRIC_AUC_OVR | 1 << PT_METRIC_AUC_OVO,
    PT_PROBABILITY_METRICS = PT_AUC_METRICS | 1 << PT_METRIC_LOG_LOSS | 1 << PT_METRIC_BRIER
};

/* What some metrics are told. */
typedef struct pt_metric_rules {
    int64_t top_k;       /* so many first classes */
    const double *costs; /* k x k of the known classes, row: the true one; NULL: no cost */
} pt_metric_rules;

#define PT_METRIC_RULES ((pt_metric_rules){.top_k = 2})

/* Probabilities that are judged: one of an example, or one of each class of a set. */
typedef struct pt_judged_rows {
    int64_t n;
    double log_loss; /* sums over those */
    double brier;
} pt_judged_rows;

/* Classes from n_known on are in the labels and not in the scores: the machine does not know them.
 * They come after all others in every order, before nothing, and are in no set. */
typedef struct pt_tally {
    const pt_labels *labels;
    unsigned wanted; /* bits 1 << pt_metric */
    pt_metric_rules rules;
    bool one_class; /* labels are classes */
    int64_t k;
    int64_t n_known;
    int64_t n; /* examples added: those with a label */
    int64_t wrong;
    int64_t inconsistent; /* with a violated pair */
    int64_t violated;     /* pairs */
    int64_t pairs;
    int64_t n_ranked; /* rankings that tell some class from another */
    double kendall;   /* sums over those */
    double spearman;
    int64_t top1;
    int64_t top_k; /* whose class is among the first few */
    double cost;
    int64_t n_costed;   /* whose class is known */
    int64_t *judged_of; /* n_judged: classes of the examples whose probabilities are kept, ... */
    double *proba;      /* n_judged x n_known: and these; NULL: no area is wanted */
    int64_t n_judged;
    pt_auc_means auc;   /* NaN before pt_tally_finish */
    int64_t n_nonempty; /* sets that are not empty */
    int64_t one_error;  /* of those */
    double ranking_loss;
    double coverage;
    double average_precision;
    pt_judged_rows judged; /* of all examples */
    pt_judged_rows last;   /* of the one that was added last */
    int64_t *both;         /* k: examples whose label and whose prediction have the class */
    int64_t *true_only;    /* k: whose label alone has it */
    int64_t *said_only;    /* k: whose prediction alone has it */
    double *scores;        /* k: one example's, the unknown classes' added */
    pt_placed *placed;     /* k */
    pt_member *member;     /* k */
    double *work;          /* 2 k */
} pt_tally;

/* Of scores of n_known classes, which are the first of the labels' classes. `labels` is lent, and
 * so are the costs of `rules` (NULL: PT_METRIC_RULES). */
pt_status pt_tally_init(pt_tally *tally, const pt_labels *labels, int64_t n_known, unsigned wanted,
                        const pt_metric_rules *rules, pt_error *err);
void pt_tally_free(pt_tally *tally);

/* Adds example i, if it has a label; returns whether its scores are right (as pt_label_is_right
 * says where all classes are known). */
bool pt_tally_add(pt_tally *tally, int64_t i, const double *scores);

/* Areas under curves are there when all examples have been added, and this has been called. */
pt_status pt_tally_finish(pt_tally *tally, const pt_task *task, pt_error *err);

/* NaN where the kind of labels has no such metric, or no example has it. */
double pt_tally_metric(const pt_tally *tally, pt_metric metric);

/* *part, *whole <- the sums over examples that the metric is the quotient of: false where it is
 * none. Adding an example adds to both what it has to do with them. */
bool pt_tally_parts(const pt_tally *tally, pt_metric metric, double *part, double *whole);

/* Precision, recall and F1 of a class: NaN where it was never predicted, or never true; 0 where it
 * was neither. */
double pt_tally_precision(const pt_tally *tally, int64_t r);
double pt_tally_recall(const pt_tally *tally, int64_t r);
double pt_tally_f1(const pt_tally *tally, int64_t r);

/* All metrics that labels of a kind have, as bits; and the one of a name, or -1. */
unsigned pt_metrics_of(pt_label_kind kind);
int pt_metric_find(const char *name);

#endif
