/* Nested folds, in two ways.
 *
 *   closed form   machines whose automatic parameters go by held-out scores in closed form: one
 *                 pass over the candidates chooses for all folds (auto.h), and held-out scores
 *                 at what was chosen come from few points, since folds mostly agree
 *   trials        all others, and grids: choose, train and ask, fold by fold (trial.h); the rows
 *                 of a fold then have no say in the preparation either; and metrics of
 *                 probabilities, which take a calibration without the fold: precomputed kernels,
 *                 which have no trials, have no such metric of nested folds */
#include "select/nested.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/ties.h"
#include "kernels/kernel_params.h"
#include "metrics/label_judge.h"
#include "select/search.h"
#include "select/trial.h"
#include "validate/auto.h"
#include "validate/folds.h"
#include "validate/validate.h"

static const double DEAREST = 3;  /* times as much as without; more must be asked for */
static const double CHEAP = 2e10; /* multiplications: about a second */

static int64_t n_folds_of(const pt_nesting *g)
{
    return g->partitions->count * g->partitions->n_folds;
}

bool pt_nested_is_asked(const pt_nesting *g)
{
    char names[128];
    return !g->resolved ||
           pt_points_auto_names(names, sizeof names, NULL, g->training->params, g->resolved);
}

/* ---- which way, and its price ---------------------------------------------------------------- */

static bool by_probabilities(const pt_nesting *g)
{
    return PT_PROBABILITY_METRICS & 1 << g->metric;
}

static pt_ls_auto_fn guide_of(const pt_nesting *g)
{
    const pt_training *t = g->training;
    if (by_probabilities(g) && !pt_kernel_is_precomputed(t->params))
        return NULL;
    if (g->partitions->past || !g->resolved || !t->ops->guide ||
        !pt_fold_pairs_serve(g->partitions->n_folds) ||
        pt_params_flag(t->params, PT_P_SCALE_PER_FOLD) ||
        !pt_holdout_is_closed_form(t->ops, &t->problem, g->resolved))
        return NULL;
    return t->ops->guide(&t->problem, g->resolved);
}

/* A factorisation of all rows, or of all columns. */
static double cube(const pt_nesting *g)
{
    const pt_rows *rows = &g->training->problem.rows;
    const bool primal = pt_kernel_named(g->training->params, !rows->dense)->base == PT_BASE_DOT &&
                        rows->d < rows->n;
    const double side = (double)(primal ? rows->d : rows->n);
    return (double)rows->n * side * side;
}

/* Training all folds, one by one. */
static double train_all_folds(const pt_nesting *g)
{
    return (double)n_folds_of(g) * cube(g) / 4;
}

/* The factor, its inverse, and what folds make of it. */
static double closed_form(const pt_nesting *g)
{
    return cube(g) * 0.75;
}

pt_status pt_nested_price_of(pt_nested_price *price, const pt_nesting *g, pt_error *err)
{
    const pt_training *t = g->training;
    const double folds = (double)n_folds_of(g);
    const double F = (double)g->partitions->n_folds;
    if (guide_of(g)) {
        double choosing = 0;
        PT_TRY(pt_auto_flops(&choosing, t->ops, t->params, &t->problem, g->task, err));
        const double rounds = F * (double)g->partitions->count;
        price->plain = choosing + closed_form(g);
        price->nested = choosing * (1 + rounds * 4 / (3 * F * F)) +
                        fmin(3 * closed_form(g), train_all_folds(g));
        return PT_OK;
    }
    pt_plan plan = {0};
    double choosing = 0;
    pt_status status =
        t->ops->plan ? t->ops->plan(&t->problem, t->params, g->task, &plan, err) : PT_OK;
    if (status == PT_OK && g->resolved)
        status = pt_auto_flops(&choosing, t->ops, t->params, &t->problem, g->task, err);
    const bool closed = g->resolved && pt_holdout_is_closed_form(t->ops, &t->problem, g->resolved);
    price->plain = choosing + (closed ? closed_form(g) : folds * plan.flops);
    price->nested = folds * (choosing + plan.flops);
    return status;
}

bool pt_nested_is_cheap(const pt_nested_price *price)
{
    return price->plain + price->nested <= DEAREST * price->plain || price->nested <= CHEAP;
}

/* *value <- the metric of the held-out scores (n x k) of a partition, where it is asked for. */
static pt_status judge(double *value, const pt_nesting *g, int64_t partition, const double *scores,
                       int64_t wrong, pt_error *err)
{
    const pt_labels *labels = g->training->problem.labels;
    const int64_t k = pt_labels_n_classes(labels);
    PT_FREED_BY(pt_tally_free) pt_tally tally = {0};
    value[partition] = NAN;
    if (wrong < 0) /* a fold had no answer */
        return PT_OK;
    PT_TRY(pt_tally_init(&tally, labels, k, 1u << g->metric, g->rules, err));
    for (int64_t i = 0; i < labels->n; i++)
        if (pt_is_held(g->partitions, partition, i))
            pt_tally_add(&tally, i, scores + i * k);
    PT_TRY(pt_tally_finish(&tally, g->task, err));
    value[partition] = pt_tally_metric(&tally, g->metric);
    return PT_OK;
}

/* ---- closed form ----------------------------------------------------------------------------- */

/* What each fold has chosen, and the points that are different. */
typedef struct nested {
    const pt_nesting *g;
    pt_params **chosen; /* one for each fold of each partition */
    int64_t *number;    /* of its point */
    const pt_params **points;
    int64_t n_points;
    double **scores; /* partitions: n x k */
    bool failed;
} nested;

static void nested_free(nested *s)
{
    pt_points_free(s->chosen, n_folds_of(s->g));
    for (int64_t p = 0; s->scores && p < s->g->partitions->count; p++)
        pt_free(s->scores[p]);
    pt_free(s->scores);
    pt_free(s->points);
    pt_free(s->number);
}

/* The parameters as settled, with what was left open open again. */
static pt_status open_again(pt_params **out, const pt_nesting *g, pt_error *err)
{
    static const pt_param_id OPEN[] = {PT_P_SIGMA, PT_P_RIDGE};
    pt_status status = pt_params_copy(out, g->resolved, err);
    for (size_t i = 0; i < sizeof OPEN / sizeof *OPEN && status == PT_OK; i++)
        if (pt_params_is_auto(g->training->params, OPEN[i]))
            status = pt_params_set(*out, pt_param_name(OPEN[i]), "auto", err);
    return status;
}

static bool same_choice(const pt_params *a, const pt_params *b)
{
    return strcmp(pt_params_text(a, PT_P_SIGMA), pt_params_text(b, PT_P_SIGMA)) == 0 &&
           strcmp(pt_params_text(a, PT_P_RIDGE), pt_params_text(b, PT_P_RIDGE)) == 0;
}

static void list_points(nested *s)
{
    for (int64_t f = 0; f < n_folds_of(s->g); f++) {
        int64_t at = 0;
        while (at < s->n_points && !same_choice(s->points[at], s->chosen[f]))
            at++;
        if (at == s->n_points)
            s->points[s->n_points++] = s->chosen[f];
        s->number[f] = at;
    }
}

/* Keeps the rows of the folds that have chosen this point. */
static pt_status take_folds(void *context, int64_t point, int64_t partition, const double *scores,
                            pt_error *err)
{
    (void)err;
    nested *s = context;
    const pt_partitions *parts = s->g->partitions;
    const int64_t n = s->g->training->problem.rows.n;
    const int64_t k = pt_labels_n_classes(s->g->training->problem.labels);
    for (int64_t i = 0; i < n; i++) {
        const int64_t fold = parts->fold[partition][i];
        if (!pt_is_held(parts, partition, i) ||
            s->number[partition * parts->n_folds + fold] != point)
            continue;
        if (scores)
            memcpy(s->scores[partition] + i * k, scores + i * k, (size_t)k * sizeof(double));
        else
            s->scores[partition][i * k] = NAN;
    }
    return PT_OK;
}

static void count_wrong(const nested *s, int64_t *wrong)
{
    const pt_labels *labels = s->g->training->problem.labels;
    const int64_t k = pt_labels_n_classes(labels);
    for (int64_t p = 0; p < s->g->partitions->count; p++) {
        wrong[p] = 0;
        for (int64_t i = 0; i < labels->n && wrong[p] >= 0; i++)
            if (pt_is_held(s->g->partitions, p, i))
                wrong[p] = isnan(s->scores[p][i * k])
                               ? -1
                               : wrong[p] + !pt_label_is_right(labels, i, s->scores[p] + i * k);
    }
}

static pt_status nested_closed(int64_t *wrong, double *value, const pt_nesting *g,
                               pt_ls_auto_fn guide, pt_error *err)
{
    const pt_training *t = g->training;
    const int64_t folds = n_folds_of(g);
    const int64_t cells = t->problem.rows.n * pt_labels_n_classes(t->problem.labels);
    PT_FREED_BY(pt_params_free_at) pt_params *open = NULL;
    PT_FREED_BY(nested_free) nested s = {.g = g};
    s.chosen = pt_alloc_zero(folds, sizeof(pt_params *), "folds", err);
    s.number = pt_alloc(folds, sizeof(int64_t), "folds", err);
    s.points = pt_alloc(folds, sizeof(*s.points), "folds", err);
    s.scores = pt_alloc_zero(g->partitions->count, sizeof(double *), "held-out scores", err);
    if (!s.chosen || !s.number || !s.points || !s.scores)
        return PT_ENOMEM;
    for (int64_t p = 0; p < g->partitions->count; p++) {
        s.scores[p] = pt_alloc(cells, sizeof(double), "held-out scores", err);
        if (!s.scores[p])
            return PT_ENOMEM;
    }
    PT_TRY(open_again(&open, g, err));
    PT_TRY(pt_auto_without_folds(guide, s.chosen, open, &t->problem, g->partitions, g->task, err));
    list_points(&s);
    PT_TRY(pt_validate(&(pt_validation){.ops = t->ops,
                                        .problem = &t->problem,
                                        .points = s.points,
                                        .n_points = s.n_points,
                                        .partitions = g->partitions,
                                        .take = take_folds,
                                        .context = &s,
                                        .remarks = g->remarks},
                       g->task, err));
    count_wrong(&s, wrong);
    for (int64_t p = 0; value && p < g->partitions->count; p++) /* there are no probabilities */
        PT_TRY(judge(value, g, p, s.scores[p], by_probabilities(g) ? -1 : wrong[p], err));
    return PT_OK;
}

/* ---- trials ---------------------------------------------------------------------------------- */

/* rows (n x k) of all <- those of a fold */
static void put_scores(double *scores, const double *of_fold, const int64_t *rows, int64_t held,
                       int64_t k)
{
    for (int64_t i = 0; i < held; i++)
        memcpy(scores + rows[i] * k, of_fold + i * k, (size_t)k * sizeof *scores);
}

/* One fold: *wrong grows by its errors, or is -1 where it has no answer; its rows of `scores` are
 * filled (NULL: not asked). Of what it warns of, what its machine says of its training counts: the
 * rest is of data and of what was chosen, which the search says of all rows. */
static pt_status run_fold(int64_t *wrong, double *scores, const pt_nesting *g, int64_t partition,
                          int64_t number, int64_t *rows, pt_error *err)
{
    const int64_t *fold = g->partitions->fold[partition];
    const int64_t n = g->data->n;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *train = NULL;
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *test = NULL;
    PT_FREED_BY(pt_warnings_free) pt_warnings said = {0};
    PT_SCRATCH unsigned char *verdict = NULL;
    PT_SCRATCH char *chosen = NULL;
    PT_SCRATCH double *of_fold = NULL;
    const pt_texts *classes = &g->training->problem.labels->classes;
    const bool past = g->partitions->past;
    int64_t held = 0;
    int64_t others = 0;
    for (int64_t i = 0; i < n; i++)
        if (fold[i] == number)
            rows[held++] = i;
    for (int64_t i = 0; i < n; i++)
        if (past ? fold[i] < number : fold[i] != number)
            rows[held + others++] = i;
    if (held == 0) /* of another repetition, which has more folds */
        return PT_OK;
    PT_TRY(pt_dataset_part(&train, g->data, rows + held, others, g->task, err));
    PT_TRY(pt_dataset_subset(&test, g->data, rows, held, g->task, err));
    PT_TRY(PT_NEW(verdict, held, "verdicts", err));
    if (scores)
        PT_TRY(PT_NEW(of_fold, held * classes->count, "scores", err));
    const pt_trial trial = {.train = train,
                            .test = test,
                            .params = g->training->params,
                            .metric = g->metric,
                            .verdict = verdict,
                            .scores = of_fold,
                            .classes = classes,
                            .chosen = &chosen,
                            .trained = &said};
    const pt_status status = pt_trial_run(&trial, g->task, err);
    if (status == PT_ENUMERIC) {
        *wrong = -1;
        return PT_OK;
    }
    PT_TRY(status);
    for (int64_t i = 0; i < held; i++)
        *wrong += verdict[i] == PT_WRONG;
    if (scores)
        put_scores(scores, of_fold, rows, held, classes->count);
    return pt_remarks_note(g->remarks, partition * g->partitions->n_folds + number, &said, err);
}

static pt_status nested_trials(int64_t *wrong, double *value, const pt_nesting *g, pt_error *err)
{
    const pt_partitions *parts = g->partitions;
    if (pt_kernel_is_precomputed(g->training->params))
        return pt_fail(
            err, PT_ENOSUPPORT,
            "folds of a precomputed kernel cannot be nested with this machine; leave `nested` out");
    PT_SCRATCH int64_t *rows = NULL;
    PT_SCRATCH double *scores = NULL;
    PT_TRY(PT_NEW(rows, g->data->n, "a fold", err));
    if (value)
        PT_TRY(PT_NEW(scores, g->data->n * pt_labels_n_classes(g->training->problem.labels),
                      "held-out scores", err));
    for (int64_t p = 0; p < parts->count; p++) {
        wrong[p] = 0;
        for (int64_t f = 0; f < parts->n_folds && wrong[p] >= 0; f++) {
            pt_task_begin_part(g->task, "nested folds", p * parts->n_folds + f, n_folds_of(g));
            const pt_status status = run_fold(&wrong[p], scores, g, p, f, rows, err);
            pt_task_end_part(g->task);
            PT_TRY(status);
        }
        if (value)
            PT_TRY(judge(value, g, p, scores, wrong[p], err));
    }
    return PT_OK;
}

pt_status pt_nested_errors(int64_t *wrong, double *value, const pt_nesting *g, pt_error *err)
{
    const pt_ls_auto_fn guide = guide_of(g);
    return guide ? nested_closed(wrong, value, g, guide, err) : nested_trials(wrong, value, g, err);
}
