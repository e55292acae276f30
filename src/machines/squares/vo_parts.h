/* Where P o K falls apart: classes whose label vectors are orthogonal to all others' have systems
 * of their own. Indicators, plus-minus-one with four classes, block label kernels. */
#ifndef PT_MACHINES_SQUARES_VO_PARTS_H
#define PT_MACHINES_SQUARES_VO_PARTS_H

#include "codes/vectors/label_space.h"

/* Rows and classes by part; classes without rows are in none. Zero-initialise; free it always. */
typedef struct pt_vo_parts {
    int64_t count;
    int64_t largest;      /* rows of the largest part */
    int64_t *order;       /* n rows, sorted by part, else as they come */
    int64_t *first;       /* count + 1: part p has order[first[p]] .. order[first[p + 1] - 1] */
    int64_t *part_of;     /* k: -1 where the class has no rows */
    int64_t *local;       /* k: the number of the class within its part */
    int64_t *classes;     /* k: classes sorted by part; those without rows last */
    int64_t *first_class; /* count + 1 */
} pt_vo_parts;

pt_status pt_vo_parts_init(pt_vo_parts *parts, const pt_label_space *space, const int64_t *class_of,
                           int64_t n, pt_error *err);
void pt_vo_parts_free(pt_vo_parts *parts);

/* Q of the classes of a part: m x m. The caller frees it. */
pt_status pt_vo_parts_products(double **out, const pt_vo_parts *parts, const pt_label_space *space,
                               int64_t part, pt_error *err);

#endif
