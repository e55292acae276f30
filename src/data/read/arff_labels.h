/* Which attributes of a multilabel ARFF file are its labels: Mulan names them in an XML file, MEKA
 * says in the relation how many there are. */
#ifndef PT_DATA_READ_ARFF_LABELS_H
#define PT_DATA_READ_ARFF_LABELS_H

#include "data/read/reader.h"

/* The label columns that are said: by options->labels_xml, by an XML file of Mulan beside the data
 * (same name, or without what follows the last '-': emotions-train.arff, emotions.xml), by "-C 6"
 * in the relation (the first six; -6: the last six). None are said (count 0) where the options name
 * labels themselves. `names`: all attributes. Zero-initialise *out. */
pt_status pt_arff_labels(pt_label_columns *out, const char *relation, const pt_texts *names,
                         const pt_read_options *options, pt_error *err);

#endif
