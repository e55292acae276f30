/* The label space: vectors of a labelbook, or a kernel on them (HNR sections 2 and 7.2).
 *
 *   label-kernel   Q_rc
 *   none           M_r . M_c
 *   rbf            exp(-||M_r - M_c||^2 / (2 label-sigma^2))
 *   poly           (M_r . M_c + label-coef0)^label-degree
 *   FILE           given: priors, hierarchies; must be symmetric and positive semidefinite
 *
 * With a kernel the vectors that Q belongs to are not known: f(x) is not available, its inner
 * products with them are. */
#include "codes/vectors/label_space.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/linalg.h"

void pt_label_space_free(pt_label_space *space)
{
    pt_free(space->M);
    pt_free(space->Q);
    memset(space, 0, sizeof *space);
}

bool pt_label_space_is_fixed(const pt_params *params)
{
    const char *kernel = pt_params_text(params, PT_P_LABEL_KERNEL);
    const pt_labelbook *book = pt_labelbook_find(pt_params_text(params, PT_P_LABELBOOK));
    const bool from_book =
        strcmp(kernel, "none") == 0 || strcmp(kernel, "rbf") == 0 || strcmp(kernel, "poly") == 0;
    return !from_book || (book && book->on);
}

/* M and Q for many thousands of classes would fill any memory; a small file can name them. */
enum { MOST_CLASSES = 10000 };

static pt_status check_classes(int64_t k, pt_error *err)
{
    if (k <= MOST_CLASSES)
        return PT_OK;
    return pt_fail(err, PT_ELIMIT,
                   "%lld classes are too many for a matrix of their label vectors (at most %d); "
                   "onelsm with `decode=inner` or nearest and without `label-kernel` needs none",
                   (long long)k, MOST_CLASSES);
}

/* Whether each column of M has one value on the diagonal and one elsewhere: most labelbooks do. */
static bool has_two_values(const pt_label_space *space)
{
    const int64_t k = space->k;
    if (space->ell != k || k < 2)
        return false;
    for (int64_t r = 0; r < k; r++)
        for (int64_t s = 0; s < k; s++)
            if (r != s && space->M[r * k + s] != space->M[(s == 0) * k + s])
                return false;
    return true;
}

/* With M_rs = e_s + [r = s] d_s:  M_r . M_c = sum_s e_s^2 + e_r d_r + e_c d_c + [r = c] d_r^2. */
static void fill_two_value_products(pt_label_space *space)
{
    const int64_t k = space->k;
    double squares = 0;
    for (int64_t s = 0; s < k; s++) {
        const double e = space->M[(s == 0) * k + s];
        squares += e * e;
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k; c++) {
            const double e_r = space->M[(r == 0) * k + r];
            const double e_c = space->M[(c == 0) * k + c];
            const double d_r = space->M[r * k + r] - e_r;
            const double d_c = space->M[c * k + c] - e_c;
            space->Q[r * k + c] = squares + e_r * d_r + e_c * d_c + (r == c ? d_r * d_r : 0);
        }
}

/* Q <- M M^T: in k^2 where the vectors allow it, k^2 ell otherwise. */
static void fill_products(pt_label_space *space)
{
    const int64_t k = space->k;
    const int64_t ell = space->ell;
    if (has_two_values(space)) {
        fill_two_value_products(space);
        return;
    }
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c <= r; c++) {
            double sum = 0;
            for (int64_t s = 0; s < ell; s++)
                sum += space->M[r * ell + s] * space->M[c * ell + s];
            space->Q[r * k + c] = space->Q[c * k + r] = sum;
        }
}

/* Inner products that are 0 but for rounding (pm1 with 4 classes is exact, others may not be). */
static void clear_rounding(double *Q, int64_t k)
{
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k; c++)
            if (fabs(Q[r * k + c]) < 1e-14 * sqrt(Q[r * k + r] * Q[c * k + c]))
                Q[r * k + c] = 0;
}

static pt_status from_book(pt_label_space *space, const pt_labelbook *book, const double *size,
                           pt_error *err)
{
    const int64_t k = space->k;
    PT_TRY(check_classes(k, err));
    space->ell = book->ell(k);
    space->M = pt_alloc(k * space->ell, sizeof(double), "label vectors", err);
    space->Q = pt_alloc(k * k, sizeof(double), "label vectors", err);
    if (!space->M || !space->Q)
        return PT_ENOMEM;
    book->fill(k, size, space->M);
    fill_products(space);
    space->alike = book->on != NULL;
    if (space->alike)
        space->on = book->on(k);
    return PT_OK;
}

static void map_rbf(double *Q, int64_t k, double sigma, double *diagonal)
{
    for (int64_t r = 0; r < k; r++)
        diagonal[r] = Q[r * k + r];
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k; c++) {
            const double distance = fmax(0, diagonal[r] + diagonal[c] - 2 * Q[r * k + c]);
            Q[r * k + c] = exp(-distance / (2 * sigma * sigma));
        }
}

/* Q <- kernel(Q); the vectors are gone. Classes that were alike stay alike. */
static pt_status apply_kernel(pt_label_space *space, const char *kernel, const pt_params *params,
                              pt_error *err)
{
    const int64_t k = space->k;
    double *Q = space->Q;
    if (strcmp(kernel, "rbf") == 0) {
        double *diagonal = pt_alloc(k, sizeof(double), "label vectors", err);
        if (!diagonal)
            return PT_ENOMEM;
        map_rbf(Q, k, pt_params_real(params, PT_P_LABEL_SIGMA), diagonal);
        pt_free(diagonal);
    } else {
        const double coef0 = pt_params_real(params, PT_P_LABEL_COEF0);
        const double degree = (double)pt_params_integer(params, PT_P_LABEL_DEGREE);
        for (int64_t i = 0; i < k * k; i++)
            Q[i] = pow(Q[i] + coef0, degree);
    }
    pt_free(space->M);
    space->M = NULL;
    space->ell = 0;
    if (space->alike)
        space->on = Q[0] - Q[1];
    return PT_OK;
}

/* Positive semidefinite but for rounding: Q + tiny I has a Cholesky factor. */
static pt_status check_given(const double *Q, int64_t k, pt_error *err)
{
    double largest = 0;
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < k; c++) {
            const double value = Q[r * k + c];
            if (!isfinite(value) ||
                fabs(value - Q[c * k + r]) > 1e-9 * (fabs(value) + fabs(Q[c * k + r])))
                return pt_fail(
                    err, PT_EFORMAT,
                    "`label-kernel`: the matrix is not symmetric at row %lld, column %lld",
                    (long long)r + 1, (long long)c + 1);
            largest = fmax(largest, fabs(value));
        }
    double *L = pt_alloc(k * k, sizeof(double), "a label kernel", err);
    if (!L)
        return PT_ENOMEM;
    memcpy(L, Q, (size_t)(k * k) * sizeof *L);
    for (int64_t r = 0; r < k; r++)
        L[r * k + r] += 1e-10 * (double)k * largest;
    const bool definite = largest > 0 && pt_la_dense_cholesky(PT_F64, k, L, k);
    pt_free(L);
    return definite ? PT_OK
                    : pt_fail(err, PT_EFORMAT,
                              "`label-kernel`: the matrix is not positive semidefinite");
}

pt_status pt_label_space_from(pt_label_space *space, int64_t k, int64_t ell, const double *M,
                              const double *Q, pt_error *err)
{
    PT_FREED_BY(pt_label_space_free) pt_label_space made = {.k = k, .ell = ell};
    PT_TRY(check_classes(k, err));
    PT_TRY(PT_NEW(made.Q, k * k, "label vectors", err));
    if (ell > 0) {
        PT_TRY(PT_NEW(made.M, k * ell, "label vectors", err));
        memcpy(made.M, M, (size_t)(k * ell) * sizeof *made.M);
        fill_products(&made);
    } else
        memcpy(made.Q, Q, (size_t)(k * k) * sizeof *made.Q);
    clear_rounding(made.Q, k);
    *space = made;
    made = (pt_label_space){0};
    return PT_OK;
}

/* Classes with equal label vectors could never be told apart. */
static pt_status check_distinct(const pt_label_space *space, const char *kernel, pt_error *err)
{
    const int64_t k = space->k;
    const double *Q = space->Q;
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < r; c++) {
            const double size = Q[r * k + r] + Q[c * k + c];
            if (size - 2 * Q[r * k + c] <= 1e-12 * size)
                return pt_fail(err, PT_EINVAL,
                               "`label-kernel=%s` makes classes %lld and %lld (in sorted order) "
                               "the same; change it or its parameters",
                               kernel, (long long)c + 1, (long long)r + 1);
        }
    return PT_OK;
}

pt_status pt_label_space_init(pt_label_space *space, const pt_params *params, int64_t k,
                              const double *size, const double *given, bool whole, pt_error *err)
{
    const char *kernel = pt_params_text(params, PT_P_LABEL_KERNEL);
    const pt_labelbook *book = pt_labelbook_find(pt_params_text(params, PT_P_LABELBOOK));
    if (!book)
        return pt_fail(err, PT_EINVAL, "there is no labelbook '%s'",
                       pt_params_text(params, PT_P_LABELBOOK));
    PT_FREED_BY(pt_label_space_free) pt_label_space made = {.k = k};
    if (given) {
        PT_TRY(check_given(given, k, err));
        PT_TRY(pt_label_space_from(&made, k, 0, NULL, given, err));
        PT_TRY(check_distinct(&made, kernel, err));
    } else if (!whole && book->on && strcmp(kernel, "none") == 0) {
        made.ell = book->ell(k);
        made.alike = true;
        made.on = book->on(k);
    } else {
        PT_TRY(from_book(&made, book, size, err));
        if (strcmp(kernel, "rbf") == 0 || strcmp(kernel, "poly") == 0)
            PT_TRY(apply_kernel(&made, kernel, params, err));
        else if (strcmp(kernel, "none") != 0)
            return pt_fail(err, PT_EINVAL, "`label-kernel=%s`: the matrix is not given", kernel);
        clear_rounding(made.Q, k);
        PT_TRY(check_distinct(&made, kernel, err));
    }
    *space = made;
    made = (pt_label_space){0};
    return PT_OK;
}

int64_t pt_label_space_components(const pt_label_space *space, int64_t *component)
{
    const int64_t k = space->k;
    for (int64_t r = 0; r < k; r++)
        component[r] = r;
    for (int64_t r = 0; r < k; r++)
        for (int64_t c = 0; c < r; c++) {
            if (space->Q[r * k + c] == 0 || component[r] == component[c])
                continue;
            const int64_t low = component[r] < component[c] ? component[r] : component[c];
            const int64_t high = component[r] < component[c] ? component[c] : component[r];
            for (int64_t t = 0; t < k; t++)
                if (component[t] == high)
                    component[t] = low;
        }
    int64_t count = 0;
    for (int64_t r = 0; r < k; r++) /* a component is named by its lowest class: number them */
        component[r] = component[r] == r ? count++ : component[component[r]];
    return count;
}

void pt_label_space_outputs(const pt_label_space *space, const double *g, double *f)
{
    const int64_t ell = space->ell;
    memset(f, 0, (size_t)ell * sizeof *f);
    for (int64_t r = 0; r < space->k; r++)
        for (int64_t s = 0; s < ell; s++)
            f[s] += g[r] * space->M[r * ell + s];
}
