/* Decoding: from class outputs or outputs to scores, whatever the decoder. */
#include <string.h>

#include "decoders/decoder.h"

int64_t pt_decode_argmax(const double *scores, int64_t k)
{
    int64_t best = 0;
    for (int64_t r = 1; r < k; r++)
        if (scores[r] > scores[best])
            best = r;
    return best;
}

pt_status pt_decoder_for(const pt_decoder **out, const pt_params *params,
                         const pt_label_space *space, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_DECODE);
    const pt_decoder *decoder = pt_decoder_find(name);
    if (!decoder)
        return pt_fail(err, PT_EINVAL, "there is no decoder '%s'", name);
    if (decoder->from_outputs && space->ell == 0)
        return pt_fail(err, PT_EINVAL,
                       "--decode %s needs the outputs f(x), which a kernel on the labels does not "
                       "give; use inner or nearest",
                       name);
    if (decoder->one_per_class && space->ell != space->k)
        return pt_fail(err, PT_EINVAL,
                       "--decode %s needs one output for each class; the labelbook has %lld for "
                       "%lld classes",
                       name, (long long)space->ell, (long long)space->k);
    *out = decoder;
    return PT_OK;
}

/* g <- Q g, or on g where all classes are alike: the rest is the same for every class. */
static void inner_products(const pt_label_space *space, double *g, double *work)
{
    const int64_t k = space->k;
    if (space->alike) {
        for (int64_t r = 0; r < k; r++)
            g[r] *= space->on;
        return;
    }
    memcpy(work, g, (size_t)k * sizeof *work);
    for (int64_t r = 0; r < k; r++) {
        double sum = 0;
        for (int64_t c = 0; c < k; c++)
            sum += space->Q[r * k + c] * work[c];
        g[r] = sum;
    }
}

void pt_decode_class_outputs(const pt_decoder *decoder, const pt_label_space *space, int64_t n,
                             double *scores, double *work)
{
    for (int64_t i = 0; i < n; i++) {
        double *row = scores + i * space->k;
        if (decoder->from_products) {
            inner_products(space, row, work);
            continue;
        }
        pt_label_space_outputs(space, row, work);
        decoder->from_outputs(space, 1, work, row);
    }
    if (decoder->from_products)
        decoder->from_products(space, n, scores);
}

void pt_decode_outputs(const pt_decoder *decoder, const pt_label_space *space, int64_t n,
                       const double *outputs, double *scores)
{
    if (decoder->from_outputs) {
        decoder->from_outputs(space, n, outputs, scores);
        return;
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < space->k; r++) {
            double sum = 0;
            for (int64_t s = 0; s < space->ell; s++)
                sum += space->M[r * space->ell + s] * outputs[i * space->ell + s];
            scores[i * space->k + r] = sum;
        }
    decoder->from_products(space, n, scores);
}
