/* The papers' synthetic problems, one table entry each. */
#ifndef PT_DATA_SYNTH_H
#define PT_DATA_SYNTH_H

#include "data/dataset.h"
#include "params/params.h"

typedef struct pt_synth {
    const char *name;
    const char *summary;
    int64_t default_n;
    pt_status (*make)(pt_dataset **out, int64_t n, const pt_params *params, pt_error *err);
} pt_synth;

extern const pt_synth *const pt_synths[]; /* ended by NULL */

#endif
