/* A set of rows of signs, which knows whether one comes again. */
#ifndef PT_CODES_DESIGN_SIGN_SET_H
#define PT_CODES_DESIGN_SIGN_SET_H

#include "codes/design/sign_bits.h"

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
