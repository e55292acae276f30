/* Sequential minimal optimisation: two variables at a time (one without a bias), the first by the
 * largest violation, the second by the largest fall of the objective (Fan, Chen, Lin 2005, WSS 2).
 *
 * With beta_i = y_i a_i the problem is
 *
 *     min  1/2 beta^T K beta - y^T beta ,   beta_i between 0 and y_i u_i ,   1^T beta = 0
 *
 * and all that is needed of the gradient is its negative, v = y - K beta: at the solution no v_i of
 * a variable that may rise is above a v_j of one that may fall. y is in v and in the bounds only.
 *
 *   v         n       in double, as of the last rebuild
 *   up, low   slots   v while it moves (smo_loops.h), in float32 where K is
 *
 * A float32 v drifts. Where it says that all is done, v is computed anew in double, and if that
 * disagrees the work goes on; v moves in double from then on.
 *
 * Slots: the variables that take part, piece after piece, each padded to whole vectors. At first
 * these are all. When many of them sit at a bound where they will stay, those that do not are
 * moved together (shrinking): they are one piece then, `variable` tells which they are, and rows of
 * K among them are copied into the caller's space when they are first used. The rebuild takes all
 * in again.
 *
 * Where variables nearly depend on each other (few features, a large bound) pairs creep: steps that
 * grow with the bound. After PHASE_STEPS for each variable the free ones, if they are not too many,
 * are moved together (smo_free.h).
 *
 * Cost: a step reads two rows of K. Memory: some 50 n bytes and the caller's space. */
#include "solvers/smo/smo.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solvers/dual/box_loops.h"
#include "solvers/smo/smo_free.h"
#include "solvers/smo/smo_loops.h"

enum {
    LOOK_AFTER = 1 << 18, /* slots that steps have gone over, or so many steps, between looks at */
    CHECK_EVERY = 1024,   /* the task; */
    ROW_AS_SLOTS = 64,    /* a variable's part of a row that was asked for counts as so many */
    SHRINK_LEAST = 256,   /* slots: with fewer nothing is shrunk */
    SHRINK_EVERY = 256,   /* steps between attempts */
    PHASE_STEPS = 16,     /* steps for each variable until a rebuild */
    FREE_MOST = 512,      /* variables that may be moved together */
    LIMIT_STEPS = 100,    /* the limit: so many for each variable, */
    LIMIT_LEAST = 1000000 /* and no fewer than this */
};

/* A float32 v has to be this much better than eps, so that its drift is seldom found too large. */
#define FLOAT_EPS 0.98

typedef struct smo {
    const pt_smo_problem *p;
    const pt_task *task;
    pt_error *err;
    pt_smo_result *result;
    int64_t limit;
    int64_t n;
    double *a;
    double *v;

    const pt_smo_loops *loops;
    pt_type type; /* of up, low and diagonal */
    int64_t slots;
    int64_t count[PT_SMO_PIECES]; /* slots that are used, of each piece */
    int64_t first[PT_SMO_PIECES]; /* where a piece begins */
    void *up;
    void *low;
    void *diagonal;
    pt_smo_ends ends[PT_SMO_PIECES];

    bool shrunk;
    int64_t passed;    /* slots since the last look at the task */
    bool stopped;      /* its turn is over */
    int64_t *variable; /* slots, where shrunk */
    int64_t *kept;     /* slots, while shrinking */
    bool *known;       /* slots: the row is in the space or, not shrunk, was asked for */
    int64_t ld;        /* of the rows in the space */
} smo;

typedef const void *kernel_row[PT_SMO_PIECES];

/* ---- variables and slots --------------------------------------------------------------------- */

static bool may_rise(const smo *w, int64_t i) /* beta_i */
{
    return w->p->y[i] > 0 ? w->a[i] < w->p->bound[i] : w->a[i] > 0;
}

static bool may_fall(const smo *w, int64_t i)
{
    return w->p->y[i] > 0 ? w->a[i] > 0 : w->a[i] < w->p->bound[i];
}

/* How far beta_i can go. */
static double room(const smo *w, int64_t i, bool up)
{
    return (w->p->y[i] > 0) == up ? w->p->bound[i] - w->a[i] : w->a[i];
}

static double get(const smo *w, const void *array, int64_t slot)
{
    return w->type == PT_F32 ? (double)((const float *)array)[slot] : ((const double *)array)[slot];
}

static void set(const smo *w, void *array, int64_t slot, double value)
{
    if (w->type == PT_F32)
        ((float *)array)[slot] = (float)value;
    else
        ((double *)array)[slot] = value;
}

static void *element(pt_type type, const void *array, int64_t i)
{
    return (char *)array + (size_t)i * pt_type_size(type);
}

static void *at(const smo *w, const void *array, int64_t slot)
{
    return element(w->type, array, slot);
}

static int piece_of(const smo *w, int64_t slot)
{
    return w->count[1] > 0 && slot >= w->first[1];
}

static int64_t variable_of(const smo *w, int64_t slot)
{
    if (w->shrunk)
        return w->variable[slot];
    return piece_of(w, slot) ? slot - w->first[1] + w->p->n[0] : slot;
}

/* v of a slot, which is in at least one of the sets. */
static double value_of(const smo *w, int64_t slot)
{
    const double up = get(w, w->up, slot);
    return isfinite(up) ? up : get(w, w->low, slot);
}

/* Into the sets that its variable belongs to. */
static void place(smo *w, int64_t slot, double value)
{
    const int64_t i = variable_of(w, slot);
    set(w, w->up, slot, may_rise(w, i) ? value : -INFINITY);
    set(w, w->low, slot, may_fall(w, i) ? value : INFINITY);
}

static void measure_ends(smo *w)
{
    for (int piece = 0; piece < PT_SMO_PIECES; piece++) {
        pt_smo_ends ends = {-INFINITY, 0, INFINITY};
        for (int64_t k = 0; k < w->count[piece]; k++) {
            const double up = get(w, w->up, w->first[piece] + k);
            ends.at_up = up > ends.up ? k : ends.at_up;
            ends.up = fmax(ends.up, up);
            ends.low = fmin(ends.low, get(w, w->low, w->first[piece] + k));
        }
        w->ends[piece] = ends;
    }
}

static void lay_out(smo *w, int64_t first, int64_t second)
{
    w->count[0] = first;
    w->count[1] = second;
    w->first[0] = 0;
    w->first[1] = pt_smo_padded(first);
    w->slots = w->first[1] + pt_smo_padded(second);
    for (int64_t s = 0; s < w->slots; s++) {
        set(w, w->up, s, -INFINITY);
        set(w, w->low, s, INFINITY);
        set(w, w->diagonal, s, 0);
    }
}

/* All variables take part, with v as it was rebuilt. */
static void take_all(smo *w)
{
    w->shrunk = false;
    w->loops = pt_smo_loops_chosen(w->p->kernel->type, w->type);
    lay_out(w, w->p->n[0], w->p->n[1]);
    if (w->known)
        memset(w->known, 0, (size_t)w->slots * sizeof *w->known);
    for (int piece = 0; piece < PT_SMO_PIECES; piece++)
        for (int64_t k = 0; k < w->count[piece]; k++) {
            const int64_t slot = w->first[piece] + k;
            const int64_t i = variable_of(w, slot);
            set(w, w->diagonal, slot, w->p->kernel->diagonal[i]);
            place(w, slot, w->v[i]);
        }
    measure_ends(w);
}

/* ---- rows of K ------------------------------------------------------------------------------- */

static double kernel_at(const smo *w, const kernel_row row, int64_t slot)
{
    const int piece = piece_of(w, slot);
    const int64_t k = slot - w->first[piece];
    return w->p->kernel->type == PT_F32 ? (double)((const float *)row[piece])[k]
                                        : ((const double *)row[piece])[k];
}

/* The values of a row that belong to the slots, one after another, and zeros to a whole vector. */
#define DEFINE_GATHER(T, suffix)                                            \
    static void gather_##suffix(const smo *w, const kernel_row row, T *out) \
    {                                                                       \
        const int64_t n = w->p->n[0];                                       \
        const T *const first = row[0];                                      \
        const T *const second = row[1];                                     \
        int64_t s = 0;                                                      \
        for (; s < w->count[0] && w->variable[s] < n; s++)                  \
            out[s] = first[w->variable[s]];                                 \
        for (; s < w->count[0]; s++)                                        \
            out[s] = second[w->variable[s] - n];                            \
        for (; s < w->slots; s++)                                           \
            out[s] = 0;                                                     \
    }

DEFINE_GATHER(float, f32)
DEFINE_GATHER(double, f64)

/* Keeps the `most` slots with the largest rank, in descending order; returns how many. */
static int64_t insert(int64_t *slot, double *rank, int64_t count, int64_t most, int64_t s, double r)
{
    if (count == most && !(r > rank[most - 1]))
        return count;
    int64_t at = count < most ? count++ : most - 1;
    for (; at > 0 && r > rank[at - 1]; at--) {
        slot[at] = slot[at - 1];
        rank[at] = rank[at - 1];
    }
    slot[at] = s;
    rank[at] = r;
    return count;
}

/* list <- the slot and, where rows come in blocks, those of which the most is to be expected: half
 * by what may rise, half by what may fall. Returns how many. */
static int64_t list_company(const smo *w, int64_t slot, int64_t *list)
{
    enum { SIDE = PT_SMO_BLOCK / 2 };
    int64_t chosen[2][SIDE];
    double rank[2][SIDE];
    int64_t count[2] = {0, 0};
    int64_t listed = 0;
    list[listed++] = slot;
    if (!w->p->kernel->in_blocks || w->known[slot])
        return listed;
    for (int64_t s = 0; s < w->slots; s++) {
        if (w->known[s] || s == slot)
            continue;
        const double up = get(w, w->up, s);
        const double low = get(w, w->low, s);
        if (isfinite(up))
            count[0] = insert(chosen[0], rank[0], count[0], SIDE - 1, s, up);
        if (isfinite(low))
            count[1] = insert(chosen[1], rank[1], count[1], SIDE, s, -low);
    }
    for (int side = 0; side < 2; side++)
        for (int64_t r = 0; r < count[side]; r++) {
            bool twice = false;
            for (int64_t q = 0; q < listed; q++)
                twice = twice || list[q] == chosen[side][r];
            if (!twice)
                list[listed++] = chosen[side][r];
        }
    return listed;
}

static void *space_row(const smo *w, int64_t slot)
{
    return element(w->p->kernel->type, w->p->space, slot * w->ld);
}

static pt_status look(smo *w)
{
    w->passed = 0;
    PT_TRY(pt_task_check(w->task, w->err));
    w->stopped = pt_task_turn_ends(w->task, w->p->turn);
    return PT_OK;
}

/* Asks for the row of a slot, and copies it to the space where shrunk. */
static pt_status ask(smo *w, int64_t slot, kernel_row row)
{
    const pt_smo_kernel *kernel = w->p->kernel;
    const void *value[PT_SMO_BLOCK][PT_SMO_PIECES];
    int64_t list[PT_SMO_BLOCK];
    int64_t index[PT_SMO_BLOCK];
    if (w->passed >= LOOK_AFTER)
        PT_TRY(look(w));
    const int64_t count = list_company(w, slot, list);
    w->passed += count * w->n * (kernel->held ? 1 : ROW_AS_SLOTS);
    for (int64_t r = 0; r < count; r++)
        index[r] = variable_of(w, list[r]);
    PT_TRY(kernel->rows(kernel->context, index, count, value, w->err));
    for (int64_t r = 0; r < count && w->known; r++) {
        w->known[list[r]] = true;
        if (w->shrunk && kernel->type == PT_F32)
            gather_f32(w, value[r], space_row(w, list[r]));
        else if (w->shrunk)
            gather_f64(w, value[r], space_row(w, list[r]));
    }
    row[0] = w->shrunk ? space_row(w, slot) : value[0][0];
    row[1] = w->shrunk ? NULL : value[0][1];
    return PT_OK;
}

static pt_status row_of(smo *w, int64_t slot, kernel_row row)
{
    const pt_smo_kernel *kernel = w->p->kernel;
    row[1] = NULL;
    if (w->shrunk && w->known[slot])
        row[0] = space_row(w, slot);
    else if (!w->shrunk && kernel->held)
        row[0] = element(kernel->type, kernel->held, slot * kernel->ld);
    else
        PT_TRY(ask(w, slot, row));
    return PT_OK;
}

/* v -= sum_r coef[r] K_r */
static pt_status subtract_rows(smo *w, const int64_t *index, const double *coef, int64_t count)
{
    const pt_smo_kernel *kernel = w->p->kernel;
    const pt_box_loops *loops = pt_box_loops_chosen();
    const void *value[PT_SMO_BLOCK][PT_SMO_PIECES];
    PT_TRY(kernel->rows(kernel->context, index, count, value, w->err));
    for (int piece = 0; piece < PT_SMO_PIECES; piece++) {
        double *v = w->v + (piece ? w->p->n[0] : 0);
        const float *f32[PT_SMO_BLOCK];
        const double *f64[PT_SMO_BLOCK];
        for (int64_t r = 0; r < count; r++) {
            f32[r] = value[r][piece];
            f64[r] = value[r][piece];
        }
        if (kernel->type == PT_F32)
            loops->update_f32(f32, coef, count, w->p->n[piece], 0, v);
        else
            loops->update_f64(f64, coef, count, w->p->n[piece], 0, v);
    }
    return PT_OK;
}

/* v <- y - K beta */
static pt_status rebuild(smo *w)
{
    int64_t index[PT_SMO_BLOCK];
    double coef[PT_SMO_BLOCK];
    int64_t count = 0;
    for (int64_t i = 0; i < w->n; i++)
        w->v[i] = w->p->y[i];
    for (int64_t i = 0; i < w->n; i++) {
        if (w->a[i] != 0) {
            index[count] = i;
            coef[count++] = -w->a[i] * w->p->y[i];
        }
        if (count == PT_SMO_BLOCK || (count > 0 && i == w->n - 1)) {
            PT_TRY(pt_task_check(w->task, w->err));
            PT_TRY(subtract_rows(w, index, coef, count));
            count = 0;
        }
    }
    return PT_OK;
}

/* ---- steps ----------------------------------------------------------------------------------- */

static double violation(const smo *w)
{
    const double up = fmax(w->ends[0].up, w->ends[1].up);
    const double low = fmin(w->ends[0].low, w->ends[1].low);
    return w->p->bias ? up - low : fmax(up, -low);
}

static int64_t most_up(const smo *w)
{
    const int piece = w->ends[1].up > w->ends[0].up;
    return w->first[piece] + w->ends[piece].at_up;
}

static int64_t least_low(const smo *w)
{
    const double least = fmin(w->ends[0].low, w->ends[1].low);
    int64_t slot = 0;
    while (get(w, w->low, slot) != least)
        slot++;
    return slot;
}

/* beta_i += by, at most to where `limit` says that it ends. */
static void change(smo *w, int64_t slot, double by, double limit)
{
    const int64_t i = variable_of(w, slot);
    const double value = value_of(w, slot);
    const double to = w->a[i] + by * w->p->y[i];
    const bool ends = fabs(by) >= limit;
    w->a[i] = !ends ? to : (by > 0) == (w->p->y[i] > 0) ? w->p->bound[i] : 0;
    place(w, slot, value);
}

/* How far the loops go in a piece: what lies behind its slots is infinite, and stays so. */
static int64_t reach(const smo *w, int piece)
{
    const int64_t count = w->count[piece];
    return w->p->kernel->padded || w->shrunk ? pt_smo_padded(count) : count;
}

static void update(smo *w, const void *const *first, const void *const *second, double s, double t)
{
    for (int piece = 0; piece < PT_SMO_PIECES; piece++) {
        const pt_smo_move move = {{first[piece], second[piece]}, {s, t}};
        const int64_t from = w->first[piece];
        if (w->count[piece] > 0)
            w->loops->update(at(w, w->up, from), at(w, w->low, from), &move, reach(w, piece),
                             &w->ends[piece]);
    }
}

/* The slot that goes with slot i. */
static int64_t second_slot(const smo *w, int64_t i, const void *const *row)
{
    double best = 0;
    int64_t slot = -1;
    for (int piece = 0; piece < PT_SMO_PIECES; piece++) {
        const int64_t from = w->first[piece];
        const pt_smo_second s = {at(w, w->low, from), at(w, w->diagonal, from), row[piece],
                                 get(w, w->up, i), get(w, w->diagonal, i)};
        double gain = 0;
        int64_t place = -1;
        if (w->count[piece] > 0)
            w->loops->second(&s, reach(w, piece), &gain, &place);
        if (place >= 0 && gain > best) {
            best = gain;
            slot = from + place;
        }
    }
    return slot;
}

static pt_status fail_values(const smo *w)
{
    return pt_fail(
        w->err, PT_ENUMERIC,
        "kernel values are not finite: scale the data, or see whether `precision=double` helps");
}

/* With a bias: beta_i rises by what beta_j falls. */
static pt_status step_pair(smo *w)
{
    const double *diagonal = w->p->kernel->diagonal;
    kernel_row row_i;
    kernel_row row_j;
    const int64_t i = most_up(w);
    PT_TRY(row_of(w, i, row_i));
    const int64_t j = second_slot(w, i, row_i);
    PT_TRY(j < 0 ? fail_values(w) : row_of(w, j, row_j));
    const int64_t var_i = variable_of(w, i);
    const int64_t var_j = variable_of(w, j);
    const double curve = diagonal[var_i] + diagonal[var_j] - 2 * kernel_at(w, row_i, j);
    const double best = (get(w, w->up, i) - get(w, w->low, j)) / fmax(curve, PT_SMO_LEAST_CURVE);
    const double room_i = room(w, var_i, true);
    const double room_j = room(w, var_j, false);
    const double by = fmin(best, fmin(room_i, room_j));
    change(w, i, by, room_i);
    change(w, j, -by, room_j);
    update(w, row_i, row_j, by, -by);
    return PT_OK;
}

/* Without one: each for itself. */
static pt_status step_one(smo *w)
{
    const bool rises = fmax(w->ends[0].up, w->ends[1].up) >= -fmin(w->ends[0].low, w->ends[1].low);
    const int64_t i = rises ? most_up(w) : least_low(w);
    const int64_t variable = variable_of(w, i);
    kernel_row row;
    PT_TRY(row_of(w, i, row));
    const double curve = fmax(w->p->kernel->diagonal[variable], PT_SMO_LEAST_CURVE);
    const double space = room(w, variable, rises);
    const double by = fmin(fabs(value_of(w, i)) / curve, space);
    change(w, i, rises ? by : -by, space);
    update(w, row, row, rises ? by : -by, 0);
    return PT_OK;
}

/* ---- shrinking ------------------------------------------------------------------------------- */

/* Whether a slot may still take part in a step: it is not at a bound from which all others would
 * hold it. */
static bool stays(const smo *w, int64_t slot, double up, double low)
{
    const double rising = get(w, w->up, slot);
    const double falling = get(w, w->low, slot);
    return rising >= low || falling <= up;
}

/* Rows of the space that were copied before lose what does not stay: kept[s] are slots of old. In
 * place, since nothing moves back. */
static void compact_rows(smo *w, const int64_t *kept, int64_t count, int64_t ld)
{
    const pt_type type = w->p->kernel->type;
    for (int64_t s = 0; s < count; s++) {
        const void *from = space_row(w, kept[s]);
        void *to = element(type, w->p->space, s * ld);
        w->known[s] = w->known[kept[s]];
        for (int64_t k = 0; k < count && w->known[s] && type == PT_F32; k++)
            ((float *)to)[k] = ((const float *)from)[kept[k]];
        for (int64_t k = 0; k < count && w->known[s] && type == PT_F64; k++)
            ((double *)to)[k] = ((const double *)from)[kept[k]];
        if (w->known[s])
            memset(element(type, to, count), 0, (size_t)(ld - count) * pt_type_size(type));
    }
}

/* Leaves only the slots `kept`. */
static void shrink_to(smo *w, int64_t *kept, int64_t count)
{
    const int64_t ld = pt_smo_padded(count);
    for (int64_t s = 0; s < count; s++) /* the old v is not needed: a rebuild follows */
        w->v[s] = value_of(w, kept[s]);
    if (w->shrunk)
        compact_rows(w, kept, count, ld);
    else
        memset(w->known, 0, (size_t)count * sizeof *w->known);
    for (int64_t s = 0; s < count; s++)
        kept[s] = variable_of(w, kept[s]);
    memcpy(w->variable, kept, (size_t)count * sizeof *kept);
    w->shrunk = true;
    w->ld = ld;
    lay_out(w, count, 0);
    for (int64_t s = 0; s < count; s++) {
        set(w, w->diagonal, s, w->p->kernel->diagonal[w->variable[s]]);
        place(w, s, w->v[s]);
    }
    measure_ends(w);
}

/* Where much fewer slots than there are stay, and their part of K has room. */
static void try_shrink(smo *w)
{
    const double up = w->p->bias ? fmax(w->ends[0].up, w->ends[1].up) : 0;
    const double low = w->p->bias ? fmin(w->ends[0].low, w->ends[1].low) : 0;
    const size_t size = pt_type_size(w->p->kernel->type);
    const int64_t active = w->count[0] + w->count[1];
    int64_t count = 0;
    for (int64_t s = 0; s < w->slots; s++)
        if (stays(w, s, up, low))
            w->kept[count++] = s;
    const double bytes = (double)count * (double)pt_smo_padded(count) * (double)size;
    if (count <= (int64_t)(PT_SMO_SHRINK_TO * (double)active) && bytes <= w->p->space_bytes)
        shrink_to(w, w->kept, count);
}

/* ---- free variables together ----------------------------------------------------------------- */

/* K <- the rows and columns of the variables in the list. */
static pt_status copy_free(const smo *w, const int64_t *list, int64_t count, double *K)
{
    const pt_smo_kernel *kernel = w->p->kernel;
    for (int64_t from = 0; from < count; from += PT_SMO_BLOCK) {
        const void *value[PT_SMO_BLOCK][PT_SMO_PIECES];
        const int64_t some = count - from < PT_SMO_BLOCK ? count - from : PT_SMO_BLOCK;
        PT_TRY(kernel->rows(kernel->context, list + from, some, value, w->err));
        for (int64_t r = 0; r < some; r++)
            for (int64_t k = 0; k < count; k++) {
                const int piece = list[k] >= w->p->n[0];
                const int64_t j = list[k] - (piece ? w->p->n[0] : 0);
                K[(from + r) * count + k] = kernel->type == PT_F32
                                                ? (double)((const float *)value[r][piece])[j]
                                                : ((const double *)value[r][piece])[j];
            }
    }
    for (int64_t k = 0; k < count; k++)
        K[k * count + k] = kernel->diagonal[list[k]];
    return PT_OK;
}

static pt_status settle_list(smo *w, const int64_t *list, int64_t count, double *memory)
{
    double *const low = memory;
    double *const high = low + count;
    double *const beta = high + count;
    double *const v = beta + count;
    double *const K = v + count;
    for (int64_t k = 0; k < count; k++) {
        const double y = w->p->y[list[k]];
        const double end = y * w->p->bound[list[k]];
        low[k] = fmin(0, end);
        high[k] = fmax(0, end);
        beta[k] = y * w->a[list[k]];
        v[k] = w->v[list[k]];
    }
    PT_TRY(copy_free(w, list, count, K));
    const pt_smo_free f = {count, w->p->bias, K, low, high, beta, v};
    PT_TRY(pt_smo_free_settle(&f, w->err));
    for (int64_t k = 0; k < count; k++)
        w->a[list[k]] = fabs(beta[k]);
    return PT_OK;
}

/* v is as rebuilt. */
static pt_status settle_free(smo *w)
{
    int64_t list[FREE_MOST];
    int64_t count = 0;
    for (int64_t i = 0; i < w->n && count < FREE_MOST; i++)
        if (may_rise(w, i) && may_fall(w, i))
            list[count++] = i;
    if (count < 2 || count == FREE_MOST)
        return PT_OK;
    PT_SCRATCH double *memory = NULL;
    PT_TRY(PT_NEW(memory, count * (count + 4), "free variables", w->err));
    PT_TRY(settle_list(w, list, count, memory));
    return rebuild(w);
}

/* ---- the solver ------------------------------------------------------------------------------ */

/* Until v says that it is done. */
static pt_status run(smo *w)
{
    const int64_t begun = w->result->steps;
    int64_t most = w->limit;
    if (most - begun > PHASE_STEPS * w->n)
        most = begun + PHASE_STEPS * w->n;
    const double eps = w->type == PT_F32 ? FLOAT_EPS * w->p->eps : w->p->eps;
    while (violation(w) >= eps && w->result->steps < most && !w->stopped) {
        PT_TRY(w->p->bias ? step_pair(w) : step_one(w));
        const int64_t done = ++w->result->steps - begun;
        w->passed += w->slots;
        if (w->passed >= LOOK_AFTER || w->result->steps % CHECK_EVERY == 0)
            PT_TRY(look(w));
        if (w->p->space && done % SHRINK_EVERY == 0 && w->count[0] + w->count[1] >= SHRINK_LEAST)
            try_shrink(w);
    }
    return PT_OK;
}

static pt_status solve(smo *w)
{
    PT_TRY(rebuild(w));
    for (;;) {
        take_all(w);
        w->result->converged = violation(w) < w->p->eps;
        if (w->result->converged || w->result->steps >= w->limit || w->stopped)
            return PT_OK;
        PT_TRY(run(w));
        const bool done = violation(w) < w->p->eps;
        w->type = PT_F64;
        PT_TRY(rebuild(w));
        if (!done && !w->stopped)
            PT_TRY(settle_free(w));
    }
}

/* v of the free variables on average, else the middle of what is allowed: LIBSVM's rule. */
static double bias_of(const smo *w)
{
    double sum = 0;
    double low = -INFINITY;
    double high = INFINITY;
    int64_t n_free = 0;
    for (int64_t i = 0; i < w->n; i++) {
        const bool up = may_rise(w, i);
        const bool down = may_fall(w, i);
        if (up && down) {
            sum += w->v[i];
            n_free++;
        } else if (up) {
            low = fmax(low, w->v[i]);
        } else if (down) {
            high = fmin(high, w->v[i]);
        }
    }
    if (n_free > 0)
        return sum / (double)n_free;
    return isfinite(low) && isfinite(high) ? (low + high) / 2
           : isfinite(low)                 ? low
           : isfinite(high)                ? high
                                           : 0;
}

/* 1/2 beta^T K beta - y^T beta, where K beta = y - v. */
static double objective_of(const smo *w)
{
    double sum = 0;
    for (int64_t i = 0; i < w->n; i++)
        sum -= w->a[i] * (w->p->y[i] * w->v[i] + 1) / 2;
    return sum;
}

static pt_status take_memory(smo *w, pt_arena *arena)
{
    const int64_t slots = pt_smo_padded(w->p->n[0]) + pt_smo_padded(w->p->n[1]);
    const bool lists_used = w->p->space || w->p->kernel->in_blocks;
    const size_t vector = pt_arena_need(slots, sizeof(double));
    const size_t lists =
        2 * pt_arena_need(slots, sizeof(int64_t)) + pt_arena_need(slots, sizeof(bool));
    PT_TRY(pt_arena_init(arena, 4 * vector + (lists_used ? lists : 0), "the solver's vectors",
                         w->err));
    w->v = pt_arena_take(arena, slots, sizeof(double));
    w->up = pt_arena_take(arena, slots, sizeof(double));
    w->low = pt_arena_take(arena, slots, sizeof(double));
    w->diagonal = pt_arena_take(arena, slots, sizeof(double));
    if (lists_used) {
        w->variable = pt_arena_take(arena, slots, sizeof(int64_t));
        w->kept = pt_arena_take(arena, slots, sizeof(int64_t));
        w->known = pt_arena_take(arena, slots, sizeof(bool));
    }
    return PT_OK;
}

double pt_smo_bytes(int64_t n)
{
    const int64_t slots = pt_smo_padded(n) + pt_smo_padded(1); /* of two pieces */
    const double list = (double)(n < FREE_MOST ? n : FREE_MOST);
    return (double)(6 * pt_arena_need(slots, sizeof(double)) + pt_arena_need(slots, sizeof(bool))) +
           list * (list + 4) * sizeof(double);
}

pt_status pt_smo_solve(const pt_smo_problem *problem, double *a, pt_smo_result *result,
                       const pt_task *task, pt_error *err)
{
    const int64_t n = problem->n[0] + problem->n[1];
    smo w = {.p = problem, .task = task, .err = err, .result = result, .n = n, .a = a};
    const int64_t enough = n > LIMIT_LEAST / LIMIT_STEPS ? LIMIT_STEPS * n : LIMIT_LEAST;
    w.limit = problem->limit > 0 ? problem->limit : enough;
    w.type = problem->kernel->type;
    *result = (pt_smo_result){0};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(take_memory(&w, &arena));
    PT_TRY(solve(&w));
    result->bias = problem->bias ? bias_of(&w) : 0;
    result->objective = objective_of(&w);
    if (!isfinite(result->objective))
        PT_TRY(fail_values(&w));
    return PT_OK;
}
