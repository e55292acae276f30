/* Cross-validation over a grid: the same folds for every point, errors counted exactly, ties to the
 * smoother point. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machines/training.h"
#include "select/grid.h"
#include "select/holdout.h"

struct pt_search {
    pt_grid grid;
    int64_t n;
    int64_t k;
    int64_t n_repeats;
    int64_t *errors; /* points x repeats; -1: no answer */
    int64_t best;
    char method[96]; /* how the errors were computed, for people */
    pt_texts warnings;
    pt_params *best_params;
    double **best_scores; /* repeats arrays of n x k, by the rows that count */
};

void pt_search_free(pt_search *search)
{
    if (!search)
        return;
    for (int64_t r = 0; search->best_scores && r < search->n_repeats; r++)
        pt_free(search->best_scores[r]);
    pt_free(search->best_scores);
    pt_params_free(search->best_params);
    pt_texts_free(&search->warnings);
    pt_free(search->errors);
    pt_grid_free(&search->grid);
    pt_free(search);
}

/* ---- counting errors ---------------------------------------------------------------------------
 */

typedef struct collecting {
    pt_search *search;
    const int64_t *class_of;
    bool keep; /* the scores belong to the best point: keep them */
} collecting;

static pt_status keep_scores(pt_search *search, int64_t partition, const double *scores,
                             pt_error *err)
{
    double *copy = pt_alloc(search->n * search->k, sizeof(double), "held-out scores", err);
    if (!copy)
        return PT_ENOMEM;
    memcpy(copy, scores, (size_t)(search->n * search->k) * sizeof(double));
    pt_free(search->best_scores[partition]);
    search->best_scores[partition] = copy;
    return PT_OK;
}

static pt_status collect(void *context, int64_t point, int64_t partition, const double *scores,
                         pt_error *err)
{
    const collecting *c = context;
    pt_search *search = c->search;
    if (scores && c->keep) {
        pt_status status = keep_scores(search, partition, scores, err);
        if (status != PT_OK || search->grid.n_points > 1)
            return status;
    }
    int64_t wrong = scores ? 0 : -1;
    for (int64_t i = 0; scores && i < search->n; i++)
        wrong += pt_decode_argmax(scores + i * search->k, search->k) != c->class_of[i];
    search->errors[point * search->n_repeats + partition] = wrong;
    return PT_OK;
}

/* Errors of a point over all repetitions; -1 if there is none in one of them. */
static int64_t total_errors(const pt_search *search, int64_t point)
{
    int64_t total = 0;
    for (int64_t r = 0; r < search->n_repeats; r++) {
        const int64_t errors = search->errors[point * search->n_repeats + r];
        if (errors < 0)
            return -1;
        total += errors;
    }
    return total;
}

static pt_status find_best(pt_search *search, pt_error *err)
{
    int64_t best = -1;
    int64_t failed = 0;
    for (int64_t p = 0; p < search->grid.n_points; p++) {
        const int64_t total = total_errors(search, p);
        failed += total < 0;
        if (total < 0)
            continue;
        const int64_t least = best < 0 ? 0 : total_errors(search, best);
        if (best < 0 || total < least ||
            (total == least && pt_grid_smoother(&search->grid, p, best)))
            best = p;
    }
    if (best < 0)
        return pt_fail(err, PT_ENUMERIC,
                       "K + ridge I is not positive definite at any point; raise --ridge");
    search->best = best;
    if (failed > 0)
        return pt_texts_add(
            &search->warnings, err,
            "%lld of %lld points have no answer (K + ridge I is not positive definite)",
            (long long)failed, (long long)search->grid.n_points);
    return PT_OK;
}

/* ---- the points --------------------------------------------------------------------------------
 */

static void points_free(pt_params **points, int64_t count)
{
    for (int64_t i = 0; points && i < count; i++)
        pt_params_free(points[i]);
    pt_free(points);
}

static bool grid_has(const pt_grid *grid, pt_param_id id)
{
    for (int64_t a = 0; a < grid->n_axes; a++)
        if (grid->axis[a] == id)
            return true;
    return false;
}

/* Whether a point of the grid leaves something to be chosen on the data. */
static bool leaves_auto(const pt_params *point, bool sparse)
{
    const pt_kernel_ops *ops = pt_kernel_named(point, sparse);
    return pt_params_is_auto(point, PT_P_RIDGE) ||
           (pt_params_is_auto(point, PT_P_SIGMA) && ops && pt_kernel_uses(ops, "sigma") &&
            !pt_params_set_by_user(point, PT_P_RBF_GAMMA));
}

/* Parameters of every point. What is "auto" and not on an axis is chosen once, with the axes left
 * free; for each point where the kernel itself is searched, or where nothing is left to choose. */
static pt_status make_points(pt_params ***out, pt_search *search, pt_training *training,
                             const pt_task *task, pt_error *err)
{
    const pt_grid *grid = &search->grid;
    pt_params **points = pt_alloc_zero(grid->n_points, sizeof(pt_params *), "grid points", err);
    if (!points)
        return PT_ENOMEM;
    pt_params *first = NULL;
    pt_status status = pt_params_copy(&first, training->params, err);
    if (status == PT_OK)
        status = pt_grid_apply(grid, 0, first, err);
    const bool each = status == PT_OK && (grid_has(grid, PT_P_KERNEL) ||
                                          !leaves_auto(first, !training->problem.rows.dense));
    pt_params_free(first);
    /* These stand for sigma and ridge, which then are not to be chosen. */
    if (status == PT_OK && (grid_has(grid, PT_P_RBF_GAMMA) || grid_has(grid, PT_P_C)))
        status = pt_grid_apply(grid, 0, training->params, err);
    if (status == PT_OK && !each)
        status = pt_training_resolve(training, task, err);
    for (int64_t p = 0; p < grid->n_points && status == PT_OK; p++) {
        status = pt_params_copy(&points[p], training->params, err);
        if (status == PT_OK)
            status = pt_grid_apply(grid, p, points[p], err);
        if (status == PT_OK)
            status = pt_training_check_params(training->ops, points[p],
                                              training->problem.rows.dense == NULL, err);
        if (status == PT_OK && each && training->ops->resolve)
            status =
                training->ops->resolve(points[p], &training->problem, task, &search->warnings, err);
    }
    if (status != PT_OK) {
        points_free(points, grid->n_points);
        return status;
    }
    *out = points;
    return PT_OK;
}

/* Parameters left to "auto" beside the grid are chosen on the rows that are then held out. */
static pt_status warn_auto(pt_search *search, const pt_params *before, const pt_params *after,
                           pt_error *err)
{
    char names[128] = "";
    for (int id = 0; id < PT_N_PARAMS; id++) {
        if ((id != PT_P_SIGMA && id != PT_P_RIDGE) || grid_has(&search->grid, (pt_param_id)id) ||
            !pt_params_is_auto(before, (pt_param_id)id) ||
            pt_params_is_auto(after, (pt_param_id)id))
            continue;
        if (names[0])
            (void)strncat(names, " and ", sizeof names - strlen(names) - 1);
        (void)strncat(names, pt_param_name(id), sizeof names - strlen(names) - 1);
    }
    if (!names[0])
        return PT_OK;
    return pt_texts_add(
        &search->warnings, err,
        "%s chosen by leave-one-out on the same rows: the error is a little optimistic", names);
}

/* ---- the search ---------------------------------------------------------------------------------
 */

static pt_status search_arrays(pt_search *search, const pt_training *training,
                               const pt_fold_set *folds, pt_error *err)
{
    search->n = training->problem.rows.n;
    search->k = pt_labels_n_classes(training->problem.labels);
    search->n_repeats = folds->partitions.count;
    search->errors =
        pt_alloc_zero(search->grid.n_points * search->n_repeats, sizeof(int64_t), "errors", err);
    search->best_scores = pt_alloc_zero(search->n_repeats, sizeof(double *), "scores", err);
    return search->errors && search->best_scores ? PT_OK : PT_ENOMEM;
}

static pt_status search_run(pt_search *search, pt_training *training, const pt_task *task,
                            pt_error *err)
{
    const int64_t n_points = search->grid.n_points;
    const pt_params *asked = NULL;
    pt_params *before = NULL;
    pt_params **points = NULL;
    pt_fold_set folds = {0};
    pt_status status = pt_params_copy(&before, training->params, err);
    asked = before;
    if (status == PT_OK)
        status = pt_fold_set_init(&folds, training->problem.labels, training->params, err);
    if (status == PT_OK)
        status = search_arrays(search, training, &folds, err);
    if (status == PT_OK)
        status = make_points(&points, search, training, task, err);
    if (status == PT_OK)
        status = warn_auto(search, asked, points[0], err);

    collecting c = {search, training->problem.labels->class_of, n_points == 1};
    if (status == PT_OK)
        pt_holdout_method(search->method, sizeof search->method, training->ops, &training->problem,
                          (const pt_params *const *)points, n_points);
    if (status == PT_OK)
        status =
            pt_holdout_scores(training->ops, &training->problem, (const pt_params *const *)points,
                              n_points, &folds.partitions, collect, &c, task, err);
    if (status == PT_OK)
        status = find_best(search, err);
    if (status == PT_OK && n_points > 1) {
        const pt_params *best = points[search->best];
        c.keep = true;
        status = pt_holdout_scores(training->ops, &training->problem, &best, 1, &folds.partitions,
                                   collect, &c, task, err);
    }
    if (status == PT_OK)
        status = pt_params_copy(&search->best_params, points[search->best], err);
    points_free(points, n_points);
    pt_fold_set_free(&folds);
    pt_params_free(before);
    return status;
}

pt_status pt_search_run(pt_search **out, const pt_dataset *data, const pt_params *params,
                        pt_task *task, pt_error *err)
{
    pt_training training = {0};
    pt_params *first = NULL;
    pt_search *search = pt_alloc_zero(1, sizeof *search, "a search", err);
    if (!search)
        return PT_ENOMEM;
    pt_status status = pt_grid_parse(&search->grid, pt_params_text(params, PT_P_GRID), err);
    if (status == PT_OK)
        status = params ? pt_params_copy(&first, params, err) : pt_params_new(&first, err);
    if (status == PT_OK)
        status = pt_training_init(&training, data, first, task, err);
    if (status == PT_OK)
        status = search_run(search, &training, task, err);
    for (int64_t i = 0; status == PT_OK && i < training.warnings.count; i++)
        status = pt_texts_add(&search->warnings, err, "%s", training.warnings.items[i]);
    pt_params_free(first);
    pt_training_free(&training);
    if (status != PT_OK) {
        pt_search_free(search);
        return status;
    }
    *out = search;
    return PT_OK;
}

/* ---- what was found
 * ------------------------------------------------------------------------------ */

int64_t pt_search_n_points(const pt_search *search)
{
    return search->grid.n_points;
}

int64_t pt_search_n_repeats(const pt_search *search)
{
    return search->n_repeats;
}

int64_t pt_search_n_examples(const pt_search *search)
{
    return search->n;
}

int64_t pt_search_n_classes(const pt_search *search)
{
    return search->k;
}

int64_t pt_search_best(const pt_search *search)
{
    return search->best;
}

int64_t pt_search_n_axes(const pt_search *search)
{
    return search->grid.n_axes;
}

const char *pt_search_axis(const pt_search *search, int64_t axis)
{
    return axis >= 0 && axis < search->grid.n_axes ? pt_param_name(search->grid.axis[axis]) : NULL;
}

const char *pt_search_value(const pt_search *search, int64_t point, int64_t axis)
{
    if (axis < 0 || axis >= search->grid.n_axes || point < 0 || point >= search->grid.n_points)
        return NULL;
    return pt_grid_value(&search->grid, point, axis);
}

double pt_search_error(const pt_search *search, int64_t point, int64_t repeat)
{
    if (point < 0 || point >= search->grid.n_points || repeat < -1 || repeat >= search->n_repeats)
        return NAN;
    if (repeat < 0) {
        const int64_t total = total_errors(search, point);
        return total < 0 ? NAN : (double)total / ((double)search->n * (double)search->n_repeats);
    }
    const int64_t errors = search->errors[point * search->n_repeats + repeat];
    return errors < 0 ? NAN : (double)errors / (double)search->n;
}

const char *pt_search_method(const pt_search *search)
{
    return search->method;
}

int64_t pt_search_n_warnings(const pt_search *search)
{
    return search->warnings.count;
}

const char *pt_search_warning(const pt_search *search, int64_t index)
{
    return pt_texts_get(&search->warnings, index);
}

pt_status pt_search_best_params(const pt_search *search, pt_params **out, pt_error *err)
{
    return pt_params_copy(out, search->best_params, err);
}

const double *pt_search_best_scores(const pt_search *search, int64_t repeat)
{
    return repeat >= 0 && repeat < search->n_repeats ? search->best_scores[repeat] : NULL;
}
