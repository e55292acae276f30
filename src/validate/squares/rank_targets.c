/* Rank targets of labels, and held-out scores of least squares on them.
 *
 * rank-ls is f(x) = mu + A^T kappa_x with (K + gamma W^-1) A = Y - 1 mu^T, mu the mean of the rows
 * of Y (machine_rank_ls.c). Its outputs on a fold F, held out, need the mean mu_R of the others.
 * With one more right-hand side, the column of ones, ls_holdout.c gives both parts at once: where
 * it finds [g, g_1] for [Y, 1],
 *
 *     f = g + (1 - g_1) mu_R .
 *
 * mu_R is a sum over the other folds, the ones before F and the ones after it, and never the total
 * minus the own: what F says of its own labels must not enter, not even by rounding.
 *
 *   Y      n x k         targets, column-major
 *   sum    folds x k     of a fold's targets by weight; weight: folds
 */
#include "validate/squares/rank_targets.h"

#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

/* ---- targets --------------------------------------------------------------------------------- */

static void set_targets(double *Y, const pt_labels *labels)
{
    for (int64_t i = 0; i < labels->n * pt_labels_n_classes(labels); i++)
        Y[i] = -1;
    for (int64_t i = 0; i < labels->n; i++)
        for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
            Y[labels->item[at] * labels->n + i] = 1;
}

static void class_targets(double *Y, const pt_labels *labels)
{
    const int64_t k = pt_labels_n_classes(labels);
    for (int64_t i = 0; i < labels->n; i++)
        for (int64_t r = 0; r < k && labels->class_of[i] >= 0; r++)
            Y[r * labels->n + i] = labels->class_of[i] == r ? (double)(k - 1) : -1;
}

/* Groups of equal ranks lie side by side, the best first. */
static void ranking_targets(double *Y, const pt_labels *labels)
{
    for (int64_t i = 0; i < labels->n; i++) {
        const int64_t end = labels->start[i + 1];
        int64_t next = 0;
        for (int64_t first = labels->start[i]; first < end; first = next) {
            next = first + 1;
            while (next < end && labels->rank[next] == labels->rank[first])
                next++;
            const int64_t above = first - labels->start[i];
            const int64_t below = end - next;
            for (int64_t at = first; at < next; at++)
                Y[labels->item[at] * labels->n + i] = (double)(below - above);
        }
    }
}

/* One example's pairs as a graph. */
typedef struct pair_graph {
    int64_t *begin;   /* k + 1: where the classes that come after one begin */
    int64_t *after;   /* as many as the pairs */
    int64_t *seen;    /* k: by which search, from 1 */
    int64_t *waiting; /* k: found, and not yet looked behind */
    int64_t search;
} pair_graph;

static void graph_of(pair_graph *g, const pt_labels *labels, int64_t i)
{
    const int64_t k = pt_labels_n_classes(labels);
    const int64_t *item = labels->item;
    memset(g->begin, 0, (size_t)(k + 1) * sizeof *g->begin);
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at += 2)
        g->begin[item[at] + 1]++;
    for (int64_t r = 0; r < k; r++)
        g->begin[r + 1] += g->begin[r];
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at += 2)
        g->after[g->begin[item[at]]++] = item[at + 1];
    for (int64_t r = k; r > 0; r--) /* each has moved to where the next one began */
        g->begin[r] = g->begin[r - 1];
    g->begin[0] = 0;
}

/* Every class that comes after r is one below it, and has one more above. y: a row of Y. */
static void count_below(pair_graph *g, int64_t r, double *y, int64_t stride)
{
    int64_t count = 0;
    g->search++;
    g->waiting[count++] = r;
    while (count > 0) {
        const int64_t c = g->waiting[--count];
        for (int64_t at = g->begin[c]; at < g->begin[c + 1]; at++) {
            const int64_t below = g->after[at];
            if (g->seen[below] == g->search)
                continue;
            g->seen[below] = g->search;
            g->waiting[count++] = below;
            y[r * stride] += 1;
            y[below * stride] -= 1;
        }
    }
}

static pt_status pairs_targets(double *Y, const pt_labels *labels, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    int64_t most = 0;
    for (int64_t i = 0; i < labels->n; i++)
        if (labels->start[i + 1] - labels->start[i] > most)
            most = labels->start[i + 1] - labels->start[i];
    pair_graph g = {.begin = pt_alloc(k + 1, sizeof(int64_t), "pairs", err),
                    .after = pt_alloc(most / 2 + 1, sizeof(int64_t), "pairs", err),
                    .seen = pt_alloc_zero(k, sizeof(int64_t), "pairs", err),
                    .waiting = pt_alloc(k, sizeof(int64_t), "pairs", err)};
    const pt_status status = g.begin && g.after && g.seen && g.waiting ? PT_OK : PT_ENOMEM;
    for (int64_t i = 0; i < labels->n && status == PT_OK; i++) {
        graph_of(&g, labels, i);
        for (int64_t r = 0; r < k; r++)
            if (g.begin[r] < g.begin[r + 1])
                count_below(&g, r, Y + i, labels->n);
    }
    pt_free(g.waiting);
    pt_free(g.seen);
    pt_free(g.after);
    pt_free(g.begin);
    return status;
}

pt_status pt_rank_targets(double *Y, const pt_labels *labels, pt_error *err)
{
    memset(Y, 0, (size_t)(labels->n * pt_labels_n_classes(labels)) * sizeof *Y);
    switch (labels->kind) {
    case PT_LABEL_CLASS:
        class_targets(Y, labels);
        return PT_OK;
    case PT_LABEL_SET:
        set_targets(Y, labels);
        return PT_OK;
    case PT_LABEL_RANKING:
        ranking_targets(Y, labels);
        return PT_OK;
    case PT_LABEL_PAIRS:
        break;
    }
    return pairs_targets(Y, labels, err);
}

void pt_rank_means(double *mean, const double *Y, const pt_problem *problem)
{
    const int64_t n = problem->rows.n;
    double weight = 0;
    for (int64_t i = 0; i < n; i++)
        weight += pt_weight(problem->weight, i);
    for (int64_t r = 0; r < pt_labels_n_classes(problem->labels); r++) {
        double sum = 0;
        for (int64_t i = 0; i < n; i++)
            sum += pt_weight(problem->weight, i) * Y[r * n + i];
        mean[r] = sum / weight;
    }
}

/* ---- held-out scores ------------------------------------------------------------------------- */

typedef struct shift {
    const pt_problem *problem;
    const double *Y;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
} shift;

/* sum (sets x (k + 1)) <- of each fold the sums of its targets by weight, and its weight; the last
 * is that of the rows that are never held out. */
static void sum_folds(const shift *s, int64_t partition, double *sum)
{
    const int64_t n = s->problem->rows.n;
    const int64_t k = pt_labels_n_classes(s->problem->labels);
    memset(sum, 0, (size_t)((s->partitions->n_folds + 1) * (k + 1)) * sizeof *sum);
    for (int64_t i = 0; i < n; i++) {
        double *own = sum + pt_fold_or_rest(s->partitions, partition, i) * (k + 1);
        const double weight = pt_weight(s->problem->weight, i);
        for (int64_t r = 0; r < k; r++)
            own[r] += weight * s->Y[r * n + i];
        own[k] += weight;
    }
}

/* others <- for each fold the sum of those before and of those after it. */
static void sum_others(const double *sum, int64_t n_folds, int64_t width, double *others)
{
    for (int64_t c = 0; c < width; c++) {
        double before = 0;
        double after = 0;
        for (int64_t f = 0; f < n_folds; f++) {
            others[f * width + c] = before;
            before += sum[f * width + c];
        }
        for (int64_t f = n_folds - 1; f >= 0; f--) {
            others[f * width + c] += after;
            after += sum[f * width + c];
        }
    }
}

/* A pt_holdout_fn: g and g_1 become f. */
static pt_status shift_scores(void *context, int64_t point, int64_t partition,
                              const double *outputs, pt_error *err)
{
    const shift *s = context;
    const int64_t n = s->problem->rows.n;
    const int64_t k = pt_labels_n_classes(s->problem->labels);
    const int64_t sets = s->partitions->n_folds + 1;
    if (!outputs)
        return s->take(s->context, point, partition, NULL, err);
    PT_SCRATCH double *scores = pt_alloc(n * k, sizeof *scores, "held-out scores", err);
    PT_SCRATCH double *sum = pt_alloc(sets * (k + 1), sizeof *sum, "sums of the folds", err);
    PT_SCRATCH double *others = pt_alloc(sets * (k + 1), sizeof *sum, "sums of the folds", err);
    if (!scores || !sum || !others)
        return PT_ENOMEM;
    sum_folds(s, partition, sum);
    sum_others(sum, sets, k + 1, others);
    for (int64_t i = 0; i < n; i++) {
        const double *g = outputs + i * (k + 1);
        const double *rest = others + pt_fold_or_rest(s->partitions, partition, i) * (k + 1);
        for (int64_t r = 0; r < k; r++)
            scores[i * k + r] = g[r] + (1 - g[k]) * rest[r] / rest[k];
    }
    return s->take(s->context, point, partition, scores, err);
}

pt_status pt_rank_holdout(const pt_problem *problem, const pt_params *params,
                          const pt_ls_point *points, int64_t n_points,
                          const pt_partitions *partitions, pt_holdout_fn take, void *context,
                          const pt_task *task, pt_error *err)
{
    (void)params;
    const int64_t n = problem->rows.n;
    const int64_t k = pt_labels_n_classes(problem->labels);
    PT_SCRATCH double *Y = pt_alloc(k + 1, (size_t)n * sizeof *Y, "targets", err);
    if (!Y)
        return PT_ENOMEM;
    PT_TRY(pt_rank_targets(Y, problem->labels, err));
    for (int64_t i = 0; i < n; i++)
        Y[k * n + i] = 1;
    const pt_ls_problem ls = {&problem->rows, NULL, k + 1, problem->weight, Y};
    shift s = {problem, Y, partitions, take, context};
    return pt_ls_holdout(&ls, points, n_points, problem->rows.type, partitions, shift_scores, &s,
                         task, err);
}
