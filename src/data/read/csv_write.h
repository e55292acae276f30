/* Writing of data sets as CSV or TSV. */
#ifndef PT_DATA_READ_CSV_WRITE_H
#define PT_DATA_READ_CSV_WRITE_H

#include "data/dataset.h"
#include "data/read/write.h"

/* `continues` leaves out the names of the columns. */
pt_status pt_csv_write(const pt_dataset *data, char separator, bool continues, pt_writer *writer,
                       pt_error *err);

#endif
