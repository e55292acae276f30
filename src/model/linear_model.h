/* Models whose outputs are linear in the columns of the data: their coefficients. */
#ifndef PT_MODEL_LINEAR_MODEL_H
#define PT_MODEL_LINEAR_MODEL_H

#include "model/model.h"

/* f_s(z) = w_s . z + b_s for prepared rows z. Zero-initialise; free it always. */
typedef struct pt_linear_model {
    int64_t m;   /* functions; 0: the model is not linear, or not in a way that is known here */
    int64_t d;   /* columns of prepared rows */
    bool scores; /* they are the scores of the classes; else outputs, of which scores are made */
    double *w;   /* m x d row-major */
    double *b;   /* m */
} pt_linear_model;

pt_status pt_linear_model_of(pt_linear_model *linear, const pt_model *model, pt_error *err);
void pt_linear_model_free(pt_linear_model *linear);

/* "petal_width", "color=red", "age missing": what column j of prepared rows is. */
pt_status pt_term_add(pt_texts *terms, const pt_prepare *prepare, int64_t j, pt_error *err);

/* Adds `coefficient` (function x term), `intercept`, `function`, `of_scores`, `term`, `term_column`
 * and `term_scale`, in units of the data's columns, to a report; nothing where the model is not
 * linear. */
pt_status pt_report_add_coefficients(pt_report *report, const pt_model *model, pt_error *err);

#endif
