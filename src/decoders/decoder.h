/* Decoders: from outputs to one score per class, the larger the better; one file and one table
 * entry each. Ties go to the class with the lowest index, always. */
#ifndef PT_DECODERS_DECODER_H
#define PT_DECODERS_DECODER_H

#include "base/error.h"
#include "codes/code.h"
#include "codes/label_space.h"
#include "losses/loss.h"

/* At least one of the functions is there; all get n rows, row-major. */
typedef struct pt_decoder {
    const char *name;
    const char *summary;
    bool one_per_class; /* needs one output for each class: ell = k */
    /* In place: M_r . f(x), n x k, on entry (where all classes are alike up to a term that they
     * share), scores on exit. It serves kernels on the labels too, where f itself is not known. */
    void (*from_products)(const pt_label_space *space, int64_t n, double *scores);
    /* scores (n x k) <- outputs f (n x ell) */
    void (*from_outputs)(const pt_label_space *space, int64_t n, const double *outputs,
                         double *scores);
    /* scores (n x k) <- outputs f (n x ell) of a code of signs (ASS). */
    pt_status (*from_code)(const pt_code *code, int64_t n, const double *outputs, double *scores,
                           pt_error *err);
    bool pairs_only; /* from_code serves all pairs alone */
} pt_decoder;

extern const pt_decoder *const pt_decoders[]; /* ended by NULL */
const pt_decoder *pt_decoder_find(const char *name);

/* The decoder of the parameters, refused where it cannot serve the label space. */
pt_status pt_decoder_for(const pt_decoder **out, const pt_params *params,
                         const pt_label_space *space, pt_error *err);

/* Class outputs g (n x k, in `scores`), with f = M^T g, become scores. work: k + ell numbers. */
void pt_decode_class_outputs(const pt_decoder *decoder, const pt_label_space *space, int64_t n,
                             double *scores, double *work);

/* scores (n x k) <- outputs f (n x ell) of a code with vectors M. */
void pt_decode_outputs(const pt_decoder *decoder, const pt_label_space *space, int64_t n,
                       const double *outputs, double *scores);

/* The same for a code of signs, whatever functions the decoder has. */
pt_status pt_decode_code(const pt_decoder *decoder, const pt_code *code, int64_t n,
                         const double *outputs, double *scores, pt_error *err);
/* The decoder of the parameters, refused where it cannot serve the code. */
pt_status pt_decoder_for_code(const pt_decoder **out, const pt_params *params, const pt_code *code,
                              pt_error *err);

/* The first index of the largest of k scores. */
int64_t pt_decode_argmax(const double *scores, int64_t k);

#endif
