/* Features hashed into 2^bits places, so that weights have a bounded length whatever the number of
 * features is (Weinberger et al. 2009). */
#ifndef PT_DATA_PREPARE_FEATURE_HASH_H
#define PT_DATA_PREPARE_FEATURE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { PT_HASH_BITS = 30 }; /* at most */

/* bits 0: features stay where they are. */
typedef struct pt_feature_hash {
    int bits;
    bool signs; /* a feature is added or subtracted, so that those that meet are apart on average */
} pt_feature_hash;

/* A cell of a sparse row. */
typedef struct pt_sparse_cell {
    int64_t input;
    double x;
} pt_sparse_cell;

/* Where the feature (from 0) with the value x goes, and with which sign. */
pt_sparse_cell pt_feature_hash_cell(const pt_feature_hash *hash, int64_t feature, double x);

/* The next word of a text from *at on, letters and digits, ASCII letters in either case the same;
 * returns its place among 2^bits, -1: there is none. */
int64_t pt_hash_next_word(int bits, const char *text, size_t *at);

/* Puts cells in the order of their inputs and adds those of the same input; sums that are 0 are
 * left out. Returns how many remain. */
int64_t pt_cells_merge(pt_sparse_cell *cells, int64_t count);

#endif
