/* Callbacks that a program brings: what those of learners and of kernels have in common, and those
 * of a learner as parameters keep them. */
#ifndef PT_PARAMS_CALLBACKS_H
#define PT_PARAMS_CALLBACKS_H

#include <stdbool.h>

#include "base/error.h"

/* own <- a program's struct, of which only `size` bytes may be read: what it lacks, being of an
 * earlier version, is 0; what this version does not know must be. `first_size`: that of the first
 * version, the least there is. `what`: "learner". */
pt_status pt_callbacks_read(const char *what, void *own, size_t own_size, const void *given,
                            size_t size, size_t first_size, pt_error *err);
/* Refuses a name that no text can have, and those of the library: `known`, "a|b". */
pt_status pt_callbacks_check_name(const char *what, const char *name, const char *known,
                                  pt_error *err);
/* Whether a callback has returned a status, and not some number. */
bool pt_callbacks_is_status(pt_status status);

/* ---- learners -------------------------------------------------------------------------------- */

/* The names a learner's loss may have: "a|b". */
extern const char *const pt_callbacks_losses;

/* *own <- the learner as this version knows it, its texts borrowed. Refuses what cannot be used;
 * `known` are the names of the library's learners: "a|b". */
pt_status pt_callbacks_check(pt_learner_callbacks *own, const pt_learner_callbacks *learner,
                             const char *known, pt_error *err);
/* A copy with texts of its own. */
pt_status pt_callbacks_copy(pt_learner_callbacks **out, const pt_learner_callbacks *learner,
                            pt_error *err);
void pt_callbacks_free(pt_learner_callbacks *learner);

#endif
