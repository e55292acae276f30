/* Centres of kernel expansions, made ready for new rows: predictions.
 *
 * What a new row makes of the centres is summed in one order, that of the features and then that of
 * the centres, whatever rows come with it, however many threads there are and however the rows are
 * cut into blocks. So a row has the same scores alone, among others, in a stream and in a scorer,
 * on the same instruction set. */
#ifndef PT_KERNELS_CENTRES_H
#define PT_KERNELS_CENTRES_H

#include "base/task.h"
#include "kernels/kernel.h"

typedef struct pt_centres pt_centres;

/* Refers to what `rows` points at, which must stay. `type` is that of the values; PT_F64 for rows
 * in PT_F32 is allowed. Dense rows are copied, up to a size, turned and less their mean; others, or
 * those with few cells that are not 0, are held as sparse rows. `of`: a kernel with the base values
 * that are asked for. For PT_BASE_ROW there are no rows (rows->d is their number): value j is that
 * of column order[j] of the new rows, or j. */
pt_status pt_centres_new(pt_centres **out, const pt_rows *rows, const int64_t *order,
                         const pt_kernel_ops *of, pt_type type, const pt_task *task, pt_error *err);
/* The same centres in double, for a few rows: dense ones are turned when they are met. */
pt_status pt_centres_new_double(pt_centres **out, const pt_centres *centres, const pt_task *task,
                                pt_error *err);
/* Bytes that pt_centres_new will hold (an upper bound): for the plan. */
double pt_centres_bytes(const pt_rows *rows, pt_kernel_base base, pt_type type);
void pt_centres_free(pt_centres *centres);
static inline void pt_centres_free_at(pt_centres **address) /* for PT_FREED_BY */
{
    pt_centres_free(*address);
}

pt_type pt_centres_type(const pt_centres *centres);

/* Values of rows `row` .. row + n of the new ones with centres `first` .. first + count: of row i
 * and centre first + p lanes + j at value[p panel_step + i row_step + j centre_step], with the
 * lanes of a panel (centre_loops.h). */
typedef struct pt_centre_block {
    int64_t row;
    int64_t n;
    int64_t first;
    int64_t count;
    const void *value;
    int64_t row_step;
    int64_t centre_step;
    int64_t panel_step;
} pt_centre_block;

/* `own` is memory for one block of rows, zero before its first centre. */
typedef void (*pt_centres_fn)(void *context, const pt_centre_block *block, void *own);

/* Hands out all values of the rows with the centres: base values, or kernel values where a kernel
 * is given. In parallel over blocks of rows; of one block in the order of the centres. `row_bytes`
 * is how much a row of `own` needs. `stage` as in pt_parallel_for_stage. */
pt_status pt_centres_meet(const pt_centres *centres, const pt_rows *rows, const pt_kernel *kernel,
                          size_t row_bytes, pt_centres_fn take, void *context, const char *stage,
                          const pt_task *task, pt_error *err);

/* ---- sums over the centres: centre_sums.c ---------------------------------------------------- */

/* row <- coefficients from .. from + count - 1 of centre i. */
typedef void (*pt_coefficients_fn)(const void *of, int64_t i, int64_t from, int64_t count,
                                   double *row);

/* Coefficients laid out as sums need them: n x m, for each panel of centres strips of outputs. */
pt_status pt_coefficients_lay(void **out, int64_t n, int64_t m, pt_type type,
                              pt_coefficients_fn coefficients, const void *of, const pt_task *task,
                              pt_error *err);

double pt_coefficients_bytes(int64_t n, int64_t m, pt_type type);

/* Centres in groups: those of group g, first[g] to first[g + 1], have m coefficients each. */
typedef struct pt_centre_sums {
    const pt_centres *centres;
    const pt_kernel *kernel; /* NULL: values are taken as they are */
    int64_t m;
    int64_t groups;
    const int64_t *first;
    const void *coef; /* as they were laid */
} pt_centre_sums;

/* sums of rows row .. row + n, `ld` apart: m numbers of the type of the centres for each. Of a
 * block of rows it is called for one group after the other, those without centres left out. */
typedef void (*pt_group_sums_fn)(void *context, int64_t group, int64_t row, int64_t n,
                                 const void *sums, int64_t ld);

pt_status pt_centre_sums_of(const pt_centre_sums *sums, const pt_rows *rows, pt_group_sums_fn take,
                            void *context, const pt_task *task, pt_error *err);

#endif
