/* Some rows of a problem as a problem of its own: for samples and for folds. */
#include "machine/subproblem.h"

#include <string.h>

#include "base/alloc.h"
#include "data/split.h"

void pt_subproblem_free(pt_subproblem *sub)
{
    pt_rows_owned_free(&sub->rows);
    pt_labels_free(sub->labels);
    pt_free(sub->weight);
    pt_ties_free(&sub->ties);
    pt_free(sub->chosen);
    memset(sub, 0, sizeof *sub);
}

pt_status pt_subproblem_init(pt_subproblem *sub, const pt_problem *problem, const int64_t *chosen,
                             int64_t m, bool square, const pt_task *task, pt_error *err)
{
    memset(sub, 0, sizeof *sub);
    pt_status status = pt_rows_select(&sub->rows, &problem->rows, chosen, m, task, err);
    if (status == PT_OK && square)
        status = pt_rows_take_block_columns(&sub->rows, chosen, m, problem->rows.n, task, err);
    if (status == PT_OK)
        status = pt_labels_subset(&sub->labels, problem->labels, chosen, m, err);
    if (status == PT_OK && problem->weight) {
        sub->weight = pt_alloc(m, sizeof(double), "weights", err);
        status = sub->weight ? PT_OK : PT_ENOMEM;
        for (int64_t i = 0; status == PT_OK && i < m; i++)
            sub->weight[i] = problem->weight[chosen[i]];
    }
    if (status == PT_OK)
        status = pt_ties_select(&sub->ties, &problem->ties, chosen, m, err);
    if (status != PT_OK) {
        pt_subproblem_free(sub);
        return status;
    }
    sub->problem = (pt_problem){.rows = sub->rows.rows,
                                .labels = sub->labels,
                                .weight = sub->weight,
                                .label_gram = problem->label_gram,
                                .code = problem->code,
                                .costs = problem->costs,
                                .ties = pt_ties_lend(&sub->ties)};
    return PT_OK;
}

/* ---- examples that rows stand for ------------------------------------------------------------ */

static int64_t examples_of(const pt_problem *problem, int64_t i, int64_t most)
{
    const int64_t copies = problem->copies ? problem->copies[i] : 1;
    return copies < most ? copies : most;
}

static int64_t count_examples(const pt_problem *problem, int64_t most)
{
    int64_t count = 0;
    for (int64_t i = 0; i < problem->rows.n; i++)
        count += examples_of(problem, i, most);
    return count;
}

int64_t pt_problem_examples(const pt_problem *problem)
{
    return count_examples(problem, INT64_MAX);
}

/* row <- the row of each example, ascending. */
static void list_examples(int64_t *row, const pt_problem *problem, int64_t most)
{
    int64_t at = 0;
    for (int64_t i = 0; i < problem->rows.n; i++)
        for (int64_t c = examples_of(problem, i, most); c > 0; c--)
            row[at++] = i;
}

/* The examples of the rows `chosen`, each as heavy as one of at most `most` that make its row.
 * Takes chosen. */
static pt_status take_examples(pt_subproblem *sub, const pt_problem *problem, int64_t *chosen,
                               int64_t m, int64_t most, bool square, const pt_task *task,
                               pt_error *err)
{
    pt_status status = pt_subproblem_init(sub, problem, chosen, m, square, task, err);
    for (int64_t i = 0; status == PT_OK && sub->weight && i < m; i++)
        sub->weight[i] /= (double)examples_of(problem, chosen[i], most);
    if (status == PT_OK)
        sub->chosen = chosen;
    else
        pt_free(chosen);
    return status;
}

pt_status pt_subproblem_examples(pt_subproblem *sub, const pt_problem *problem, int64_t most,
                                 bool square, const pt_task *task, pt_error *err)
{
    memset(sub, 0, sizeof *sub);
    const int64_t m = count_examples(problem, most);
    if (m == problem->rows.n) {
        sub->problem = *problem;
        sub->problem.copies = NULL;
        sub->problem.chosen = NULL;
        return PT_OK;
    }
    int64_t *chosen = pt_alloc(m, sizeof *chosen, "examples", err);
    if (!chosen)
        return PT_ENOMEM;
    list_examples(chosen, problem, most);
    return take_examples(sub, problem, chosen, m, most, square, task, err);
}

/* chosen <- the rows of a sample of the examples, ascending. */
static pt_status sample_examples(int64_t *chosen, int64_t limit, const pt_problem *problem,
                                 int64_t count, uint64_t seed, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(problem->labels);
    const int64_t *class_of = problem->labels->class_of;
    if (count == problem->rows.n)
        return pt_sample(chosen, limit, count, class_of, k, seed, err);
    PT_SCRATCH int64_t *row = pt_alloc(count, sizeof *row, "a sample", err);
    PT_SCRATCH int64_t *own = class_of ? pt_alloc(count, sizeof *own, "a sample", err) : NULL;
    PT_TRY(row && (own || !class_of) ? PT_OK : PT_ENOMEM);
    list_examples(row, problem, INT64_MAX);
    for (int64_t e = 0; own && e < count; e++)
        own[e] = class_of[row[e]];
    PT_TRY(pt_sample(chosen, limit, count, own, k, seed, err));
    for (int64_t a = 0; a < limit; a++)
        chosen[a] = row[chosen[a]];
    return PT_OK;
}

pt_status pt_subproblem_sample(pt_subproblem *sub, const pt_problem *problem, int64_t limit,
                               uint64_t seed, bool square, const pt_task *task, pt_error *err)
{
    const int64_t count = pt_problem_examples(problem);
    if (count <= limit)
        return pt_subproblem_examples(sub, problem, INT64_MAX, square, task, err);
    memset(sub, 0, sizeof *sub);
    int64_t *chosen = pt_alloc(limit, sizeof(int64_t), "a sample", err);
    if (!chosen)
        return PT_ENOMEM;
    const pt_status status = sample_examples(chosen, limit, problem, count, seed, err);
    if (status == PT_OK)
        return take_examples(sub, problem, chosen, limit, INT64_MAX, square, task, err);
    pt_free(chosen);
    return status;
}

/* ---- folds ----------------------------------------------------------------------------------- */

void pt_fold_problem_free(pt_fold_problem *fold_problem)
{
    pt_rows_owned_free(&fold_problem->held_out);
    pt_subproblem_free(&fold_problem->train);
    pt_free(fold_problem->rows);
    memset(fold_problem, 0, sizeof *fold_problem);
}

pt_status pt_fold_problem_init(pt_fold_problem *fold_problem, const pt_problem *problem,
                               const int64_t *fold, int64_t number, bool past, bool square,
                               const pt_task *task, pt_error *err)
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
    int64_t others = 0;
    for (int64_t i = 0; i < n; i++)
        if (past ? fold[i] < number : fold[i] != number)
            rows[held + others++] = i;
    fold_problem->n_held = held;
    fold_problem->n_train = others;
    PT_TRY(
        pt_subproblem_init(&fold_problem->train, problem, rows + held, others, square, task, err));
    PT_TRY(pt_rows_select(&fold_problem->held_out, &problem->rows, rows, held, task, err));
    if (square)
        PT_TRY(
            pt_rows_take_block_columns(&fold_problem->held_out, rows + held, others, n, task, err));
    return PT_OK;
}
