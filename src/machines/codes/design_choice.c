/* Held-out figures of designed codes, and the choice of C by them.
 *
 * What C means depends on the unit of the outputs. For the norm 2 it is C k(h, h) that counts, for
 * the others C |h|; the grid is around the inverse of their means, by factors of STEP. The program
 * of the norm 2 goes through it from one solution to the next. A class has about 2 / k of the pairs
 * of an example in the form pairs, each of which pulls at it: so many times smaller is C there. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "machine/subproblem.h"
#include "machines/codes/machine_designed.h"

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
    static const grid by_norm[PT_NORMS] = {[PT_NORM_1] = {-2, 2, PT_DESIGN_PROGRAMS},
                                           [PT_NORM_2] = {-5, 1, POINTS},
                                           [PT_NORM_INF] = {-4, 2, PT_DESIGN_PROGRAMS}};
    return how->form == PT_DESIGN_PAIRS && how->kernel.ops ? by_kernel : by_norm[how->norm];
}

pt_design_data pt_design_data_of(const pt_problem *outputs)
{
    return (pt_design_data){.m = outputs->rows.n,
                            .k = pt_labels_n_classes(outputs->labels),
                            .ell = outputs->rows.d,
                            .H = outputs->rows.dense,
                            .class_of = outputs->labels->class_of,
                            .labels = outputs->labels,
                            .weight = outputs->weight,
                            .costs = outputs->costs};
}

/* ---- folds ----------------------------------------------------------------------------------- */

typedef struct held_out {
    const pt_design_how *how;
    const double *C; /* points that are tried, ascending */
    int64_t points;
    pt_design_worth *sum; /* for each */
    int64_t tried;        /* points of all folds, */
    int64_t programs;     /* of so many */
} held_out;

/* Programs are what takes time, and they are what is told of. */
static void tell_tried(held_out *h, const pt_task *task)
{
    pt_task_progress_whole(task, "trying codes", (double)h->tried, (double)h->programs);
}

/* Adds what a code is worth on the examples that were held out. */
static pt_status add_worth(const held_out *h, const pt_design_data *test, const pt_designed *code,
                           double *scores, pt_design_worth *sum, const pt_task *task, pt_error *err)
{
    const bool by_pairs = h->how->form == PT_DESIGN_PAIRS;
    pt_pair_sums pairs = {0};
    PT_TRY(pt_designed_scores(code, test->m, test->H, scores, task, err));
    if (by_pairs)
        PT_TRY(pt_design_pair_sums(&pairs, test, scores, err));
    sum->cost += test->class_of ? pt_design_cost_sum(test, scores) : pairs.wrong;
    sum->slack += by_pairs ? pairs.slack : pt_design_slack(test, scores, 1);
    return PT_OK;
}

/* All points, designed on some examples and judged on others. */
static pt_status try_points(held_out *h, const pt_design_data *train, const pt_design_data *test,
                            const pt_task *task, pt_error *err)
{
    /* where solutions for one C lead to those for another */
    const bool has_path = h->how->norm == PT_NORM_2 && h->how->form == PT_DESIGN_SOFT && //
                          !h->how->incremental;
    PT_FREED_BY(pt_l2_path_close_at) pt_l2_path *path = NULL;
    PT_SCRATCH double *scores = NULL;
    if (has_path)
        PT_TRY(pt_l2_path_open(&path, train, h->how, task, err));
    PT_TRY(PT_NEW(scores, test->m * test->k, "scores", err));
    for (int64_t i = 0; i < h->points; i++) {
        PT_FREED_BY(pt_designed_free) pt_designed code = {0};
        pt_design_result result = {0};
        pt_design_how how = *h->how;
        how.C = h->C[i];
        PT_TRY(path ? pt_l2_path_solve(path, how.C, &code, &result, task, err)
                    : pt_design(&code, train, &how, &result, task, err));
        PT_TRY(add_worth(h, test, &code, scores, &h->sum[i], task, err));
        h->tried++;
        tell_tried(h, task);
    }
    return PT_OK;
}

/* The examples of fold `number`, or those of the others and those that are never held out. */
static pt_status take_part(pt_subproblem *part, const pt_problem *outputs, const int64_t *fold,
                           int64_t number, bool inside, const pt_task *task, pt_error *err)
{
    int64_t m = 0;
    PT_SCRATCH int64_t *chosen = NULL;
    PT_TRY(PT_NEW(chosen, outputs->rows.n, "examples", err));
    for (int64_t i = 0; i < outputs->rows.n; i++)
        if (fold[i] >= 0 && (fold[i] == number) == inside)
            chosen[m++] = i;
    return pt_subproblem_init(part, outputs, chosen, m, false, task, err);
}

static pt_status try_fold(held_out *h, const pt_problem *outputs, const int64_t *fold,
                          int64_t number, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_subproblem_free) pt_subproblem train = {0};
    PT_FREED_BY(pt_subproblem_free) pt_subproblem test = {0};
    PT_TRY(take_part(&train, outputs, fold, number, false, task, err));
    PT_TRY(take_part(&test, outputs, fold, number, true, task, err));
    const pt_design_data seen = pt_design_data_of(&train.problem);
    const pt_design_data unseen = pt_design_data_of(&test.problem);
    return seen.m > 0 && unseen.m > 0 ? try_points(h, &seen, &unseen, task, err) : PT_OK;
}

static pt_status try_folds(held_out *h, const pt_problem *outputs, const int64_t *fold,
                           int64_t n_folds, const pt_task *task, pt_error *err)
{
    double total = 0;
    for (int64_t i = 0; i < outputs->rows.n; i++)
        total += fold[i] < 0 || fold[i] >= n_folds ? 0 : pt_weight(outputs->weight, i);
    memset(h->sum, 0, (size_t)h->points * sizeof *h->sum);
    h->programs = n_folds * h->points;
    pt_status status = PT_OK;
    pt_task_begin_whole(task);
    tell_tried(h, task);
    for (int64_t f = 0; f < n_folds && status == PT_OK; f++)
        status = try_fold(h, outputs, fold, f, task, err);
    pt_task_end_whole(task);
    for (int64_t i = 0; i < h->points; i++) {
        h->sum[i].cost /= total;
        h->sum[i].slack /= total;
    }
    return status;
}

/* ---- one point, and the grid ----------------------------------------------------------------- */

pt_status pt_design_held_out(pt_design_worth *worth, const pt_problem *outputs,
                             const pt_design_how *how, const int64_t *fold, int64_t n_folds,
                             const pt_task *task, pt_error *err)
{
    held_out h = {.how = how, .C = &how->C, .points = 1, .sum = worth};
    return try_folds(&h, outputs, fold, n_folds, task, err);
}

/* The unit of 1 / C. */
static double unit_of(const pt_design_data *data, const pt_design_how *how)
{
    const bool squared = how->norm == PT_NORM_2;
    const double pulls =
        how->form == PT_DESIGN_PAIRS ? 2 * pt_design_mean_pairs(data) / (double)data->k : 1;
    double total = 0;
    double sum = 0;
    for (int64_t i = 0; i < data->m; i++)
        total += pt_weight(data->weight, i);
    const double weight = fmax(pulls, 1) * total / (double)data->m;
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

pt_status pt_design_choose_C(pt_design_how *how, pt_design_worth *worth, const pt_problem *outputs,
                             const int64_t *fold, int64_t n_folds, const pt_task *task,
                             pt_error *err)
{
    double C[POINTS];
    pt_design_worth sum[POINTS];
    const pt_design_data data = pt_design_data_of(outputs);
    const double unit = unit_of(&data, how);
    const grid tried = grid_of(how);
    if (n_folds < 1) { /* nothing to judge by */
        how->C = 1 / unit;
        *worth = (pt_design_worth){NAN, NAN};
        return PT_OK;
    }
    for (int i = 0; i < tried.points; i++)
        C[i] = pow(STEP, tried.first + i * tried.stride) / unit;
    held_out h = {.how = how, .C = C, .points = tried.points, .sum = sum};
    PT_TRY(try_folds(&h, outputs, fold, n_folds, task, err));
    int best = 0;
    for (int i = 1; i < tried.points; i++)
        if (sum[i].cost < sum[best].cost)
            best = i;
    how->C = C[best];
    *worth = sum[best];
    return PT_OK;
}
