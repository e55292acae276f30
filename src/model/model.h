/* The model: schema + preparation + machine + calibration. The public functions are in polytomy.h.
 */
#ifndef PT_MODEL_MODEL_H
#define PT_MODEL_MODEL_H

#include "base/text.h"
#include "data/prepare.h"
#include "machines/machine.h"

struct pt_model {
    pt_params *params; /* resolved: no "auto" is left that the machine uses */
    pt_prepare *prepare;
    pt_machine *machine;
    pt_texts classes;
    pt_label_kind label_kind;       /* of the labels it was trained on */
    char *label_name;               /* NULL: the label column had no name */
    int64_t label_column;           /* its number in the training file from 1, 0: unknown */
    pt_label_columns label_columns; /* where there were several */
    pt_judged_columns judged;       /* how the columns of the training file were read */
    char *source;                   /* what it was trained on */
    int64_t n_examples;             /* rows it was trained on */
    bool weighted;                  /* they had weights */
    uint64_t data_digest;           /* of these rows, pt_dataset_digest; 0: not known */
    double temperature;       /* probabilities are the softmax of temperature * scores, of sets
                                 the logistic function of each, but where the decoder gives them:
                                 pt_model_temperature */
    double calibration_error; /* of these, on held-out rows; NaN: not known */
    pt_texts warnings;
    char *metadata; /* JSON */
};

/* What predictions consist of. */
struct pt_prediction {
    int64_t n;
    int64_t k;
    double temperature; /* pt_model_temperature */
    int64_t rounds;     /* after which they were made; -1: all */
    double *scores;     /* n x k row-major */
    int64_t *labels;    /* n: the first largest score */
    pt_label_kind label_kind;
    pt_texts warnings;
};

/* The temperature of the softmax, or PT_SCORES_ARE_PROBABILITIES. */
#define PT_SCORES_ARE_PROBABILITIES 0.0
double pt_model_temperature(const pt_model *model);

pt_type pt_model_type(const pt_model *model);

/* Refuses rounds that the model has not. */
pt_status pt_model_check_rounds(const pt_model *model, int64_t rounds, pt_error *err);

/* metadata <- JSON text of all that is not an array. */
pt_status pt_model_describe(pt_model *model, pt_error *err);

/* How true the probabilities of predictions are, collected row by row. Zero-initialise. */
enum { PT_RELIABILITY_BINS = 15 };
typedef struct pt_reliability {
    int64_t count[PT_RELIABILITY_BINS];
    int64_t right[PT_RELIABILITY_BINS];
    double confidence[PT_RELIABILITY_BINS]; /* sums of the probability of the predicted class */
    double log_loss;
} pt_reliability;

/* temperature: pt_model_temperature. */
void pt_reliability_add(pt_reliability *reliability, const double *scores, int64_t k,
                        double temperature, int64_t truth);
/* Of sets: one class of a row, whose probability is 1 / (1 + exp(-temperature * score)). */
void pt_reliability_add_member(pt_reliability *reliability, double score, double temperature,
                               bool member);
double pt_reliability_error(const pt_reliability *reliability); /* in [0, 1]; NaN without rows */
double pt_reliability_log_loss(const pt_reliability *reliability);

/* The temperature that makes the softmax of `temperature * scores` most likely. scores: n x k. */
double pt_calibrate(const double *scores, const int64_t *class_of, int64_t n, int64_t k);
/* The same of sets, whose probabilities are as above. */
double pt_calibrate_sets(const double *scores, const pt_labels *sets);

#endif
