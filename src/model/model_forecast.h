/* How long training will take, told before it begins. */
#ifndef PT_MODEL_MODEL_FORECAST_H
#define PT_MODEL_MODEL_FORECAST_H

#include "machines/training.h"

/* training->forecast <- what its steps take, as far as that is worth measuring; where it is long, a
 * notice with the plan: steps, time, memory, what would be faster. */
pt_status pt_model_foresee(pt_training *training, const pt_plan *plan, pt_task *task,
                           pt_error *err);

#endif
