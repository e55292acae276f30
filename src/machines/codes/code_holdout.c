/* Held-out scores of codes without zeros that least squares learns, in closed form.
 *
 * The outputs of such a code are f = M^T g, where g are those of the class indicators; so are its
 * held-out outputs, and ls_holdout.c has those of g for all folds from one factorisation. What is
 * left to do is to decode them. With --single-call there is no such form. */
#include "machines/codes/machine_code.h"

#include <string.h>

#include "base/alloc.h"
#include "learners/learner_ls.h"
#include "validate/auto.h"
#include "validate/squares/ls_machine.h"

static bool learner_is_ls(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_LEARNER), pt_learner_ls.name) == 0;
}

static bool code_has_zeros(const pt_code *code)
{
    if (code->pairs)
        return code->k > 2;
    for (int64_t i = 0; i < code->k * code->ell; i++)
        if (code->M[i] == 0)
            return true;
    return false;
}

/* The code of two classes, which costs nothing to make, whatever its family. */
static bool two_classes_have_zeros(const pt_params *params)
{
    PT_FREED_BY(pt_code_free) pt_code code = {0};
    return pt_code_init(&code, params, 2, NULL, NULL, NULL, NULL) != PT_OK || code_has_zeros(&code);
}

/* Of more than two classes told from the family, without drawing a code. */
bool pt_code_holdout_exact(const pt_problem *problem, const pt_params *point)
{
    const pt_code_family *family = pt_code_family_find(pt_params_text(point, PT_P_CODE));
    if (!learner_is_ls(point) || pt_params_flag(point, PT_P_SINGLE_CALL) ||
        problem->labels->kind != PT_LABEL_CLASS)
        return false;
    if (pt_code_serves(problem->code, point, pt_labels_n_classes(problem->labels)))
        return !code_has_zeros(problem->code);
    if (family && family->zeros && pt_labels_n_classes(problem->labels) == 2)
        return !two_classes_have_zeros(point);
    return family && !family->zeros;
}

/* ---- decoding -------------------------------------------------------------------------------- */

/* The code and the decoder of a point. */
typedef struct code_point {
    pt_code code;
    pt_code_decoder decoder;
} code_point;

typedef struct point_decoder {
    const pt_problem *problem;
    code_point *points;
    int64_t n_points; /* 1: all points share it */
    pt_holdout_fn take;
    void *context;
    const pt_task *task;
} point_decoder;

/* f (ell) <- M^T g */
static void code_outputs(const pt_code *code, const double *g, double *f)
{
    memset(f, 0, (size_t)code->ell * sizeof *f);
    for (int64_t r = 0; r < code->k; r++)
        for (int64_t s = 0; s < code->ell; s++)
            f[s] += (double)pt_code_entry(code, r, s) * g[r];
}

/* A pt_holdout_fn: held-out indicator outputs become scores. Block after block, so that the outputs
 * of a long code stay small. */
static pt_status decode_point(void *context, int64_t point, int64_t partition, const double *g,
                              pt_error *err)
{
    enum { BLOCK = 256 };
    const point_decoder *d = context;
    const code_point *p = &d->points[d->n_points == 1 ? 0 : point];
    const int64_t n = d->problem->rows.n;
    const int64_t k = p->code.k;
    if (!g)
        return d->take(d->context, point, partition, NULL, err);
    PT_SCRATCH double *scores = NULL;
    PT_SCRATCH double *f = NULL;
    PT_TRY(PT_NEW(scores, n * k, "held-out scores", err));
    PT_TRY(PT_NEW(f, BLOCK * p->code.ell, "outputs", err));
    for (int64_t first = 0; first < n; first += BLOCK) {
        const int64_t m = pt_lesser(n - first, BLOCK);
        for (int64_t i = 0; i < m; i++)
            code_outputs(&p->code, g + (first + i) * k, f + i * p->code.ell);
        PT_TRY(pt_decode_code(&p->decoder, &p->code, m, f, scores + first * k, d->task, err));
    }
    return d->take(d->context, point, partition, scores, err);
}

static pt_status code_point_init(code_point *p, const pt_problem *problem, const pt_params *params,
                                 const pt_task *task, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    PT_TRY(pt_code_init(&p->code, params, k, problem->code, task, NULL, err));
    return pt_decoder_for_code(&p->decoder, params, &p->code, err);
}

static void points_free(point_decoder *d)
{
    for (int64_t i = 0; d->points && i < d->n_points; i++)
        pt_code_free(&d->points[i].code);
    pt_free(d->points);
}

/* ---- a search -------------------------------------------------------------------------------- */

/* Codes that are drawn cost time: one serves all points unless the grid is over codes. */
static bool same_code(const pt_params *a, const pt_params *b)
{
    for (int id = 0; id < PT_N_PARAMS; id++)
        if (id != PT_P_RIDGE && pt_param_group_of((pt_param_id)id) == PT_GROUP_MACHINE &&
            strcmp(pt_params_text(a, (pt_param_id)id), pt_params_text(b, (pt_param_id)id)) != 0)
            return false;
    return true;
}

static int64_t count_codes(const pt_params *const *points, int64_t n_points)
{
    for (int64_t i = 1; i < n_points; i++)
        if (!same_code(points[0], points[i]))
            return n_points;
    return n_points < 1 ? n_points : 1;
}

pt_status pt_code_holdout(const pt_problem *problem, const pt_params *const *points,
                          int64_t n_points, const pt_partitions *partitions, pt_holdout_fn take,
                          void *context, const pt_task *task, pt_error *err)
{
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    PT_SCRATCH pt_ls_point *ls_points = NULL;
    PT_FREED_BY(points_free)
    point_decoder d = {problem, NULL, count_codes(points, n_points), take, context, task};
    PT_TRY(PT_NEW_ZERO(d.points, d.n_points, "grid points", err));
    for (int64_t i = 0; i < d.n_points; i++)
        PT_TRY(code_point_init(&d.points[i], problem, points[i], task, err));
    PT_TRY(pt_ls_points(&ls_points, problem, points, n_points, err));
    return pt_ls_holdout(&ls, ls_points, n_points, problem->rows.type, partitions, decode_point, &d,
                         task, err);
}

/* ---- automatic parameters -------------------------------------------------------------------- */

/* A pt_ls_auto_fn. */
static pt_status auto_holdout(const pt_problem *problem, const pt_params *params,
                              const pt_ls_point *points, int64_t n_points,
                              const pt_partitions *partitions, pt_holdout_fn take, void *context,
                              const pt_task *task, pt_error *err)
{
    const pt_ls_problem ls = pt_ls_problem_of(problem);
    PT_FREED_BY(points_free) point_decoder d = {problem, NULL, 1, take, context, task};
    PT_TRY(PT_NEW_ZERO(d.points, 1, "a code", err));
    PT_TRY(code_point_init(d.points, problem, params, task, err));
    return pt_ls_holdout(&ls, points, n_points, problem->rows.type, partitions, decode_point, &d,
                         task, err);
}

pt_status pt_code_ls_resolve(pt_params *params, const pt_problem *problem, const pt_task *task,
                             pt_warnings *warnings, pt_error *err)
{
    return pt_code_holdout_exact(problem, params)
               ? pt_auto_by_guide(auto_holdout, params, problem, task, err)
               : pt_auto_as_onelsm(params, problem, task, warnings, err);
}

pt_ls_auto_fn pt_code_guide(const pt_problem *problem, const pt_params *params)
{
    return pt_code_holdout_exact(problem, params) ? auto_holdout : NULL;
}
