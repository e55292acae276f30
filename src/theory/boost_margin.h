/* Margins of codes that boosting learned in a single call (ASS section 5), and their bounds. */
#ifndef PT_THEORY_BOOST_MARGIN_H
#define PT_THEORY_BOOST_MARGIN_H

#include "codes/code.h"

/* What boosting did: F(x, s) = sum_t alpha_t h_t(x, s) with h_t = +1 or -1 and alpha_t >= 0. Lent
 * by who did it. */
typedef struct pt_boost_rounds {
    int64_t n;
    const double *alpha;
    const double *error; /* e_t: the weight of the pairs (example, column) that h_t gets wrong */
} pt_boost_rounds;

/* Margins of examples after some rounds. Zero-initialise; free it always. */
typedef struct pt_boost_margins {
    int64_t n;
    int64_t capacity;
    double *margin; /* n, in [-1, 1]; ascending after finish */
    double ell;
    double rho;
    bool zeros;        /* the code keeps classes out of columns: Theorem 6 does not speak of it */
    double eta;        /* sum of alpha_t */
    double log_z;      /* log of the product of Z_t */
    double log_losses; /* log of the sum of e^(-M F) over the examples and all columns */
    double log_pairs;  /* the same over the columns that their classes take part in, */
    double pairs;      /* and how many these are */
} pt_boost_margins;

/* After the first `t` rounds, for at most `capacity` examples; rho is the code's. */
pt_status pt_boost_margins_init(pt_boost_margins *margins, const pt_code *code, double rho,
                                const pt_boost_rounds *rounds, int64_t t, int64_t capacity,
                                pt_error *err);
/* Adds n examples with their outputs F (n x ell) and classes; those outside of the code are left
 * out. */
pt_status pt_boost_margins_add(pt_boost_margins *margins, const pt_code *code, int64_t n,
                               const double *outputs, const int64_t *class_of, const pt_task *task,
                               pt_error *err);
void pt_boost_margins_finish(pt_boost_margins *margins);
void pt_boost_margins_free(pt_boost_margins *margins);

/* The share of examples with a margin of at most theta. NaN without examples. */
double pt_boost_margins_share(const pt_boost_margins *margins, double theta);
/* Theorem 6, of the training examples. NaN where it does not apply. */
double pt_boost_margins_theorem_6(const pt_boost_margins *margins, double theta);
/* What its proof says of the examples that were added, whichever they are. NaN as above. */
double pt_boost_margins_bound(const pt_boost_margins *margins, double theta);

/* Whether the examples that were added are those of training: boosting that began with equal
 * weights leaves its own examples, and hardly any others, with a mean loss of prod_t Z_t. */
bool pt_boost_margins_of_training(const pt_boost_margins *margins);

/* Theorem 3: what is added to the share of training examples at theta > 0 to bound the error on
 * new ones, with probability 1 - delta, but for a constant factor that the theorem does not tell.
 * m: training examples; vc: VC-dimension of the base hypotheses. NaN where it does not apply. */
double pt_boost_theorem_3(double vc, double ell, double m, double theta, double delta);

/* A bound on the VC-dimension of stumps with a sign for each branch and column: tests of d
 * features, levels as in pt_rows, `branches` ways to go. */
double pt_boost_stump_vc(int64_t d, const int64_t *levels, int64_t ell, int branches);

#endif
