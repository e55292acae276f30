/* What the outputs of a code's columns say before and after decoding (ASS sections 3 and 4):
 * errors and losses of the columns, and the bounds they put on the error of the whole. */
#ifndef PT_THEORY_DIAGNOSIS_H
#define PT_THEORY_DIAGNOSIS_H

#include "decoders/decoder.h"
#include "losses/loss.h"
#include "polytomy/polytomy.h"

/* The whole code on these examples, as Allwein, Schapire and Singer (2000) have it: ell columns,
 * the smallest distance rho of two classes, the share q of pairs (example, column) without a sign.
 */
typedef enum pt_code_figure {
    PT_CODE_RHO = 0,
    PT_CODE_LOSS = 1,                  /* eps: mean of L, pairs without a sign count L(0) */
    PT_CODE_LOSS_AT_ZERO = 2,          /* L(0) */
    PT_CODE_IGNORED = 3,               /* q */
    PT_CODE_LOSS_TAKING_PART = 4,      /* mean of L over the other pairs */
    PT_CODE_BINARY_ERROR = 5,          /* share of wrong signs among these */
    PT_CODE_LOSS_DECODING_ERROR = 6,   /* of decoding with L, whatever the model decodes with */
    PT_CODE_LOSS_DECODING_BOUND = 7,   /* Theorem 1: ell eps / (rho L(0)) */
    PT_CODE_LOSS_DECODING_BOUND_Q = 8, /* Corollary 2, the same with q */
    PT_CODE_HAMMING_ERROR = 9,         /* of Hamming decoding */
    PT_CODE_HAMMING_BOUND = 10,        /* Theorem 1 through L: 2 ell eps / (rho L(0)) */
    PT_CODE_HAMMING_BOUND_SIGNS = 11,  /* from the signs: sum (1 - sign(z)) / (rho n) */
    PT_CODE_HAMMING_BOUND_Q = 12       /* Corollary 2, the same with q */
} pt_code_figure;

/* Over examples and columns in which their class takes part. */
typedef struct pt_column_figures {
    int64_t n;
    int64_t n_plus; /* of these at + */
    double wrong;   /* signs; an output of 0 is half a wrong one */
    double loss;    /* sum of L(z) */
} pt_column_figures;

/* Zero-initialise; free it always. */
typedef struct pt_diagnosis {
    pt_code code; /* a copy */
    const pt_loss *loss;
    double rho;
    int64_t n; /* examples */
    pt_column_figures *column;
    pt_column_figures total;
    int64_t loss_errors; /* examples that loss-based decoding gets wrong */
    int64_t hamming_errors;
    int64_t capacity;
    double *margin; /* n: (min_{r != y} d_L(r) - d_L(y)) / ell; ascending after finish */
} pt_diagnosis;

/* For at most `capacity` examples. loss: not that of Hamming. */
pt_status pt_diagnosis_init(pt_diagnosis *diagnosis, const pt_code *code, const pt_loss *loss,
                            int64_t capacity, const pt_task *task, pt_error *err);
/* Adds n examples with their outputs (n x ell) and classes; those outside of the code are left
 * out. */
pt_status pt_diagnosis_add(pt_diagnosis *diagnosis, int64_t n, const double *outputs,
                           const int64_t *class_of, const pt_task *task, pt_error *err);
void pt_diagnosis_finish(pt_diagnosis *diagnosis);
void pt_diagnosis_free(pt_diagnosis *diagnosis);

/* NaN without examples. */
double pt_diagnosis_figure(const pt_diagnosis *diagnosis, pt_code_figure figure);

#endif
