/* Features that can be read, and perhaps are meant otherwise: what a person would ask about. */
#ifndef PT_DATA_JUDGE_FEATURE_DOUBTS_H
#define PT_DATA_JUDGE_FEATURE_DOUBTS_H

#include "data/read/reader.h"

/* Adds the warnings of a data set for training. */
pt_status pt_feature_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err);

#endif
