/* What people want to know of a data set before they train: kinds of columns, missing cells. */
#include <math.h>
#include <string.h>

#include "data/dataset.h"

int64_t pt_dataset_n_levels(const pt_dataset *data, int64_t feature)
{
    if (feature < 0 || feature >= data->d || !data->columns || !data->columns[feature].nominal)
        return 0;
    return data->columns[feature].levels.count;
}

const char *pt_dataset_label_name(const pt_dataset *data)
{
    return data->label_name;
}

int64_t pt_dataset_label_column(const pt_dataset *data)
{
    return data->label_column;
}

int64_t pt_dataset_n_label_columns(const pt_dataset *data)
{
    return data->labels ? data->label_columns.count : 0;
}

int64_t pt_dataset_label_items(const pt_dataset *data, int64_t example, const int64_t **items,
                               const int64_t **ranks)
{
    const pt_labels *labels = data->labels;
    *items = NULL;
    if (ranks)
        *ranks = NULL;
    if (!labels || !labels->start || example < 0 || example >= data->n)
        return 0;
    const int64_t begin = labels->start[example];
    const int64_t count = labels->start[example + 1] - begin;
    if (count == 0)
        return 0;
    *items = labels->item + begin;
    if (ranks && labels->rank)
        *ranks = labels->rank + begin;
    return count;
}

int64_t pt_dataset_count_missing(const pt_dataset *data, int64_t *count)
{
    int64_t total = 0;
    if (count)
        memset(count, 0, (size_t)data->d * sizeof *count);
    for (int64_t i = 0; i < data->n; i++) {
        const int64_t cells = data->start ? data->start[i + 1] - data->start[i] : data->d;
        for (int64_t c = 0; c < cells; c++) {
            const int64_t at = data->start ? data->start[i] + c : pt_dataset_place(data, i, c);
            if (!isnan(pt_dataset_cell(data, at)))
                continue;
            total++;
            if (count)
                count[data->start ? data->index[at] : c]++;
        }
    }
    return total;
}
