/* Columns and a code that is designed on their outputs, and the two in turns.
 *
 * Interleaved design, which CS leaves open: the signs of the designed code M are a discrete code of
 * their own. Columns are learned for it, a code is designed on what they say, and so on; a round is
 * judged by the held-out cost of its design, and the best is kept, the earliest of equals. It ends
 * where signs do not change. A column of M without two sides keeps the signs it had. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/labels/label_pairs.h"
#include "data/split.h"
#include "machine/code_scores.h"
#include "machines/codes/machine_designed.h"
#include "solvers/dual/pair_solvers.h"
#include "solvers/dual/spoc.h"
#include "validate/cross_fit.h"

/* Folds and rows on which C is chosen; of fewer where that takes long: linear programs, and pairs
 * with a kernel. */
enum { TRIAL_FOLDS = 4, MOST_TRIED = PT_SPOC_ALL, MOST_TRIED_SLOW = 500 };

void pt_design_round_free(pt_design_round *round)
{
    pt_machine_free_at(&round->columns);
    pt_designed_free(&round->designed);
    pt_free(round->H);
    pt_free(round->start);
    pt_code_free(&round->code);
    *round = (pt_design_round){0};
}

/* ---- the plan -------------------------------------------------------------------------------- */

/* Of classes the form pairs takes about as much as the others. */
static double solver_bytes(const pt_problem *problem, int64_t ell)
{
    const unsigned how = PT_PAIRS_THRESHOLD | PT_PAIRS_CLOSED;
    const int64_t n = problem->rows.n;
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    double pairs = 0;
    if (problem->labels->kind == PT_LABEL_CLASS)
        return pt_spoc_bytes(n, k);
    for (int64_t i = 0; i < n; i++)
        pairs += (double)pt_label_pairs_count(problem->labels, i, how);
    return pt_pair_descent_bytes(n, ell + 1, k, pairs) + 8 * (double)n * (double)(ell + 1);
}

/* Linear programs are solved on few rows where C is chosen, and have k ell variables: guesses, but
 * for what they do not grow with, which is the rows. */
static double program_flops(const pt_problem *problem, const pt_design_how *how, int64_t ell)
{
    const double n = (double)problem->rows.n;
    const double variables = (double)pt_labels_n_classes(problem->labels) * (double)ell;
    const double programs =
        isnan(how->C) && how->form == PT_DESIGN_SOFT ? TRIAL_FOLDS * PT_DESIGN_PROGRAMS : 0;
    if (how->norm == PT_NORM_2 || how->form == PT_DESIGN_DISCRETE)
        return 0;
    if (how->form == PT_DESIGN_HARD) /* every row may count: steps for each */
        return variables * n * (n + variables);
    return variables * variables *
           (programs * (fmin(n, MOST_TRIED_SLOW) + variables) + n + variables);
}

void pt_design_round_plan(const pt_problem *problem, const pt_params *params, int64_t ell,
                          const pt_task *task, pt_plan *plan)
{
    const double n = (double)problem->rows.n;
    const double k = (double)pt_labels_n_classes(problem->labels);
    const pt_design_data none = {0};
    pt_design_how how;
    pt_design_how_of(&how, params, &none);
    /* H, and copies of it where C is chosen; scores and margins; the solver */
    plan->bytes += n * 8 * (2 * (double)ell + 3 * k) + solver_bytes(problem, ell);
    plan->flops += program_flops(problem, &how, ell);
    if (how.kernel.ops) /* values of the kernel on outputs have half of the memory at most */
        plan->cache = fmax(plan->cache, fmin(pt_kernel_store_bytes(problem->rows.n, PT_F64),
                                             (double)pt_task_memory(task) / 2));
}

/* ---- outputs --------------------------------------------------------------------------------- */

static pt_status train_columns(pt_design_round *round, const pt_problem *problem,
                               const pt_params *params, const pt_task *task, pt_warnings *warnings,
                               pt_error *err)
{
    pt_problem with = *problem;
    with.code = round->code.ell > 0 ? &round->code : NULL; /* none: the machine makes one */
    return round->columns ? PT_OK
                          : pt_machine_fit(&round->columns, pt_design_columns(params), &with,
                                           params, task, warnings, err);
}

/* Where outputs go that are not cross-fitted. */
typedef struct output_filler {
    pt_design_round *round;
    const int64_t *fold;
} output_filler;

static pt_status fill(void *context, int64_t first, int64_t n, const double *outputs, pt_error *err)
{
    (void)err;
    const output_filler *f = context;
    const int64_t ell = f->round->code.ell;
    for (int64_t i = 0; i < n; i++)
        if (f->fold[first + i] < 0)
            memcpy(f->round->H + (first + i) * ell, outputs + i * ell,
                   (size_t)ell * sizeof(double));
    return PT_OK;
}

void pt_design_take_signs(double *values, int64_t count)
{
    for (int64_t i = 0; i < count; i++)
        values[i] = (double)((values[i] > 0) - (values[i] < 0));
}

pt_status pt_design_round_outputs(pt_design_round *round, const pt_problem *problem,
                                  const pt_params *params, const pt_task *task,
                                  pt_warnings *warnings, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t ell = round->code.ell;
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    int64_t left = 0; /* rows that are not in a fold */
    PT_SCRATCH int64_t *fold = NULL;
    pt_problem with = *problem;
    with.code = &round->code;
    round->folds = pt_params_integer(params, PT_P_DESIGN_FOLDS);
    PT_TRY(PT_NEW(fold, n, "folds", err));
    PT_TRY(PT_NEW(round->H, n * ell, "outputs of columns", err));
    for (int64_t i = 0; i < n; i++)
        fold[i] = -1;
    if (round->folds > 0) {
        PT_TRY(pt_cross_fit_folds(fold, &round->folds, problem, seed, err));
        if (round->folds > 0)
            PT_TRY(pt_cross_fit(round->H, ell, pt_design_columns(params), &with, params, fold,
                                round->folds, task, err));
    }
    for (int64_t i = 0; i < n; i++)
        left += fold[i] < 0;
    if (left > 0) {
        output_filler f = {round, fold};
        PT_TRY(train_columns(round, problem, params, task, warnings, err));
        PT_TRY(pt_code_outputs(round->columns, &problem->rows, fill, &f, task, err));
        if (pt_params_integer(params, PT_P_DESIGN_FOLDS) > 0)
            PT_TRY(pt_warn(warnings, err, PT_KIND_CLASSES,
                           "rows that are %s, %lld of them: the code is designed on what "
                           "columns say to them that have seen them",
                           problem->ties.fold || problem->ties.time  ? "never held out"
                           : problem->labels->kind == PT_LABEL_CLASS ? "alone in their class"
                                                                     : "alone",
                           (long long)left));
    }
    for (int64_t i = 0; i < n * ell; i++)
        if (!isfinite(round->H[i]))
            return pt_fail(err, PT_ENUMERIC, "outputs of columns are not finite numbers");
    round->outputs =
        (pt_problem){.rows = {.n = n, .d = ell, .type = PT_F64, .dense = round->H, .stride = ell},
                     .labels = problem->labels,
                     .weight = problem->weight,
                     .costs = problem->costs,
                     .ties = problem->ties};
    round->data = pt_design_data_of(&round->outputs);
    return PT_OK;
}

pt_status pt_design_round_discrete(pt_design_round *round, const pt_code_decoder *decoder,
                                   const pt_task *task, pt_error *err)
{
    const pt_design_data *d = &round->data;
    double total = 0;
    PT_SCRATCH double *scores = NULL;
    PT_TRY(PT_NEW(scores, d->m * d->k, "scores", err));
    PT_TRY(pt_decode_code(decoder, &round->code, d->m, d->H, scores, task, err));
    for (int64_t i = 0; i < d->m; i++)
        total += pt_weight(d->weight, i);
    round->discrete = pt_design_cost_sum(d, scores) / total;
    return PT_OK;
}

/* ---- the code -------------------------------------------------------------------------------- */

/* fold <- folds of a sample of the examples, as pt_design_held_out wants them; other folds than
 * those of the outputs: repeat 1. */
static pt_status trial_folds(int64_t *fold, int64_t *n_folds, const pt_design_round *round,
                             const pt_params *params, pt_error *err)
{
    const pt_labels *labels = round->outputs.labels;
    const int64_t n = labels->n;
    const int64_t k = pt_labels_n_classes(labels);
    const uint64_t seed = (uint64_t)pt_params_integer(params, PT_P_SEED);
    const bool slow = round->how.norm != PT_NORM_2 ||
                      (round->how.form == PT_DESIGN_PAIRS && round->how.kernel.ops);
    const int64_t most = slow ? MOST_TRIED_SLOW : MOST_TRIED;
    const int64_t m = pt_lesser(n, pt_lesser(pt_params_integer(params, PT_P_AUTO_ROWS), most));
    int64_t *all = NULL;
    int64_t *sample = NULL;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    PT_FREED_BY(pt_arena_free) pt_arena arena = {0};
    PT_TRY(PT_ARENA(&arena, "folds", err, PT_PIECE(all, n), PT_PIECE(sample, m)));
    for (int64_t i = 0; i < n; i++)
        fold[i] = -1;
    *n_folds = m < 2 ? 0 : pt_lesser(m, TRIAL_FOLDS);
    if (*n_folds == 0)
        return PT_OK;
    PT_TRY(pt_blocks_init(&blocks, &round->outputs.ties, n, err));
    *n_folds = blocks.past ? 1 : pt_lesser(*n_folds, blocks.count); /* the later half */
    PT_TRY(pt_block_folds(all, n, labels->class_of, k, &blocks, *n_folds,
                          labels->kind == PT_LABEL_CLASS, seed, 1, err));
    PT_TRY(pt_sample(sample, m, n, labels->class_of, k, seed, err));
    for (int64_t a = 0; a < m; a++)
        fold[sample[a]] = all[sample[a]] == PT_NEVER_HELD ? *n_folds : all[sample[a]];
    return PT_OK;
}

static pt_status warn_unfinished(const pt_design_result *result, double gap, pt_warnings *warnings,
                                 pt_error *err)
{
    if (result->converged)
        return PT_OK;
    if (isnan(result->norm)) /* of the form discrete */
        return pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                       "design: the exact search was stopped after %lld nodes; the code errs "
                       "on %.4g percent of what it was designed on, none on less than %.4g",
                       (long long)result->steps, 100 * result->primal, 100 * result->dual);
    return pt_warn(warnings, err, PT_KIND_CONVERGENCE,
                   "design: a primal value of %.6g and a dual one of %.6g were reached, not the "
                   "relative gap of %g of `gap`; use a larger `gap` or a smaller `design-C`",
                   result->primal, result->dual, gap);
}

pt_status pt_design_round_design(pt_design_round *round, const pt_params *params, bool judge,
                                 const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    const int64_t k = round->code.k;
    const int64_t ell = round->code.ell;
    pt_design_how *how = &round->how;
    round->signs = pt_design_on_signs(params);
    round->worth.cost = NAN;
    if (round->signs)
        pt_design_take_signs(round->H, round->data.m * ell);
    pt_design_how_of(how, params, &round->data);
    if (how->form == PT_DESIGN_DISCRETE) { /* from the code that the columns were learned for */
        pt_free(round->start);
        PT_TRY(PT_NEW(round->start, k * ell, "a code", err));
        for (int64_t i = 0; i < k * ell; i++)
            round->start[i] = (int8_t)pt_code_entry(&round->code, i / ell, i % ell);
        how->discrete.start = round->start;
    }
    const bool lacks_C = pt_design_weighs(how->form) && isnan(how->C);
    if (judge || lacks_C) {
        const pt_problem *outputs = &round->outputs;
        int64_t n_folds = 0;
        PT_SCRATCH int64_t *fold = NULL;
        PT_TRY(PT_NEW(fold, round->data.m, "folds", err));
        PT_TRY(trial_folds(fold, &n_folds, round, params, err));
        PT_TRY(lacks_C ? pt_design_choose_C(how, &round->worth, outputs, fold, n_folds, task, err)
                       : pt_design_held_out(&round->worth, outputs, how, fold, n_folds, task, err));
    }
    PT_TRY(pt_design(&round->designed, &round->data, how, &round->result, task, err));
    return warn_unfinished(&round->result, how->gap, warnings, err);
}

/* ---- in turns -------------------------------------------------------------------------------- */

/* *next <- the code of the next round, the signs of the designed one; without columns (ell = 0) it
 * is that of this one. */
static pt_status next_code(pt_code *next, const pt_design_round *round, pt_error *err)
{
    const double *M = pt_designed_rows(&round->designed);
    const int64_t k = round->code.k;
    const int64_t ell = round->code.ell;
    bool changed = false;
    PT_SCRATCH int8_t *signs = NULL;
    PT_TRY(PT_NEW(signs, k * ell, "a code", err));
    for (int64_t s = 0; s < ell; s++) {
        bool plus = false;
        bool minus = false;
        for (int64_t r = 0; r < k; r++) {
            plus = plus || M[r * ell + s] > 0;
            minus = minus || M[r * ell + s] < 0;
        }
        for (int64_t r = 0; r < k; r++) {
            const double entry = M[r * ell + s];
            const int before = pt_code_entry(&round->code, r, s);
            const int now = plus && minus ? (entry > 0) - (entry < 0) : before;
            signs[r * ell + s] = (int8_t)now;
            changed = changed || now != before;
        }
    }
    return changed ? pt_code_from(next, k, ell, signs, err) : PT_OK;
}

static pt_status run_round(pt_design_round *round, const pt_problem *problem,
                           const pt_params *params, bool judge, const pt_task *task,
                           pt_warnings *warnings, pt_error *err)
{
    PT_TRY(pt_design_round_outputs(round, problem, params, task, warnings, err));
    return pt_design_round_design(round, params, judge, task, warnings, err);
}

/* Rounds after the first, which is in `best`. */
static pt_status take_turns(pt_design_round *best, const pt_problem *problem,
                            const pt_params *params, const pt_task *task, pt_warnings *warnings,
                            pt_error *err)
{
    const int64_t rounds = pt_params_integer(params, PT_P_INTERLEAVE);
    PT_FREED_BY(pt_design_round_free) pt_design_round last = {0}; /* without H: the best is last */
    for (int64_t t = 1; t <= rounds; t++) {
        PT_FREED_BY(pt_design_round_free) pt_design_round next = {.discrete = NAN};
        PT_TRY(next_code(&next.code, last.H ? &last : best, err));
        if (next.code.ell == 0)
            break;
        PT_TRY(run_round(&next, problem, params, true, task, warnings, err));
        pt_task_say(task, PT_INFO, PT_KIND_PROGRESS,
                    "round %lld: held-out cost %.5g; the best so far: %.5g", (long long)t,
                    next.worth.cost, best->worth.cost);
        pt_design_round_free(&last);
        pt_design_round *kept = next.worth.cost < best->worth.cost ? best : &last;
        pt_design_round_free(kept);
        *kept = next;
        next = (pt_design_round){0};
    }
    return PT_OK;
}

/* The code that columns are learned for: that of --code, or the one that their machine makes. */
static pt_status first_code(pt_design_round *round, const pt_problem *problem,
                            const pt_params *params, const pt_task *task, pt_warnings *warnings,
                            pt_error *err)
{
    const pt_machine_ops *ops = pt_design_columns(params);
    if (!ops->own_columns)
        return pt_code_init(&round->code, params, pt_labels_n_classes(problem->labels),
                            problem->code, task, warnings, err);
    PT_TRY(train_columns(round, problem, params, task, warnings, err));
    return pt_code_copy(&round->code, ops->parts(round->columns).code, err);
}

static pt_status design_all(pt_design_round *round, const pt_problem *problem,
                            const pt_params *params, const pt_task *task, pt_warnings *warnings,
                            pt_error *err)
{
    const bool turns = pt_params_integer(params, PT_P_INTERLEAVE) > 0;
    PT_TRY(first_code(round, problem, params, task, warnings, err));
    PT_TRY(run_round(round, problem, params, turns, task, warnings, err));
    if (turns)
        PT_TRY(take_turns(round, problem, params, task, warnings, err));
    return train_columns(round, problem, params, task, warnings, err);
}

/* ---- without a design ------------------------------------------------------------------------ */

/* Of the time where the machine need not be finished; the rest is for columns without a design. */
static const double SHARE_OF_DESIGN = 0.6;

/* There was no time for the design; one that some rounds have made stands, else round->designed <-
 * the code that the columns are learned for, as it is. */
static pt_status do_without(pt_design_round *round, const pt_problem *problem,
                            const pt_params *params, const pt_task *task, pt_warnings *warnings,
                            pt_error *err)
{
    if (round->code.ell == 0)
        PT_TRY(first_code(round, problem, params, task, warnings, err));
    if (round->designed.k == 0) {
        const int64_t k = round->code.k;
        const int64_t ell = round->code.ell;
        double *M = NULL;
        PT_TRY(PT_NEW(M, k * ell, "a code", err));
        for (int64_t i = 0; i < k * ell; i++)
            M[i] = pt_code_entry(&round->code, i / ell, i % ell);
        PT_TRY(pt_designed_from_rows(&round->designed, k, ell, M, err));
        round->signs = pt_design_on_signs(params);
        round->result = (pt_design_result){.primal = NAN, .norm = NAN};
        round->worth = (pt_design_worth){NAN, NAN};
        round->how.C = NAN;
        PT_TRY(pt_warn(warnings, err, PT_KIND_LIMIT,
                       "there was no time to design the code: it is the one that its columns were "
                       "learned for; raise `time`"));
    }
    return train_columns(round, problem, params, task, warnings, err);
}

pt_status pt_design_rounds(pt_design_round *round, const pt_problem *problem,
                           const pt_params *params, const pt_task *task, pt_warnings *warnings,
                           pt_error *err)
{
    pt_error own = {0};
    const bool needed =
        problem->labels->kind != PT_LABEL_CLASS || !pt_design_kernel_of(params)->linear;
    if (needed) /* nothing stands in for it, and columns that end early would spoil it */
        pt_task_end_early_after(task, INFINITY);
    if (needed || !pt_task_begin_optional(task, SHARE_OF_DESIGN))
        return design_all(round, problem, params, task, warnings, err);
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0}; /* of a design that may be left out */
    pt_status status = design_all(round, problem, params, task, &said, &own);
    const bool left_out = status == PT_ETIME;
    pt_task_end_optional(task, left_out);
    if (left_out)
        status = do_without(round, problem, params, task, warnings, err);
    else if (status != PT_OK)
        pt_error_copy(err, &own);
    return status == PT_OK && !left_out ? pt_warnings_add(warnings, &said, err) : status;
}
