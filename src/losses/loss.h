/* Margin losses L(z), z = M(r,s) f_s(x) (ASS section 2): one table entry each, for learners and for
 * decoders. */
#ifndef PT_LOSSES_LOSS_H
#define PT_LOSSES_LOSS_H

typedef struct pt_loss {
    const char *name;
    const char *formula;
    double (*value)(double z);
    double at_zero; /* L(0): what an entry 0 of a code counts */
} pt_loss;

extern const pt_loss pt_loss_hinge;    /* (1 - z)_+ */
extern const pt_loss pt_loss_exp;      /* e^-z */
extern const pt_loss pt_loss_square;   /* (1 - z)^2 */
extern const pt_loss pt_loss_logistic; /* log(1 + e^-2z) */
extern const pt_loss pt_loss_sigmoid;  /* 1 / (1 + e^2z) */
extern const pt_loss pt_loss_hamming;  /* (1 - sign z) / 2 */

extern const pt_loss *const pt_losses[]; /* ended by NULL */
const pt_loss *pt_loss_find(const char *name);

#endif
