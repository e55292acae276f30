/* Held-out scores by training again without each fold: what every machine can do.
 *
 * The loop runs over (point, partition, fold), the fold fastest, so that a single point has its
 * parallelism too. A fold writes the scores of its own rows; whoever finishes the last fold of a
 * pair (point, partition) hands the pair over. Folds are begun in ascending order: pairs that are
 * begun and not finished are at most one more than there are workers, and so are their scores.
 *
 * Points that differ in their number of rounds alone are a family: one machine is trained, with the
 * most rounds, and the others are what it was on its way there. The loop is over families then.
 *
 * Memory: a worker has a machine being trained (the machine's own plan), a copy of its training
 * rows, and 2 n width scores for each point of the largest family. There are as many workers as fit
 * into the budget; where one fits, the machine has all threads for itself. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/prepare/prepare.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"
#include "metrics/label_judge.h"
#include "validate/probability/fit_probabilities.h"
#include "validate/validate.h"

/* One point in one partition. */
typedef struct pair {
    _Atomic(double *) scores; /* n x width, NULL before its first fold */
    atomic_int_fast64_t left; /* folds that are not finished */
    atomic_bool failed;       /* the numbers of a fold allow no answer, or it lost the race */
    atomic_int_fast64_t loss; /* of a race: in LOSS_UNITs, over the folds that are finished */
} pair;

/* Points that are trained at once: member[first] .. member[first + count - 1]. */
typedef struct family {
    int64_t first;
    int64_t count;
    int64_t longest; /* the point with the most rounds */
} family;

typedef struct brute {
    const pt_validation *asked;
    const pt_task *task;
    const char *stage;
    int64_t n;
    int64_t width; /* numbers a row: scores of classes, or outputs */
    family *families;
    int64_t n_families;
    int64_t *member; /* points, family after family */
    pair *pairs;
    double *space; /* n x width for each worker: the scores of a fold */
    int workers;
    pt_remarks *said; /* of each worker; NULL: nobody wants them */
    atomic_int_fast64_t done;
    atomic_int_fast64_t least; /* of a race: of the points that are finished */
} brute;

/* Losses of a race are whole numbers of units, so that their sum has no order. */
#define LOSS_UNIT 0x1p-20

static pair *pair_of(const brute *b, int64_t point, int64_t partition)
{
    return &b->pairs[point * b->asked->partitions->count + partition];
}

/* ---- a race ---------------------------------------------------------------------------------- */

static int64_t in_units(double loss)
{
    return loss < 0x1p40 ? (int64_t)(loss / LOSS_UNIT + 0.5) : INT64_MAX;
}

/* Whether no point of the family can win any more: whatever it is asked, the winner is the same. */
static bool is_lost(const brute *b, const family *points, int64_t partition)
{
    const int64_t least = atomic_load(&b->least);
    bool lost = b->asked->race;
    for (int64_t q = 0; q < points->count && lost; q++)
        lost = atomic_load(&pair_of(b, b->member[points->first + q], partition)->loss) > least;
    return lost;
}

static void lower_least(brute *b, int64_t loss)
{
    int_fast64_t least = atomic_load(&b->least);
    while (loss < least && !atomic_compare_exchange_weak(&b->least, &least, loss))
        ;
}

/* ---- one fold -------------------------------------------------------------------------------- */

/* What a machine is trained on and asked about. */
typedef struct fold {
    pt_fold_problem part;
    pt_prepare *prepare; /* these three only where each fold has a preparation of its own */
    pt_prepared train_prepared;
    pt_prepared held_prepared;
    pt_problem train;
    pt_rows held;
} fold;

static void fold_free(fold *f)
{
    pt_prepared_free(&f->held_prepared);
    pt_prepared_free(&f->train_prepared);
    pt_prepare_free(f->prepare);
    pt_fold_problem_free(&f->part);
}

static pt_status prepare_rows(const fold *f, const brute *b, const int64_t *rows, int64_t n,
                              pt_prepared *out, pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *part = NULL;
    PT_TRY(pt_dataset_view(&part, b->asked->data, rows, n, b->task, err));
    return pt_prepare_apply(f->prepare, part, b->asked->problem->rows.type, out, b->task, err);
}

/* Rows as the training rows say that they are to be prepared; labels and weights stay. */
static pt_status prepare_fold(fold *f, const brute *b, const pt_params *params, pt_error *err)
{
    const int64_t *held = f->part.rows;
    const int64_t *others = held + f->part.n_held;
    const int64_t n_train = f->part.n_train;
    const bool raw = pt_machine_takes_raw(b->asked->ops, params);
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *train = NULL;
    PT_TRY(pt_dataset_view(&train, b->asked->data, others, n_train, b->task, err));
    PT_TRY(pt_prepare_fit(&f->prepare, train, params, raw, b->task, err));
    PT_TRY(prepare_rows(f, b, others, n_train, &f->train_prepared, err));
    PT_TRY(prepare_rows(f, b, held, f->part.n_held, &f->held_prepared, err));
    f->train.rows = f->train_prepared.rows;
    f->held = f->held_prepared.rows;
    return PT_OK;
}

static pt_status fold_init(fold *f, const brute *b, const pt_params *params, int64_t partition,
                           int64_t number, pt_error *err)
{
    const pt_validation *asked = b->asked;
    const bool square = !asked->data && pt_kernel_is_precomputed(params);
    PT_TRY(pt_fold_problem_init(&f->part, asked->problem, asked->partitions->fold[partition],
                                number, asked->partitions->past, square, b->task, err));
    f->train = f->part.train.problem;
    f->held = f->part.held_out.rows;
    return asked->data ? prepare_fold(f, b, params, err) : PT_OK;
}

/* Whether a machine with fewer rounds is one with more on its way. */
static bool has_stages(const brute *b, const pt_params *point)
{
    return b->asked->what != PT_PROBABILITIES && b->asked->ops->staged &&
           pt_machine_uses(b->asked->ops, point, "rounds") &&
           !(pt_params_real(point, PT_P_STOP_SHARE) > 0);
}

/* scores (n_test x width) <- what the machine says with the rounds of a point. */
static pt_status score_point(const brute *b, const pt_machine *machine, const pt_params *point,
                             const pt_rows *rows, double *scores, pt_error *err)
{
    const pt_machine_ops *ops = b->asked->ops;
    const int64_t rounds = pt_params_integer(point, PT_P_ROUNDS);
    if (b->asked->what == PT_OUTPUTS)
        return ops->outputs(machine, rows, scores, b->task, err);
    if (has_stages(b, point) && pt_code_rounds(machine) > rounds)
        return pt_code_scores_after(machine, rounds, rows, scores, b->task, err);
    return ops->scores(machine, rows, scores, b->task, err);
}

/* scores <- logarithms of probabilities, which the training rows of the fold calibrate. */
static pt_status calibrate(const brute *b, const fold *f, const pt_params *point, double *scores,
                           pt_warnings *said, pt_error *err)
{
    const int64_t n_train = f->train.rows.n;
    const double *row_weight = b->asked->row_weight;
    PT_FREED_BY(pt_probabilities_free) pt_probabilities fitted = {0};
    PT_SCRATCH double *work = pt_alloc(b->width, sizeof *work, "probabilities", err);
    PT_SCRATCH double *weight =
        row_weight ? pt_alloc(n_train, sizeof *weight, "weights", err) : NULL;
    if (!work || (row_weight && !weight))
        return PT_ENOMEM;
    for (int64_t i = 0; weight && i < n_train; i++)
        weight[i] = row_weight[f->part.rows[f->part.n_held + i]];
    const pt_training training = {.ops = b->asked->ops,
                                  .params = (pt_params *)point,
                                  .problem = f->train,
                                  .row_weight = weight};
    PT_TRY(pt_probabilities_fit(&fitted, &training, said, b->task, err));
    for (int64_t i = 0; i < f->held.n; i++)
        pt_probabilities_log(&fitted, scores + i * b->width, b->width, work);
    return PT_OK;
}

/* Trains without a fold. What is asked for of its rows goes, for every point of the family, into
 * the scores of its pair. */
static pt_status run_fold(const brute *b, const family *points, int64_t training, int worker,
                          pt_error *err)
{
    const pt_validation *asked = b->asked;
    const int64_t n_folds = asked->partitions->n_folds;
    const int64_t each = asked->partitions->count * n_folds;
    const int64_t number = b->member[points->first] * each + training % each;
    const int64_t partition = training / n_folds % asked->partitions->count;
    double *own = b->space + worker * b->n * b->width;
    const size_t row = (size_t)b->width * sizeof(double);
    PT_FREED_BY(fold_free) fold f = {0};
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0};
    PT_TRY(fold_init(&f, b, asked->points[points->longest], partition, training % n_folds, err));
    if (f.part.n_held == 0)
        return PT_OK;
    PT_TRY(pt_machine_fit(&machine, asked->ops, &f.train, asked->points[points->longest], b->task,
                          &said, err));
    for (int64_t q = 0; q < points->count; q++) {
        const int64_t at = b->member[points->first + q];
        const pt_params *point = asked->points[at];
        double *scores = atomic_load(&pair_of(b, at, partition)->scores);
        PT_TRY(score_point(b, machine, point, &f.held, own, err));
        if (asked->what != PT_OUTPUTS)
            PT_TRY(pt_lower_unseen(own, f.held.n, f.train.labels,
                                   pt_decoder_gives_probabilities(point), err));
        if (asked->what == PT_PROBABILITIES)
            PT_TRY(calibrate(b, &f, point, own, &said, err));
        double loss = 0;
        for (int64_t i = 0; i < f.held.n; i++) {
            memcpy(scores + f.part.rows[i] * b->width, own + i * b->width, row);
            if (asked->race)
                loss += pt_label_loss(asked->problem->labels, f.part.rows[i], own + i * b->width);
        }
        atomic_fetch_add(&pair_of(b, at, partition)->loss, in_units(loss));
    }
    return b->said ? pt_remarks_note(&b->said[worker], number, &said, err) : PT_OK;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The scores of a pair, made by whichever of its folds comes first. */
static pt_status pair_begin(const brute *b, pair *p, pt_error *err)
{
    double *scores = atomic_load(&p->scores);
    if (!scores) {
        double *fresh = pt_alloc_zero(b->n * b->width, sizeof(double), "held-out scores", err);
        if (!fresh)
            return PT_ENOMEM;
        if (!atomic_compare_exchange_strong(&p->scores, &scores, fresh))
            pt_free(fresh); /* another worker was faster */
    }
    return PT_OK;
}

static pt_status hand_over(brute *b, pair *p, int64_t point, int64_t partition, pt_error *err)
{
    double *scores = atomic_load(&p->scores);
    const pt_status status = b->asked->take(b->asked->context, point, partition,
                                            atomic_load(&p->failed) ? NULL : scores, err);
    atomic_store(&p->scores, (double *)NULL);
    pt_free(scores);
    return status;
}

static pt_status body(void *context, int64_t i, int worker, pt_error *err)
{
    brute *b = context;
    const int64_t n_folds = b->asked->partitions->n_folds;
    const family *points = &b->families[i / n_folds / b->asked->partitions->count];
    const int64_t partition = i / n_folds % b->asked->partitions->count;
    const int64_t *member = b->member + points->first;
    pt_status status = PT_OK;
    for (int64_t q = 0; q < points->count && status == PT_OK; q++)
        status = pair_begin(b, pair_of(b, member[q], partition), err);
    const bool lost = is_lost(b, points, partition);
    if (status == PT_OK && !lost)
        status = run_fold(b, points, i, worker, err);
    /* After a failure the other folds run all the same: errors must not depend on which of them
     * came first. */
    const bool failed = lost || status == PT_ENUMERIC;
    status = failed ? PT_OK : status;
    for (int64_t q = 0; q < points->count && status == PT_OK; q++) {
        pair *p = pair_of(b, member[q], partition);
        if (failed)
            atomic_store(&p->failed, true);
        if (atomic_fetch_sub(&p->left, 1) != 1)
            continue;
        if (!atomic_load(&p->failed))
            lower_least(b, atomic_load(&p->loss));
        status = hand_over(b, p, member[q], partition, err);
    }
    const int64_t done = atomic_fetch_add(&b->done, 1) + 1;
    pt_task_progress_whole(b->task, b->stage, (double)done,
                           (double)(b->n_families * b->asked->partitions->count * n_folds));
    return status;
}

/* ---- families -------------------------------------------------------------------------------- */

static bool same_but_rounds(const pt_params *a, const pt_params *b)
{
    for (int id = 0; id < PT_N_PARAMS; id++)
        if (id != PT_P_ROUNDS &&
            strcmp(pt_params_text(a, (pt_param_id)id), pt_params_text(b, (pt_param_id)id)) != 0)
            return false;
    return true;
}

static int64_t rounds_of(const brute *b, int64_t point)
{
    return pt_params_integer(b->asked->points[point], PT_P_ROUNDS);
}

/* The points behind `leader` of its family that are in none yet, after it. */
static void gather(brute *b, int64_t leader, bool *placed)
{
    family *f = &b->families[b->n_families++];
    const int64_t first = b->n_families > 1 ? f[-1].first + f[-1].count : 0;
    const bool stages = has_stages(b, b->asked->points[leader]);
    *f = (family){first, 0, leader};
    for (int64_t p = leader; p < b->asked->n_points; p++) {
        const bool joins =
            p == leader || (stages && !placed[p] &&
                            same_but_rounds(b->asked->points[leader], b->asked->points[p]));
        if (!joins)
            continue;
        placed[p] = true;
        b->member[f->first + f->count++] = p;
        if (stages && rounds_of(b, p) > rounds_of(b, f->longest))
            f->longest = p;
    }
}

static pt_status make_families(brute *b, pt_error *err)
{
    const int64_t n = b->asked->n_points;
    PT_SCRATCH bool *placed = pt_alloc_zero(n, sizeof *placed, "grid points", err);
    b->families = pt_alloc(n, sizeof *b->families, "grid points", err);
    b->member = pt_alloc(n, sizeof *b->member, "grid points", err);
    if (!placed || !b->families || !b->member)
        return PT_ENOMEM;
    for (int64_t p = 0; p < n; p++)
        if (!placed[p])
            gather(b, p, placed);
    return PT_OK;
}

static int64_t largest_family(const brute *b)
{
    int64_t most = 1;
    for (int64_t f = 0; f < b->n_families; f++)
        most = b->families[f].count > most ? b->families[f].count : most;
    return most;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* *fewest <- the rows of the smallest fold that has some. */
static pt_status smallest_fold(int64_t *fewest, const brute *b, pt_error *err)
{
    const pt_partitions *parts = b->asked->partitions;
    PT_SCRATCH int64_t *size = NULL;
    *fewest = b->n;
    PT_TRY(PT_NEW(size, parts->n_folds, "folds", err));
    for (int64_t p = 0; p < parts->count; p++) {
        memset(size, 0, (size_t)parts->n_folds * sizeof *size);
        for (int64_t i = 0; i < b->n; i++)
            if (pt_is_held(parts, p, i))
                size[parts->fold[p][i]]++;
        for (int64_t f = 0; f < parts->n_folds; f++)
            if (size[f] > 0)
                *fewest = pt_lesser(*fewest, size[f]);
    }
    return PT_OK;
}

/* The largest training set, without `held` rows, as far as its shape goes: the first rows. */
static pt_problem largest_part(const brute *b, int64_t held, pt_labels *labels)
{
    pt_problem part = *b->asked->problem;
    const int64_t n = b->n - held;
    *labels = *b->asked->problem->labels;
    labels->n = n;
    part.labels = labels;
    part.rows.n = n;
    if (pt_kernel_is_precomputed(b->asked->points[0]))
        part.rows.d = part.rows.d / b->n * n;
    return part;
}

/* Bytes of one worker, for the point that needs most. */
static pt_status worker_bytes(const brute *b, double *bytes, pt_error *err)
{
    pt_labels labels;
    int64_t held = 0;
    PT_TRY(smallest_fold(&held, b, err));
    const pt_problem part = largest_part(b, held, &labels);
    double most = 0;
    for (int64_t i = 0; i < b->asked->n_points; i++) {
        pt_plan plan;
        PT_TRY(pt_machine_plan(&plan, b->asked->ops, &part, b->asked->points[i], b->task, err));
        most = plan.bytes > most ? plan.bytes : most;
    }
    const double row = (double)pt_rows_stored(&b->asked->problem->rows) / (double)b->n *
                       (double)(pt_type_size(b->asked->problem->rows.type) +
                                (b->asked->problem->rows.dense ? 0 : sizeof(int64_t)));
    const double copies = b->asked->data ? 3 : 1; /* a preparation has its input and its output */
    *bytes = most + (double)b->n * (copies * row + (double)(2 * sizeof(int64_t)) +
                                    (double)(2 * largest_family(b) * b->width) * sizeof(double));
    return PT_OK;
}

static pt_status count_workers(brute *b, pt_error *err)
{
    double bytes = 0;
    PT_TRY(worker_bytes(b, &bytes, err));
    const double budget = (double)pt_task_memory(b->task);
    if (bytes > budget)
        return pt_fail(err, PT_EMEMORY,
                       "cross-validation by brute force needs %s for one machine and %s may be "
                       "used; raise `memory` or use fewer rows",
                       PT_SHOW_BYTES(bytes), PT_SHOW_BYTES(budget));
    const int64_t items =
        b->n_families * b->asked->partitions->count * b->asked->partitions->n_folds;
    b->workers = b->asked->one_at_a_time ? 1 : pt_parallel_workers(b->task, items);
    if (budget / bytes < (double)b->workers)
        b->workers = (int)(budget / bytes);
    pt_task_say(b->task, PT_INFO, PT_KIND_PROGRESS,
                "brute force: %lld machines, %d at a time, %s each", (long long)items, b->workers,
                PT_SHOW_BYTES(bytes));
    return PT_OK;
}

static pt_status make_space(brute *b, pt_error *err)
{
    const int64_t n_pairs = b->asked->n_points * b->asked->partitions->count;
    b->pairs = pt_alloc_zero(n_pairs, sizeof(pair), "grid points", err);
    b->space =
        pt_alloc(b->workers, (size_t)(b->n * b->width) * sizeof(double), "held-out scores", err);
    if (!b->pairs || !b->space)
        return PT_ENOMEM;
    if (b->asked->remarks)
        PT_TRY(PT_NEW_ZERO(b->said, b->workers, "warnings", err));
    for (int64_t i = 0; i < n_pairs; i++) {
        atomic_init(&b->pairs[i].scores, (double *)NULL);
        atomic_init(&b->pairs[i].left, b->asked->partitions->n_folds);
        atomic_init(&b->pairs[i].failed, false);
        atomic_init(&b->pairs[i].loss, 0);
    }
    return PT_OK;
}

static void brute_free(brute *b)
{
    for (int64_t i = 0; b->pairs && i < b->asked->n_points * b->asked->partitions->count; i++)
        pt_free(atomic_load(&b->pairs[i].scores)); /* of pairs that a failure left unfinished */
    for (int w = 0; b->said && w < b->workers; w++)
        pt_remarks_free(&b->said[w]);
    pt_free(b->said);
    pt_free(b->space);
    pt_free(b->pairs);
    pt_free(b->member);
    pt_free(b->families);
}

/* What the workers have noted, also up to a limit of time. */
static pt_status gather_remarks(const brute *b, pt_error *err)
{
    for (int w = 0; b->said && w < b->workers; w++)
        PT_TRY(pt_remarks_take(b->asked->remarks, &b->said[w], err));
    return PT_OK;
}

/* ---- the door -------------------------------------------------------------------------------- */

pt_status pt_validate_by_training(const pt_validation *asked, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(brute_free)
    brute b = {.asked = asked,
               .task = task,
               .stage = asked->stage ? asked->stage : "cross-validating",
               .n = asked->problem->rows.n,
               .width = asked->what == PT_OUTPUTS ? asked->n_outputs
                                                  : pt_labels_n_classes(asked->problem->labels)};
    if (asked->n_points == 0)
        return PT_OK;
    atomic_init(&b.done, 0);
    atomic_init(&b.least, in_units(asked->least));
    PT_TRY(make_families(&b, err));
    PT_TRY(count_workers(&b, err));
    PT_TRY(make_space(&b, err));
    const int64_t items = b.n_families * asked->partitions->count * asked->partitions->n_folds;
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, b.stage, 0, (double)items);
    const pt_status status = pt_parallel_for_at_most(task, b.workers, items, body, &b, err);
    if (status == PT_OK) /* the last fold may have been another worker's */
        pt_task_progress_whole(task, b.stage, (double)items, (double)items);
    pt_task_end_whole(task);
    const pt_status gathered = gather_remarks(&b, status == PT_OK ? err : NULL);
    return status == PT_OK ? gathered : status;
}
