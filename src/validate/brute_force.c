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
 * rows, and 2 n k scores for each point of the largest family. There are as many workers as fit
 * into the budget; where one fits, the machine has all threads for itself. */
#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/text.h"
#include "data/prepare/prepare.h"
#include "kernels/kernel_params.h"
#include "machine/code_scores.h"
#include "machine/subproblem.h"
#include "validate/holdout.h"
#include "validate/probability/fit_probabilities.h"

/* One point in one partition. */
typedef struct pair {
    _Atomic(double *) scores; /* n x k, NULL before its first fold */
    atomic_int_fast64_t left; /* folds that are not finished */
    atomic_bool failed;       /* the numbers of a fold allow no answer */
} pair;

/* Points that are trained at once: member[first] .. member[first + count - 1]. */
typedef struct family {
    int64_t first;
    int64_t count;
    int64_t longest; /* the point with the most rounds */
} family;

/* A worker's own space. */
typedef struct scratch {
    int64_t *train;
    int64_t *test;
    double *scores; /* n x k: those of one fold */
} scratch;

typedef struct brute {
    const pt_machine_ops *ops;
    const pt_problem *problem;
    const pt_dataset *data; /* NULL: rows are prepared already */
    bool probabilities;     /* in place of scores */
    const double *row_weight;
    const pt_params *const *points;
    int64_t n_points;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
    const pt_task *task;
    int64_t n;
    int64_t k;
    family *families;
    int64_t n_families;
    int64_t *member; /* points, family after family */
    pair *pairs;
    scratch *space; /* one a worker */
    atomic_int_fast64_t done;
} brute;

static pair *pair_of(const brute *b, int64_t point, int64_t partition)
{
    return &b->pairs[point * b->partitions->count + partition];
}

/* ---- one fold -------------------------------------------------------------------------------- */

/* What a machine is trained on and asked about. */
typedef struct fold {
    pt_subproblem train;
    pt_rows_owned test;
    pt_prepare *prepare; /* these three only where each fold has a preparation of its own */
    pt_prepared train_prepared;
    pt_prepared test_prepared;
    pt_problem problem; /* the training rows */
    pt_rows rows;       /* the held-out rows */
} fold;

static void fold_free(fold *f)
{
    pt_prepared_free(&f->test_prepared);
    pt_prepared_free(&f->train_prepared);
    pt_prepare_free(f->prepare);
    pt_rows_owned_free(&f->test);
    pt_subproblem_free(&f->train);
}

/* Rows of the problem as they are. */
static pt_status fold_select(fold *f, const brute *b, const scratch *s, int64_t n_train,
                             int64_t n_test, bool square, pt_error *err)
{
    pt_status status = pt_subproblem_init(&f->train, b->problem, s->train, n_train, square, err);
    if (status == PT_OK)
        status = pt_rows_select(&f->test, &b->problem->rows, s->test, n_test, err);
    if (status == PT_OK && square)
        status = pt_rows_take_block_columns(&f->test, s->train, n_train, b->n, err);
    f->problem = f->train.problem;
    f->rows = f->test.rows;
    return status;
}

static pt_status prepare_rows(const fold *f, const brute *b, const int64_t *rows, int64_t n,
                              pt_prepared *out, pt_error *err)
{
    pt_dataset *part = NULL;
    pt_status status = pt_dataset_subset(&part, b->data, rows, n, err);
    if (status == PT_OK)
        status = pt_prepare_apply(f->prepare, part, b->problem->rows.type, out, b->task, err);
    pt_dataset_free(part);
    return status;
}

/* Labels and weights as they are; rows prepared by what the training rows tell. */
static pt_status fold_prepare(fold *f, const brute *b, const pt_params *params, const scratch *s,
                              int64_t n_train, int64_t n_test, pt_error *err)
{
    pt_dataset *train = NULL;
    pt_status status = pt_dataset_subset(&train, b->data, s->train, n_train, err);
    if (status == PT_OK)
        status =
            pt_prepare_fit(&f->prepare, train, params, pt_machine_takes_raw(b->ops, params), err);
    pt_dataset_free(train);
    if (status == PT_OK)
        status = prepare_rows(f, b, s->train, n_train, &f->train_prepared, err);
    if (status == PT_OK)
        status = prepare_rows(f, b, s->test, n_test, &f->test_prepared, err);
    if (status == PT_OK)
        status = fold_select(f, b, s, n_train, n_test, false, err);
    f->problem.rows = f->train_prepared.rows;
    f->rows = f->test_prepared.rows;
    return status;
}

/* scores (n_test x k) <- what the machine says with the rounds of a point. */
static pt_status score_point(const brute *b, const pt_machine *machine, const pt_params *point,
                             const pt_rows *rows, double *scores, pt_error *err)
{
    const int64_t asked = pt_params_integer(point, PT_P_ROUNDS);
    if (!b->ops->rounds || b->ops->rounds(machine) <= asked)
        return b->ops->scores(machine, rows, scores, b->task, err);
    return pt_code_scores_after(machine, asked, rows, scores, b->task, err);
}

/* scores <- logarithms of probabilities, which the training rows of the fold calibrate. */
static pt_status calibrate(const brute *b, const fold *f, const pt_params *point, const scratch *s,
                           int64_t n_test, pt_texts *warnings, pt_error *err)
{
    const int64_t n_train = f->problem.rows.n;
    pt_probabilities fitted = {0};
    double *work = pt_alloc(b->k, sizeof *work, "probabilities", err);
    double *weight = b->row_weight ? pt_alloc(n_train, sizeof *weight, "weights", err) : NULL;
    pt_status status = work && (weight || !b->row_weight) ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; weight && i < n_train; i++)
        weight[i] = b->row_weight[s->train[i]];
    const pt_training training = {
        .ops = b->ops, .params = (pt_params *)point, .problem = f->problem, .row_weight = weight};
    if (status == PT_OK)
        status = pt_probabilities_fit(&fitted, &training, warnings, b->task, err);
    for (int64_t i = 0; i < n_test && status == PT_OK; i++)
        pt_probabilities_log(&fitted, s->scores + i * b->k, b->k, work);
    pt_probabilities_free(&fitted);
    pt_free(weight);
    pt_free(work);
    return status;
}

/* Scores of the held-out rows, for every point of the family into the scores of its pair. */
static pt_status fit_and_score(const brute *b, const fold *f, const family *points,
                               int64_t partition, int64_t n_test, const scratch *s, pt_error *err)
{
    pt_machine *machine = NULL;
    pt_texts warnings = {NULL, 0, 0};
    const size_t row = (size_t)b->k * sizeof(double);
    pt_status status =
        b->ops->fit(&machine, &f->problem, b->points[points->longest], b->task, &warnings, err);
    for (int64_t q = 0; q < points->count && status == PT_OK; q++) {
        const int64_t point = b->member[points->first + q];
        double *scores = atomic_load(&pair_of(b, point, partition)->scores);
        status = points->count == 1
                     ? b->ops->scores(machine, &f->rows, s->scores, b->task, err)
                     : score_point(b, machine, b->points[point], &f->rows, s->scores, err);
        if (status == PT_OK)
            status = pt_lower_unseen(s->scores, n_test, f->problem.labels,
                                     pt_decoder_gives_probabilities(b->points[point]), err);
        if (status == PT_OK && b->probabilities)
            status = calibrate(b, f, b->points[point], s, n_test, &warnings, err);
        for (int64_t i = 0; i < n_test && status == PT_OK; i++)
            memcpy(scores + s->test[i] * b->k, s->scores + i * b->k, row);
    }
    if (machine)
        b->ops->free(machine);
    pt_texts_free(&warnings);
    return status;
}

static pt_status run_fold(const brute *b, const family *points, int64_t partition, int64_t held_out,
                          scratch *s, pt_error *err)
{
    const pt_params *params = b->points[points->longest];
    const int64_t *fold_of = b->partitions->fold[partition];
    int64_t n_train = 0;
    int64_t n_test = 0;
    for (int64_t i = 0; i < b->n; i++)
        if (fold_of[i] == held_out)
            s->test[n_test++] = i;
        else
            s->train[n_train++] = i;
    if (n_test == 0)
        return PT_OK;
    fold f;
    memset(&f, 0, sizeof f);
    pt_status status =
        b->data ? fold_prepare(&f, b, params, s, n_train, n_test, err)
                : fold_select(&f, b, s, n_train, n_test, pt_kernel_is_precomputed(params), err);
    if (status == PT_OK)
        status = fit_and_score(b, &f, points, partition, n_test, s, err);
    fold_free(&f);
    return status;
}

/* ---- the loop -------------------------------------------------------------------------------- */

/* The scores of a pair, made by whichever of its folds comes first. */
static pt_status pair_begin(const brute *b, pair *p, pt_error *err)
{
    double *scores = atomic_load(&p->scores);
    if (!scores) {
        double *fresh = pt_alloc(b->n * b->k, sizeof(double), "held-out scores", err);
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
    const pt_status status =
        b->take(b->context, point, partition, atomic_load(&p->failed) ? NULL : scores, err);
    atomic_store(&p->scores, (double *)NULL);
    pt_free(scores);
    return status;
}

static pt_status body(void *context, int64_t i, int worker, pt_error *err)
{
    brute *b = context;
    const int64_t n_folds = b->partitions->n_folds;
    const family *points = &b->families[i / n_folds / b->partitions->count];
    const int64_t partition = i / n_folds % b->partitions->count;
    const int64_t *member = b->member + points->first;
    pt_status status = PT_OK;
    for (int64_t q = 0; q < points->count && status == PT_OK; q++)
        status = pair_begin(b, pair_of(b, member[q], partition), err);
    if (status == PT_OK)
        status = run_fold(b, points, partition, i % n_folds, &b->space[worker], err);
    /* After a failure the other folds run all the same: errors must not depend on which of them
     * came first. */
    const bool failed = status == PT_ENUMERIC;
    status = failed ? PT_OK : status;
    for (int64_t q = 0; q < points->count && status == PT_OK; q++) {
        pair *p = pair_of(b, member[q], partition);
        if (failed)
            atomic_store(&p->failed, true);
        if (atomic_fetch_sub(&p->left, 1) == 1)
            status = hand_over(b, p, member[q], partition, err);
    }
    const int64_t done = atomic_fetch_add(&b->done, 1) + 1;
    pt_task_progress_whole(b->task, "cross-validating", (double)done,
                           (double)(b->n_families * b->partitions->count * n_folds));
    return status;
}

/* ---- families --------------------------------------------------------------------------------
 */

/* Whether a machine with fewer rounds is one with more on its way. */
static bool has_stages(const brute *b, const pt_params *point)
{
    return !b->probabilities && b->ops->rounds && pt_machine_uses(b->ops, point, "rounds") &&
           !(pt_params_real(point, PT_P_STOP_SHARE) > 0);
}

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
    return pt_params_integer(b->points[point], PT_P_ROUNDS);
}

/* The points behind `leader` of its family that are in none yet, after it. */
static void gather(brute *b, int64_t leader, bool *placed)
{
    family *f = &b->families[b->n_families++];
    const int64_t first = b->n_families > 1 ? f[-1].first + f[-1].count : 0;
    const bool stages = has_stages(b, b->points[leader]);
    *f = (family){first, 0, leader};
    for (int64_t p = leader; p < b->n_points; p++) {
        const bool joins = p == leader || (stages && !placed[p] &&
                                           same_but_rounds(b->points[leader], b->points[p]));
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
    bool *placed = pt_alloc_zero(b->n_points, sizeof *placed, "grid points", err);
    b->families = pt_alloc(b->n_points, sizeof *b->families, "grid points", err);
    b->member = pt_alloc(b->n_points, sizeof *b->member, "grid points", err);
    const bool whole = placed && b->families && b->member;
    for (int64_t p = 0; p < b->n_points && whole; p++)
        if (!placed[p])
            gather(b, p, placed);
    pt_free(placed);
    return whole ? PT_OK : PT_ENOMEM;
}

static int64_t largest_family(const brute *b)
{
    int64_t most = 1;
    for (int64_t f = 0; f < b->n_families; f++)
        most = b->families[f].count > most ? b->families[f].count : most;
    return most;
}

/* ---- memory ---------------------------------------------------------------------------------- */

/* The largest training set, as far as its shape goes: the first rows. */
static pt_problem largest_part(const brute *b, pt_labels *labels)
{
    pt_problem part = *b->problem;
    int64_t held_out = 0; /* folds differ by a row at most */
    for (int64_t i = 0; i < b->n; i++)
        held_out += b->partitions->fold[0][i] == 0;
    const int64_t n = b->n - held_out;
    *labels = *b->problem->labels;
    labels->n = n;
    part.labels = labels;
    part.rows.n = n;
    if (pt_kernel_is_precomputed(b->points[0]))
        part.rows.d = part.rows.d / b->n * n;
    return part;
}

/* Bytes of one worker, for the point that needs most. */
static pt_status worker_bytes(const brute *b, double *bytes, pt_error *err)
{
    pt_labels labels;
    const pt_problem part = largest_part(b, &labels);
    double most = 0;
    for (int64_t i = 0; b->ops->plan && i < b->n_points; i++) {
        pt_plan plan = {0};
        pt_status status = b->ops->plan(&part, b->points[i], b->task, &plan, err);
        if (status != PT_OK)
            return status;
        most = plan.bytes > most ? plan.bytes : most;
    }
    const double row = (double)pt_rows_stored(&b->problem->rows) / (double)b->n *
                       (double)(pt_type_size(b->problem->rows.type) +
                                (b->problem->rows.dense ? 0 : sizeof(int64_t)));
    const double copies = b->data ? 3 : 1; /* a preparation has its input and its output */
    *bytes = most + (double)b->n * (copies * row + (double)(2 * sizeof(int64_t)) +
                                    (double)(2 * largest_family(b) * b->k) * sizeof(double));
    return PT_OK;
}

static pt_status count_workers(const brute *b, int *workers, pt_error *err)
{
    double bytes = 0;
    pt_status status = worker_bytes(b, &bytes, err);
    if (status != PT_OK)
        return status;
    const double budget = (double)pt_task_memory(b->task);
    if (bytes > budget)
        return pt_fail(err, PT_ELIMIT,
                       "cross-validation by brute force needs %s for one machine and %s "
                       "may be used; raise --memory or use fewer rows",
                       PT_SHOW_BYTES(bytes), PT_SHOW_BYTES(budget));
    const int64_t items = b->n_families * b->partitions->count * b->partitions->n_folds;
    *workers = pt_parallel_workers(b->task, items);
    if (budget / bytes < (double)*workers)
        *workers = (int)(budget / bytes);
    pt_task_say(b->task, PT_INFO, "brute force: %lld machines, %d at a time, %s each",
                (long long)items, *workers, PT_SHOW_BYTES(bytes));
    return PT_OK;
}

static pt_status make_space(brute *b, int workers, pt_error *err)
{
    const int64_t n_pairs = b->n_points * b->partitions->count;
    b->pairs = pt_alloc_zero(n_pairs, sizeof(pair), "grid points", err);
    b->space = pt_alloc_zero(workers, sizeof(scratch), "folds", err);
    if (!b->pairs || !b->space)
        return PT_ENOMEM;
    for (int64_t i = 0; i < n_pairs; i++) {
        atomic_init(&b->pairs[i].scores, (double *)NULL);
        atomic_init(&b->pairs[i].left, b->partitions->n_folds);
        atomic_init(&b->pairs[i].failed, false);
    }
    for (int w = 0; w < workers; w++) {
        scratch *s = &b->space[w];
        s->train = pt_alloc(b->n, sizeof(int64_t), "a fold", err);
        s->test = pt_alloc(b->n, sizeof(int64_t), "a fold", err);
        s->scores = pt_alloc(b->n * b->k, sizeof(double), "held-out scores", err);
        if (!s->train || !s->test || !s->scores)
            return PT_ENOMEM;
    }
    return PT_OK;
}

static void free_space(brute *b, int workers)
{
    for (int w = 0; b->space && w < workers; w++) {
        pt_free(b->space[w].scores);
        pt_free(b->space[w].test);
        pt_free(b->space[w].train);
    }
    for (int64_t i = 0; b->pairs && i < b->n_points * b->partitions->count; i++)
        pt_free(atomic_load(&b->pairs[i].scores)); /* of pairs that a failure left unfinished */
    pt_free(b->space);
    pt_free(b->pairs);
    pt_free(b->member);
    pt_free(b->families);
}

/* ---- the doors ------------------------------------------------------------------------------- */

static pt_status hold_out(brute *b, pt_error *err)
{
    const pt_task *task = b->task;
    b->n = b->problem->rows.n;
    b->k = pt_labels_n_classes(b->problem->labels);
    if (b->n_points == 0)
        return PT_OK;
    atomic_init(&b->done, 0);
    int workers = 0;
    pt_status status = make_families(b, err);
    const int64_t items = b->n_families * b->partitions->count * b->partitions->n_folds;
    if (status == PT_OK)
        status = count_workers(b, &workers, err);
    if (status == PT_OK)
        status = make_space(b, workers, err);
    pt_task_begin_whole(task);
    pt_task_progress_whole(task, "cross-validating", 0, (double)items);
    if (status == PT_OK)
        status = pt_parallel_for_at_most(task, workers, items, body, b, err);
    if (status == PT_OK) /* the last fold may have been another worker's */
        pt_task_progress_whole(task, "cross-validating", (double)items, (double)items);
    pt_task_end_whole(task);
    free_space(b, workers);
    return status;
}

pt_status pt_holdout_per_fold(const pt_machine_ops *ops, const pt_problem *problem,
                              const pt_dataset *data, const pt_params *const *points,
                              int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                              void *context, const pt_task *task, pt_error *err)
{
    brute b = {.ops = ops,
               .problem = problem,
               .data = data,
               .points = points,
               .n_points = n_points,
               .partitions = partitions,
               .take = take,
               .context = context,
               .task = task};
    return hold_out(&b, err);
}

pt_status pt_holdout_probabilities(const pt_machine_ops *ops, const pt_problem *problem,
                                   const double *row_weight, const pt_dataset *data,
                                   const pt_params *const *points, int64_t n_points,
                                   const pt_partitions *partitions, pt_holdout_fn take,
                                   void *context, const pt_task *task, pt_error *err)
{
    brute b = {.ops = ops,
               .problem = problem,
               .data = data,
               .probabilities = true,
               .row_weight = row_weight,
               .points = points,
               .n_points = n_points,
               .partitions = partitions,
               .take = take,
               .context = context,
               .task = task};
    return hold_out(&b, err);
}

pt_status pt_holdout_brute_force(const pt_machine_ops *ops, const pt_problem *problem,
                                 const pt_params *const *points, int64_t n_points,
                                 const pt_partitions *partitions, pt_holdout_fn take, void *context,
                                 const pt_task *task, pt_error *err)
{
    return pt_holdout_per_fold(ops, problem, NULL, points, n_points, partitions, take, context,
                               task, err);
}
