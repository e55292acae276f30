/* The loops of forest_loops.h for one instruction set (PT_ISA), each over the rows of a block and
 * without branches, so that a compiler makes vectors of it. */
#include <string.h>

#include "trees/forest_loops.h"

/* A missing cell is NaN, and NaN is not <= cut: where missing cells count as those above the cut
 * nothing has to be asked. */
static inline void add_number(const pt_forest_stump *p, const double *restrict x,
                              double *restrict sum)
{
    const double cut = p->cut;
    const double in = p->in;
    const double out = p->out;
    const double missing = p->missing;
    if (missing == out) {
        for (int i = 0; i < PT_FOREST_ROWS; i++)
            sum[i] += x[i] <= cut ? in : out;
        return;
    }
    for (int i = 0; i < PT_FOREST_ROWS; i++) {
        const double present = x[i] <= cut ? in : out;
        sum[i] += x[i] == x[i] ? present : missing;
    }
}

/* Up to 32 levels: their set is one number that is shifted. */
static inline void add_few_levels(const pt_forest_stump *p, const double *restrict x,
                                  double *restrict sum)
{
    const double levels = (double)p->levels;
    const uint32_t set = (uint32_t)p->set[0];
    const double in = p->in;
    const double out = p->out;
    const double missing = p->missing;
    for (int i = 0; i < PT_FOREST_ROWS; i++) {
        const int known = (x[i] >= 0) & (x[i] < levels);
        const int32_t level = (int32_t)(known ? x[i] : 0);
        const double present = set >> level & 1 ? in : out;
        sum[i] += known ? present : missing;
    }
}

static inline void add_levels(const pt_forest_stump *p, const double *restrict x,
                              double *restrict sum)
{
    const double levels = (double)p->levels;
    for (int i = 0; i < PT_FOREST_ROWS; i++) {
        const int known = (x[i] >= 0) & (x[i] < levels);
        const int64_t level = known ? (int64_t)x[i] : 0;
        const double present = p->set[level / 64] >> (level % 64) & 1 ? p->in : p->out;
        sum[i] += known ? present : p->missing;
    }
}

static void stumps(const pt_forest_stump *stump, int64_t count, const double *x, double *sum)
{
    double total[PT_FOREST_ROWS];
    memcpy(total, sum, sizeof total);
    for (int64_t t = 0; t < count; t++) {
        const double *cells = x + stump[t].slot * PT_FOREST_ROWS;
        if (stump[t].levels == 0)
            add_number(&stump[t], cells, total);
        else if (stump[t].levels <= 32)
            add_few_levels(&stump[t], cells, total);
        else
            add_levels(&stump[t], cells, total);
    }
    memcpy(sum, total, sizeof total);
}

static void leaf(const double *restrict value, int64_t width, double scale, double *restrict output)
{
    for (int64_t s = 0; s < width; s++)
        output[s] += scale * value[s];
}

#define NAME_OF(isa) pt_forest_loops_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_forest_loops NAME(PT_ISA);
const pt_forest_loops NAME(PT_ISA) = {stumps, leaf};
