/* Designed codes: scores, and how files have them.
 *
 *   d.rows     k x ell      M
 *   d.pattern  count x ell  outputs of the support patterns
 *   d.tau      k x count    their coefficients
 *   d.kernel   1 x 3        sigma, coef0, degree
 *   d.bias     k x 1        in designs for labels that are no classes */
#include "codes/design/designed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"

enum { SHAPE = 3 };

void pt_designed_free(pt_designed *designed)
{
    pt_expansion_free(&designed->expansion);
    *designed = (pt_designed){0};
}

pt_status pt_designed_from_rows(pt_designed *designed, int64_t k, int64_t ell, double *M,
                                pt_error *err)
{
    /* coefficients, ell x k column-major, are M row-major */
    const pt_expansion_parts parts = {.kernel = {.ops = pt_kernel_find("linear")},
                                      .type = PT_F64,
                                      .m = k,
                                      .n_coef = ell,
                                      .linear = true,
                                      .coef = M};
    designed->k = k;
    designed->ell = ell;
    return pt_expansion_take(&designed->expansion, &parts, err);
}

static pt_rows rows_of(const double *H, int64_t m, int64_t ell)
{
    return (pt_rows){.n = m, .d = ell, .type = PT_F64, .dense = H, .stride = ell};
}

pt_status pt_designed_from_patterns(pt_designed *designed, const pt_kernel *kernel, int64_t k,
                                    int64_t ell, const double *H, int64_t m, const int64_t *chosen,
                                    int64_t count, double *tau, const pt_task *task, pt_error *err)
{
    const pt_rows rows = rows_of(H, m, ell);
    const pt_expansion_parts parts = {.kernel = *kernel,
                                      .type = PT_F64,
                                      .m = k,
                                      .n_coef = count,
                                      .coef = tau,
                                      .rows = &rows,
                                      .chosen = chosen,
                                      .task = task};
    const double shape[SHAPE] = {kernel->sigma, kernel->coef0, (double)kernel->degree};
    designed->k = k;
    designed->ell = ell;
    memcpy(designed->shape, shape, sizeof shape);
    return pt_expansion_take(&designed->expansion, &parts, err);
}

void pt_designed_take_bias(pt_designed *designed, double *bias)
{
    pt_free(designed->expansion.bias);
    designed->expansion.bias = bias;
}

bool pt_designed_has_bias(const pt_designed *designed)
{
    return designed->expansion.bias != NULL;
}

const double *pt_designed_rows(const pt_designed *designed)
{
    return designed->expansion.linear ? designed->expansion.coef : NULL;
}

pt_status pt_designed_scores(const pt_designed *designed, int64_t n, const double *outputs,
                             double *scores, const pt_task *task, pt_error *err)
{
    const pt_rows rows = rows_of(outputs, n, designed->ell);
    return pt_expansion_outputs(&designed->expansion, &rows, scores, task, err);
}

/* ---- in words -------------------------------------------------------------------------------- */

/* Of tau_i only the entry of the example's own class is positive. */
static int64_t class_of_pattern(const pt_designed *designed, int64_t i)
{
    const pt_expansion *e = &designed->expansion;
    int64_t own = 0;
    for (int64_t r = 1; r < designed->k; r++)
        if (e->coef[r * e->n_coef + i] > e->coef[own * e->n_coef + i])
            own = r;
    return own;
}

pt_status pt_designed_pattern_words(char **text, const pt_designed *designed, const pt_texts *names,
                                    pt_error *err)
{
    enum { NUMBER = 24 }; /* " 9223372036854775807, " */
    size_t room = 1;
    char *made = NULL;
    PT_SCRATCH int64_t *count = NULL;
    PT_TRY(PT_NEW_ZERO(count, designed->k, "classes", err));
    for (int64_t r = 0; r < designed->k; r++)
        room += strlen(names->items[r]) + NUMBER;
    PT_TRY(PT_NEW(made, (int64_t)room, "words", err));
    for (int64_t i = 0; i < designed->expansion.n_coef; i++)
        count[class_of_pattern(designed, i)]++;
    size_t at = 0;
    for (int64_t r = 0; r < designed->k; r++)
        at += (size_t)snprintf(made + at, room - at, "%s%s %lld", r ? ", " : "", names->items[r],
                               (long long)count[r]);
    *text = made;
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

bool pt_designed_owns(const char *name)
{
    return strncmp(name, "d.", 2) == 0;
}

void pt_designed_save(const pt_designed *designed, pt_pack *pack)
{
    const pt_expansion *e = &designed->expansion;
    if (e->bias)
        pt_pack_add(pack, "d.bias", PT_F64, designed->k, 1, e->bias);
    if (e->linear) {
        pt_pack_add(pack, "d.rows", PT_F64, designed->k, designed->ell, e->coef);
        return;
    }
    pt_pack_add(pack, "d.pattern", PT_F64, e->n_coef, designed->ell, e->rows.value);
    pt_pack_add(pack, "d.tau", PT_F64, designed->k, e->n_coef, e->coef);
    pt_pack_add(pack, "d.kernel", PT_F64, 1, SHAPE, designed->shape);
}

static bool fits(const pt_array *array, int64_t rows, int64_t columns)
{
    return pt_array_is_real(array, PT_F64) && array->rows == rows && array->columns == columns;
}

static pt_status does_not_fit(pt_error *err)
{
    return pt_fail(err, PT_EFORMAT, "the model's designed code does not fit its other parts");
}

static pt_status copy_of(double **copy, const pt_array *array, pt_error *err)
{
    const int64_t cells = array->rows * array->columns;
    PT_TRY(PT_NEW(*copy, cells, "a code", err));
    memcpy(*copy, array->value, (size_t)cells * sizeof **copy);
    return PT_OK;
}

static bool is_shape(const double *shape)
{
    return shape[0] > 0 && shape[2] >= 1 && shape[2] <= 100 && shape[2] == floor(shape[2]);
}

static pt_status load_patterns(pt_designed *designed, const pt_pack *pack, int64_t k, int64_t ell,
                               const pt_kernel_ops *kernel, pt_error *err)
{
    const pt_array *pattern = pt_pack_find(pack, "d.pattern");
    const pt_array *tau = pt_pack_find(pack, "d.tau");
    const pt_array *shape = pt_pack_find(pack, "d.kernel");
    if (!pattern || pattern->rows < 1 || !fits(pattern, pattern->rows, ell) ||
        !fits(tau, k, pattern->rows) || !fits(shape, 1, SHAPE) || !is_shape(shape->value))
        return does_not_fit(err);
    const double *of = shape->value;
    const pt_kernel whole = {
        .ops = kernel, .sigma = of[0], .coef0 = of[1], .degree = (int64_t)of[2]};
    double *coef = NULL;
    PT_TRY(copy_of(&coef, tau, err));
    return pt_designed_from_patterns(designed, &whole, k, ell, pattern->value, pattern->rows, NULL,
                                     pattern->rows, coef, NULL, err);
}

pt_status pt_designed_load(pt_designed *designed, const pt_pack *pack, int64_t k, int64_t ell,
                           const pt_kernel_ops *kernel, pt_error *err)
{
    const bool linear = kernel->linear;
    const pt_array *bias = pt_pack_find(pack, "d.bias");
    const pt_array *rows = linear ? pt_pack_find(pack, "d.rows") : NULL;
    double *copy = NULL;
    int64_t owned = 0;
    for (int64_t i = 0; i < pack->count; i++)
        owned += pt_designed_owns(pack->arrays[i].name);
    if (owned != (linear ? 1 : 3) + (bias != NULL) || (bias && !fits(bias, k, 1)) ||
        (linear && !fits(rows, k, ell)))
        return does_not_fit(err);
    if (linear)
        PT_TRY(copy_of(&copy, rows, err));
    PT_TRY(linear ? pt_designed_from_rows(designed, k, ell, copy, err)
                  : load_patterns(designed, pack, k, ell, kernel, err));
    if (bias) {
        PT_TRY(copy_of(&copy, bias, err));
        pt_designed_take_bias(designed, copy);
    }
    return PT_OK;
}
