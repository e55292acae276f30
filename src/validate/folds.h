/* Folds: rows drawn into parts, each of which is held out in turn; and pairs of folds, for what is
 * chosen without a fold. */
#ifndef PT_VALIDATE_FOLDS_H
#define PT_VALIDATE_FOLDS_H

#include "machine/machine.h"

/* Random partitions: owned folds for pt_partitions. Zero-initialise; free it always. */
typedef struct pt_fold_set {
    pt_partitions partitions;
    int64_t *fold;           /* count x n */
    const int64_t **pointer; /* count */
} pt_fold_set;

/* From the parameters folds, repeat, loo, stratify, seed; groups stay whole, and with loo each is a
 * fold. By time there is one partition, of as many folds as there are times for. */
pt_status pt_fold_set_init(pt_fold_set *set, const pt_problem *problem, const pt_params *params,
                           pt_error *err);

/* The folds that the data set has (pt_dataset_set_role): a partition for each of their columns, and
 * as many folds as the column with the most has. */
pt_status pt_fold_set_given(pt_fold_set *set, const pt_dataset *data, pt_error *err);

/* PT_EINVAL: a parameter was set that has nothing to say where the data set has folds or times. */
pt_status pt_fold_params_check(const pt_dataset *data, const pt_params *params, pt_error *err);

/* One partition of blocks (data/ties.h) into n_folds folds, or as many as there are blocks;
 * stratified where labels are classes. */
pt_status pt_fold_set_draw(pt_fold_set *set, const pt_problem *problem, int64_t n_folds,
                           bool stratified, uint64_t seed, pt_error *err);

/* One partition in which each block is a fold; not by time. */
pt_status pt_fold_set_each(pt_fold_set *set, const pt_problem *problem, pt_error *err);

void pt_fold_set_free(pt_fold_set *set);

/* ---- pairs of folds ----------------------------------------------------------------------------
 *
 * Nested folds for machines that have held-out scores in closed form.
 *
 * To choose parameters without fold a, its rows must be left out of everything; the folds b that
 * are left serve as inner folds. What is needed are the scores of fold b by a machine that was
 * trained without a and b, for all pairs. Like the games of a tournament the pairs go into F - 1
 * rounds (F, where F is odd and one fold has no game), and a round is a partition into pairs: the
 * closed forms serve all rounds with one factorisation. */

/* Zero-initialise; free it always. */
typedef struct pt_fold_pairs {
    pt_partitions partitions; /* of pairs: `rounds` for each partition into folds */
    int64_t rounds;
    int64_t n_folds; /* of the partitions into folds */
    int64_t n;
    int64_t *fold;           /* partitions.count x n: numbers of pairs */
    const int64_t **pointer; /* partitions.count */
} pt_fold_pairs;

/* Whether there are enough folds for three to differ, and not so many that rounds are dear. */
bool pt_fold_pairs_serve(int64_t n_folds);

/* Of the rows chosen[0] .. chosen[n-1] (NULL: rows 0 .. n-1) of the outer partitions. */
pt_status pt_fold_pairs_init(pt_fold_pairs *pairs, const pt_partitions *outer,
                             const int64_t *chosen, int64_t n, pt_error *err);
void pt_fold_pairs_free(pt_fold_pairs *pairs);

/* Whom fold `a` meets in a round: itself, where it has no game. */
int64_t pt_fold_partner(int64_t n_folds, int64_t round, int64_t a);

#endif
