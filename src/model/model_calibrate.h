/* Probabilities of a model that was just trained, fitted to held-out scores. */
#ifndef PT_MODEL_MODEL_CALIBRATE_H
#define PT_MODEL_MODEL_CALIBRATE_H

#include "machines/training.h"
#include "model/model.h"

/* Adds to the warnings of the training where there are no held-out scores. */
pt_status pt_model_calibrate(pt_model *model, pt_training *t, const pt_task *task, pt_error *err);

#endif
