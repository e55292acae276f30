/* Hard margins over pairs where nearly every pair decides, as with a narrow kernel: block principal
 * pivoting (Portugal, Judice and Vicente 1994), with conjugate gradients for its linear systems.
 *
 * Let G be the Gram matrix of the vectors of all pairs. Wanted is a set A of pairs with
 *
 *     G_AA alpha_A = 1 ,   alpha_A > 0 ,   z_c = (G alpha)_c >= 1   of the others:
 *
 * the optimality of pair_solvers.h. For an A that is a guess the system is solved; all c of A with
 * alpha_c <= 0 leave, all others with z_c < 1 enter, at once, until there are none. Nobody promises
 * that this ends: where their number stops to fall, or after so many passes, it is given up, and
 * the active set (pair_margin.c), which always ends, goes on where it was.
 *
 * A narrow kernel makes G well conditioned, so that a few products G p suffice, each at the price
 * of the scores of all examples; a factor of G would take (n k)^3 / 3. The first sets need not be
 * solved for exactly to tell which pairs are on the wrong side.
 *
 *   in            m: whether a pair is in A
 *   alpha, z      m; 0 where it is not in A
 *   r, p          m: 1 - z on A, and the direction of the conjugate gradients
 *
 * Time: O(n^2 k) for each pass. Memory: 41 m + 16 n k bytes. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "solvers/dual/pair_solvers.h"

enum { STALLED = 4 };              /* rounds without fewer pairs on the wrong side: given up */
static const double COARSE = 1e-3; /* residuals, of margins of 1: those of the first sets; */
static const double FEW = 1e-3;    /* where so few of the pairs change sides they are */
static const double FINER = 1e-4;  /* so many times as large from set to set, */
static const double FINE = 1e-11;  /* down to this */
static const double HOLDS = 1e-9;  /* as pair_margin.c */

typedef struct pivot {
    const pt_pair_all *all;
    pt_pair_space *space;
    bool *in;
    double *z;
    double *r;
    double *p;
    double *tau;      /* n x k: those of the examples that have pairs in A, one after the other */
    double *F;        /* n x k */
    int64_t *support; /* n: these examples */
    int64_t passes;
    int64_t limit;
} pivot;

double pt_pair_pivot_bytes(int64_t n, int64_t k, double pairs)
{
    return 57 * pairs + (double)n * (16 * (double)k + 8);
}

static void pivot_free(pivot *s)
{
    pt_free(s->support);
    pt_free(s->F);
    pt_free(s->tau);
    pt_free(s->p);
    pt_free(s->r);
    pt_free(s->z);
    pt_free(s->in);
}

static pt_status pivot_init(pivot *s, pt_error *err)
{
    const int64_t m = s->all->m;
    size_t bytes = 0;
    if (!pt_size_mul((size_t)s->space->k, sizeof(double), &bytes))
        return pt_fail_memory(err, "scores", SIZE_MAX);
    PT_TRY(PT_NEW_ZERO(s->in, m, "pairs", err));
    PT_TRY(PT_NEW_ZERO(s->z, m, "pairs", err));
    PT_TRY(PT_NEW_ZERO(s->r, m, "pairs", err));
    PT_TRY(PT_NEW_ZERO(s->p, m, "pairs", err));
    PT_TRY(PT_NEW_ZERO(s->support, s->space->n, "examples", err));
    s->tau = pt_alloc(s->space->n, bytes, "scores", err);
    s->F = pt_alloc(s->space->n, bytes, "scores", err);
    return s->tau && s->F ? PT_OK : PT_ENOMEM;
}

/* z <- G x, x being 0 outside of A: one pass. */
static pt_status multiply(pivot *s, const double *x, const pt_task *task, pt_error *err)
{
    const pt_pair_all *all = s->all;
    const int64_t k = s->space->k;
    int64_t count = 0;
    for (int64_t c = 0; c < all->m; c++) { /* pairs of an example are neighbours */
        if (!s->in[c])
            continue;
        if (count == 0 || s->support[count - 1] != all->owner[c]) {
            memset(s->tau + count * k, 0, (size_t)k * sizeof *s->tau);
            s->support[count++] = all->owner[c];
        }
        double *tau = s->tau + (count - 1) * k;
        tau[all->pair[c].before] += x[c];
        tau[all->pair[c].after] -= x[c];
    }
    s->passes++;
    PT_TRY(pt_pair_space_scores(s->space, s->support, count, s->tau, s->F, task, err));
    for (int64_t c = 0; c < all->m; c++) {
        const double *f = s->F + all->owner[c] * k;
        s->z[c] = f[all->pair[c].before] - f[all->pair[c].after];
    }
    return pt_task_check(task, err);
}

static bool goes_on(const pivot *s, const pt_task *task)
{
    return s->passes < s->limit && !pt_task_ends_early(task);
}

/* alpha_A <- G_AA^-1 1 from where it is, until no |r| is above `aim`; z belongs to it.
 * *solved: else the passes are spent, or G is singular. */
static pt_status solve_in(pivot *s, double aim, bool *solved, const pt_task *task, pt_error *err)
{
    const pt_pair_all *all = s->all;
    double rr = 0;
    double worst = 0;
    PT_TRY(multiply(s, all->alpha, task, err));
    for (int64_t c = 0; c < all->m; c++) {
        s->r[c] = s->in[c] ? 1 - s->z[c] : 0;
        s->p[c] = s->r[c];
        rr += s->r[c] * s->r[c];
        worst = fmax(worst, fabs(s->r[c]));
    }
    *solved = worst <= aim;
    if (*solved)
        return PT_OK;
    while (worst > aim && goes_on(s, task)) {
        double pz = 0;
        double next = 0;
        PT_TRY(multiply(s, s->p, task, err));
        for (int64_t c = 0; c < all->m; c++)
            pz += s->p[c] * s->z[c];
        if (!(pz > 0))
            return PT_OK;
        worst = 0;
        for (int64_t c = 0; c < all->m; c++) {
            if (!s->in[c])
                continue;
            all->alpha[c] += rr / pz * s->p[c];
            s->r[c] -= rr / pz * s->z[c];
            next += s->r[c] * s->r[c];
            worst = fmax(worst, fabs(s->r[c]));
        }
        for (int64_t c = 0; c < all->m; c++)
            s->p[c] = s->r[c] + next / rr * s->p[c];
        rr = next;
    }
    *solved = worst <= aim;
    return *solved ? multiply(s, all->alpha, task, err) : PT_OK;
}

/* Those on the wrong side change it; returns how many. */
static int64_t exchange(pivot *s)
{
    int64_t count = 0;
    for (int64_t c = 0; c < s->all->m; c++) {
        if (s->in[c] ? s->all->alpha[c] > 0 : s->z[c] >= 1 - HOLDS)
            continue;
        s->in[c] = !s->in[c];
        s->all->alpha[c] = 0;
        count++;
    }
    return count;
}

/* What rounding leaves of G_AA alpha = 1. */
static double residual(const pivot *s)
{
    double worst = 0;
    for (int64_t c = 0; c < s->all->m; c++)
        worst = s->in[c] ? fmax(worst, fabs(1 - s->z[c])) : worst;
    return worst;
}

pt_status pt_pair_pivot(const pt_pair_all *all, pt_pair_space *space, int64_t limit, bool *solved,
                        const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pivot_free) pivot s = {.all = all, .space = space, .limit = limit};
    int64_t fewest = INT64_MAX;
    double aim = COARSE;
    *solved = false;
    PT_TRY(pivot_init(&s, err));
    for (int64_t c = 0; c < all->m; c++)
        s.in[c] = all->alpha[c] > 0;
    for (int stalled = 0; stalled < STALLED && s.passes < limit;) {
        bool done = false;
        PT_TRY(solve_in(&s, aim, &done, task, err));
        if (!done)
            return PT_OK;
        const int64_t wrong = exchange(&s);
        *solved = wrong == 0 && aim <= FINE && residual(&s) <= HOLDS;
        if (*solved)
            return PT_OK;
        const bool fewer = wrong < fewest || wrong == 0;
        stalled = fewer ? 0 : stalled + 1;
        fewest = wrong < fewest ? wrong : fewest;
        if (!fewer || (double)wrong <= FEW * (double)all->m)
            aim = fmax(FINE, FINER * aim);
        pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS,
                    "pivoting: %lld of %lld pairs change sides, %lld passes", (long long)wrong,
                    (long long)all->m, (long long)s.passes);
    }
    return PT_OK;
}
