/* The support vector machine. */
#ifndef PT_LEARNERS_LEARNER_SVM_H
#define PT_LEARNERS_LEARNER_SVM_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_svm;

#endif
