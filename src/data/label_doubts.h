/* Doubts about labels that were read as classes: is this the right column, and are these classes?
 */
#ifndef PT_DATA_LABEL_DOUBTS_H
#define PT_DATA_LABEL_DOUBTS_H

#include "data/reader.h"

/* Adds warnings to training data of any format. */
pt_status pt_label_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err);

#endif
