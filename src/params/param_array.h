/* Parameters that are arrays in memory, in place of files: costs, label-kernel, code, and weights
 * of classes. An array is made once, never changed, and shared by all copies of its parameters.
 *
 * The parameter's text is then "array:3x3:0123456789abcdef": rows, columns and a checksum of the
 * numbers, so that whoever compares texts (checkpoints, points of a search) tells arrays apart. A
 * model keeps the text alone. */
#ifndef PT_PARAMS_PARAM_ARRAY_H
#define PT_PARAMS_PARAM_ARRAY_H

#include <stdatomic.h>

#include "params/params.h"

enum { PT_ARRAY_TEXT = 80 };

struct pt_param_array {
    atomic_int_fast64_t holders;
    char text[PT_ARRAY_TEXT];
    pt_texts classes; /* that its rows are of; none: of those of the data set, in their order */
    int64_t rows;
    int64_t columns; /* weights of classes: 1 */
    double *value;   /* row-major */
};

/* *out <- a copy of the numbers, checked as far as they can be without the classes. */
pt_status pt_param_array_new(pt_param_array **out, pt_param_id id, const pt_dense *given,
                             pt_error *err);
/* A copy that knows its classes. */
pt_status pt_param_array_named(pt_param_array **out, const pt_param_array *array,
                               const pt_texts *classes, pt_error *err);
/* One holder more, and one less: the last frees it. NULL is fine. */
pt_param_array *pt_param_array_share(pt_param_array *array);
void pt_param_array_free(pt_param_array *array);

static inline void pt_param_array_free_at(pt_param_array **address) /* for PT_FREED_BY */
{
    pt_param_array_free(*address);
}

#endif
