/* Calibrating a machine: scores of training rows become probabilities (calibrate.c), by
 * machines that have not seen them, with the parameters of the one that is kept and, but for the
 * rows that are held out, trained on what it was trained on.
 *
 * Four numbers are fitted, so that some hundred held-out rows are enough, while a machine that was
 * trained on a small part of the rows has other scores, and other errors, than the one that is
 * kept. So with n rows
 *
 *   - up to CLOSED_ROWS, where the machine has them in closed form: leave-one-out on all rows;
 *   - else enough folds of FOLDS or more to hold out a tenth of the rows, but at least LEAST_ROWS
 *     (all, where there are fewer) and at most MOST_ROWS: from 5000 rows on, one machine on at
 *     least nine tenths of them, in about the time of one training. One of LEAST_FOLDS parts is as
 *     good as two of ten (experiments/calibration), so that one machine is enough from 4000 rows
 *     on. The closed form of leave-one-out takes two to three times as long on many rows.
 *
 * Groups of rows, and folds of the caller, are held out whole: leave-one-group-out, and folds of
 * different sizes, of which as many are held out as have the rows. By time the last folds are, each
 * by what is before it, never in the closed form of leave-one-out.
 *
 * Weights count rows; those of --class-weight are left out, since they change what is learned and
 * not how often a class comes. Where a second machine does not fit into the memory beside the
 * first, it is trained on fewer rows. Where time is short, one fold has to do. */
#include "validate/probability/fit_probabilities.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/text.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "metrics/label_judge.h"
#include "validate/folds.h"
#include "validate/probability/calibrate.h"
#include "validate/probability/thresholds.h"
#include "validate/validate.h"

enum { CLOSED_ROWS = 5000, FOLDS = 10, LEAST_FOLDS = 8, LEAST_ROWS = 500, MOST_ROWS = 5000 };

typedef struct calibrator {
    pt_probabilities *out;
    const pt_training *training;
    const pt_task *task;
    const pt_problem *problem; /* the examples that the rows of the training stand for */
    const double *weight;      /* of each, without those of classes; NULL: all 1 */
    bool given;                /* scores are probabilities */
    const int64_t *fold;       /* of each row */
    int64_t n_folds;
    int64_t parts; /* folds that are held out: the first ones */
} calibrator;

/* ---- fitting --------------------------------------------------------------------------------- */

static void add_set(pt_reliability *reliability, const pt_calibration *calibration,
                    const pt_labels *labels, int64_t i, const double *scores, double weight)
{
    int64_t at = labels->start[i];
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++) {
        const bool member = at < labels->start[i + 1] && labels->item[at] == r;
        at += member;
        pt_reliability_add_member(reliability, pt_member_probability(calibration, scores[r]),
                                  member, weight);
    }
}

/* Of all rows, by their weights. */
static double wrong_share(const pt_held_out_scores *held_out)
{
    const int64_t k = held_out->k;
    double wrong = 0;
    double all = 0;
    for (int64_t i = 0; i < held_out->n; i++) {
        const double *scores = held_out->scores + i * k;
        const double weight = held_out->weight ? held_out->weight[i] : 1;
        const bool right = held_out->sets ? pt_label_is_right(held_out->sets, i, scores)
                                          : pt_first_largest(scores, k) == held_out->class_of[i];
        wrong += right ? 0 : weight;
        all += weight;
    }
    return wrong / all;
}

/* How true the probabilities are on the rows that they were fitted to. */
static pt_status judge(pt_held_out *out, const pt_calibration *calibration,
                       const pt_held_out_scores *held_out, pt_error *err)
{
    pt_reliability reliability = {0};
    const int64_t k = held_out->k;
    PT_SCRATCH double *p = pt_alloc(k, sizeof *p, "probabilities", err);
    if (!p)
        return PT_ENOMEM;
    for (int64_t i = 0; i < held_out->n; i++) {
        const double *scores = held_out->scores + i * k;
        const double weight = held_out->weight ? held_out->weight[i] : 1;
        if (held_out->sets) {
            add_set(&reliability, calibration, held_out->sets, i, scores, weight);
            continue;
        }
        pt_class_probabilities(calibration, held_out->class_rows, scores, k, p);
        pt_reliability_add(&reliability, p, k, pt_first_largest(scores, k), held_out->class_of[i],
                           weight);
    }
    out->rows = held_out->n;
    out->wrong = wrong_share(held_out);
    out->error = pt_reliability_error(&reliability);
    out->log_loss = pt_reliability_log_loss(&reliability);
    out->brier = pt_reliability_brier(&reliability);
    return PT_OK;
}

static bool by_f1(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_THRESHOLDS), "f1") == 0;
}

/* scores: m x k, of examples rows[0] .. rows[m-1]. */
static pt_status fit(const calibrator *c, const int64_t *rows, int64_t m, double *scores,
                     pt_error *err)
{
    pt_probabilities *out = c->out;
    const pt_labels *all = c->problem->labels;
    const bool sets = all->kind == PT_LABEL_SET;
    const int64_t k = pt_labels_n_classes(all);
    PT_FREED_BY(pt_labels_free_at) pt_labels *labels = NULL;
    PT_SCRATCH double *weight = c->weight ? pt_alloc(m, sizeof *weight, "weights", err) : NULL;
    if (c->weight && !weight)
        return PT_ENOMEM;
    for (int64_t i = 0; weight && i < m; i++)
        weight[i] = c->weight[rows[i]];
    PT_TRY(pt_labels_subset(&labels, all, rows, m, err));
    for (int64_t i = 0; i < m; i++)
        pt_lower_absent(scores + i * k, out->class_rows, k, c->given);
    const pt_held_out_scores held_out = {.scores = scores,
                                         .class_of = sets ? NULL : labels->class_of,
                                         .sets = sets ? labels : NULL,
                                         .weight = weight,
                                         .class_rows = out->class_rows,
                                         .n = m,
                                         .k = k,
                                         .given = c->given};
    if (sets && by_f1(c->training->params)) {
        PT_TRY(PT_NEW(out->thresholds, k, "thresholds", err));
        PT_TRY(pt_thresholds_fit(out->thresholds, &held_out, err));
        pt_thresholds_shift(out->thresholds, k, scores, m);
    }
    PT_TRY(pt_calibrate(&out->calibration, &held_out, err));
    if (out->for_decisions)
        PT_TRY(pt_conformity_make(&out->conformity, &out->calibration, &held_out, c->task, err));
    return judge(&out->held_out, &out->calibration, &held_out, err);
}

/* A pt_holdout_fn: of all rows those of the first folds count, for the others were not asked. */
static pt_status take_scores(void *context, int64_t point, int64_t partition, const double *scores,
                             pt_error *err)
{
    (void)point;
    (void)partition;
    const calibrator *c = context;
    if (!scores)
        return PT_OK;
    const pt_problem *problem = c->problem;
    const int64_t k = pt_labels_n_classes(problem->labels);
    const size_t row = (size_t)k * sizeof(double);
    PT_SCRATCH int64_t *rows = pt_alloc(problem->rows.n, sizeof *rows, "held-out rows", err);
    PT_SCRATCH double *kept = pt_alloc(problem->rows.n, row, "held-out scores", err);
    if (!rows || !kept)
        return PT_ENOMEM;
    int64_t m = 0;
    for (int64_t i = 0; i < problem->rows.n; i++)
        if (c->fold[i] != PT_NEVER_HELD && c->fold[i] < c->parts) {
            memcpy(kept + m * k, scores + i * k, row);
            rows[m++] = i;
        }
    return fit(c, rows, m, kept, err);
}

/* ---- held-out scores ------------------------------------------------------------------------- */

/* How many folds have as many rows as are wanted: folds of single rows are all alike. By time they
 * are the last ones. */
static int64_t enough_folds(const pt_fold_set *folds, const pt_problem *problem, int64_t wanted)
{
    const int64_t n = problem->rows.n;
    const int64_t n_folds = folds->partitions.n_folds;
    if (!pt_ties_any(&problem->ties))
        return pt_lesser((wanted * n_folds + n - 1) / n, n_folds);
    int64_t held = 0;
    int64_t parts = 0;
    for (; parts < n_folds && held < wanted; parts++)
        for (int64_t i = 0; i < n; i++)
            held += folds->fold[i] == (folds->partitions.past ? n_folds - 1 - parts : parts);
    return parts;
}

/* By time the last of the folds are held out: they become the first, and those before them are
 * never held out. */
static void take_last_folds(pt_fold_set *folds, int64_t parts, int64_t n)
{
    const int64_t others = folds->partitions.n_folds - parts;
    for (int64_t i = 0; i < n; i++)
        folds->fold[i] = folds->fold[i] >= others ? folds->fold[i] - others : PT_NEVER_HELD;
}

/* One partition of the rows, of which the first `parts` folds are to be held out. */
static pt_status draw_folds(pt_fold_set *folds, int64_t *parts, const pt_problem *problem,
                            const pt_params *params, bool closed, bool hurried, pt_error *err)
{
    const int64_t n = problem->rows.n;
    const int64_t tenth = n / 10 < MOST_ROWS ? n / 10 : MOST_ROWS;
    const int64_t wanted = pt_greater(tenth, LEAST_ROWS);
    const int64_t whole = n / wanted; /* folds of as many rows as are wanted */
    const int64_t blocks = hurried                ? pt_greater(whole, 2)
                           : n < FOLDS            ? n
                           : whole >= LEAST_FOLDS ? whole
                                                  : FOLDS;
    const bool past = pt_ties_are_past(&problem->ties, n);
    const int64_t n_folds = past ? pt_greater(blocks - 1, 1) : blocks; /* the first block is none */
    const bool stratified = strcmp(pt_params_text(params, PT_P_STRATIFY), "yes") == 0;
    PT_TRY(closed ? pt_fold_set_each(folds, problem, err)
                  : pt_fold_set_draw(folds, problem, n_folds, stratified,
                                     (uint64_t)pt_params_integer(params, PT_P_SEED), err));
    *parts = folds->partitions.n_folds;
    if (!closed)
        *parts = hurried ? 1 : enough_folds(folds, problem, wanted);
    if (folds->partitions.past)
        take_last_folds(folds, *parts, n);
    return PT_OK;
}

/* rows <- those of the folds first .. last, and with the last of all folds those that are never
 * held out; returns how many. */
static int64_t rows_of_folds(const calibrator *c, int64_t first, int64_t last, int64_t *rows)
{
    int64_t count = 0;
    for (int64_t i = 0; i < c->problem->rows.n; i++)
        if (c->fold[i] == PT_NEVER_HELD ? first > 0 && last == c->n_folds - 1
                                        : c->fold[i] >= first && c->fold[i] <= last)
            rows[count++] = i;
    return count;
}

/* The first fold is held out, the folds 1 .. last are trained on. PT_ENUMERIC: there is no answer
 * without these rows. */
static pt_status hold_out_first(const calibrator *c, int64_t last, const pt_task *task,
                                pt_error *err)
{
    const pt_training *t = c->training;
    const pt_problem *problem = c->problem;
    const bool square = pt_kernel_is_precomputed(t->params);
    const int64_t k = pt_labels_n_classes(problem->labels);
    PT_FREED_BY(pt_subproblem_free) pt_subproblem train = {0};
    PT_FREED_BY(pt_rows_owned_free) pt_rows_owned held = {0};
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    PT_SCRATCH int64_t *rows = pt_alloc(problem->rows.n, sizeof *rows, "a fold", err);
    if (!rows)
        return PT_ENOMEM;
    const int64_t m = rows_of_folds(c, 0, 0, rows);
    const int64_t n_train = rows_of_folds(c, 1, last, rows + m);
    PT_SCRATCH double *scores = pt_alloc(m, (size_t)k * sizeof *scores, "held-out scores", err);
    if (!scores)
        return PT_ENOMEM;
    PT_TRY(pt_subproblem_init(&train, problem, rows + m, n_train, square, task, err));
    PT_TRY(pt_rows_select(&held, &problem->rows, rows, m, task, err));
    if (square)
        PT_TRY(pt_rows_take_block_columns(&held, rows + m, n_train, problem->rows.n, task, err));
    pt_plan plan;
    PT_TRY(pt_machine_plan(&plan, t->ops, &train.problem, t->params, task, err));
    if (plan.bytes > (double)pt_task_memory(task))
        return pt_fail(err, PT_EMEMORY, "calibration needs %s", PT_SHOW_BYTES(plan.bytes));
    PT_TRY(pt_machine_fit(&machine, t->ops, &train.problem, t->params, task, NULL, err));
    PT_TRY(t->ops->scores(machine, &held.rows, scores, task, err));
    PT_TRY(pt_lower_unseen(scores, m, train.labels, c->given, err));
    return fit(c, rows, m, scores, err);
}

static pt_status hold_out(calibrator *c, bool closed, const pt_fold_set *folds, const pt_task *task,
                          pt_error *err)
{
    const pt_training *t = c->training;
    const pt_params *point = t->params;
    char *how = c->out->held_out.how;
    const size_t size = sizeof c->out->held_out.how;
    const pt_partitions some = {1, c->parts, folds->partitions.fold, folds->partitions.past};
    const pt_validation asked = {.ops = t->ops,
                                 .problem = c->problem,
                                 .points = &point,
                                 .n_points = 1,
                                 .partitions = &some,
                                 .take = take_scores,
                                 .context = c,
                                 .stage = "calibrating"};
    if (some.past) {
        snprintf(how, size, "the last %lld of %lld folds by time", (long long)c->parts,
                 (long long)c->n_folds);
        return pt_validate(&asked, task, err);
    }
    if (closed || c->parts == c->n_folds) {
        const bool tied = pt_ties_any(&c->problem->ties);
        snprintf(how, size,
                 !closed ? "%lld folds"
                 : tied  ? "leave-one-group-out"
                         : "leave-one-out",
                 (long long)c->n_folds);
        return pt_validate(&asked, task, err);
    }
    snprintf(how, size, "%lld of %lld folds", (long long)c->parts, (long long)c->n_folds);
    if (c->parts > 1)
        return pt_validate_by_training(&asked, task, err);
    pt_status status = PT_EMEMORY;
    for (int64_t last = c->n_folds - 1; last > 0 && status == PT_EMEMORY; last /= 2)
        status = hold_out_first(c, last, task, err);
    PT_TRY(pt_task_check(task, err));
    return status == PT_ENUMERIC ? PT_OK : status;
}

/* Where no machine could be trained without some of the rows, as without a whole class, or beside
 * the first, the probabilities are those of the scores as they are. */
static pt_status warn_uncalibrated(pt_warnings *warnings, bool memory, bool thresholds,
                                   pt_error *err)
{
    if (thresholds)
        PT_TRY(pt_warn(warnings, err, memory ? PT_KIND_LIMIT : PT_KIND_NUMERIC,
                       "there are no held-out scores for `thresholds=f1`: the thresholds are 0"));
    return pt_warn(warnings, err, memory ? PT_KIND_LIMIT : PT_KIND_NUMERIC,
                   memory ? "probabilities are not calibrated: there is no memory for a second "
                            "machine; raise `memory`"
                          : "probabilities are not calibrated: there are no held-out scores, "
                            "for the machine has no answer without some of the rows");
}

/* class_rows <- effective rows of each class; of other labels there are none. */
static pt_status count_classes(pt_probabilities *out, const pt_training *t, pt_error *err)
{
    const pt_labels *labels = t->problem.labels;
    if (labels->kind != PT_LABEL_CLASS)
        return PT_OK;
    const int64_t k = pt_labels_n_classes(labels);
    out->class_rows = pt_alloc_zero(k, sizeof(double), "frequencies of classes", err);
    if (!out->class_rows)
        return PT_ENOMEM;
    double sum = 0;
    for (int64_t i = 0; i < labels->n; i++) {
        const double weight = pt_weight(t->row_weight, i);
        out->class_rows[labels->class_of[i]] += weight;
        sum += weight;
    }
    const double rows = pt_effective_rows(t->row_weight, labels->n);
    for (int64_t r = 0; r < k; r++)
        out->class_rows[r] *= rows / sum;
    return PT_OK;
}

/* Rows fall into the examples that they stand for; of many no more than there are folds. */
static pt_status take_examples(calibrator *c, pt_subproblem *examples, double **weight,
                               const pt_task *task, pt_error *err)
{
    const pt_training *t = c->training;
    const bool few = pt_problem_examples(&t->problem) <= CLOSED_ROWS;
    PT_TRY(pt_subproblem_examples(examples, &t->problem, few ? INT64_MAX : PT_FOLDED_EXAMPLES,
                                  pt_kernel_is_precomputed(t->params), task, err));
    c->problem = &examples->problem;
    c->weight = t->row_weight;
    if (!examples->chosen || !t->row_weight)
        return PT_OK;
    const int64_t m = c->problem->rows.n;
    PT_SCRATCH int64_t *parts = pt_alloc_zero(t->problem.rows.n, sizeof *parts, "weights", err);
    *weight = pt_alloc(m, sizeof **weight, "weights", err);
    if (!*weight || !parts)
        return PT_ENOMEM;
    for (int64_t i = 0; i < m; i++)
        parts[examples->chosen[i]]++;
    for (int64_t i = 0; i < m; i++)
        (*weight)[i] = t->row_weight[examples->chosen[i]] / (double)parts[examples->chosen[i]];
    c->weight = *weight;
    return PT_OK;
}

pt_status pt_thresholds_check(const pt_training *t, pt_error *err)
{
    const pt_label_kind kind = t->problem.labels->kind;
    if (!by_f1(t->params))
        return PT_OK;
    if (kind != PT_LABEL_SET)
        return pt_fail(err, PT_EINVAL, "`thresholds=f1` is for labels that are sets, not '%s'",
                       pt_label_kind_name(kind));
    if (!pt_probabilities_are_fitted(t))
        return pt_fail(err, PT_EINVAL,
                       "`thresholds=f1` chooses on the held-out rows of calibration, which "
                       "`calibrate=no` leaves out");
    return PT_OK;
}

pt_status pt_thresholds_refuse(const pt_params *params, const char *what, pt_error *err)
{
    if (!by_f1(params))
        return PT_OK;
    return pt_fail(
        err, PT_EINVAL,
        "`thresholds=f1` is of training alone: %s asks which scores are above 0, whatever "
        "a model would take off them",
        what);
}

bool pt_probabilities_are_fitted(const pt_training *t)
{
    const pt_label_kind kind = t->problem.labels->kind;
    return (kind == PT_LABEL_CLASS || kind == PT_LABEL_SET) &&
           strcmp(pt_params_text(t->params, PT_P_CALIBRATE), "yes") == 0;
}

pt_status pt_probabilities_fit(pt_probabilities *out, const pt_training *t, pt_warnings *warnings,
                               const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_subproblem_free) pt_subproblem examples = {0};
    PT_FREED_BY(pt_fold_set_free) pt_fold_set folds = {0};
    PT_SCRATCH double *weight = NULL;
    calibrator c = {.out = out,
                    .training = t,
                    .task = task,
                    .given = pt_decoder_gives_probabilities(t->params)};
    out->calibration =
        pt_uncalibrated(pt_effective_rows(t->row_weight, t->problem.rows.n), c.given);
    PT_TRY(count_classes(out, t, err));
    if (!pt_probabilities_are_fitted(t))
        return PT_OK;
    PT_TRY(take_examples(&c, &examples, &weight, task, err));
    const bool closed = !t->ended_early && c.problem->rows.n <= CLOSED_ROWS &&
                        !pt_ties_are_past(&c.problem->ties, c.problem->rows.n) &&
                        pt_holdout_is_closed_form(t->ops, c.problem, t->params);
    PT_TRY(draw_folds(&folds, &c.parts, c.problem, t->params, closed, t->ended_early, err));
    c.fold = folds.fold;
    c.n_folds = folds.partitions.n_folds;
    const pt_status status = hold_out(&c, closed, &folds, task, err);
    const bool memory = status == PT_EMEMORY;
    if (memory || (status == PT_OK && out->held_out.rows == 0))
        return warn_uncalibrated(warnings, memory, by_f1(t->params), err);
    return status;
}

pt_status pt_probabilities_fit_valid(pt_probabilities *out, const pt_training *t,
                                     const pt_machine *machine, const pt_task *task, pt_error *err)
{
    const pt_training_valid *valid = t->valid;
    const pt_rows *rows = &valid->prepared.rows;
    const int64_t k = pt_labels_n_classes(t->problem.labels);
    const pt_problem problem = {.rows = *rows, .labels = valid->labels};
    const calibrator c = {.out = out,
                          .training = t,
                          .task = task,
                          .problem = &problem,
                          .weight = valid->row_weight,
                          .given = pt_decoder_gives_probabilities(t->params)};
    out->calibration =
        pt_uncalibrated(pt_effective_rows(t->row_weight, t->problem.rows.n), c.given);
    PT_TRY(count_classes(out, t, err));
    if (!pt_probabilities_are_fitted(t))
        return PT_OK;
    PT_SCRATCH int64_t *all = pt_alloc(rows->n, sizeof *all, "held-out rows", err);
    PT_SCRATCH double *scores =
        pt_alloc(rows->n, (size_t)k * sizeof *scores, "held-out scores", err);
    if (!all || !scores)
        return PT_ENOMEM;
    for (int64_t i = 0; i < rows->n; i++)
        all[i] = i;
    PT_TRY(t->ops->scores(machine, rows, scores, task, err));
    snprintf(out->held_out.how, sizeof out->held_out.how, "rows to validate by");
    return fit(&c, all, rows->n, scores, err);
}

void pt_probabilities_free(pt_probabilities *probabilities)
{
    pt_calibration_free(&probabilities->calibration);
    pt_conformity_free(&probabilities->conformity);
    pt_free(probabilities->class_rows);
    pt_free(probabilities->thresholds);
    probabilities->class_rows = NULL;
    probabilities->thresholds = NULL;
}

void pt_probabilities_log(const pt_probabilities *probabilities, double *scores, int64_t k,
                          double *work)
{
    const pt_calibration *c = &probabilities->calibration;
    if (!probabilities->class_rows) {
        pt_thresholds_shift(probabilities->thresholds, k, scores, 1);
        for (int64_t r = 0; r < k; r++) {
            const double p = pt_member_probability(c, scores[r]);
            scores[r] = log(p / (1 - p));
        }
        return;
    }
    pt_lower_absent(scores, probabilities->class_rows, k, c->given);
    pt_class_probabilities(c, probabilities->class_rows, scores, k, work);
    for (int64_t r = 0; r < k; r++)
        scores[r] = log(work[r]);
}
