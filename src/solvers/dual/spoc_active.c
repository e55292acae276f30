/* SPOC: the examples that are active, with their gradients: how these follow (one round's changes,
 * or all patterns anew), which examples are shrunk, and leaps. spoc.c says what the symbols are.
 *
 * Leaps. Rounds that each solve a few examples creep towards the solution along much the same way.
 * So now and then all examples go on together, from where they are, along the way that they have
 * come since the last leap began:
 *
 *     eta <- eta + t d ,   d = eta - past ,   t = (d . g) / (d . K d)      the best along d,
 *
 * and K d costs nothing, for -K d = g - past_g, the difference of two gradients that are there. It
 * is the step of conjugate gradients, over some rounds of descent in place of a gradient. At a gap
 * of 1e-3 it halves the rounds on letter; on smooth kernels, at 1e-6, there were six times fewer.
 *
 * An example whose eta would become negative stops at 0, one of WW also at C. At most
 * PT_BLOCK do: with more, t is made smaller. Their share of K d is taken back by one update of
 * the gradient. */
#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "solvers/dual/dual_parts.h"
#include "solvers/dual/spoc_solver.h"

enum {
    CHUNK = PT_SPOC_CHUNK,
    BLOCK = PT_BLOCK,
    LEAST_WORK = 1 << 22,  /* products: with fewer no second thread is woken, many times a second */
    LEAST_COPIED = 1 << 18 /* kernel values: as above */
};
static const double SHRUNK = 0.7;      /* share that is left, for a copy to pay */
static const double LEAST_STEP = 0.01; /* of a leap: less is not worth the pass */
/* Rounding in G does not shrink as d does: it is multiplied by every step, leap after leap. */
static const double MOST_STEP = 1;
static const double ALMOST_0 = 1e-13; /* of what it was: it has met its bound */

/* ---- the gradient ---------------------------------------------------------------------------- */

typedef void (*update_fn)(const void *const *row, const double *coef, int64_t count, int64_t width,
                          void *G);

/* What the shift of kernel values adds to a class. */
static void add_shift(const pt_spoc_solver *s, int64_t first, int64_t count, int64_t width, void *G,
                      size_t size)
{
    double sum = 0;
    for (int64_t c = 0; c < count; c++)
        sum += s->coef[first + c];
    for (int64_t a = 0; a < width && size == sizeof(float); a++)
        ((float *)G)[a] += (float)(s->p->shift * sum);
    for (int64_t a = 0; a < width && size == sizeof(double); a++)
        ((double *)G)[a] += s->p->shift * sum;
}

/* Adds the changes by class to one chunk of a gradient of m examples. */
static void update_chunk(const pt_spoc_solver *s, update_fn update, int64_t chunk, int64_t m,
                         char *G, size_t size)
{
    const int64_t k = s->p->k;
    const int64_t from = chunk * CHUNK;
    const int64_t width = pt_lesser(m - from, CHUNK);
    const size_t skip = (size_t)from * pt_type_size(s->loop.type);
    const void *row[BLOCK];
    for (int64_t r = 0; r < k; r++) {
        const int64_t count = s->first[r + 1] - s->first[r];
        if (count == 0)
            continue;
        for (int64_t c = 0; c < count; c++)
            row[c] = (const char *)s->from_row[s->first[r] + c] + skip;
        void *to = G + (size_t)((chunk * k + r) * CHUNK) * size;
        update(row, s->coef + s->first[r], count, width, to);
        if (s->p->shift != 0)
            add_shift(s, s->first[r], count, width, to, size);
    }
}

static pt_status round_body(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)err;
    pt_spoc_solver *s = context;
    const update_fn update = s->loop.type == PT_F64 ? s->loops->update_f64_f64
                             : s->wide              ? s->loops->update_f32_f64
                                                    : s->loops->update_f32_f32;
    update_chunk(s, update, chunk, s->loop.m, s->G, pt_spoc_g_size(s));
    s->rules->scan(s, chunk, s->hidden + worker * CHUNK * s->p->k);
    return PT_OK;
}

/* G <- G + K change, and what there is to gain. */
pt_status pt_spoc_update(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    const int64_t chunks = pt_spoc_chunks(s->loop.m);
    const int64_t work = s->loop.m * (s->first[s->p->k] + s->p->k);
    PT_TRY(
        pt_parallel_for_at_most(task, work < LEAST_WORK ? 1 : INT_MAX, chunks, round_body, s, err));
    s->loop.end.gap = 0;
    s->largest = 0;
    for (int64_t c = 0; c < chunks; c++) {
        s->loop.end.gap += s->sums[c].gap;
        s->largest = fmax(s->largest, s->sums[c].largest);
    }
    return PT_OK;
}

/* ---- the gradient of all, in double ---------------------------------------------------------- */

static pt_status form_body(void *context, int64_t chunk, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const pt_spoc_solver *s = context;
    update_chunk(s, s->loop.type == PT_F64 ? s->loops->update_f64_f64 : s->loops->update_f32_f64,
                 chunk, s->p->n, (char *)s->exact, sizeof(double));
    return PT_OK;
}

/* Sorts the changes of the block's examples by class. */
void pt_spoc_sort_changes(pt_spoc_solver *s)
{
    const int64_t k = s->p->k;
    const int64_t ld = s->block.ld;
    int64_t at = 0;
    for (int64_t r = 0; r < k; r++) {
        s->first[r] = at;
        for (int64_t b = 0; b < s->loop.count; b++)
            if (s->change[b * ld + r] != 0) {
                s->from_row[at] = s->loop.row[b];
                s->coef[at++] = s->change[b * ld + r];
            }
    }
    s->first[k] = at;
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

/* exact <- exact + K tau of the block's examples. */
pt_status pt_spoc_add(pt_block_descent *loop, const pt_task *task, pt_error *err)
{
    pt_spoc_solver *s = (pt_spoc_solver *)loop;
    pt_spoc_sort_changes(s);
    const int64_t work = s->p->n * s->first[s->p->k];
    return pt_parallel_for_at_most(task, work < LEAST_WORK ? 1 : INT_MAX, pt_spoc_chunks(s->p->n),
                                   form_body, s, err);
}

/* ---- which are active ------------------------------------------------------------------------ */

pt_status pt_spoc_activate_all(pt_spoc_solver *s, pt_error *err)
{
    const int64_t cells = pt_spoc_cells(s, s->p->n);
    pt_spoc_forget_past(s);
    pt_free(s->loop.copy);
    pt_free(s->G);
    s->loop.copy = NULL;
    s->G = NULL;
    s->loop.m = s->p->n;
    for (int64_t i = 0; i < s->loop.m; i++)
        s->loop.active[i] = i;
    if (s->wide) {
        s->G = s->exact;
        s->exact = NULL;
        return PT_OK;
    }
    float *G = s->G = pt_alloc(cells, sizeof(float), "a gradient", err);
    for (int64_t c = 0; c < cells && G; c++)
        G[c] = (float)s->exact[c];
    return G ? PT_OK : PT_ENOMEM;
}

/* Kernel values of the examples that are kept, as they come. */
typedef struct kernel_copy {
    pt_spoc_solver *s;
    const int64_t *kept; /* places in active */
    int64_t m;
    char *values;
    int64_t ld;
    int64_t from; /* the block's first row */
} kernel_copy;

static pt_status copy_body(void *context, int64_t r, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    const kernel_copy *c = context;
    const pt_type type = c->s->loop.type;
    const void *row = c->s->loop.row[r];
    void *out = c->values + (size_t)((c->from + r) * c->ld) * pt_type_size(type);
    for (int64_t a = 0; a < c->m && type == PT_F32; a++)
        ((float *)out)[a] = ((const float *)row)[c->kept[a]];
    for (int64_t a = 0; a < c->m && type == PT_F64; a++)
        ((double *)out)[a] = ((const double *)row)[c->kept[a]];
    return PT_OK;
}

/* s->loop.copy <- kernel values of the kept ones. */
static pt_status copy_kernel(pt_spoc_solver *s, const int64_t *kept, int64_t m, const pt_task *task,
                             pt_error *err)
{
    const int64_t ld = pt_kernel_store_leading(m, s->loop.type);
    PT_SCRATCH char *values = pt_alloc(m * ld, pt_type_size(s->loop.type), "kernel values", err);
    if (!values)
        return PT_ENOMEM;
    kernel_copy c = {.s = s, .kept = kept, .m = m, .values = values, .ld = ld};
    for (; c.from < m; c.from += BLOCK) {
        const int64_t count = pt_lesser(m - c.from, BLOCK);
        PT_TRY(pt_block_fetch(&s->loop, kept + c.from, count, task, err));
        PT_TRY(pt_parallel_for_at_most(task, m * count < LEAST_COPIED ? 1 : INT_MAX, count,
                                       copy_body, &c, err));
    }
    pt_free(s->loop.copy);
    s->loop.copy = values;
    s->loop.copy_ld = ld;
    values = NULL;
    return PT_OK;
}

/* Leaves out what is held at a corner, where that is enough for a copy of kernel values to pay and
 * there is room for one. */
pt_status pt_spoc_shrink(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    PT_SCRATCH int64_t *kept = pt_alloc(s->loop.m, sizeof(int64_t), "active examples", err);
    if (!kept)
        return PT_ENOMEM;
    int64_t m = 0;
    for (int64_t a = 0; a < s->loop.m; a++)
        if (!s->rules->is_held(s, a))
            kept[m++] = a;
    const double held = s->loop.copy ? pt_kernel_store_bytes(s->loop.m, s->loop.type) : 0;
    const double wanted = pt_kernel_store_bytes(m, s->loop.type);
    if (m == 0 || (double)m > SHRUNK * (double)s->loop.m || held + wanted > s->p->bytes)
        return PT_OK;
    PT_TRY(copy_kernel(s, kept, m, task, err));
    pt_spoc_forget_past(s);
    for (int64_t a = 0; a < pt_spoc_chunks(m) * CHUNK; a++) /* G moves to the front; 0 beyond m */
        for (int64_t r = 0; r < s->p->k; r++) {
            const int64_t to = pt_spoc_cell(s, a, r);
            const int64_t from = a < m ? pt_spoc_cell(s, kept[a], r) : 0;
            if (s->wide)
                ((double *)s->G)[to] = a < m ? ((double *)s->G)[from] : 0;
            else
                ((float *)s->G)[to] = a < m ? ((float *)s->G)[from] : 0;
        }
    for (int64_t a = 0; a < m; a++) {
        s->loop.active[a] = s->loop.active[kept[a]];
        s->loop.gain[a] = s->loop.gain[kept[a]];
    }
    s->loop.m = m;
    return PT_OK;
}

/* ---- leaps ----------------------------------------------------------------------------------- */

/* fmin, which a compiler calls for where NaN could be. */
static inline double smaller(double a, double b)
{
    return b < a ? b : a;
}

static double eta_at(const pt_spoc_solver *s, int64_t i, int64_t r)
{
    const pt_entry *row = pt_sparse_row(s->eta, i);
    for (int64_t c = 0; c < s->eta->count[i]; c++)
        if (row[c].column == r)
            return row[c].value;
    return 0;
}

/* The best step along d; ratio <- how far each example can go. */
static double best_step(pt_spoc_solver *s)
{
    double slope = 0;
    double curve = 0;
    for (int64_t a = 0; a < s->loop.m; a++) {
        const int64_t i = s->loop.active[a];
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, i, s->entry);
        s->ratio[a] = INFINITY;
        for (int64_t c = 0; c < count; c++) {
            const int64_t r = s->entry[c].column;
            const double d = s->entry[c].value;
            const double v = pt_spoc_slope(s, s->G, a, r);
            slope += d * v;
            curve -= d * (v - pt_spoc_slope(s, s->past_G, a, r));
            if (d < 0)
                s->ratio[a] = smaller(s->ratio[a], eta_at(s, i, r) / -d);
            else if (d > 0 && s->p->kind == PT_WESTON_WATKINS)
                s->ratio[a] = smaller(s->ratio[a], (s->p->bound[i] - eta_at(s, i, r)) / d);
        }
    }
    return curve > 0 ? fmin(slope / curve, MOST_STEP) : 0;
}

/* Chooses the examples that stop early into the block; returns the step, shorter where they would
 * be too many. */
static double limit_step(pt_spoc_solver *s, double step)
{
    for (int64_t a = 0; a < s->loop.m; a++)
        s->ranked[a] = step - s->ratio[a];
    s->loop.count = pt_choose_largest(s->ranked, s->loop.m, PT_BLOCK, s->loop.W);
    for (int64_t a = 0, b = 0; a < s->loop.m; a++)
        if (b < s->loop.count && s->loop.W[b] == a)
            b++;
        else
            step = smaller(step, s->ratio[a]);
    return step;
}

/* What those of the block fall short of, as changes of tau. */
static pt_status take_back(pt_spoc_solver *s, double step, const pt_task *task, pt_error *err)
{
    const int64_t ld = s->block.ld;
    memset(s->change, 0, (size_t)(s->loop.count * ld) * sizeof(double));
    for (int64_t b = 0; b < s->loop.count; b++) {
        const int64_t a = s->loop.W[b];
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, s->loop.active[a], s->entry);
        const double less = fmax(step - s->ratio[a], 0);
        double sum = 0;
        for (int64_t c = 0; c < count; c++) {
            s->change[b * ld + s->entry[c].column] = less * s->entry[c].value;
            sum += less * s->entry[c].value;
        }
        if (s->p->kind == PT_WESTON_WATKINS)
            s->change[b * ld + s->p->class_of[s->loop.active[a]]] = -sum;
    }
    PT_TRY(pt_block_fetch(&s->loop, s->loop.W, s->loop.count, task, err));
    pt_spoc_sort_changes(s);
    return PT_OK;
}

/* Row i of eta moves by step d; that of past becomes what it was. */
static pt_status move_row(pt_spoc_solver *s, int64_t i, double step, pt_error *err)
{
    const int64_t count = pt_sparse_rows_change(s->eta, &s->past, i, s->entry);
    const double bound = s->p->bound[i];
    const bool boxes = s->p->kind == PT_WESTON_WATKINS;
    int64_t kept = 0;
    double sum = 0;
    for (int64_t c = 0; c < count; c++) {
        const int64_t r = s->entry[c].column;
        const double from = eta_at(s, i, r);
        double to = from + step * s->entry[c].value;
        if (boxes && !(bound - to > ALMOST_0 * bound))
            to = bound;
        if (to > ALMOST_0 * from) {
            s->entry[kept++] = (pt_entry){r, to};
            sum += to;
        }
    }
    for (int64_t c = 0; c < kept && !boxes; c++) /* rounding must not add up */
        s->entry[c].value = kept == 1 ? bound : s->entry[c].value * (bound / sum);
    PT_TRY(pt_sparse_rows_set(&s->past, i, pt_sparse_row(s->eta, i), s->eta->count[i], err));
    return pt_sparse_rows_set(s->eta, i, s->entry, kept, err);
}

/* Here begins the next leap. */
static pt_status remember(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    const int64_t cells = pt_spoc_cells(s, s->loop.m);
    const size_t size = pt_spoc_g_size(s);
    if (!s->past.at)
        PT_TRY(pt_sparse_rows_init(&s->past, s->p->n, task, err));
    if (!s->past_G)
        s->past_G = pt_alloc(cells, size, "a gradient", err);
    if (!s->past_G)
        return PT_ENOMEM;
    PT_TRY(pt_task_copy(task, s->past_G, s->G, (size_t)cells * size, err));
    for (int64_t a = 0; a < s->loop.m; a++) {
        const int64_t i = s->loop.active[a];
        PT_TRY(pt_sparse_rows_set(&s->past, i, pt_sparse_row(s->eta, i), s->eta->count[i], err));
    }
    return PT_OK;
}

void pt_spoc_forget_past(pt_spoc_solver *s)
{
    pt_free(s->past_G);
    s->past_G = NULL;
}

pt_status pt_spoc_leap(pt_spoc_solver *s, const pt_task *task, pt_error *err)
{
    double rise = 0;
    if (!s->past_G)
        return remember(s, task, err);
    const double best = best_step(s);
    const double step = best > LEAST_STEP ? limit_step(s, best) : 0;
    if (!(step > LEAST_STEP))
        return remember(s, task, err);
    PT_TRY(take_back(s, step, task, err));
    for (int64_t a = 0; a < s->loop.m; a++)
        PT_TRY(move_row(s, s->loop.active[a], smaller(step, s->ratio[a]), err));
    const int64_t cells = pt_spoc_cells(s, s->loop.m);
    if (s->wide)
        s->loops->leap_f64(s->G, s->past_G, step, cells);
    else
        s->loops->leap_f32(s->G, s->past_G, step, cells);
    PT_TRY(pt_spoc_update(s, task, err));
    for (int64_t a = 0; a < s->loop.m; a++) { /* what the value rose by: it is quadratic */
        const int64_t count = pt_sparse_rows_change(s->eta, &s->past, s->loop.active[a], s->entry);
        for (int64_t c = 0; c < count; c++) {
            const int64_t r = s->entry[c].column;
            rise += s->entry[c].value *
                    (0.5 * (pt_spoc_slope(s, s->G, a, r) + pt_spoc_slope(s, s->past_G, a, r)));
        }
    }
    s->loop.end.value += rise;
    return PT_OK;
}
