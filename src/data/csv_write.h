/* Writing of data sets as CSV or TSV. */
#ifndef PT_DATA_CSV_WRITE_H
#define PT_DATA_CSV_WRITE_H

#include "data/dataset.h"
#include "data/formats.h"

pt_status pt_csv_write(const pt_dataset *data, char separator, pt_sink_fn sink, void *context,
                       pt_error *err);

#endif
