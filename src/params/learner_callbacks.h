/* The callbacks of a learner that a program brings, as parameters keep them. */
#ifndef PT_PARAMS_LEARNER_CALLBACKS_H
#define PT_PARAMS_LEARNER_CALLBACKS_H

#include "base/error.h"

/* Refuses what cannot be used; `known` are the names of the library's learners: "a|b". */
pt_status pt_callbacks_check(const pt_learner_callbacks *learner, const char *known, pt_error *err);
/* A copy with a name of its own. */
pt_status pt_callbacks_copy(pt_learner_callbacks **out, const pt_learner_callbacks *learner,
                            pt_error *err);
void pt_callbacks_free(pt_learner_callbacks *learner);

#endif
