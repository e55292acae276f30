/* Logistic regression under a code. */
#ifndef PT_LEARNERS_LEARNER_LOGISTIC_H
#define PT_LEARNERS_LEARNER_LOGISTIC_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_logistic;

#endif
