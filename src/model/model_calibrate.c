/* Calibrating a model: held-out scores of the training rows, and the temperature that fits them. */
#include "model/model_calibrate.h"

#include <math.h>

#include "decoders/decoder.h"
#include "kernels/kernel_params.h"
#include "machines/subproblem.h"
#include "select/holdout.h"

/* Probabilities are calibrated on the held-out scores of at most this many rows: a second or less.
 */
enum { CALIBRATION_ROWS = 1000, CALIBRATION_FOLDS = 5 };

typedef struct calibrating {
    const pt_labels *labels; /* of classes or sets */
    int64_t n;
    int64_t k;
    double temperature;
    double error; /* NAN: no held-out scores */
    bool given;   /* the scores are probabilities already */
} calibrating;

static void add_set(pt_reliability *reliability, const pt_labels *labels, int64_t i,
                    const double *scores, double temperature)
{
    int64_t at = labels->start[i];
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++) {
        const bool member = at < labels->start[i + 1] && labels->item[at] == r;
        at += member;
        pt_reliability_add_member(reliability, scores[r], temperature, member);
    }
}

static pt_status take_scores(void *context, int64_t point, int64_t partition, const double *scores,
                             pt_error *err)
{
    (void)point;
    (void)partition;
    (void)err;
    calibrating *c = context;
    if (!scores)
        return PT_OK;
    const pt_labels *labels = c->labels;
    pt_reliability reliability = {0};
    if (labels->kind == PT_LABEL_SET) {
        c->temperature = pt_calibrate_sets(scores, labels);
        for (int64_t i = 0; i < c->n; i++)
            add_set(&reliability, labels, i, scores + i * c->k, c->temperature);
    } else {
        if (!c->given)
            c->temperature = pt_calibrate(scores, labels->class_of, c->n, c->k);
        const double temperature = c->given ? PT_SCORES_ARE_PROBABILITIES : c->temperature;
        for (int64_t i = 0; i < c->n; i++)
            pt_reliability_add(&reliability, scores + i * c->k, c->k, temperature,
                               labels->class_of[i]);
    }
    c->error = pt_reliability_error(&reliability);
    return PT_OK;
}

/* Where no machine could be trained without some of the rows, as without a whole class, the
 * probabilities are those of the scores as they are. */
static pt_status warn_uncalibrated(pt_texts *warnings, pt_error *err)
{
    return pt_texts_add(warnings, err,
                        "probabilities are not calibrated: there are no held-out scores, for the "
                        "machine has no answer without some of the rows");
}

/* Leave-one-out where the machine has a closed form, a few folds otherwise. */
pt_status pt_model_calibrate(pt_model *model, pt_training *t, const pt_task *task, pt_error *err)
{
    const uint64_t seed = (uint64_t)pt_params_integer(t->params, PT_P_SEED);
    pt_subproblem sample;
    pt_fold_set folds = {0};
    pt_params *how = NULL;
    pt_status status = pt_subproblem_sample(&sample, &t->problem, CALIBRATION_ROWS, seed,
                                            pt_kernel_is_precomputed(t->params), err);
    if (status != PT_OK)
        return status;
    const int64_t n = sample.problem.rows.n;
    status = pt_params_copy(&how, t->params, err);
    const bool closed = pt_holdout_is_closed_form(t->ops, &sample.problem, t->params);
    if (status == PT_OK) /* either way: the parameters may come from a search with --loo */
        status = pt_params_set(how, "loo", closed ? "yes" : "no", err);
    if (status == PT_OK)
        status = pt_params_set(how, "repeat", "1", err);
    if (status == PT_OK)
        status = pt_params_set_real(how, PT_P_FOLDS,
                                    n < CALIBRATION_FOLDS ? (double)n : CALIBRATION_FOLDS, err);
    if (status == PT_OK)
        status = pt_fold_set_init(&folds, sample.problem.labels, how, err);
    const pt_decoder *decoder = pt_decoder_find(pt_params_text(t->params, PT_P_DECODE));
    calibrating c = {sample.problem.labels,
                     n,
                     pt_labels_n_classes(t->problem.labels),
                     1,
                     NAN,
                     decoder && decoder->probabilities};
    const pt_params *point = t->params;
    pt_task_begin_part(task, "calibrating", 0, 1);
    if (status == PT_OK)
        status = pt_holdout_scores(t->ops, &sample.problem, &point, 1, &folds.partitions,
                                   take_scores, &c, task, err);
    pt_task_end_part(task);
    if (status == PT_OK) {
        model->temperature = c.temperature;
        model->calibration_error = c.error;
        if (isnan(c.error))
            status = warn_uncalibrated(&t->warnings, err);
    }
    pt_params_free(how);
    pt_fold_set_free(&folds);
    pt_subproblem_free(&sample);
    return status;
}
