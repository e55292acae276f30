/* What logistic regression computes row by row, compiled for every instruction set. Arrays have
 * `count` numbers, side by side; those of several lanes have count = rows width. */
#ifndef PT_SOLVERS_LINEAR_LOGISTIC_LOOPS_H
#define PT_SOLVERS_LINEAR_LOGISTIC_LOOPS_H

#include <stdint.h>

#include "base/isa.h"

typedef struct pt_logistic_loops {
    /* result <- log(1 + u), 0 <= u <= 1 */
    void (*log1p)(const double *u, int64_t count, double *result);
    /* margin <- y (z + step t) and shrunk <- -|margin|, width numbers of `step` again and again */
    void (*margins)(int64_t rows, int width, const double *y, const double *z, const double *step,
                    const double *t, double *margin, double *shrunk);
    /* From margins m of sides y, e = e^-|m| and l = log(1 + e); a row's cost is c:
     *   slope <- -c y s, curve <- c y^2 s (1 - s), s = 1 / (1 + e^m), loss += c y^2 log(1 + e^-m)
     */
    void (*soften)(int64_t rows, int width, const double *y, const double *cost,
                   const double *margin, const double *e, const double *l, double *slope,
                   double *curve, double *loss);
    /* u <- curve q, product += q u, lane by lane */
    void (*bend)(int64_t rows, int width, const double *curve, const double *q, double *u,
                 double *product);
    /* Conjugate gradients, N the inverse of the preconditioner:
     *   p <- r N + beta p, square += p p
     *   to <- to + alpha p, r <- r - alpha (Hp + ridge p), rr += r r, rz += r r N */
    void (*direct)(int64_t rows, int width, const double *beta, const double *r, const double *N,
                   double *p, double *square);
    void (*follow)(int64_t rows, int width, const double *alpha, double ridge, const double *p,
                   const double *Hp, const double *N, double *to, double *r, double *rr,
                   double *rz);
    /* w <- w + step to; g <- g + ridge w; N <- 1 / (ridge + N / 100); to <- 0; r <- -g; p <- r N;
     * gg += g g, rp += r p, ww += w w */
    void (*begin)(int64_t rows, int width, const double *step, double ridge, double *w, double *g,
                  double *N, double *to, double *r, double *p, double *gg, double *rp, double *ww);
    /* gt += g to, wt += w to, tt += to to */
    void (*slopes)(int64_t rows, int width, const double *g, const double *w, const double *to,
                   double *gt, double *wt, double *tt);
    /* One row of all classes, blocks of PT_LANES numbers `stride` apart: u <- c p (q - p.q);
     * returns q.u */
    double (*bend_classes)(int64_t blocks, int64_t stride, double c, const double *p,
                           const double *q, double *u);
    /* y += factor x, width numbers of factor again and again */
    void (*add)(int64_t rows, int width, const double *factor, const double *x, double *y);
} pt_logistic_loops;

PT_ISA_CHOSEN(pt_logistic_loops, pt_logistic_loops, pt_logistic_loops_chosen)

#endif
