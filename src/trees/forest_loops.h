/* The inner loops of sums over trees, compiled for every instruction set. */
#ifndef PT_TREES_FOREST_LOOPS_H
#define PT_TREES_FOREST_LOOPS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/isa.h"

/* A tree of one test or none, ready to be added: its values are scaled. */
typedef struct pt_forest_stump {
    int64_t
        slot; /* of its feature: cells of the rows of a block are at x + slot * PT_FOREST_ROWS */
    double cut;
    double in;
    double out;
    double missing;
    int64_t levels;      /* of a nominal feature, 0: numeric */
    const uint64_t *set; /* of levels */
} pt_forest_stump;

enum { PT_FOREST_ROWS = 64 }; /* rows of a block: their sums stay in registers */

typedef struct pt_forest_loops {
    /* sum (PT_FOREST_ROWS) += stump 0, 1, ..., in this order. */
    void (*stumps)(const pt_forest_stump *stump, int64_t count, const double *x, double *sum);
    /* output += scale * value, `width` of each. */
    void (*leaf)(const double *value, int64_t width, double scale, double *output);
} pt_forest_loops;

PT_ISA_CHOSEN(pt_forest_loops, pt_forest_loops, pt_forest_loops_chosen)

#endif
