/* Hard margins over pairs, by a dual active set (Goldfarb and Idnani 1983) on the problem of
 * pair_solvers.h, with inner products only.
 *
 * Let a_c be Kesler's vector of pair c. The active pairs A hold with equality, and v = sum_A
 * alpha_c a_c with alpha > 0: G alpha = 1, G their Gram matrix, of which the Cholesky factor L is
 * kept. A pair p with v . a_p < 1 enters:
 *
 *     r = G^-1 (a_A . a_p) ,   z = a_p - sum r_c a_c   the part of a_p that A leaves free ,
 *     t = min( (1 - v . a_p) / ||z||^2 ,  min_{r_c > 0} alpha_c / r_c ) ,
 *     alpha_A <- alpha_A - t r ,   alpha_p <- alpha_p + t .
 *
 * At the first bound p is active; at the second c leaves, and the step goes on. ||v|| never falls,
 * so that no set comes twice and it ends: with all pairs, or with z = 0 and no r_c > 0. Then
 * a_p + sum |r_c| a_c = 0, and nothing has a positive inner product with all of these: the proof
 * that the pairs cannot all hold. In numbers: at any time no functions have a margin above
 * ||sum alpha_c a_c|| / sum alpha_c, nor above ||z|| / (1 + sum |r_c|) where all r_c <= 0.
 *
 * Pairs that do not hold are looked for among all examples at one v, formed anew; the furthest are
 * tried before the next look: all of them at once, and where G alpha = 1 of the larger set has an
 * alpha <= 0, one after the other. At once ||v|| does not fall either, and L is read once for all
 * of them; narrow kernels, of which nearly every pair is active, need nothing else. What rounding
 * has added up is taken out at a look: alpha <- alpha + G^-1 (1 - v . a_A).
 *
 * A factor of q pairs takes q^3 / 3. Once that is what some passes over the kernel values take,
 * of which pivoting (pair_pivot.c) needs few where the kernel is narrow, it is tried: where it
 * finds no solution in as long, it is tried again when the factor has taken many times that.
 *
 * Descent (pair_solvers.c with a huge C) needs steps like 1/margin^2; this needs some for each
 * support pair, of which there are at most k (d + 1).
 *
 *   pair, owner   q: the active pairs and their examples
 *   alpha, L      q; q x q, row-major in rows of `room`
 *   Y             q x TRIED: L^-1 (a_A . a_p) of the pairs that are tried at once
 *
 * Time: O(q^2 + q values of a row) for each step, O(n k d) for each look. Memory: 8 q^2 + 8 TRIED q
 * + 8 n k bytes. */
#include "solvers/dual/pair_solvers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "linalg/linalg.h"

enum {
    BLOCK = 64,   /* rows of L that are met together */
    TRIED = 64,   /* pairs that are tried between two looks */
    ROOM = 64,    /* active pairs that there is room for at first */
    EACH = 1000,  /* the limit of steps: so many, and so many for each pair that may be active */
    REPAIRS = 3,  /* corrections of alpha in a look */
    PASSES = 250, /* of the first pivoting, */
    LATER = 4     /* and so many times as many of the next */
};
static const double PASS = 3;       /* n^2 k of them are set against q^3 of a factor; by trial */
static const double HOLDS = 1e-9;   /* what a margin of 1 may miss */
static const double FREE = 1e-13;   /* of ||a_p||^2: a smaller ||z||^2 is rounding */
static const double NOTHING = 1e-9; /* a margin below this, of rows of length 1, is none */

typedef struct candidate {
    double depth; /* (1 - z) / ||a|| */
    int64_t owner;
    pt_label_pair pair;
} candidate;

typedef struct active_pairs {
    const pt_pair_problem *p;
    pt_pair_space *space;
    int64_t most;
    int64_t room;
    int64_t q;
    pt_label_pair *pair;
    int64_t *owner;
    double *alpha;
    double *L;
    double *Y;
    double *b;             /* room: a_A . a_p, */
    double *y;             /* L^-1 of it, */
    double *r;             /* G^-1 of it */
    pt_label_pair *of_row; /* pairs of one example, where they are asked for */
    double *F;             /* n x k */
    int64_t *at;           /* n: where an example is in the support, + 1; 0: nowhere */
    int64_t *support;
    double *tau;
    int64_t patterns;
    candidate tried[TRIED];
    int64_t n_tried;
    double least;  /* the smallest z */
    double radius; /* the largest ||phi(x)|| of an example that has pairs */
    double bound;  /* of margins */
    int64_t steps;
    int64_t passes; /* that the next pivoting may take */
    bool ended;     /* early, for it was told so */
} active_pairs;

double pt_pair_margin_bytes(int64_t n, int64_t k, double pairs)
{
    return 8 * pairs * (pairs + (double)k + 8 + TRIED) + (double)n * (8 * (double)k + 16);
}

static void solver_free(active_pairs *s)
{
    pt_free(s->tau);
    pt_free(s->support);
    pt_free(s->at);
    pt_free(s->F);
    pt_free(s->of_row);
    pt_free(s->b);
    pt_free(s->Y);
    pt_free(s->L);
    pt_free(s->alpha);
    pt_free(s->owner);
    pt_free(s->pair);
}

/* ---- the factor ------------------------------------------------------------------------------ */

static double *row_of(const active_pairs *s, int64_t c)
{
    return s->L + c * s->room;
}

/* Room for so many more. */
static pt_status make_room(active_pairs *s, int64_t more, pt_error *err)
{
    const int64_t wanted = s->q + more;
    if (wanted <= s->room)
        return PT_OK;
    if (wanted > s->most)
        return pt_fail(err, PT_EMEMORY,
                       "--method hard: %lld pairs decide at once, and there is no memory for more; "
                       "raise --memory or use --method svm",
                       (long long)s->q);
    int64_t room = s->room == 0 ? ROOM : s->room;
    while (room < wanted)
        room *= 2;
    room = room < s->most ? room : s->most;
    PT_SCRATCH double *L = pt_alloc_zero(room * room, sizeof *L, "a factor", err);
    PT_SCRATCH double *b = pt_alloc(3 * room, sizeof *b, "a factor", err);
    PT_SCRATCH double *Y = pt_alloc(room * TRIED, sizeof *Y, "a factor", err);
    if (!L || !b || !Y)
        return PT_ENOMEM;
    PT_TRY(pt_alloc_grow((void **)&s->pair, s->room, room, sizeof *s->pair, "pairs", err));
    PT_TRY(pt_alloc_grow((void **)&s->owner, s->room, room, sizeof *s->owner, "pairs", err));
    PT_TRY(pt_alloc_grow((void **)&s->alpha, s->room, room, sizeof *s->alpha, "pairs", err));
    for (int64_t c = 0; c < s->q; c++)
        memcpy(L + c * room, row_of(s, c), (size_t)(c + 1) * sizeof *L);
    for (int64_t c = 0; c < s->q; c++)
        b[c] = s->b[c];
    pt_free(s->L);
    pt_free(s->b);
    pt_free(s->Y);
    s->L = pt_keep(&L);
    s->b = pt_keep(&b);
    s->Y = pt_keep(&Y);
    s->y = s->b + room;
    s->r = s->y + room;
    s->room = room;
    return PT_OK;
}

/* y <- L^-1 b, r <- L^-T y */
static void solve_factor(const active_pairs *s, const double *b, double *y, double *r)
{
    for (int64_t c = 0; c < s->q; c++) {
        const double *row = row_of(s, c);
        double sum = b[c];
        for (int64_t e = 0; e < c; e++)
            sum -= row[e] * y[e];
        y[c] = sum / row[c];
    }
    memcpy(r, y, (size_t)s->q * sizeof *r);
    for (int64_t c = s->q - 1; c >= 0; c--) {
        const double *row = row_of(s, c);
        r[c] /= row[c];
        for (int64_t e = 0; e < c; e++)
            r[e] -= row[e] * r[c];
    }
}

/* Pair c leaves: the rows below it move up, and rotations of columns make L triangular again, row
 * by row, for that is how they lie. y and r are lost. */
static void drop(active_pairs *s, int64_t c)
{
    for (int64_t e = c; e + 1 < s->q; e++) {
        memcpy(row_of(s, e), row_of(s, e + 1), (size_t)(e + 2) * sizeof(double));
        s->pair[e] = s->pair[e + 1];
        s->owner[e] = s->owner[e + 1];
        s->alpha[e] = s->alpha[e + 1];
        s->b[e] = s->b[e + 1];
    }
    s->q--;
    double *const cosine = s->y;
    double *const sine = s->r;
    for (int64_t f = c; f < s->q; f++) {
        double *row = row_of(s, f);
        for (int64_t e = c; e <= f; e++) {
            if (e == f) {
                const double length = hypot(row[e], row[e + 1]);
                cosine[e] = row[e] / length;
                sine[e] = row[e + 1] / length;
            }
            const double first = row[e];
            row[e] = cosine[e] * first + sine[e] * row[e + 1];
            row[e + 1] = cosine[e] * row[e + 1] - sine[e] * first;
        }
        row[f + 1] = 0;
    }
}

/* ---- several pairs at once ------------------------------------------------------------------- */

/* The pairs that are tried stand behind the active ones; their rows of L <- their products with all
 * before them. */
static pt_status line_up(active_pairs *s, const pt_task *task, pt_error *err)
{
    for (int64_t j = 0; j < s->n_tried; j++) {
        s->pair[s->q + j] = s->tried[j].pair;
        s->owner[s->q + j] = s->tried[j].owner;
    }
    for (int64_t j = 0; j < s->n_tried; j++) {
        const candidate *p = &s->tried[j];
        double *row = row_of(s, s->q + j);
        PT_TRY(pt_pair_space_products(s->space, p->owner, s->owner, s->q + j, row, task, err));
        for (int64_t c = 0; c < s->q + j; c++)
            row[c] = pt_pair_product(s->pair[c], p->pair, row[c]);
    }
    return PT_OK;
}

/* Those rows <- what they are in the factor; false: one depends on the others. */
static bool factor_tried(active_pairs *s)
{
    const int64_t m = s->n_tried;
    for (int64_t j = 0; j < m; j++)
        for (int64_t c = 0; c < s->q; c++)
            s->Y[c * TRIED + j] = row_of(s, s->q + j)[c];
    for (int64_t from = 0; from < s->q; from += BLOCK) {
        const int64_t to = from + BLOCK < s->q ? from + BLOCK : s->q;
        if (from > 0)
            pt_la_gemm(PT_F64, 'n', 'n', m, to - from, from, -1, s->Y, TRIED, row_of(s, from),
                       s->room, 1, s->Y + from * TRIED, TRIED);
        for (int64_t c = from; c < to; c++) {
            const double *row = row_of(s, c);
            double *y = s->Y + c * TRIED;
            for (int64_t e = from; e < c; e++)
                for (int64_t j = 0; j < m; j++)
                    y[j] -= row[e] * s->Y[e * TRIED + j];
            for (int64_t j = 0; j < m; j++)
                y[j] /= row[c];
        }
    }
    for (int64_t j = 0; j < m; j++) {
        double *row = row_of(s, s->q + j);
        const double square = 2 * s->space->square[s->tried[j].owner];
        double zz = square;
        for (int64_t c = 0; c < s->q; c++)
            row[c] = s->Y[c * TRIED + j];
        for (int64_t i = s->q; i < s->q + j; i++) {
            const double *before = row_of(s, i);
            for (int64_t c = 0; c < i; c++)
                row[i] -= before[c] * row[c];
            row[i] /= before[i];
        }
        for (int64_t c = 0; c < s->q + j; c++)
            zz -= row[c] * row[c];
        if (!(zz > FREE * square))
            return false;
        row[s->q + j] = sqrt(zz);
    }
    return true;
}

/* *entered <- whether all pairs that are tried are active now. */
static pt_status enter_together(active_pairs *s, bool *entered, const pt_task *task, pt_error *err)
{
    const int64_t q = s->q;
    *entered = false;
    if (q + s->n_tried > s->most)
        return PT_OK;
    PT_TRY(make_room(s, s->n_tried, err));
    PT_TRY(line_up(s, task, err));
    if (!factor_tried(s))
        return PT_OK;
    s->q += s->n_tried;
    for (int64_t c = 0; c < s->q; c++)
        s->b[c] = 1;
    solve_factor(s, s->b, s->y, s->r);
    *entered = true;
    for (int64_t c = 0; c < s->q; c++)
        *entered = *entered && s->r[c] > 0;
    if (*entered)
        memcpy(s->alpha, s->r, (size_t)s->q * sizeof *s->alpha);
    else
        s->q = q;
    s->steps += *entered;
    return PT_OK;
}

/* ---- one pair -------------------------------------------------------------------------------- */

static bool is_active(const active_pairs *s, const candidate *p)
{
    for (int64_t c = 0; c < s->q; c++)
        if (s->owner[c] == p->owner && s->pair[c].before == p->pair.before &&
            s->pair[c].after == p->pair.after)
            return true;
    return false;
}

/* The last step of p: it is active from here on. */
static void append(active_pairs *s, const candidate *p, double alpha, double zz)
{
    double *row = row_of(s, s->q);
    memcpy(row, s->y, (size_t)s->q * sizeof *row);
    row[s->q] = sqrt(zz);
    s->pair[s->q] = p->pair;
    s->owner[s->q] = p->owner;
    s->alpha[s->q++] = alpha;
}

/* What is proved where no r_c > 0. */
static void note_proof(active_pairs *s, double zz)
{
    double sum = 1;
    for (int64_t c = 0; c < s->q; c++)
        sum -= s->r[c];
    s->bound = fmin(s->bound, sqrt(fmax(zz, 0)) / sum);
}

/* Pair p enters, where it does not hold. *proved <- whether the pairs cannot all hold. */
static pt_status enter(active_pairs *s, const candidate *p, bool *proved, const pt_task *task,
                       pt_error *err)
{
    const double square = 2 * s->space->square[p->owner];
    double alpha = 0;
    double missing = 1;
    PT_TRY(make_room(s, 1, err));
    if (is_active(s, p))
        return PT_OK;
    PT_TRY(pt_pair_space_products(s->space, p->owner, s->owner, s->q, s->b, task, err));
    for (int64_t c = 0; c < s->q; c++) { /* b <- a_A . a_p */
        s->b[c] = pt_pair_product(s->pair[c], p->pair, s->b[c]);
        missing -= s->alpha[c] * s->b[c];
    }
    while (missing > HOLDS) {
        int64_t leaves = -1;
        double zz = square;
        double t = INFINITY;
        s->steps++;
        solve_factor(s, s->b, s->y, s->r);
        for (int64_t c = 0; c < s->q; c++) {
            zz -= s->y[c] * s->y[c];
            if (s->r[c] > 0 && s->alpha[c] / s->r[c] < t) {
                t = s->alpha[c] / s->r[c];
                leaves = c;
            }
        }
        const bool is_free = zz > FREE * square && square > 0;
        if (leaves < 0)
            note_proof(s, zz);
        *proved = leaves < 0 && (!is_free || s->bound < NOTHING * s->radius);
        if (*proved)
            return PT_OK;
        if (is_free && missing / zz <= t) {
            t = missing / zz;
            leaves = -1;
        }
        for (int64_t c = 0; c < s->q; c++)
            s->alpha[c] -= t * s->r[c];
        alpha += t;
        missing -= is_free ? t * zz : 0;
        if (leaves < 0) {
            append(s, p, alpha, zz);
            return PT_OK;
        }
        drop(s, leaves);
        PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

/* ---- a look ---------------------------------------------------------------------------------- */

/* support and tau from alpha. */
static pt_status form_tau(active_pairs *s, pt_error *err)
{
    const int64_t k = s->space->k;
    for (int64_t c = 0; c < s->patterns; c++)
        s->at[s->support[c]] = 0;
    pt_free(s->support);
    pt_free(s->tau);
    s->patterns = 0;
    s->support = pt_alloc(s->q, sizeof *s->support, "pairs", err);
    s->tau = pt_alloc_zero(s->q * k, sizeof *s->tau, "pairs", err);
    if (!s->support || !s->tau)
        return PT_ENOMEM;
    for (int64_t c = 0; c < s->q; c++) {
        const int64_t i = s->owner[c];
        if (s->at[i] == 0) {
            s->support[s->patterns++] = i;
            s->at[i] = s->patterns;
        }
        double *tau = s->tau + (s->at[i] - 1) * k;
        tau[s->pair[c].before] += s->alpha[c];
        tau[s->pair[c].after] -= s->alpha[c];
    }
    return PT_OK;
}

static pt_status form_scores(active_pairs *s, const pt_task *task, pt_error *err)
{
    PT_TRY(form_tau(s, err));
    return pt_pair_space_scores(s->space, s->support, s->patterns, s->tau, s->F, task, err);
}

static double z_of(const active_pairs *s, int64_t i, pt_label_pair pair)
{
    const double *f = s->F + i * s->space->k;
    return f[pair.before] - f[pair.after];
}

/* alpha <- alpha + G^-1 (1 - v . a_A); a pair that this leaves without a positive one goes. */
static pt_status repair(active_pairs *s, const pt_task *task, pt_error *err)
{
    PT_TRY(form_scores(s, task, err));
    for (int t = 0; t < REPAIRS; t++) {
        double worst = 0;
        for (int64_t c = 0; c < s->q; c++) {
            s->b[c] = 1 - z_of(s, s->owner[c], s->pair[c]);
            worst = fmax(worst, fabs(s->b[c]));
        }
        if (worst <= 0.01 * HOLDS)
            break;
        solve_factor(s, s->b, s->y, s->r);
        for (int64_t c = 0; c < s->q; c++)
            s->alpha[c] += s->r[c];
        for (int64_t c = s->q - 1; c >= 0; c--)
            if (!(s->alpha[c] > 0))
                drop(s, c);
        PT_TRY(form_scores(s, task, err));
    }
    return PT_OK;
}

/* tried <- it, if it is among the deepest; they are in order. */
static void try_later(active_pairs *s, candidate c)
{
    int64_t at = s->n_tried;
    if (at == TRIED && c.depth <= s->tried[TRIED - 1].depth)
        return;
    at = at == TRIED ? TRIED - 1 : at;
    for (; at > 0 && s->tried[at - 1].depth < c.depth; at--)
        s->tried[at] = s->tried[at - 1];
    s->tried[at] = c;
    s->n_tried += s->n_tried < TRIED;
}

/* The deepest pairs that do not hold, one for each example at most, and the smallest z. */
static void find_tried(active_pairs *s)
{
    s->least = INFINITY;
    s->n_tried = 0;
    for (int64_t i = 0; i < s->space->n; i++) {
        if (s->p->bound && s->p->bound[i] <= 0)
            continue;
        const pt_label_pair *pairs = NULL;
        const int64_t count = pt_pairs_of(s->p->pairs, i, s->of_row, &pairs);
        double z = INFINITY;
        int64_t worst = 0;
        for (int64_t p = 0; p < count; p++)
            if (z_of(s, i, pairs[p]) < z) {
                z = z_of(s, i, pairs[p]);
                worst = p;
            }
        if (count == 0)
            continue;
        const double length = sqrt(2 * s->space->square[i]);
        s->radius = fmax(s->radius, sqrt(s->space->square[i]));
        s->least = fmin(s->least, z);
        if (1 - z > HOLDS)
            try_later(s, (candidate){length > 0 ? (1 - z) / length : INFINITY, i, pairs[worst]});
    }
}

static pt_status look(active_pairs *s, const pt_task *task, pt_error *err)
{
    PT_TRY(repair(s, task, err));
    find_tried(s);
    return PT_OK;
}

/* ---- nearly every pair ----------------------------------------------------------------------- */

static void all_free(pt_pair_all *all)
{
    pt_free(all->alpha);
    pt_free(all->owner);
    pt_free(all->pair);
}

/* Every pair, and the alpha of those that are active. */
static pt_status list_all(pt_pair_all *all, const active_pairs *s, pt_error *err)
{
    const pt_label_pair *pairs = NULL;
    PT_SCRATCH int64_t *first = pt_alloc(s->space->n, sizeof *first, "pairs", err);
    if (!first)
        return PT_ENOMEM;
    for (int64_t i = 0; i < s->space->n; i++) {
        first[i] = all->m;
        all->m +=
            s->p->bound && s->p->bound[i] <= 0 ? 0 : pt_pairs_of(s->p->pairs, i, s->of_row, &pairs);
    }
    PT_TRY(PT_NEW_ZERO(all->pair, all->m, "pairs", err));
    PT_TRY(PT_NEW_ZERO(all->owner, all->m, "pairs", err));
    PT_TRY(PT_NEW_ZERO(all->alpha, all->m, "pairs", err));
    for (int64_t i = 0; i < s->space->n; i++) {
        const int64_t end = i + 1 < s->space->n ? first[i + 1] : all->m;
        if (end > first[i])
            pt_pairs_of(s->p->pairs, i, s->of_row, &pairs);
        for (int64_t c = first[i]; c < end; c++) {
            all->pair[c] = pairs[c - first[i]];
            all->owner[c] = i;
        }
    }
    for (int64_t c = 0; c < s->q; c++) {
        int64_t at = first[s->owner[c]];
        while (all->pair[at].before != s->pair[c].before || all->pair[at].after != s->pair[c].after)
            at++;
        all->alpha[at] = s->alpha[c];
    }
    return PT_OK;
}

/* The active pairs <- those with an alpha; they have no factor, for nothing is left to enter. */
static pt_status take_all(active_pairs *s, pt_pair_all *all, const pt_task *task, pt_error *err)
{
    pt_free(s->L);
    pt_free(s->pair);
    pt_free(s->owner);
    pt_free(s->alpha);
    s->L = NULL;
    s->room = 0;
    s->pair = pt_keep(&all->pair);
    s->owner = pt_keep(&all->owner);
    s->alpha = pt_keep(&all->alpha);
    s->q = 0;
    for (int64_t c = 0; c < all->m; c++) {
        if (s->alpha[c] <= 0)
            continue;
        s->pair[s->q] = s->pair[c];
        s->owner[s->q] = s->owner[c];
        s->alpha[s->q++] = s->alpha[c];
    }
    PT_TRY(form_scores(s, task, err));
    find_tried(s);
    s->n_tried = 0; /* what is missing is rounding */
    return PT_OK;
}

/* Pivoting, where its passes take no longer than the factor has taken. */
static pt_status try_pivoting(active_pairs *s, const char *stage, const pt_task *task,
                              pt_error *err)
{
    const double n = (double)s->space->n;
    const double q = (double)s->q;
    bool solved = false;
    if (s->space->rows || q * q * q < PASS * (double)s->passes * n * n * (double)s->space->k)
        return PT_OK;
    PT_FREED_BY(all_free) pt_pair_all all = {0};
    PT_TRY(list_all(&all, s, err));
    PT_TRY(pt_pair_pivot(&all, s->space, s->passes, &solved, task, err));
    pt_task_say(task, PT_INFO, PT_KIND_PROGRESS, "%s: pivoting over all %lld pairs %s",
                stage ? stage : "", (long long)all.m,
                solved ? "solves it" : "does not end, and is left");
    s->passes *= LATER;
    s->steps++;
    return solved ? take_all(s, &all, task, err) : PT_OK;
}

/* ---- the solver ------------------------------------------------------------------------------ */

static pt_status solver_init(active_pairs *s, const pt_pair_problem *p, pt_pair_space *space,
                             int64_t most, pt_error *err)
{
    size_t bytes = 0;
    *s = (active_pairs){.p = p,
                        .space = space,
                        .most = most > ROOM ? most : ROOM,
                        .bound = INFINITY,
                        .passes = PASSES};
    if (!pt_size_mul((size_t)space->k, sizeof(double), &bytes))
        return pt_fail_memory(err, "scores", SIZE_MAX);
    s->of_row = pt_alloc(pt_pairs_work(p->pairs), sizeof *s->of_row, "pairs", err);
    s->F = pt_alloc_zero(space->n, bytes, "scores", err);
    s->at = pt_alloc_zero(space->n, sizeof *s->at, "examples", err);
    return s->of_row && s->F && s->at ? PT_OK : PT_ENOMEM;
}

/* ||v||^2 = sum alpha where all active pairs hold with equality: the dual bound is 1 / ||v||. */
static double length_of(const active_pairs *s)
{
    double sum = 0;
    for (int64_t c = 0; c < s->q; c++)
        sum += s->alpha[c] * z_of(s, s->owner[c], s->pair[c]);
    return sqrt(fmax(sum, 0));
}

static void note_length(active_pairs *s)
{
    double sum = 0;
    for (int64_t c = 0; c < s->q; c++)
        sum += s->alpha[c];
    if (sum > 0)
        s->bound = fmin(s->bound, length_of(s) / sum);
}

static pt_status solve(active_pairs *s, bool *proved, const char *stage, const pt_task *task,
                       pt_error *err)
{
    PT_TRY(look(s, task, err));
    while (s->n_tried > 0 && !*proved && !s->ended) {
        bool entered = false;
        PT_TRY(enter_together(s, &entered, task, err));
        for (int64_t c = 0; c < s->n_tried && !entered && !*proved && !s->ended; c++) {
            PT_TRY(enter(s, s->tried + c, proved, task, err));
            s->ended = pt_task_ends_early(task);
        }
        if (*proved)
            return PT_OK;
        PT_TRY(look(s, task, err));
        if (s->n_tried > 0 && !s->ended)
            PT_TRY(try_pivoting(s, stage, task, err));
        note_length(s);
        *proved = s->bound < NOTHING * s->radius;
        if (s->steps > EACH * (s->most + EACH))
            return pt_fail(err, PT_ENUMERIC,
                           "--method hard: rounding keeps it from an answer; use --method svm with "
                           "a large --C");
        s->ended = s->n_tried > 0 && (s->ended || pt_task_ends_early(task));
        if (!stage)
            continue;
        pt_task_progress(task, stage, fmax(s->least, 0), 1); /* at 1 all pairs hold */
        pt_task_say(task, PT_INFO, PT_KIND_PROGRESS,
                    "%s: %lld support pairs after %lld steps, no margin above %.9g, the least pair "
                    "at %.9g of it",
                    stage, (long long)s->q, (long long)s->steps, s->bound, s->least);
    }
    return PT_OK;
}

static int ascending(const void *a, const void *b)
{
    const candidate *p = a;
    const candidate *q = b;
    return (p->owner > q->owner) - (p->owner < q->owner);
}

/* support in ascending order, tau with it, scaled so that the least z is 1, where it is above 0. */
static pt_status give(active_pairs *s, pt_margin_result *result, pt_error *err)
{
    const int64_t k = s->space->k;
    const double scale = s->least > 0 ? 1 / s->least : 1;
    PT_SCRATCH candidate *order = pt_alloc(s->patterns, sizeof *order, "examples", err);
    PT_SCRATCH double *tau = pt_alloc(s->patterns * k, sizeof *tau, "pairs", err);
    if (!order || !tau)
        return PT_ENOMEM;
    for (int64_t c = 0; c < s->patterns; c++)
        order[c] = (candidate){.owner = s->support[c], .depth = (double)c};
    qsort(order, (size_t)s->patterns, sizeof *order, ascending);
    for (int64_t c = 0; c < s->patterns; c++) {
        s->support[c] = order[c].owner;
        for (int64_t r = 0; r < k; r++)
            tau[c * k + r] = scale * s->tau[(int64_t)order[c].depth * k + r];
    }
    const double length = length_of(s);
    result->margin = length > 0 ? s->least / length : 0;
    result->square = length * length * scale * scale;
    result->scale = scale;
    result->support = pt_keep(&s->support);
    result->tau = pt_keep(&tau);
    return PT_OK;
}

pt_status pt_pair_margin(const pt_pair_problem *problem, pt_pair_space *space, int64_t most_pairs,
                         pt_margin_result *result, const char *stage, const pt_task *task,
                         pt_error *err)
{
    PT_FREED_BY(solver_free) active_pairs s = {0};
    bool proved = false;
    PT_TRY(solver_init(&s, problem, space, most_pairs, err));
    PT_TRY(solve(&s, &proved, stage, task, err));
    *result = (pt_margin_result){.separable = !proved && (s.ended || s.least > 0),
                                 .most = s.bound,
                                 .steps = s.steps,
                                 .pairs = s.q,
                                 .patterns = s.patterns};
    return result->separable ? give(&s, result, err) : PT_OK;
}
