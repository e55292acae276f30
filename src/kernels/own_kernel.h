/* A kernel that a program brings (polytomy.h, pt_kernel_callbacks): an entry like those of the
 * table, whose base values are those of the callbacks and whose map is the identity. */
#ifndef PT_KERNELS_OWN_KERNEL_H
#define PT_KERNELS_OWN_KERNEL_H

#include "kernels/kernel.h"

/* Values that are asked for at once. */
enum { PT_OWN_VALUES = 16384 };

/* The entry of the kernel that a program has brought and named; NULL: it is one of the library's.
 * It lives as long as the parameters, or a copy of them. */
const pt_kernel_ops *pt_own_kernel_of(const pt_params *params);

/* *out <- the rows as callbacks see them: in double, sparse or dense as asked. Refers to what
 * `rows` points at; `held` is what they need beside it, to be freed. */
pt_status pt_own_rows(pt_rows *out, pt_rows_owned *held, const pt_kernel_callbacks *own,
                      const pt_rows *rows, bool sparse, const pt_task *task, pt_error *err);

/* block[i * ld + j] <- k(a_i, b_j), finite, of rows made ready; at most PT_OWN_VALUES. */
pt_status pt_own_values(const pt_kernel_callbacks *own, const pt_rows *a, const pt_rows *b,
                        double *block, int64_t ld, pt_error *err);
/* value[i] <- k(x_i, x_i), finite. */
pt_status pt_own_diagonal(const pt_kernel_callbacks *own, const pt_rows *rows, double *value,
                          pt_error *err);

/* Refuses values that float32 has not. */
pt_status pt_own_check_narrow(const pt_kernel_callbacks *own, const double *value, int64_t count,
                              pt_error *err);

#endif
