/* Decoders: from outputs to one score per class, the larger the better; one file and one table
 * entry each. Ties go to the class with the lowest index, always. */
#ifndef PT_DECODERS_DECODER_H
#define PT_DECODERS_DECODER_H

#include "base/error.h"
#include "codes/labelbook.h"

typedef struct pt_decoder {
    const char *name;
    const char *summary;
    /* For machines that learn one output per class with the indicator labelbook and are asked for
     * another: scores (n x k row-major) hold the indicator outputs on entry and the class scores
     * under `book` on exit. */
    void (*from_indicator)(const pt_labelbook *book, int64_t k, int64_t n, double *scores);
} pt_decoder;

extern const pt_decoder *const pt_decoders[]; /* ended by NULL */
const pt_decoder *pt_decoder_find(const char *name);

/* The first index of the largest of k scores. */
int64_t pt_decode_argmax(const double *scores, int64_t k);

#endif
