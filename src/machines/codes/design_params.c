/* From parameters to a design: which of them count, and an automatic width. */
#include "machines/codes/design_params.h"

#include <math.h>
#include <string.h>

#include "params/params_table.h"
#include "solvers/program/linear_program.h"

const char pt_design_parameters[] =
    "norm,design-form,design-C,design-bound,design-folds,design-kernel,design-sigma,design-degree,"
    "interleave,incremental,costs,gap,design-entries,design-search,design-outputs,design-machine";

const pt_machine_ops *pt_design_columns(const pt_params *params)
{
    return pt_machine_find(pt_params_text(params, PT_P_DESIGN_MACHINE));
}

static bool says(const pt_params *params, pt_param_id id, const char *value)
{
    return strcmp(pt_params_text(params, id), value) == 0;
}

bool pt_design_uses(const pt_params *params, const char *parameter)
{
    const bool discrete = says(params, PT_P_DESIGN_FORM, "discrete");
    const bool pairs = says(params, PT_P_DESIGN_FORM, "pairs");
    const bool linear = discrete || says(params, PT_P_DESIGN_KERNEL, "linear");
    switch (pt_param_find(parameter)) {
    case PT_P_DESIGN_ENTRIES:
    case PT_P_DESIGN_SEARCH:
        return discrete;
    case PT_P_DESIGN_KERNEL:
        return !discrete;
    case PT_P_DESIGN_C:
        return pairs || says(params, PT_P_DESIGN_FORM, "soft");
    case PT_P_DESIGN_BOUND:
        return says(params, PT_P_DESIGN_FORM, "hard");
    case PT_P_DESIGN_SIGMA:
        return !linear;
    case PT_P_DESIGN_DEGREE:
        return says(params, PT_P_DESIGN_KERNEL, "poly");
    case PT_P_INTERLEAVE:
        return linear;
    case PT_P_COSTS:
    case PT_P_INCREMENTAL:
    case PT_P_NORM:
        return !discrete && !pairs;
    default:
        return pt_word_listed(pt_design_parameters, ',', parameter, strlen(parameter));
    }
}

/* Why a parameter that was set is of no use. */
static const char *only_with(pt_param_id id)
{
    return id == PT_P_DESIGN_C                                     ? "--design-form soft and pairs"
           : id == PT_P_DESIGN_BOUND                               ? "--design-form hard"
           : id == PT_P_DESIGN_ENTRIES || id == PT_P_DESIGN_SEARCH ? "--design-form discrete"
           : id == PT_P_DESIGN_KERNEL ? "--design-form soft, hard, separable and pairs"
           : id == PT_P_COSTS || id == PT_P_INCREMENTAL || id == PT_P_NORM
               ? "--design-form soft, hard and separable"
           : id == PT_P_DESIGN_SIGMA  ? "--design-kernel rbf and poly"
           : id == PT_P_DESIGN_DEGREE ? "--design-kernel poly"
                                      : "--design-kernel linear";
}

pt_status pt_design_check_params(const pt_params *params, pt_error *err)
{
    const bool linear = says(params, PT_P_DESIGN_KERNEL, "linear");
    const bool incremental = pt_params_flag(params, PT_P_INCREMENTAL);
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const char *name = pt_param_table[id].name;
        if (pt_params_set_by_user(params, (pt_param_id)id) &&
            pt_word_listed(pt_design_parameters, ',', name, strlen(name)) &&
            !pt_design_uses(params, name))
            return pt_fail(err, PT_EINVAL, "--%s is used with %s only", name,
                           only_with((pt_param_id)id));
    }
    if (pt_params_integer(params, PT_P_INTERLEAVE) > 0 && pt_design_columns(params)->own_columns)
        return pt_fail(err, PT_EINVAL,
                       "--interleave learns columns for new codes; %s learns those of its own",
                       pt_design_columns(params)->name);
    if (pt_params_integer(params, PT_P_DESIGN_FOLDS) == 1)
        return pt_fail(err, PT_EINVAL,
                       "--design-folds 1 leaves nothing to learn columns from; 0 is without folds");
    if (says(params, PT_P_DESIGN_FORM, "discrete") && says(params, PT_P_DESIGN_SEARCH, "column") &&
        !says(params, PT_P_DESIGN_ENTRIES, "sign"))
        return pt_fail(err, PT_EINVAL,
                       "--design-search column is for --design-entries sign; use greedy");
    if (!linear && !says(params, PT_P_NORM, "2"))
        return pt_fail(err, PT_EINVAL,
                       "--norm %s is of rows of numbers, which a code with "
                       "--design-kernel %s has not; leave --norm out",
                       pt_params_text(params, PT_P_NORM),
                       pt_params_text(params, PT_P_DESIGN_KERNEL));
    if (incremental &&
        (!linear || !says(params, PT_P_DESIGN_FORM, "soft") || says(params, PT_P_NORM, "inf")))
        return pt_fail(
            err, PT_EINVAL,
            "--incremental goes with --norm 1 and 2, --design-form soft and --design-kernel "
            "linear");
    /* before anything is learned that could not be used */
    return says(params, PT_P_NORM, "2") ? PT_OK : pt_lp_check(err);
}

bool pt_design_on_signs(const pt_params *params)
{
    return says(params, PT_P_DESIGN_OUTPUTS, "sign");
}

/* A search for a code with such entries. */
static pt_discrete_options discrete_options(const pt_params *params)
{
    static const char *const searches[] = {[PT_SEARCH_COLUMN] = "column",
                                           [PT_SEARCH_GREEDY] = "greedy",
                                           [PT_SEARCH_LOCAL] = "local",
                                           [PT_SEARCH_EXACT] = "exact"};
    pt_discrete_options options = {.seed = (uint64_t)pt_params_integer(params, PT_P_SEED)};
    options.entries =
        says(params, PT_P_DESIGN_ENTRIES, "ternary") ? PT_ENTRIES_TERNARY : PT_ENTRIES_SIGN;
    for (int s = PT_SEARCH_COLUMN; s <= PT_SEARCH_EXACT; s++)
        if (says(params, PT_P_DESIGN_SEARCH, searches[s]))
            options.search = (pt_design_search)s;
    return options;
}

const pt_kernel_ops *pt_design_kernel_of(const pt_params *params)
{
    return pt_kernel_find(pt_params_text(params, PT_P_DESIGN_KERNEL));
}

/* ---- automatic width ------------------------------------------------------------------------- */

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
        .norm = says(params, PT_P_NORM, "1")   ? PT_NORM_1
                : says(params, PT_P_NORM, "2") ? PT_NORM_2
                                               : PT_NORM_INF,
        .form = says(params, PT_P_DESIGN_FORM, "soft")       ? PT_DESIGN_SOFT
                : says(params, PT_P_DESIGN_FORM, "hard")     ? PT_DESIGN_HARD
                : says(params, PT_P_DESIGN_FORM, "discrete") ? PT_DESIGN_DISCRETE
                : says(params, PT_P_DESIGN_FORM, "pairs")    ? PT_DESIGN_PAIRS
                                                             : PT_DESIGN_SEPARABLE,
        .C = pt_params_is_auto(params, PT_P_DESIGN_C) ? NAN : pt_params_real(params, PT_P_DESIGN_C),
        .A = pt_params_real(params, PT_P_DESIGN_BOUND),
        .gap = pt_params_real(params, PT_P_GAP),
        .incremental = pt_params_flag(params, PT_P_INCREMENTAL),
        .discrete = discrete_options(params)};
    if (kernel->linear)
        return;
    how->kernel = (pt_kernel){.ops = kernel,
                              .sigma = pt_params_is_auto(params, PT_P_DESIGN_SIGMA)
                                           ? automatic_width(data, kernel)
                                           : pt_params_real(params, PT_P_DESIGN_SIGMA),
                              .coef0 = 1,
                              .degree = pt_params_integer(params, PT_P_DESIGN_DEGREE)};
}
