/* Design by pairs: what HRZ section 6 leaves open, constraint classification and output codes in
 * one. The outputs h_i in R^ell of the columns of a code are the examples, and each pair (a, b) of
 * a label asks that class a comes before class b in the order of the scores M_r . h_i:
 *
 *     min  1/2 sum_r ||M_r||^2 + C sum_i w_i sum_{(a, b) of i} max(0, 1 - (M_a - M_b) . h_i)
 *
 * the support vector machine over pairs (pair_row.h) on few features. Where the form soft
 * (design_l2.c) counts the worst of the wrong classes, it counts all of them: on labels of kind
 * class it is the design of Weston and Watkins. The labels may be sets, rankings or pairs as well.
 * Of a ranking all pairs count; a set has a threshold, one function more (label_pairs.h),
 * which is subtracted from the others in the end: scores above 0 are in the set. With a kernel on
 * the outputs M_r = sum_i tau_ir phi(h_i).
 *
 * Where labels are no classes, an order that most examples have in common and the place where sets
 * end ask for constants: there is one output more, the same for every example, and M_r . h has a
 * bias. It is the root mean square of the others, so that the unit of outputs does not count; with
 * a kernel it is 1. Classes have none, as in the form soft.
 *
 *   H    m x (ell + 1)                  with the constant, where there is one; else m x ell
 *   V    (width + 1) x k', column-major the functions as the solver gives them, width that of H,
 *                                       the last row 0; k' = k, or k + 1
 *   tau  patterns x k', row-major       with a kernel */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/design/design_solvers.h"
#include "data/labels/label_pairs.h"
#include "solvers/dual/pair_solvers.h"

static const unsigned HOW = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED;
static const char STAGE[] = "designing";
enum { LEAST_ROWS = 64 };              /* kernel rows that there must be room for */
static const double PAIRS_SHARE = 0.1; /* of the memory: pairs that take more are not laid out */

/* ---- what scores are worth ------------------------------------------------------------------- */

double pt_design_mean_pairs(const pt_design_data *data)
{
    double sum = 0;
    for (int64_t i = 0; i < data->m; i++)
        sum += (double)pt_label_pairs_count(data->labels, i, HOW);
    return sum / (double)data->m;
}

pt_status pt_design_pair_sums(pt_pair_sums *sums, const pt_design_data *data, const double *scores,
                              pt_error *err)
{
    const int64_t k = data->k;
    PT_SCRATCH pt_label_pair *pairs = NULL;
    PT_SCRATCH double *one = NULL; /* scores of an example by class; the threshold's is 0 */
    PT_TRY(PT_NEW(pairs, pt_label_pairs_most(data->labels, HOW), "pairs", err));
    PT_TRY(PT_NEW_ZERO(one, k + 1, "scores", err));
    *sums = (pt_pair_sums){0};
    for (int64_t i = 0; i < data->m; i++) {
        const double weight = pt_weight(data->weight, i);
        const int64_t count = pt_label_pairs_of(data->labels, i, HOW, pairs);
        int64_t wrong = 0;
        memcpy(one, scores + i * k, (size_t)k * sizeof *one);
        for (int64_t p = 0; p < count; p++) {
            const double z = one[pairs[p].before] - one[pairs[p].after];
            wrong += !(z > 0);
            sums->slack += weight * fmax(0, 1 - z);
        }
        sums->wrong += count > 0 ? weight * (double)wrong / (double)count : 0;
    }
    return PT_OK;
}

/* ---- the functions --------------------------------------------------------------------------- */

typedef struct pair_design {
    const pt_design_data *data;
    pt_rows rows;
    int64_t functions; /* k' */
    double constant;   /* the output that is the same for all; 0: there is none */
    double *wider;     /* H with it, or NULL */
    pt_pair_problem problem;
    double *bound;
} pair_design;

static void pair_design_free(pair_design *d)
{
    pt_free(d->bound);
    pt_free(d->wider);
}

/* c = root mean square of the outputs, 1 where they are all 0. */
static double constant_of(const pt_design_data *data)
{
    const int64_t cells = data->m * data->ell;
    double sum = 0;
    for (int64_t c = 0; c < cells; c++)
        sum += data->H[c] * data->H[c];
    return sum > 0 && isfinite(sum) ? sqrt(sum / (double)cells) : 1;
}

/* d->rows <- the outputs with the constant as one more. */
static pt_status add_constant(pair_design *d, pt_error *err)
{
    const pt_design_data *data = d->data;
    const int64_t width = data->ell + 1;
    PT_TRY(PT_NEW(d->wider, data->m * width, "outputs", err));
    for (int64_t i = 0; i < data->m; i++) {
        memcpy(d->wider + i * width, data->H + i * data->ell, (size_t)data->ell * sizeof(double));
        d->wider[i * width + data->ell] = d->constant;
    }
    d->rows.d = d->rows.stride = width;
    d->rows.dense = d->wider;
    return PT_OK;
}

/* Number t of the function of class r, of sets less the threshold's. */
static double entry_of(const pair_design *d, const double *V, int64_t r, int64_t t)
{
    const int64_t size = d->rows.d + 1;
    return V[r * size + t] - (d->functions > d->data->k ? V[d->data->k * size + t] : 0);
}

static pt_status take_rows(pt_designed *out, const pair_design *d, const double *V, pt_error *err)
{
    const int64_t k = d->data->k;
    const int64_t ell = d->data->ell;
    PT_SCRATCH double *M = NULL;
    PT_SCRATCH double *bias = NULL;
    PT_TRY(PT_NEW(M, k * ell, "a code", err));
    if (d->wider)
        PT_TRY(PT_NEW(bias, k, "a bias", err));
    for (int64_t r = 0; r < k; r++) {
        for (int64_t t = 0; t < ell; t++)
            M[r * ell + t] = entry_of(d, V, r, t);
        if (bias)
            bias[r] = d->constant * entry_of(d, V, r, ell);
    }
    PT_TRY(pt_designed_from_rows(out, k, ell, pt_keep(&M), err));
    pt_designed_take_bias(out, pt_keep(&bias));
    return PT_OK;
}

static pt_status design_linear(pt_designed *out, pair_design *d, pt_pair_result *result,
                               const pt_task *task, pt_error *err)
{
    const uint64_t seed = 1; /* the solution does not depend on the order of visits */
    PT_FREED_BY(pt_linear_rows_free) pt_linear_rows rows = {0};
    PT_SCRATCH double *V = NULL;
    if (d->constant > 0)
        PT_TRY(add_constant(d, err));
    PT_TRY(pt_linear_rows_init(&rows, &d->rows, false, task, err));
    PT_TRY(PT_NEW_ZERO(V, d->functions * (d->rows.d + 1), "a code", err));
    PT_TRY(pt_pair_descent(&d->problem, &rows, false, seed, V, result, STAGE, task, err));
    return take_rows(out, d, V, err);
}

/* One pattern at least, for a code that says nothing. */
static pt_status take_patterns(pt_designed *out, const pair_design *d, const pt_kernel *kernel,
                               const int64_t *support, const double *tau, int64_t patterns,
                               const pt_task *task, pt_error *err)
{
    static const int64_t FIRST = 0;
    const int64_t k = d->data->k;
    const int64_t count = patterns > 0 ? patterns : 1;
    PT_SCRATCH double *coef = NULL;
    PT_SCRATCH double *bias = NULL;
    PT_TRY(PT_NEW_ZERO(coef, count * k, "support patterns", err));
    if (d->constant > 0)
        PT_TRY(PT_NEW_ZERO(bias, k, "a bias", err));
    for (int64_t a = 0; a < patterns; a++) {
        const double *of = tau + a * d->functions;
        for (int64_t r = 0; r < k; r++) {
            coef[r * count + a] = of[r] - (d->functions > k ? of[k] : 0);
            if (bias) /* the kernel is k(h, h') + 1 */
                bias[r] += coef[r * count + a];
        }
    }
    PT_TRY(pt_designed_from_patterns(out, kernel, k, d->data->ell, d->data->H, d->data->m,
                                     patterns > 0 ? support : &FIRST, count, pt_keep(&coef), task,
                                     err));
    pt_designed_take_bias(out, pt_keep(&bias));
    return PT_OK;
}

/* All kernel values where they fit into half of the memory that is left, else as many rows. */
static double values_held(const pair_design *d, const pt_task *task)
{
    const int64_t m = d->data->m;
    const double pairs = (double)m * pt_design_mean_pairs(d->data);
    const double own =
        pt_pair_kernel_bytes(m, d->functions, pairs) + pt_pair_space_bytes(m, 0, d->functions);
    const double left = ((double)pt_task_memory(task) - own) / 2;
    const double whole = pt_kernel_store_bytes(m, PT_F64);
    return whole <= left ? whole : fmax(left, LEAST_ROWS * (double)m * (double)sizeof(double));
}

static void close_store(pt_kernel_store **store)
{
    pt_kernel_store_close(*store);
}

static pt_status design_by_kernel(pt_designed *out, const pair_design *d, const pt_kernel *kernel,
                                  pt_pair_result *result, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(close_store) pt_kernel_store *store = NULL;
    PT_FREED_BY(pt_pair_space_free) pt_pair_space space = {0};
    PT_SCRATCH int64_t *support = NULL;
    PT_SCRATCH double *tau = NULL;
    PT_TRY(pt_kernel_store_open(&store, &d->rows, kernel, NULL, values_held(d, task), task, err));
    PT_TRY(pt_pair_space_init(&space, NULL, store, d->functions, d->constant > 0, err));
    PT_TRY(pt_pair_kernel(&d->problem, &space, &support, &tau, result, STAGE, task, err));
    return take_patterns(out, d, kernel, support, tau, result->patterns, task, err);
}

pt_status pt_design_pairs(pt_designed *out, const pt_design_data *data, const pt_design_how *how,
                          pt_design_result *result, const pt_task *task, pt_error *err)
{
    pt_pair_result solved = {0};
    PT_FREED_BY(pair_design_free)
    pair_design d = {.data = data,
                     .rows = {.n = data->m,
                              .d = data->ell,
                              .type = PT_F64,
                              .dense = data->H,
                              .stride = data->ell},
                     .functions = pt_label_pairs_n_classes(data->labels, HOW),
                     .constant = data->labels->kind == PT_LABEL_CLASS ? 0 : constant_of(data)};
    PT_TRY(PT_NEW(d.bound, data->m, "bounds", err));
    for (int64_t i = 0; i < data->m; i++)
        d.bound[i] = how->C * pt_weight(data->weight, i);
    PT_FREED_BY(pt_label_pair_lists_free) pt_label_pair_lists pairs = {0};
    d.problem = (pt_pair_problem){.pairs = &pairs.lists, .bound = d.bound, .gap = how->gap};
    PT_TRY(pt_label_pairs_lay_out(&pairs, data->labels, HOW,
                                  PAIRS_SHARE * (double)pt_task_memory(task), task, err));
    PT_TRY(how->kernel.ops ? design_by_kernel(out, &d, &how->kernel, &solved, task, err)
                           : design_linear(out, &d, &solved, task, err));
    const double primal = solved.value + solved.gap;
    *result = (pt_design_result){.primal = primal,
                                 .dual = solved.value,
                                 .norm = sqrt(fmax(solved.square, 0)),
                                 .slack = fmax(primal - 0.5 * solved.square, 0) / how->C,
                                 .steps = solved.visits,
                                 .converged = solved.converged};
    return PT_OK;
}
