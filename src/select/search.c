/* Cross-validation over a grid: the same folds for every point, errors counted exactly, another
 * metric beside them where one is asked for, ties to the smoother point. */
#include "select/search.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/text.h"
#include "kernels/kernel_params.h"
#include "metrics/label_judge.h"
#include "metrics/metric_rules.h"
#include "select/forecast.h"
#include "select/nested.h"
#include "validate/folds.h"
#include "validate/probability/fit_probabilities.h"
#include "validate/validate.h"

/* One search while it runs. */
typedef struct grid_run {
    pt_search *search;
    pt_training *training;
    const pt_dataset *rows; /* that count */
    const pt_dataset *data; /* where every fold is prepared anew: the rows that count; or NULL */
    pt_params **points;
    pt_fold_set folds;
    int64_t *pending; /* points that the checkpoint does not know */
    int64_t n_pending;
    pt_checkpoint *checkpoint;
    const char *name;
    const pt_search_steps *steps;
    pt_remarks *remarks; /* of the trainings that count */
    pt_remarks *nested;  /* of those of nested folds */
    double begin;        /* on pt_seconds */
    pt_metric_rules rules;
    const pt_task *task;
} grid_run;

static void begin_step(const grid_run *run, const char *name, double from, double to)
{
    if (run->steps)
        pt_task_begin_step(run->task, name, from, to);
}

/* The list of a checkpoint that has the values of the metric. */
static void metric_list(char *list, size_t size, const char *name)
{
    snprintf(list, size, "%s metric", name);
}

static void fold_list(char *list, size_t size, const char *name)
{
    snprintf(list, size, "%s folds", name);
}

static void value_list(char *list, size_t size, const char *name)
{
    snprintf(list, size, "%s values of folds", name);
}

/* ---- counting errors ------------------------------------------------------------------------- */

typedef struct collector {
    const grid_run *run;
    const int64_t *number; /* of each point that is computed */
    double *kept;          /* the scores belong to the best point, and go there; or NULL */
    bool keep_all;         /* those of each point, of the first repetition */
    bool count;
} collector;

enum { ALL_FOLDS = -1 };

/* *value <- the metric of the rows of a fold, or of all that are held out. */
static pt_status metric_of(double *value, const grid_run *run, int64_t partition, int64_t fold,
                           const double *scores, pt_error *err)
{
    const pt_search *search = run->search;
    const pt_partitions *folds = &run->folds.partitions;
    PT_FREED_BY(pt_tally_free) pt_tally tally = {0};
    PT_TRY(pt_tally_init(&tally, run->training->problem.labels, search->k, 1u << search->metric,
                         &run->rules, err));
    for (int64_t i = 0; i < search->n; i++)
        if (fold == ALL_FOLDS ? pt_is_held(folds, partition, i) : folds->fold[partition][i] == fold)
            pt_tally_add(&tally, i, scores + i * search->k);
    PT_TRY(pt_tally_finish(&tally, run->task, err));
    *value = pt_tally_metric(&tally, search->metric);
    return PT_OK;
}

/* "0.25,nan,1": the metric of each fold. */
static pt_status collect_fold_values(const collector *c, int64_t place, int64_t partition,
                                     const double *scores, pt_error *err)
{
    pt_search *search = c->run->search;
    const int64_t n_folds = search->n_folds;
    double *value = search->fold_value + place * n_folds;
    char list[160];
    enum { DIGITS = 26 };
    PT_SCRATCH char *text = NULL;
    PT_TRY(PT_NEW_ZERO(text, n_folds * DIGITS, "metrics", err));
    char *at = text;
    for (int64_t f = 0; f < n_folds; f++) {
        PT_TRY(metric_of(&value[f], c->run, partition, f, scores, err));
        at += isnan(value[f]) ? snprintf(at, DIGITS, f > 0 ? ",nan" : "nan")
                              : snprintf(at, DIGITS, f > 0 ? ",%.17g" : "%.17g", value[f]);
    }
    value_list(list, sizeof list, c->run->name);
    return pt_checkpoint_put_text(c->run->checkpoint, list, place, text, err);
}

/* The metric beside the errors. */
static pt_status collect_metric(const collector *c, int64_t place, int64_t partition,
                                const double *scores, pt_error *err)
{
    pt_search *search = c->run->search;
    double value = NAN;
    char list[160];
    PT_TRY(metric_of(&value, c->run, partition, ALL_FOLDS, scores, err));
    if (isnan(value))
        return pt_fail(err, PT_EINVAL, "`metric=%s`: no row tells one class from another",
                       pt_params_text(c->run->training->params, PT_P_METRIC));
    search->value[place] = value;
    if (search->fold_value)
        PT_TRY(collect_fold_values(c, place, partition, scores, err));
    metric_list(list, sizeof list, c->run->name);
    return pt_checkpoint_put_real(c->run->checkpoint, list, place, value, err);
}

/* The rows that are held out. */
static void keep_scores(double *to, const pt_search *search, const pt_partitions *folds,
                        int64_t partition, const double *scores)
{
    for (int64_t i = 0; i < search->n; i++)
        if (pt_is_held(folds, partition, i))
            memcpy(to + i * search->k, scores + i * search->k, (size_t)search->k * sizeof *scores);
}

/* "3,0,2": the errors of each fold. */
static pt_status put_folds(const grid_run *run, int64_t place, pt_error *err)
{
    const pt_search *search = run->search;
    const int64_t *wrong = search->fold_wrong + place * search->n_folds;
    char list[160];
    enum { DIGITS = 21 };
    if (!run->checkpoint)
        return PT_OK;
    PT_SCRATCH char *text = pt_alloc(search->n_folds, DIGITS, "errors", err);
    if (!text)
        return PT_ENOMEM;
    char *at = text;
    for (int64_t f = 0; f < search->n_folds; f++)
        at += snprintf(at, DIGITS, f > 0 ? ",%" PRId64 : "%" PRId64, wrong[f]);
    fold_list(list, sizeof list, run->name);
    return pt_checkpoint_put_text(run->checkpoint, list, place, text, err);
}

static pt_status collect(void *context, int64_t point, int64_t partition, const double *scores,
                         pt_error *err)
{
    const collector *c = context;
    pt_search *search = c->run->search;
    const pt_labels *labels = c->run->training->problem.labels;
    const pt_partitions *folds = &c->run->folds.partitions;
    const int64_t cells = search->n * search->k;
    if (scores && c->kept)
        keep_scores(c->kept + partition * cells, search, folds, partition, scores);
    if (scores && c->keep_all && partition == 0)
        keep_scores(search->point_scores + c->number[point] * cells, search, folds, 0, scores);
    if (!c->count)
        return PT_OK;
    const int64_t place = c->number[point] * search->n_repeats + partition;
    int64_t *of_fold = search->fold_wrong ? search->fold_wrong + place * search->n_folds : NULL;
    int64_t wrong = scores ? 0 : PT_NO_ANSWER;
    for (int64_t f = 0; of_fold && f < search->n_folds; f++)
        of_fold[f] = scores ? 0 : PT_NO_ANSWER;
    for (int64_t i = 0; scores && i < search->n; i++)
        if (pt_is_held(folds, partition, i) &&
            !pt_label_is_right(labels, i, scores + i * search->k)) {
            wrong++;
            if (of_fold)
                of_fold[folds->fold[partition][i]]++;
        }
    search->errors[place] = wrong;
    /* first: where the errors are known, so is what stands beside them */
    if (scores && search->value)
        PT_TRY(collect_metric(c, place, partition, scores, err));
    if (of_fold)
        PT_TRY(put_folds(c->run, place, err));
    return pt_checkpoint_put_number(c->run->checkpoint, c->run->name, place, wrong, err);
}

/* Why a point has no answer, in the words of its machine when it is trained on all rows. */
static pt_status tell_why(const grid_run *run, int64_t point, char *text, size_t size,
                          pt_error *err)
{
    const pt_training *t = run->training;
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    pt_error own = {0};
    const pt_status status =
        pt_machine_fit(&machine, t->ops, &t->problem, run->points[point], run->task, NULL, &own);
    if (status == PT_OK)
        snprintf(text, size,
                 "%s has an answer on all rows, but not without some fold: a matrix is not "
                 "positive definite there, or a fold lacks a class that `bias` needs (leave it "
                 "out, use `bias-rule=penalised` or fewer `folds`, or merge the class)",
                 t->ops->name);
    else if (status == PT_ENUMERIC)
        snprintf(text, size, "%s", own.text);
    else
        pt_error_copy(err, &own);
    return status == PT_ENUMERIC ? PT_OK : status;
}

/* Of the points that have an answer in all repetitions; -1: none has. */
static int64_t best_point(const pt_search *search)
{
    int64_t best = -1;
    for (int64_t p = 0; p < search->grid.n_points; p++) {
        if (pt_search_total(search, p) < 0)
            continue;
        const int better = best < 0 ? 1 : pt_search_compare(search, p, best);
        if (better > 0 || (better == 0 && pt_grid_smoother(&search->grid, p, best)))
            best = p;
    }
    return best;
}

static pt_status find_best(const grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    char why[PT_ERROR_TEXT] = "";
    const int64_t best = best_point(search);
    int64_t failed = 0;
    int64_t first_failed = 0;
    for (int64_t p = 0; p < search->grid.n_points; p++)
        if (pt_search_total(search, p) < 0 && failed++ == 0)
            first_failed = p;
    if (failed > 0)
        PT_TRY(tell_why(run, first_failed, why, sizeof why, err));
    if (best < 0)
        return pt_fail(err, PT_ENUMERIC, "no point has an answer; the first: %-.400s", why);
    search->best = best;
    if (failed > 0)
        PT_TRY(pt_warn(&search->warnings, err, PT_KIND_NUMERIC,
                       "%lld of %lld points %s no answer; the first: %-s", (long long)failed,
                       (long long)search->grid.n_points, failed == 1 ? "has" : "have", why));
    return PT_OK;
}

/* ---- time ------------------------------------------------------------------------------------ */

/* A search by itself, not a part of something that would take it for whole, ends with what it has.
 */
static bool may_end(const grid_run *run, pt_status status)
{
    return run->steps && status == PT_ETIME && !pt_task_is_cancelled(run->task);
}

/* The best of the points that were finished. */
static pt_status find_best_so_far(const grid_run *run, int64_t best, pt_error *err)
{
    pt_search *search = run->search;
    const int64_t cells = search->n_repeats;
    int64_t missing = 0;
    for (int64_t p = 0; p < search->grid.n_points; p++) {
        bool whole = true;
        for (int64_t r = 0; r < cells; r++)
            whole = whole && search->errors[p * cells + r] != PT_NOT_YET;
        missing += !whole;
    }
    search->best = best;
    search->n_missing = missing;
    return pt_warn(&search->warnings, err, PT_KIND_LIMIT,
                   "the time allowed %lld of %lld points, and the best is the best of those; raise "
                   "`time`, or go on with `resume`",
                   (long long)(search->grid.n_points - missing), (long long)search->grid.n_points);
}

/* ---- remarks --------------------------------------------------------------------------------- */

/* Classes with fewer rows than folds are missing from some folds, and rest on few rows. */
static pt_status warn_small_classes(const grid_run *run, pt_error *err)
{
    const pt_labels *labels = run->training->problem.labels;
    const int64_t k = pt_labels_n_classes(labels);
    const int64_t n_folds = run->folds.partitions.n_folds;
    if (labels->kind != PT_LABEL_CLASS)
        return PT_OK;
    PT_SCRATCH int64_t *size = NULL;
    PT_TRY(PT_NEW_ZERO(size, k, "classes", err));
    for (int64_t i = 0; i < labels->n; i++)
        size[labels->class_of[i]]++;
    int64_t few = 0;
    int64_t least = 0;
    for (int64_t r = 0; r < k; r++) {
        few += size[r] < n_folds;
        least = size[r] < size[least] ? r : least;
    }
    if (few == 0 || pt_params_flag(run->training->params, PT_P_LOO))
        return PT_OK;
    return pt_warn(&run->search->warnings, err, PT_KIND_CLASSES,
                   "%lld class%s fewer rows than there are folds (%lld); the smallest, "
                   "'%.80s', has %lld",
                   (long long)few, few == 1 ? " has" : "es have", (long long)n_folds,
                   pt_texts_get(&labels->classes, least), (long long)size[least]);
}

/* ---- nested folds ---------------------------------------------------------------------------- */

/* What was chosen on the rows that were then held out. */
static pt_status warn_optimistic(const grid_run *run, double times, const char *names,
                                 pt_error *err)
{
    pt_search *search = run->search;
    const double seconds = times * (pt_seconds() - run->begin);
    if (times == 0)
        return pt_warn(&search->warnings, err, PT_KIND_OPTIMISM,
                       "%s chosen on the same rows: the error is optimistic, on small sets by "
                       "several percent",
                       names);
    return pt_warn(
        &search->warnings, err, PT_KIND_OPTIMISM,
        "%s chosen on the same rows: the error is optimistic, on small sets by several percent; "
        "`nested` chooses anew without each fold, and takes about %.0f times as long (%.3g s)",
        names, ceil(times), seconds < 1 ? 1 : round(seconds));
}

static void forget_nested(const grid_run *run)
{
    pt_free(run->search->nested);
    pt_free(run->search->nested_value);
    run->search->nested = NULL;
    run->search->nested_value = NULL;
    pt_remarks_free(run->nested);
}

static pt_status nest(const grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    pt_training *t = run->training;
    const bool grid = search->grid.n_axes > 0;
    const bool asked = pt_params_flag(t->params, PT_P_NESTED);
    const bool refused = pt_params_set_by_user(t->params, PT_P_NESTED) && !asked;
    char names[128];
    const pt_nesting nesting = {.training = t,
                                .data = run->rows,
                                .resolved = grid ? NULL : run->points[0],
                                .partitions = &run->folds.partitions,
                                .metric = search->metric,
                                .rules = &run->rules,
                                .remarks = run->nested,
                                .task = run->task};
    pt_nested_price price = {0, 0};
    const bool any =
        pt_points_auto_names(names, sizeof names, &search->grid, t->params, run->points[0]);
    if (!any && !(grid && asked))
        return PT_OK;
    if (!refused && !grid)
        PT_TRY(pt_nested_price_of(&price, &nesting, err));
    const double times = price.plain > 0 ? price.nested / price.plain : 0;
    const bool cheap = !refused && !grid && pt_nested_is_cheap(&price);
    if (!asked && !cheap)
        return warn_optimistic(run, times > 0 ? times + 1 : 0, names, err);
    pt_error own = {0};
    PT_TRY(PT_NEW(search->nested, search->n_repeats, "errors", err));
    if (search->metric != PT_METRIC_ERROR)
        PT_TRY(PT_NEW(search->nested_value, search->n_repeats, "metrics", err));
    const pt_status status = pt_nested_errors(search->nested, search->nested_value, &nesting, &own);
    if (status == PT_EFORMAT && !asked) { /* the rows outside of a fold cannot choose */
        forget_nested(run);
        return warn_optimistic(run, 0, names, err);
    }
    if (status == PT_EFORMAT)
        return pt_fail(err, status,
                       "`nested`: of the rows outside of a fold, %-.300s; leave it out", own.text);
    if (status != PT_OK)
        pt_error_copy(err, &own);
    return status;
}

/* ---- the search ------------------------------------------------------------------------------ */

/* How many rows are held out, in all and in each fold; room for the errors of these. */
static pt_status count_rows(const grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    const pt_partitions *folds = &run->folds.partitions;
    const int64_t F = search->n_folds;
    bool single = F == search->n; /* each row is a fold */
    PT_TRY(PT_NEW_ZERO(search->held, search->n_repeats, "folds", err));
    for (int64_t r = 0; r < search->n_repeats; r++)
        for (int64_t i = 0; i < search->n; i++)
            search->held[r] += pt_is_held(folds, r, i);
    for (int64_t r = 0; r < search->n_repeats; r++)
        single = single && search->held[r] == search->n;
    if (single)
        return PT_OK;
    search->fold_rows = pt_alloc_zero(F, (size_t)search->n_repeats * sizeof(int64_t), "folds", err);
    search->fold_wrong = pt_alloc(F * search->n_repeats,
                                  (size_t)search->grid.n_points * sizeof(int64_t), "errors", err);
    if (!search->fold_rows || !search->fold_wrong)
        return PT_ENOMEM;
    for (int64_t r = 0; r < search->n_repeats; r++)
        for (int64_t i = 0; i < search->n; i++)
            if (pt_is_held(folds, r, i))
                search->fold_rows[r * F + folds->fold[r][i]]++;
    for (int64_t i = 0; i < search->grid.n_points * search->n_repeats * F; i++)
        search->fold_wrong[i] = PT_NO_ANSWER;
    return PT_OK;
}

/* Scores of all points, where they are asked for. */
static pt_status make_point_room(const grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    const pt_params *params = run->training->params;
    const double bytes = (double)search->grid.n_points * (double)search->n * (double)search->k *
                         (double)sizeof *search->point_scores;
    if (!run->steps || strcmp(pt_params_text(params, PT_P_KEEP_SCORES), "all") != 0)
        return PT_OK;
    if (run->checkpoint)
        return pt_fail(err, PT_EINVAL,
                       "`keep-scores=all` wants scores that a checkpoint does not hold; leave "
                       "`resume` out");
    if (bytes > (double)pt_task_memory(run->task))
        return pt_fail(err, PT_EMEMORY,
                       "the scores of %lld points take %s and %s may be used; raise `memory`, or "
                       "leave `keep-scores` out",
                       (long long)search->grid.n_points, PT_SHOW_BYTES(bytes),
                       PT_SHOW_BYTES(pt_task_memory(run->task)));
    const int64_t count = search->grid.n_points * search->n * search->k;
    PT_TRY(PT_NEW(search->point_scores, count, "held-out scores", err));
    for (int64_t i = 0; i < count; i++)
        search->point_scores[i] = NAN;
    return PT_OK;
}

static pt_status search_arrays(grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    search->n = run->training->problem.rows.n;
    search->k = pt_labels_n_classes(run->training->problem.labels);
    search->n_repeats = run->folds.partitions.count;
    search->n_folds = run->folds.partitions.n_folds;
    PT_TRY(count_rows(run, err));
    PT_TRY(make_point_room(run, err));
    const int64_t cells = search->grid.n_points * search->n_repeats;
    PT_TRY(PT_NEW(search->errors, cells, "errors", err));
    PT_TRY(PT_NEW(run->pending, search->grid.n_points, "grid points", err));
    for (int64_t i = 0; i < cells; i++)
        search->errors[i] = PT_NOT_YET;
    if (search->metric == PT_METRIC_ERROR)
        return PT_OK;
    PT_TRY(PT_NEW(search->value, cells, "metrics", err));
    for (int64_t i = 0; i < cells; i++)
        search->value[i] = NAN;
    if (!search->fold_wrong)
        return PT_OK;
    search->fold_value =
        pt_alloc(cells, (size_t)search->n_folds * sizeof *search->fold_value, "metrics", err);
    for (int64_t i = 0; search->fold_value && i < cells * search->n_folds; i++)
        search->fold_value[i] = NAN;
    return search->fold_value ? PT_OK : PT_ENOMEM;
}

/* The metric that the best point is best by, if the labels have it. */
static pt_status choose_metric(grid_run *run, pt_error *err)
{
    const pt_params *params = run->training->params;
    const pt_labels *labels = run->training->problem.labels;
    pt_metric *metric = &run->search->metric;
    PT_TRY(pt_metric_choose(metric, pt_params_text(params, PT_P_METRIC), labels->kind, err));
    PT_TRY(pt_metric_rules_of(&run->rules, params, labels->kind, &labels->classes, run->task, err));
    return pt_metric_rules_check(&run->rules, *metric, pt_labels_n_classes(labels), err);
}

/* The values of each fold that a checkpoint has beside that of all. */
static pt_status take_fold_values(const grid_run *run, int64_t place, bool *known, pt_error *err)
{
    const pt_search *search = run->search;
    char list[160];
    PT_SCRATCH char *text = NULL;
    if (!search->fold_value || !*known)
        return PT_OK;
    value_list(list, sizeof list, run->name);
    PT_TRY(pt_checkpoint_text(run->checkpoint, list, place, known, &text, err));
    char *at = text;
    for (int64_t f = 0; *known && f < search->n_folds; f++) {
        double *value = &search->fold_value[place * search->n_folds + f];
        char *end = at + strcspn(at, ",");
        const bool more = *end == ',';
        *end = '\0';
        const bool none = strcmp(at, "nan") == 0;
        if (more != (f + 1 < search->n_folds) || (!none && !pt_text_to_real(at, value)))
            return pt_fail(err, PT_EFORMAT,
                           "entry %lld of the list '%s' of the checkpoint is wrong; remove the "
                           "file to begin again",
                           (long long)place, list);
        at = more ? end + 1 : end;
    }
    return PT_OK;
}

/* The value of the metric that a checkpoint has beside a number of errors. */
static pt_status take_metric(grid_run *run, int64_t place, bool *known, pt_error *err)
{
    pt_search *search = run->search;
    char list[160];
    if (!search->value || !*known || search->errors[place] < 0)
        return PT_OK;
    const bool open = search->metric == PT_METRIC_LOG_LOSS || search->metric == PT_METRIC_COST;
    const double most = open ? DBL_MAX : (double)search->k;
    metric_list(list, sizeof list, run->name);
    PT_TRY(pt_checkpoint_real(run->checkpoint, list, place, -most, most, known,
                              &search->value[place], err));
    return take_fold_values(run, place, known, err);
}

/* The errors of each fold that a checkpoint has beside their number; *known <- whether it has them
 * all. */
static pt_status take_folds(grid_run *run, int64_t place, bool *known, pt_error *err)
{
    pt_search *search = run->search;
    const int64_t repeat = place % search->n_repeats;
    char list[160];
    PT_SCRATCH char *text = NULL;
    if (!search->fold_wrong || !*known)
        return PT_OK;
    fold_list(list, sizeof list, run->name);
    PT_TRY(pt_checkpoint_text(run->checkpoint, list, place, known, &text, err));
    const bool none = search->errors[place] < 0;
    int64_t sum = 0;
    char *at = text;
    for (int64_t f = 0; *known && f < search->n_folds; f++) {
        int64_t wrong = 0;
        char *end = at + strcspn(at, ",");
        const bool more = *end == ',';
        *end = '\0';
        const bool fits =
            pt_text_to_integer(at, &wrong) && more == (f + 1 < search->n_folds) &&
            (none ? wrong == PT_NO_ANSWER
                  : wrong >= 0 && wrong <= search->fold_rows[repeat * search->n_folds + f]);
        if (!fits)
            return pt_fail(err, PT_EFORMAT,
                           "entry %lld of the list '%s' of the checkpoint is wrong; remove the "
                           "file to begin again",
                           (long long)place, list);
        search->fold_wrong[place * search->n_folds + f] = wrong;
        sum += wrong;
        at = more ? end + 1 : end;
    }
    if (*known && !none && sum != search->errors[place])
        return pt_fail(err, PT_EFORMAT,
                       "entry %lld of the list '%s' of the checkpoint does not add up; remove the "
                       "file to begin again",
                       (long long)place, list);
    return PT_OK;
}

/* errors <- what the checkpoint knows; pending <- the points of which it does not know all. */
static pt_status take_known(grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    for (int64_t p = 0; p < search->grid.n_points; p++) {
        bool all = true;
        for (int64_t r = 0; r < search->n_repeats; r++) {
            const int64_t place = p * search->n_repeats + r;
            bool known = false;
            PT_TRY(pt_checkpoint_number(run->checkpoint, run->name, place, PT_NO_ANSWER, search->n,
                                        &known, &search->errors[place], err));
            PT_TRY(take_metric(run, place, &known, err));
            PT_TRY(take_folds(run, place, &known, err));
            all = all && known;
        }
        if (!all)
            run->pending[run->n_pending++] = p;
    }
    search->n_computed = run->n_pending;
    if (run->n_pending < search->grid.n_points)
        pt_task_say(run->task, PT_INFO, PT_KIND_PROGRESS,
                    "%lld of %lld points are taken from the checkpoint",
                    (long long)(search->grid.n_points - run->n_pending),
                    (long long)search->grid.n_points);
    return PT_OK;
}

static bool by_probabilities(const pt_search *search)
{
    return (PT_PROBABILITY_METRICS & 1 << search->metric) != 0;
}

/* For the scores of the best point, or its probabilities, which are NaN until they are there. */
static pt_status make_room(double **kept, const pt_search *search, pt_error *err)
{
    const int64_t count = search->n_repeats * search->n * search->k;
    if (*kept)
        return PT_OK;
    PT_TRY(PT_NEW(*kept, count, "held-out scores", err));
    for (int64_t i = 0; i < count; i++)
        (*kept)[i] = NAN;
    return PT_OK;
}

/* Held-out scores of some of the points go to `collect`, or the logarithms of probabilities; those
 * of a single one also to *kept (NULL: nowhere). */
static pt_status compute(const grid_run *run, const int64_t *chosen, int64_t n_chosen,
                         double **kept, bool probabilities, bool count, pt_error *err)
{
    const pt_training *t = run->training;
    PT_SCRATCH const pt_params **points = NULL;
    PT_TRY(PT_NEW(points, n_chosen, "grid points", err));
    if (kept)
        PT_TRY(make_room(kept, run->search, err));
    for (int64_t i = 0; i < n_chosen; i++)
        points[i] = run->points[chosen[i]];
    const bool all = run->search->point_scores && !probabilities && !(kept && !count);
    collector c = {run, chosen, kept ? *kept : NULL, all, count};
    return pt_validate(&(pt_validation){.ops = t->ops,
                                        .problem = &t->problem,
                                        .points = points,
                                        .n_points = n_chosen,
                                        .partitions = &run->folds.partitions,
                                        .take = collect,
                                        .context = &c,
                                        .what = probabilities ? PT_PROBABILITIES : PT_SCORES,
                                        .data = run->data,
                                        .row_weight = t->row_weight,
                                        .remarks = count ? run->remarks : NULL},
                       run->task, err);
}

/* From logarithms; of sets from those of odds. */
static void make_probabilities(double *p, int64_t count, pt_label_kind kind)
{
    for (int64_t i = 0; i < count; i++)
        p[i] = kind == PT_LABEL_SET ? 1 / (1 + exp(-p[i])) : exp(p[i]);
}

/* The folds that nobody asked for are at most the rows, or the groups; a part of the rows that has
 * fewer groups than folds were asked for makes do with them. */
static pt_status settle_folds(grid_run *run, pt_error *err)
{
    pt_params *params = run->training->params;
    const pt_problem *problem = &run->training->problem;
    const int64_t n = run->search->n_groups > 0 ? run->search->n_groups : problem->labels->n;
    const char *what = run->search->n_groups > 0 ? "group" : "row";
    const bool fixed =
        pt_params_set_by_user(params, PT_P_FOLDS) && (run->steps || run->search->n_groups == 0);
    char text[32];
    if (fixed || pt_params_flag(params, PT_P_LOO) || n < 2 ||
        n >= pt_params_integer(params, PT_P_FOLDS))
        return PT_OK;
    snprintf(text, sizeof text, "%lld", (long long)n);
    PT_TRY(pt_warn(&run->search->warnings, err, PT_KIND_PARAMETERS,
                   "there are %s %ss only: %s folds of one %s each, in place of %s", text, what,
                   text, what, pt_params_text(params, PT_P_FOLDS)));
    return pt_params_set(params, "folds", text, err);
}

/* By time: one fold less than there are times, at most. */
static pt_status settle_times(grid_run *run, pt_error *err)
{
    pt_params *params = run->training->params;
    const int64_t most = run->search->n_times - 1;
    const int64_t asked = pt_params_integer(params, PT_P_FOLDS);
    if (asked <= most)
        return PT_OK;
    if (run->steps && pt_params_set_by_user(params, PT_P_FOLDS))
        return pt_fail(err, PT_EINVAL,
                       "`folds=%lld` of %lld times: the earliest is never held out, so that there "
                       "%s %lld at most",
                       (long long)asked, (long long)most + 1, most == 1 ? "is" : "are",
                       (long long)most);
    return pt_warn(&run->search->warnings, err, PT_KIND_PARAMETERS,
                   "there are %lld times only, and the earliest is never held out: %lld fold%s in "
                   "place of %lld",
                   (long long)most + 1, (long long)most, most == 1 ? "" : "s", (long long)asked);
}

/* Groups and times are counted. */
static pt_status count_ties(const grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    const pt_problem *problem = &run->training->problem;
    const pt_ties ties = {problem->ties.group, NULL, problem->ties.time};
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    if (!pt_ties_any(&ties))
        return PT_OK;
    PT_TRY(pt_blocks_init(&blocks, &ties, problem->rows.n, err));
    search->n_groups = ties.group ? blocks.count : 0;
    search->n_times = blocks.past ? blocks.count : 0;
    return PT_OK;
}

/* Those of the data set, or drawn by the parameters. */
static pt_status make_folds(grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    search->given = run->rows->fold != NULL;
    if (run->steps) /* inside other folds the rows have what is left of theirs */
        PT_TRY(pt_fold_params_check(run->rows, run->training->params, err));
    PT_TRY(count_ties(run, err));
    if (search->given)
        return pt_fold_set_given(&run->folds, run->rows, err);
    PT_TRY(search->n_times > 0 ? settle_times(run, err) : settle_folds(run, err));
    return pt_fold_set_init(&run->folds, &run->training->problem, run->training->params, err);
}

/* Every point has its parameters, every row its fold. */
static pt_status set_up(grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    pt_training *training = run->training;
    PT_TRY(make_folds(run, err));
    PT_TRY(choose_metric(run, err));
    PT_TRY(search_arrays(run, err));
    PT_TRY(warn_small_classes(run, err));
    PT_TRY(pt_points_make(&run->points, search, training, run->task, err));
    if (by_probabilities(search))
        snprintf(search->method, sizeof search->method, "brute force, calibrated in each fold");
    else if (run->data)
        snprintf(search->method, sizeof search->method, "brute force");
    else
        pt_holdout_method(search->method, sizeof search->method, training->ops, &training->problem,
                          (const pt_params *const *)run->points, search->grid.n_points);
    return PT_OK;
}

/* The scores of all points. */
static pt_status keep_all(const grid_run *run, pt_error *err)
{
    PT_SCRATCH int64_t *all = NULL;
    PT_TRY(PT_NEW(all, run->search->grid.n_points, "grid points", err));
    for (int64_t p = 0; p < run->search->grid.n_points; p++)
        all[p] = p;
    return compute(run, all, run->search->grid.n_points, NULL, false, false, err);
}

static pt_status search_run(grid_run *run, pt_error *err)
{
    pt_search *search = run->search;
    const bool single = search->grid.n_points == 1; /* its scores are wanted: it is not skipped */
    const pt_search_steps *s = run->steps;
    begin_step(run, "choosing parameters", s ? s->begin : 0, s ? s->chosen : 0);
    pt_status status = set_up(run, err);
    begin_step(run, "cross-validating", s ? s->chosen : 0, s ? s->held_out : 0);
    if (status == PT_OK && !single)
        status = take_known(run, err);
    if (status == PT_OK && single) {
        run->pending[run->n_pending++] = 0;
        search->n_computed = 1;
    }
    bool probabilities = false;
    if (status == PT_OK) {
        probabilities = by_probabilities(search);
        status = compute(run, run->pending, run->n_pending,
                         !single         ? NULL
                         : probabilities ? &search->best_probas
                                         : &search->best_scores,
                         probabilities, true, err);
    }
    const int64_t finished = may_end(run, status) && search->errors ? best_point(search) : -1;
    if (finished >= 0) {
        status = find_best_so_far(run, finished, err);
    } else {
        if (status == PT_OK)
            status = find_best(run, err);
        if (status == PT_OK && search->point_scores && by_probabilities(search))
            status = keep_all(run, err); /* what was counted are no scores */
        if (status == PT_OK && !(single && !probabilities))
            status = compute(run, &search->best, 1, &search->best_scores, false, false, err);
        if (status == PT_OK && !single && probabilities)
            status = compute(run, &search->best, 1, &search->best_probas, true, false, err);
        if (may_end(run, status) && best_point(search) >= 0)
            status = PT_OK; /* without the scores of the best */
    }
    if (status == PT_OK && search->best_probas)
        make_probabilities(search->best_probas, search->n_repeats * search->n * search->k,
                           search->label_kind);
    if (status == PT_OK)
        status = pt_params_copy(&search->best_params, run->points[search->best], err);
    begin_step(run, "nested folds", s ? s->held_out : 0, s ? s->end : 0);
    if (status == PT_OK && s && finished < 0)
        status = nest(run, err);
    if (may_end(run, status) && search->best_params) {
        forget_nested(run);
        status = pt_warn(&search->warnings, err, PT_KIND_LIMIT,
                         "there was no time for nested folds: the error is optimistic, on small "
                         "sets by several percent; raise `time`");
    }
    begin_step(run, NULL, 0, 0);
    return status;
}

/* Of a grid over learners the first; or the program's own, which takes rows in double. */
static pt_status set_learner(pt_params *params, const pt_texts *names, pt_error *err)
{
    PT_TRY(pt_params_set(params, "learner", names->items[0], err));
    for (int64_t v = 1; v < names->count && !pt_params_learner(params); v++)
        PT_TRY(pt_params_set(params, "learner", names->items[v], err));
    return pt_params_learner(params) ? PT_OK
                                     : pt_params_set(params, "learner", names->items[0], err);
}

/* What training begins with: the learner decides how rows are prepared. All points must agree on
 * that (search_points.c), but those of others take rows in double with one of the program's. */
static pt_status begin_training(pt_training *training, const pt_grid *grid, const pt_dataset *data,
                                const pt_params *params, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *first = NULL;
    PT_TRY(params ? pt_params_copy(&first, params, err) : pt_params_new(&first, err));
    for (int64_t a = 0; a < grid->n_axes; a++)
        if (grid->axis[a] == PT_P_LEARNER)
            PT_TRY(set_learner(first, &grid->values[a], err));
    return pt_training_init(training, data, first, task, err);
}

/* Which rows of the data set are searched on, and the classes of their labels. */
static pt_status name_rows(pt_search *search, const pt_training *training, const pt_dataset *data,
                           pt_error *err)
{
    const pt_labels *labels = training->problem.labels;
    int64_t n = 0;
    PT_TRY(PT_NEW(search->row, training->problem.rows.n, "rows", err));
    for (int64_t i = 0; i < data->n && n < training->problem.rows.n; i++)
        if (!training->kept || pt_training_row_counts(data, i))
            search->row[n++] = i;
    search->label_kind = labels->kind;
    return pt_texts_copy(&search->classes, &labels->classes, err);
}

static void grid_run_free(grid_run *run)
{
    pt_points_free(run->points, run->search ? run->search->grid.n_points : 0);
    pt_free(run->pending);
    pt_fold_set_free(&run->folds);
    pt_metric_rules_free(&run->rules);
}

pt_status pt_search_one(pt_search **out, const pt_dataset *data, const pt_params *params,
                        pt_checkpoint *checkpoint, const char *name, const pt_search_steps *steps,
                        const pt_task *task, pt_error *err)
{
    const bool per_fold = pt_params_flag(params, PT_P_SCALE_PER_FOLD);
    PT_FREED_BY(pt_training_free) pt_training training = {0};
    PT_FREED_BY(pt_search_free_at) pt_search *search = NULL;
    PT_FREED_BY(pt_remarks_free) pt_remarks remarks = {0};
    PT_FREED_BY(pt_remarks_free) pt_remarks nested = {0};
    PT_FREED_BY(grid_run_free)
    grid_run run = {.training = &training,
                    .checkpoint = checkpoint,
                    .name = name,
                    .steps = steps,
                    .remarks = &remarks,
                    .nested = &nested,
                    .begin = pt_seconds(),
                    .task = task};
    PT_TRY(PT_NEW_ZERO(search, 1, "a search", err));
    run.search = search;
    PT_TRY(pt_grid_parse(&search->grid, pt_params_text(params, PT_P_GRID), params, err));
    if (per_fold && pt_kernel_is_precomputed(params))
        return pt_fail(err, PT_EINVAL,
                       "a precomputed kernel is not prepared; leave `scale-per-fold` out");
    PT_TRY(begin_training(&training, &search->grid, data, params, task, err));
    run.rows = training.kept ? training.kept : data;
    run.data = per_fold ? run.rows : NULL;
    PT_TRY(name_rows(search, &training, data, err));
    PT_TRY(search_run(&run, err));
    PT_TRY(pt_remarks_tell(&search->warnings, &remarks, "", err));
    PT_TRY(pt_remarks_tell(&search->warnings, &nested, " of nested folds", err));
    PT_TRY(pt_warnings_add(&search->warnings, &training.warnings, err));
    search->seconds = pt_seconds() - run.begin;
    *out = pt_keep(&search);
    return PT_OK;
}

/* ---- one machine or several ------------------------------------------------------------------ */

/* Shares of one bar, by what is foreseen; else machines are alike, and so are their steps. */
static pt_search_steps steps_of(const pt_forecast *forecast, int64_t n, int64_t machine)
{
    double all = 0;
    double before = 0;
    for (int64_t m = 0; m < n; m++) {
        const double own = forecast[m].choosing + forecast[m].training + forecast[m].calibrating;
        all += own;
        before += m < machine ? own : 0;
    }
    const pt_forecast *f = &forecast[machine];
    if (all > 0)
        return (pt_search_steps){before / all, (before + f->choosing) / all,
                                 (before + f->choosing + f->training) / all,
                                 (before + f->choosing + f->training + f->calibrating) / all};
    const double first = (double)machine / (double)n;
    return (pt_search_steps){first, first + 0.2 / (double)n, first + 0.6 / (double)n,
                             first + 1 / (double)n};
}

/* reports[m], best[m] <- of each search, which is taken. */
static pt_status hand_out(pt_report **reports, pt_params **best, pt_search **searches, int64_t n,
                          pt_error *err)
{
    for (int64_t m = 0; m < n; m++) {
        if (best)
            PT_TRY(pt_params_copy(&best[m], searches[m]->best_params, err));
        PT_TRY(pt_search_report(&reports[m], pt_keep(&searches[m]), err));
    }
    return PT_OK;
}

static pt_status search_all(pt_search **searches, const pt_dataset *data,
                            const pt_params *const *params, int64_t n, pt_task *task, pt_error *err)
{
    pt_checkpoint *checkpoint = NULL;
    PT_SCRATCH pt_forecast *forecast = NULL;
    PT_TRY(PT_NEW_ZERO(forecast, n, "searches", err));
    PT_TRY(pt_checkpoint_open(&checkpoint, "cv", data, params, n, err));
    pt_status status = pt_forecast_search(forecast, data, params, n, task, err);
    for (int64_t m = 0; m < n && status == PT_OK; m++) {
        const pt_search_steps steps = steps_of(forecast, n, m);
        char name[32];
        snprintf(name, sizeof name, "machine %lld", (long long)m + 1);
        status = pt_search_one(&searches[m], data, params[m], checkpoint, name, &steps, task, err);
    }
    return pt_checkpoint_close(checkpoint, status, task, err);
}

pt_status pt_cross_validate(pt_report **out, pt_params **best, const pt_dataset *data,
                            const pt_params *const *params, int64_t n, pt_task *task, pt_error *err)
{
    if (n < 1)
        return pt_fail(err, PT_EINVAL, "there is no machine to search");
    for (int64_t m = 0; m < n; m++) {
        PT_TRY(pt_params_refuse_start(params[m], "cross-validation", err));
        PT_TRY(pt_thresholds_refuse(params[m], "cross-validation", err));
    }
    PT_SCRATCH pt_search **searches = NULL;
    PT_SCRATCH pt_report **reports = NULL;
    PT_SCRATCH pt_params **points = NULL;
    PT_TRY(PT_NEW_ZERO(searches, n, "searches", err));
    PT_TRY(PT_NEW_ZERO(reports, n, "searches", err));
    PT_TRY(PT_NEW_ZERO(points, n, "searches", err));
    pt_status status = search_all(searches, data, params, n, task, err);
    if (status == PT_OK)
        status = hand_out(reports, best ? points : NULL, searches, n, err);
    for (int64_t m = 0; m < n; m++) {
        pt_search_free(searches[m]);
        if (status == PT_OK) {
            out[m] = reports[m];
            if (best)
                best[m] = points[m];
        } else {
            pt_report_free(reports[m]);
            pt_params_free(points[m]);
        }
    }
    return status;
}
