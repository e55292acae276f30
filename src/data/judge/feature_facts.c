/* What the cells of a feature are like, in one pass over the rows. */
#include "data/judge/feature_facts.h"

#include <math.h>

static void add_cell(pt_feature_facts *facts, double x)
{
    if (isnan(x)) {
        facts->missing++;
        return;
    }
    if (facts->cells == 0) {
        facts->min = facts->max = x;
        facts->second_min = facts->second_max = NAN;
    }
    if (x < facts->min) {
        facts->second_min = facts->min;
        facts->min = x;
        facts->n_min = 0;
    } else if (x > facts->min && !(x >= facts->second_min)) {
        facts->second_min = x;
    }
    if (x > facts->max) {
        facts->second_max = facts->max;
        facts->max = x;
        facts->n_max = 0;
    } else if (x < facts->max && !(x <= facts->second_max)) {
        facts->second_max = x;
    }
    facts->n_min += x == facts->min;
    facts->n_max += x == facts->max;
    facts->whole = (facts->cells == 0 || facts->whole) && x == floor(x);
    facts->cells++;
}

void pt_feature_facts_of(const pt_dataset *data, int64_t step, pt_feature_facts *facts)
{
    for (int64_t i = 0; i < data->n; i += step)
        if (data->start)
            for (int64_t at = data->start[i]; at < data->start[i + 1]; at++)
                add_cell(&facts[data->index[at]], pt_dataset_cell(data, at));
        else
            for (int64_t j = 0; j < data->d; j++)
                add_cell(&facts[j], pt_dataset_cell(data, i * data->d + j));
    for (int64_t j = 0; data->start && j < data->d; j++)
        if (facts[j].cells + facts[j].missing < data->n)
            add_cell(&facts[j], 0); /* what rows leave out */
}

void pt_feature_ranges(const pt_dataset *data, int64_t step, double *low, double *high)
{
    for (int64_t j = 0; j < data->d; j++) {
        low[j] = INFINITY;
        high[j] = -INFINITY;
    }
    for (int64_t i = 0; i < data->n; i += step)
        for (int64_t j = 0; j < data->d; j++) {
            const double x =
                pt_dataset_cell(data, i * data->d + j); /* no comparison with NaN holds */
            low[j] = x < low[j] ? x : low[j];
            high[j] = x > high[j] ? x : high[j];
        }
}

pt_feature_facts pt_feature_facts_at(const pt_dataset *data, int64_t step, int64_t j)
{
    pt_feature_facts facts = {0};
    for (int64_t i = 0; i < data->n; i += step)
        add_cell(&facts, pt_dataset_cell(data, i * data->d + j));
    return facts;
}

static const double SENTINELS[] = {99, 999, 9999, 99999, 999999};
enum {
    N_SENTINELS = sizeof SENTINELS / sizeof *SENTINELS,
    COUNTED = 10 /* -1 means missing among whole numbers that go at least so far, 99 among those
                    that go no farther */
};

bool pt_range_has_sentinel(double low, double high)
{
    bool has = low == -1 && high >= COUNTED;
    for (int i = 0; i < N_SENTINELS; i++)
        has = has || low == -SENTINELS[i] || high == SENTINELS[i];
    return has;
}

/* It is there more than once, and all others are far from it; or it is -1 among whole numbers from
 * 0 to COUNTED at least, or 99 among answers from 0 to COUNTED at most. */
double pt_feature_sentinel(const pt_feature_facts *facts)
{
    for (int i = 0; i < N_SENTINELS; i++) {
        if (facts->min == -SENTINELS[i] && facts->n_min > 1 && facts->second_min > facts->min / 2)
            return facts->min;
        if (facts->max == SENTINELS[i] && facts->n_max > 1 && facts->second_max < facts->max / 5 &&
            (i > 0 || (facts->whole && facts->min >= 0 && facts->second_max <= COUNTED)))
            return facts->max;
    }
    const bool counts = facts->whole && facts->second_min >= 0 && facts->max >= COUNTED;
    return facts->min == -1 && facts->n_min > 1 && counts ? -1 : NAN;
}

/* Whether a column of the file holds labels. */
static bool is_label(const pt_dataset *data, int64_t column)
{
    if (column == data->label_column)
        return true;
    for (int64_t c = 0; c < data->label_columns.count; c++)
        if (data->label_columns.column[c] == column)
            return true;
    return false;
}

bool pt_file_column_next(pt_file_column *column, const pt_dataset *data)
{
    pt_file_column next = {.number = column->number + 1, .first = column->first + column->features};
    while (is_label(data, next.number))
        next.number++;
    if (next.number > data->judged.n_columns && next.first >= data->d)
        return false;
    next.judged = pt_judged_at(&data->judged, next.number);
    next.features = next.judged ? pt_judged_features(next.judged) : 1;
    if (next.judged && next.judged->name)
        next.name = next.judged->name;
    else if (data->columns && next.features > 0)
        next.name = data->columns[next.first].name;
    *column = next;
    return true;
}

pt_file_column pt_file_column_of(const pt_dataset *data, int64_t feature)
{
    pt_file_column column = {0};
    while (pt_file_column_next(&column, data) && column.first + column.features <= feature) {
    }
    return column;
}
