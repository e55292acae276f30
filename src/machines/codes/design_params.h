/* From parameters to a design. */
#ifndef PT_MACHINES_CODES_DESIGN_PARAMS_H
#define PT_MACHINES_CODES_DESIGN_PARAMS_H

#include "codes/design/design.h"
#include "machine/machine.h"

/* Parameters that are the design's, "a,b". */
extern const char pt_design_parameters[];

/* The machine that learns the columns: --design-machine. */
const pt_machine_ops *pt_design_columns(const pt_params *params);

/* Refuses what does not go together. */
pt_status pt_design_check_params(const pt_params *params, pt_error *err);
/* Whether a parameter of the design counts as they stand. */
bool pt_design_uses(const pt_params *params, const char *parameter);

/* Whether the signs of outputs count, not the outputs. */
bool pt_design_on_signs(const pt_params *params);

/* What is asked for; `data` tells an automatic width. C is NAN where that is automatic. */
void pt_design_how_of(pt_design_how *how, const pt_params *params, const pt_design_data *data);
/* The kernel on the outputs, without its numbers. */
const pt_kernel_ops *pt_design_kernel_of(const pt_params *params);

#endif
