/* Some rows of a problem as a problem of its own. */
#ifndef PT_MACHINE_SUBPROBLEM_H
#define PT_MACHINE_SUBPROBLEM_H

#include "machine/machine.h"

/* Zero-initialise; free it always. */
typedef struct pt_subproblem {
    pt_problem problem;
    pt_rows_owned rows;
    pt_labels *labels;
    double *weight;
    pt_ties_owned ties;
    int64_t *chosen; /* of a sample: the numbers of its rows; NULL: it has all of them */
} pt_subproblem;

/* Rows chosen[0] .. chosen[m-1]; all classes stay. Where the rows are a precomputed kernel
 * (`square`), the columns are chosen alike; those of a joint kernel in the block of each class. */
pt_status pt_subproblem_init(pt_subproblem *sub, const pt_problem *problem, const int64_t *chosen,
                             int64_t m, bool square, const pt_task *task, pt_error *err);

/* How many examples the rows stand for. */
int64_t pt_problem_examples(const pt_problem *problem);

/* So many of a row are enough where rows are in about ten folds. */
enum { PT_FOLDED_EXAMPLES = 10 };

/* The examples that the rows stand for, one row each and of a row at most `most`, in the order of
 * the rows; what they weigh together is what the row did. Without `copies` the rows themselves, and
 * no memory is taken.
 *
 * Rows that are merged may be held out no other way: without the row (cells, A), which stands for
 * many, only (cells, B) is left, and the machine that never saw an A there errs each time. */
pt_status pt_subproblem_examples(pt_subproblem *sub, const pt_problem *problem, int64_t most,
                                 bool square, const pt_task *task, pt_error *err);

/* A stratified sample of at most `limit` examples: all of them where there are no more, without a
 * copy where each is a row. */
pt_status pt_subproblem_sample(pt_subproblem *sub, const pt_problem *problem, int64_t limit,
                               uint64_t seed, bool square, const pt_task *task, pt_error *err);

void pt_subproblem_free(pt_subproblem *sub);

/* A fold of a problem: what is trained on without it, and its rows. Zero-initialise; free it
 * always. */
typedef struct pt_fold_problem {
    pt_subproblem train;
    pt_rows_owned held_out;
    int64_t *rows;   /* their numbers in the problem, then those of the others */
    int64_t n_held;  /* how many they are, */
    int64_t n_train; /* and those that are trained on */
} pt_fold_problem;

/* The rows i with fold[i] = number are held out; the others, with `past` those of smaller numbers
 * alone, are trained on. `square` as above. */
pt_status pt_fold_problem_init(pt_fold_problem *fold_problem, const pt_problem *problem,
                               const int64_t *fold, int64_t number, bool past, bool square,
                               const pt_task *task, pt_error *err);
void pt_fold_problem_free(pt_fold_problem *fold_problem);

#endif
