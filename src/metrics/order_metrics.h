/* What an order of scores says of one example: against another order, and against a set. */
#ifndef PT_METRICS_ORDER_METRICS_H
#define PT_METRICS_ORDER_METRICS_H

#include <stdint.h>

/* ---- two orders ------------------------------------------------------------------------------ */

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

/* ---- the set of classes that are right ------------------------------------------------------- */

/* What the order of the scores says of a set of m members among k classes. */
typedef struct pt_set_order {
    int64_t violated;    /* pairs (member, other) that are not in order, ties by lower index */
    double ranking_loss; /* the share of pairs in which the other class scores as much or more;
                                 0 where there are no pairs */
    double coverage;     /* how many classes score as much as the worst member; 0 without one */
    double average_precision; /* mean over members of the share of members among the classes that
                                 score as much; 1 where there are no pairs */
} pt_set_order;

/* A member while it is sorted. */
typedef struct pt_member {
    double score;
    int64_t class_index;
    int64_t others; /* other classes whose place is between this member and the one before */
    int64_t tied;   /* the same, where ties are before the member */
} pt_member;

/* `members`: m classes, ascending; of the k classes those from n_known on come before nothing, and
 * have the score -INFINITY. `work` has room for m. Time: O((k + m) log m). */
pt_set_order pt_set_order_of(const double *scores, int64_t k, int64_t n_known,
                             const int64_t *members, int64_t m, pt_member *work);

#endif
