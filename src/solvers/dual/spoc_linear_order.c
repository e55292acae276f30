/* Linear SPOC: the order of visits.
 *
 * A random order is what descent wants. What an example needs then comes from as many places in
 * memory as there are arrays, and for short rows that is what the time goes to, for as long as it
 * is more than the second-level cache has. There the examples themselves are mixed once, rows and
 * all, and visited in blocks of PT_SPOC_TOGETHER neighbours, of which only the order is random: on
 * letter hardly more visits, each a sixth shorter. Neighbours in a file would not do: files are
 * often sorted by class.
 *
 * Long rows are where their own time goes: these are visited one by one in random order. */
#include <string.h>

#include "base/alloc.h"
#include "solvers/dual/spoc_linear_solver.h"

enum {
    TOGETHER = PT_SPOC_TOGETHER,
    MANY = 4096 /* examples: what fewer of them need stays in cache in any order */
};

/* One draw of 32 bits for each: uneven by n / 2^32 at most, and half the time of
 * pt_random_shuffle. */
static void shuffle(pt_random *random, int64_t *items, int64_t n)
{
    if (n > INT32_MAX) {
        pt_random_shuffle(random, items, n);
        return;
    }
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = (int64_t)(((uint64_t)pt_random_u32(random) * (uint64_t)(i + 1)) >> 32);
        const int64_t moved = items[i];
        items[i] = items[j];
        items[j] = moved;
    }
}

const int64_t *pt_spoc_linear_arrange(pt_spoc_linear_solver *s)
{
    const int64_t blocks = (s->m + TOGETHER - 1) / TOGETHER;
    int64_t at = 0;
    if (!s->order || s->m < MANY) {
        shuffle(&s->random, s->active, s->m);
        return s->active;
    }
    int64_t *block = s->order + s->p->n; /* room for all blocks */
    for (int64_t b = 0; b < blocks; b++)
        block[b] = b;
    shuffle(&s->random, block, blocks);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t from = block[b] * TOGETHER;
        const int64_t to = from + TOGETHER < s->m ? from + TOGETHER : s->m;
        for (int64_t a = from; a < to; a++)
            s->order[at++] = s->active[a];
    }
    return s->order;
}

/* ---- mixed examples ----------------------------------------------------------------------------
 */

bool pt_spoc_linear_wants_mixing(const pt_spoc *p, const pt_linear_rows *rows)
{
    return rows->dense && rows->d < PT_CLASS_LONG && p->n >= MANY;
}

double pt_spoc_linear_mixed_bytes(int64_t n, int64_t d)
{
    /* values; numbers twice, squares, bounds, classes; the order of visits */
    return d < PT_CLASS_LONG && n >= MANY ? (double)n * (8 * (double)d + 56) : 0;
}

static void copy_facts(pt_spoc_mixed *mixed, const pt_spoc *p, const pt_linear_rows *rows)
{
    const size_t size = (size_t)rows->d * pt_type_size(rows->type);
    const size_t step = (size_t)rows->stride * pt_type_size(rows->type);
    for (int64_t a = 0; a < p->n; a++) {
        const int64_t i = mixed->from[a];
        memcpy((char *)mixed->values + (size_t)a * size,
               (const char *)rows->dense + (size_t)i * step, size);
        mixed->square[a] = rows->square[i];
        mixed->bound[a] = p->bound[i];
        mixed->class_of[a] = p->class_of[i];
        mixed->number[a] = p->number ? p->number[i] : i;
    }
}

pt_status pt_spoc_linear_mix(pt_spoc_mixed *mixed, const pt_spoc *p, const pt_linear_rows *rows,
                             uint64_t seed, pt_error *err)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_DESCENT, 1);
    mixed->from = pt_alloc(p->n, 3 * sizeof(int64_t), "mixed examples", err);
    mixed->square = pt_alloc(p->n, 2 * sizeof(double), "mixed examples", err);
    mixed->values =
        pt_alloc(p->n * rows->d, pt_type_size(rows->type), "values of mixed examples", err);
    if (!mixed->from || !mixed->square || !mixed->values)
        return PT_ENOMEM;
    mixed->class_of = mixed->from + p->n;
    mixed->number = mixed->class_of + p->n;
    mixed->bound = mixed->square + p->n;
    for (int64_t i = 0; i < p->n; i++)
        mixed->from[i] = i;
    shuffle(&random, mixed->from, p->n);
    copy_facts(mixed, p, rows);
    mixed->problem = *p;
    mixed->problem.class_of = mixed->class_of;
    mixed->problem.bound = mixed->bound;
    mixed->problem.number = mixed->number;
    mixed->rows = *rows;
    mixed->rows.dense = mixed->values;
    mixed->rows.stride = rows->d;
    mixed->rows.square = mixed->square;
    return PT_OK;
}

void pt_spoc_linear_mixed_free(pt_spoc_mixed *mixed)
{
    pt_free(mixed->from);
    pt_free(mixed->square);
    pt_free(mixed->values);
}
