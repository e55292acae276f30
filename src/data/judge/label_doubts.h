/* Doubts about labels that were read as classes: is this the right column, and are these classes?
 */
#ifndef PT_DATA_JUDGE_LABEL_DOUBTS_H
#define PT_DATA_JUDGE_LABEL_DOUBTS_H

#include "data/read/intern.h"
#include "data/read/reader.h"

/* Adds warnings to training data of any format. */
pt_status pt_label_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err);

/* Adds the parts of a text between signs, without spaces around them; *count: how many there are,
 * 0 where one is empty. */
pt_status pt_text_parts(pt_intern *parts, const char *text, const char *signs, int64_t *count,
                        pt_error *err);

/* Names that mean the same as one before them: words that differ from it in capitals or blanks
 * alone, and numbers of the same value. */
typedef struct pt_alike {
    int64_t words;
    int64_t first_word;
    int64_t numbers;
    int64_t first_number;
} pt_alike;

pt_status pt_names_alike(const pt_texts *names, pt_alike *alike, pt_error *err);

#endif
