/* The combined 5x2cv F test (Alpaydin 1999): do two machines differ in more than luck?
 *
 * The rows are halved five times, stratified. In replication i each machine is trained on one half,
 * with parameters that are chosen and a preparation that is fitted inside that half, and errs on
 * the other; then the halves change places. With p_i^(j), the difference of the errors on half j,
 *
 *   s_i^2 = (p_i^(1) - mean)^2 + (p_i^(2) - mean)^2,    mean = (p_i^(1) + p_i^(2)) / 2
 *   f     = sum_ij (p_i^(j))^2 / (2 sum_i s_i^2)
 *
 * is about F(10, 5) distributed where the machines are equally good; F(2 r, r) after the r
 * replications that a limit of time has allowed. No difference at all: f = 0.
 * Differences, but the same in both halves of every replication: f is infinite. In place of errors,
 * the mean log loss or Brier score of the rows of the half, by probabilities that are calibrated on
 * the other one.
 *
 * Groups of rows stay whole, and so do the caller's folds (of their first column); rows that are
 * never held out are trained on with either half. */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/significance.h"
#include "base/task.h"
#include "base/text.h"
#include "data/split.h"
#include "data/ties.h"
#include "kernels/kernel_params.h"
#include "report/report.h"
#include "select/forecast.h"
#include "select/trial.h"
#include "validate/folds.h"
#include "validate/probability/fit_probabilities.h"

enum { REPLICATIONS = 5, HALVES = 2, TRIALS = REPLICATIONS * HALVES };
/* Halves are drawn apart from the folds of searches, whose repetitions count from 0. */
enum { FIRST_REPEAT = 1000000 };

typedef struct pt_comparison {
    int64_t n_machines;
    int64_t n_replications; /* that were finished: all, unless time was short */
    int64_t n_computed;     /* trials that were not in a checkpoint */
    int64_t asked[TRIALS];  /* rows of the half that is asked about */
    int64_t *wrong;         /* n_machines x TRIALS */
    pt_metric metric;       /* of the test */
    double *mean;           /* n_machines x TRIALS: of another metric than the error; else NULL */
    char **chosen;          /* n_machines x TRIALS */
    pt_warnings warnings;
} pt_comparison;

static void comparison_free(pt_comparison *c)
{
    if (!c)
        return;
    for (int64_t i = 0; c->chosen && i < c->n_machines * TRIALS; i++)
        pt_free(c->chosen[i]);
    pt_free(c->chosen);
    pt_free(c->mean);
    pt_free(c->wrong);
    pt_warnings_free(&c->warnings);
    pt_free(c);
}

/* ---- halves ---------------------------------------------------------------------------------- */

/* The rows that have a label and a weight, and the half of each in every replication. */
typedef struct half_pair {
    const pt_dataset *data;
    int64_t n;
    int64_t *rows;
    int64_t *class_of; /* of those rows; 0 where labels are no classes */
    int64_t *half;     /* of those rows, in one replication */
    int64_t *part;     /* rows of one half */
    pt_ties_owned ties;
    pt_blocks blocks; /* that halves do not cut */
} half_pair;

static void half_pair_free(half_pair *h)
{
    pt_blocks_free(&h->blocks);
    pt_ties_free(&h->ties);
    pt_free(h->part);
    pt_free(h->half);
    pt_free(h->class_of);
    pt_free(h->rows);
}

static pt_status half_pair_init(half_pair *h, const pt_dataset *data, pt_error *err)
{
    *h = (half_pair){.data = data};
    PT_TRY(PT_NEW(h->rows, data->n, "rows", err));
    PT_TRY(PT_NEW(h->class_of, data->n, "rows", err));
    PT_TRY(PT_NEW(h->half, data->n, "rows", err));
    PT_TRY(PT_NEW(h->part, data->n, "rows", err));
    for (int64_t i = 0; i < data->n; i++)
        if (pt_labels_has(data->labels, i) && (!data->weights || data->weights[i] > 0)) {
            h->class_of[h->n] = data->labels->class_of ? data->labels->class_of[i] : 0;
            h->rows[h->n++] = i;
        }
    if (h->n < 2 * HALVES)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "%lld labelled row%s cannot be halved; a comparison needs %d",
                          (long long)h->n, h->n == 1 ? "" : "s", 2 * HALVES);
    const pt_ties all = pt_ties_of(data);
    PT_TRY(pt_ties_select(&h->ties, &all, h->rows, h->n, err));
    const pt_ties ties = pt_ties_lend(&h->ties);
    PT_TRY(pt_blocks_init(&h->blocks, &ties, h->n, err));
    if (h->blocks.count < HALVES)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "one fold cannot be halved; a comparison needs two at least");
    return PT_OK;
}

/* The rows of one half, as a data set; to train on, those too that are never held out. */
static pt_status take_half(pt_dataset **out, half_pair *h, int64_t which, bool train,
                           const pt_task *task, pt_error *err)
{
    int64_t m = 0;
    for (int64_t i = 0; i < h->n; i++)
        if (h->half[i] == which || (train && h->half[i] == PT_NEVER_HELD))
            h->part[m++] = h->rows[i];
    return pt_dataset_part(out, h->data, h->part, m, task, err);
}

/* A class needs a row in both halves to be learned and asked about. */
static pt_status warn_single_rows(pt_comparison *c, const half_pair *h, pt_error *err)
{
    const pt_texts *classes = &h->data->labels->classes;
    if (h->data->labels->kind != PT_LABEL_CLASS)
        return PT_OK;
    PT_SCRATCH int64_t *size = NULL;
    PT_TRY(PT_NEW_ZERO(size, classes->count, "classes", err));
    int64_t single = 0;
    int64_t which = 0;
    for (int64_t i = 0; i < h->n; i++)
        size[h->class_of[i]]++;
    for (int64_t r = 0; r < classes->count; r++)
        if (size[r] == 1) {
            which = single == 0 ? r : which;
            single++;
        }
    if (single == 0)
        return PT_OK;
    return pt_warn(&c->warnings, err, PT_KIND_CLASSES,
                   "%lld class%s a single row ('%.80s'): every machine errs on it",
                   (long long)single, single == 1 ? " has" : "es have, each,",
                   classes->items[which]);
}

/* ---- trials ---------------------------------------------------------------------------------- */

typedef struct comparer {
    pt_comparison *c;
    const pt_params *const *params;
    pt_checkpoint *checkpoint;
    const pt_task *task;
    unsigned char *verdict;
    double *loss; /* of each row, by another metric than the error; else NULL */
} comparer;

/* The list of a checkpoint that has something of a machine's trials. */
static const char *list_of(char list[64], int64_t machine, const char *what)
{
    snprintf(list, 64, "machine %lld %s", (long long)machine + 1, what);
    return list;
}

static pt_status trial_known(const comparer *w, int64_t machine, int64_t trial, bool *known,
                             pt_error *err)
{
    char list[64];
    pt_comparison *c = w->c;
    const int64_t place = machine * TRIALS + trial;
    PT_TRY(pt_checkpoint_number(w->checkpoint, list_of(list, machine, "errors"), trial, 0,
                                c->asked[trial], known, &c->wrong[place], err));
    if (*known && c->mean)
        PT_TRY(pt_checkpoint_real(w->checkpoint, list_of(list, machine, "mean"), trial, 0, DBL_MAX,
                                  known, &c->mean[place], err));
    if (*known)
        PT_TRY(pt_checkpoint_text(w->checkpoint, list_of(list, machine, "chosen"), trial, known,
                                  &c->chosen[place], err));
    return PT_OK;
}

static pt_status trial_keep(const comparer *w, int64_t machine, int64_t trial, pt_error *err)
{
    char list[64];
    const int64_t place = machine * TRIALS + trial;
    PT_TRY(pt_checkpoint_put_text(w->checkpoint, list_of(list, machine, "chosen"), trial,
                                  w->c->chosen[place], err));
    PT_TRY(pt_checkpoint_put_number(w->checkpoint, list_of(list, machine, "errors"), trial,
                                    w->c->wrong[place], err));
    if (w->c->mean && !isnan(w->c->mean[place])) /* where no row counts, the trial is run again */
        PT_TRY(pt_checkpoint_put_real(w->checkpoint, list_of(list, machine, "mean"), trial,
                                      w->c->mean[place], err));
    return PT_OK;
}

/* Of the numbers among them. */
static double mean_of(const double *loss, int64_t n)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t i = 0; i < n; i++)
        if (!isnan(loss[i])) {
            sum += loss[i];
            count++;
        }
    return count > 0 ? sum / (double)count : NAN;
}

static pt_status run_trial(const comparer *w, int64_t machine, int64_t trial,
                           const pt_dataset *train, const pt_dataset *test, pt_error *err)
{
    pt_comparison *c = w->c;
    const int64_t place = machine * TRIALS + trial;
    char name[64];
    snprintf(name, sizeof name, "machine %lld trial %lld", (long long)machine + 1,
             (long long)trial + 1);
    PT_FREED_BY(pt_warnings_free) pt_warnings remarks = {0};
    PT_TRY(pt_trial_run(&(pt_trial){.train = train,
                                    .test = test,
                                    .params = w->params[machine],
                                    .metric = c->metric,
                                    .checkpoint = w->checkpoint,
                                    .name = name,
                                    .verdict = w->verdict,
                                    .loss = w->loss,
                                    .chosen = &c->chosen[place],
                                    .warnings = &remarks},
                        w->task, err));
    PT_TRY(pt_warnings_add_new(&c->warnings, &remarks, err)); /* each once */
    c->wrong[place] = 0;
    for (int64_t i = 0; i < test->n; i++)
        c->wrong[place] += w->verdict[i] == PT_WRONG;
    if (c->mean)
        c->mean[place] = mean_of(w->loss, test->n);
    c->n_computed++;
    return trial_keep(w, machine, trial, err);
}

/* Trains on one half and asks about the other, unless the checkpoint knows. */
static pt_status settle_trial(const comparer *w, int64_t machine, int64_t trial,
                              const pt_dataset *train, const pt_dataset *test, pt_error *err)
{
    bool known = false;
    PT_TRY(trial_known(w, machine, trial, &known, err));
    if (known)
        return PT_OK;
    PT_TRY(pt_task_check(w->task, err));
    return run_trial(w, machine, trial, train, test, err);
}

/* Both halves of a replication, every machine on each. */
static pt_status replicate(const comparer *w, half_pair *h, int64_t replication, pt_error *err)
{
    pt_comparison *c = w->c;
    const pt_params *how = w->params[0];
    const bool stratified = h->data->labels->kind == PT_LABEL_CLASS &&
                            strcmp(pt_params_text(how, PT_P_STRATIFY), "yes") == 0;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *one = NULL;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *other = NULL;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *with_one = NULL;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *with_other = NULL;
    PT_TRY(pt_block_folds(
        h->half, h->n, h->class_of, pt_labels_n_classes(h->data->labels), &h->blocks, HALVES,
        stratified, (uint64_t)pt_params_integer(how, PT_P_SEED), FIRST_REPEAT + replication, err));
    PT_TRY(take_half(&one, h, 0, false, w->task, err));
    PT_TRY(take_half(&other, h, 1, false, w->task, err));
    if (one->n + other->n < h->n) { /* the others are never held out */
        PT_TRY(take_half(&with_one, h, 0, true, w->task, err));
        PT_TRY(take_half(&with_other, h, 1, true, w->task, err));
    }
    const pt_dataset *const halves[HALVES] = {one, other};
    const pt_dataset *const others[HALVES] = {with_other ? with_other : other,
                                              with_one ? with_one : one};
    for (int64_t j = 0; j < HALVES; j++) {
        const int64_t trial = replication * HALVES + j;
        c->asked[trial] = halves[j]->n;
        for (int64_t m = 0; m < c->n_machines; m++) {
            pt_task_begin_part(w->task, "comparing", trial * c->n_machines + m,
                               TRIALS * c->n_machines);
            const pt_status status = settle_trial(w, m, trial, others[j], halves[j], err);
            pt_task_end_part(w->task);
            PT_TRY(status);
        }
    }
    return PT_OK;
}

/* All replications, or those that the time allows. */
static pt_status compare(comparer *w, const pt_dataset *data, pt_task *task, pt_error *err)
{
    pt_comparison *c = w->c;
    const int64_t n = c->n_machines;
    PT_FREED_BY(half_pair_free) half_pair h = {0};
    PT_TRY(half_pair_init(&h, data, err));
    PT_TRY(warn_single_rows(c, &h, err));
    PT_TRY(pt_checkpoint_open(&w->checkpoint, "compare", data, w->params, n, err));
    pt_status status = pt_forecast_trials(data, w->params, n, TRIALS, HALVES, task, err);
    for (int64_t i = 0; i < REPLICATIONS && status == PT_OK; i++) {
        status = replicate(w, &h, i, err);
        c->n_replications += status == PT_OK;
    }
    const bool timed = status == PT_ETIME;
    status = pt_checkpoint_close(w->checkpoint, status, task, err);
    if (!timed || c->n_replications == 0)
        return status;
    return pt_warn(&c->warnings, err, PT_KIND_LIMIT,
                   "the time allowed %lld of %d replications: f is about F(%lld, %lld), which sees "
                   "large differences only; raise `time`, or go on with `resume`",
                   (long long)c->n_replications, (int)REPLICATIONS,
                   HALVES * (long long)c->n_replications, (long long)c->n_replications);
}

/* ---- what was found -------------------------------------------------------------------------- */

static double error_of(const pt_comparison *c, int64_t machine, int64_t trial)
{
    return (double)c->wrong[machine * TRIALS + trial] / (double)c->asked[trial];
}

/* The error, or the metric in its place. */
static double value_of(const pt_comparison *c, int64_t machine, int64_t trial)
{
    return c->mean ? c->mean[machine * TRIALS + trial] : error_of(c, machine, trial);
}

/* p_i^(j): whole numbers first, so that 0 is 0. */
static double difference_of(const pt_comparison *c, int64_t a, int64_t b, int64_t trial)
{
    if (c->mean)
        return c->mean[a * TRIALS + trial] - c->mean[b * TRIALS + trial];
    return (double)(c->wrong[a * TRIALS + trial] - c->wrong[b * TRIALS + trial]) /
           (double)c->asked[trial];
}

static double f_of(const pt_comparison *c, int64_t a, int64_t b)
{
    double squares = 0;
    double variances = 0;
    for (int64_t i = 0; i < c->n_replications; i++) {
        const double p1 = difference_of(c, a, b, i * HALVES);
        const double p2 = difference_of(c, a, b, i * HALVES + 1);
        squares += p1 * p1 + p2 * p2;
        variances += (p1 - p2) * (p1 - p2) / 2; /* s_i^2, written without the mean */
    }
    if (squares == 0 || isnan(squares)) /* NaN: a half has no row of a class that is known */
        return squares;
    return variances > 0 ? squares / (2 * variances) : INFINITY;
}

/* A figure of every trial, and its mean over them. */
static pt_status add_trials(pt_report *report, const pt_comparison *c, const char *name,
                            const char *of_trials,
                            double (*of)(const pt_comparison *, int64_t, int64_t), pt_error *err)
{
    const int64_t trials = HALVES * c->n_replications;
    const pt_item item = {.name = of_trials,
                          .type = PT_F64,
                          .n_axes = 3,
                          .length = {c->n_machines, c->n_replications, HALVES},
                          .axis = {"machine", "replication", "half"}};
    double *value = NULL;
    double *mean = NULL;
    PT_TRY(pt_report_room(report, &item, &value, err));
    PT_TRY(
        pt_report_room(report, PT_LIST(name, PT_F64, "machine", c->n_machines, NULL), &mean, err));
    for (int64_t m = 0; m < c->n_machines; m++) {
        for (int64_t t = 0; t < trials; t++) {
            value[m * trials + t] = of(c, m, t);
            mean[m] += value[m * trials + t];
        }
        mean[m] /= (double)trials;
    }
    return PT_OK;
}

static pt_status add_chosen(pt_report *report, const pt_comparison *c, pt_error *err)
{
    const int64_t trials = HALVES * c->n_replications;
    PT_SCRATCH const char **chosen = NULL;
    PT_TRY(PT_NEW(chosen, c->n_machines * trials, "parameters", err));
    for (int64_t m = 0; m < c->n_machines; m++)
        for (int64_t t = 0; t < trials; t++)
            chosen[m * trials + t] = c->chosen[m * TRIALS + t];
    return pt_report_copy(report,
                          &(const pt_item){.name = "chosen",
                                           .type = PT_TEXT,
                                           .n_axes = 3,
                                           .length = {c->n_machines, c->n_replications, HALVES},
                                           .axis = {"machine", "replication", "half"},
                                           .values = chosen},
                          err);
}

static pt_status add_tests(pt_report *report, const pt_comparison *c, pt_error *err)
{
    const double r = (double)c->n_replications;
    const int64_t pairs = c->n_machines * (c->n_machines - 1) / 2;
    const int64_t trials = HALVES * c->n_replications;
    const pt_item item = {.name = "difference",
                          .type = PT_F64,
                          .n_axes = 3,
                          .length = {pairs, c->n_replications, HALVES},
                          .axis = {"pair", "replication", "half"}};
    double *difference = NULL;
    double *f = NULL;
    double *p = NULL;
    int64_t at = 0;
    PT_TRY(pt_report_add_pairs(report, c->n_machines, err));
    PT_TRY(pt_report_room(report, &item, &difference, err));
    PT_TRY(pt_report_room(report, PT_LIST("f", PT_F64, "pair", pairs, NULL), &f, err));
    PT_TRY(pt_report_room(report, PT_LIST("p_value", PT_F64, "pair", pairs, NULL), &p, err));
    for (int64_t a = 0; a < c->n_machines; a++)
        for (int64_t b = a + 1; b < c->n_machines; b++, at++) {
            for (int64_t t = 0; t < trials; t++)
                difference[at * trials + t] = difference_of(c, a, b, t);
            f[at] = f_of(c, a, b);
            p[at] = isnan(f[at]) ? NAN : pt_f_tail(f[at], HALVES * r, r);
        }
    return PT_OK;
}

static pt_status report_comparison(pt_report **out, const pt_comparison *c, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    PT_TRY(pt_report_new(&report, "comparison", err));
    PT_TRY(pt_report_add_integer(report, "n_machines", c->n_machines, err));
    PT_TRY(pt_report_add_integer(report, "n_replications", c->n_replications, err));
    PT_TRY(pt_report_add_integer(report, "n_computed", c->n_computed, err));
    PT_TRY(add_trials(report, c, "error", "errors", error_of, err));
    PT_TRY(pt_report_add_text(report, "metric", pt_metric_name(c->metric), err));
    PT_TRY(add_trials(report, c, "value", "values", value_of, err));
    PT_TRY(add_chosen(report, c, err));
    PT_TRY(add_tests(report, c, err));
    PT_TRY(pt_report_add_warnings(report, &c->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}

/* ---- the test -------------------------------------------------------------------------------- */

static void comparison_free_at(pt_comparison **address)
{
    comparison_free(*address);
}

static pt_status compare_halves(pt_report **out, const pt_dataset *data,
                                const pt_params *const *params, int64_t n, pt_task *task,
                                pt_error *err)
{
    pt_metric metric = PT_METRIC_ERROR;
    PT_TRY(pt_trial_check(&metric, data, params, n, err));
    for (int64_t m = 0; m < n; m++)
        if (pt_kernel_is_precomputed(params[m]))
            return pt_fail(err, PT_EINVAL,
                           "a precomputed kernel cannot be halved; compare on a test set, or by "
                           "cross-validation");
    PT_FREED_BY(comparison_free_at) pt_comparison *c = NULL;
    PT_SCRATCH unsigned char *verdict = NULL;
    PT_SCRATCH double *loss = NULL;
    PT_TRY(PT_NEW_ZERO(c, 1, "a comparison", err));
    c->n_machines = n;
    c->metric = metric;
    PT_TRY(PT_NEW_ZERO(c->wrong, n * TRIALS, "errors", err));
    PT_TRY(PT_NEW_ZERO(c->chosen, n * TRIALS, "parameters", err));
    PT_TRY(PT_NEW(verdict, data->n, "errors", err));
    if (metric != PT_METRIC_ERROR) {
        PT_TRY(PT_NEW_ZERO(c->mean, n * TRIALS, "mean losses", err));
        PT_TRY(PT_NEW(loss, data->n, "losses", err));
    }
    comparer w = {.c = c, .params = params, .task = task, .verdict = verdict, .loss = loss};
    PT_TRY(compare(&w, data, task, err));
    return report_comparison(out, c, err);
}

pt_status pt_compare(pt_report **out, const pt_dataset *data, const pt_dataset *test,
                     const pt_params *const *params, int64_t n, pt_task *task, pt_error *err)
{
    for (int64_t m = 0; m < n; m++) {
        PT_TRY(pt_params_refuse_start(params[m], "a comparison", err));
        PT_TRY(pt_thresholds_refuse(params[m], "a comparison", err));
        PT_TRY(pt_fold_params_check(data, params[m], err));
    }
    if (data->time && !test)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "the rows have times, and halves of them that judge each other would be "
                          "trained on what is later; give a test set of later rows");
    return test ? pt_compare_on(out, data, test, params, n, task, err)
                : compare_halves(out, data, params, n, task, err);
}
