/* Kernel functions as a base quantity of two rows and a map of it:
 *
 *   kernel        base                      map
 *   linear        x.z                       v
 *   poly          x.z                       (v / sigma^2 + coef0)^degree
 *   rbf           ||x-z||^2                 exp(-v / (2 sigma^2))
 *   laplacian     ||x-z||_1                 exp(-v / sigma)
 *   sigmoid       x.z                       tanh(v / sigma^2 + coef0)
 *   precomputed   the row itself holds K    v
 *   joint         ... for each class        v
 *   a program's   k(x, z), by its callbacks v
 *
 * Base tiles are computed once and mapped for any parameters: one distance matrix serves every
 * sigma of a grid. */
#ifndef PT_KERNELS_KERNEL_H
#define PT_KERNELS_KERNEL_H

#include <stdbool.h>

#include "base/error.h"
#include "data/rows.h"
#include "params/params.h"

typedef enum pt_kernel_base {
    PT_BASE_DOT = 0,
    PT_BASE_SQUARED_DISTANCE = 1,
    PT_BASE_L1_DISTANCE = 2,
    PT_BASE_ROW = 3, /* precomputed */
    PT_BASE_OWN = 4  /* a program's: own_kernel.h */
} pt_kernel_base;

typedef struct pt_kernel pt_kernel;

/* One entry per kernel function. */
typedef struct pt_kernel_ops {
    const char *name;
    const char *summary;
    const char *parameters; /* names used: "sigma,degree,coef0" */
    pt_kernel_base base;
    bool linear; /* k(x, z) = x.z: what is learned is linear in x */
    bool psd;    /* K is positive semidefinite for every allowed sigma and degree and coef0 >= 0 */
    bool joint;  /* the rows hold n values for each class: a kernel of inputs and outputs */
    const pt_kernel_callbacks *own; /* PT_BASE_OWN: where base values come from; else NULL */
    /* value[i] <- k(value[i]), in place, for `count` values of `type`; NULL: it stays. */
    void (*map)(const pt_kernel *kernel, pt_type type, void *value, int64_t count);
} pt_kernel_ops;

struct pt_kernel {
    const pt_kernel_ops *ops;
    double sigma;
    double coef0;
    int64_t degree;
    double
        shift; /* added to every value: k(x, z) + 1 has a bias that is penalised as weights are */
};

/* Every kernel there is: a line of registry/kernels.def each. */
#define PT_ENTRY(entry, name) extern const pt_kernel_ops pt_kernel_##entry;
#include "registry/kernels.def"
#undef PT_ENTRY
extern const pt_kernel_ops *const pt_kernels[];        /* ended by NULL */
const pt_kernel_ops *pt_kernel_find(const char *name); /* NULL: none of that name */

/* For maps: numerator / (a b) for positive a and b, kept finite in `type`: an infinite factor would
 * make NaN of a distance of 0. */
double pt_kernel_scale(double numerator, double a, double b, pt_type type);

/* In place on a column-major m x n block with leading dimension ld. */
void pt_kernel_map(const pt_kernel *kernel, pt_type type, int64_t m, int64_t n, void *block,
                   int64_t ld);

#endif
