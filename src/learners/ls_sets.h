/* Regularised least squares for the columns of a code: one factorisation for each set of groups.
 *
 * A column is learned on the rows of the groups Z that take part in it. Columns with the same Z are
 * combinations of one machine of indicators (HNR eq. 24): with
 *
 *     (K_Z + ridge W_Z^-1) A_Z = E_Z    on the rows of Z alone,
 *
 * column s has the coefficients sum_{g in Z} M(g,s) A_Z[., g]. A code without zeros has one set;
 * all pairs have one for each pair. */
#ifndef PT_LEARNERS_LS_SETS_H
#define PT_LEARNERS_LS_SETS_H

#include <stdatomic.h>

#include "learners/learner.h"
#include "solvers/squares/ls_train.h"

/* The sets of the columns. Zero-initialise; free it always. */
typedef struct pt_ls_sets {
    const pt_columns *columns;
    int64_t count;
    int64_t *set_of; /* ell; NULL for pairs: column s is set s */
    int64_t *column; /* count: a column of each set, its first; NULL for pairs */
} pt_ls_sets;

pt_status pt_ls_sets_init(pt_ls_sets *sets, const pt_columns *columns, pt_error *err);
void pt_ls_sets_free(pt_ls_sets *sets);

/* Whether there is one set, with all groups: no entry of the code is 0. */
bool pt_ls_sets_is_whole(const pt_ls_sets *sets);

/* What training all sets takes, on all workers that the memory allows. */
pt_status pt_ls_sets_plan(const pt_ls_sets *sets, const pt_rows *rows, const pt_params *params,
                          pt_plan *plan, pt_error *err);

/* One set, solved. */
typedef struct pt_ls_solved {
    int64_t set;
    int64_t n_groups;
    const int64_t *group;     /* n_groups, ascending */
    const pt_rows *rows;      /* of the set, sorted by group */
    const int64_t *place;     /* rows->n: where they are among all rows sorted by group */
    pt_expansion_parts parts; /* the outputs are the indicators of the groups, in that order */
} pt_ls_solved;

/* Takes what was solved; called from any thread, once for each set that has rows. */
typedef pt_status (*pt_ls_keep_fn)(void *context, const pt_ls_solved *solved, pt_error *err);

/* Solves all sets, in parallel. `sorted` has the rows by group (and the columns of a precomputed
 * kernel: `square`), first[g] says where group g begins there. */
pt_status pt_ls_sets_train(const pt_ls_sets *sets, const pt_ls_ordered *sorted,
                           const int64_t *first, bool square, const pt_params *params,
                           pt_ls_keep_fn keep, void *context, const pt_task *task,
                           pt_warnings *warnings, pt_error *err);

/* *out (groups + 1) <- where each group begins among the rows sorted by group. The caller frees
 * it. */
pt_status pt_ls_group_starts(int64_t **out, const pt_columns *columns, pt_error *err);

#endif
