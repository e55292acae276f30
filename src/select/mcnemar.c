/* McNemar's test: two machines on one test set. Only the rows count on which one is right and the
 * other wrong; where the machines are equally good, each of the b + c such rows is a fair coin.
 *
 *   few rows:   twice the tail of the binomial distribution, exactly
 *   else:       (|b - c| - 1)^2 / (b + c) is about chi-square with one degree of freedom
 *
 * By log loss or Brier score every row counts, by the difference d_i of what it costs the two
 * machines: the paired t test. t = mean d / (s / sqrt n), s^2 the variance of the d_i, has n - 1
 * degrees of freedom where the machines are equally good; t^2 is F(1, n - 1) then.
 */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/significance.h"
#include "base/task.h"
#include "data/labels/label_pairs.h"
#include "data/row_digest.h"
#include "polytomy/experimental.h"
#include "select/forecast.h"
#include "select/trial.h"

enum { EXACT_BELOW = 25 }; /* rows for which the chi-square is too coarse */

typedef struct pt_mcnemar {
    int64_t n_machines;
    int64_t n; /* rows of the test set */
    int64_t n_labelled;
    pt_metric metric;       /* of the test */
    unsigned char *verdict; /* n_machines x n */
    double *loss;           /* n_machines x n, by another metric than the error; else NULL */
    char **chosen;          /* of each machine */
    pt_warnings warnings;
} pt_mcnemar;

static void mcnemar_free(pt_mcnemar *m)
{
    if (!m)
        return;
    for (int64_t i = 0; m->chosen && i < m->n_machines; i++)
        pt_free(m->chosen[i]);
    pt_free(m->chosen);
    pt_free(m->loss);
    pt_free(m->verdict);
    pt_warnings_free(&m->warnings);
    pt_free(m);
}

static pt_status ask_all(pt_mcnemar *m, const pt_dataset *data, const pt_dataset *test,
                         const pt_params *const *params, pt_checkpoint *checkpoint,
                         const pt_task *task, pt_error *err)
{
    for (int64_t i = 0; i < m->n_machines; i++) {
        char name[32];
        snprintf(name, sizeof name, "machine %lld", (long long)i + 1);
        pt_task_begin_part(task, "testing", i, m->n_machines);
        const pt_status status =
            pt_trial_run(&(pt_trial){.train = data,
                                     .test = test,
                                     .params = params[i],
                                     .metric = m->metric,
                                     .checkpoint = checkpoint,
                                     .name = name,
                                     .verdict = m->verdict + i * m->n,
                                     .loss = m->loss ? m->loss + i * m->n : NULL,
                                     .chosen = &m->chosen[i],
                                     .warnings = &m->warnings},
                         task, err);
        pt_task_end_part(task);
        PT_TRY(status);
    }
    for (int64_t i = 0; i < m->n; i++)
        m->n_labelled += m->verdict[i] != PT_UNLABELLED;
    if (m->n_labelled == 0)
        return pt_fail_at(err, PT_EFORMAT, test->source, 0, 0, "no row has a label");
    return PT_OK;
}

/* Rows to test on that were trained on: errors there say nothing of new rows. Some may be there by
 * chance where rows are short. */
static pt_status warn_shared(pt_mcnemar *m, const pt_dataset *data, const pt_dataset *test,
                             const pt_task *task, pt_error *err)
{
    int64_t shared = 0;
    int64_t n = 0;
    const pt_status status = pt_dataset_shared(&shared, &n, data, test, task, err);
    if (status != PT_OK || shared == 0 || shared < n / 10)
        return status;
    if (shared == n)
        return pt_warn(&m->warnings, err, PT_KIND_OPTIMISM,
                       "every row to test on is one of those to train on: the machine that "
                       "learns rows by heart wins");
    return pt_warn(&m->warnings, err, PT_KIND_OPTIMISM,
                   "%lld of %lld rows to test on %s among those to train on: the machine "
                   "that learns rows by heart wins there",
                   (long long)shared, (long long)n, shared == 1 ? "is" : "are");
}

static pt_status test_all(pt_mcnemar *m, const pt_dataset *data, const pt_dataset *test,
                          const pt_params *const *params, pt_checkpoint *checkpoint, pt_task *task,
                          pt_error *err)
{
    PT_TRY(warn_shared(m, data, test, task, err));
    PT_TRY(pt_label_pairs_check(test->labels, test->source, &m->warnings, err));
    PT_TRY(pt_forecast_trials(data, params, m->n_machines, 1, 1, task, err));
    return ask_all(m, data, test, params, checkpoint, task, err);
}

/* ---- what was found -------------------------------------------------------------------------- */

/* Rows on which a and b are right or wrong. */
static int64_t count(const pt_mcnemar *m, int64_t a, int64_t b, bool a_right, bool b_right)
{
    int64_t n = 0;
    for (int64_t i = 0; i < m->n; i++) {
        const unsigned char va = m->verdict[a * m->n + i];
        const unsigned char vb = m->verdict[b * m->n + i];
        n += va != PT_UNLABELLED && (va == PT_RIGHT) == a_right && (vb == PT_RIGHT) == b_right;
    }
    return n;
}

static double error_of(const pt_mcnemar *m, int64_t machine)
{
    return (double)count(m, machine, machine, false, false) / (double)m->n_labelled;
}

/* Of the differences of what rows cost two machines (b < 0: of what they cost a). */
typedef struct paired {
    double n;
    double mean;
    double error; /* the standard error of the mean */
} paired;

static paired pair_rows(const pt_mcnemar *m, int64_t a, int64_t b)
{
    paired p = {0, 0, 0};
    const double *of_a = m->loss + a * m->n;
    const double *of_b = b < 0 ? NULL : m->loss + b * m->n;
    double squares = 0; /* from the mean, by Welford's updates */
    for (int64_t i = 0; i < m->n; i++) {
        const double d = of_a[i] - (of_b ? of_b[i] : 0);
        if (isnan(d))
            continue;
        const double away = d - p.mean;
        p.n++;
        p.mean += away / p.n;
        squares += away * (d - p.mean);
    }
    p.mean = p.n > 0 ? p.mean : NAN;
    p.error = p.n > 1 ? sqrt(squares / (p.n - 1) / p.n) : NAN;
    return p;
}

/* What is known of a pair of machines. */
typedef struct verdict {
    int64_t both_right;
    int64_t first_only; /* is right */
    int64_t second_only;
    int64_t both_wrong;
    int64_t exact; /* the p-value is */
    double difference;
    double low; /* of 95 percent; NaN: by errors */
    double high;
    double statistic;
    double p_value;
} verdict;

/* By log loss or Brier score: the paired t test. */
static void judge_losses(verdict *v, const pt_mcnemar *m, int64_t a, int64_t b)
{
    const paired p = pair_rows(m, a, b);
    const double reach = p.error * pt_t_two_sided(0.05, p.n - 1);
    const double t = p.mean == 0 ? 0 : p.mean / p.error;
    v->difference = p.mean;
    v->low = p.mean - reach;
    v->high = p.mean + reach;
    v->statistic = t;
    v->p_value = isnan(t) ? NAN : pt_f_tail(t * t, 1, p.n - 1);
}

/* By errors: McNemar's test, exact where few rows tell them apart. */
static void judge_errors(verdict *v, const pt_mcnemar *m, int64_t a, int64_t b)
{
    const int64_t apart = v->first_only + v->second_only;
    const double excess = fmax(fabs((double)(v->first_only - v->second_only)) - 1, 0);
    v->difference = error_of(m, a) - error_of(m, b);
    v->low = v->high = NAN;
    v->exact = apart < EXACT_BELOW;
    v->statistic = v->exact ? NAN : excess * excess / (double)apart;
    v->p_value = v->exact ? pt_binomial_two_sided(v->first_only, apart)
                          : pt_chi_square_tail(v->statistic, 1);
}

static verdict judge(const pt_mcnemar *m, int64_t a, int64_t b)
{
    verdict v = {.both_right = count(m, a, b, true, true),
                 .first_only = count(m, a, b, true, false),
                 .second_only = count(m, a, b, false, true),
                 .both_wrong = count(m, a, b, false, false)};
    if (m->loss)
        judge_losses(&v, m, a, b);
    else
        judge_errors(&v, m, a, b);
    return v;
}

/* A member of all verdicts as a list. */
static pt_status add_pairs(pt_report *report, const verdict *v, int64_t pairs, const char *name,
                           pt_type type, size_t offset, pt_error *err)
{
    unsigned char *room = NULL;
    const size_t size = type == PT_I64 ? sizeof(int64_t) : sizeof(double);
    PT_TRY(pt_report_room(report, PT_LIST(name, type, "pair", pairs, NULL), &room, err));
    for (int64_t p = 0; p < pairs; p++)
        memcpy(room + (size_t)p * size, (const unsigned char *)&v[p] + offset, size);
    return PT_OK;
}

static pt_status add_verdicts(pt_report *report, const pt_mcnemar *m, pt_error *err)
{
    static const struct {
        const char *name;
        pt_type type;
        size_t offset;
    } MEMBERS[] = {
        {"both_right", PT_I64, offsetof(verdict, both_right)},
        {"first_only", PT_I64, offsetof(verdict, first_only)},
        {"second_only", PT_I64, offsetof(verdict, second_only)},
        {"both_wrong", PT_I64, offsetof(verdict, both_wrong)},
        {"exact", PT_I64, offsetof(verdict, exact)},
        {"difference", PT_F64, offsetof(verdict, difference)},
        {"low", PT_F64, offsetof(verdict, low)},
        {"high", PT_F64, offsetof(verdict, high)},
        {"statistic", PT_F64, offsetof(verdict, statistic)},
        {"p_value", PT_F64, offsetof(verdict, p_value)},
    };
    const int64_t pairs = m->n_machines * (m->n_machines - 1) / 2;
    int64_t at = 0;
    PT_SCRATCH verdict *v = NULL;
    PT_TRY(PT_NEW(v, pairs, "a comparison", err));
    for (int64_t a = 0; a < m->n_machines; a++)
        for (int64_t b = a + 1; b < m->n_machines; b++)
            v[at++] = judge(m, a, b);
    PT_TRY(pt_report_add_pairs(report, m->n_machines, err));
    for (size_t i = 0; i < sizeof MEMBERS / sizeof *MEMBERS; i++)
        PT_TRY(
            add_pairs(report, v, pairs, MEMBERS[i].name, MEMBERS[i].type, MEMBERS[i].offset, err));
    return PT_OK;
}

static pt_status report_test(pt_report **out, const pt_mcnemar *m, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *report = NULL;
    double *error = NULL;
    double *value = NULL;
    PT_TRY(pt_report_new(&report, "test", err));
    PT_TRY(pt_report_add_integer(report, "n_machines", m->n_machines, err));
    PT_TRY(pt_report_add_integer(report, "n_examples", m->n_labelled, err));
    PT_TRY(pt_report_room(report, PT_LIST("error", PT_F64, "machine", m->n_machines, NULL), &error,
                          err));
    PT_TRY(pt_report_add_text(report, "metric", pt_metric_name(m->metric), err));
    PT_TRY(pt_report_room(report, PT_LIST("value", PT_F64, "machine", m->n_machines, NULL), &value,
                          err));
    for (int64_t a = 0; a < m->n_machines; a++) {
        error[a] = error_of(m, a);
        value[a] = m->loss ? pair_rows(m, a, -1).mean : error[a];
    }
    PT_TRY(pt_report_copy(report, PT_LIST("chosen", PT_TEXT, "machine", m->n_machines, m->chosen),
                          err));
    PT_TRY(add_verdicts(report, m, err));
    PT_TRY(pt_report_add_warnings(report, &m->warnings, err));
    *out = pt_keep(&report);
    return PT_OK;
}

/* ---- the test -------------------------------------------------------------------------------- */

static void mcnemar_free_at(pt_mcnemar **address)
{
    mcnemar_free(*address);
}

pt_status pt_compare_on(pt_report **out, const pt_dataset *data, const pt_dataset *test,
                        const pt_params *const *params, int64_t n, pt_task *task, pt_error *err)
{
    pt_checkpoint *checkpoint = NULL;
    pt_metric metric = PT_METRIC_ERROR;
    PT_FREED_BY(mcnemar_free_at) pt_mcnemar *m = NULL;
    PT_TRY(pt_trial_check(&metric, data, params, n, err));
    PT_TRY(pt_trial_check(&metric, test, params, n, err));
    if (data->labels->kind != test->labels->kind)
        return pt_fail_at(err, PT_EINVAL, test->source, 0, 0,
                          "its labels are of kind '%s', those to train on are '%s'",
                          pt_label_kind_name(test->labels->kind),
                          pt_label_kind_name(data->labels->kind));
    PT_TRY(PT_NEW_ZERO(m, 1, "a comparison", err));
    m->n_machines = n;
    m->n = test->n;
    m->metric = metric;
    if (metric != PT_METRIC_ERROR) {
        m->loss = pt_alloc_zero(test->n, (size_t)n * sizeof(double), "losses", err);
        PT_TRY(m->loss ? PT_OK : PT_ENOMEM);
    }
    m->verdict = pt_alloc_zero(test->n, (size_t)n, "errors", err);
    PT_TRY(m->verdict ? PT_OK : PT_ENOMEM);
    PT_TRY(PT_NEW_ZERO(m->chosen, n, "parameters", err));
    PT_TRY(pt_checkpoint_open(&checkpoint, "mcnemar", data, params, n, err));
    PT_TRY(pt_checkpoint_close(checkpoint, test_all(m, data, test, params, checkpoint, task, err),
                               task, err));
    return report_test(out, m, err);
}
