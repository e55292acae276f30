/* The rounds of AdaBoost called once for all columns of a code: AdaBoost.MO with a base learner
 * that sees the column as an attribute (ASS section 5). */
#ifndef PT_MACHINES_CODES_CODE_VOTES_H
#define PT_MACHINES_CODES_CODE_VOTES_H

#include "learners/learner.h"
#include "theory/boost_margin.h"

/* Zero-initialise; free it always. */
typedef struct pt_code_votes {
    int64_t n; /* rounds; 0: the hypotheses are not known to say +1 or -1 */
    double *alpha;
    double *error;
} pt_code_votes;

/* From the trees of a learner with one column. */
pt_status pt_code_votes_init(pt_code_votes *votes, const pt_learner *learner,
                             const pt_params *params, pt_error *err);
void pt_code_votes_free(pt_code_votes *votes);

#endif
