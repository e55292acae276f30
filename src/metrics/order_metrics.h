/* How alike two orders of the same things are. */
#ifndef PT_METRICS_ORDER_METRICS_H
#define PT_METRICS_ORDER_METRICS_H

#include <stdint.h>

/* One thing: its place in the one order (smaller is better) and its score in the other (larger is
 * better). Equal places and equal scores are ties. */
typedef struct pt_placed {
    int64_t place;
    double score;
    double rank; /* work space */
} pt_placed;

/* Kendall's tau-b of m things: (P - Q) / sqrt((P + Q + T)(P + Q + U)) over their pairs, P of which
 * both orders have the same way round, Q the other way round, T and U that are tied in one order
 * alone. Reorders `placed`; `work` has room for 2 m numbers.
 * Spearman's rho: the correlation of ranks, ties at the mean of theirs.
 * Where all places are equal there is nothing to say: NaN. Where all scores are, and the places are
 * not, the scores say nothing: 0. Time: O(m log m). */
double pt_kendall_tau(pt_placed *placed, int64_t m, double *work);
double pt_spearman_rho(pt_placed *placed, int64_t m);

#endif
