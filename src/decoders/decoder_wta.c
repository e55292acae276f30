/* Winner takes all: the class with the largest output, s_r(x) = f_r(x) (HNR section 7.1). */
#include "decoders/decoder.h"

#include <string.h>

static void wta_from_outputs(const pt_label_space *space, int64_t n, const double *outputs,
                             double *scores)
{
    memcpy(scores, outputs, (size_t)(n * space->k) * sizeof *scores);
}

/* Of a code, which is one-vs-all then: class r is at + in column r, all others at -. */
static void output_between(const double *f, double *plus)
{
    memcpy(plus, f, PT_DECODE_ROWS * sizeof *plus);
}

static const pt_column_gains wta_gains = {.between = output_between};

const pt_decoder pt_decoder_wta = {.name = "wta",
                                   .summary = "the largest output wins; one output for each class",
                                   .one_per_class = true,
                                   .from_outputs = wta_from_outputs,
                                   .columns = &wta_gains};
