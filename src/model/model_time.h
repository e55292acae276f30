/* Training in a time that is given. */
#ifndef PT_MODEL_MODEL_TIME_H
#define PT_MODEL_MODEL_TIME_H

#include "machine/training.h"
#include "model/model.h"

/* The plan of a training, with the message about it; PT_EMEMORY where memory does not do. */
pt_status pt_model_check_plan(pt_plan *plan, const pt_training *training, const pt_task *task,
                              pt_error *err);

/* Chooses, fits, calibrates, describes: what was planned. The parameters of `training` change
 * hands. */
pt_status pt_model_train_planned(pt_model **out, pt_training *training, const pt_dataset *data,
                                 const pt_task *task, pt_error *err);

/* The best model that the time of the task allows: all of it where that is foreseen to fit, else
 * with fewer rounds or on a sample of the rows; model->limited says which. PT_ETIME: none. */
pt_status pt_model_train_in_time(pt_model **out, pt_training *training, const pt_plan *plan,
                                 const pt_dataset *data, const pt_task *task, pt_error *err);

#endif
