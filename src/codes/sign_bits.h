/* Signs as bits: a matrix over {-1, 0, +1} in two planes, so that rows are compared 64 entries at a
 * time. */
#ifndef PT_CODES_SIGN_BITS_H
#define PT_CODES_SIGN_BITS_H

#include <stdbool.h>

#include "base/isa.h"
#include "base/task.h"

/* Zero-initialise; free it always. */
typedef struct pt_sign_bits {
    int64_t n;       /* rows */
    int64_t width;   /* signs in a row */
    int64_t words;   /* 64 signs each, in a row; bits beyond the width are 0 */
    bool full;       /* no entry is 0: minus is what plus is not */
    uint64_t *plus;  /* n x words: where an entry is +1 */
    uint64_t *minus; /* n x words: where an entry is -1 */
} pt_sign_bits;

/* All entries 0, and not full. */
pt_status pt_sign_bits_init(pt_sign_bits *bits, int64_t n, int64_t width, pt_error *err);
void pt_sign_bits_free(pt_sign_bits *bits);

/* From signs: entry (i, j) is M[i * step_i + j * step_j], so that columns can become rows. */
void pt_sign_bits_fill(pt_sign_bits *bits, const int8_t *M, int64_t step_i, int64_t step_j);
/* out (width x n) <- the transpose, `full` included. */
void pt_sign_bits_transpose(const pt_sign_bits *bits, pt_sign_bits *out);

int pt_sign_bits_entry(const pt_sign_bits *bits, int64_t i, int64_t j);
/* Are rows i and j the same; is one minus the other? */
bool pt_sign_bits_equal(const pt_sign_bits *bits, int64_t i, int64_t j);
bool pt_sign_bits_opposite(const pt_sign_bits *bits, int64_t i, int64_t j);
/* Whether row i has a +1; a -1. */
bool pt_sign_bits_has_plus(const pt_sign_bits *bits, int64_t i);
bool pt_sign_bits_has_minus(const pt_sign_bits *bits, int64_t i);

/* The loops of one instruction set (sign_bits_isa.c). */
typedef struct pt_sign_loops {
    /* The least sum_s (1 - u_s v_s) of rows first <= u < end and the rows v < u before each: twice
     * the distance of ASS. Where it is `enough` or less, some number that is; 2 width of none. */
    int64_t (*closest)(const pt_sign_bits *bits, int64_t first, int64_t end, int64_t enough);
    /* The rows j < i, i > 0, against row i: the fewest entries with opposite signs in one of them;
     * the fewest that differ; the fewest that differ from the negated row i. */
    int64_t (*least_opposed)(const pt_sign_bits *bits, int64_t i);
    int64_t (*least_differing)(const pt_sign_bits *bits, int64_t i, bool negated);
} pt_sign_loops;

PT_ISA_CHOSEN(pt_sign_loops, pt_sign_loops, pt_sign_loops_chosen)

/* *least <- that of all pairs of rows, in pieces, so that a task can stop it. */
pt_status pt_sign_bits_closest(const pt_sign_bits *bits, int64_t enough, int64_t *least,
                               const pt_task *task, pt_error *err);

/* ---- a set of rows, which knows whether one comes again -------------------------------------- */

/* Zero-initialise; free it always. */
typedef struct pt_sign_set {
    int64_t *slot;   /* a hash table: number of a row + 1, or 0 */
    int64_t n_slots; /* a power of 2 */
} pt_sign_set;

pt_status pt_sign_set_init(pt_sign_set *set, int64_t most, pt_error *err); /* most: rows in it */
void pt_sign_set_free(pt_sign_set *set);
void pt_sign_set_clear(pt_sign_set *set);

/* Enters row i and returns -1; or returns the row that is there and equal to it or, with
 * `opposite`, its negative. Always of the same bits. */
int64_t pt_sign_set_enter(pt_sign_set *set, const pt_sign_bits *bits, int64_t i, bool opposite);

#endif
