/* Labelbooks: a real label vector for each class (HNR Table 1). */
#ifndef PT_CODES_VECTORS_LABELBOOK_H
#define PT_CODES_VECTORS_LABELBOOK_H

#include "base/error.h"

/* M is k x ell, row-major. For most labelbooks M M^T = on I + all 1 1^T: one vector per class, all
 * alike. That is what makes oneLSM's decision independent of the labelbook (HNR Theorem 5). */
typedef struct pt_labelbook {
    const char *name;
    const char *summary;
    int64_t (*ell)(int64_t k);
    /* size: how many examples each class has (their weights, where they have some). */
    void (*fill)(int64_t k, const double *size, double *M);
    double (*on)(int64_t k); /* the factor of I in M M^T; NULL: M depends on the sizes */
} pt_labelbook;

extern const pt_labelbook *const pt_labelbooks[]; /* ended by NULL */
const pt_labelbook *pt_labelbook_find(const char *name);

#endif
