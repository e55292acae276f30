/* How good decisions are, row by row: their costs, errors where some rows are rejected, sets that
 * cover. */
#ifndef PT_MODEL_EVALUATION_DECISIONS_H
#define PT_MODEL_EVALUATION_DECISIONS_H

#include "model/model.h"
#include "report/report.h"

/* A mean over rows, collected. */
typedef struct pt_collected {
    double sum;
    double squares;
} pt_collected;

/* A row as rejecting sees it. */
typedef struct pt_sure_row {
    double p; /* the largest probability */
    bool right;
} pt_sure_row;

/* Zero-initialise; free it always. */
typedef struct pt_decided {
    pt_decider decider; /* that of the largest score: nothing is looked at */
    int64_t k;          /* classes of the model */
    int64_t n;          /* rows; with costs those of classes that have some */
    int64_t n_rejected;
    int64_t n_right; /* rows that are not rejected and right; or whose set has all that is right */
    pt_collected least; /* of what is decided */
    pt_collected saved; /* what the most probable class costs more */
    pt_sure_row *row;   /* of very many rows every so many */
    int64_t n_kept;
    int64_t room;
    int64_t step;
    double size;          /* sum over sets */
    int64_t *class_rows;  /* k */
    int64_t *class_right; /* k: of these, those whose set has the class */
    int64_t *first;       /* k + 2: rows by how many first classes hold all that is right; k + 1:
                              all classes do not */
    double *work;         /* 2 k + 1 */
    uint64_t *set;        /* bits of k */
} pt_decided;

/* params NULL: none. `asked` is what the labels are that are compared with. */
pt_status pt_decided_init(pt_decided *d, const pt_model *model, pt_label_kind asked,
                          const pt_params *params, const pt_task *task, pt_error *err);
void pt_decided_free(pt_decided *d);
/* Rows with labels in the model's classes, and others behind them; weights may be NULL, rows of
 * weight 0 are absent. */
pt_status pt_decided_add(pt_decided *d, const pt_prediction *p, const pt_labels *labels,
                         const double *weights, const pt_task *task, pt_error *err);
/* When all are added: what there is to warn of goes to `warnings`. */
pt_status pt_decided_finish(pt_decided *d, pt_warnings *warnings, const pt_task *task,
                            pt_error *err);
/* n_classes: those of the report, the model's first. */
pt_status pt_decided_report(const pt_decided *d, pt_report *report, int64_t n_classes,
                            pt_error *err);

#endif
