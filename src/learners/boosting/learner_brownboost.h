#ifndef PT_LEARNERS_BOOSTING_LEARNER_BROWNBOOST_H
#define PT_LEARNERS_BOOSTING_LEARNER_BROWNBOOST_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_brownboost;

#endif
