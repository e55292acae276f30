/* Decoding: from class outputs or outputs to scores, whatever the decoder.
 *
 * Loss-based decoding as sums of gains (ASS section 3): the class with the smallest
 *
 *     d_L(r) = sum_s L(M(r,s) f_s)   has the largest   sum_s L(m_s f_s) - L(M(r,s) f_s)
 *
 * whatever signs m_s the columns are compared with, for they are the same for all classes. Here m_s
 * is 0 where the column has a 0, else its commonest sign. So
 *
 *   - most classes get nothing from most columns: all pairs and one-vs-all take O(ell) a row,
 *   - nothing large that all classes share hides their differences: one-vs-all gives class r
 *     L(-f_r) - L(f_r) exactly, an increasing function of f_r, and square and logistic losses give
 *     multiples of the inner product on codes without zeros, bit by bit.
 *
 * ROWS rows at a time, column by column: the outputs of a column are gathered, turned
 * into gains, and added to the classes; all three loops run along the rows. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/registry.h"
#include "decoders/decoder.h"

enum { ROWS = PT_DECODE_ROWS, COLUMNS = 8 };

const pt_decoder *const pt_decoders[] = {
#define PT_ENTRY(entry, name) &pt_decoder_##entry,
#include "registry/decoders.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_decoder_find, pt_decoder, pt_decoders)

bool pt_decoder_gives_probabilities(const pt_params *params)
{
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(params, PT_P_DECODE));
    return decoder && decoder->probabilities;
}

bool pt_decoder_suits_vectors(const char *name, bool outputs, bool one_for_each)
{
    const pt_decoder *decoder = pt_decoder_find(name);
    return decoder && (decoder->from_products || (decoder->from_outputs && outputs)) &&
           (!decoder->one_per_class || one_for_each);
}

pt_status pt_decoder_for(const pt_decoder **out, const pt_params *params,
                         const pt_label_space *space, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_DECODE);
    const pt_decoder *decoder = pt_decoder_find(name);
    if (!decoder)
        return pt_fail(err, PT_EINVAL, "there is no decoder '%s'", name);
    if (!decoder->from_outputs && !decoder->from_products)
        return pt_fail(err, PT_EINVAL, "`decode=%s` is for codes (`code`), not for label vectors",
                       name);
    if (decoder->from_outputs && space->ell == 0)
        return pt_fail(err, PT_EINVAL,
                       "`decode=%s` needs the outputs f(x), which a kernel on the labels does not "
                       "give; use inner or nearest",
                       name);
    if (decoder->one_per_class && space->ell != space->k)
        return pt_fail(
            err, PT_EINVAL,
            "`decode=%s` needs one output for each class; the labelbook has %lld for %lld classes",
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

bool pt_decoder_suits(const char *name, bool pairs, bool one_vs_all)
{
    const pt_decoder *decoder = pt_decoder_find(name);
    return decoder && (!decoder->pairs_only || pairs) && (!decoder->one_per_class || one_vs_all);
}

pt_status pt_decoder_for_code(pt_code_decoder *out, const pt_params *params, const pt_code *code,
                              pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_DECODE);
    const pt_decoder *decoder = pt_decoder_find(name);
    if (!decoder)
        return pt_fail(err, PT_EINVAL, "there is no decoder '%s'", name);
    if (decoder->one_per_class && !is_one_vs_all(code))
        return pt_fail(err, PT_EINVAL, "`decode=%s` needs one output for each class; %-s", name,
                       code->pairs ? "all pairs have one for each pair"
                                   : "of the codes, `code=ova` has that");
    if (decoder->pairs_only && !code->pairs)
        return pt_fail(err, PT_EINVAL, "`decode=%s` is for all pairs (`code=ovo`)", name);
    if (!decoder->probabilities && pt_params_set_by_user(params, PT_P_COUPLING_SLOPE) &&
        !pt_params_is_auto(params, PT_P_COUPLING_SLOPE))
        return pt_fail(err, PT_EINVAL, "`coupling-slope` is for `decode=coupling`, not for %s",
                       name);
    /* where nothing has resolved it yet, outputs are taken as half log-odds */
    const bool open = pt_params_is_auto(params, PT_P_COUPLING_SLOPE);
    *out = (pt_code_decoder){decoder, open ? 1 : pt_params_real(params, PT_P_COUPLING_SLOPE)};
    return PT_OK;
}

/* ---- sums over the columns of a code --------------------------------------------------------- */

/* Beyond this squares would overflow; no learner says so much. */
static const double MOST = 1e100;

/* Which classes a column speaks for: those that differ from its commonest entry, or from 0 where
 * there is one. Of all pairs nothing is kept. */
typedef struct column_lists {
    int64_t *first; /* ell + 1: where a column begins */
    int32_t *class_of;
    bool *minus;      /* the class is at - there */
    bool *takes_part; /* ell: no entry is 0 */
} column_lists;

static pt_status list_classes(column_lists *lists, pt_arena *arena, const pt_code *code,
                              pt_error *err)
{
    const int64_t cells = code->k * code->ell;
    int64_t count = 0;
    PT_TRY(PT_ARENA(arena, "a decoder", err, PT_PIECE(lists->first, code->ell + 1),
                    PT_PIECE(lists->class_of, cells), PT_PIECE(lists->minus, cells),
                    PT_PIECE(lists->takes_part, code->ell)));
    for (int64_t s = 0; s < code->ell; s++) {
        int64_t zeros = 0;
        int64_t sum = 0;
        for (int64_t r = 0; r < code->k; r++) {
            zeros += code->M[r * code->ell + s] == 0;
            sum += code->M[r * code->ell + s];
        }
        const int reference = zeros > 0 ? 0 : sum > 0 ? 1 : -1; /* m_s */
        lists->takes_part[s] = reference != 0;
        lists->first[s] = count;
        for (int64_t r = 0; r < code->k; r++)
            if (code->M[r * code->ell + s] != reference) {
                lists->class_of[count] = (int32_t)r;
                lists->minus[count++] = code->M[r * code->ell + s] < 0;
            }
    }
    lists->first[code->ell] = count;
    return PT_OK;
}

/* f <- columns s to s + COLUMNS of n rows, some at a time since they share cache lines; the rest is
 * 0. */
static void gather(const double *outputs, int64_t ell, int64_t s, int64_t n, double f[][ROWS])
{
    const int64_t columns = pt_lesser(ell - s, COLUMNS);
    memset(f, 0, COLUMNS * sizeof *f);
    for (int64_t i = 0; i < n; i++)
        for (int64_t c = 0; c < columns; c++)
            f[c][i] = outputs[i * ell + s + c];
    for (int64_t c = 0; c < columns; c++)
        for (int64_t i = 0; i < ROWS; i++) {
            f[c][i] = f[c][i] < MOST ? f[c][i] : MOST;
            f[c][i] = f[c][i] > -MOST ? f[c][i] : -MOST;
        }
}

static void add(double *restrict sum, const double *restrict gain)
{
    for (int64_t i = 0; i < ROWS; i++)
        sum[i] += gain[i];
}

static void add_pairs(const pt_column_gains *gains, const pt_code *code, int64_t n,
                      const double *outputs, double *sum)
{
    double f[COLUMNS][ROWS];
    double plus[ROWS];
    double minus[ROWS];
    for (int64_t p = 0, s = 0; p < code->k; p++)
        for (int64_t q = p + 1; q < code->k; q++, s++) {
            if (s % COLUMNS == 0)
                gather(outputs, code->ell, s, n, f);
            gains->both(f[s % COLUMNS], plus, minus);
            add(sum + p * ROWS, plus);
            add(sum + q * ROWS, minus);
        }
}

static void add_column(const pt_column_gains *gains, const column_lists *lists, int64_t s,
                       const double *f, double *sum)
{
    double plus[ROWS];
    double minus[ROWS];
    if (lists->takes_part[s]) {
        gains->between(f, plus);
        for (int64_t i = 0; i < ROWS; i++)
            minus[i] = -plus[i];
    } else {
        gains->both(f, plus, minus);
    }
    for (int64_t at = lists->first[s]; at < lists->first[s + 1]; at++)
        add(sum + lists->class_of[at] * ROWS, lists->minus[at] ? minus : plus);
}

/* scores (n x k) <- sums over the columns, n <= ROWS. work: k x ROWS. */
static void decode_columns(const pt_column_gains *gains, const column_lists *lists,
                           const pt_code *code, int64_t n, const double *outputs, double *scores,
                           double *work)
{
    double f[COLUMNS][ROWS];
    memset(work, 0, (size_t)(code->k * ROWS) * sizeof *work);
    if (code->pairs)
        add_pairs(gains, code, n, outputs, work);
    for (int64_t s = 0; s < (code->pairs ? 0 : code->ell); s++) {
        if (s % COLUMNS == 0)
            gather(outputs, code->ell, s, n, f);
        add_column(gains, lists, s, f[s % COLUMNS], work);
    }
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < code->k; r++)
            scores[i * code->k + r] = work[r * ROWS + i];
}

/* ---- rows ------------------------------------------------------------------------------------ */

typedef struct row_decoder {
    const pt_code_decoder *decoder;
    const pt_code *code;
    column_lists lists;
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
    const int64_t first = block * ROWS;
    const int64_t n = pt_lesser(d->n - first, ROWS);
    const double *outputs = d->outputs + first * d->code->ell;
    double *scores = d->scores + first * d->code->k;
    double *work = d->work + worker * d->work_size;
    if (ops->columns)
        decode_columns(ops->columns, &d->lists, d->code, n, outputs, scores, work);
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
    const int64_t blocks = (n + ROWS - 1) / ROWS;
    const int workers = n * code->ell < WORTH_THREADS ? 1 : pt_parallel_workers(task, blocks);
    row_decoder d = {
        .decoder = decoder, .code = code, .n = n, .outputs = outputs, .scores = scores};
    d.work_size = ops->columns ? code->k * ROWS : ops->work_size ? ops->work_size(code) : 0;
    PT_FREED_BY(pt_arena_free) pt_arena lists = {0};
    PT_SCRATCH double *work = NULL;
    PT_TRY(PT_NEW(work, workers * d.work_size, "a decoder", err));
    d.work = work;
    if (ops->columns && !code->pairs)
        PT_TRY(list_classes(&d.lists, &lists, code, err));
    return pt_parallel_for_at_most(task, workers, blocks, decode_block, &d, err);
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
