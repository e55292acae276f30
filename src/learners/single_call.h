/* One call of a learner for all columns of a code (ASS sections 3 and 5): the column is an
 * attribute of the instance.
 *
 * Examples are (x, s) on the side M(y, s), for every row and every column in which its class takes
 * part. What comes out is a learner like any other, with an output for each column. */
#ifndef PT_LEARNERS_SINGLE_CALL_H
#define PT_LEARNERS_SINGLE_CALL_H

#include "learners/learner.h"

/* The learner of the parameters, called once for all columns where --single-call says so; without
 * a name where there is none. */
pt_learner_ops pt_learner_for_code(const pt_params *params);

/* Of rows of d features: how many those of the examples have, and how many examples there are. */
int64_t pt_single_call_width(const pt_learner_ops *learner, int64_t d, int64_t ell);
int64_t pt_single_call_examples(const pt_columns *columns);

#endif
