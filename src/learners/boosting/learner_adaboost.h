/* AdaBoost on decision stumps. */
#ifndef PT_LEARNERS_BOOSTING_LEARNER_ADABOOST_H
#define PT_LEARNERS_BOOSTING_LEARNER_ADABOOST_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_adaboost;

#endif
