/* The model: schema + preparation + machine + calibration. The public functions are in polytomy.h.
 */
#ifndef PT_MODEL_MODEL_H
#define PT_MODEL_MODEL_H

#include "base/json.h"
#include "data/prepare/prepare.h"
#include "data/read/reader.h"
#include "machine/machine.h"
#include "store/pack.h"
#include "validate/probability/fit_probabilities.h"

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
    char *start; /* what training began with: the name of a file, or "model"; NULL: nothing */
    int64_t n_examples;         /* rows it was trained on */
    int64_t n_valid;            /* rows beside them that validated */
    bool weighted;              /* they had weights */
    uint64_t data_digest;       /* of these rows, pt_dataset_digest; 0: not known */
    pt_calibration calibration; /* of its probabilities */
    double *class_rows;         /* k: effective rows of each class; NULL: not known */
    double *thresholds;         /* k, of sets: taken off the machine's scores; NULL: all 0 */
    pt_conformity conformity;   /* of held-out rows */
    pt_chosen chosen;           /* the held-out loss when parameters were chosen */
    pt_held_out held_out;       /* what it was fitted to, and how true they are there */
    bool has_training_error;    /* it is known */
    double training_error;
    char *limited; /* what a limit left out, "time: 500 of 20000 rows"; or NULL */
    pt_warnings warnings;
    char *metadata; /* JSON */
};

/* The arrays that a model's file holds, in its order, some of them borrowed from the model.
 * Zero-initialise; free it always. */
typedef struct pt_model_parts {
    pt_pack head;
    pt_pack prepare;
    pt_pack machine;
    pt_pack conformity;
} pt_model_parts;
#define PT_MODEL_PACKED(parts)                      \
    ((const pt_packed[]){{"", &(parts)->head},      \
                         {"p.", &(parts)->prepare}, \
                         {"m.", &(parts)->machine}, \
                         {"q.", &(parts)->conformity}})
enum { PT_MODEL_PACKS = 4 };
pt_status pt_model_parts_make(pt_model_parts *parts, const pt_model *model, pt_error *err);
void pt_model_parts_free(pt_model_parts *parts);

/* What a prediction says beside scores and probabilities (decision.c). */
typedef enum pt_decision_rule {
    PT_DECIDE_LARGEST, /* the first largest score; of sets, those above 0 */
    PT_DECIDE_COSTS,
    PT_DECIDE_REJECT,
    PT_DECIDE_COVERAGE
} pt_decision_rule;

/* What predictions consist of. */
struct pt_prediction {
    int64_t n;
    int64_t k;
    pt_calibration calibration;
    double *class_rows; /* k, as the model's */
    int64_t rounds;     /* after which they were made; -1: all */
    double *scores;     /* n x k row-major */
    int64_t *labels;    /* n: the first largest score, or what was decided; -1: rejected */
    pt_label_kind label_kind;
    pt_decision_rule decided;
    uint64_t *sets; /* n x pt_set_words(k), bits of classes, where decided by coverage; or NULL */
    int64_t rows_before; /* in the file, where these are a part of it */
    pt_warnings warnings;
};

/* What is left to do when a machine has scored example `number` (from 1): thresholds are taken off,
 * classes that had no rows come last, scores are finite; *label <- the first largest. */
pt_status pt_model_settle(const pt_model *model, double *scores, int64_t number, int64_t *label,
                          pt_error *err);
/* proba (n x k) <- probabilities of scores, as pt_prediction_proba says. */
pt_status pt_scores_proba(pt_label_kind kind, const pt_calibration *calibration,
                          const double *class_rows, int64_t n, int64_t k, const double *scores,
                          double *proba, pt_error *err);

/* How predictions are to be decided, read from parameters once. Zero-initialise; free it always.
 * `model` and `task` are borrowed. */
typedef struct pt_decider {
    const pt_model *model;
    pt_decision_rule rule;
    double *costs;   /* k x columns */
    int64_t columns; /* k, or k + 1: the last is rejecting */
    double reject;
    double *cut;          /* k: a class is in the set where 1 - p is not above its cut */
    pt_warnings warnings; /* of classes with too few rows for the coverage */
} pt_decider;
pt_status pt_decider_init(pt_decider *decider, const pt_model *model, const pt_params *params,
                          const pt_task *task, pt_error *err);
void pt_decider_free(pt_decider *decider);
/* Whatever was decided before. */
pt_status pt_decider_apply(const pt_decider *decider, pt_prediction *prediction, pt_error *err);
/* Of one row with probabilities p (k), of which `best` is the label otherwise; -1: rejected. cost:
 * k + 1, work. And its set by coverage, into bits that are 0. */
int64_t pt_decider_label(const pt_decider *decider, const double *p, int64_t k, int64_t best,
                         double *cost);
void pt_decider_set(const pt_decider *decider, const double *p, int64_t k, int64_t best,
                    uint64_t *set);
static inline int64_t pt_set_words(int64_t k)
{
    return (k + 63) / 64;
}
static inline bool pt_set_has(const uint64_t *set, int64_t class_index)
{
    return set[class_index / 64] >> (class_index % 64) & 1;
}

/* Bytes of the scores and labels of so many rows. */
double pt_prediction_bytes(const pt_model *model, int64_t n);
/* How many rows are prepared and scored together where there are many, and what one takes prepared
 * (prediction_stream.c). */
int64_t pt_prediction_part(const pt_model *model, const pt_task *task);
double pt_prediction_row_bytes(const pt_model *model);
/* Scores prepared rows, all of them, with so many bytes of data beside; rounds -1: after all. */
pt_status pt_model_score(const pt_model *model, const pt_rows *rows, double beside,
                         int64_t rows_before, int64_t rounds, const pt_task *task,
                         pt_prediction **out, pt_error *err);
/* For an evaluation: the stream keeps the labels of rows, which must be classes. Of those that were
 * given out last: the model's class, as many as it has for one that it does not know, -1 for none,
 * PT_ABSENT for a row of weight 0. And a digest of all rows so far (row_digest.h). */
enum { PT_ABSENT = -2 };
void pt_prediction_stream_keep_labels(pt_prediction_stream *stream);
int64_t *pt_prediction_stream_truth(const pt_prediction_stream *stream);
uint64_t pt_prediction_stream_digest(const pt_prediction_stream *stream);
const pt_task *pt_prediction_stream_task(const pt_prediction_stream *stream);
/* How a file is read for this model; *numeric is to be freed with pt_free, after the last use. */
pt_status pt_model_read_options(const pt_model *model, const char *path, const pt_params *params,
                                const pt_task *task, pt_read_options *options, bool **numeric,
                                pt_error *err);

pt_type pt_model_type(const pt_model *model);

/* Refuses rounds that the model has not; several also where they do not ascend. */
pt_status pt_model_check_rounds(const pt_model *model, int64_t rounds, pt_error *err);
pt_status pt_model_check_stages(const pt_model *model, const int64_t *rounds, int64_t n_stages,
                                pt_error *err);

/* All rows of a data set, prepared for the model: of many a part at a time, so that what lies
 * beside the data is small; the last part is the longest, as in a stream, whose bits these are
 * (prediction_stream.c). `bytes`: of the data and the parts. */
typedef struct pt_visit {
    int64_t part;
    double bytes;
} pt_visit;
pt_visit pt_visit_plan(const pt_model *model, const pt_dataset *data, const pt_task *task);
/* Gets rows first, first + 1, ... of the data set, prepared. */
typedef pt_status (*pt_rows_fn)(void *context, const pt_rows *rows, int64_t first, pt_error *err);
pt_status pt_visit_rows(const pt_visit *plan, const pt_model *model, const pt_dataset *data,
                        pt_rows_fn visit, void *context, pt_warnings *warnings, const pt_task *task,
                        pt_error *err);

/* metadata <- JSON text of all that is not an array. */
pt_status pt_model_describe(pt_model *model, pt_error *err);
/* And back, into a model that has parameters and nothing else. */
pt_status pt_model_undescribe(pt_model *model, const json_t *root, pt_error *err);

/* What pt_model_report and pt_prediction_report have, one by one. */
const char *pt_model_metadata(const pt_model *model);
int64_t pt_model_rounds(const pt_model *model); /* 0: it was not learned by rounds */
/* Whether the parameter counts in this model: not those of other machines, learners, codes and
 * kernels. */
bool pt_model_uses(const pt_model *model, const char *name);
const char *pt_model_limited(const pt_model *model);
double pt_model_held_out_error(const pt_model *model, int64_t *rows);
double pt_model_training_error(const pt_model *model);
double pt_model_choice_loss(const pt_model *model, int64_t *rows);
int64_t pt_model_n_trees(const pt_model *model);
int64_t pt_model_n_warnings(const pt_model *model);
const char *pt_model_warning(const pt_model *model, int64_t index);
int64_t pt_prediction_n_warnings(const pt_prediction *prediction);
const char *pt_prediction_warning(const pt_prediction *prediction, int64_t index);

/* For PT_FREED_BY. */
static inline void pt_model_free_at(pt_model **address)
{
    pt_model_free(*address);
}
static inline void pt_prediction_free_at(pt_prediction **address)
{
    pt_prediction_free(*address);
}

#endif
