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
#include <stdio.h>

#include "base/alloc.h"
#include "base/task.h"
#include "data/labels/label_pairs.h"
#include "data/row_digest.h"
#include "select/forecast.h"
#include "select/significance.h"
#include "select/trial.h"

enum { EXACT_BELOW = 25 }; /* rows for which the chi-square is too coarse */

struct pt_mcnemar {
    int64_t n_machines;
    int64_t n; /* rows of the test set */
    int64_t n_labelled;
    pt_metric metric;       /* of the test */
    unsigned char *verdict; /* n_machines x n */
    double *loss;           /* n_machines x n, by another metric than the error; else NULL */
    char **chosen;          /* of each machine */
    pt_texts warnings;
};

void pt_mcnemar_free(pt_mcnemar *m)
{
    if (!m)
        return;
    for (int64_t i = 0; m->chosen && i < m->n_machines; i++)
        pt_free(m->chosen[i]);
    pt_free(m->chosen);
    pt_free(m->loss);
    pt_free(m->verdict);
    pt_texts_free(&m->warnings);
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
        const pt_status status = pt_trial_run(
            data, test, params[i], m->metric, checkpoint, name, m->verdict + i * m->n,
            m->loss ? m->loss + i * m->n : NULL, &m->chosen[i], &m->warnings, task, err);
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
                             pt_error *err)
{
    int64_t shared = 0;
    int64_t n = 0;
    const pt_status status = pt_rows_shared(&shared, &n, data, test, err);
    if (status != PT_OK || shared == 0 || shared < n / 10)
        return status;
    if (shared == n)
        return pt_texts_add(&m->warnings, err,
                            "every row to test on is one of those to train on: the machine that "
                            "learns rows by heart wins");
    return pt_texts_add(&m->warnings, err,
                        "%lld of %lld rows to test on %s among those to train on: the machine "
                        "that learns rows by heart wins there",
                        (long long)shared, (long long)n, shared == 1 ? "is" : "are");
}

static pt_status test_all(pt_mcnemar *m, const pt_dataset *data, const pt_dataset *test,
                          const pt_params *const *params, pt_checkpoint *checkpoint, pt_task *task,
                          pt_error *err)
{
    PT_TRY(warn_shared(m, data, test, err));
    PT_TRY(pt_label_pairs_check(test->labels, test->source, &m->warnings, err));
    PT_TRY(pt_forecast_trials(data, params, m->n_machines, 1, 1, task, err));
    return ask_all(m, data, test, params, checkpoint, task, err);
}

static void mcnemar_free_at(pt_mcnemar **address)
{
    pt_mcnemar_free(*address);
}

pt_status pt_mcnemar_run(pt_mcnemar **out, const pt_dataset *data, const pt_dataset *test,
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
    *out = pt_keep(&m);
    return PT_OK;
}

/* ---- what was found -------------------------------------------------------------------------- */

static bool is_machine(const pt_mcnemar *m, int64_t machine)
{
    return machine >= 0 && machine < m->n_machines;
}

int64_t pt_mcnemar_n_machines(const pt_mcnemar *m)
{
    return m->n_machines;
}

int64_t pt_mcnemar_n_examples(const pt_mcnemar *m)
{
    return m->n_labelled;
}

int64_t pt_mcnemar_count(const pt_mcnemar *m, int64_t a, int64_t b, int a_right, int b_right)
{
    int64_t count = 0;
    if (!is_machine(m, a) || !is_machine(m, b))
        return 0;
    for (int64_t i = 0; i < m->n; i++) {
        const unsigned char va = m->verdict[a * m->n + i];
        const unsigned char vb = m->verdict[b * m->n + i];
        count += va != PT_UNLABELLED && (va == PT_RIGHT) == (a_right != 0) &&
                 (vb == PT_RIGHT) == (b_right != 0);
    }
    return count;
}

double pt_mcnemar_error(const pt_mcnemar *m, int64_t machine)
{
    return is_machine(m, machine)
               ? (double)pt_mcnemar_count(m, machine, machine, 0, 0) / (double)m->n_labelled
               : NAN;
}

pt_metric pt_mcnemar_metric(const pt_mcnemar *m)
{
    return m->metric;
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

double pt_mcnemar_value(const pt_mcnemar *m, int64_t machine)
{
    return !m->loss || !is_machine(m, machine) ? pt_mcnemar_error(m, machine)
                                               : pair_rows(m, machine, -1).mean;
}

double pt_mcnemar_difference(const pt_mcnemar *m, int64_t a, int64_t b, double *low, double *high)
{
    *low = *high = NAN;
    if (!is_machine(m, a) || !is_machine(m, b))
        return NAN;
    if (!m->loss)
        return pt_mcnemar_error(m, a) - pt_mcnemar_error(m, b);
    const paired p = pair_rows(m, a, b);
    const double reach = p.error * pt_t_two_sided(0.05, p.n - 1);
    *low = p.mean - reach;
    *high = p.mean + reach;
    return p.mean;
}

int pt_mcnemar_is_exact(const pt_mcnemar *m, int64_t a, int64_t b)
{
    return !m->loss &&
           pt_mcnemar_count(m, a, b, 1, 0) + pt_mcnemar_count(m, a, b, 0, 1) < EXACT_BELOW;
}

double pt_mcnemar_statistic(const pt_mcnemar *m, int64_t a, int64_t b)
{
    if (m->loss && is_machine(m, a) && is_machine(m, b)) {
        const paired p = pair_rows(m, a, b);
        return p.mean == 0 ? 0 : p.mean / p.error;
    }
    const double only_a = (double)pt_mcnemar_count(m, a, b, 1, 0);
    const double only_b = (double)pt_mcnemar_count(m, a, b, 0, 1);
    const double excess = fmax(fabs(only_a - only_b) - 1, 0);
    return pt_mcnemar_is_exact(m, a, b) ? NAN : excess * excess / (only_a + only_b);
}

double pt_mcnemar_p_value(const pt_mcnemar *m, int64_t a, int64_t b)
{
    const int64_t only_a = pt_mcnemar_count(m, a, b, 1, 0);
    const int64_t only_b = pt_mcnemar_count(m, a, b, 0, 1);
    if (!is_machine(m, a) || !is_machine(m, b))
        return NAN;
    if (m->loss) {
        const double t = pt_mcnemar_statistic(m, a, b);
        return isnan(t) ? NAN : pt_f_tail(t * t, 1, pair_rows(m, a, b).n - 1);
    }
    return pt_mcnemar_is_exact(m, a, b) ? pt_binomial_two_sided(only_a, only_a + only_b)
                                        : pt_chi_square_tail(pt_mcnemar_statistic(m, a, b), 1);
}

const char *pt_mcnemar_chosen(const pt_mcnemar *m, int64_t machine)
{
    return is_machine(m, machine) ? m->chosen[machine] : NULL;
}

int64_t pt_mcnemar_n_warnings(const pt_mcnemar *m)
{
    return m->warnings.count;
}

const char *pt_mcnemar_warning(const pt_mcnemar *m, int64_t index)
{
    return pt_texts_get(&m->warnings, index);
}
