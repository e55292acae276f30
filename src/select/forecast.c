/* How long work will take: measured, on this machine as it is now, by doing a small part of it.
 *
 * Parameters are chosen for some of the rows, and these are trained on; then for twice as many,
 * while that is a matter of moments. The seconds of all rows follow from the last of them, by
 *
 *     sqrt(a b)    a  the growth of the multiplications of the machine's plan
 *                  b  the growth by the power of the rows that was measured
 *
 * Plans know how factorisations grow, and guess how many steps solvers will make; small parts show
 * the latter, and are too small for the speed of the former. Work that is over in a moment anyway
 * is not measured. */
#include "select/forecast.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/host.h"
#include "base/math.h"
#include "data/ties.h"
#include "kernels/kernel_params.h"
#include "machine/subproblem.h"
#include "select/grid.h"
#include "select/nested.h"
#include "validate/auto.h"
#include "validate/validate.h"

static const double SHORT_WORK = 4e9;   /* multiplications: a second or so; not measured */
static const double LONG_SECONDS = 10;  /* from here on people are told */
static const double MOST_SECONDS = 2;   /* for measuring */
static const double WORTH = 0.02;       /* of long work: what a larger part of it may take */
static const double SURELY_SHORT = 0.3; /* of that: no larger part would make it long */
static const double MOMENT = 0.3;       /* what a larger part may take, as the one before tells */
enum { LEAST_ROWS = 1000 };             /* fewer are not measured, */
static const double LONG_WORK = 1e11;   /* but for so many multiplications */
static const double FASTEST = 5e10;     /* of them in a second: more than a core can do */
enum { CLOSED_ROWS = 500, FEW_ROWS = 100, FIRST_PART = 16, LAST_PART = 4 };
enum { CALIBRATED_ROWS = 500, CALIBRATED_CLOSED = 5000 }; /* as fit_probabilities.c */
static const double CLOSED_FORM = 3; /* held-out scores in closed form take so many trainings */

/* A piece of work on some of the rows. */
typedef struct part {
    double rows;
    double flops;
    double seconds;
} part;

/* The seconds of all rows, by those of two parts; the first may be missing (0 rows). flops 0: no
 * plan tells how they grow, and the square of the rows stands for what was not measured. A busy
 * machine measures anything: what is far from that is not believed. */
static double grow(const part *first, const part *last, double rows, double flops)
{
    const double more = rows / last->rows;
    const bool plan = last->flops > 0 && flops > 0;
    const double planned = plan ? flops / last->flops : more * more;
    double measured = planned;
    if (first->rows > 0 && first->seconds > 0 && last->rows > first->rows && more > 1) {
        const double power = log(last->seconds / first->seconds) / log(last->rows / first->rows);
        measured = fmin(fmax(pow(more, power), sqrt(planned)), pow(planned, 1.5));
    }
    return last->seconds * (plan ? sqrt(planned * measured) : measured);
}

/* The seconds of twice the rows of a part, by the power of the rows that the plan grows with. */
static double twice(const part *p, double rows, double flops)
{
    const bool plan = p->flops > 0 && flops > p->flops && rows > p->rows;
    const double power = plan ? log(flops / p->flops) / log(rows / p->rows) : 2;
    return p->seconds * pow(2, power);
}

/* ---- parts ----------------------------------------------------------------------------------- */

/* A sample of the rows as a problem. */
static pt_status take_part(pt_subproblem *some, const pt_training *t, const pt_params *params,
                           int64_t rows, const pt_task *task, pt_error *err)
{
    return pt_subproblem_sample(some, &t->problem, rows,
                                (uint64_t)pt_params_integer(params, PT_P_SEED),
                                pt_kernel_is_precomputed(params), task, err);
}

/* Trains a part of the rows. */
static pt_status time_training(part *p, pt_training *t, const pt_params *params, int64_t rows,
                               const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_subproblem_free) pt_subproblem some = {0};
    PT_FREED_BY(pt_machine_free_at) pt_machine *machine = NULL;
    pt_plan plan = {0};
    PT_TRY(take_part(&some, t, params, rows, task, err));
    PT_TRY(pt_machine_plan(&plan, t->ops, &some.problem, params, task, err));
    const double begin = pt_seconds();
    const pt_status status =
        pt_machine_fit(&machine, t->ops, &some.problem, params, task, NULL, err);
    *p = (part){(double)rows, plan.flops, pt_seconds() - begin};
    pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS, "measured: training %lld rows, %.3f s%s",
                (long long)rows, p->seconds, status == PT_OK ? "" : ", not to its end");
    return status;
}

/* Chooses parameters on a part of the rows; params <- what is chosen there. */
static pt_status time_choice(part *p, pt_training *t, pt_params *params, int64_t rows,
                             const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_subproblem_free) pt_subproblem some = {0};
    PT_FREED_BY(pt_warnings_free) pt_warnings dropped = {0};
    double flops = 0;
    PT_TRY(take_part(&some, t, params, rows, task, err));
    PT_TRY(pt_auto_flops(&flops, t->ops, params, &some.problem, task, err));
    const double begin = pt_seconds();
    const pt_status status = pt_machine_resolve(t->ops, params, &some.problem, task, &dropped, err);
    *p = (part){(double)rows, flops, pt_seconds() - begin};
    pt_task_say(task, PT_DEBUG, PT_KIND_PROGRESS, "measured: choosing on %lld rows, %.3f s",
                (long long)rows, p->seconds);
    return status;
}

/* The rows on which parameters are chosen. */
static double choosing_rows(const pt_training *t)
{
    const double n = (double)t->problem.rows.n;
    const double most = (double)pt_params_integer(t->params, PT_P_AUTO_ROWS);
    const bool closed = t->ops->guide && t->ops->guide(&t->problem, t->params);
    return fmin(n, closed ? most : fmin(most, PT_AUTO_SAMPLE));
}

/* *chosen <- the parameters that the largest part chooses; the caller frees them. */
static pt_status measure_choice(double *seconds, pt_params **chosen, pt_training *t, double flops,
                                const pt_task *task, pt_error *err)
{
    const bool closed = t->ops->guide && t->ops->guide(&t->problem, t->params);
    const int64_t n = t->problem.rows.n;
    int64_t rows = closed ? CLOSED_ROWS : FEW_ROWS;
    rows = rows < n ? rows : n;
    part first = {0};
    part last = {0};
    pt_status status = PT_OK;
    for (bool more = true; more && status == PT_OK; rows *= 2) {
        first = last;
        pt_params_free(*chosen);
        *chosen = NULL;
        status = pt_params_copy(chosen, t->params, err);
        if (status == PT_OK)
            status = time_choice(&last, t, *chosen, rows, task, err);
        more = flops > 0 && 4 * last.seconds < MOMENT && 2 * (double)rows <= choosing_rows(t);
    }
    /* Those that train themselves to choose have no plan of it. */
    *seconds = flops > 0 ? grow(&first, &last, choosing_rows(t), closed ? flops : 0) : last.seconds;
    return status;
}

/* The trainings that calibration takes, as fit_probabilities.c draws its folds. */
static double calibrations(const pt_training *t, bool closed)
{
    const double n = (double)t->problem.rows.n;
    if (strcmp(pt_params_text(t->params, PT_P_CALIBRATE), "yes") != 0 ||
        (t->problem.labels->kind != PT_LABEL_CLASS && t->problem.labels->kind != PT_LABEL_SET))
        return 0;
    if (closed && n <= CALIBRATED_CLOSED)
        return CLOSED_FORM;
    return fmax(1, ceil(CALIBRATED_ROWS / (n / 10)));
}

/* For work of so many trainings. What is foreseen to take long is worth a larger part; one for
 * which there is no time left tells nothing more than those before it. */
static pt_status measure_training(double *seconds, pt_training *t, double flops, double trainings,
                                  const pt_params *params, const pt_task *task, pt_error *err)
{
    const int64_t n = t->problem.rows.n;
    part first = {0};
    part last = {0};
    PT_TRY(time_training(&last, t, params, n / FIRST_PART, task, err));
    for (int64_t p = FIRST_PART / 2; p >= LAST_PART; p /= 2) {
        const double all = trainings * grow(&first, &last, (double)n, flops);
        part next = {0};
        if (first.rows > 0 && (all < SURELY_SHORT * LONG_SECONDS ||
                               twice(&last, (double)n, flops) > fmax(MOMENT, WORTH * all)))
            break;
        const pt_status status = time_training(&next, t, params, n / p, task, err);
        if (pt_is_limit(status))
            break;
        PT_TRY(status);
        first = last;
        last = next;
    }
    *seconds = grow(&first, &last, (double)n, flops);
    return PT_OK;
}

/* ---- one machine ----------------------------------------------------------------------------- */

/* What is known of a machine before it is trained. */
typedef struct outlook {
    pt_plan plan;
    double choosing; /* seconds, on the rows of the training; those of training are beside */
    double training;
    bool closed;       /* held-out scores are in closed form */
    bool chooses;      /* there is something to choose */
    bool known;        /* by measuring; else all are 0 */
    bool too_long;     /* even a part of it: seconds are the least */
    pt_params *params; /* as a part of the rows chose them; the caller frees them */
} outlook;

/* For work of so many trainings. Only what cannot be gone on after is an error; a sample that
 * cannot be trained on tells nothing. */
static pt_status look_ahead(outlook *o, pt_training *t, const pt_plan *plan, double trainings,
                            pt_task *task, pt_error *err)
{
    double flops = 0;
    pt_error own = {0};
    *o = (outlook){.plan = *plan};
    pt_status status = pt_auto_flops(&flops, t->ops, t->params, &t->problem, task, err);
    const double all = flops + trainings * plan->flops;
    if (status != PT_OK || !t->ops->plan ||
        all < (t->problem.rows.n < LEAST_ROWS ? LONG_WORK : SHORT_WORK))
        return status;
    o->chooses = flops > 0;
    if (task)
        pt_task_set_time_limit(task, MOST_SECONDS);
    pt_task_begin_step(task, "planning", 0, 0); /* what is measured is no progress */
    status = measure_choice(&o->choosing, &o->params, t, flops, task, &own);
    if (status == PT_OK)
        status = measure_training(&o->training, t, plan->flops, trainings + calibrations(t, false),
                                  o->params, task, &own);
    pt_task_begin_step(task, NULL, 0, 0);
    o->too_long = status == PT_ETIME;
    if (o->too_long)
        o->training = fmax(o->training, plan->flops / (FASTEST * pt_task_threads(task)));
    o->known = status == PT_OK;
    o->closed = o->known && pt_holdout_is_closed_form(t->ops, &t->problem, o->params);
    if (task)
        pt_task_set_time_limit(task, 0);
    if (status != PT_ECANCELLED && status != PT_ENOMEM)
        return PT_OK;
    pt_error_copy(err, &own);
    return status;
}

/* What is held beside what the process holds already. */
typedef struct memory {
    double bytes;
    double cache;
    char route[sizeof((pt_plan *)0)->route];
} memory;

static memory memory_of(const pt_plan *plan, double times)
{
    memory m = {times * plan->bytes, times * plan->cache, ""};
    snprintf(m.route, sizeof m.route, "%s", plan->route);
    return m;
}

static double seconds_of(const pt_forecast *f)
{
    return f->choosing + f->training + f->calibrating;
}

/* ---- the notice ------------------------------------------------------------------------------ */

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

/* "0.5 GB", "0.1 to 1.8 GB": with what the process holds already. */
static const char *memory_in_words(char *text, size_t size, const memory *m)
{
    const double least = m->bytes + (double)pt_host_resident();
    if (m->cache > 0.1 * least)
        snprintf(text, size, "%.2g to %.2g GB", least / 1e9, (least + m->cache) / 1e9);
    else
        snprintf(text, size, "%.2g GB", (least + m->cache) / 1e9);
    return text;
}

/* `what` is planned, in words, "" where its steps say it. */
static void say(const pt_task *task, const char *what, const char *const *names,
                const pt_forecast *f, const memory *m, const char *faster)
{
    char steps[200] = "";
    char all[32];
    char held[48];
    add_step(steps, sizeof steps, names[0], f->choosing);
    add_step(steps, sizeof steps, names[1], f->training);
    add_step(steps, sizeof steps, names[2], f->calibrating);
    pt_task_say(task, PT_NOTICE, PT_KIND_PLAN, "plan: %s%s; about %s, %s (%s); faster: %-s", what,
                steps, in_words(all, sizeof all, seconds_of(f)),
                memory_in_words(held, sizeof held, m), m->route, faster);
}

/* A sample alone took too long: what it had taken is grown to what all take at least. */
static void say_long(const pt_task *task, const char *what, const pt_forecast *least, int64_t rows,
                     const memory *m, const char *faster)
{
    char held[48];
    char all[32];
    pt_task_say(task, PT_NOTICE, PT_KIND_PLAN,
                "plan: %s%s or more, for a part of the %lld rows takes longer than %.0f s; "
                "%s (%s); faster: %-s",
                what, in_words(all, sizeof all, fmax(seconds_of(least), MOST_SECONDS)),
                (long long)rows, MOST_SECONDS, memory_in_words(held, sizeof held, m), m->route,
                faster);
}

/* ---- training -------------------------------------------------------------------------------- */

pt_status pt_forecast_training(pt_training *t, const pt_plan *plan, pt_task *task, pt_error *err)
{
    static const char *const NAMES[] = {"choosing parameters", "training", "calibrating"};
    char faster[160];
    outlook o = {.known = false};
    t->forecast = (pt_forecast){0, 0, 0};
    const pt_status status = look_ahead(&o, t, plan, 1, task, err);
    if (status == PT_OK && o.known)
        t->forecast = (pt_forecast){o.choosing, o.training, calibrations(t, o.closed) * o.training};
    const pt_forecast *f = &t->forecast;
    const pt_forecast least = {o.choosing, o.training, 0};
    snprintf(faster, sizeof faster, "%s%s`time` for the best in a time",
             f->calibrating > 0 ? "`calibrate=no`, " : "",
             f->choosing > f->training && t->ops->guide ? "`auto-rows=1000`, " : "");
    const memory held = memory_of(plan, 1);
    if (o.too_long)
        say_long(task, "", &least, t->problem.rows.n, &held, faster);
    else if (seconds_of(f) >= LONG_SECONDS)
        say(task, "", NAMES, f, &held, faster);
    pt_params_free(o.params);
    return status;
}

/* ---- searches -------------------------------------------------------------------------------- */

/* A machine with the middle point of its grid, and the rows that it would be trained on. */
typedef struct candidate {
    pt_training training;
    pt_params *params;
    double points; /* of its grid; 1: there is none */
    bool grid;
    outlook o;
} candidate;

static void candidate_free(candidate *c)
{
    pt_params_free(c->o.params);
    pt_training_free(&c->training);
    pt_params_free(c->params);
}

/* For work of so many trainings of each point. What is wrong with it the work itself will say. */
static pt_status candidate_init(candidate *c, const pt_dataset *data, const pt_params *params,
                                double trainings, pt_task *task, pt_error *err)
{
    pt_grid grid = {0};
    pt_plan plan = {0};
    pt_error own = {0};
    pt_status status = pt_params_copy(&c->params, params, &own);
    if (status == PT_OK)
        status = pt_grid_parse(&grid, pt_params_text(params, PT_P_GRID), params, &own);
    if (status == PT_OK && grid.n_axes > 0)
        status = pt_grid_apply(&grid, grid.n_points / 2, c->params, &own);
    c->points = (double)grid.n_points;
    c->grid = grid.n_axes > 0;
    pt_grid_free(&grid);
    if (status == PT_OK)
        status = pt_training_init(&c->training, data, c->params, task, &own);
    if (status == PT_OK && c->training.ops->plan)
        status = c->training.ops->plan(&c->training.problem, c->params, task, &plan, &own);
    if (status == PT_OK)
        status = look_ahead(&c->o, &c->training, &plan, c->points * trainings, task, &own);
    if (status != PT_ECANCELLED && status != PT_ENOMEM)
        return PT_OK;
    pt_error_copy(err, &own);
    return status;
}

/* Held-out scores of all points, in trainings on all rows; at least, where nothing is known. */
static double held_out_trainings(const candidate *c, const pt_partitions *parts)
{
    if (!c->o.known)
        return c->points;
    const double folds = (double)parts->n_folds;
    return c->points * (c->o.closed ? CLOSED_FORM : (double)parts->count * (folds - 1));
}

/* f->calibrating <- the seconds of nested folds, where there will be some. */
static pt_status foresee_nested(pt_forecast *f, const candidate *c, const pt_partitions *parts,
                                const pt_task *task, pt_error *err)
{
    const bool asked = pt_params_flag(c->params, PT_P_NESTED);
    const bool refused = pt_params_set_by_user(c->params, PT_P_NESTED) && !asked;
    const double folds = (double)(parts->count * parts->n_folds);
    pt_nested_price price = {0, 0};
    if (c->grid && asked)
        f->calibrating = folds * (f->choosing + f->training + c->o.training);
    if (c->grid || !c->o.chooses || refused)
        return PT_OK;
    const int metric = pt_metric_find(pt_params_text(c->params, PT_P_METRIC));
    const pt_nesting nesting = {.training = &c->training,
                                .resolved = c->o.params,
                                .partitions = parts,
                                .metric = metric < 0 ? PT_METRIC_ERROR : (pt_metric)metric,
                                .task = task};
    const pt_status status = pt_nested_price_of(&price, &nesting, err);
    if (status == PT_OK && price.plain > 0 && (asked || pt_nested_is_cheap(&price)))
        f->calibrating = (f->choosing + f->training) * price.nested / price.plain;
    return status;
}

/* What is held at once: in closed form the distances and a factor for each worker, else a training
 * for each, as many as fit; and the scores of all points, where they are kept. */
static memory search_memory(const candidate *c, const pt_partitions *parts, const pt_task *task)
{
    const pt_plan *plan = &c->o.plan;
    const double items = c->points * (c->o.closed ? 1 : (double)(parts->count * parts->n_folds));
    const double workers = fmin(pt_task_threads(task), items) + (c->o.closed ? 1 : 0);
    const double fit = plan->bytes > 0 ? (double)pt_task_memory(task) / plan->bytes : workers;
    memory held = memory_of(plan, fmax(1, fmin(workers, floor(fit))));
    if (strcmp(pt_params_text(c->params, PT_P_KEEP_SCORES), "all") == 0)
        held.bytes += sizeof(double) * c->points * (double)c->training.problem.rows.n *
                      (double)pt_labels_n_classes(c->training.problem.labels);
    return held;
}

/* How many folds there will be, about: of one part in `parts` of the rows. */
static pt_partitions partitions_of(const pt_dataset *data, const pt_params *params, int64_t parts)
{
    const bool loo = pt_params_flag(params, PT_P_LOO);
    const int64_t rows = data->n / parts;
    PT_FREED_BY(pt_blocks_free) pt_blocks blocks = {0};
    const pt_ties ties = pt_ties_of(data);
    if ((ties.fold || (ties.group && loo)) &&
        pt_blocks_init(&blocks, &ties, data->n, NULL) == PT_OK)
        return (pt_partitions){.count = pt_greater(data->fold_columns, 1),
                               .n_folds = pt_greater(blocks.count, 1)};
    if (ties.time && pt_blocks_init(&blocks, &ties, data->n, NULL) == PT_OK && blocks.past)
        return (pt_partitions){.count = 1,
                               .n_folds = pt_lesser(pt_params_integer(params, PT_P_FOLDS),
                                                    pt_blocks_most_folds(&blocks)),
                               .past = true};
    return (pt_partitions){.count = loo ? 1 : pt_params_integer(params, PT_P_REPEAT),
                           .n_folds = loo ? rows : pt_params_integer(params, PT_P_FOLDS)};
}

/* What is told of all machines together; the memory is that of the largest. */
typedef struct sum {
    pt_forecast steps;
    memory held;
    bool too_long;
} sum;

static void add(sum *all, const outlook *o, const pt_forecast *f, const memory *m)
{
    all->steps.choosing += f->choosing;
    all->steps.training += f->training;
    all->steps.calibrating += f->calibrating;
    all->too_long = all->too_long || o->too_long;
    if (m->bytes + m->cache > all->held.bytes + all->held.cache)
        all->held = *m;
}

static void say_sum(const pt_task *task, const sum *all, const char *what, const char *const *names,
                    int64_t rows, const char *faster)
{
    if (all->too_long)
        say_long(task, what, &all->steps, rows, &all->held, faster);
    else if (seconds_of(&all->steps) >= LONG_SECONDS)
        say(task, what, names, &all->steps, &all->held, faster);
}

pt_status pt_forecast_search(pt_forecast *forecast, const pt_dataset *data,
                             const pt_params *const *machines, int64_t n, pt_task *task,
                             pt_error *err)
{
    static const char *const NAMES[] = {"choosing parameters", "cross-validating", "nested folds"};
    sum all = {0};
    pt_status status = PT_OK;
    for (int64_t m = 0; m < n; m++)
        forecast[m] = (pt_forecast){0, 0, 0};
    if (!task || data->n < FEW_ROWS || isfinite(pt_task_seconds_left(task)))
        return PT_OK;
    for (int64_t m = 0; m < n && status == PT_OK; m++) {
        const pt_partitions parts = partitions_of(data, machines[m], 1);
        pt_forecast *f = &forecast[m];
        candidate c = {.points = 1};
        status =
            candidate_init(&c, data, machines[m], (double)(parts.count * parts.n_folds), task, err);
        if (status == PT_OK && (c.o.known || c.o.too_long)) {
            f->choosing = c.o.choosing;
            f->training = c.o.training * held_out_trainings(&c, &parts);
            if (c.o.known)
                status = foresee_nested(f, &c, &parts, task, err);
        }
        if (status == PT_OK) {
            const memory held = search_memory(&c, &parts, task);
            add(&all, &c.o, f, &held);
        }
        candidate_free(&c);
    }
    if (status == PT_OK)
        say_sum(task, &all, "", NAMES, data->n,
                all.steps.calibrating > 0 ? "`nested=no`, fewer `folds` or points"
                                          : "fewer `folds` or points");
    return status;
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* Every second row, or third ... */
static pt_status every(pt_dataset **out, const pt_dataset *data, int64_t parts, const pt_task *task,
                       pt_error *err)
{
    const int64_t m = data->n / parts;
    int64_t *rows = pt_alloc(m, sizeof(int64_t), "rows", err);
    for (int64_t i = 0; rows && i < m; i++)
        rows[i] = i * parts;
    const pt_status status = rows ? pt_dataset_part(out, data, rows, m, task, err) : PT_ENOMEM;
    pt_free(rows);
    return status;
}

pt_status pt_forecast_trials(const pt_dataset *data, const pt_params *const *machines, int64_t n,
                             int64_t trials, int64_t parts, pt_task *task, pt_error *err)
{
    static const char *const NAMES[] = {"choosing parameters", "training", ""};
    sum all = {0};
    char what[96];
    pt_status status = PT_OK;
    pt_dataset *some = NULL;
    if (!task || data->n / parts < FEW_ROWS || isfinite(pt_task_seconds_left(task)))
        return PT_OK;
    if (parts > 1)
        status = every(&some, data, parts, task, err);
    for (int64_t m = 0; m < n && status == PT_OK; m++) {
        const pt_partitions folds = partitions_of(data, machines[m], parts);
        pt_forecast f = {0, 0, 0};
        candidate c = {.points = 1};
        status = candidate_init(&c, some ? some : data, machines[m],
                                (double)(trials * folds.count * folds.n_folds), task, err);
        if (status == PT_OK && (c.o.known || c.o.too_long)) {
            f.choosing =
                c.o.choosing + (c.grid ? c.o.training * held_out_trainings(&c, &folds) : 0);
            f.choosing *= (double)trials;
            f.training = (double)trials * c.o.training;
        }
        if (status == PT_OK) {
            const memory held = c.grid ? search_memory(&c, &folds, task) : memory_of(&c.o.plan, 1);
            add(&all, &c.o, &f, &held);
        }
        candidate_free(&c);
    }
    snprintf(what, sizeof what, "%lld trials of %lld machines, ", (long long)trials, (long long)n);
    if (status == PT_OK)
        say_sum(task, &all, what, NAMES, data->n / parts,
                "fewer machines, `auto-rows=1000`, less data");
    pt_dataset_free(some);
    return status;
}
