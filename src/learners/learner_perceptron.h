/* The perceptron, averaged or passive-aggressive, for the columns of a code. */
#ifndef PT_LEARNERS_LEARNER_PERCEPTRON_H
#define PT_LEARNERS_LEARNER_PERCEPTRON_H

#include "learners/learner.h"

extern const pt_learner_ops pt_learner_perceptron;

#endif
