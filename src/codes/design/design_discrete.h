/* Discrete design: a code of a few allowed entries for given outputs (CS sections 2 to 4).
 *
 * Class r has the score M_r . h(x); H(x) are the classes with the largest one, among which chance
 * decides. What is minimised is the expected error on the examples (CS eq. (1)),
 *
 *     eps(M) = 1 - (1/W) sum_i w_i [y_i in H(x_i)] / |H(x_i)|,      W = sum_i w_i,
 *
 * so that a tie of q classes counts 1/q for each. With outputs and entries of -1 and +1 that is
 * Hamming decoding; outputs may be any real numbers.
 *
 * The best M is NP-hard to find even for two classes (CS Theorem 2), so that there is a choice:
 *
 *     column   each column as if it were the only one: Theorem 1, O(ell (m + k^2 log k))
 *     greedy   one column after another, each the best one given those before it
 *     local    changes of single entries from several starts, with kicks; the default
 *     exact    branch and bound, begun with what local finds
 */
#ifndef PT_CODES_DESIGN_DESIGN_DISCRETE_H
#define PT_CODES_DESIGN_DESIGN_DISCRETE_H

#include "codes/design/design.h"

typedef struct pt_discrete_result {
    double error;  /* eps(M) */
    double bound;  /* no code has a smaller error; 0 where nothing is known */
    bool proven;   /* M is the best there is */
    int64_t nodes; /* of branch and bound */
} pt_discrete_result;

/* M (k x ell, row-major) <- the code; columns that are fixed are read from it. costs and
 * margin of the data are not looked at. The same bytes for any number of threads. */
pt_status pt_design_discrete(int8_t *M, const pt_design_data *data,
                             const pt_discrete_options *options, pt_discrete_result *result,
                             const pt_task *task, pt_error *err);

/* *error <- eps(M) of any entries. Time: O(m k ell). */
pt_status pt_discrete_error(double *error, const pt_design_data *data, const int8_t *M,
                            pt_error *err);

#endif
