/* Bounds on the error of a code (ASS Theorem 1, Corollary 2), from the outputs alone.
 *
 *     eps    = mean over examples and columns of L(M(y,s) f_s)      entries 0 count L(0)
 *     q      = share of pairs (example, column) whose entry is 0
 *     epsbar = mean of L over the other pairs
 *     ebar   = share of wrong signs among them, outputs of 0 counted half
 *     rho    = the smallest distance of two classes
 *
 *     error of loss-based decoding  <=  ell eps / (rho L(0))  =  (ell/rho) (q + (1-q) epsbar/L(0))
 *     error of Hamming decoding     <=  2 ell eps / (rho L(0))
 *     error of Hamming decoding     <=  sum_is (1 - sign(M f)) / (rho n)
 *                                    =  (ell/rho) (q + 2 (1-q) ebar)
 *
 * The theorems speak of training examples, but they hold for the examples they are computed on,
 * whichever these are. What they ask of a loss, (L(z) + L(-z))/2 >= L(0) > 0, all of ours have. */
#include "theory/diagnosis.h"

#include <math.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/sign_bits.h"

/* ---- the code -------------------------------------------------------------------------------- */

/* rho <- the smallest sum_s (1 - u_s v_s)/2 of two rows u, v. */
static pt_status smallest_distance(double *rho, const pt_code *code, const pt_task *task,
                                   pt_error *err)
{
    if (code->pairs) {
        *rho = (double)(code->ell - 1) / 2 + 1;
        return PT_OK;
    }
    int64_t twice_rho = 0;
    PT_FREED_BY(pt_sign_bits_free) pt_sign_bits rows = {0};
    PT_TRY(pt_sign_bits_init(&rows, code->k, code->ell, err));
    pt_sign_bits_fill(&rows, code->M, code->ell, 1);
    PT_TRY(pt_sign_bits_closest(&rows, -1, &twice_rho, task, err));
    *rho = (double)twice_rho / 2;
    return PT_OK;
}

pt_status pt_diagnosis_init(pt_diagnosis *d, const pt_code *code, const pt_loss *loss,
                            int64_t capacity, const pt_task *task, pt_error *err)
{
    PT_TRY(code->pairs ? pt_code_init_pairs(&d->code, code->k, err)
                       : pt_code_from(&d->code, code->k, code->ell, code->M, err));
    PT_TRY(smallest_distance(&d->rho, code, task, err));
    d->loss = loss;
    d->capacity = capacity;
    d->column = pt_alloc_zero(code->ell, sizeof *d->column, "columns", err);
    d->margin = pt_alloc(capacity, sizeof *d->margin, "margins", err);
    return d->column && d->margin ? PT_OK : PT_ENOMEM;
}

void pt_diagnosis_free(pt_diagnosis *d)
{
    pt_code_free(&d->code);
    pt_free(d->column);
    pt_free(d->margin);
    *d = (pt_diagnosis){0};
}

/* ---- columns --------------------------------------------------------------------------------- */

static void add_margin(const pt_diagnosis *d, pt_column_figures *column, int sign, double f)
{
    const double z = sign * f;
    column->n++;
    column->n_plus += sign > 0;
    column->wrong += pt_loss_hamming.value(z);
    column->loss += d->loss->value(z);
}

static void add_columns(pt_diagnosis *d, const double *f, int64_t y)
{
    const pt_code *code = &d->code;
    for (int64_t r = 0; r < code->k && code->pairs; r++)
        if (r != y) {
            const int64_t s =
                y < r ? pt_pairs_column(code->k, y, r) : pt_pairs_column(code->k, r, y);
            add_margin(d, &d->column[s], y < r ? 1 : -1, f[s]);
        }
    for (int64_t s = 0; s < code->ell && !code->pairs; s++)
        if (code->M[y * code->ell + s] != 0)
            add_margin(d, &d->column[s], code->M[y * code->ell + s], f[s]);
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* d_L(r) up to what all classes of an example share. */
static double distance_of(const pt_loss *loss, double score)
{
    return loss == &pt_loss_exp ? exp(-score) : -score;
}

/* Sums of exponentials may be infinite: then the sign is that of the scores. */
static double margin_of(const pt_diagnosis *d, const double *score, int64_t y)
{
    double best_other = -INFINITY;
    for (int64_t r = 0; r < d->code.k; r++)
        if (r != y)
            best_other = fmax(best_other, score[r]);
    const double other = distance_of(d->loss, best_other);
    const double own = distance_of(d->loss, score[y]);
    if (isinf(other) && isinf(own))
        return score[y] >= best_other ? (double)INFINITY : -(double)INFINITY;
    return (other - own) / (double)d->code.ell;
}

static bool is_class(const pt_diagnosis *d, int64_t y)
{
    return y >= 0 && y < d->code.k;
}

static int64_t count_errors(const pt_diagnosis *d, int64_t n, const double *scores,
                            const int64_t *class_of)
{
    int64_t errors = 0;
    for (int64_t i = 0; i < n; i++)
        errors += is_class(d, class_of[i]) &&
                  pt_first_largest(scores + i * d->code.k, d->code.k) != class_of[i];
    return errors;
}

pt_status pt_diagnosis_add(pt_diagnosis *d, int64_t n, const double *outputs,
                           const int64_t *class_of, const pt_task *task, pt_error *err)
{
    const int64_t k = d->code.k;
    const pt_code_decoder by_loss = {pt_decoder_find(d->loss->name), 1};
    const pt_code_decoder by_signs = {pt_decoder_find(pt_loss_hamming.name), 1};
    PT_SCRATCH double *scores = NULL;
    PT_TRY(PT_NEW(scores, n * k, "scores", err));
    PT_TRY(pt_decode_code(&by_signs, &d->code, n, outputs, scores, task, err));
    d->hamming_errors += count_errors(d, n, scores, class_of);
    PT_TRY(pt_decode_code(&by_loss, &d->code, n, outputs, scores, task, err));
    d->loss_errors += count_errors(d, n, scores, class_of);
    for (int64_t i = 0; i < n; i++)
        if (is_class(d, class_of[i]) && d->n < d->capacity) {
            add_columns(d, outputs + i * d->code.ell, class_of[i]);
            d->margin[d->n++] = margin_of(d, scores + i * k, class_of[i]);
        }
    return PT_OK;
}

/* ---- the whole ------------------------------------------------------------------------------- */

void pt_diagnosis_finish(pt_diagnosis *d)
{
    qsort(d->margin, (size_t)d->n, sizeof *d->margin, pt_ascending);
    for (int64_t s = 0; s < d->code.ell; s++) {
        d->total.n += d->column[s].n;
        d->total.n_plus += d->column[s].n_plus;
        d->total.wrong += d->column[s].wrong;
        d->total.loss += d->column[s].loss;
    }
}

double pt_diagnosis_figure(const pt_diagnosis *d, pt_code_figure figure)
{
    const double n = (double)d->n;
    const double ell = (double)d->code.ell;
    const double taking = (double)d->total.n;
    const double zero = d->loss->at_zero;
    const double q = 1 - taking / (n * ell);
    const double eps = (d->total.loss + (n * ell - taking) * zero) / (n * ell);
    const double epsbar = d->total.loss / taking;
    const double ebar = d->total.wrong / taking;
    switch (figure) {
    case PT_CODE_RHO:
        return d->rho;
    case PT_CODE_LOSS:
        return eps;
    case PT_CODE_LOSS_AT_ZERO:
        return zero;
    case PT_CODE_IGNORED:
        return q;
    case PT_CODE_LOSS_TAKING_PART:
        return epsbar;
    case PT_CODE_BINARY_ERROR:
        return ebar;
    case PT_CODE_LOSS_DECODING_ERROR:
        return (double)d->loss_errors / n;
    case PT_CODE_LOSS_DECODING_BOUND:
        return ell * eps / (d->rho * zero);
    case PT_CODE_LOSS_DECODING_BOUND_Q:
        return ell / d->rho * (q + (1 - q) * epsbar / zero);
    case PT_CODE_HAMMING_ERROR:
        return (double)d->hamming_errors / n;
    case PT_CODE_HAMMING_BOUND:
        return 2 * ell * eps / (d->rho * zero);
    case PT_CODE_HAMMING_BOUND_SIGNS:
        return (2 * d->total.wrong + (n * ell - taking)) / (d->rho * n);
    case PT_CODE_HAMMING_BOUND_Q:
        return ell / d->rho * (q + 2 * (1 - q) * ebar);
    }
    return NAN;
}
