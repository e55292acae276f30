/* One column of the training data: its statistics, the levels that are kept of it, what fills its
 * missing cells. */
#include "data/prepare/prepare_state.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

double pt_all_weight(const pt_dataset *data)
{
    double sum = 0;
    for (int64_t i = 0; data->weights && i < data->n; i++)
        sum += data->weights[i];
    return data->weights ? sum : (double)data->n;
}

/* The mean of cells of this weight, of which those that were added are not zero. */
static double mean_over(const pt_statistics *column, double weight, double total)
{
    const double mean =
        isfinite(column->sum) ? column->sum / weight : column->share * (total / weight);
    return fmin(fmax(mean, column->min), column->max);
}

/* 1 / deviation, 0 for a constant column. */
double pt_standard_factor(const pt_statistics *column, double total)
{
    const double deviation = 2 * sqrt(column->spread / total); /* in units of half_range */
    if (!(pt_half_range(column) > 0) || !(deviation > 0))
        return 0;
    return fmin(1 / deviation / pt_half_range(column), DBL_MAX);
}

double pt_range_factor(double half)
{
    return half > 0 ? fmin(1 / half, DBL_MAX) : 0;
}

static pt_status fail_missing(const pt_prepare *prepare, const pt_dataset *data, int64_t row,
                              int64_t column, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                      prepare->raw ? "example %lld, %s: the value is missing; fill it in, or use "
                                     "`missing=keep`, mean, zero or indicator"
                                   : "example %lld, %s: the value is missing; fill it in, or use "
                                     "`missing=mean`, zero or indicator",
                      (long long)row + 1, pt_prepare_column_text(prepare, column, text));
}

/* What is wrong with a training cell, if anything is. */
pt_status pt_prepare_check_cell(const pt_prepare *prepare, const pt_dataset *data, int64_t row,
                                int64_t column, double x, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    if (isinf(x))
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "example %lld, %s: the value is infinite", (long long)row + 1,
                          pt_prepare_column_text(prepare, column, text));
    if (isnan(x) && prepare->missing == PT_MISSING_ERROR)
        return fail_missing(prepare, data, row, column, err);
    return PT_OK;
}

/* Which levels are kept where there are too many: those that weigh more than `above`, and the first
 * `ties` of those that weigh as much. */
typedef struct level_limit {
    double above;
    int64_t ties;
    bool limited;
} level_limit;

/* One of the `most` levels is for the rest. */
static pt_status find_limit(level_limit *limit, const double *seen, int64_t count, int64_t most,
                            pt_error *err)
{
    int64_t occurring = 0;
    for (int64_t level = 0; level < count; level++)
        occurring += seen[level] > 0;
    if (most == 0 || occurring <= most)
        return PT_OK;
    double *sorted = pt_alloc(count, sizeof *sorted, "weights of levels", err);
    if (!sorted)
        return PT_ENOMEM;
    memcpy(sorted, seen, (size_t)count * sizeof *sorted);
    qsort(sorted, (size_t)count, sizeof *sorted, pt_descending);
    limit->limited = true;
    limit->above = sorted[most - 1];
    for (int64_t level = 0; level < most - 1; level++)
        limit->ties += sorted[level] == limit->above;
    pt_free(sorted);
    return PT_OK;
}

static bool keeps(level_limit *limit, double seen)
{
    return seen > limit->above || (seen == limit->above && limit->ties-- > 0);
}

/* The level that stands for all others, under a name that none of them has. */
static pt_status add_rest(pt_texts *levels, pt_error *err)
{
    char name[64] = "(others)";
    for (size_t length = strlen(name); length + 1 < sizeof name; length++) {
        bool taken = false;
        for (int64_t level = 0; level < levels->count && !taken; level++)
            taken = strcmp(levels->items[level], name) == 0;
        if (!taken)
            break;
        name[length] = '*';
        name[length + 1] = '\0';
    }
    return pt_texts_add_n(levels, name, strlen(name), err);
}

/* Levels that occur, in their order, or all of them; of two both, so that what one output says does
 * not depend on the rows. fill is the most frequent, the first of several. */
pt_status pt_fit_levels(pt_fitted *fitted, const pt_column *column, const double *seen, bool all,
                        const pt_prepare *prepare, pt_error *err)
{
    double most = 0;
    double rest = 0;
    fitted->nominal = true;
    fitted->fill = -1;
    if (column->levels.count == 2)
        all = all || seen[0] + seen[1] > 0;
    level_limit limit = {0, 0, false};
    PT_TRY(find_limit(&limit, seen, column->levels.count, prepare->max_levels, err));
    for (int64_t level = 0; level < column->levels.count; level++) {
        if (seen[level] == 0 && !all && !limit.limited)
            continue;
        if (limit.limited && !keeps(&limit, seen[level]) && !(level == 0 && prepare->sparse)) {
            rest += seen[level];
            continue;
        }
        const char *text = column->levels.items[level];
        PT_TRY(pt_texts_add_n(&fitted->levels, text, strlen(text), err));
        if (seen[level] > most && prepare->missing != PT_MISSING_ZERO) {
            most = seen[level];
            fitted->fill = (double)(fitted->levels.count - 1);
        }
    }
    fitted->grouped = limit.limited;
    if (limit.limited)
        PT_TRY(add_rest(&fitted->levels, err));
    if (rest > most && prepare->missing != PT_MISSING_ZERO)
        fitted->fill = (double)(fitted->levels.count - 1);
    return PT_OK;
}

/* `column` becomes that of the filled cells. */
void pt_fit_fill(pt_fitted *fitted, pt_statistics *column, int64_t n, double total,
                 pt_missing missing)
{
    const bool some_missing = column->count < n;
    if (missing == PT_MISSING_ZERO) {
        fitted->fill = 0;
        if (some_missing) {
            column->min = fmin(column->min, 0);
            column->max = fmax(column->max, 0);
        }
    } else {
        fitted->fill = mean_over(column, column->weight, total);
    }
}

double pt_filled_mean(const pt_fitted *fitted, const pt_statistics *column, double total,
                      pt_missing missing)
{
    return missing == PT_MISSING_ZERO ? mean_over(column, total, total) : fitted->fill;
}
