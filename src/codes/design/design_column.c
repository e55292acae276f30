/* CS Theorem 1: for a given number w of classes at +, xi is largest where those with the w largest
 * gains a_r^+ / w - a_r^- / (k - w) are at +; the best w is found by trying all.
 *
 *   plus, minus, zero   a_r^+, a_r^- of each class, and the share of outputs that are 0
 *   gain                the classes by their gains, descending; the lower class first on ties
 *
 * Not as printed: weights, and outputs of 0, to which any column gives the share 1/k. */
#include "codes/design/design_column.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

typedef struct gain {
    double value;
    int64_t r;
} gain;

typedef struct shares {
    int64_t k;
    double *plus;  /* k */
    double *minus; /* k */
    double zero;
    gain *gains; /* k: work space */
} shares;

static void shares_free(shares *a)
{
    pt_free(a->gains);
    pt_free(a->minus);
    pt_free(a->plus);
}

static pt_status shares_init(shares *a, int64_t k, pt_error *err)
{
    *a = (shares){.k = k};
    if (k < 2)
        return pt_fail(err, PT_EINVAL, "a column is for two classes at least, not %lld",
                       (long long)k);
    a->plus = pt_alloc(k, sizeof *a->plus, "shares of classes", err);
    a->minus = pt_alloc(k, sizeof *a->minus, "shares of classes", err);
    a->gains = pt_alloc(k, sizeof *a->gains, "shares of classes", err);
    return a->plus && a->minus && a->gains ? PT_OK : PT_ENOMEM;
}

static void count_shares(shares *a, const pt_design_data *data, int64_t t)
{
    double total = 0;
    a->zero = 0;
    memset(a->plus, 0, (size_t)a->k * sizeof *a->plus);
    memset(a->minus, 0, (size_t)a->k * sizeof *a->minus);
    for (int64_t i = 0; i < data->m; i++) {
        const double h = data->H[i * data->ell + t];
        const double weight = data->weight ? data->weight[i] : 1;
        double *share = h > 0 ? a->plus : a->minus;
        total += weight;
        if (h == 0)
            a->zero += weight;
        else
            share[data->class_of[i]] += weight;
    }
    for (int64_t r = 0; r < a->k && total > 0; r++) {
        a->plus[r] /= total;
        a->minus[r] /= total;
    }
    a->zero = total > 0 ? a->zero / total : 0;
}

static int compare_gains(const void *left, const void *right)
{
    const gain *a = left;
    const gain *b = right;
    if (a->value != b->value)
        return a->value > b->value ? -1 : 1;
    return (a->r > b->r) - (a->r < b->r);
}

/* The classes in the order in which they go to +, where w of them do; returns xi. */
static double order_for(shares *a, int64_t w)
{
    const int64_t k = a->k;
    for (int64_t r = 0; r < k; r++)
        a->gains[r] = (gain){a->plus[r] / (double)w - a->minus[r] / (double)(k - w), r};
    qsort(a->gains, (size_t)k, sizeof *a->gains, compare_gains);
    double right_plus = 0;
    double right_minus = 0;
    for (int64_t j = 0; j < w; j++)
        right_plus += a->plus[a->gains[j].r];
    for (int64_t j = w; j < k; j++)
        right_minus += a->minus[a->gains[j].r];
    return right_plus / (double)w + right_minus / (double)(k - w) + a->zero / (double)k;
}

/* u <- the best column, returns its xi. */
static double best_column(shares *a, int8_t *u)
{
    /* Values that are equal but for rounding are equal: the smaller w stays. */
    const double rounding = 1e-14;
    double best = -1;
    for (int64_t w = 1; w < a->k; w++) {
        const double xi = order_for(a, w);
        if (xi <= best + rounding)
            continue;
        best = xi;
        for (int64_t j = 0; j < a->k; j++)
            u[a->gains[j].r] = j < w ? 1 : -1;
    }
    return best;
}

pt_status pt_design_first_column(const pt_design_data *data, int64_t t, int8_t *u, double *error,
                                 pt_error *err)
{
    shares a;
    const pt_status status = shares_init(&a, data->k, err);
    if (status == PT_OK) {
        count_shares(&a, data, t);
        const double xi = best_column(&a, u);
        if (error)
            *error = 1 - xi;
    }
    shares_free(&a);
    return status;
}

pt_status pt_design_best_hypothesis(const pt_design_data *data, int64_t *t, int8_t *u,
                                    double *error, pt_error *err)
{
    double best = 2; /* no error is as large */
    int8_t *column = pt_alloc(data->k, 1, "a column", err);
    pt_status status = column ? PT_OK : PT_ENOMEM;
    for (int64_t s = 0; s < data->ell && status == PT_OK; s++) {
        double now = 0;
        status = pt_design_first_column(data, s, column, &now, err);
        if (status != PT_OK || now >= best)
            continue;
        best = now;
        *t = s;
        memcpy(u, column, (size_t)data->k);
    }
    if (status == PT_OK && error)
        *error = best;
    pt_free(column);
    return status;
}
