/* The linear support vector machine: no kernel, any number of rows. */
#ifndef PT_LEARNERS_LEARNER_LINEAR_SVM_H
#define PT_LEARNERS_LEARNER_LINEAR_SVM_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_linear_svm;

#endif
