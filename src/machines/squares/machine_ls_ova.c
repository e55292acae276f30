/* ls-ova: a binary least-squares machine for each class against the rest; what HNR measures oneLSM
 * against (Tables 5 and 6).
 *
 *     (K + gamma W^-1) a_r = y_r ,   f_r(x) = a_r . kappa_x ,   class = argmax_r f_r(x)
 *
 * y_r is +1 for the examples of class r and -1 for the others. Every machine has a Gram matrix and
 * a factor of its own: that is what oneLSM saves, and this one is here to be compared with. Its
 * decisions are oneLSM's (HNR Theorem 5: f_r = 2 g_r - sum_c g_c for oneLSM's class outputs g).
 *
 *   A   n x k   column-major, double: a_r; d x k if linear with d < n
 *
 * A binary machine is solved for the indicators e_+ and e_- of its two sides, y_r = e_+ - e_-.
 * Held-out scores are those of the binary machines, each in closed form (ls_holdout.c): k
 * factorisations at each point of a search.
 *
 * Time k n^3/3; memory n^2/2 of the factor's type. */
#include "machine/machine.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "store/pack.h"
#include "validate/squares/ls_machine.h"

enum { REST = 0, CLASS = 1, SIDES = 2 };

static pt_status ova_plan(const pt_problem *problem, const pt_params *params, const pt_task *task,
                          pt_plan *plan, pt_error *err)
{
    (void)task;
    const double k = (double)pt_labels_n_classes(problem->labels);
    pt_status status = pt_ls_plan(&problem->rows, params, SIDES, plan, err);
    plan->bytes += 8 * k * (double)problem->rows.n;
    plan->flops *= k;
    return status;
}

/* side[i] <- whether example i is of class r. */
static void take_side(const pt_problem *problem, int64_t r, int64_t *side)
{
    for (int64_t i = 0; i < problem->rows.n; i++)
        side[i] = problem->labels->class_of[i] == r ? CLASS : REST;
}

/* ---- training -------------------------------------------------------------------------------- */

/* Column r of parts->coef <- a_r. The first machine makes room for all of them. */
static pt_status train_class(pt_expansion_parts *parts, const pt_problem *problem,
                             const pt_params *params, int64_t r, int64_t *side, const pt_task *task,
                             pt_warnings *warnings, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    take_side(problem, r, side);
    const pt_ls_problem binary = {&problem->rows, side, SIDES, problem->weight, NULL};
    pt_expansion_parts one;
    PT_TRY(pt_ls_train(&one, &binary, params, problem->rows.type, task, warnings, err));
    double *coef = parts->coef;
    if (!coef)
        coef = pt_alloc(k, (size_t)one.n_coef * sizeof(double), "coefficients", err);
    for (int64_t i = 0; coef && i < one.n_coef; i++)
        coef[r * one.n_coef + i] = one.coef[CLASS * one.n_coef + i] - one.coef[i];
    pt_free(one.coef);
    if (!coef)
        return PT_ENOMEM;
    *parts = one;
    parts->m = k;
    parts->coef = coef;
    return PT_OK;
}

static pt_status train_all(pt_expansion_parts *parts, const pt_problem *problem,
                           const pt_params *params, const pt_task *task, pt_warnings *warnings,
                           pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    pt_status status = PT_OK;
    /* the machines share K, and so what is to be said of it */
    PT_FREED_BY(pt_warnings_free) pt_warnings repeated = {0};
    PT_SCRATCH int64_t *side = NULL;
    PT_TRY(PT_NEW(side, problem->rows.n, "classes", err));
    pt_task_begin_whole(task);
    for (int64_t r = 0; r < k && status == PT_OK; r++) {
        status =
            train_class(parts, problem, params, r, side, task, r == 0 ? warnings : &repeated, err);
        pt_task_progress_whole(task, "training", (double)(r + 1), (double)k);
    }
    pt_task_end_whole(task);
    return status;
}

/* The outputs f_r are the scores as they are. */
static pt_status ova_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                         const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    pt_expansion_parts parts = {0};
    const pt_status status = train_all(&parts, problem, params, task, warnings, err);
    if (status == PT_OK)
        return pt_expansion_take(&((pt_expansion_machine *)machine)->expansion, &parts, err);
    pt_free(parts.coef);
    return status;
}

/* ---- held-out scores ---------------------------------------------------------------------------
 *
 * The binary machine of a class has its held-out outputs at all points before the next one begins,
 * so that it needs its matrix of distances once, as oneLSM does. The scores of all points and
 * partitions are therefore held, and points are taken in runs that fit into the memory. */

typedef struct gatherer {
    int64_t n;
    int64_t k;
    int64_t n_partitions;
    int64_t r;           /* the class whose machine is at work */
    double *scores;      /* points x partitions x n x k */
    atomic_bool *failed; /* points x partitions */
} gatherer;

/* Column r of the scores <- e_+ - e_-. */
static pt_status gather(void *context, int64_t point, int64_t partition, const double *outputs,
                        pt_error *err)
{
    (void)err;
    const gatherer *g = context;
    const int64_t slot = point * g->n_partitions + partition;
    if (!outputs) {
        atomic_store(&g->failed[slot], true);
        return PT_OK;
    }
    double *scores = g->scores + slot * g->n * g->k;
    for (int64_t i = 0; i < g->n; i++)
        scores[i * g->k + g->r] = outputs[i * SIDES + CLASS] - outputs[i * SIDES + REST];
    return PT_OK;
}

static pt_status hand_over(const gatherer *g, int64_t first, int64_t count, pt_holdout_fn take,
                           void *context, pt_error *err)
{
    for (int64_t slot = 0; slot < count * g->n_partitions; slot++)
        PT_TRY(take(context, first + slot / g->n_partitions, slot % g->n_partitions,
                    atomic_load(&g->failed[slot]) ? NULL : g->scores + slot * g->n * g->k, err));
    return PT_OK;
}

/* How many points' scores may be held: a quarter of the memory; the rest is for the factors. */
static int64_t points_at_once(const gatherer *g, int64_t n_points, const pt_task *task)
{
    const double bytes = 8 * (double)g->n * (double)g->k * (double)g->n_partitions;
    const double most = (double)pt_task_memory(task) / 4 / bytes;
    if (most >= (double)n_points)
        return n_points;
    return most < 1 ? 1 : (int64_t)most;
}

static pt_status ova_holdout(const pt_problem *problem, const pt_params *const *points,
                             int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                             void *context, const pt_task *task, pt_error *err)
{
    gatherer g = {.n = problem->rows.n,
                  .k = pt_labels_n_classes(problem->labels),
                  .n_partitions = partitions->count};
    const int64_t most = points_at_once(&g, n_points, task);
    const int64_t slots = most * partitions->count;
    PT_SCRATCH pt_ls_point *ls_points = NULL;
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    int64_t *side = NULL;
    PT_TRY(PT_ARENA(&arena, "held-out scores", err, PT_PIECE(side, g.n),
                    {(void *)&g.scores, slots * g.k, (size_t)g.n * sizeof(double)},
                    PT_PIECE(g.failed, slots)));
    PT_TRY(pt_ls_points(&ls_points, problem, points, n_points, err));
    pt_status status = PT_OK;
    pt_task_begin_whole(task);
    for (int64_t first = 0; first < n_points && status == PT_OK; first += most) {
        const int64_t count = n_points - first < most ? n_points - first : most;
        for (int64_t slot = 0; slot < slots; slot++)
            atomic_init(&g.failed[slot], false);
        for (g.r = 0; g.r < g.k && status == PT_OK; g.r++) {
            take_side(problem, g.r, side);
            const pt_ls_problem binary = {&problem->rows, side, SIDES, problem->weight, NULL};
            status = pt_ls_holdout(&binary, ls_points + first, count, problem->rows.type,
                                   partitions, gather, &g, task, err);
        }
        if (status == PT_OK)
            status = hand_over(&g, first, count, take, context, err);
    }
    pt_task_end_whole(task);
    return status;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_ls_ova = {
    .name = "ls-ova",
    .summary = "least squares, a binary machine for each class (HNR's comparator)",
    .parameters = "ridge,class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .size = sizeof(pt_expansion_machine),
    .plan = ova_plan,
    .fit = ova_fit,
    .scores = pt_expansion_machine_scores,
    .free = pt_expansion_machine_free,
    .save = pt_expansion_machine_save,
    .load = pt_expansion_machine_load,
    .guide = pt_ls_guide,
    .holdout = ova_holdout,
};
