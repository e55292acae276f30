/* Rows times several vectors at once. */
#include "solvers/linear/lane_rows.h"

#include <string.h>

#include "base/alloc.h"
#include "base/isa.h"

enum {
    FEATURES = 256,  /* of a piece, where the rows are dense */
    STORED = 1 << 15 /* values of a piece, where they are sparse */
};

PT_ISA_DECLARE(pt_lane_tables, pt_lane_tables);

static const pt_lane_tables *const tables[PT_ISA_LEVELS] = PT_ISA_TABLE(pt_lane_tables);

const pt_lane_loops *pt_lane_loops_for(const pt_lane_rows *lanes, int width)
{
    return &tables[pt_isa_level_chosen()]
                ->loops[lanes->rows.type][lanes->start ? 1 : 0][width == PT_LANES ? 0 : 1];
}

void pt_lane_rows_free(pt_lane_rows *lanes)
{
    pt_free(lanes->feature_piece);
    pt_free(lanes->value);
    pt_free(lanes->row);
    pt_free(lanes->start);
    pt_linear_rows_free(&lanes->rows);
    memset(lanes, 0, sizeof *lanes);
}

double pt_lane_rows_bytes(const pt_rows *rows)
{
    const double stored = (double)pt_rows_stored(rows) / (rows->dense ? 4 : 1);
    return pt_linear_rows_bytes(rows) + 16 * (double)rows->d +
           stored * (double)(sizeof(int32_t) + pt_type_size(rows->type));
}

/* start[f + 1] <- how many rows have feature f; d <- the features that some row has, which the
 * order by frequency puts first. */
static pt_status count_features(pt_lane_rows *l, const pt_task *task, pt_error *err)
{
    const pt_linear_rows *rows = &l->rows;
    l->start = pt_alloc_zero(rows->d + 1, sizeof *l->start, "sparse columns", err);
    if (!l->start)
        return PT_ENOMEM;
    for (int64_t p = 0; p < rows->start[rows->n]; p++) {
        PT_TRY(pt_task_check_row(task, p, 1, err));
        l->start[rows->index[p] + 1]++;
    }
    for (l->d = 0; l->d < rows->d && l->start[l->d + 1] > 0; l->d++)
        l->start[l->d + 1] += l->start[l->d];
    return PT_OK;
}

/* The columns, in the order of the rows; start is used up as places and put back. */
static pt_status make_columns(pt_lane_rows *l, const pt_task *task, pt_error *err)
{
    const pt_linear_rows *rows = &l->rows;
    const size_t size = pt_type_size(rows->type);
    const int64_t stored = rows->start[rows->n];
    l->row = pt_alloc(stored, sizeof *l->row, "sparse columns", err);
    l->value = pt_alloc(stored, size, "sparse columns", err);
    if (!l->row || !l->value)
        return PT_ENOMEM;
    PT_TRY(pt_task_touch(task, l->row, (size_t)stored * sizeof *l->row, err));
    PT_TRY(pt_task_touch(task, l->value, (size_t)stored * size, err));
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++) {
            PT_TRY(pt_task_check_row(task, p, 1, err));
            const int64_t at = l->start[rows->index[p]]++;
            l->row[at] = (int32_t)i;
            if (rows->type == PT_F32)
                ((float *)l->value)[at] = ((const float *)rows->value)[p];
            else
                ((double *)l->value)[at] = ((const double *)rows->value)[p];
        }
    for (int64_t f = l->d; f > 0; f--)
        l->start[f] = l->start[f - 1];
    l->start[0] = 0;
    return PT_OK;
}

/* Pieces of about STORED values, or of FEATURES features. */
static pt_status share_out(pt_lane_rows *l, pt_error *err)
{
    l->n_row_pieces = (l->rows.n + PT_LANE_ROWS - 1) / PT_LANE_ROWS;
    const int64_t most = l->start ? l->start[l->d] / STORED + 2 : l->d / FEATURES + 2;
    l->feature_piece = pt_alloc(most + 1, sizeof *l->feature_piece, "pieces", err);
    if (!l->feature_piece)
        return PT_ENOMEM;
    int64_t pieces = 0;
    int64_t begin = 0;
    l->feature_piece[0] = 0;
    for (int64_t f = 1; f <= l->d; f++)
        if (l->start ? l->start[f] - l->start[begin] >= STORED : f - begin == FEATURES) {
            l->feature_piece[++pieces] = f;
            begin = f;
        }
    if (begin < l->d || pieces == 0)
        pieces++;
    l->feature_piece[pieces] = l->d + 1;
    l->n_feature_pieces = pieces;
    return PT_OK;
}

pt_status pt_lane_rows_init(pt_lane_rows *out, const pt_rows *rows, bool bias, const pt_task *task,
                            pt_error *err)
{
    if (rows->n > INT32_MAX)
        return pt_fail(err, PT_ELIMIT, "there are %lld examples; this solver takes %d",
                       (long long)rows->n, INT32_MAX);
    pt_status status = pt_linear_rows_init(&out->rows, rows, bias, task, err);
    out->d = rows->d;
    if (status == PT_OK && !out->rows.dense) {
        status = count_features(out, task, err);
        if (status == PT_OK)
            status = make_columns(out, task, err);
    }
    if (status == PT_OK)
        status = share_out(out, err);
    if (status != PT_OK)
        pt_lane_rows_free(out);
    return status;
}

void pt_lane_rows_gather(const pt_lane_rows *lanes, double *V, int width, int lane, const double *w)
{
    const int32_t *order = lanes->rows.order;
    for (int64_t f = 0; f < lanes->d; f++)
        V[f * width + lane] = w[order ? order[f] : f];
    V[lanes->d * width + lane] = lanes->rows.bias ? w[lanes->rows.d] : 0;
}

void pt_lane_rows_spread(const pt_lane_rows *lanes, const double *V, int width, int lane, double *w)
{
    const int32_t *order = lanes->rows.order;
    const int64_t d = lanes->rows.d;
    memset(w, 0, (size_t)(d + 1) * sizeof *w);
    for (int64_t f = 0; f < lanes->d; f++)
        w[order ? order[f] : f] = V[f * width + lane];
    w[d] = V[lanes->d * width + lane];
}
