/* Training in a time that is given.
 *
 * How long training takes is learned from training: first on a small sample, then on larger ones.
 * From sample to sample it grows with the multiplications that the machine's plan counts, which
 * grow as they should even where their number is a guess; those of choosing parameters are counted
 * apart, since they end to grow at --auto-rows:
 *
 *     seconds(m) = choosing(m0) A(m) / A(m0) + training(m0) P(m) / P(m0)
 *
 * Where that is foreseen to fit, all rows are trained on. Else parameters are chosen on as many
 * rows as a part of the time allows, and with those as many rows are trained on (of boosting: as
 * many rounds made) as are foreseen to fit into a part of what is left, until more is not worth it.
 * Each finished attempt is kept until a better one is finished. So time may run out in the midst of
 * an attempt, and there is a model. Machines that choose by training many of their like may not
 * choose in time on a few rows: they begin with what leave-one-out chooses for oneLSM, which is a
 * matter of a moment.
 *
 * A machine that is valid at every step (PT_CAN_END_EARLY) is trained on all rows at last, or at
 * once where it is boosted, and ends with what it has when time is up; it is taken unless it is
 * clearly worse than what there is. Columns that had a turn each may leave more time than they
 * took: then the whole is trained once more, to its end. So is one that begins with a model, at
 * once: what there is already has seen all rows. */
#include "model/model_time.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/split.h"
#include "data/ties.h"
#include "kernels/kernel_params.h"
#include "report/report.h"
#include "validate/auto.h"

enum { FIRST_ROWS = 250, FEWEST_ROWS = 20, ROWS_OF_A_CLASS = 5 };
enum { FIRST_ROUNDS = 10, LEAST_ROUNDS = 1, COMPARED_ROWS = 1000 };
static const double SHARE_OF_FIRST = 0.3;    /* of the time, where it can end early */
static const double SHARE_OF_CHOOSING = 0.2; /* of what is left */
static const double SHARE = 0.6;             /* of what is left, for an attempt that is foreseen */
static const double SAFE = 0.9;              /* the same for the whole, once it is foreseen well */
static const double UNSAFE = 0.3;            /* and before */
static const double HOPELESS = 4;            /* times as long as is left, by small samples */
static const double WORTH = 1.3;             /* times as much: less is not worth another attempt */
static const double AT_ONCE = 8;             /* times as much at once */

/* What an attempt has, and what it took. */
typedef struct effort {
    int64_t rows;
    int64_t rounds;  /* 0: it has none */
    bool chosen;     /* parameters are those of the attempt before */
    bool guessed;    /* they are those of oneLSM */
    bool last;       /* it may end early */
    bool unfinished; /* it did */
    bool again;      /* the whole once more, and it must be finished */
    double choosing; /* multiplications, and seconds */
    double training;
    double seconds_choosing;
    double seconds_training;
} effort;

typedef struct ladder {
    pt_training *whole;
    const pt_dataset *data;
    const pt_params *params;
    const pt_task *task;
    effort goal;
    effort last;         /* finished */
    int64_t chosen_rows; /* on which its parameters were chosen; 0: there are none to choose */
    effort by_itself;    /* the last that chose its own parameters */
    bool ends_early;     /* the machine can */
    bool tried_all;      /* the whole, or an attempt that may end early */
    pt_model *best;      /* made by it; NULL: none yet */
} ladder;

/* ---- what it takes --------------------------------------------------------------------------- */

static pt_status measure(effort *e, const pt_training *t, const pt_plan *plan, const pt_task *task,
                         pt_error *err)
{
    const bool rounds = pt_machine_uses(t->ops, t->params, "rounds");
    e->rows = t->problem.rows.n;
    e->rounds = rounds ? pt_params_integer(t->params, PT_P_ROUNDS) : 0;
    e->training = fmax(plan->flops, (double)pt_rows_stored(&t->problem.rows));
    return pt_auto_flops(&e->choosing, t->ops, t->params, &t->problem, task, err);
}

static double quotient(double a, double b)
{
    return b > 0 ? a / b : 0;
}

/* The seconds of an effort, by those of another. */
static double foresee(const effort *e, const effort *known)
{
    return known->seconds_choosing * quotient(e->choosing, known->choosing) +
           known->seconds_training * quotient(e->training, known->training);
}

/* ---- attempts -------------------------------------------------------------------------------- */

/* The whole, with less of what the aim has less of. */
static pt_status draw_rows(pt_dataset **out, const ladder *c, int64_t m, pt_error *err)
{
    const pt_dataset *data = c->whole->kept ? c->whole->kept : c->data;
    const pt_labels *labels = c->whole->problem.labels;
    PT_SCRATCH int64_t *rows = pt_alloc(m, sizeof(int64_t), "a sample", err);
    if (!rows)
        return PT_ENOMEM;
    PT_TRY(pt_sample(rows, m, data->n, labels->class_of, pt_labels_n_classes(labels),
                     (uint64_t)pt_params_integer(c->params, PT_P_SEED), err));
    return pt_dataset_part(out, data, rows, m, c->task, err);
}

/* What was chosen by the attempt before. */
static pt_status take_choice(pt_params *params, const ladder *c, pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
        if ((group == PT_GROUP_MACHINE || group == PT_GROUP_KERNEL) &&
            pt_params_is_auto(params, (pt_param_id)id) &&
            !pt_params_is_auto(c->best->params, (pt_param_id)id))
            PT_TRY(pt_params_set(params, pt_param_name(id),
                                 pt_params_text(c->best->params, (pt_param_id)id), err));
    }
    return PT_OK;
}

/* What leave-one-out chooses for oneLSM on these rows. */
static pt_status take_guess(pt_training *t, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *guess = NULL;
    PT_TRY(pt_kernel_settle(t->params, !t->problem.rows.dense, err));
    PT_TRY(pt_auto_start(&guess, t->params, &t->problem, task, err));
    if (pt_sigma_is_auto(t->params))
        PT_TRY(pt_params_set_real(t->params, PT_P_SIGMA, pt_params_real(guess, PT_P_SIGMA), err));
    if (pt_machine_uses(t->ops, t->params, "ridge") && pt_params_is_auto(t->params, PT_P_RIDGE))
        PT_TRY(pt_params_set_real(t->params, PT_P_RIDGE, pt_params_real(guess, PT_P_RIDGE), err));
    return PT_OK;
}

static bool is_whole(const ladder *c, const effort *e)
{
    return e->rows >= c->goal.rows && e->rounds >= c->goal.rounds && !e->chosen;
}

/* After which it ends with what it has, where it can: the first attempt, too, for a few rows may
 * take longer than there is. */
static double share_of_time(const ladder *c, const effort *e)
{
    const bool all = e->last || is_whole(c, e);
    const bool first = !c->best || c->last.guessed;
    return !c->ends_early || e->again ? 0 : all ? 1 : first ? SHARE_OF_FIRST : 0;
}

static pt_status train_part(pt_model **out, effort *e, const ladder *c, const pt_dataset *rows,
                            pt_error *err)
{
    PT_FREED_BY(pt_params_free_at) pt_params *params = NULL;
    PT_FREED_BY(pt_training_free) pt_training t = {0};
    pt_plan plan;
    PT_TRY(pt_params_copy(&params, c->params, err));
    if (e->rounds < c->goal.rounds)
        PT_TRY(pt_params_set_real(params, PT_P_ROUNDS, (double)e->rounds, err));
    if (e->chosen)
        PT_TRY(take_choice(params, c, err));
    PT_TRY(pt_training_init_started(&t, rows, params, e->again ? c->whole->start : NULL, c->task,
                                    err));
    t.share_of_time = share_of_time(c, e);
    t.only = !c->best;
    PT_TRY(pt_model_check_plan(&plan, &t, c->task, err));
    PT_TRY(measure(e, &t, &plan, c->task, err));
    if (e->guessed)
        PT_TRY(take_guess(&t, c->task, err));
    PT_TRY(pt_model_train_planned(out, &t, rows, c->task, err));
    e->unfinished = t.ended_early;
    e->seconds_choosing = t.seconds_choosing;
    return PT_OK;
}

/* Of the rows on which models are compared that have no held-out errors. */
static pt_status error_on(double *error, const pt_model *model, const pt_dataset *rows,
                          const ladder *c, pt_error *err)
{
    PT_FREED_BY(pt_report_free_at) pt_report *evaluation = NULL;
    PT_TRY(pt_model_evaluate(&evaluation, model, rows, NULL, NULL, (pt_task *)c->task, err));
    *error = pt_report_number(evaluation, "error");
    return PT_OK;
}

/* Whether an unfinished model errs more often than the best that is finished, by more than chance
 * (a standard error): on held-out rows, or else on some of the training rows. Where there is no
 * time to see, some rounds on all rows are taken for better, and other machines for worse. */
static pt_status is_worse(bool *worse, const pt_model *model, const ladder *c, pt_error *err)
{
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *rows = NULL;
    double mine = model->held_out.wrong;
    double other = c->best->held_out.wrong;
    int64_t n = model->held_out.rows < c->best->held_out.rows ? model->held_out.rows
                                                              : c->best->held_out.rows;
    pt_status status = PT_OK;
    if (n == 0) {
        n = c->goal.rows < COMPARED_ROWS ? c->goal.rows : COMPARED_ROWS;
        status = draw_rows(&rows, c, n, err);
        if (status == PT_OK)
            status = error_on(&mine, model, rows, c, err);
        if (status == PT_OK)
            status = error_on(&other, c->best, rows, c, err);
    }
    if (pt_is_limit(status)) {
        *worse = c->goal.rounds == 0;
        return PT_OK;
    }
    *worse = mine > other + sqrt(fmax(other * (1 - other), 0) / (double)n);
    return status;
}

static pt_status attempt(ladder *c, effort *e, pt_error *err)
{
    PT_FREED_BY(pt_model_free_at) pt_model *model = NULL;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *rows = NULL;
    const double begin = pt_seconds();
    if (is_whole(c, e) && !e->again) { /* it can be trained once */
        c->whole->share_of_time = share_of_time(c, e);
        c->whole->only = !c->best;
        PT_TRY(pt_model_train_planned(&model, c->whole, c->data, c->task, err));
        e->unfinished = c->whole->ended_early;
        e->seconds_choosing = c->whole->seconds_choosing;
    } else {
        if (e->rows < c->goal.rows)
            PT_TRY(draw_rows(&rows, c, e->rows, err));
        PT_TRY(train_part(&model, e, c, rows ? rows : c->data, err));
    }
    e->seconds_training = pt_seconds() - begin - e->seconds_choosing;
    bool worse = false;
    if (e->unfinished && c->best)
        PT_TRY(is_worse(&worse, model, c, err));
    if (worse)
        return PT_OK;
    pt_model_free(c->best);
    c->best = pt_keep(&model);
    c->last = *e;
    if (!e->chosen && !e->guessed) {
        c->chosen_rows = e->choosing > 0 ? e->rows : 0;
        c->by_itself = *e;
    }
    pt_task_say(c->task, PT_INFO, PT_KIND_PROGRESS,
                "trained on %lld of %lld rows: %.3f s to choose, %.3f s to train",
                (long long)e->rows, (long long)c->goal.rows, e->seconds_choosing,
                e->seconds_training);
    return PT_OK;
}

/* ---- what to attempt ------------------------------------------------------------------------- */

/* Few enough to be done at once, and a part of the rows, unless those are few. */
static int64_t first_rows(const ladder *c)
{
    const int64_t n = c->goal.rows;
    const int64_t k = pt_labels_n_classes(c->whole->problem.labels);
    const int64_t wanted = n / 4 < FIRST_ROWS ? n / 4 : FIRST_ROWS;
    const int64_t rows = wanted > ROWS_OF_A_CLASS * k ? wanted : ROWS_OF_A_CLASS * k;
    return rows < n && rows >= FEWEST_ROWS ? rows : n;
}

/* The rows that take `seconds` with a choice of their own, or without: both parts grow from those
 * of the last attempt to those of the whole by a power of the rows. */
static int64_t rows_in(const ladder *c, bool chosen, double seconds)
{
    const effort *known = &c->last;
    const double more = (double)c->goal.rows / (double)known->rows;
    double rows = (double)known->rows;
    for (double next = rows; next <= AT_ONCE * (double)known->rows; next *= 1.05) {
        const double share = more > 1 ? log(next / (double)known->rows) / log(more) : 0;
        const effort e = {
            .choosing =
                chosen ? 0
                       : known->choosing * pow(quotient(c->goal.choosing, known->choosing), share),
            .training = known->training * pow(c->goal.training / known->training, share)};
        if (foresee(&e, known) > seconds)
            break;
        rows = next;
    }
    return (int64_t)fmin(rows, (double)c->goal.rows);
}

/* The next effort that is foreseen to fit; false: what there is, is the best of them. */
static bool choose_foreseen(const ladder *c, effort *next)
{
    const double left = pt_task_seconds_left(c->task);
    const double whole = foresee(&c->goal, &c->last);
    const bool known = c->last.chosen || (double)c->last.rows > AT_ONCE * (double)first_rows(c) ||
                       (double)c->last.rows * AT_ONCE >= (double)c->goal.rows;
    *next = c->goal;
    if (left <= 0)
        return false;
    if (!c->last.chosen && whole <= (known ? SAFE : UNSAFE) * left)
        return true;
    if (!c->last.chosen && c->goal.choosing > 0) {
        next->rows = rows_in(c, false, SHARE_OF_CHOOSING * left);
        if ((double)next->rows >= WORTH * (double)c->last.rows)
            return true;
    }
    effort settled = c->goal;
    settled.choosing = 0;
    const double all_rows = foresee(&settled, &c->last);
    next->chosen = c->goal.choosing > 0;
    next->rows = c->goal.rows;
    if (c->ends_early && c->goal.rounds > 0) {
        next->last = true;
        return true;
    }
    if (all_rows <= SHARE * left)
        return next->chosen && !(c->last.chosen && c->last.rows >= c->goal.rows);
    const int64_t rounds = (int64_t)((double)c->goal.rounds * SHARE * left / all_rows);
    if (rounds >= LEAST_ROUNDS) {
        next->rounds = rounds;
        return c->last.rows < c->goal.rows || (double)rounds >= WORTH * (double)c->last.rounds;
    }
    next->rows = rows_in(c, true, SHARE * left);
    return (double)next->rows >= WORTH * (double)c->last.rows;
}

/* The next effort; false: there is none. In the end the whole is tried where it is not hopeless,
 * for small samples foretell more time than it takes; what there is, is kept. */
static bool choose_next(ladder *c, effort *next)
{
    const double left = pt_task_seconds_left(c->task);
    if (c->last.unfinished && is_whole(c, &c->last) && left > c->last.seconds_training) {
        *next = c->goal; /* a column had its turn, and the others left more time than they took */
        next->again = true;
        return true;
    }
    if (is_whole(c, &c->last) || c->tried_all)
        return false;
    if (c->last.unfinished) { /* it foretells nothing */
        *next = c->goal;
        next->chosen = c->goal.choosing > 0;
        next->last = true;
    } else if (!choose_foreseen(c, next)) {
        *next = c->goal;
        if (c->ends_early) {
            next->chosen = c->goal.choosing > 0;
            next->last = true;
        }
        if (!next->last && foresee(&c->goal, &c->by_itself) > HOPELESS * left)
            return false;
    }
    if (is_whole(c, next))
        next->last = c->ends_early;
    c->tried_all = is_whole(c, next) || next->last;
    return true;
}

/* Whether there is a sigma to choose, and no closed form to choose it by. */
static bool chooses_by_training(const ladder *c)
{
    const pt_training *t = c->whole;
    const pt_kernel_ops *kernel = pt_machine_kernel(t->ops, t->params, !t->problem.rows.dense);
    return c->goal.choosing > 0 && pt_kernel_uses(kernel, "sigma") &&
           pt_params_is_auto(t->params, PT_P_SIGMA) &&
           !pt_params_set_by_user(t->params, PT_P_RBF_GAMMA) &&
           !(t->ops->guide && t->ops->guide(&t->problem, t->params));
}

static pt_status say_limited(ladder *c, pt_error *err)
{
    char text[120] = "time: ";
    pt_model *model = c->best;
    const pt_machine *machine = model->machine;
    int64_t rounds = c->last.rounds;
    if (c->last.unfinished && rounds > 0)
        rounds = machine->ops->parts(machine).rounds;
    if (is_whole(c, &c->last) && !c->last.unfinished)
        return PT_OK;
    char *to = text + strlen(text);
    const size_t room = sizeof text - strlen(text);
    if (c->last.rows < c->goal.rows)
        snprintf(to, room, "%lld of %lld rows", (long long)c->last.rows, (long long)c->goal.rows);
    else if (rounds < c->goal.rounds)
        snprintf(to, room, "%lld of %lld rounds", (long long)rounds, (long long)c->goal.rounds);
    else if (c->last.unfinished)
        snprintf(to, room, "an unfinished machine of all %lld rows", (long long)c->goal.rows);
    else
        snprintf(to, room, "parameters chosen on %lld of %lld rows", (long long)c->chosen_rows,
                 (long long)c->goal.rows);
    model->limited = pt_alloc_text(text, err);
    if (!model->limited)
        return PT_ENOMEM;
    PT_TRY(pt_model_describe(model, err));
    return pt_warn(&model->warnings, err, PT_KIND_LIMIT,
                   "the time allowed %s, the best that could be had; raise `time` for all", to);
}

static pt_status fail_early(const ladder *c, pt_error *err)
{
    return pt_fail(err, PT_ELIMIT,
                   "no model can be had in this time: %lld of %lld rows take longer; raise `time`",
                   (long long)first_rows(c), (long long)c->goal.rows);
}

pt_status pt_model_train_in_time(pt_model **out, pt_training *training, const pt_plan *plan,
                                 const pt_dataset *data, const pt_task *task, pt_error *err)
{
    ladder c = {.whole = training, .data = data, .params = training->params, .task = task};
    pt_params *own = NULL; /* those of the training change hands at the end */
    pt_status status = pt_params_copy(&own, training->params, err);
    if (status == PT_OK)
        status = measure(&c.goal, training, plan, task, err);
    c.params = own;
    c.ends_early = pt_machine_ends_early(training->ops, training->params);
    effort next = c.goal;
    if (training->start) { /* which has all rows behind it: less would be worse */
        next.last = c.ends_early;
    } else {
        if (!pt_kernel_is_precomputed(training->params)) /* rows of those cannot be drawn alone */
            next.rows = first_rows(&c);
        if (next.rounds > FIRST_ROUNDS)
            next.rounds = FIRST_ROUNDS;
    }
    const effort first = next;
    next.guessed = status == PT_OK && next.rows < c.goal.rows && chooses_by_training(&c);
    while (status == PT_OK) {
        status = attempt(&c, &next, err);
        if (status == PT_ETIME)
            break;
        if (next.guessed && status != PT_ECANCELLED) {
            next = first;
            status = PT_OK;
            continue;
        }
        const bool none = !c.best || c.last.guessed;
        if (status != PT_OK && status != PT_ECANCELLED && none && next.rows < c.goal.rows) {
            next = c.goal; /* too few rows for this machine: all of them tell */
            status = PT_OK;
            continue;
        }
        if (status == PT_OK && !choose_next(&c, &next))
            break;
    }
    pt_params_free(own);
    const bool in_time = status == PT_ETIME;
    if (in_time)
        status = c.best ? PT_OK : fail_early(&c, err);
    if (status == PT_OK)
        status = say_limited(&c, err);
    if (status == PT_OK)
        *out = c.best;
    else
        pt_model_free(c.best);
    return status;
}
