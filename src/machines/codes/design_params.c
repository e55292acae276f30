/* From parameters to a design: which of them count, and an automatic width. */
#include <math.h>
#include <string.h>

#include "machines/codes/machine_designed.h"
#include "params/params_table.h"
#include "solvers/program/linear_program.h"

/* The choices of parameters, in the order of their enumerations. */
static const char *const NORM_NAMES[] = {
    [PT_NORM_1] = "1", [PT_NORM_2] = "2", [PT_NORM_INF] = "inf", [PT_NORMS] = NULL};
static const char *const FORM_NAMES[] = {
    [PT_DESIGN_SOFT] = "soft",           [PT_DESIGN_HARD] = "hard",
    [PT_DESIGN_SEPARABLE] = "separable", [PT_DESIGN_DISCRETE] = "discrete",
    [PT_DESIGN_PAIRS] = "pairs",         [PT_DESIGN_FORMS] = NULL};
static const char *const SEARCH_NAMES[] = {[PT_SEARCH_COLUMN] = "column",
                                           [PT_SEARCH_GREEDY] = "greedy",
                                           [PT_SEARCH_LOCAL] = "local",
                                           [PT_SEARCH_EXACT] = "exact",
                                           NULL};
static const char *const ENTRY_NAMES[] = {
    [PT_ENTRIES_SIGN] = "sign", [PT_ENTRIES_TERNARY] = "ternary", NULL};

static bool says(const pt_params *params, pt_param_id id, const char *value)
{
    return strcmp(pt_params_text(params, id), value) == 0;
}

static int chosen(const pt_params *params, pt_param_id id, const char *const *names)
{
    int at = 0;
    while (names[at + 1] && !says(params, id, names[at]))
        at++;
    return at;
}

const pt_machine_ops *pt_design_columns(const pt_params *params)
{
    return pt_machine_find(pt_params_text(params, PT_P_DESIGN_MACHINE));
}

const pt_kernel_ops *pt_design_kernel_of(const pt_params *params)
{
    return pt_kernel_find(pt_params_text(params, PT_P_DESIGN_KERNEL));
}

bool pt_design_on_signs(const pt_params *params)
{
    return says(params, PT_P_DESIGN_OUTPUTS, "sign");
}

/* ---- which of them count --------------------------------------------------------------------- */

enum { /* forms of a design */
       SOFT = 1 << PT_DESIGN_SOFT,
       HARD = 1 << PT_DESIGN_HARD,
       SEPARABLE = 1 << PT_DESIGN_SEPARABLE,
       DISCRETE = 1 << PT_DESIGN_DISCRETE,
       PAIRS = 1 << PT_DESIGN_PAIRS,
       WORST = SOFT | HARD | SEPARABLE, /* those that look at the worst class */
       REAL = WORST | PAIRS,
       ALL = REAL | DISCRETE
};
enum { LINEAR = 1, RBF = 2, POLY = 4, ANY = LINEAR | RBF | POLY }; /* kernels on outputs */

/* The parameters of a design: with which forms and kernels they count, and how people are told. */
static const struct {
    pt_param_id id;
    unsigned forms;
    unsigned kernels;
    const char *only_with;
} owned[] = {
    {PT_P_GAP, ALL, ANY, NULL},
    {PT_P_COSTS, WORST, ANY, "`design-form=soft`, hard and separable"},
    {PT_P_NORM, WORST, ANY, "`design-form=soft`, hard and separable"},
    {PT_P_DESIGN_FORM, ALL, ANY, NULL},
    {PT_P_DESIGN_C, SOFT | PAIRS, ANY, "`design-form=soft` and pairs"},
    {PT_P_DESIGN_BOUND, HARD, ANY, "`design-form=hard`"},
    {PT_P_DESIGN_ENTRIES, DISCRETE, ANY, "`design-form=discrete`"},
    {PT_P_DESIGN_SEARCH, DISCRETE, ANY, "`design-form=discrete`"},
    {PT_P_DESIGN_OUTPUTS, ALL, ANY, NULL},
    {PT_P_DESIGN_FOLDS, ALL, ANY, NULL},
    {PT_P_DESIGN_KERNEL, REAL, ANY, "`design-form=soft`, hard, separable and pairs"},
    {PT_P_DESIGN_SIGMA, REAL, RBF | POLY, "`design-kernel=rbf` and poly"},
    {PT_P_DESIGN_DEGREE, REAL, POLY, "`design-kernel=poly`"},
    {PT_P_DESIGN_MACHINE, ALL, ANY, NULL},
    {PT_P_INTERLEAVE, ALL, LINEAR, "`design-kernel=linear`"},
    {PT_P_INCREMENTAL, WORST, ANY, "`design-form=soft`, hard and separable"},
};
enum { OWNED = sizeof owned / sizeof *owned };

bool pt_design_owns(pt_param_id id)
{
    for (int i = 0; i < OWNED; i++)
        if (owned[i].id == id)
            return true;
    return false;
}

static bool counts(const pt_params *params, int i)
{
    const unsigned form = 1u << chosen(params, PT_P_DESIGN_FORM, FORM_NAMES);
    const unsigned kernel = form == DISCRETE || says(params, PT_P_DESIGN_KERNEL, "linear") ? LINEAR
                            : says(params, PT_P_DESIGN_KERNEL, "poly")                     ? POLY
                                                                                           : RBF;
    return (owned[i].forms & form) && (owned[i].kernels & kernel);
}

bool pt_design_uses(const pt_params *params, pt_param_id id)
{
    for (int i = 0; i < OWNED; i++)
        if (owned[i].id == id)
            return counts(params, i);
    return false;
}

pt_status pt_design_check_params(const pt_params *params, pt_error *err)
{
    const bool linear = says(params, PT_P_DESIGN_KERNEL, "linear");
    for (int i = 0; i < OWNED; i++)
        if (pt_params_set_by_user(params, owned[i].id) && !counts(params, i))
            return pt_fail(err, PT_EINVAL, "`%s` is used with %-s only",
                           pt_param_table[owned[i].id].name, owned[i].only_with);
    if (pt_params_integer(params, PT_P_INTERLEAVE) > 0 && pt_design_columns(params)->own_columns)
        return pt_fail(err, PT_EINVAL,
                       "`interleave` learns columns for new codes; %s learns those of its own",
                       pt_design_columns(params)->name);
    if (pt_params_integer(params, PT_P_DESIGN_FOLDS) == 1)
        return pt_fail(err, PT_EINVAL,
                       "`design-folds=1` leaves nothing to learn columns from; 0 is without folds");
    if (says(params, PT_P_DESIGN_FORM, "discrete") && says(params, PT_P_DESIGN_SEARCH, "column") &&
        !says(params, PT_P_DESIGN_ENTRIES, "sign"))
        return pt_fail(err, PT_EINVAL,
                       "`design-search=column` is for `design-entries=sign`; use greedy");
    if (!linear && !says(params, PT_P_NORM, "2"))
        return pt_fail(err, PT_EINVAL,
                       "`norm=%s` is of rows of numbers, which a code with `design-kernel=%s` has "
                       "not; leave `norm` out",
                       pt_params_text(params, PT_P_NORM),
                       pt_params_text(params, PT_P_DESIGN_KERNEL));
    if (pt_params_flag(params, PT_P_INCREMENTAL) &&
        (!linear || !says(params, PT_P_DESIGN_FORM, "soft") || says(params, PT_P_NORM, "inf")))
        return pt_fail(err, PT_EINVAL,
                       "`incremental` goes with `norm=1` and 2, `design-form=soft` and "
                       "`design-kernel=linear`");
    /* before anything is learned that could not be used */
    return says(params, PT_P_NORM, "2") ? PT_OK : pt_lp_check(err);
}

/* ---- what they ask for ----------------------------------------------------------------------- */

/* sum_i ||h_i - c||^2 / m, c the mean of the outputs or 0. */
static double mean_square(const pt_design_data *data, bool around_mean)
{
    double sum = 0;
    for (int64_t t = 0; t < data->ell; t++) {
        double mean = 0;
        for (int64_t i = 0; i < data->m && around_mean; i++)
            mean += data->H[i * data->ell + t] / (double)data->m;
        for (int64_t i = 0; i < data->m; i++)
            sum += pow(data->H[i * data->ell + t] - mean, 2) / (double)data->m;
    }
    return sum;
}

/* The mean square of the distance of two is twice that of the distance from their mean. */
static double automatic_width(const pt_design_data *data, const pt_kernel_ops *kernel)
{
    const bool distances = kernel->base == PT_BASE_SQUARED_DISTANCE;
    const double square = distances ? 2 * mean_square(data, true) : mean_square(data, false);
    return square > 0 && isfinite(square) ? sqrt(square) : 1;
}

void pt_design_how_of(pt_design_how *how, const pt_params *params, const pt_design_data *data)
{
    const pt_kernel_ops *kernel = pt_design_kernel_of(params);
    *how = (pt_design_how){
        .norm = (pt_design_norm)chosen(params, PT_P_NORM, NORM_NAMES),
        .form = (pt_design_form)chosen(params, PT_P_DESIGN_FORM, FORM_NAMES),
        .C = pt_params_is_auto(params, PT_P_DESIGN_C) ? NAN : pt_params_real(params, PT_P_DESIGN_C),
        .A = pt_params_real(params, PT_P_DESIGN_BOUND),
        .gap = pt_params_real(params, PT_P_GAP),
        .incremental = pt_params_flag(params, PT_P_INCREMENTAL),
        .discrete = {.search = (pt_design_search)chosen(params, PT_P_DESIGN_SEARCH, SEARCH_NAMES),
                     .entries = (pt_design_entries)chosen(params, PT_P_DESIGN_ENTRIES, ENTRY_NAMES),
                     .seed = (uint64_t)pt_params_integer(params, PT_P_SEED)}};
    if (kernel->linear)
        return;
    how->kernel = (pt_kernel){.ops = kernel,
                              .sigma = pt_params_is_auto(params, PT_P_DESIGN_SIGMA)
                                           ? automatic_width(data, kernel)
                                           : pt_params_real(params, PT_P_DESIGN_SIGMA),
                              .coef0 = 1,
                              .degree = pt_params_integer(params, PT_P_DESIGN_DEGREE)};
}
