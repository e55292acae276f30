/* The papers' synthetic problems, one table entry each. */
#ifndef PT_DATA_SYNTH_H
#define PT_DATA_SYNTH_H

#include "base/random.h"
#include "data/dataset.h"
#include "params/params.h"

/* `make` takes n = 0 for the paper's number, which is default_n under the default parameters. It
 * draws from PT_RANDOM_SYNTH streams of the parameter seed alone. */
typedef struct pt_synth {
    const char *name;
    const char *summary;
    int64_t default_n;
    bool uses_classes; /* the parameter `classes`; refused by the others */
    pt_status (*make)(pt_dataset **out, int64_t n, const pt_params *params, pt_error *err);
} pt_synth;

extern const pt_synth *const pt_synths[]; /* ended by NULL */

/* For the entries: an n x d data set of doubles with columns x1, x2, ... (x alone), not yet filled;
 * then its classes as numbers. `data` stays the caller's. */
pt_status pt_synth_begin(pt_dataset **out, const char *name, int64_t n, int64_t d, pt_error *err);
pt_status pt_synth_finish(pt_dataset *data, const int64_t *class_number, pt_error *err);

/* Task numbers of the random streams, so that they never meet. */
typedef enum pt_synth_stream {
    PT_SYNTH_ASS = 0,
    PT_SYNTH_CS = 1,
    PT_SYNTH_HRZ_WEIGHTS = 2,
    PT_SYNTH_HRZ_POINTS = 3
} pt_synth_stream;

void pt_synth_random(pt_random *random, const pt_params *params, pt_synth_stream stream);

#endif
