/* constraint: constraint classification (HRZ). A label is a partial order over classes, a set of
 * pairs (a, b): class a is to come before class b. There is a linear function for each class, and
 * the order of the classes of x is that of v_r . x: an example is right where v_a . x > v_b . x
 * holds for all its pairs.
 *
 *     label     pairs
 *     class y   (y, r) for all r != y
 *     set L     (a, b) for a in L, b not in L; and a threshold t, a class that is nobody's:
 *               (a, t) for a in L, (t, b) for b not in L, so that the scores say where L ends
 *     ranking   (a, b) for a in one group of equal ranks, b in any later one, or (--pairs next)
 *               in the next
 *     pairs     as they are
 *
 * A pair is one example of a linear classifier in R^(kd), x at a and -x at b (Kesler's
 * construction), which nobody ever makes. What learns from the pairs is the method
 * (constraint.h):
 *
 *     svm      the support vector machine over pairs (constraint_svm.c)
 *     hard     the one of the largest margin, without errors (constraint_hard.c)
 *     online   pairs in the wrong order move weights, row by row (constraint_online.c)
 *
 * The bias is the weight of a feature that is 1 in every row (one threshold for each class in HRZ
 * section 5).
 *
 *   W        (d + 1) x k', column-major: what a method gives; k' = k, and one more for sets
 *   scores   of class r w_r . x; for sets less w_t . x, and 0 is the threshold */

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "kernels/expansion.h"
#include "kernels/kernel_params.h"
#include "kernels/own_kernel.h"
#include "machines/svm/constraint.h"
#include "params/params_table.h"
#include "store/pack.h"
#include "validate/auto.h"

enum { BATCH = 1024 }; /* rows whose scores are computed together */

typedef struct constraint {
    pt_machine base;
    pt_expansion scores;
    pt_figure figure[PT_FIGURES];
    int64_t n_figures;
    pt_real_figure real[PT_FIGURES];
    int64_t n_reals;
    bool trained; /* not from a file: there is */
    pt_pair_theory theory;
} constraint;

static bool is_online(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_METHOD), "online") == 0;
}

static bool is_hard(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_METHOD), "hard") == 0;
}

static bool is_linear(const pt_params *params)
{
    const pt_kernel_ops *kernel = pt_kernel_of(params);
    return !kernel || kernel->linear; /* auto is */
}

unsigned pt_constraint_pairs(const pt_params *params)
{
    const bool all = strcmp(pt_params_text(params, PT_P_PAIRS), "all") == 0;
    return PT_PAIRS_THRESHOLD | (all ? PT_PAIRS_CLOSED : 0);
}

/* What the method and its update use. */
static bool constraint_uses(const pt_params *params, const char *parameter)
{
    const char *update = pt_params_text(params, PT_P_UPDATE);
    const bool online = is_online(params);
    if (strcmp(parameter, "gap") == 0)
        return !online && !is_hard(params);
    if (strcmp(parameter, "C") == 0)
        return online ? strcmp(update, "pa") == 0 : !is_hard(params);
    if (strcmp(parameter, "alpha") == 0)
        return online && strstr(update, "winnow") != NULL;
    if (pt_word_listed("update,violated,epochs,patience,hash-bits", ',', parameter,
                       strlen(parameter)))
        return online;
    return true;
}

/* What a method does not look at is refused. */
static pt_status constraint_check(const pt_params *params, pt_error *err)
{
    static const pt_param_id of_kernels[] = {PT_P_SIGMA, PT_P_RBF_GAMMA, PT_P_DEGREE, PT_P_COEF0};
    for (size_t c = 0; c < sizeof of_kernels / sizeof *of_kernels; c++)
        if (pt_params_is_auto(params, PT_P_KERNEL) && pt_params_set_by_user(params, of_kernels[c]))
            return pt_fail(
                err, PT_EINVAL,
                "`%s` is not used: functions of constraint are linear where `kernel` is not given",
                pt_param_name(of_kernels[c]));
    if (is_online(params) && !is_linear(params))
        return pt_fail(err, PT_EINVAL,
                       "functions of `method=online` are linear; leave out `kernel=%s`",
                       pt_params_text(params, PT_P_KERNEL));
    static const pt_param_id BY_METHOD[] = {PT_P_GAP,      PT_P_C,        PT_P_ALPHA,
                                            PT_P_UPDATE,   PT_P_VIOLATED, PT_P_EPOCHS,
                                            PT_P_PATIENCE, PT_P_HASH_BITS};
    for (int i = 0; i < (int)(sizeof BY_METHOD / sizeof *BY_METHOD); i++) {
        const char *name = pt_param_name(BY_METHOD[i]);
        if (!pt_params_set_by_user(params, BY_METHOD[i]) || constraint_uses(params, name))
            continue;
        return pt_fail(err, PT_EINVAL,
                       is_online(params) ? "`%s` is not used with `method=%s` `update=%s`"
                                         : "`%s` is not used with `method=%s`",
                       name, pt_params_text(params, PT_P_METHOD),
                       pt_params_text(params, PT_P_UPDATE));
    }
    return PT_OK;
}

/* Of labels that are no classes, and of sets by winnow, fit refuses it, too. */
static pt_status constraint_check_start(const pt_params *params, pt_error *err)
{
    if (is_hard(params))
        return pt_fail(err, PT_EINVAL,
                       "`start`: `method=hard` cannot begin with a model; `method=svm` can, with a "
                       "kernel that is not linear, and `method=online`");
    if (is_online(params) || !is_linear(params))
        return PT_OK;
    return pt_fail(
        err, PT_EINVAL,
        "`start`: with `kernel=linear` a model of `method=svm` keeps weights of columns, "
        "not the coefficients of rows that its dual would begin with; with other kernels "
        "it can, and with `method=online`");
}

/* ---- training -------------------------------------------------------------------------------- */

/* w_r <- w_r - w_t of the first k functions. */
static void subtract_threshold(double *W, int64_t d, int64_t k)
{
    const double *threshold = W + k * (d + 1);
    for (int64_t r = 0; r < k; r++)
        for (int64_t f = 0; f <= d; f++)
            W[r * (d + 1) + f] -= threshold[f];
}

/* The sum of squares of all functions; before the threshold is subtracted. */
static double square_of(const pt_constraint_training *t)
{
    double square = 0;
    for (int64_t c = 0; c < t->k * (t->d + 1); c++)
        square += t->W[c] * t->W[c];
    return square;
}

/* *out <- k(x, x) of example i: its base is x . x, a distance of 0, what the row has for it, or
 * what a program's kernel says. */
static pt_status own_value(const pt_constraint_training *t, int64_t i, double *out, pt_error *err)
{
    const pt_rows *rows = &t->problem->rows;
    const pt_kernel_callbacks *own = t->kernel.ops->own;
    const pt_kernel_base base = t->kernel.ops->base;
    const int64_t first = rows->dense ? i * rows->stride : rows->start[i];
    const int64_t last = rows->dense ? first + rows->d : rows->start[i + 1];
    double value = base == PT_BASE_ROW ? pt_rows_value(rows, rows->dense, first + i) : 0;
    for (int64_t p = first; p < last && base == PT_BASE_DOT; p++) {
        const double x = pt_rows_value(rows, rows->dense ? rows->dense : rows->value, p);
        value += x * x;
    }
    if (own) {
        PT_FREED_BY(pt_rows_owned_free) pt_rows_owned wide = {0};
        const pt_rows one = pt_rows_range(rows, i, 1);
        pt_rows seen;
        PT_TRY(pt_own_rows(&seen, &wide, own, &one, !rows->dense, t->task, err));
        PT_TRY(pt_own_diagonal(own, &seen, &value, err));
    }
    pt_kernel_map(&t->kernel, PT_F64, 1, 1, &value, 1);
    *out = value;
    return PT_OK;
}

/* What the scores of example i (k, and the threshold's) say of its pairs; *least <- the smallest z.
 */
static void note_example(pt_pair_theory *theory, const pt_constraint_training *t, int64_t i,
                         const double *scores, pt_label_pair *pairs, double *least)
{
    const int64_t count = pt_label_pairs_of(t->problem->labels, i, t->how, pairs);
    double z = INFINITY;
    for (int64_t p = 0; p < count; p++)
        z = fmin(z, scores[pairs[p].before] - scores[pairs[p].after]);
    theory->m += count > 0;
    theory->wrong += count > 0 && !(z > 0);
    theory->most_pairs = count > theory->most_pairs ? count : theory->most_pairs;
    *least = fmin(*least, z);
}

/* The margins that the machine's own scores of the training rows leave. */
static pt_status find_theory(constraint *m, const pt_constraint_training *t, double square,
                             pt_error *err)
{
    const pt_rows *rows = &t->problem->rows;
    const int64_t k = pt_labels_n_classes(t->problem->labels);
    pt_pair_theory theory = {
        .k = t->k, .d = t->by_kernel ? INFINITY : (double)(t->d + t->bias), .norm = sqrt(square)};
    double least = INFINITY;
    const int64_t most = pt_label_pairs_most(t->problem->labels, t->how);
    PT_SCRATCH double *scores = pt_alloc(BATCH * k, sizeof *scores, "scores", err);
    PT_SCRATCH double *one = pt_alloc_zero(k + 1, sizeof *one, "scores", err); /* threshold: 0 */
    PT_SCRATCH pt_label_pair *pairs = pt_alloc(most, sizeof *pairs, "pairs", err);
    if (!scores || !one || !pairs)
        return PT_ENOMEM;
    for (int64_t from = 0; from < rows->n; from += BATCH) {
        const int64_t some = pt_lesser(rows->n - from, BATCH);
        const pt_rows batch = pt_rows_range(rows, from, some);
        PT_TRY(pt_expansion_outputs(&m->scores, &batch, scores, t->task, err));
        for (int64_t i = 0; i < some; i++) {
            memcpy(one, scores + i * k, (size_t)k * sizeof *one);
            note_example(&theory, t, from + i, one, pairs, &least);
            double square_of_row = 0;
            PT_TRY(own_value(t, from + i, &square_of_row, err));
            theory.radius = fmax(theory.radius, square_of_row + t->bias);
        }
    }
    theory.radius = sqrt(theory.radius);
    pt_pair_theory_complete(&theory, least);
    m->theory = theory;
    m->trained = true;
    return PT_OK;
}

/* coef (patterns x k, or of all rows, column-major) and bias <- tau, less the threshold's. */
static void take_tau(const pt_constraint_training *t, int64_t k, const pt_expansion_parts *parts)
{
    for (int64_t c = 0; c < t->patterns; c++) {
        const double *tau = t->tau + c * t->k;
        for (int64_t r = 0; r < k; r++) {
            const double value = tau[r] - (t->k > k ? tau[k] : 0);
            parts->coef[r * parts->n_coef + (parts->chosen ? c : t->support[c])] = value;
            if (parts->bias)
                parts->bias[r] += value;
        }
    }
}

static pt_status keep_kernel(constraint *m, const pt_constraint_training *t, int64_t k,
                             pt_error *err)
{
    static const int64_t FIRST = 0; /* for a machine that says nothing */
    const pt_rows *rows = &t->problem->rows;
    const bool all = pt_kernel_is_row(&t->kernel);
    pt_expansion_parts parts = {.kernel = t->kernel,
                                .type = rows->type,
                                .m = k,
                                .n_coef = all               ? rows->n
                                          : t->patterns > 0 ? t->patterns
                                                            : 1,
                                .linear = all,
                                .rows = rows,
                                .chosen = all               ? NULL
                                          : t->patterns > 0 ? t->support
                                                            : &FIRST,
                                .task = t->task};
    parts.coef = pt_alloc_zero(parts.n_coef * k, sizeof(double), "coefficients", err);
    parts.bias = t->bias ? pt_alloc_zero(k, sizeof(double), "a bias", err) : NULL;
    if (!parts.coef || (t->bias && !parts.bias)) {
        pt_free(parts.coef);
        pt_free(parts.bias);
        return PT_ENOMEM;
    }
    take_tau(t, k, &parts);
    return pt_expansion_take(&m->scores, &parts, err);
}

static pt_status keep(constraint *m, pt_constraint_training *t, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(t->problem->labels);
    const double square = t->by_kernel ? t->square : square_of(t);
    if (t->k > k && !t->by_kernel)
        subtract_threshold(t->W, t->d, k);
    memcpy(m->figure, t->figure, sizeof m->figure);
    memcpy(m->real, t->real, sizeof m->real);
    m->n_figures = t->n_figures;
    m->n_reals = t->n_reals;
    PT_TRY(t->by_kernel ? keep_kernel(m, t, k, err)
                        : pt_expansion_take_linear(&m->scores, t->problem->rows.type, t->d, k, t->W,
                                                   1, t->bias, t->task, err));
    return find_theory(m, t, square, err);
}

static const struct {
    const char *name; /* of --method */
    pt_status (*train)(pt_constraint_training *t, pt_error *err);
} METHODS[] = {
    {"svm", pt_constraint_svm},
    {"hard", pt_constraint_hard},
    {"online", pt_constraint_online},
};
enum { N_METHODS = sizeof METHODS / sizeof *METHODS };

static pt_status train(pt_constraint_training *t, pt_error *err)
{
    const char *name = pt_params_text(t->params, PT_P_METHOD);
    for (int c = 0; c < N_METHODS; c++)
        if (strcmp(METHODS[c].name, name) == 0)
            return METHODS[c].train(t, err);
    return pt_fail(err, PT_EINVAL, "there is no method '%s'", name);
}

pt_status pt_constraint_refuse_start(const pt_constraint_training *t, pt_error *err)
{
    return pt_fail(
        err, PT_EINVAL,
        "`start`: of `method` %s there is nothing to begin with in a model, but with svm, a "
        "kernel other than linear and labels that are classes, and with online (of sets "
        "not by winnow)",
        pt_params_text(t->params, PT_P_METHOD));
}

static void training_free(pt_constraint_training *t)
{
    pt_free(t->tau);
    pt_free(t->support);
    pt_free(t->W);
}

static pt_status constraint_fit(pt_machine *machine, const pt_problem *problem,
                                const pt_params *params, const pt_task *task, pt_warnings *warnings,
                                pt_error *err)
{
    PT_FREED_BY(training_free)
    pt_constraint_training t = {.problem = problem,
                                .params = params,
                                .task = task,
                                .warnings = warnings,
                                .how = pt_constraint_pairs(params),
                                .d = problem->rows.d,
                                .bias = pt_params_flag(params, PT_P_BIAS)};
    t.k = pt_label_pairs_n_classes(problem->labels, t.how);
    if (problem->start) {
        t.start = &((const constraint *)problem->start->machine)->scores;
        t.start_params = problem->start->params;
    }
    PT_TRY(pt_kernel_from_params(&t.kernel, params, err));
    t.by_kernel = !t.kernel.ops->linear;
    if (!t.by_kernel) {
        size_t bytes = 0;
        if (!pt_size_mul((size_t)(t.d + 1), sizeof(double), &bytes))
            return pt_fail_memory(err, "weights", SIZE_MAX);
        if (!(t.W = pt_alloc_zero(t.k, bytes, "weights", err)))
            return PT_ENOMEM;
    }
    PT_TRY(train(&t, err));
    return keep((constraint *)machine, &t, err);
}

pt_status pt_machine_constraint_from(pt_machine **out, pt_type type, int64_t d, int64_t k,
                                     const double *W, bool bias, const pt_figure *figures,
                                     int64_t n_figures, pt_error *err)
{
    PT_FREED_BY(pt_machine_free_at)
    pt_machine *machine = pt_machine_new(&pt_machine_constraint, err);
    constraint *m = (constraint *)machine;
    if (!m)
        return PT_ENOMEM;
    memcpy(m->figure, figures, (size_t)n_figures * sizeof *figures);
    m->n_figures = n_figures;
    PT_TRY(pt_expansion_take_linear(&m->scores, type, d, k, W, 1, bias, NULL, err));
    *out = pt_keep(&machine);
    return PT_OK;
}

static pt_status constraint_plan(const pt_problem *problem, const pt_params *params,
                                 const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)err;
    const pt_rows *rows = &problem->rows;
    const unsigned how = pt_constraint_pairs(params);
    const int64_t k = pt_label_pairs_n_classes(problem->labels, how);
    if (!is_linear(params)) {
        plan->bytes = is_hard(params) ? pt_constraint_kernel_bytes(problem, how)
                                      : pt_constraint_svm_bytes(problem, how, true);
        plan->flops = (double)rows->n * (double)rows->n * (double)rows->d;
        if (is_hard(params))
            pt_constraint_hard_factor(problem, how, task, plan);
        snprintf(plan->route, sizeof plan->route, "%s of the pairs by kernel values",
                 is_hard(params) ? "largest margin" : "dual");
        return PT_OK;
    }
    const bool online = is_online(params);
    const int64_t epochs = pt_params_integer(params, PT_P_EPOCHS);
    /* Guesses, but of epochs: some steps for each pair that may have a multiplier, or fifty. */
    const double passes = is_hard(params) ? 10 * (double)k * (double)(rows->d + 1)
                          : !online       ? 50
                          : epochs        ? (double)epochs
                                          : 100;
    plan->bytes = (online            ? pt_constraint_online_bytes(problem, params, how)
                   : is_hard(params) ? pt_constraint_hard_bytes(problem, how)
                                     : pt_constraint_svm_bytes(problem, how, false)) +
                  24 * (double)rows->d * (double)k; /* W, the model's, and that of the scores */
    plan->flops = 2 * passes * (double)pt_rows_stored(rows) * (double)k;
    snprintf(plan->route, sizeof plan->route, "%s of the pairs, %lld linear functions",
             online            ? "online updates"
             : is_hard(params) ? "largest margin"
                               : "dual",
             (long long)k);
    return PT_OK;
}

static pt_status constraint_resolve(pt_params *params, const pt_problem *problem,
                                    const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    (void)warnings;
    if (problem->labels->kind != PT_LABEL_RANKING && pt_params_set_by_user(params, PT_P_PAIRS))
        return pt_fail(err, PT_EINVAL, "`pairs` is not used: it is for labels that are rankings");
    if (pt_params_integer(params, PT_P_HASH_BITS) > 0)
        return pt_fail(err, PT_EINVAL, "`hash-bits` is for streams, which are learned online");
    if (is_online(params) && pt_params_integer(params, PT_P_EPOCHS) == 0 &&
        !pt_params_set_by_user(params, PT_P_UPDATE)) /* an average may still make mistakes */
        PT_TRY(pt_params_set(params, "update", "perceptron", err));
    return pt_auto_by_training(&pt_machine_constraint, params, problem, task, err);
}

/* ---- scores, the file, the table entry ------------------------------------------------------- */

static pt_status constraint_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                                 int64_t n_classes, const pt_params *params, int64_t *used,
                                 const pt_task *task, pt_error *err)
{
    constraint *m = (constraint *)machine;
    PT_FREED_BY(pt_params_free_at) pt_params *own = NULL;
    PT_TRY(pt_params_copy(&own, params, err));
    if (pt_params_is_auto(own, PT_P_KERNEL))
        PT_TRY(pt_params_set(own, "kernel", "linear", err));
    PT_TRY(pt_expansion_load(&m->scores, pack, n_inputs, n_classes, own, used, task, err));
    if (m->scores.column)
        *used = 0; /* it has none of these */
    if (*used == pack->count && !m->scores.bias == pt_params_flag(params, PT_P_BIAS))
        return pt_fail(err, PT_EFORMAT, "the model %s",
                       m->scores.bias ? "has a bias, and says that it has none" : "lacks its bias");
    return PT_OK;
}

static pt_status constraint_describe(const pt_machine *machine, const pt_texts *classes,
                                     pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    const constraint *m = (const constraint *)machine;
    for (int64_t f = 0; f < m->n_figures; f++)
        pt_describe_count(description, m->figure[f].name, m->figure[f].value);
    for (int64_t f = 0; f < m->n_reals; f++)
        pt_describe_real(description, m->real[f].name, m->real[f].value);
    description->pair_theory = m->trained ? &m->theory : NULL;
    return PT_OK;
}

const pt_machine_ops pt_machine_constraint = {
    .name = "constraint",
    .summary = "constraint classification (HRZ): classes, sets, rankings and pairs of classes",
    .parameters =
        "method,pairs,C,gap,update,violated,epochs,patience,alpha,hash-bits,bias,class-weight,"
        "precision,auto-rows,kernel",
    .warm = "C,gap,epochs,patience,alpha,class-weight",
    .check_start = constraint_check_start,
    .defaults = "bias=yes,kernel=linear",
    .label_kinds =
        1u << PT_LABEL_CLASS | 1u << PT_LABEL_SET | 1u << PT_LABEL_RANKING | 1u << PT_LABEL_PAIRS,
    .capabilities =
        PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_END_EARLY | PT_CAN_VALID | PT_CAN_VALID_ANY,
    .uses = constraint_uses,
    .check = constraint_check,
    .size = sizeof(constraint),
    .plan = constraint_plan,
    .fit = constraint_fit,
    .scores = pt_expansion_machine_scores,
    .free = pt_expansion_machine_free,
    .save = pt_expansion_machine_save,
    .load = constraint_load,
    .resolve = constraint_resolve,
    .describe = constraint_describe,
};
