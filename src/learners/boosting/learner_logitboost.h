#ifndef PT_LEARNERS_BOOSTING_LEARNER_LOGITBOOST_H
#define PT_LEARNERS_BOOSTING_LEARNER_LOGITBOOST_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_logitboost;

#endif
