/* Some rows of a problem as a problem of its own: for samples and for folds. */
#include "machines/subproblem.h"

#include <string.h>

#include "base/alloc.h"
#include "data/split.h"

void pt_subproblem_free(pt_subproblem *sub)
{
    pt_rows_owned_free(&sub->rows);
    pt_labels_free(sub->labels);
    pt_free(sub->weight);
    pt_free(sub->chosen);
    memset(sub, 0, sizeof *sub);
}

pt_status pt_subproblem_init(pt_subproblem *sub, const pt_problem *problem, const int64_t *chosen,
                             int64_t m, bool square, pt_error *err)
{
    memset(sub, 0, sizeof *sub);
    pt_status status = pt_rows_select(&sub->rows, &problem->rows, chosen, m, err);
    if (status == PT_OK && square)
        status = pt_rows_take_block_columns(&sub->rows, chosen, m, problem->rows.n, err);
    if (status == PT_OK)
        status = pt_labels_subset(&sub->labels, problem->labels, chosen, m, err);
    if (status == PT_OK && problem->weight) {
        sub->weight = pt_alloc(m, sizeof(double), "weights", err);
        status = sub->weight ? PT_OK : PT_ENOMEM;
        for (int64_t i = 0; status == PT_OK && i < m; i++)
            sub->weight[i] = problem->weight[chosen[i]];
    }
    if (status != PT_OK) {
        pt_subproblem_free(sub);
        return status;
    }
    sub->problem = (pt_problem){sub->rows.rows,      sub->labels,   sub->weight,
                                problem->label_gram, problem->code, problem->costs};
    return PT_OK;
}

pt_status pt_subproblem_sample(pt_subproblem *sub, const pt_problem *problem, int64_t limit,
                               uint64_t seed, bool square, pt_error *err)
{
    memset(sub, 0, sizeof *sub);
    if (problem->rows.n <= limit) {
        sub->problem = *problem;
        return PT_OK;
    }
    int64_t *chosen = pt_alloc(limit, sizeof(int64_t), "a sample", err);
    if (!chosen)
        return PT_ENOMEM;
    pt_status status = pt_sample(chosen, limit, problem->rows.n, problem->labels->class_of,
                                 pt_labels_n_classes(problem->labels), seed, err);
    if (status == PT_OK)
        status = pt_subproblem_init(sub, problem, chosen, limit, square, err);
    if (status == PT_OK)
        sub->chosen = chosen;
    else
        pt_free(chosen);
    return status;
}

/* ---- folds ------------------------------------------------------------------------------------
 */

void pt_fold_problem_free(pt_fold_problem *fold_problem)
{
    pt_rows_owned_free(&fold_problem->held_out);
    pt_subproblem_free(&fold_problem->train);
    pt_free(fold_problem->rows);
    memset(fold_problem, 0, sizeof *fold_problem);
}

pt_status pt_fold_problem_init(pt_fold_problem *fold_problem, const pt_problem *problem,
                               const int64_t *fold, int64_t number, bool square, pt_error *err)
{
    const int64_t n = problem->rows.n;
    int64_t *rows = pt_alloc(n, sizeof(int64_t), "a fold", err);
    int64_t held = 0;
    if (!rows)
        return PT_ENOMEM;
    fold_problem->rows = rows;
    for (int64_t i = 0; i < n; i++)
        if (fold[i] == number)
            rows[held++] = i;
    for (int64_t i = 0, at = held; i < n; i++)
        if (fold[i] != number)
            rows[at++] = i;
    fold_problem->n_held = held;
    pt_status status =
        pt_subproblem_init(&fold_problem->train, problem, rows + held, n - held, square, err);
    if (status == PT_OK)
        status = pt_rows_select(&fold_problem->held_out, &problem->rows, rows, held, err);
    if (status == PT_OK && square)
        status = pt_rows_take_columns(&fold_problem->held_out, rows + held, n - held, err);
    return status;
}
