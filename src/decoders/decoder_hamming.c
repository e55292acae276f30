/* Hamming decoding on signs: s_r(x) = -sum_s (1 - sign(M_rs f_s(x))) / 2 (HNR section 7.1, ASS
 * section 3). sign(0) = 0, so that a zero on either side counts one half. */
#include "decoders/decoder.h"

static double sign(double x)
{
    return (x > 0 ? 1.0 : 0.0) - (x < 0 ? 1.0 : 0.0);
}

static void hamming_from_outputs(const pt_label_space *space, int64_t n, const double *outputs,
                                 double *scores)
{
    const int64_t ell = space->ell;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < space->k; r++) {
            double distance = 0;
            for (int64_t s = 0; s < ell; s++)
                distance += (1 - sign(space->M[r * ell + s]) * sign(outputs[i * ell + s])) / 2;
            scores[i * space->k + r] = -distance;
        }
}

/* Of a code, less what all classes share: sign(f)/2 for a class at +, -sign(f)/2 for one at -. */
static void signs_between(const double *f, double *plus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++)
        plus[i] = sign(f[i]);
}

static void signs_of_both(const double *f, double *plus, double *minus)
{
    for (int64_t i = 0; i < PT_DECODE_ROWS; i++) {
        plus[i] = sign(f[i]) / 2;
        minus[i] = -plus[i];
    }
}

static const pt_column_gains hamming_gains = {signs_of_both, signs_between};

const pt_decoder pt_decoder_hamming = {
    .name = "hamming",
    .summary = "the fewest signs that differ from those of the label vector",
    .from_outputs = hamming_from_outputs,
    .columns = &hamming_gains};
