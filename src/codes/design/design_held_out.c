/* Held-out figures of designed codes: folds of the examples, and a grid of C.
 *
 * What C means depends on the unit of the outputs. For the norm 2 it is C k(h, h) that counts, for
 * the others C |h|; the grid is around the inverse of their means, by factors of STEP. The program
 * of the norm 2 goes through it from one solution to the next. A class has about 2 / k of the pairs
 * of an example in the form pairs, each of which pulls at it: so many times smaller is C there. */
#include "codes/design/design_held_out.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "codes/design/design_l2.h"
#include "codes/design/design_pairs.h"

enum { POINTS = 9 };
static const double STEP = 4;

/* Powers of STEP that are tried. Linear programs, and pairs with a kernel, have no path and take
 * long: every other one; the sum of all |M_rt| is large, and so is the C that lets it be. */
typedef struct grid {
    int first;
    int stride;
    int points;
} grid;

static grid grid_of(const pt_design_how *how)
{
    static const grid by_kernel = {-5, 2, PT_DESIGN_PROGRAMS};
    static const grid squares = {-5, 1, POINTS};
    static const grid sum = {-2, 2, PT_DESIGN_PROGRAMS};
    static const grid largest = {-4, 2, PT_DESIGN_PROGRAMS};
    if (how->form == PT_DESIGN_PAIRS && how->kernel.ops)
        return by_kernel;
    return how->norm == PT_NORM_2 ? squares : how->norm == PT_NORM_1 ? sum : largest;
}

/* Of the examples that take part; fold NULL: all do. */
static double total_weight(const pt_design_data *data, const int64_t *fold)
{
    double sum = 0;
    for (int64_t i = 0; i < data->m; i++)
        sum += fold && fold[i] < 0 ? 0 : pt_weight(data->weight, i);
    return sum;
}

static double cost_sum(const pt_design_data *data, const double *scores)
{
    double sum = 0;
    for (int64_t i = 0; i < data->m; i++) {
        const int64_t said = pt_first_largest(scores + i * data->k, data->k);
        sum += pt_weight(data->weight, i) * pt_design_margin(data, i, said);
    }
    return sum;
}

double pt_design_cost(const pt_design_data *data, const double *scores)
{
    return cost_sum(data, scores) / total_weight(data, NULL);
}

/* ---- some of the examples -------------------------------------------------------------------- */

typedef struct some_examples {
    pt_design_data data;
    double *H;
    int64_t *class_of; /* NULL where there are none, as labels */
    pt_labels *labels;
    double *weight;
} some_examples;

static void some_free(some_examples *some)
{
    pt_free(some->H);
    pt_free(some->class_of);
    pt_labels_free(some->labels);
    pt_free(some->weight);
    *some = (some_examples){0};
}

static bool takes_part(int64_t fold, int64_t number, bool inside)
{
    return fold >= 0 && (fold == number) == inside;
}

/* some->labels <- those of the m examples that take part. */
static pt_status some_labels(some_examples *some, const pt_labels *labels, int64_t m,
                             const int64_t *fold, int64_t number, bool inside, pt_error *err)
{
    int64_t *chosen = pt_alloc(m, sizeof *chosen, "examples", err);
    int64_t at = 0;
    if (!chosen)
        return PT_ENOMEM;
    for (int64_t i = 0; i < labels->n; i++)
        if (takes_part(fold[i], number, inside))
            chosen[at++] = i;
    const pt_status status = pt_labels_subset(&some->labels, labels, chosen, m, err);
    pt_free(chosen);
    return status;
}

/* Those of fold `number`, or those of the others. */
static pt_status some_init(some_examples *some, const pt_design_data *data, const int64_t *fold,
                           int64_t number, bool inside, pt_error *err)
{
    const int64_t ell = data->ell;
    int64_t m = 0;
    for (int64_t i = 0; i < data->m; i++)
        m += takes_part(fold[i], number, inside);
    some->H = pt_alloc(m, (size_t)ell * sizeof(double), "outputs", err);
    some->class_of = data->class_of ? pt_alloc(m, sizeof(int64_t), "classes", err) : NULL;
    some->weight = pt_alloc(m, sizeof(double), "weights", err);
    if (!some->H || !some->class_of != !data->class_of || !some->weight)
        return PT_ENOMEM;
    int64_t at = 0;
    for (int64_t i = 0; i < data->m; i++) {
        if (!takes_part(fold[i], number, inside))
            continue;
        memcpy(some->H + at * ell, data->H + i * ell, (size_t)ell * sizeof(double));
        if (data->class_of)
            some->class_of[at] = data->class_of[i];
        some->weight[at++] = pt_weight(data->weight, i);
    }
    some->data = (pt_design_data){.m = m,
                                  .k = data->k,
                                  .ell = ell,
                                  .H = some->H,
                                  .class_of = some->class_of,
                                  .weight = some->weight,
                                  .costs = data->costs};
    if (!data->labels)
        return PT_OK;
    const pt_status status = some_labels(some, data->labels, m, fold, number, inside, err);
    some->data.labels = some->labels;
    return status;
}

/* ---- a fold ---------------------------------------------------------------------------------- */

typedef struct held_out {
    const pt_design_how *how;
    const double *C; /* points that are tried, ascending */
    int64_t points;
    pt_design_worth *sum; /* for each */
    int64_t tried;        /* points of all folds, */
    int64_t programs;     /* of so many */
} held_out;

static pt_status add_worth(const pt_design_data *test, const held_out *h, const pt_designed *code,
                           double *scores, pt_design_worth *sum, const pt_task *task, pt_error *err)
{
    const bool by_pairs = h->how->form == PT_DESIGN_PAIRS;
    pt_pair_sums pairs = {0};
    PT_TRY(pt_designed_scores(code, test->m, test->H, scores, task, err));
    if (by_pairs)
        PT_TRY(pt_design_pair_sums(&pairs, test, scores, err));
    sum->cost += test->class_of ? cost_sum(test, scores) : pairs.wrong;
    sum->slack += by_pairs ? pairs.slack : pt_design_slack(test, scores, 1);
    return PT_OK;
}

/* Whether solutions for one C lead to those for another. */
static bool has_path(const pt_design_how *how)
{
    return how->norm == PT_NORM_2 && how->form == PT_DESIGN_SOFT && !how->incremental;
}

static pt_status design_point(pt_designed *code, const held_out *h, int64_t point, pt_l2_path *path,
                              const pt_design_data *train, const pt_task *task, pt_error *err)
{
    pt_design_result result = {0};
    pt_design_how how = *h->how;
    how.C = h->C[point];
    return path ? pt_l2_path_solve(path, how.C, code, &result, task, err)
                : pt_design(code, train, &how, &result, task, err);
}

/* Programs are what takes time, and they are what is told of. */
static void tell_tried(held_out *h, const pt_task *task)
{
    pt_task_progress_whole(task, "trying codes", (double)h->tried, (double)h->programs);
}

static pt_status try_points(held_out *h, const pt_design_data *train, const pt_design_data *test,
                            const pt_task *task, pt_error *err)
{
    pt_l2_path *path = NULL;
    pt_status status = has_path(h->how) ? pt_l2_path_open(&path, train, h->how, task, err) : PT_OK;
    double *scores = pt_alloc(test->m, (size_t)test->k * sizeof *scores, "scores", err);
    if (status == PT_OK && !scores)
        status = PT_ENOMEM;
    for (int64_t i = 0; i < h->points && status == PT_OK; i++) {
        pt_designed code = {0};
        status = design_point(&code, h, i, path, train, task, err);
        if (status == PT_OK)
            status = add_worth(test, h, &code, scores, &h->sum[i], task, err);
        pt_designed_free(&code);
        h->tried++;
        tell_tried(h, task);
    }
    pt_free(scores);
    pt_l2_path_close(path);
    return status;
}

static pt_status try_fold(held_out *h, const pt_design_data *data, const int64_t *fold,
                          int64_t number, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(some_free) some_examples train = {0};
    PT_FREED_BY(some_free) some_examples test = {0};
    PT_TRY(some_init(&train, data, fold, number, false, err));
    PT_TRY(some_init(&test, data, fold, number, true, err));
    if (train.data.m > 0 && test.data.m > 0)
        PT_TRY(try_points(h, &train.data, &test.data, task, err));
    return PT_OK;
}

static pt_status try_folds(held_out *h, const pt_design_data *data, const int64_t *fold,
                           int64_t n_folds, const pt_task *task, pt_error *err)
{
    const double total = total_weight(data, fold);
    pt_status status = PT_OK;
    memset(h->sum, 0, (size_t)h->points * sizeof *h->sum);
    pt_task_begin_whole(task);
    h->tried = 0;
    h->programs = n_folds * h->points;
    tell_tried(h, task);
    for (int64_t f = 0; f < n_folds && status == PT_OK; f++)
        status = try_fold(h, data, fold, f, task, err);
    pt_task_end_whole(task);
    for (int64_t i = 0; i < h->points; i++) {
        h->sum[i].cost /= total;
        h->sum[i].slack /= total;
    }
    return status;
}

/* ---- one point, and the grid ----------------------------------------------------------------- */

pt_status pt_design_held_out(pt_design_worth *worth, const pt_design_data *data,
                             const pt_design_how *how, const int64_t *fold, int64_t n_folds,
                             const pt_task *task, pt_error *err)
{
    held_out h = {.how = how, .C = &how->C, .points = 1, .sum = worth};
    return try_folds(&h, data, fold, n_folds, task, err);
}

/* The unit of 1 / C. */
static double unit_of(const pt_design_data *data, const pt_design_how *how)
{
    const bool squared = how->norm == PT_NORM_2;
    const double pulls =
        how->form == PT_DESIGN_PAIRS ? 2 * pt_design_mean_pairs(data) / (double)data->k : 1;
    const double weight = fmax(pulls, 1) * total_weight(data, NULL) / (double)data->m;
    double sum = 0;
    if (how->kernel.ops && how->kernel.ops->base != PT_BASE_DOT)
        return weight;
    for (int64_t i = 0; i < data->m; i++) {
        double size = 0;
        for (int64_t t = 0; t < data->ell; t++)
            size += squared ? data->H[i * data->ell + t] * data->H[i * data->ell + t]
                            : fabs(data->H[i * data->ell + t]);
        if (how->kernel.ops)
            pt_kernel_map(&how->kernel, PT_F64, 1, 1, &size, 1);
        sum += size;
    }
    return sum > 0 && isfinite(sum) ? weight * sum / (double)data->m : weight;
}

pt_status pt_design_choose_C(pt_design_how *how, pt_design_worth *worth, const pt_design_data *data,
                             const int64_t *fold, int64_t n_folds, const pt_task *task,
                             pt_error *err)
{
    double C[POINTS];
    pt_design_worth sum[POINTS];
    const double unit = unit_of(data, how);
    const grid tried = grid_of(how);
    for (int i = 0; i < tried.points; i++)
        C[i] = pow(STEP, tried.first + i * tried.stride) / unit;
    if (n_folds < 2) {
        /* nothing to judge by */
        how->C = 1 / unit;
        *worth = (pt_design_worth){NAN, NAN};
        return PT_OK;
    }
    held_out h = {.how = how, .C = C, .points = tried.points, .sum = sum};
    PT_TRY(try_folds(&h, data, fold, n_folds, task, err));
    int best = 0;
    for (int i = 1; i < tried.points; i++)
        if (sum[i].cost < sum[best].cost)
            best = i;
    how->C = C[best];
    *worth = sum[best];
    return PT_OK;
}
