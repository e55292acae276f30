/* What a search has found, for those outside. */
#include <math.h>

#include "base/alloc.h"
#include "select/search.h"

void pt_search_free(pt_search *search)
{
    if (!search)
        return;
    for (int64_t r = 0; search->best_scores && r < search->n_repeats; r++)
        pt_free(search->best_scores[r]);
    pt_free(search->best_scores);
    pt_params_free(search->best_params);
    pt_texts_free(&search->warnings);
    pt_free(search->nested);
    pt_free(search->value);
    pt_free(search->errors);
    pt_grid_free(&search->grid);
    pt_free(search);
}

int64_t pt_search_total(const pt_search *search, int64_t point)
{
    int64_t total = 0;
    for (int64_t r = 0; r < search->n_repeats; r++) {
        const int64_t errors = search->errors[point * search->n_repeats + r];
        if (errors < 0)
            return PT_NO_ANSWER;
        total += errors;
    }
    return total;
}

/* Whole numbers of errors are compared, not their quotients. */
int pt_search_compare(const pt_search *search, int64_t a, int64_t b)
{
    const bool larger = pt_metric_larger_is_better(search->metric);
    const double x =
        search->value ? pt_search_metric_value(search, a, -1) : (double)pt_search_total(search, a);
    const double y =
        search->value ? pt_search_metric_value(search, b, -1) : (double)pt_search_total(search, b);
    return larger ? (x > y) - (x < y) : (x < y) - (x > y);
}

int64_t pt_search_n_points(const pt_search *search)
{
    return search->grid.n_points;
}

int64_t pt_search_n_repeats(const pt_search *search)
{
    return search->n_repeats;
}

int64_t pt_search_n_examples(const pt_search *search)
{
    return search->n;
}

int64_t pt_search_n_classes(const pt_search *search)
{
    return search->k;
}

int64_t pt_search_best(const pt_search *search)
{
    return search->best;
}

int64_t pt_search_n_axes(const pt_search *search)
{
    return search->grid.n_axes;
}

const char *pt_search_axis(const pt_search *search, int64_t axis)
{
    return axis >= 0 && axis < search->grid.n_axes ? pt_param_name(search->grid.axis[axis]) : NULL;
}

const char *pt_search_value(const pt_search *search, int64_t point, int64_t axis)
{
    if (axis < 0 || axis >= search->grid.n_axes || point < 0 || point >= search->grid.n_points)
        return NULL;
    return pt_grid_value(&search->grid, point, axis);
}

double pt_search_error(const pt_search *search, int64_t point, int64_t repeat)
{
    if (point < 0 || point >= search->grid.n_points || repeat < -1 || repeat >= search->n_repeats)
        return NAN;
    if (repeat < 0) {
        const int64_t total = pt_search_total(search, point);
        return total < 0 ? NAN : (double)total / ((double)search->n * (double)search->n_repeats);
    }
    const int64_t errors = search->errors[point * search->n_repeats + repeat];
    return errors < 0 ? NAN : (double)errors / (double)search->n;
}

double pt_search_nested_error(const pt_search *search, int64_t repeat)
{
    int64_t total = 0;
    if (!search->nested || repeat < -1 || repeat >= search->n_repeats)
        return NAN;
    for (int64_t r = 0; r < search->n_repeats; r++) {
        if ((repeat < 0 || r == repeat) && search->nested[r] < 0)
            return NAN;
        total += repeat < 0 || r == repeat ? search->nested[r] : 0;
    }
    return (double)total / ((double)search->n * (repeat < 0 ? (double)search->n_repeats : 1));
}

pt_metric pt_search_metric(const pt_search *search)
{
    return search->metric;
}

double pt_search_metric_value(const pt_search *search, int64_t point, int64_t repeat)
{
    if (!search->value)
        return pt_search_error(search, point, repeat);
    if (point < 0 || point >= search->grid.n_points || repeat < -1 || repeat >= search->n_repeats)
        return NAN;
    const double *value = search->value + point * search->n_repeats;
    double sum = 0;
    for (int64_t r = 0; r < search->n_repeats; r++)
        sum += value[r];
    return repeat < 0 ? sum / (double)search->n_repeats : value[repeat];
}

const char *pt_search_method(const pt_search *search)
{
    return search->method;
}

int64_t pt_search_n_warnings(const pt_search *search)
{
    return search->warnings.count;
}

const char *pt_search_warning(const pt_search *search, int64_t index)
{
    return pt_texts_get(&search->warnings, index);
}

pt_status pt_search_best_params(const pt_search *search, pt_params **out, pt_error *err)
{
    return pt_params_copy(out, search->best_params, err);
}

const double *pt_search_best_scores(const pt_search *search, int64_t repeat)
{
    return repeat >= 0 && repeat < search->n_repeats ? search->best_scores[repeat] : NULL;
}

int64_t pt_search_n_missing(const pt_search *search)
{
    return search->n_missing;
}

int64_t pt_search_n_computed(const pt_search *search)
{
    return search->n_computed;
}

double pt_search_seconds(const pt_search *search)
{
    return search->seconds;
}
