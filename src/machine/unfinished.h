/* What machines say that stop on a duality gap and did not reach it. */
#ifndef PT_MACHINE_UNFINISHED_H
#define PT_MACHINE_UNFINISHED_H

#include "base/text.h"
#include "data/rows.h"

/* Adds the warning that `reached` is above `gap`, both relative, and what would help: a higher
 * precision too, where the rows of this type do not have it yet. */
pt_status pt_warn_gap(pt_texts *warnings, const char *machine, double reached, double gap,
                      pt_type type, pt_error *err);

#endif
