/* Kernel expansions: outputs g(x) = coef^T kappa_x + bias over training rows. What the machines of
 * HNR and their kin have learned; how they are scored, saved and loaded. */
#ifndef PT_KERNELS_EXPANSION_H
#define PT_KERNELS_EXPANSION_H

#include "kernels/centres.h"
#include "store/pack.h"

/* Zero-initialise; free it always. */
typedef struct pt_expansion {
    pt_kernel kernel;
    pt_type type;        /* of the rows */
    pt_type score_type;  /* of what outputs are computed from */
    int64_t m;           /* outputs */
    int64_t n_coef;      /* rows of coef: centres, or columns of the data where linear */
    bool linear;         /* g(x) = coef^T x: a linear kernel, or one that is precomputed */
    double *coef;        /* n_coef x m, column-major; n_coef x 1 where `column` is given */
    int64_t *column;     /* NULL, or n_coef: the one output to which a row's coefficient belongs */
    double *bias;        /* NULL, or m */
    void *coef_typed;    /* whole, in score_type, as sums need it; linear: m for each feature */
    pt_rows_owned rows;  /* the centres; not where linear */
    pt_centres *centres; /* made of rows */
} pt_expansion;

/* What it is made of. coef, column and bias are taken (freed on failure too). */
typedef struct pt_expansion_parts {
    pt_kernel kernel;
    pt_type type;
    int64_t m;
    int64_t n_coef;
    bool linear;
    double *coef;
    int64_t *column;
    double *bias;
    const pt_rows *rows;   /* where not linear: the training rows, copied */
    const int64_t *chosen; /* NULL: all of them; else n_coef that are centres */
    const pt_task *task;   /* how it is made ready; NULL: as many threads as may be */
} pt_expansion_parts;

pt_status pt_expansion_take(pt_expansion *e, const pt_expansion_parts *parts, pt_error *err);
/* m linear functions of rows in R^d: scale times w ((d + 1) x m, column-major), of which the last
 * number of each is its bias, or 0 where there are none. Copies w. */
pt_status pt_expansion_take_linear(pt_expansion *e, pt_type type, int64_t d, int64_t m,
                                   const double *w, double scale, bool bias, const pt_task *task,
                                   pt_error *err);
/* w, as there, <- scale times the functions of one that was made so. PT_EINVAL, of a start, where
 * it is none of m functions of d features. */
pt_status pt_expansion_give_linear(const pt_expansion *e, int64_t d, int64_t m, double scale,
                                   double *w, pt_error *err);
/* place[c] <- which of `rows` the row of coefficient c is, of the same tag (both NULL: whatever it
 * is); -1: none of them. The rows of a precomputed kernel are known by their numbers. PT_EINVAL, of
 * a start, where it keeps no rows, or others. */
pt_status pt_expansion_find_rows(int64_t *place, const pt_expansion *e, const int64_t *tag,
                                 const pt_rows *rows, const int64_t *tag_of, pt_error *err);
/* Coefficients that are not 0. */
int64_t pt_expansion_weights(const pt_expansion *e);
void pt_expansion_free(pt_expansion *e);

/* *out <- the type that outputs are computed in: float32 where that is the type of the rows and its
 * rounding does not matter for coefficients whose squares sum up to `square`. `rows` are the
 * centres, or NULL. */
pt_status pt_expansion_score_type(pt_type *out, pt_type type, const pt_kernel *kernel,
                                  const pt_rows *rows, double square, const pt_task *task,
                                  pt_error *err);

/* Below this all kernel values of a row are close to where float32 ends (1e-38): a narrow Gaussian
 * far from every training row. What is left of them does not tell the classes apart any more. */
#define PT_FAINT 1e-30

/* coef (d x m, column-major) <- X^T A for the rows' coefficients: the linear machine that an
 * expansion with the linear kernel is. A is n x m, or n x 1 with `column`. */
pt_status pt_expansion_collapse(double **coef, const pt_rows *rows, const double *A,
                                const int64_t *column, int64_t m, const pt_task *task,
                                pt_error *err);

/* outputs: rows.n x m row-major. */
pt_status pt_expansion_outputs(const pt_expansion *e, const pt_rows *rows, double *outputs,
                               const pt_task *task, pt_error *err);

/* Adds its arrays to a pack: coef, column, bias, and rows or start, index, value. */
void pt_expansion_save(const pt_expansion *e, pt_pack *pack);
/* From arrays that may be hostile; *used <- how many of them it is made of. */
pt_status pt_expansion_load(pt_expansion *e, const pt_pack *pack, int64_t n_inputs, int64_t m,
                            const pt_params *params, int64_t *used, const pt_task *task,
                            pt_error *err);

static inline bool pt_kernel_is_row(const pt_kernel *kernel)
{
    return kernel->ops->base == PT_BASE_ROW;
}

#endif
