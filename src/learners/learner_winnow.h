/* Balanced Winnow for the columns of a code. */
#ifndef PT_LEARNERS_LEARNER_WINNOW_H
#define PT_LEARNERS_LEARNER_WINNOW_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_winnow;

#endif
