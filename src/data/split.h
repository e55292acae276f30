/* Folds: which examples are held out together. */
#ifndef PT_DATA_SPLIT_H
#define PT_DATA_SPLIT_H

#include <stdbool.h>

#include "base/error.h"
#include "data/ties.h"

/* Assigns each of n examples a fold in 0..n_folds-1, from (seed, repeat) alone. Stratified: within
 * a class fold sizes differ by at most one, and so do the total sizes. class_of may be NULL if not
 * stratified. */
pt_status pt_folds(int64_t *fold, int64_t n, const int64_t *class_of, int64_t n_classes,
                   int64_t n_folds, bool stratified, uint64_t seed, int64_t repeat, pt_error *err);

/* The same where blocks of rows stay whole (ties.h); rows that are never held out get
 * PT_NEVER_HELD. No fold is empty. n_folds: at most pt_blocks_most_folds(). Blocks in the order of
 * time are cut, not drawn: into n_folds + 1 runs of about as many rows, the first of which is never
 * held out. */
pt_status pt_block_folds(int64_t *fold, int64_t n, const int64_t *class_of, int64_t n_classes,
                         const pt_blocks *blocks, int64_t n_folds, bool stratified, uint64_t seed,
                         int64_t repeat, pt_error *err);

/* Whole blocks, *m rows together at most, ascending; *m <- how many rows they are. A block that is
 * larger is taken where there is no smaller one. At least one block is left. In the order of time
 * they are the last ones. */
pt_status pt_block_sample(int64_t *rows, int64_t *m, int64_t n, const pt_blocks *blocks,
                          uint64_t seed, pt_error *err);

/* Whole blocks as two parts: part[i] <- 1 where row i is in the second one, which has about `share`
 * of the rows, of every class as far as blocks allow (class_of NULL: all rows are alike). Neither
 * part is empty; rows that are never held out are in the first. The largest blocks go first, each
 * where the sum over parts and classes of rows^2 / (rows of the class x share of the part) grows
 * least. Not in the order of time. */
pt_status pt_block_part(int8_t *part, int64_t n, const int64_t *class_of, int64_t n_classes,
                        const pt_blocks *blocks, double share, uint64_t seed, pt_error *err);

/* Refuses what is no share of rows for a test set (pt_dataset_split). */
pt_status pt_split_check_share(double share, pt_error *err);

/* A stratified sample of m of n examples without replacement, ascending, from the seed. */
pt_status pt_sample(int64_t *rows, int64_t m, int64_t n, const int64_t *class_of, int64_t n_classes,
                    uint64_t seed, pt_error *err);

#endif
