/* SPOC: the gradient of the examples that are active, brought up to date, and that of all examples,
 * formed anew, with what it says: value, gap, margins. spoc.c says what the symbols are. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "solvers/dual/spoc_solver.h"

enum {
    CHUNK = PT_SPOC_CHUNK,
    BLOCK = PT_SPOC_BLOCK,
    LEAST_WORK = 1 << 22 /* products: with fewer no second thread is woken, many times a second */
};

/* ---- the gradient ---------------------------------------------------------------------------- */

typedef void (*update_fn)(const void *const *row, const double *coef, int64_t count, int64_t width,
                          void *G);

/* Adds the changes by class to one chunk of a gradient of m examples. */
static void update_chunk(const pt_spoc_solver *s, update_fn update, int64_t chunk, int64_t m,
                         char *G, size_t size)
{
    const int64_t k = s->p->k;
    const int64_t from = chunk * CHUNK;
    const int64_t width = m - from < CHUNK ? m - from : CHUNK;
    const size_t skip = (size_t)from * pt_type_size(s->type);
    const void *row[BLOCK];
    for (int64_t r = 0; r < k; r++) {
        const int64_t count = s->first[r + 1] - s->first[r];
        if (count == 0)
            continue;
        for (int64_t c = 0; c < count; c++)
            row[c] = (const char *)s->from_row[s->first[r] + c] + skip;
        update(row, s->coef + s->first[r], count, width,
               G + (size_t)((chunk * k + r) * CHUNK) * size);
    }
}

static pt_status round_body(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)err;
    pt_spoc_solver *s = context;
    const update_fn update = s->type == PT_F64 ? s->loops->update_f64_f64
                             : s->wide         ? s->loops->update_f32_f64
                                               : s->loops->update_f32_f32;
    update_chunk(s, update, chunk, s->m, s->G, pt_spoc_g_size(s));
    s->rules->scan(s, chunk, s->hidden ? s->hidden + worker * CHUNK * s->p->k : NULL);
    return PT_OK;
}

/* G <- G + K change, and what there is to gain. */
pt_status pt_spoc_update(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    const int64_t chunks = pt_spoc_chunks(s->m);
    pt_status status = PT_OK;
    if (s->m * (s->first[s->p->k] + s->p->k) >= LEAST_WORK)
        status = pt_parallel_for(task, chunks, round_body, s, err);
    else
        for (int64_t c = 0; c < chunks; c++)
            (void)round_body(s, c, 0, err);
    s->end.gap = 0;
    s->largest = 0;
    for (int64_t c = 0; c < chunks; c++) {
        s->end.gap += s->sums[c].gap;
        s->largest = fmax(s->largest, s->sums[c].largest);
    }
    return status;
}

pt_status pt_spoc_fetch_rows(pt_spoc_solver *s, const int64_t *place, int64_t count,
                             const pt_task *task, pt_error *err)
{
    int64_t index[BLOCK];
    if (s->copy) {
        for (int64_t r = 0; r < count; r++)
            s->row[r] =
                (const char *)s->copy + (size_t)(place[r] * s->copy_ld) * pt_type_size(s->type);
        return PT_OK;
    }
    for (int64_t r = 0; r < count; r++)
        index[r] = s->active[place[r]];
    return pt_kernel_store_rows(s->p->store, index, count, s->buffer, s->row, task, err);
}

/* ---- the gradient of all, in double ---------------------------------------------------------- */

typedef struct forming {
    pt_spoc_solver *s;
    double *exact; /* n x k, in chunks */
} forming;

static pt_status form_body(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const forming *f = context;
    const pt_spoc_solver *s = f->s;
    update_chunk(s, s->type == PT_F64 ? s->loops->update_f64_f64 : s->loops->update_f32_f64, chunk,
                 s->p->n, (char *)f->exact, sizeof(double));
    return PT_OK;
}

/* Sorts the changes of the block's examples by class; change (count x ld) is that of tau. */
void pt_spoc_sort_changes(pt_spoc_solver *s, const double *change, int64_t ld)
{
    const int64_t k = s->p->k;
    int64_t at = 0;
    for (int64_t r = 0; r < k; r++) {
        s->first[r] = at;
        for (int64_t b = 0; b < s->count; b++)
            if (change[b * ld + r] != 0) {
                s->from_row[at] = s->row[b];
                s->coef[at++] = change[b * ld + r];
            }
    }
    s->first[k] = at;
}

/* Adds the support patterns index[0 .. count) of the block. */
static pt_status form_some(forming *f, const int64_t *index, const pt_task *task, pt_error *err)
{
    pt_spoc_solver *s = f->s;
    const pt_spoc *p = s->p;
    const int64_t chunks = pt_spoc_chunks(p->n);
    PT_TRY(pt_kernel_store_rows(p->store, index, s->count, s->buffer, s->row, task, err));
    for (int64_t b = 0; b < s->count; b++)
        pt_spoc_tau(p, s->eta, index[b], s->before + b * s->block.ld);
    pt_spoc_sort_changes(s, s->before, s->block.ld);
    if (p->n * s->first[p->k] >= LEAST_WORK)
        return pt_parallel_for(task, chunks, form_body, f, err);
    for (int64_t c = 0; c < chunks; c++)
        (void)form_body(f, c, 0, err);
    return PT_OK;
}

void pt_spoc_fill_costs(const pt_spoc *p, double *exact)
{
    for (int64_t chunk = 0; chunk < pt_spoc_chunks(p->n); chunk++)
        for (int64_t r = 0; r < p->k; r++)
            for (int64_t a = 0; a < CHUNK; a++) {
                const int64_t i = chunk * CHUNK + a;
                exact[(chunk * p->k + r) * CHUNK + a] = i < p->n ? pt_spoc_cost(p, i, r) : 0;
            }
}

pt_status pt_spoc_form(pt_spoc_solver *s, double *exact, const pt_task *task, pt_error *err)
{
    const pt_spoc *p = s->p;
    forming f = {s, exact};
    int64_t index[BLOCK];
    pt_status status = PT_OK;
    pt_spoc_fill_costs(p, exact);
    s->count = 0;
    for (int64_t i = 0; i <= p->n && status == PT_OK; i++) {
        if (s->count == BLOCK || (i == p->n && s->count > 0)) {
            status = form_some(&f, index, task, err);
            s->count = 0;
        }
        if (i < p->n && pt_spoc_is_pattern(s, i))
            index[s->count++] = i;
    }
    return status == PT_OK ? pt_task_check(task, err) : status;
}

/* min(margin, min_r (f_iy - f_ir) / b_ir) of example i from its gradients g; -1: no scale makes up
 * for it. */
static double least_margin(const pt_spoc *p, int64_t i, const double *g, double margin)
{
    const int64_t y = p->class_of[i];
    const double own = g[y * CHUNK];
    for (int64_t r = 0; r < p->k && margin > 0; r++) {
        const double b = pt_spoc_cost(p, i, r);
        const double ahead = own - (g[r * CHUNK] - b);
        const double scaled = b == 1 ? ahead : ahead / b;
        if (b > 0)
            margin = scaled < margin ? scaled : margin;
        else if (ahead < 0)
            margin = -1;
    }
    return margin;
}

void pt_spoc_measure(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact, double *tau,
                     double *value, double *gap)
{
    const pt_spoc_rules *rules = pt_spoc_rules_of(p);
    double with_g = 0;
    double with_b = 0;
    double margin = INFINITY; /* min_ir (f_iy - f_ir) / b_ir */
    *gap = 0;
    for (int64_t i = 0; i < p->n; i++) {
        const double *g = exact + (i / CHUNK) * p->k * CHUNK + i % CHUNK;
        if (pt_spoc_is_support(eta, i, p->class_of[i])) {
            pt_spoc_tau(p, eta, i, tau);
            for (int64_t r = 0; r < p->k; r++) {
                with_g += tau[r] * g[r * CHUNK];
                with_b += tau[r] * pt_spoc_cost(p, i, r);
            }
        }
        if (p->bound[i] > 0)
            margin = least_margin(p, i, g, margin);
        *gap = rules->add_gap(p, eta, i, g, *gap);
    }
    const double square = with_g - with_b; /* ||M||^2 */
    *value = -0.5 * (with_g + with_b);
    if (margin > 0 && isfinite(margin) && square > 0)
        *gap = fmin(*gap, fmax(0.5 * square / (margin * margin) - *value, 0));
}

void pt_spoc_note_margins(const pt_spoc *p, const pt_sparse_rows *eta, const double *exact,
                          const double *diagonal, double *tau)
{
    const int64_t k = p->k;
    double *least = p->margins->least;
    double *product = p->margins->product;
    double radius = 0;
    memset(product, 0, (size_t)(k * k) * sizeof *product);
    for (int64_t c = 0; c < k * k; c++)
        least[c] = INFINITY;
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t y = p->class_of[i];
        const double *g = exact + (i / CHUNK) * k * CHUNK + i % CHUNK;
        const double own = g[y * CHUNK];
        radius = fmax(radius, sqrt(diagonal[i]));
        for (int64_t r = 0; r < k; r++) {
            const double f = g[r * CHUNK] - pt_spoc_cost(p, i, r);
            least[y * k + r] = fmin(least[y * k + r], own - f);
        }
        if (!pt_spoc_is_support(eta, i, y))
            continue;
        pt_spoc_tau(p, eta, i, tau); /* M_r . M_s = sum_i tau_ir f_is */
        for (int64_t r = 0; r < k; r++)
            for (int64_t s = 0; s < k && tau[r] != 0; s++)
                product[r * k + s] += tau[r] * (g[s * CHUNK] - pt_spoc_cost(p, i, s));
    }
    p->margins->radius = radius;
}
