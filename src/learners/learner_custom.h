/* A learner that a program brings (polytomy.h, pt_learner_callbacks). */
#ifndef PT_LEARNERS_LEARNER_CUSTOM_H
#define PT_LEARNERS_LEARNER_CUSTOM_H

#include "learners/learner.h"

/* Its table entry. The name is borrowed. */
pt_learner_ops pt_learner_custom(const pt_learner_callbacks *callbacks);

#endif
