/* What pt_model_explain is made of. */
#ifndef PT_MODEL_EXPLAIN_H
#define PT_MODEL_EXPLAIN_H

#include "kernels/gram.h"
#include "model/model.h"

/* The rows that a model keeps, and how far each is for a score. Zero-initialise, then
 * pt_kept_rows_of; free it always. */
typedef struct pt_kept_rows {
    int64_t n; /* 0: it keeps none that kernel values are asked of */
    int64_t k; /* classes that have coefficients; 0: what a row adds to scores is not known */
    pt_kernel kernel;
    pt_pack pack;                       /* lends what follows */
    const double *coef;                 /* k x n, or n with `column` */
    const int64_t *column;              /* n: the class that a row speaks for; NULL: all */
    const struct pt_label_space *space; /* scores are products with it; NULL: they are sums */
    pt_gram *gram;
    double *value; /* n: kernel values of one row */
    void *scratch;
} pt_kept_rows;

pt_status pt_kept_rows_of(pt_kept_rows *kept, const pt_model *model, const pt_task *task,
                          pt_error *err);
void pt_kept_rows_free(pt_kept_rows *kept);
/* kept->value <- kernel values of row i of rows that were made ready by pt_gram_new_like. */
pt_status pt_kept_rows_meet(pt_kept_rows *kept, const pt_gram *rows, int64_t i, pt_error *err);
/* What kept row i adds to the score of class a less that of class b. */
double pt_kept_rows_part(const pt_kept_rows *kept, int64_t i, int64_t a, int64_t b);

/* The `count` places of the largest |value| (or value, where signed), the largest first; of equals
 * the first. place: count, -1 where there are fewer; those that are 0 do not count. */
void pt_largest(const double *value, int64_t n, bool absolute, int64_t count, int64_t *place);

#endif
