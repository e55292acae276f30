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
    char *label_name;     /* NULL: the label column had no name */
    int64_t label_column; /* its number in the training file from 1, 0: unknown */
    char *source;         /* what it was trained on */
    int64_t n_examples;   /* rows it was trained on */
    double temperature;   /* probabilities are the softmax of temperature * scores */
    pt_texts warnings;
    char *metadata; /* JSON */
};

/* What predictions consist of. */
struct pt_prediction {
    int64_t n;
    int64_t k;
    double temperature;
    double *scores;  /* n x k row-major */
    int64_t *labels; /* n */
    pt_texts warnings;
};

pt_type pt_model_type(const pt_model *model);

/* metadata <- JSON text of all that is not an array. */
pt_status pt_model_describe(pt_model *model, pt_error *err);

/* The temperature that makes the softmax of `temperature * scores` most likely. scores: n x k. */
double pt_calibrate(const double *scores, const int64_t *class_of, int64_t n, int64_t k);

#endif
