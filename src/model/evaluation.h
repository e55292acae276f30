/* What an evaluation holds; the public functions are in polytomy.h. */
#ifndef PT_MODEL_EVALUATION_H
#define PT_MODEL_EVALUATION_H

#include "metrics/label_metrics.h"
#include "model/model.h"
#include "theory/boost_margin.h"
#include "theory/diagnosis.h"

/* A model after some of its rounds. */
typedef struct pt_stage {
    int64_t rounds;
    pt_diagnosis diagnosis;
    pt_boost_margins margins; /* capacity 0: it has none */
} pt_stage;

struct pt_evaluation {
    pt_label_kind label_kind; /* of the labels that were compared with */
    int64_t n;                /* examples with a label */
    int64_t k;                /* model's classes, then unseen ones */
    pt_texts classes;
    pt_texts warnings;
    int64_t n_rows; /* with and without a label */
    pt_tally tally;
    int64_t *naming;   /* k: examples whose label names the class */
    int64_t n_unknown; /* examples whose label names one that the model does not know */
    /* of class labels: */
    int64_t *class_of;  /* n_rows: the class of each row, -1: none; NULL: other labels */
    int64_t n_known;    /* classes of the model, which are those that it says */
    int64_t *confusion; /* k x n_known: truth, predicted; NULL: other labels */
    double expected_wrong;
    double *margin; /* of rows whose class the model knows, sorted */
    int64_t n_margins;
    int64_t margin_room;
    int64_t margin_step; /* that of every so many rows is kept, where there is no room for all */
    int64_t n_with_margin;
    double *proba; /* of one example: as many as the model has classes */
    pt_reliability reliability;
    int64_t rounds;         /* after which predictions and diagnosis are; -1: all */
    pt_diagnosis diagnosis; /* code.ell = 0: none */
    bool decoded;           /* by that code; else a designed one stands in its place */
    pt_stage *stage;
    int64_t n_stages;
    double vc; /* a bound on the VC-dimension of the base hypotheses; NaN: not known */
    int64_t n_training;
};

/* The loss that the model decodes with, else that of its learner. */
const pt_loss *pt_evaluation_decoding_loss(const pt_model *model, const pt_loss *learned);
/* Refuses data that the evaluation is not of. */
pt_status pt_evaluation_check_data(const pt_evaluation *e, const pt_model *model,
                                   const pt_dataset *data, pt_error *err);
void pt_evaluation_free_stages(pt_evaluation *e);

static inline void pt_evaluation_free_at(pt_evaluation **address) /* for PT_FREED_BY */
{
    pt_evaluation_free(*address);
}

#endif
