/* A kernel that a program brings: checked, copied, called. The struct may be longer or shorter than
 * ours (params/callbacks.h). */
#include "kernels/own_kernel.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "params/callbacks.h"
#include "params/params_table.h"

/* What parameters hold. */
typedef struct own_kernel {
    pt_brought brought;
    pt_kernel_callbacks callbacks; /* with a name of its own */
    pt_kernel_ops ops;
} own_kernel;

/* ---- into the parameters --------------------------------------------------------------------- */

/* Up to the last member of version 0.1. Members that come later do not change it. */
enum {
    FIRST_SIZE = offsetof(pt_kernel_callbacks, diagonal) + sizeof((pt_kernel_callbacks){0}.diagonal)
};

static void own_kernel_free(pt_brought *brought)
{
    own_kernel *kernel = (own_kernel *)brought;
    pt_free((char *)kernel->callbacks.name);
    pt_free(kernel);
}

static void release_at(pt_brought **address)
{
    pt_brought_release(*address);
}

static pt_status own_kernel_new(pt_brought **out, const pt_kernel_callbacks *given, pt_error *err)
{
    pt_kernel_callbacks own;
    if (!given)
        return pt_fail(err, PT_EINVAL, "there is no kernel");
    PT_TRY(pt_callbacks_read("kernel", &own, sizeof own, given, given->size, FIRST_SIZE, err));
    PT_TRY(pt_callbacks_check_name("kernel", own.name, pt_param_table[PT_P_KERNEL].allowed, err));
    if (!own.values)
        return pt_fail(err, PT_EINVAL, "kernel '%s' lacks values", own.name);
    PT_SCRATCH char *name = pt_alloc_text(own.name, err);
    own_kernel *kernel = name ? pt_alloc_zero(1, sizeof *kernel, "a kernel", err) : NULL;
    if (!kernel)
        return PT_ENOMEM;
    own.size = sizeof own;
    own.name = pt_keep(&name);
    pt_brought_begin(&kernel->brought, own.name, own_kernel_free);
    kernel->callbacks = own;
    kernel->ops = (pt_kernel_ops){.name = own.name,
                                  .summary = "a program's own",
                                  .parameters = "",
                                  .base = PT_BASE_OWN,
                                  .psd = own.psd != 0,
                                  .own = &kernel->callbacks};
    *out = &kernel->brought;
    return PT_OK;
}

pt_status pt_params_set_kernel(pt_params *params, const pt_kernel_callbacks *kernel, pt_error *err)
{
    PT_FREED_BY(release_at) pt_brought *own = NULL;
    PT_TRY(own_kernel_new(&own, kernel, err));
    pt_params_offer_kernel(params, own);
    return pt_params_set(params, "kernel", own->name, err);
}

const pt_kernel_ops *pt_own_kernel_of(const pt_params *params)
{
    const pt_brought *brought = pt_params_kernel(params);
    return brought ? &((const own_kernel *)brought)->ops : NULL;
}

/* ---- rows ------------------------------------------------------------------------------------ */

static double *dense_copy(pt_rows *out, const pt_rows *rows, pt_error *err)
{
    size_t width = 0;
    if (!pt_size_mul((size_t)rows->d, sizeof(double), &width)) {
        pt_fail_memory(err, "a copy of the rows", SIZE_MAX);
        return NULL;
    }
    double *value = pt_alloc_zero(rows->n, width, "a copy of the rows", err);
    for (int64_t i = 0; value && i < rows->n; i++)
        for (int64_t p = rows->start[i]; p < rows->start[i + 1]; p++)
            value[i * rows->d + rows->index[p]] = pt_rows_value(rows, rows->value, p);
    *out = (pt_rows){.n = rows->n, .d = rows->d, .type = PT_F64, .dense = value, .stride = rows->d};
    return value;
}

/* Dense rows without their zeros. */
static pt_status sparse_copy(pt_rows_owned *held, const pt_rows *rows, pt_error *err)
{
    int64_t used = 0;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t j = 0; j < rows->d; j++)
            used += pt_rows_value(rows, rows->dense, i * rows->stride + j) != 0;
    double *value = pt_alloc(used, sizeof *value, "a copy of the rows", err);
    held->value = value;
    held->start = pt_alloc(rows->n + 1, sizeof(int64_t), "a copy of the rows", err);
    held->index = pt_alloc(used, sizeof(int64_t), "a copy of the rows", err);
    if (!value || !held->start || !held->index)
        return PT_ENOMEM;
    used = 0;
    for (int64_t i = 0; i < rows->n; i++) {
        held->start[i] = used;
        for (int64_t j = 0; j < rows->d; j++) {
            const double x = pt_rows_value(rows, rows->dense, i * rows->stride + j);
            if (x == 0)
                continue;
            held->index[used] = j;
            value[used++] = x;
        }
    }
    held->start[rows->n] = used;
    held->rows = (pt_rows){.n = rows->n,
                           .d = rows->d,
                           .type = PT_F64,
                           .start = held->start,
                           .index = held->index,
                           .value = value};
    return PT_OK;
}

pt_status pt_own_rows(pt_rows *out, pt_rows_owned *held, const pt_kernel_callbacks *own,
                      const pt_rows *rows, bool sparse, const pt_task *task, pt_error *err)
{
    if (sparse && !own->takes_sparse)
        return pt_fail(err, PT_EINVAL, "kernel '%s' does not take sparse data", own->name);
    if (sparse != !rows->dense) {
        if (sparse)
            PT_TRY(sparse_copy(held, rows, err));
        else if (!(held->value = dense_copy(&held->rows, rows, err)))
            return PT_ENOMEM;
        *out = held->rows;
    } else if (rows->type != PT_F64) {
        PT_TRY(pt_rows_widen(held, rows, task, err));
        *out = held->rows;
    } else {
        *out = *rows;
    }
    return PT_OK;
}

/* ---- calling out ----------------------------------------------------------------------------- */

static pt_rows_view view_of(const pt_rows *rows)
{
    return (pt_rows_view){.n_rows = rows->n,
                          .n_columns = rows->d,
                          .dense = rows->dense,
                          .stride = rows->stride,
                          .start = rows->start,
                          .index = rows->index,
                          .value = rows->value};
}

/* What a callback returned, with its own words where it has any. PT_ENUMERIC is what solvers are
 * told of a matrix that has no factor, and try again. */
static pt_status pass_on(const pt_kernel_callbacks *own, pt_status status, const pt_error *said,
                         const char *what, pt_error *err)
{
    if (status == PT_OK)
        return PT_OK;
    if (status == PT_ENUMERIC)
        status = PT_EINVAL;
    if (!pt_callbacks_is_status(status))
        return pt_fail(err, PT_EINVAL, "kernel '%s': %s returned %d, no pt_status", own->name, what,
                       (int)status);
    return said->text[0] ? pt_fail(err, status, "kernel '%s': %.400s", own->name, said->text)
                         : pt_fail(err, status, "kernel '%s': %s failed", own->name, what);
}

pt_status pt_own_values(const pt_kernel_callbacks *own, const pt_rows *a, const pt_rows *b,
                        double *block, int64_t ld, pt_error *err)
{
    const pt_rows_view view_a = view_of(a);
    const pt_rows_view view_b = view_of(b);
    pt_error said = PT_ERROR_INIT;
    pt_pool *pool = pt_pool_pause(); /* it may call us, and keep what it gets */
    const pt_status status = own->values(&view_a, &view_b, block, ld, own->user, &said);
    pt_pool_resume(pool);
    PT_TRY(pass_on(own, status, &said, "values", err));
    for (int64_t i = 0; i < a->n; i++)
        for (int64_t j = 0; j < b->n; j++)
            if (!isfinite(block[i * ld + j]))
                return pt_fail(err, PT_EINVAL, "kernel '%s': a value is %g", own->name,
                               block[i * ld + j]);
    return PT_OK;
}

pt_status pt_own_diagonal(const pt_kernel_callbacks *own, const pt_rows *rows, double *value,
                          pt_error *err)
{
    if (!own->diagonal) {
        for (int64_t i = 0; i < rows->n; i++) {
            const pt_rows one = pt_rows_range(rows, i, 1);
            PT_TRY(pt_own_values(own, &one, &one, value + i, 1, err));
        }
        return PT_OK;
    }
    const pt_rows_view view = view_of(rows);
    pt_error said = PT_ERROR_INIT;
    pt_pool *pool = pt_pool_pause();
    const pt_status status = own->diagonal(&view, value, own->user, &said);
    pt_pool_resume(pool);
    PT_TRY(pass_on(own, status, &said, "diagonal", err));
    for (int64_t i = 0; i < rows->n; i++)
        if (!isfinite(value[i]))
            return pt_fail(err, PT_EINVAL, "kernel '%s': a value is %g", own->name, value[i]);
    return PT_OK;
}

pt_status pt_own_check_narrow(const pt_kernel_callbacks *own, const double *value, int64_t count,
                              pt_error *err)
{
    for (int64_t i = 0; i < count; i++)
        if (fabs(value[i]) > (double)FLT_MAX)
            return pt_fail(err, PT_EINVAL,
                           "kernel '%s': the value %g is too large for float32; use "
                           "`precision=double`",
                           own->name, value[i]);
    return PT_OK;
}
