/* How long training, a search or a comparison will take, told before it begins. */
#ifndef PT_SELECT_FORECAST_H
#define PT_SELECT_FORECAST_H

#include "machine/training.h"

/* training->forecast <- what its steps take, as far as that is worth measuring; where it is long, a
 * notice with the plan: steps, time, memory, what would be faster. The task has no limit of time:
 * it gets one while there is measuring. */
pt_status pt_forecast_training(pt_training *training, const pt_plan *plan, pt_task *task,
                               pt_error *err);

/* forecast[m] <- what a search with each machine takes (its nested folds are `calibrating`), all 0
 * where that is not long or not known; a notice with the plan of all. Nothing where the task has a
 * limit of time. */
pt_status pt_forecast_search(pt_forecast *forecast, const pt_dataset *data,
                             const pt_params *const *machines, int64_t n, pt_task *task,
                             pt_error *err);

/* A notice with the plan of `trials` of each machine, each on one part in `parts` of the rows. */
pt_status pt_forecast_trials(const pt_dataset *data, const pt_params *const *machines, int64_t n,
                             int64_t trials, int64_t parts, pt_task *task, pt_error *err);

#endif
