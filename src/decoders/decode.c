/* Decoding: from class outputs or outputs to scores, whatever the decoder. */
#include <string.h>

#include "base/alloc.h"
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
    if (!decoder->from_outputs && !decoder->from_products)
        return pt_fail(err, PT_EINVAL, "--decode %s is for codes (--code), not for label vectors",
                       name);
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

/* ---- codes of signs ------------------------------------------------------------ */

enum { SIDES = 2 };

pt_status pt_decoder_for_code(const pt_decoder **out, const pt_params *params, const pt_code *code,
                              pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_DECODE);
    const pt_decoder *decoder = pt_decoder_find(name);
    if (!decoder)
        return pt_fail(err, PT_EINVAL, "there is no decoder '%s'", name);
    if (decoder->one_per_class && (code->pairs || code->ell != code->k))
        return pt_fail(err, PT_EINVAL,
                       "--decode %s needs one output for each class; the code has %lld for %lld",
                       name, (long long)code->ell, (long long)code->k);
    if (decoder->pairs_only && !code->pairs)
        return pt_fail(err, PT_EINVAL, "--decode %s is for all pairs (--code ovo)", name);
    *out = decoder;
    return PT_OK;
}

/* A decoder that adds up columns: in the column of a pair only two classes have entries, so that
 * pairs are decoded one by one with the code (+1, -1). */
static pt_status decode_pairs(const pt_decoder *decoder, const pt_code *code, int64_t n,
                              const double *outputs, double *scores, pt_error *err)
{
    static const double both[SIDES] = {1, -1};
    pt_label_space space = {0};
    pt_status status = pt_label_space_from(&space, SIDES, 1, both, NULL, err);
    memset(scores, 0, (size_t)(n * code->k) * sizeof *scores);
    for (int64_t i = 0; i < n && status == PT_OK; i++)
        for (int64_t p = 0, s = 0; p < code->k; p++)
            for (int64_t q = p + 1; q < code->k; q++, s++) {
                double of_pair[SIDES];
                pt_decode_outputs(decoder, &space, 1, outputs + i * code->ell + s, of_pair);
                scores[i * code->k + p] += of_pair[0];
                scores[i * code->k + q] += of_pair[1];
            }
    pt_label_space_free(&space);
    return status;
}

static pt_status decode_vectors(const pt_decoder *decoder, const pt_code *code, int64_t n,
                                const double *outputs, double *scores, pt_error *err)
{
    pt_label_space space = {0};
    double *M = pt_alloc(code->k * code->ell, sizeof *M, "a code", err);
    if (!M)
        return PT_ENOMEM;
    for (int64_t i = 0; i < code->k * code->ell; i++)
        M[i] = code->M[i];
    pt_status status = pt_label_space_from(&space, code->k, code->ell, M, NULL, err);
    if (status == PT_OK)
        pt_decode_outputs(decoder, &space, n, outputs, scores);
    pt_label_space_free(&space);
    pt_free(M);
    return status;
}

pt_status pt_decode_code(const pt_decoder *decoder, const pt_code *code, int64_t n,
                         const double *outputs, double *scores, pt_error *err)
{
    if (decoder->from_code)
        return decoder->from_code(code, n, outputs, scores, err);
    return code->pairs ? decode_pairs(decoder, code, n, outputs, scores, err)
                       : decode_vectors(decoder, code, n, outputs, scores, err);
}
