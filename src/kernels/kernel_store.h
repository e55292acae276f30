/* Kernel values of one set of rows against itself, on demand: what solvers read.
 *
 * Where the memory that is given allows it, the whole Gram matrix is computed once, by tiles, and
 * rows are read in place. Else rows are computed when they are asked for, and as many of those used
 * last are kept as fit. Values do not depend on the number of threads, nor on who asked before. */
#ifndef PT_KERNELS_KERNEL_STORE_H
#define PT_KERNELS_KERNEL_STORE_H

#include <stdbool.h>

#include "base/task.h"
#include "kernels/gram.h"

typedef struct pt_kernel_store pt_kernel_store;

/* What `rows` points at must stay, and `task`; values are of its type. `bytes` is what the values
 * may take: a whole matrix needs pt_kernel_store_bytes, a cache anything from a row on. A
 * precomputed kernel is read from the rows themselves, which are square. `like` may be NULL; where
 * these rows are some of its rows, values are rounded as blocks of it are. */
pt_status pt_kernel_store_open(pt_kernel_store **out, const pt_rows *rows, const pt_kernel *kernel,
                               const pt_gram *like, double bytes, const pt_task *task,
                               pt_error *err);
void pt_kernel_store_close(pt_kernel_store *store);
static inline void pt_kernel_store_close_at(pt_kernel_store **address) /* for PT_FREED_BY */
{
    pt_kernel_store_close(*address);
}
double pt_kernel_store_bytes(int64_t n, pt_type type); /* of a whole matrix */
/* Values from one row of n to the next: rows begin on cache lines, and never a multiple of 4096
 * bytes apart: columns would then compete for the same few lines. */
int64_t pt_kernel_store_leading(int64_t n, pt_type type);

int64_t pt_kernel_store_n(const pt_kernel_store *store);
pt_type pt_kernel_store_type(const pt_kernel_store *store);
bool pt_kernel_store_whole(const pt_kernel_store *store);
const double *pt_kernel_store_diagonal(const pt_kernel_store *store); /* n values */
/* All values, row after row, pt_kernel_store_leading apart and with zeros between; NULL: they are
 * in a cache, or are the rows' own. */
const void *pt_kernel_store_held(const pt_kernel_store *store);
/* How many values have been computed so far, for tests and plans. */
int64_t pt_kernel_store_computed(const pt_kernel_store *store);
int64_t pt_kernel_stores_computed(void); /* all stores there have been in this process */

/* Bytes of the buffer that pt_kernel_store_rows wants for `count` rows; 0: the matrix is whole. */
size_t pt_kernel_store_buffer(const pt_kernel_store *store, int64_t count);

/* row[r] <- n values k(x_index[r], .), r < count. They lie in the store or in `buffer`, 64-byte
 * aligned, of pt_kernel_store_buffer bytes, and stay until that is used again. Any thread may ask,
 * each with a buffer of its own. */
pt_status pt_kernel_store_rows(pt_kernel_store *store, const int64_t *index, int64_t count,
                               void *buffer, const void **row, const pt_task *task, pt_error *err);

/* value[i] <- k(x_i, x_i) for every row. */
pt_status pt_kernel_diagonal(const pt_gram *gram, const pt_kernel *kernel, double *value,
                             pt_error *err);

#endif
