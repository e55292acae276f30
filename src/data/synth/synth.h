/* The papers' synthetic problems, one table entry each. */
#ifndef PT_DATA_SYNTH_SYNTH_H
#define PT_DATA_SYNTH_SYNTH_H

#include "base/random.h"
#include "data/dataset.h"
#include "params/params.h"

/* At most, of problems with `draw`. */
enum { PT_SYNTH_CLASSES = 4, PT_SYNTH_WIDTH = 100, PT_SYNTH_NUMBERS = 300 };

/* Where a problem that is drawn row by row stands. */
typedef struct pt_synth_state {
    pt_random random;
    double number[PT_SYNTH_NUMBERS]; /* what `start` keeps for the rows */
    bool seen[PT_SYNTH_CLASSES];     /* classes that came, and the first row of each */
    double first[PT_SYNTH_CLASSES][PT_SYNTH_WIDTH];
} pt_synth_state;

/* Rows that are drawn one after another have `draw`, which fills the d numbers of the next and
 * returns its class, from 1; `start` comes first. Others have `make`, all rows at once, which takes
 * n = 0 for the paper's number. That is default_n under the default parameters. All random numbers
 * are from PT_RANDOM_SYNTH streams of the parameter seed alone. */
typedef struct pt_synth {
    const char *name;
    const char *summary;
    int64_t default_n;
    bool uses_classes; /* the parameter `classes`; refused by the others */
    pt_status (*make)(pt_dataset **out, int64_t n, const pt_params *params, const pt_task *task,
                      pt_error *err);
    int64_t d;
    void (*start)(pt_synth_state *state, const pt_params *params);
    int64_t (*draw)(pt_synth_state *state, double *x);
} pt_synth;

/* Every synthetic problem there is: a line of registry/synths.def each. */
#define PT_ENTRY(entry, name) extern const pt_synth pt_synth_##entry;
#include "registry/synths.def"
#undef PT_ENTRY
extern const pt_synth *const pt_synths[]; /* ended by NULL */

/* The entry of that name, with parameters that it takes. */
pt_status pt_synth_find(const pt_synth **out, const char *name, int64_t n, const pt_params *params,
                        pt_error *err);
/* Before the first row of a problem with `draw`; its next n rows; the first row of each class that
 * came, in their order. */
void pt_synth_start(pt_synth_state *state, const pt_synth *synth, const pt_params *params);
pt_status pt_synth_draw(pt_dataset **out, const pt_synth *synth, pt_synth_state *state, int64_t n,
                        const pt_task *task, pt_error *err);
pt_status pt_synth_firsts(pt_dataset **out, const pt_synth *synth, const pt_synth_state *state,
                          pt_error *err);

/* For the entries with `make`: an n x d data set of doubles with columns x1, x2, ... (x alone), not
 * yet filled; then its classes as numbers, from 0 to k. `data` stays the caller's. */
pt_status pt_synth_begin(pt_dataset **out, const char *name, int64_t n, int64_t d, pt_error *err);
pt_status pt_synth_finish(pt_dataset *data, int64_t k, const int64_t *class_number,
                          const pt_task *task, pt_error *err);

/* Task numbers of the random streams, so that they never meet. */
typedef enum pt_synth_stream {
    PT_SYNTH_ASS = 0,
    PT_SYNTH_CS = 1,
    PT_SYNTH_HRZ_WEIGHTS = 2,
    PT_SYNTH_HRZ_POINTS = 3
} pt_synth_stream;

void pt_synth_random(pt_random *random, const pt_params *params, pt_synth_stream stream);

#endif
