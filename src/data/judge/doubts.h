/* What a person would ask about data that can be read, and perhaps are meant otherwise. */
#ifndef PT_DATA_JUDGE_DOUBTS_H
#define PT_DATA_JUDGE_DOUBTS_H

#include "data/dataset.h"
#include "data/read/intern.h"
#include "data/read/reader.h"

/* What the cells of a feature are like, and the column of the file that it comes from. */

/* Zero-initialise. */
typedef struct pt_feature_facts {
    int64_t cells; /* that are stored and not missing */
    int64_t missing;
    double min;
    double max;
    bool whole; /* all are */
    int64_t n_min;
    int64_t n_max;
    double second_min; /* of the cells that are not min; NaN: none */
    double second_max;
} pt_feature_facts;

/* Of all features. Time: O(cells). */
pt_status pt_feature_facts_of(const pt_dataset *data, pt_feature_facts *facts, const pt_task *task,
                              pt_error *err);

/* The least and the largest cell of each feature of dense data, of every `step`-th row; where there
 * is none, low is above high. */
void pt_feature_ranges(const pt_dataset *data, int64_t step, double *low, double *high);
/* One feature of dense data, of every `step`-th row. */
pt_feature_facts pt_feature_facts_at(const pt_dataset *data, int64_t step, int64_t j);

/* Whether a feature of this range may have a number that stands for missing. */
bool pt_range_has_sentinel(double low, double high);

/* A number such as -999 that may stand for missing; NaN: there is none. */
double pt_feature_sentinel(const pt_feature_facts *facts);

/* A column of the file that holds no label, and the features that it became: of a date several. */
typedef struct pt_file_column {
    int64_t number;          /* from 1 */
    const char *name;        /* NULL: it has none */
    const pt_judged *judged; /* NULL: nothing special */
    int64_t first;           /* of its features */
    int64_t features;        /* 0: it is left out */
} pt_file_column;

/* The next one; begin with zeros. false: there is none. Where the reader does not tell the columns
 * of the file, features are columns. */
bool pt_file_column_next(pt_file_column *column, const pt_dataset *data);

/* That of a feature. Time: O(columns) */
pt_file_column pt_file_column_of(const pt_dataset *data, int64_t feature);

/* Features that can be read, and perhaps are meant otherwise: what a person would ask about. */

/* Adds the warnings of a data set for training. */
pt_status pt_feature_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err);

/* Whether a text that is no number holds numbers for a person, and not a date: 14-19, <0.5, 3/4. */
bool pt_holds_amounts(const char *text);

/* Doubts about labels that were read as classes: is this the right column, and are these classes?
 */

/* Adds warnings to training data of any format. */
pt_status pt_label_doubts(pt_dataset *data, const pt_read_options *options, pt_error *err);

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
