/* What a weak hypothesis says on its branches, and what becomes of the weights (AdaBoost: Freund
 * and Schapire 1997; confidence-rated: Schapire and Singer 1999; ASS section 2).
 *
 * Given the weights of examples on the plus side, W+, and on the minus side, W-, of each branch b.
 *
 *   discrete     h_b = sign of W+ - W-, + where they are equal, 0 on a branch without weight;
 *                e = what is on the other side / all;   alpha = ln((1 - e) / e) / 2,   f += alpha h
 *                D <- D / (2 (1 - e)) where h is right, D / (2 e) where it is wrong: the textbook's
 *                D e^(-alpha M h) / Z, since Z = 2 sqrt(e (1 - e))
 *                e = 0: alpha as of e = c, and D stays
 *   confidence   h_b = ln((W+ + c) / (W- + c)) / 2,   f += h
 *                D <- D e^(-M h) / Z,   Z = sum_b W+ e^-h + W- e^h
 *
 * c is half the smallest weight that an example has at first, when all weights sum to 1: 1/(2n)
 * where all are equal. (n itself would tell an example of weight 2 from the example twice.) It is
 * never below 2^-53, since 0 would make h infinite: a sum of weights does not see less.
 *
 * Nothing can be learned where 1 - 2e, or 1 - Z, is no more than rounding errors. */
#ifndef PT_LEARNERS_BOOSTING_BOOST_VOTE_H
#define PT_LEARNERS_BOOSTING_BOOST_VOTE_H

#include <stdbool.h>

#include "trees/forest.h"

typedef struct pt_boost_vote {
    double value[PT_BRANCHES]; /* what is added to f */
    double plus[PT_BRANCHES];  /* what weights of the plus side are multiplied by */
    double minus[PT_BRANCHES];
    double alpha; /* discrete */
    double e;     /* discrete: as it was, 0 too */
} pt_boost_vote;

/* c, from the smallest weight and the sum of all. */
double pt_boost_smoothing(double least, double sum);

/* sum: +, - of the branches. below: + on the branch IN and - on OUT, whatever the weights. False:
 * nothing can be learned. */
bool pt_boost_vote_discrete(pt_boost_vote *vote, const double sum[PT_BRANCHES][2], bool below,
                            double c);
bool pt_boost_vote_confidence(pt_boost_vote *vote, const double sum[PT_BRANCHES][2], double c);

/* The parts they are made of, for votes over several columns: the sign of a branch; alpha, and what
 * weights are multiplied by where h is right and wrong. */
int pt_boost_sign(const double sum[2]);
bool pt_boost_alpha(double wrong, double all, double c, double *e, double *alpha, double *right,
                    double *mistaken);
double pt_boost_half_log(const double sum[2], double c);
/* Whether a sum of weights of Z, that was `all` before, is a loss that fell. */
bool pt_boost_falls(double Z, double all);

#endif
