/* A grid of parameter values: "ridge=2^-4:2^4,sigma=1,2,4". */
#ifndef PT_SELECT_GRID_H
#define PT_SELECT_GRID_H

#include "base/text.h"
#include "params/params.h"

enum { PT_GRID_AXES = 8 };

/* Zero-initialise; free it always. */
typedef struct pt_grid {
    int64_t n_axes;
    int64_t n_points; /* 1 without axes */
    pt_param_id axis[PT_GRID_AXES];
    pt_texts values[PT_GRID_AXES];
} pt_grid;

/* NAME=VALUE,VALUE,... or NAME=FROM:TO (factors of 2 from FROM up to TO), several separated by
 * commas. Every value is checked as the parameter would; the kernel of a program that `params`
 * (NULL: nothing) name may be a value. An empty text gives one point. */
pt_status pt_grid_parse(pt_grid *grid, const char *text, const pt_params *params, pt_error *err);
void pt_grid_free(pt_grid *grid);

/* The value of a point on an axis; the first axis varies slowest. */
const char *pt_grid_value(const pt_grid *grid, int64_t point, int64_t axis);

/* Sets the values of a point. */
pt_status pt_grid_apply(const pt_grid *grid, int64_t point, pt_params *params, pt_error *err);

/* Whether point a is smoother than b: larger sigma, then larger ridge or smaller C, then lower
 * degree. */
bool pt_grid_smoother(const pt_grid *grid, int64_t a, int64_t b);

#endif
