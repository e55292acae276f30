/* Decoding: from class outputs or outputs to scores, whatever the decoder. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "decoders/decoder.h"

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

/* ---- codes of signs -------------------------------------------------------------------------- */

/* Class r alone is at + in column r, and all others are at -. */
static bool is_one_vs_all(const pt_code *code)
{
    bool is = !code->pairs && code->ell == code->k;
    for (int64_t r = 0; r < code->k && is; r++)
        for (int64_t s = 0; s < code->ell && is; s++)
            is = code->M[r * code->ell + s] == (r == s ? 1 : -1);
    return is;
}

pt_status pt_decoder_for_code(pt_code_decoder *out, const pt_params *params, const pt_code *code,
                              pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_DECODE);
    const pt_decoder *decoder = pt_decoder_find(name);
    if (!decoder)
        return pt_fail(err, PT_EINVAL, "there is no decoder '%s'", name);
    if (decoder->one_per_class && !is_one_vs_all(code))
        return pt_fail(err, PT_EINVAL, "--decode %s needs one output for each class; %s", name,
                       code->pairs ? "all pairs have one for each pair"
                                   : "of the codes, --code ova has that");
    if (decoder->pairs_only && !code->pairs)
        return pt_fail(err, PT_EINVAL, "--decode %s is for all pairs (--code ovo)", name);
    if (!decoder->probabilities && pt_params_set_by_user(params, PT_P_COUPLING_SLOPE) &&
        !pt_params_is_auto(params, PT_P_COUPLING_SLOPE))
        return pt_fail(err, PT_EINVAL, "--coupling-slope is for --decode coupling, not for %s",
                       name);
    /* where nothing has resolved it yet, outputs are taken as half log-odds */
    const bool open = pt_params_is_auto(params, PT_P_COUPLING_SLOPE);
    *out = (pt_code_decoder){decoder, open ? 1 : pt_params_real(params, PT_P_COUPLING_SLOPE)};
    return PT_OK;
}

typedef struct row_decoder {
    const pt_code_decoder *decoder;
    const pt_code *code;
    pt_column_lists lists;
    int64_t n;
    const double *outputs;
    double *scores;
    double *work; /* work_size for each worker */
    int64_t work_size;
} row_decoder;

/* Classes that nearly tie are compared by what the decoder knows better than its scores; the
 * winner's score becomes the largest. */
static void settle_ties(const row_decoder *d, const double *f, double *score, double *work)
{
    const pt_decoder *ops = d->decoder->ops;
    const int64_t k = d->code->k;
    const double top = score[pt_first_largest(score, k)];
    const double near = top - ops->blur * ((double)d->code->ell + fabs(top));
    int64_t winner = -1;
    double best_other = -INFINITY;
    for (int64_t r = 0; r < k; r++) {
        if (score[r] < near)
            continue;
        const bool wins = winner < 0 || ops->better(d->code, f, r, winner, work);
        const int64_t loser = wins ? winner : r;
        if (loser >= 0)
            best_other = fmax(best_other, score[loser]);
        winner = wins ? r : winner;
    }
    if (!(score[winner] > best_other))
        score[winner] = nextafter(best_other, INFINITY);
}

static pt_status decode_block(void *context, int64_t block, int worker, pt_error *err)
{
    (void)err;
    const row_decoder *d = context;
    const pt_decoder *ops = d->decoder->ops;
    const int64_t first = block * PT_DECODE_ROWS;
    const int64_t n = d->n - first < PT_DECODE_ROWS ? d->n - first : PT_DECODE_ROWS;
    const double *outputs = d->outputs + first * d->code->ell;
    double *scores = d->scores + first * d->code->k;
    double *work = d->work + worker * d->work_size;
    if (ops->columns)
        pt_decode_columns(ops->columns, &d->lists, d->code, n, outputs, scores, work);
    else
        ops->from_code(d->decoder, d->code, n, outputs, scores, work);
    for (int64_t i = 0; i < n && ops->better; i++)
        settle_ties(d, outputs + i * d->code->ell, scores + i * d->code->k, work);
    return PT_OK;
}

pt_status pt_decode_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                         const double *outputs, double *scores, const pt_task *task, pt_error *err)
{
    enum { WORTH_THREADS = 1 << 16 }; /* outputs; fewer are decoded sooner than threads wake up */
    const pt_decoder *ops = decoder->ops;
    const int64_t blocks = (n + PT_DECODE_ROWS - 1) / PT_DECODE_ROWS;
    const int workers = n * code->ell < WORTH_THREADS ? 1 : pt_parallel_workers(task, blocks);
    row_decoder d = {
        .decoder = decoder, .code = code, .n = n, .outputs = outputs, .scores = scores};
    d.work_size = ops->columns     ? code->k * PT_DECODE_ROWS
                  : ops->work_size ? ops->work_size(code)
                                   : 0;
    d.work = pt_alloc(workers * d.work_size, sizeof *d.work, "a decoder", err);
    pt_status status = d.work ? PT_OK : PT_ENOMEM;
    if (status == PT_OK && ops->columns)
        status = pt_column_lists_init(&d.lists, code, err);
    if (status == PT_OK)
        status = pt_parallel_for_at_most(task, workers, blocks, decode_block, &d, err);
    pt_column_lists_free(&d.lists);
    pt_free(d.work);
    return status;
}

/* By as much as the scores of the others differ; of probabilities, to what is left of the smallest,
 * and the others get what is taken away. */
void pt_lower_absent(double *scores, const double *class_rows, int64_t k, bool given)
{
    double low = INFINITY;
    double high = -INFINITY;
    bool absent = false;
    for (int64_t r = 0; class_rows && r < k; r++)
        if (class_rows[r] > 0) {
            low = fmin(low, scores[r]);
            high = fmax(high, scores[r]);
        } else {
            absent = true;
        }
    if (!absent || !isfinite(low))
        return;
    const double below = given ? low / 2 : nextafter(low, -INFINITY) - (high - low);
    double sum = 0;
    for (int64_t r = 0; r < k; r++) {
        if (!(class_rows[r] > 0))
            scores[r] = fmin(scores[r], below);
        sum += scores[r];
    }
    for (int64_t r = 0; r < k && given; r++)
        scores[r] /= sum;
}
