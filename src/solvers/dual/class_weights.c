/* Rows times the vectors of classes: the layout, and the choice of the loops. */
#include "solvers/dual/class_weights.h"

#include "base/alloc.h"
#include "base/math.h"

enum { LANES = PT_CLASS_LANES };

const pt_class_loops *pt_class_loops_for(const pt_class_weights *w, bool low)
{
    const int layout = w->by_class ? 0 : w->rows->dense ? 1 : 2;
    return &pt_class_tables_chosen()->loops[layout][low ? PT_CLASS_LOW : (int)w->rows->type];
}

bool pt_class_weights_plan(pt_class_weights *w, const pt_linear_rows *rows, int64_t k)
{
    const bool by_class = rows->dense && rows->d >= PT_CLASS_LONG;
    const int64_t ld = pt_round_up(by_class ? rows->d : k, LANES);
    size_t cells = 0;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)(by_class ? k : rows->d), (size_t)ld, &cells) ||
        !pt_size_mul(cells, sizeof(double), &bytes) || bytes > INT64_MAX)
        return false;
    *w = (pt_class_weights){
        .rows = rows, .k = k, .by_class = by_class, .ld = ld, .cells = (int64_t)cells};
    return true;
}

double pt_class_weights_cells(int64_t d, int64_t k)
{
    return ((double)d + LANES) * ((double)k + LANES);
}

void pt_class_weights_write(const pt_class_weights *w, const double *bias, double scale,
                            int64_t width, double *out)
{
    const int64_t d = w->rows->d;
    for (int64_t r = 0; r < w->k; r++, out += width) {
        for (int64_t f = 0; f < d; f++)
            out[w->rows->order ? w->rows->order[f] : f] =
                scale * (w->by_class ? w->M[r * w->ld + f] : w->M[f * w->ld + r]);
        if (width > d)
            out[d] = scale * bias[r];
    }
}
