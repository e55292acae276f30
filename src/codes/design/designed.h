/* A code that was designed (design.h): real rows M_r, or, with a kernel on the outputs,
 * coefficients of support patterns, which are outputs of examples. The score of class r is
 * M_r . f(x), or sum_i tau_ir k(h_i, f(x)); where there is a bias, more by that. */
#ifndef PT_CODES_DESIGN_DESIGNED_H
#define PT_CODES_DESIGN_DESIGNED_H

#include "base/text.h"
#include "kernels/expansion.h"

/* Zero-initialise; free it always. */
typedef struct pt_designed {
    int64_t k;
    int64_t ell;
    pt_expansion expansion; /* from outputs to scores; linear where there are rows M_r */
    double shape[3];        /* of the kernel as files have it: sigma, coef0, degree */
} pt_designed;

void pt_designed_free(pt_designed *designed);

/* The code with the rows M (k x ell, row-major), which are taken, on failure too. */
pt_status pt_designed_from_rows(pt_designed *designed, int64_t k, int64_t ell, double *M,
                                pt_error *err);
/* The one with patterns chosen[0] .. chosen[count - 1] among the rows of H (m x ell) and the
 * coefficients tau (count x k, column-major), which are taken, on failure too. */
pt_status pt_designed_from_patterns(pt_designed *designed, const pt_kernel *kernel, int64_t k,
                                    int64_t ell, const double *H, int64_t m, const int64_t *chosen,
                                    int64_t count, double *tau, const pt_task *task, pt_error *err);

/* Gives the scores a bias (k), which is taken. */
void pt_designed_take_bias(pt_designed *designed, double *bias);
bool pt_designed_has_bias(const pt_designed *designed);

/* M, k x ell row-major; NULL: there is a kernel, and there are no rows. Lent. */
const double *pt_designed_rows(const pt_designed *designed);

/* scores (n x k) <- those of n rows of outputs (n x ell), both row-major. */
pt_status pt_designed_scores(const pt_designed *designed, int64_t n, const double *outputs,
                             double *scores, const pt_task *task, pt_error *err);

/* *text <- "a 12, b 7": how many support patterns each class has; the caller frees it. Of a code
 * with a kernel. */
pt_status pt_designed_pattern_words(char **text, const pt_designed *designed, const pt_texts *names,
                                    pt_error *err);

/* Adds its arrays, which it lends, to a pack: d.rows; or d.pattern, d.tau and d.kernel;
 * with d.bias where there is one. */
void pt_designed_save(const pt_designed *designed, pt_pack *pack);
/* From arrays that may be hostile. */
pt_status pt_designed_load(pt_designed *designed, const pt_pack *pack, int64_t k, int64_t ell,
                           const pt_kernel_ops *kernel, pt_error *err);
/* Whether an array of that name is one of a designed code. */
bool pt_designed_owns(const char *name);

#endif
