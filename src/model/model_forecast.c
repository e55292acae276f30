/* How long training will take: measured, on this machine as it is now, by training on a sample.
 *
 * A part of the rows is chosen for and trained on, and the seconds of all rows follow by the
 * multiplications of the machine's plan, whose growth with the rows is right even where their
 * number is a guess. The sample is a small part of the work: a sixteenth of the rows, or a quarter
 * where the work grows by more than their square. Work that is over in a moment anyway is not
 * measured. */
#include "model/model_forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/host.h"
#include "kernels/kernel_params.h"
#include "machines/ridge_auto.h"
#include "machines/subproblem.h"
#include "select/holdout.h"

static const double SHORT_WORK = 4e9;  /* multiplications: a second or so; not measured */
static const double LONG_SECONDS = 10; /* from here on people are told */
static const double MOST_SECONDS = 2;  /* for measuring */
/* Machines that train themselves to choose do so on few rows anyway: there are fewer here. */
enum { CHOOSING_ROWS = 500, FEW_ROWS = 100, CLOSED_ROWS = 5000 };
static const double CLOSED_FORM = 3; /* leave-one-out in closed form takes so many trainings */

/* Seconds of training a part of the rows, and its multiplications. */
static pt_status time_part(double *seconds, double *flops, pt_training *t, const pt_params *params,
                           int64_t rows, const pt_task *task, pt_error *err)
{
    pt_subproblem part = {0};
    pt_machine *machine = NULL;
    pt_texts warnings = {NULL, 0, 0};
    pt_plan plan = {0, 0, ""};
    pt_status status = pt_subproblem_sample(&part, &t->problem, rows,
                                            (uint64_t)pt_params_integer(params, PT_P_SEED),
                                            pt_kernel_is_precomputed(params), err);
    if (status == PT_OK)
        status = t->ops->plan(&part.problem, params, task, &plan, err);
    const double begin = pt_seconds();
    if (status == PT_OK)
        status = t->ops->fit(&machine, &part.problem, params, task, &warnings, err);
    *seconds = pt_seconds() - begin;
    *flops = plan.flops;
    if (machine)
        t->ops->free(machine);
    pt_texts_free(&warnings);
    pt_subproblem_free(&part);
    return status;
}

/* Seconds of choosing parameters on a part of the rows; params <- what is chosen there. */
static pt_status time_choice(double *seconds, double *flops, pt_training *t, pt_params *params,
                             const pt_task *task, pt_error *err)
{
    pt_subproblem part = {0};
    pt_texts warnings = {NULL, 0, 0};
    const int64_t rows = t->ops->guide ? CHOOSING_ROWS : FEW_ROWS;
    pt_status status = pt_subproblem_sample(&part, &t->problem, rows,
                                            (uint64_t)pt_params_integer(params, PT_P_SEED),
                                            pt_kernel_is_precomputed(params), err);
    if (status == PT_OK)
        status = pt_auto_flops(flops, t->ops, params, &part.problem, task, err);
    const double begin = pt_seconds();
    if (status == PT_OK && t->ops->resolve)
        status = t->ops->resolve(params, &part.problem, task, &warnings, err);
    *seconds = pt_seconds() - begin;
    pt_texts_free(&warnings);
    pt_subproblem_free(&part);
    return status;
}

static pt_status measure(pt_forecast *f, pt_training *t, const pt_plan *plan, double choosing,
                         pt_params *params, const pt_task *task, pt_error *err)
{
    const int64_t n = t->problem.rows.n;
    double seconds = 0;
    double flops = 0;
    pt_status status = time_choice(&seconds, &flops, t, params, task, err);
    f->choosing = flops > 0 ? seconds * choosing / flops : seconds;
    if (status == PT_OK)
        status = time_part(&seconds, &flops, t, params, n / 16, task, err);
    const bool steep = flops > 0 && plan->flops / flops > 16.0 * 16.0;
    if (status == PT_OK && steep)
        status = time_part(&seconds, &flops, t, params, n / 4, task, err);
    f->training = flops > 0 ? seconds * plan->flops / flops : 16 * seconds;
    const bool calibrated =
        strcmp(pt_params_text(params, PT_P_CALIBRATE), "yes") == 0 &&
        (t->problem.labels->kind == PT_LABEL_CLASS || t->problem.labels->kind == PT_LABEL_SET);
    const bool closed = status == PT_OK && n <= CLOSED_ROWS &&
                        pt_holdout_is_closed_form(t->ops, &t->problem, params);
    f->calibrating = !calibrated ? 0 : closed ? CLOSED_FORM * f->training : f->training;
    return status;
}

/* ---- the notice ---------------------------------------------------------------------------- */

/* "40 s", "7 min", "2.5 h" */
static const char *in_words(char *text, size_t size, double seconds)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", fmax(seconds, 1));
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.1f h", seconds / 3600);
    return text;
}

static void add_step(char *text, size_t size, const char *name, double seconds)
{
    char words[32];
    const size_t used = strlen(text);
    if (seconds >= 0.5)
        snprintf(text + used, size - used, "%s%s %s", used ? ", " : "", name,
                 in_words(words, sizeof words, seconds));
}

static void say_plan(const pt_training *t, const pt_plan *plan, const pt_task *task)
{
    const pt_forecast *f = &t->forecast;
    char steps[160] = "";
    char all[32];
    char faster[160] = "";
    add_step(steps, sizeof steps, "choosing parameters", f->choosing);
    add_step(steps, sizeof steps, "training", f->training);
    add_step(steps, sizeof steps, "calibrating", f->calibrating);
    snprintf(faster, sizeof faster, "%s%s--time for the best in a time",
             f->calibrating > 0 ? "--calibrate no, " : "",
             f->choosing > f->training && t->ops->guide ? "--auto-rows 1000, " : "");
    pt_task_say(task, PT_NOTICE, "plan: %s; about %s, %.2g GB (%s); faster: %s", steps,
                in_words(all, sizeof all, f->choosing + f->training + f->calibrating),
                (plan->bytes + (double)pt_host_resident()) / 1e9, plan->route, faster);
}

/* A sample alone took too long. */
static void say_long(const pt_training *t, const pt_plan *plan, const pt_task *task)
{
    pt_task_say(
        task, PT_NOTICE,
        "plan: minutes or more, for a part of the %lld rows takes longer than %.0f s; %.2g GB "
        "(%s); faster: --time for the best in a time",
        (long long)t->problem.rows.n, MOST_SECONDS,
        (plan->bytes + (double)pt_host_resident()) / 1e9, plan->route);
}

/* The task has no limit of time: it gets one while there is measuring. */
pt_status pt_model_foresee(pt_training *t, const pt_plan *plan, pt_task *task, pt_error *err)
{
    double choosing = 0;
    pt_params *params = NULL;
    pt_error own = {0};
    t->forecast = (pt_forecast){0, 0, 0};
    pt_status status = pt_auto_flops(&choosing, t->ops, t->params, &t->problem, task, err);
    if (status != PT_OK || !t->ops->plan || choosing + plan->flops < SHORT_WORK ||
        t->problem.rows.n < 2 * CHOOSING_ROWS)
        return status;
    status = pt_params_copy(&params, t->params, err);
    if (status != PT_OK)
        return status;
    if (task)
        pt_task_set_time_limit(task, MOST_SECONDS);
    pt_task_begin_step(task, "planning", 0, 0); /* what is measured is no progress */
    status = measure(&t->forecast, t, plan, choosing, params, task, &own);
    pt_task_begin_step(task, NULL, 0, 0);
    const bool too_long = status == PT_ELIMIT && pt_task_stopping(task);
    if (task)
        pt_task_set_time_limit(task, 0);
    pt_params_free(params);
    if (too_long && !pt_task_is_cancelled(task))
        say_long(t, plan, task);
    if (status == PT_ECANCELLED || status == PT_ENOMEM) {
        if (err)
            *err = own;
        return status;
    }
    if (status != PT_OK) { /* a sample that cannot be trained on tells nothing */
        t->forecast = (pt_forecast){0, 0, 0};
        return PT_OK;
    }
    if (t->forecast.choosing + t->forecast.training + t->forecast.calibrating >= LONG_SECONDS)
        say_plan(t, plan, task);
    return PT_OK;
}
