/* SPOC: which examples are active, and the kernel values among them. */
#include <limits.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "solvers/dual/spoc_solver.h"

enum {
    CHUNK = PT_SPOC_CHUNK,
    BLOCK = PT_SPOC_BLOCK,
    LEAST_COPIED = 1 << 18 /* values: with fewer no second thread is woken */
};
static const double SHRUNK = 0.7; /* share that is left, for a copy to pay */

/* All examples become active, with G as it is in double. */
pt_status pt_spoc_activate_all(pt_spoc_solver *s, double **exact, pt_error *err)
{
    const pt_spoc *p = s->p;
    const int64_t cells = pt_spoc_chunks(p->n) * CHUNK * p->k;
    pt_spoc_forget_past(s);
    pt_free(s->copy);
    pt_free(s->G);
    s->copy = NULL;
    s->G = NULL;
    s->m = p->n;
    for (int64_t i = 0; i < p->n; i++)
        s->active[i] = i;
    if (s->wide) {
        s->G = *exact;
        *exact = NULL;
        return PT_OK;
    }
    float *G = pt_alloc(cells, sizeof(float), "a gradient", err);
    s->G = G;
    for (int64_t c = 0; c < cells && G; c++)
        G[c] = (float)(*exact)[c];
    return G ? PT_OK : PT_ENOMEM;
}

/* ---- shrinking ------------------------------------------------------------------------------- */

static int64_t copy_leading(int64_t m, pt_type type)
{
    const int64_t line = 64 / (int64_t)pt_type_size(type);
    const int64_t ld = (m + line - 1) / line * line;
    return ld % (4096 / (int64_t)pt_type_size(type)) == 0 ? ld + line : ld; /* see kernel_store.c */
}

static void gather(pt_type type, const void *row, const int64_t *place, int64_t m, void *out)
{
    if (type == PT_F32)
        for (int64_t c = 0; c < m; c++)
            ((float *)out)[c] = ((const float *)row)[place[c]];
    else
        for (int64_t c = 0; c < m; c++)
            ((double *)out)[c] = ((const double *)row)[place[c]];
}

typedef struct copying {
    pt_spoc_solver *s;
    const int64_t *kept; /* places in active */
    int64_t m;
    char *to;
    int64_t ld;
    int64_t from; /* the block's first row */
} copying;

static pt_status copy_body(void *context, int64_t r, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const copying *c = context;
    gather(c->s->type, c->s->row[r], c->kept, c->m,
           c->to + (size_t)((c->from + r) * c->ld) * pt_type_size(c->s->type));
    return PT_OK;
}

/* Kernel values of the kept ones into a copy of their own. */
static pt_status copy_kernel(pt_spoc_solver *s, const int64_t *kept, int64_t m, const pt_task *task,
                             pt_error *err)
{
    copying c = {.s = s, .kept = kept, .m = m, .ld = copy_leading(m, s->type)};
    c.to = pt_alloc(m * c.ld, pt_type_size(s->type), "kernel values", err);
    pt_status status = c.to ? PT_OK : PT_ENOMEM;
    for (c.from = 0; c.from < m && status == PT_OK; c.from += BLOCK) {
        const int64_t count = m - c.from < BLOCK ? m - c.from : BLOCK;
        status = pt_spoc_fetch_rows(s, kept + c.from, count, task, err);
        if (status == PT_OK)
            status = pt_parallel_for_at_most(task, m * count < LEAST_COPIED ? 1 : INT_MAX, count,
                                             copy_body, &c, err);
    }
    if (status != PT_OK) {
        pt_free(c.to);
        return status;
    }
    pt_free(s->copy);
    s->copy = c.to;
    s->copy_ld = c.ld;
    return PT_OK;
}

/* Moves examples kept[0 .. m) of G, ascending, to its front; places beyond m are 0. */
static void pack_G(pt_spoc_solver *s, const int64_t *kept, int64_t m)
{
    const int64_t k = s->p->k;
    for (int64_t a = 0; a < pt_spoc_chunks(m) * CHUNK; a++)
        for (int64_t r = 0; r < k; r++) {
            if (s->wide)
                ((double *)s->G)[pt_spoc_cell(s, a, r)] =
                    a < m ? ((double *)s->G)[pt_spoc_cell(s, kept[a], r)] : 0;
            else
                ((float *)s->G)[pt_spoc_cell(s, a, r)] =
                    a < m ? ((float *)s->G)[pt_spoc_cell(s, kept[a], r)] : 0;
        }
}

/* Leaves out what is held at a corner, where that is enough for a copy of kernel values to pay and
 * there is room for one. */
pt_status pt_spoc_shrink(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *kept = pt_alloc(s->m, sizeof(int64_t), "active examples", err);
    if (!kept)
        return PT_ENOMEM;
    int64_t m = 0;
    for (int64_t a = 0; a < s->m; a++)
        if (!s->rules->is_held(s, a))
            kept[m++] = a;
    const double size = (double)pt_type_size(s->type);
    const double held = s->copy ? (double)s->m * (double)s->copy_ld * size : 0;
    const double wanted = (double)m * (double)copy_leading(m, s->type) * size;
    if (m > 0 && (double)m <= SHRUNK * (double)s->m && held + wanted <= s->p->bytes) {
        PT_TRY(copy_kernel(s, kept, m, task, err));
        pt_spoc_forget_past(s);
        pack_G(s, kept, m);
        for (int64_t a = 0; a < m; a++) {
            s->active[a] = s->active[kept[a]];
            s->gain[a] = s->gain[kept[a]];
        }
        s->m = m;
    }
    return PT_OK;
}
