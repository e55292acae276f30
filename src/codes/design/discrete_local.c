/* Local search for a discrete code: of all changes of one entry of a column the one that gets the
 * most right is made, until no column has one that gets more right.
 *
 * A change of M_rt moves one score of each example. What the example gets then follows from four
 * numbers, so that all changes of a column are judged exactly in O(m k):
 *
 *   S            m x k   scores M_r . h_i
 *   best, ties   m       the largest score of a wrong class, and how many have it
 *   next, nexts  m       the largest one below that, and how many have it
 *
 * and an example whose own score is further from best than any change moves it needs no look. Such
 * a search ends where no single entry helps; a kick changes some entries at random, and the
 * search goes on from there where it got no worse. Starts are independent, each with random numbers
 * of its own, so that threads do not matter. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/random.h"
#include "codes/design/discrete.h"

enum { CHANGES = 2 }; /* of an entry, where three values are allowed */

typedef struct rivals {
    double best;
    double next;
    int64_t ties;
    int64_t nexts;
} rivals;

typedef struct walk {
    const pt_discrete_problem *p;
    int8_t *code;   /* ell x k: where the search stands */
    int8_t *kept;   /* ell x k: where it stood at best */
    double *S;      /* m x k */
    rivals *rivals; /* m */
    double *step;   /* 2 x k: what a change would add to the entry of a class in the column */
    double *gain;   /* 2 x k: what it would gain */
    double right;   /* the weight of what the code gets right */
} walk;

/* ---- where the search stands ----------------------------------------------------------------- */

static rivals rivals_of(const double *score, int64_t k, int64_t y)
{
    rivals v = {-INFINITY, -INFINITY, 0, 0};
    for (int64_t r = 0; r < k; r++) {
        const double s = score[r];
        if (r == y || s < v.next)
            continue;
        if (s > v.best) {
            v = (rivals){s, v.best, 1, v.ties};
        } else if (s == v.best) {
            v.ties++;
        } else {
            v.nexts = s > v.next ? 1 : v.nexts + 1;
            v.next = s;
        }
    }
    return v;
}

static double weight_right(const walk *w, int64_t i)
{
    const double own = w->S[i * w->p->k + w->p->class_of[i]];
    return w->p->weight[i] * pt_discrete_share(w->p, own, w->rivals[i].best, w->rivals[i].ties);
}

static void rank(walk *w, int64_t i)
{
    w->rivals[i] = rivals_of(w->S + i * w->p->k, w->p->k, w->p->class_of[i]);
}

/* What follows from the scores. */
static void rank_all(walk *w)
{
    w->right = 0;
    for (int64_t i = 0; i < w->p->m; i++) {
        rank(w, i);
        w->right += weight_right(w, i);
    }
}

/* Scores and what follows from them, for the code as it is. */
static void stand(walk *w)
{
    const pt_discrete_problem *p = w->p;
    memset(w->S, 0, (size_t)(p->m * p->k) * sizeof *w->S);
    for (int64_t t = 0; t < p->ell; t++)
        for (int64_t i = 0; i < p->m; i++)
            for (int64_t r = 0; r < p->k; r++)
                w->S[i * p->k + r] += w->code[t * p->k + r] * p->H[t * p->m + i];
    rank_all(w);
}

/* An entry and the scores, but not what follows from them. Sums are exact: nothing drifts. */
static void set_entry(walk *w, int64_t cell, int8_t value)
{
    const pt_discrete_problem *p = w->p;
    const double *h = p->H + cell / p->k * p->m;
    const double step = value - w->code[cell];
    w->code[cell] = value;
    for (int64_t i = 0; i < p->m && step != 0; i++)
        w->S[i * p->k + cell % p->k] += step * h[i];
}

/* ---- single entries -------------------------------------------------------------------------- */

/* The share of an example after the score of a wrong class has gone from `before` to `after`. */
static double share_after(const pt_discrete_problem *p, const rivals *v, double own, double before,
                          double after)
{
    if (after > v->best)
        return pt_discrete_share(p, own, after, 1);
    if (after == v->best)
        return pt_discrete_share(p, own, after, before == after ? v->ties : v->ties + 1);
    if (before < v->best)
        return pt_discrete_share(p, own, v->best, v->ties);
    if (v->ties > 1) /* it was one of the best, the others still are */
        return pt_discrete_share(p, own, v->best, v->ties - 1);
    if (after == v->next)
        return pt_discrete_share(p, own, after, v->nexts + 1);
    return after > v->next ? pt_discrete_share(p, own, after, 1)
                           : pt_discrete_share(p, own, v->next, v->nexts);
}

/* What example i with output h gains by each change of the column. */
static void add_gains(walk *w, int64_t i, double h)
{
    const pt_discrete_problem *p = w->p;
    const double *score = w->S + i * p->k;
    const int64_t y = p->class_of[i];
    const rivals *v = &w->rivals[i];
    const double now = pt_discrete_share(p, score[y], v->best, v->ties);
    for (int64_t j = 0; j < p->n_values - 1; j++)
        for (int64_t r = 0; r < p->k; r++) {
            const double after = score[r] + w->step[j * p->k + r] * h;
            if (r != y && fmax(after, score[r]) < v->best)
                continue; /* neither one of the best nor made one */
            const double then = r == y ? pt_discrete_share(p, after, v->best, v->ties)
                                       : share_after(p, v, score[y], score[r], after);
            w->gain[j * p->k + r] += p->weight[i] * (then - now);
        }
}

/* The other values that the entries of column t may have, as differences from what they are. */
static void list_steps(walk *w, int64_t t)
{
    const pt_discrete_problem *p = w->p;
    for (int64_t r = 0; r < p->k; r++) {
        const int8_t entry = w->code[t * p->k + r];
        const int is = pt_discrete_value(p, entry);
        for (int j = 1; j < p->n_values; j++)
            w->step[(j - 1) * p->k + r] = p->values[(is + j) % p->n_values] - entry;
    }
}

/* The change of column t that gains most, the first on ties: its place in `step` and `gain`. */
static int64_t best_change(walk *w, int64_t t)
{
    const pt_discrete_problem *p = w->p;
    const double furthest = p->values[p->n_values - 1] - p->values[0];
    list_steps(w, t);
    memset(w->gain, 0, (size_t)(CHANGES * p->k) * sizeof *w->gain);
    for (int64_t i = 0; i < p->m; i++) {
        const double h = p->H[t * p->m + i];
        const double lead = w->S[i * p->k + p->class_of[i]] - w->rivals[i].best;
        if (h != 0 && fabs(lead) <= furthest * fabs(h))
            add_gains(w, i, h);
    }
    return pt_first_largest(w->gain, (p->n_values - 1) * p->k);
}

/* Makes a change of `step`; most examples have the same rivals after it. */
static void change(walk *w, int64_t t, int64_t r, double step)
{
    const pt_discrete_problem *p = w->p;
    w->code[t * p->k + r] = (int8_t)(w->code[t * p->k + r] + step);
    for (int64_t i = 0; i < p->m; i++) {
        double *score = &w->S[i * p->k + r];
        const double before = *score;
        const double after = before + step * p->H[t * p->m + i];
        const bool own = p->class_of[i] == r;
        if (!own && fmax(before, after) < w->rivals[i].next) {
            *score = after;
            continue;
        }
        w->right -= weight_right(w, i);
        *score = after;
        if (!own)
            rank(w, i);
        w->right += weight_right(w, i);
    }
}

/* Until no column has a change that gets more right. */
static pt_status descend(walk *w, const pt_task *task, pt_error *err)
{
    const pt_discrete_problem *p = w->p;
    const int64_t free_columns = p->ell - p->fixed;
    int64_t quiet = 0;
    for (int64_t t = p->fixed; quiet < free_columns;) {
        const int64_t place = best_change(w, t);
        if (w->gain[place] > p->rounding) {
            change(w, t, place % p->k, w->step[place]);
            quiet = 0;
        } else {
            quiet++;
            t = t + 1 < p->ell ? t + 1 : p->fixed;
        }
        PT_TRY(pt_task_check(task, err));
    }
    return PT_OK;
}

/* ---- starts and kicks ------------------------------------------------------------------------ */

/* Each class on the side of a column on which its mean output lies, as seen from the mean of these
 * means. */
static void start_at_means(const pt_discrete_problem *p, int8_t *code, double *mean, double *weight)
{
    const int8_t low = p->values[0];
    const int8_t high = p->values[p->n_values - 1];
    for (int64_t t = p->fixed; t < p->ell; t++) {
        double middle = 0;
        memset(mean, 0, (size_t)p->k * sizeof *mean);
        memset(weight, 0, (size_t)p->k * sizeof *weight);
        for (int64_t i = 0; i < p->m; i++) {
            mean[p->class_of[i]] += p->weight[i] * p->H[t * p->m + i];
            weight[p->class_of[i]] += p->weight[i];
        }
        for (int64_t r = 0; r < p->k; r++) {
            mean[r] = weight[r] > 0 ? mean[r] / weight[r] : 0;
            middle += mean[r] / (double)p->k;
        }
        for (int64_t r = 0; r < p->k; r++)
            code[t * p->k + r] = mean[r] < middle ? low : high;
    }
}

static void start_at_random(const pt_discrete_problem *p, int8_t *code, pt_random *random)
{
    for (int64_t c = p->fixed * p->k; c < p->ell * p->k; c++)
        code[c] = p->values[pt_random_below(random, p->n_values)];
}

/* Changes up to one in twenty of the entries. */
static void kick(walk *w, pt_random *random)
{
    const pt_discrete_problem *p = w->p;
    const int64_t first = p->fixed * p->k;
    const int64_t cells = p->ell * p->k - first;
    const int64_t changes = 2 + pt_random_below(random, 1 + cells / 20);
    for (int64_t j = 0; j < changes; j++) {
        const int64_t cell = first + pt_random_below(random, cells);
        set_entry(w, cell, p->values[pt_random_below(random, p->n_values)]);
    }
    rank_all(w);
}

/* Goes down from where it stands, is kicked, and goes down again. */
static pt_status walk_on(walk *w, pt_random *random, const pt_task *task, pt_error *err)
{
    const size_t cells = (size_t)(w->p->k * w->p->ell);
    const pt_discrete_problem *p = w->p;
    stand(w);
    PT_TRY(descend(w, task, err));
    double kept = w->right;
    memcpy(w->kept, w->code, cells);
    for (int j = 0; j < PT_DISCRETE_KICKS; j++) {
        kick(w, random);
        PT_TRY(descend(w, task, err));
        if (w->right < kept - p->rounding) { /* back to where it stood at best */
            for (int64_t cell = p->fixed * p->k; cell < p->ell * p->k; cell++)
                set_entry(w, cell, w->kept[cell]);
            continue;
        }
        memcpy(w->kept, w->code, cells);
        kept = w->right;
    }
    w->right = kept;
    memcpy(w->code, w->kept, cells);
    return PT_OK;
}

typedef struct local_start {
    const pt_discrete_problem *p;
    const int8_t *given; /* NULL: none */
    int8_t *codes;       /* of each start: ell x k */
    double *right;       /* of each start */
    uint64_t seed;
    const pt_task *task;
} local_start;

/* The entries of a given start; those that are not allowed stay as they are. */
static void start_at(const pt_discrete_problem *p, int8_t *code, const int8_t *given)
{
    for (int64_t c = p->fixed * p->k; c < p->ell * p->k; c++)
        if (pt_discrete_value(p, given[c]) >= 0)
            code[c] = given[c];
}

static pt_status one_start(void *context, int64_t number, int worker, pt_error *err)
{
    (void)worker;
    const local_start *s = context;
    const pt_discrete_problem *p = s->p;
    walk w = {.p = p, .code = s->codes + number * p->k * p->ell};
    pt_random random;
    pt_random_init(&random, s->seed, PT_RANDOM_DISCRETE, (uint64_t)number);
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "a search for a code", err, PT_PIECE(w.kept, p->k * p->ell),
                    PT_PIECE(w.S, p->m * p->k), PT_PIECE(w.rivals, p->m),
                    PT_PIECE(w.step, CHANGES * p->k), PT_PIECE(w.gain, CHANGES * p->k)));
    /* Start 0 is the given one, or the means; 1 the means, where one is given; others are random */
    if (number > (s->given ? 1 : 0))
        start_at_random(p, w.code, &random);
    else
        start_at_means(p, w.code, w.step, w.gain);
    if (number == 0 && s->given)
        start_at(p, w.code, s->given);
    PT_TRY(walk_on(&w, &random, s->task, err));
    s->right[number] = w.right;
    return PT_OK;
}

pt_status pt_discrete_local(const pt_discrete_problem *problem, int8_t *code, const int8_t *start,
                            int64_t starts, uint64_t seed, double *right, const pt_task *task,
                            pt_error *err)
{
    const int64_t cells = problem->k * problem->ell;
    int64_t best = 0;
    local_start s = {problem, start, NULL, NULL, seed, task};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "codes", err, PT_PIECE(s.codes, starts * cells),
                    PT_PIECE(s.right, starts)));
    for (int64_t j = 0; j < starts; j++)
        memcpy(s.codes + j * cells, code, (size_t)cells);
    PT_TRY(pt_parallel_for(task, starts, one_start, &s, err));
    for (int64_t j = 1; j < starts; j++)
        if (s.right[j] > s.right[best] + problem->rounding)
            best = j;
    memcpy(code, s.codes + best * cells, (size_t)cells);
    *right = s.right[best];
    return PT_OK;
}
