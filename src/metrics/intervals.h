/* Intervals of 95 percent around figures, by drawing rows again: each time as many as there are,
 * with replacement, or whole groups of them (the bootstrap, by percentiles). */
#ifndef PT_METRICS_INTERVALS_H
#define PT_METRICS_INTERVALS_H

#include "base/task.h"
#include "metrics/auc.h"

typedef struct pt_interval {
    double low; /* NaN: there is none */
    double high;
} pt_interval;

/* Figures of a draw that are no quotients of sums over rows. They follow those that are. */
typedef enum pt_drawn_figure {
    PT_DRAWN_MACRO_F1,
    PT_DRAWN_BALANCED_ACCURACY,
    PT_DRAWN_MCC,
    PT_DRAWN_KAPPA,
    PT_DRAWN_AUC_OVR,
    PT_DRAWN_AUC_OVO,
    PT_N_DRAWN
} pt_drawn_figure;

/* What figures are made of, row by row. */
typedef struct pt_drawn_rows {
    int64_t n;
    int64_t n_groups;
    const int64_t *group; /* n, 0 .. n_groups - 1; NULL: each row is one */
    int64_t n_ratios;
    const double *part;      /* n x n_ratios: a figure is the sum of parts over that of wholes */
    const double *whole;     /* n x n_ratios */
    int64_t k;               /* classes of labels and predictions; 0: no figure of classes */
    const int64_t *truth;    /* n; NULL: */
    const int64_t *said;     /* n */
    const unsigned char *in; /* n x k: 1 where the label has the class, + 2: the prediction has */
    const pt_auc *auc;       /* of the same rows; NULL: no areas */
} pt_drawn_rows;

/* How many draws take about a tenth of a second: 1000 at most, and where that is not even 100, 0.
 * It depends on nothing but these numbers. */
int64_t pt_draws_for(const pt_drawn_rows *rows);

/* value ((n_ratios + PT_N_DRAWN) x times, row-major) <- the figures of each draw; NaN: it has none.
 * What is drawn depends on n, the groups, the seed and the number of the draw alone. */
pt_status pt_draw_figures(double *value, const pt_drawn_rows *rows, int64_t times, uint64_t seed,
                          const pt_task *task, pt_error *err);
/* Between their 2.5 and 97.5 percent points; sorts them. NaN: all of them are. */
pt_interval pt_interval_of(double *value, int64_t n);

/* interval[n_ratios + PT_N_DRAWN] <- from `times` draws. A draw in which a figure has no value says
 * nothing of it. NaN: fewer than two groups, or none had a value. The same on any number of
 * threads. */
pt_status pt_draw_intervals(pt_interval *interval, const pt_drawn_rows *rows, int64_t times,
                            uint64_t seed, const pt_task *task, pt_error *err);

#endif
