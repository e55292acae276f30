/* How good predictions are: errors, the confusion matrix, margins. Classes of the data that the
 * model does not know come after the model's: every example of theirs is an error. */
#include "model/evaluation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "decoders/decoder.h"
#include "machines/code_scores.h"

void pt_evaluation_free(pt_evaluation *e)
{
    if (!e)
        return;
    pt_texts_free(&e->classes);
    pt_free(e->confusion);
    pt_free(e->margin);
    pt_diagnosis_free(&e->diagnosis);
    pt_evaluation_free_stages(e);
    pt_free(e);
}

static int compare_doubles(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* number[c] <- our class for class c of the data. */
static pt_status match_classes(pt_evaluation *e, const pt_model *model, const pt_labels *labels,
                               int64_t *number, pt_error *err)
{
    pt_status status = pt_texts_copy(&e->classes, &model->classes, err);
    for (int64_t c = 0; c < pt_labels_n_classes(labels) && status == PT_OK; c++) {
        const char *name = labels->classes.items[c];
        number[c] = 0;
        while (number[c] < model->classes.count &&
               strcmp(model->classes.items[number[c]], name) != 0)
            number[c]++;
        if (number[c] == model->classes.count) {
            number[c] = e->classes.count;
            status = pt_texts_add_n(&e->classes, name, strlen(name), err);
        }
    }
    e->k = e->classes.count;
    return status;
}

/* Score of the true class minus the best other. */
static double margin_of(const double *scores, int64_t k, int64_t truth)
{
    double other = -INFINITY;
    for (int64_t r = 0; r < k; r++)
        if (r != truth && scores[r] > other)
            other = scores[r];
    return scores[truth] - other;
}

/* 1 - [y in H]/|H| for the classes H that share the largest score. */
static double expected_error_of(const double *scores, int64_t k, int64_t truth)
{
    const double top = scores[pt_decode_argmax(scores, k)];
    int64_t tied = 0;
    for (int64_t r = 0; r < k; r++)
        tied += scores[r] == top;
    return truth < k && scores[truth] == top ? 1 - 1 / (double)tied : 1;
}

static void count_examples(pt_evaluation *e, const pt_labels *labels, const int64_t *number,
                           const pt_prediction *p)
{
    int64_t n_margins = 0;
    for (int64_t i = 0; i < labels->n; i++) {
        if (labels->class_of[i] < 0)
            continue;
        const double *scores = p->scores + i * p->k;
        const int64_t truth = number[labels->class_of[i]];
        e->n++;
        e->wrong += p->labels[i] != truth;
        e->expected_wrong += expected_error_of(scores, p->k, truth);
        e->confusion[truth * e->k + p->labels[i]]++;
        pt_reliability_add(&e->reliability, scores, p->k, p->temperature, truth);
        e->margin[n_margins++] = truth < p->k ? margin_of(scores, p->k, truth) : -INFINITY;
    }
    qsort(e->margin, (size_t)n_margins, sizeof *e->margin, compare_doubles);
}

pt_status pt_model_evaluate(const pt_model *model, const pt_dataset *data,
                            const pt_prediction *prediction, pt_evaluation **out, pt_error *err)
{
    const pt_labels *labels = data->labels;
    if (!labels || labels->n != prediction->n || prediction->k != model->classes.count)
        return labels ? pt_fail(err, PT_EINVAL, "the predictions are of other data")
                      : pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                                   "there are no labels to compare with; name their column with "
                                   "--label");
    if (labels->kind != model->label_kind)
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                          "the labels are of kind '%s', the model's are '%s'",
                          pt_label_kind_name(labels->kind), pt_label_kind_name(model->label_kind));
    pt_evaluation *e = pt_alloc_zero(1, sizeof *e, "an evaluation", err);
    int64_t *number = pt_alloc(pt_labels_n_classes(labels), sizeof(int64_t), "classes", err);
    pt_status status = e && number ? match_classes(e, model, labels, number, err) : PT_ENOMEM;
    if (status == PT_OK) {
        size_t row = 0;
        if (pt_size_mul((size_t)e->k, sizeof(int64_t), &row))
            e->confusion = pt_alloc_zero(e->k, row, "a confusion matrix", err);
        e->margin = pt_alloc(labels->n, sizeof(double), "margins", err);
        status = e->confusion && e->margin ? PT_OK : PT_ENOMEM;
    }
    if (status == PT_OK) {
        e->rounds = prediction->rounds;
        count_examples(e, labels, number, prediction);
        if (e->n == 0)
            status = pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "no row has a label");
    }
    pt_free(number);
    if (status != PT_OK) {
        pt_evaluation_free(e);
        return status;
    }
    *out = e;
    return PT_OK;
}

int64_t pt_evaluation_n_examples(const pt_evaluation *e)
{
    return e->n;
}

int64_t pt_evaluation_n_classes(const pt_evaluation *e)
{
    return e->k;
}

const char *pt_evaluation_class_name(const pt_evaluation *e, int64_t class_index)
{
    return pt_texts_get(&e->classes, class_index);
}

double pt_evaluation_error(const pt_evaluation *e)
{
    return (double)e->wrong / (double)e->n;
}

double pt_evaluation_expected_error(const pt_evaluation *e)
{
    return e->expected_wrong / (double)e->n;
}

static bool is_class(const pt_evaluation *e, int64_t r)
{
    return r >= 0 && r < e->k;
}

int64_t pt_evaluation_confusion(const pt_evaluation *e, int64_t truth, int64_t predicted)
{
    return is_class(e, truth) && is_class(e, predicted) ? e->confusion[truth * e->k + predicted]
                                                        : 0;
}

double pt_evaluation_recall(const pt_evaluation *e, int64_t r)
{
    int64_t seen = 0;
    for (int64_t s = 0; s < e->k; s++)
        seen += pt_evaluation_confusion(e, r, s);
    return seen > 0 ? (double)pt_evaluation_confusion(e, r, r) / (double)seen : NAN;
}

double pt_evaluation_precision(const pt_evaluation *e, int64_t r)
{
    int64_t predicted = 0;
    for (int64_t s = 0; s < e->k; s++)
        predicted += pt_evaluation_confusion(e, s, r);
    return predicted > 0 ? (double)pt_evaluation_confusion(e, r, r) / (double)predicted : NAN;
}

static double quantile_of(const double *sorted, int64_t n, double quantile)
{
    if (!(quantile >= 0 && quantile <= 1) || n == 0)
        return NAN;
    return sorted[(int64_t)floor(quantile * (double)(n - 1) + 0.5)];
}

double pt_evaluation_margin(const pt_evaluation *e, double quantile)
{
    return quantile_of(e->margin, e->n, quantile);
}

double pt_evaluation_calibration_error(const pt_evaluation *e)
{
    return pt_reliability_error(&e->reliability);
}

double pt_evaluation_log_loss(const pt_evaluation *e)
{
    return pt_reliability_log_loss(&e->reliability);
}

/* ---- the columns of a code ------------------------------------------------------------------- */

const pt_loss *pt_evaluation_decoding_loss(const pt_model *model, const pt_loss *learned)
{
    const pt_loss *loss = pt_loss_find(pt_params_text(model->params, PT_P_DECODE));
    return loss && loss != &pt_loss_hamming ? loss : learned;
}

void pt_evaluation_number_classes(const pt_evaluation *e, const pt_labels *labels,
                                  int64_t *class_of)
{
    for (int64_t i = 0; i < labels->n; i++)
        class_of[i] = -1;
    for (int64_t c = 0; c < pt_labels_n_classes(labels); c++) {
        int64_t number = 0;
        while (number < e->k && strcmp(e->classes.items[number], labels->classes.items[c]) != 0)
            number++;
        for (int64_t i = 0; i < labels->n; i++)
            if (labels->class_of[i] == c)
                class_of[i] = number;
    }
}

typedef struct diagnosing {
    pt_diagnosis *diagnosis;
    const int64_t *class_of;
    const pt_task *task;
} diagnosing;

static pt_status diagnose_block(void *context, int64_t first, int64_t n, const double *outputs,
                                pt_error *err)
{
    const diagnosing *d = context;
    return pt_diagnosis_add(d->diagnosis, n, outputs, d->class_of + first, d->task, err);
}

static pt_status diagnose_stage(void *context, int64_t which, int64_t first, int64_t n,
                                const double *outputs, pt_error *err)
{
    (void)which;
    return diagnose_block(context, first, n, outputs, err);
}

pt_status pt_evaluation_check_data(const pt_evaluation *e, const pt_model *model,
                                   const pt_dataset *data, pt_error *err)
{
    if (!data->labels || data->labels->n != data->n || e->k < model->classes.count)
        return pt_fail(err, PT_EINVAL, "the evaluation is of other data");
    return e->rounds < 0 ? PT_OK : pt_model_check_rounds(model, e->rounds, err);
}

pt_status pt_evaluation_diagnose(pt_evaluation *e, const pt_model *model, const pt_dataset *data,
                                 pt_task *task, pt_error *err)
{
    const pt_machine *machine = model->machine;
    if (!machine->ops->code_parts)
        return PT_OK;
    pt_status status = pt_evaluation_check_data(e, model, data, err);
    if (status != PT_OK)
        return status;
    const pt_machine_code_parts parts = machine->ops->code_parts(machine);
    pt_prepared prepared = {0};
    pt_diagnosis diagnosis = {0};
    int64_t *class_of = pt_alloc(data->n, sizeof *class_of, "classes", err);
    status = class_of ? PT_OK : PT_ENOMEM;
    if (status == PT_OK) {
        pt_evaluation_number_classes(e, data->labels, class_of);
        status =
            pt_diagnosis_init(&diagnosis, parts.code,
                              pt_evaluation_decoding_loss(model, parts.loss), data->n, task, err);
    }
    if (status == PT_OK)
        status = pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, task, err);
    diagnosing d = {&diagnosis, class_of, task};
    if (status == PT_OK)
        status = e->rounds < 0
                     ? pt_code_outputs(machine, &prepared.rows, diagnose_block, &d, task, err)
                     : pt_code_staged(machine, &prepared.rows, &e->rounds, 1, diagnose_stage, &d,
                                      task, err);
    pt_prepared_free(&prepared);
    pt_free(class_of);
    if (status != PT_OK) {
        pt_diagnosis_free(&diagnosis);
        return status;
    }
    pt_diagnosis_finish(&diagnosis);
    pt_diagnosis_free(&e->diagnosis);
    e->diagnosis = diagnosis;
    return PT_OK;
}

int64_t pt_evaluation_n_columns(const pt_evaluation *e)
{
    return e->diagnosis.code.ell;
}

const char *pt_evaluation_loss(const pt_evaluation *e)
{
    return e->diagnosis.loss ? e->diagnosis.loss->name : NULL;
}

/* The figures of a column; those of none where there is no such column. */
static pt_column_figures column_of(const pt_evaluation *e, int64_t column)
{
    return column >= 0 && column < e->diagnosis.code.ell ? e->diagnosis.column[column]
                                                         : (pt_column_figures){0};
}

int pt_evaluation_column_sign(const pt_evaluation *e, int64_t column, int64_t class_index)
{
    const pt_code *code = &e->diagnosis.code;
    return column >= 0 && column < code->ell && class_index >= 0 && class_index < code->k
               ? pt_code_entry(code, class_index, column)
               : 0;
}

int64_t pt_evaluation_column_n(const pt_evaluation *e, int64_t column)
{
    return column_of(e, column).n;
}

double pt_evaluation_column_error(const pt_evaluation *e, int64_t column)
{
    const pt_column_figures figures = column_of(e, column);
    return figures.n > 0 ? figures.wrong / (double)figures.n : NAN;
}

double pt_evaluation_column_loss(const pt_evaluation *e, int64_t column)
{
    const pt_column_figures figures = column_of(e, column);
    return figures.n > 0 ? figures.loss / (double)figures.n : NAN;
}

double pt_evaluation_column_balance(const pt_evaluation *e, int64_t column)
{
    const pt_column_figures figures = column_of(e, column);
    return figures.n > 0 ? (double)figures.n_plus / (double)figures.n : NAN;
}

double pt_evaluation_code_figure(const pt_evaluation *e, pt_code_figure figure)
{
    return e->diagnosis.n > 0 ? pt_diagnosis_figure(&e->diagnosis, figure) : NAN;
}

double pt_evaluation_decoding_margin(const pt_evaluation *e, double quantile)
{
    return quantile_of(e->diagnosis.margin, e->diagnosis.n, quantile);
}
