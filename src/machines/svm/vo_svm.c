/* vo-SVM: the support vector machine with vector outputs (HNR, after Szedmak et al.).
 *
 *     max  1^T beta - 1/2 beta^T (P o K) beta ,  0 <= beta_i <= C w_i ,   P_ij = Q[y_i, y_j]
 *     min  1/2 ||W||^2 + sum_i C w_i max(0, 1 - y_i . f(x_i)) ,   f(x) = sum_j beta_j y_j K(x_j, x)
 *
 * With a bias b in R^ell, f(x) + b, the dual has the constraint Y^T beta = 0, of which b is the
 * multiplier. Method of multipliers: the augmented term rho/2 ||Y^T beta||^2 = rho/2 beta^T P beta
 * makes K + rho of the kernel, and the multiplier makes p_i = 1 - y_i . b of the linear term: the
 * same box QP. Then b <- b + rho Y^T beta. A b of smallest norm is M^T c, c in R^k, so that all
 * happens with class sums t_r = sum_{i in r} beta_i:
 *
 *     y_i . b = (Q c)[y_i] ,   c <- c + rho t ,   ||Y^T beta||^2 = t^T Q t
 *
 * The gradient of the augmented problem at its solution is that of the plain one at the new c, so
 * its gap is the gap there, but for b . Y^T beta, which vanishes with Y^T beta.
 *
 * Degenerate bias: where some b has M b > 0, W = 0 and a multiple of b meet every constraint and
 * the machine is empty. By Gordan there is such a b if and only if no t >= 0, t != 0 has
 * M^T t = 0. It depends on the classes that have examples: where a fold has none of some class,
 * label vectors that sum to 0 are independent. */
#include "machines/svm/vo_svm.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/vectors/label_range.h"

enum { MOST_MULTIPLIERS = 200 };
static const double OWN_SHARE = 0.5;   /* of the gap, for the quadratic programs themselves */
static const double SLOW = 0.25;       /* a violation that falls by less wants a larger rho */
static const double RAISE = 4;         /* rho by this, */
static const double MOST_RAISED = 1e6; /* up to this: beyond, rounding of K + rho would eat K */
static const double DEGENERATE = 1e-9; /* relative to the largest Q_rr */

pt_status pt_vo_svm_read(pt_vo_svm *svm, const pt_params *params, pt_error *err)
{
    const char *rule = pt_params_text(params, PT_P_BIAS_RULE);
    svm->C = pt_params_real(params, PT_P_C);
    svm->gap = pt_params_real(params, PT_P_GAP);
    svm->bias = PT_VO_NO_BIAS;
    if (!pt_params_flag(params, PT_P_BIAS))
        return pt_params_set_by_user(params, PT_P_BIAS_RULE)
                   ? pt_fail(err, PT_EINVAL, "`bias-rule` is used with `bias` only")
                   : PT_OK;
    svm->bias = strcmp(rule, "exact") == 0  ? PT_VO_EXACT
                : strcmp(rule, "mean") == 0 ? PT_VO_MEAN
                                            : PT_VO_PENALISED;
    return PT_OK;
}

void pt_vo_svm_bounds(const pt_vo_svm *svm, int64_t n, const double *weight, double *u)
{
    for (int64_t i = 0; i < n; i++)
        u[i] = svm->C * pt_weight(weight, i);
}

double pt_vo_svm_carry(double beta, double before, double bound)
{
    return beta >= before ? bound : fmin(beta, bound);
}

/* ---- degenerate label vectors ---------------------------------------------------------------- */

/* min t^T Q t over t >= 0, sum t = 1, by moving weight between two classes. Ends with a proof
 * either way: Q t > 0 in every class makes b = M^T t a bias that does all; t^T Q t = 0 excludes
 * one. The classes are those of one component. */
static bool is_degenerate(const double *Q, int64_t k, const int64_t *classes, int64_t m, double *t,
                          double *slope)
{
    double largest = 0;
    for (int64_t a = 0; a < m; a++)
        largest = fmax(largest, Q[classes[a] * k + classes[a]]);
    for (int64_t a = 0; a < m; a++) {
        t[a] = 1.0 / (double)m;
        slope[a] = 0;
    }
    for (int64_t a = 0; a < m; a++)
        for (int64_t c = 0; c < m; c++)
            slope[a] += Q[classes[a] * k + classes[c]] * t[c];
    for (int64_t step = 0; step < 1000 * m; step++) {
        int64_t low = 0;
        int64_t high = -1;
        double square = 0;
        for (int64_t a = 0; a < m; a++) {
            low = slope[a] < slope[low] ? a : low;
            high = t[a] > 0 && (high < 0 || slope[a] > slope[high]) ? a : high;
            square += t[a] * slope[a];
        }
        if (slope[low] > DEGENERATE * largest)
            return true;
        if (square <= DEGENERATE * largest)
            return false;
        const double *row_low = Q + classes[low] * k;
        const double *row_high = Q + classes[high] * k;
        const double curve =
            row_low[classes[low]] + row_high[classes[high]] - 2 * row_low[classes[high]];
        const double fall = slope[high] - slope[low];
        const double d = curve * t[high] > fall ? fall / curve : t[high];
        t[low] += d;
        t[high] = d == t[high] ? 0 : t[high] - d;
        for (int64_t a = 0; a < m; a++)
            slope[a] += d * (row_low[classes[a]] - row_high[classes[a]]);
    }
    return false;
}

/* *does_all <- whether a bias alone meets every constraint of some component of k classes. */
static pt_status bias_does_all(bool *does_all, double *Q, int64_t k, pt_error *err)
{
    const pt_label_space space = {.k = k, .Q = Q};
    PT_SCRATCH int64_t *component = pt_alloc(2 * k, sizeof(int64_t), "components", err);
    PT_SCRATCH double *work = pt_alloc(2 * k, sizeof(double), "components", err);
    if (!component || !work)
        return PT_ENOMEM;
    const int64_t count = pt_label_space_components(&space, component);
    *does_all = false;
    for (int64_t c = 0; c < count && !*does_all; c++) {
        int64_t *classes = component + k;
        int64_t m = 0;
        for (int64_t r = 0; r < k; r++)
            if (component[r] == c)
                classes[m++] = r;
        *does_all = is_degenerate(Q, k, classes, m, work, work + k);
    }
    return PT_OK;
}

pt_status pt_vo_svm_check_bias(const pt_vo_svm *svm, const pt_label_space *space, pt_error *err)
{
    if (svm->bias == PT_VO_NO_BIAS || svm->bias == PT_VO_PENALISED)
        return PT_OK;
    bool does_all = false;
    PT_TRY(bias_does_all(&does_all, space->Q, space->k, err));
    if (!does_all)
        return PT_OK;
    return pt_fail(err, PT_EINVAL,
                   "with these label vectors a bias alone meets every constraint (some b has M b > "
                   "0), and the machine would be empty; use `labelbook=alignment`, consistency or "
                   "mincorr, `bias-rule=penalised`, or no `bias`");
}

/* The same for the classes that have examples here: groups with a variable that may move. */
static pt_status check_present(const pt_box_qp *qp, pt_error *err)
{
    const int64_t k = qp->groups;
    bool does_all = false;
    int64_t m = 0;
    PT_SCRATCH int64_t *classes = pt_alloc(k, sizeof(int64_t), "classes", err);
    PT_SCRATCH double *Q = pt_alloc(k * k, sizeof(double), "label vectors", err);
    if (!classes || !Q)
        return PT_ENOMEM;
    for (int64_t g = 0; g < k; g++) {
        bool present = false;
        for (int64_t i = qp->group_start[g]; i < qp->group_start[g + 1] && !present; i++)
            present = qp->u[i] > 0;
        if (present)
            classes[m++] = g;
    }
    for (int64_t a = 0; a < m; a++)
        for (int64_t c = 0; c < m; c++)
            Q[a * m + c] = qp->Q[classes[a] * k + classes[c]];
    if (m < k)
        PT_TRY(bias_does_all(&does_all, Q, m, err));
    if (!does_all)
        return PT_OK;
    return pt_fail(err, PT_ENUMERIC,
                   "`bias`: %lld of %lld classes have no training row, and for the others a bias "
                   "alone meets every constraint (some b has M b > 0): the machine would be empty; "
                   "leave `bias` out, use `bias-rule=penalised`, or merge classes",
                   (long long)(k - m), (long long)k);
}

/* ---- the bias -------------------------------------------------------------------------------- */

static void class_sums(const pt_box_qp *qp, const double *beta, double *t)
{
    for (int64_t g = 0; g < qp->groups; g++) {
        t[g] = 0;
        for (int64_t i = qp->group_start[g]; i < qp->group_start[g + 1]; i++)
            t[g] += beta[i];
    }
}

/* out <- Q x */
static void times_Q(const pt_box_qp *qp, const double *x, double *out)
{
    for (int64_t g = 0; g < qp->groups; g++) {
        out[g] = 0;
        for (int64_t h = 0; h < qp->groups; h++)
            out[g] += qp->Q[g * qp->groups + h] * x[h];
    }
}

static double dot(const double *x, const double *y, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The mean of k(x, x) over all rows: the scale of rho. */
static pt_status kernel_scale(const pt_box_qp *qp, double *scale, const pt_task *task,
                              pt_error *err)
{
    PT_SCRATCH double *own = NULL;
    PT_FREED_BY(pt_gram_free_at) pt_gram *gram = NULL;
    const double *diagonal = qp->store ? pt_kernel_store_diagonal(qp->store) + qp->first : NULL;
    if (!diagonal) {
        PT_TRY(PT_NEW(own, qp->n, "a diagonal", err));
        PT_TRY(pt_gram_new(&gram, qp->rows, qp->kernel->ops, qp->rows->type, task, err));
        PT_TRY(pt_kernel_diagonal(gram, qp->kernel, own, err));
        diagonal = own;
    }
    *scale = 0;
    for (int64_t i = 0; i < qp->n; i++)
        *scale += diagonal[i] / (double)qp->n;
    if (!(*scale > 0))
        *scale = 1;
    return PT_OK;
}

typedef struct multipliers {
    double *t;  /* groups: class sums of beta */
    double *Qt; /* groups */
    double *Qc; /* groups */
    double *p;  /* n */
} multipliers;

/* How far beta is from Y^T beta = 0, relative to sum_i beta_i ||y_i||. */
static double infeasibility(const pt_box_qp *qp, const multipliers *m)
{
    double whole = 0;
    for (int64_t g = 0; g < qp->groups; g++)
        whole += m->t[g] * sqrt(qp->Q[g * qp->groups + g]);
    return whole > 0 ? sqrt(fmax(dot(m->t, m->Qt, qp->groups), 0)) / whole : 0;
}

/* c <- its part in the range of Q: the b of smallest norm. The rest changes no b, but it would show
 * in scores that leave out what all classes share. */
static pt_status project_on_range(const pt_box_qp *qp, double *c, double *z, pt_error *err)
{
    const int64_t k = qp->groups;
    PT_FREED_BY(pt_label_range_free) pt_label_range range = {0};
    PT_TRY(pt_label_range_init(&range, qp->Q, k, err));
    for (int64_t s = 0; s < range.rank; s++)
        z[s] = dot(range.V + s * k, c, k);
    for (int64_t g = 0; g < k; g++) {
        c[g] = 0;
        for (int64_t s = 0; s < range.rank; s++)
            c[g] += range.V[s * k + g] * z[s];
    }
    return PT_OK;
}

static pt_status solve_with_bias(const pt_vo_svm *svm, pt_box_qp *qp, multipliers *m, double *beta,
                                 double *c, pt_vo_svm_result *out, const char *stage,
                                 const pt_task *task, pt_error *err)
{
    pt_box_result *result = &out->qp;
    PT_TRY(kernel_scale(qp, &qp->shift, task, err));
    const double most = MOST_RAISED * qp->shift;
    double before = INFINITY;
    int64_t moves = 0;
    qp->gap = OWN_SHARE * svm->gap;
    qp->p = m->p;
    result->converged = false;
    for (int round = 0; round < MOST_MULTIPLIERS; round++) {
        times_Q(qp, c, m->Qc);
        for (int64_t g = 0; g < qp->groups; g++)
            for (int64_t i = qp->group_start[g]; i < qp->group_start[g + 1]; i++)
                m->p[i] = 1 - m->Qc[g];
        PT_TRY(pt_box_qp_solve(qp, beta, result, stage, task, err));
        class_sums(qp, beta, m->t);
        times_Q(qp, m->t, m->Qt);
        for (int64_t g = 0; g < qp->groups; g++)
            c[g] += qp->shift * m->t[g];
        out->off = infeasibility(qp, m);
        const double square = dot(m->t, m->Qt, qp->groups);
        /* of the machine itself: without the augmented terms */
        result->value += dot(m->Qc, m->t, qp->groups) + 0.5 * qp->shift * square;
        result->gap += fabs(dot(c, m->Qt, qp->groups)) + qp->shift * square;
        moves += result->moves;
        result->converged = result->gap <= svm->gap * result->value && out->off <= svm->gap;
        if (result->converged || result->value == 0 || pt_task_turn_ends(task, qp->turn))
            break;
        if (out->off > SLOW * before)
            qp->shift = fmin(RAISE * qp->shift, most);
        before = out->off;
    }
    result->moves = moves;
    return project_on_range(qp, c, m->Qc, err);
}

void pt_vo_svm_add_to_mean(double *mean, const double *g, int64_t own, int64_t k, int64_t count)
{
    for (int64_t r = 0; r < k; r++)
        mean[r] += ((r == own ? 1 : 0) - g[r]) / (double)count;
}

pt_status pt_vo_svm_solve(const pt_vo_svm *svm, pt_box_qp qp, double *beta, double *c,
                          pt_vo_svm_result *result, const char *stage, const pt_task *task,
                          pt_error *err)
{
    qp.p = NULL;
    qp.shift = svm->bias == PT_VO_PENALISED ? 1 : 0;
    qp.gap = svm->gap;
    *result = (pt_vo_svm_result){0};
    if (svm->bias == PT_VO_NO_BIAS || svm->bias == PT_VO_PENALISED) {
        PT_TRY(pt_box_qp_solve(&qp, beta, &result->qp, stage, task, err));
        if (svm->bias == PT_VO_PENALISED)
            class_sums(&qp, beta, c); /* sum_j beta_j y_j (kappa + 1) */
        return PT_OK;
    }
    PT_TRY(check_present(&qp, err));
    PT_SCRATCH double *work = pt_alloc(3 * qp.groups + qp.n, sizeof(double), "a bias", err);
    if (!work)
        return PT_ENOMEM;
    multipliers m = {work, work + qp.groups, work + 2 * qp.groups, work + 3 * qp.groups};
    return solve_with_bias(svm, &qp, &m, beta, c, result, stage, task, err);
}

pt_status pt_vo_svm_warn(const pt_vo_svm *svm, double value, double gap, double off, pt_type type,
                         pt_warnings *warnings, pt_error *err)
{
    if (off > svm->gap)
        PT_TRY(pt_warn(
            warnings, err, PT_KIND_CONVERGENCE,
            "vo-svm: the bias is not settled: Y^T beta, which ought to be 0, is %.2g of its terms, "
            "not the %g of `gap`; use `precision=double`, a larger `gap` or `bias-rule=penalised`",
            off, svm->gap));
    return gap > svm->gap * value
               ? pt_warn_gap(warnings, "vo-svm", gap / value, svm->gap, type, err)
               : PT_OK;
}
