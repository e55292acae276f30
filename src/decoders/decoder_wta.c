/* Winner takes all: the class with the largest output, s_r(x) = f_r(x) (HNR section 7.1). */
#include "decoders/decoder_wta.h"

#include <string.h>

static void wta_from_outputs(const pt_label_space *space, int64_t n, const double *outputs,
                             double *scores)
{
    memcpy(scores, outputs, (size_t)(n * space->k) * sizeof *scores);
}

const pt_decoder pt_decoder_wta = {.name = "wta",
                                   .summary = "the largest output wins; one output for each class",
                                   .one_per_class = true,
                                   .from_outputs = wta_from_outputs};
