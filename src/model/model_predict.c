/* Predictions: prepare, score, take the first largest score; orders, sets, probabilities. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"
#include "decoders/decoder.h"
#include "machine/code_scores.h"
#include "metrics/label_judge.h"
#include "model/model.h"
#include "validate/probability/thresholds.h"

void pt_prediction_free(pt_prediction *prediction)
{
    if (!prediction)
        return;
    pt_warnings_free(&prediction->warnings);
    pt_free(prediction->labels);
    pt_free(prediction->sets);
    pt_free(prediction->class_rows);
    pt_calibration_free(&prediction->calibration);
    pt_free(prediction->scores);
    pt_free(prediction);
}

/* The numbers of a file are finite, each of them (store/pack.h); sums of them need not be. */
static bool all_finite(const double *row, int64_t k)
{
    bool finite = true;
    for (int64_t r = 0; r < k; r++)
        finite = finite && isfinite(row[r]);
    return finite;
}

pt_status pt_model_settle(const pt_model *model, double *scores, int64_t number, int64_t *label,
                          pt_error *err)
{
    const int64_t k = model->classes.count;
    pt_thresholds_shift(model->thresholds, k, scores, 1);
    const bool finite = all_finite(scores, k);
    pt_lower_absent(scores, model->class_rows, k, model->calibration.given);
    if (!finite || !all_finite(scores, k)) /* there may be nothing below the others */
        return pt_fail(err, PT_ENUMERIC,
                       "example %lld: its scores are not finite numbers; its cells, or the "
                       "numbers of the model, are too large to be added up",
                       (long long)number);
    *label = pt_first_largest(scores, k);
    return PT_OK;
}

double pt_prediction_bytes(const pt_model *model, int64_t n)
{
    return (double)n * ((double)model->classes.count * sizeof(double) + sizeof(int64_t));
}

/* Room for the scores and labels of p->n rows, beside so many bytes of data. */
static pt_status make_room(const pt_model *model, double beside, pt_prediction *p,
                           const pt_task *task, pt_error *err)
{
    size_t row_bytes = 0;
    if (!pt_size_mul((size_t)p->k, sizeof(double), &row_bytes))
        return pt_fail_memory(err, "scores", SIZE_MAX);
    const double need = beside + pt_prediction_bytes(model, p->n);
    if (pt_task_limited(task) && need > (double)pt_task_memory(task))
        return pt_fail(err, PT_EMEMORY,
                       "predictions of %lld rows and %lld classes need %s%s, %s may be used; raise "
                       "`memory` or use fewer rows",
                       (long long)p->n, (long long)p->k, PT_SHOW_BYTES(need),
                       beside > 0 ? " with the data" : "", PT_SHOW_BYTES(pt_task_memory(task)));
    p->scores = pt_alloc(p->n, row_bytes, "scores", err);
    p->labels = pt_alloc(p->n, sizeof(int64_t), "predictions", err);
    return p->scores && p->labels ? PT_OK : PT_ENOMEM;
}

/* Scores and labels of rows `first` and so on, which are these. */
static pt_status predict_rows(const pt_model *model, const pt_rows *rows, int64_t first,
                              pt_prediction *p, const pt_task *task, pt_error *err)
{
    const pt_machine *machine = model->machine;
    double *scores = p->scores + first * p->k;
    PT_TRY(p->rounds < 0 ? machine->ops->scores(machine, rows, scores, task, err)
                         : pt_code_scores_after(machine, p->rounds, rows, scores, task, err));
    for (int64_t i = first; i < first + rows->n; i++) {
        PT_TRY(pt_task_check_at(task, i, err));
        PT_TRY(pt_model_settle(model, p->scores + i * p->k, p->rows_before + i + 1, &p->labels[i],
                               err));
    }
    return PT_OK;
}

int64_t pt_model_rounds(const pt_model *model)
{
    return pt_code_rounds(model->machine);
}

pt_status pt_model_check_rounds(const pt_model *model, int64_t rounds, pt_error *err)
{
    const int64_t most = pt_model_rounds(model);
    if (most == 0)
        return pt_fail(err, PT_EINVAL, "the model was not learned by rounds; boosting is");
    if (rounds < 0 || rounds > most)
        return pt_fail(err, PT_EINVAL, "%lld rounds: the model has %lld", (long long)rounds,
                       (long long)most);
    return PT_OK;
}

pt_status pt_model_check_stages(const pt_model *model, const int64_t *rounds, int64_t n_stages,
                                pt_error *err)
{
    for (int64_t t = 0; t < n_stages; t++) {
        PT_TRY(pt_model_check_rounds(model, rounds[t], err));
        if (t > 0 && rounds[t] <= rounds[t - 1])
            return pt_fail(err, PT_EINVAL, "the rounds to look at do not ascend");
    }
    return PT_OK;
}

/* A copy, for predictions may outlive the model. */
static pt_status copy_class_rows(pt_prediction *p, const pt_model *model, pt_error *err)
{
    if (!model->class_rows)
        return PT_OK;
    p->class_rows = pt_alloc(p->k, sizeof(double), "frequencies of classes", err);
    if (!p->class_rows)
        return PT_ENOMEM;
    memcpy(p->class_rows, model->class_rows, (size_t)p->k * sizeof(double));
    return PT_OK;
}

/* Predictions of n rows, none of which is scored yet. */
static pt_status prediction_new(pt_prediction **out, const pt_model *model, int64_t n,
                                double beside, int64_t rows_before, int64_t rounds,
                                const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_prediction_free_at)
    pt_prediction *p = pt_alloc_zero(1, sizeof *p, "predictions", err);
    if (!p)
        return PT_ENOMEM;
    p->n = n;
    p->k = model->classes.count;
    p->rounds = rounds;
    p->label_kind = model->label_kind;
    p->rows_before = rows_before;
    PT_TRY(pt_calibration_copy(&p->calibration, &model->calibration, p->k, err));
    PT_TRY(copy_class_rows(p, model, err));
    PT_TRY(make_room(model, beside, p, task, err));
    *out = pt_keep(&p);
    return PT_OK;
}

/* Bytes of rows that lie prepared. */
static double rows_bytes(const pt_rows *rows)
{
    return (double)pt_rows_stored(rows) * (double)pt_type_size(rows->type);
}

pt_status pt_model_score(const pt_model *model, const pt_rows *rows, double beside,
                         int64_t rows_before, int64_t rounds, const pt_task *task,
                         pt_prediction **out, pt_error *err)
{
    PT_FREED_BY(pt_prediction_free_at) pt_prediction *p = NULL;
    PT_TRY(prediction_new(&p, model, rows->n, beside + rows_bytes(rows), rows_before, rounds, task,
                          err));
    PT_TRY(predict_rows(model, rows, 0, p, task, err));
    *out = pt_keep(&p);
    return PT_OK;
}

/* Rows first .. first+n-1, prepared and visited. */
static pt_status visit_part(const pt_model *model, const pt_dataset *data, int64_t first, int64_t n,
                            pt_rows_fn visit, void *context, pt_prepare_counts *remarks,
                            const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_prepared_free) pt_prepared prepared = {0};
    pt_dataset some = pt_dataset_range(data, first, n);
    some.beside += pt_dataset_bytes(data) - pt_dataset_bytes(&some);
    PT_TRY(pt_prepare_apply_part(model->prepare, &some, pt_model_type(model), &prepared, remarks,
                                 task, err));
    return visit(context, &prepared.rows, first, err);
}

pt_visit pt_visit_plan(const pt_model *model, const pt_dataset *data, const pt_task *task)
{
    static const double SMALL = 0x1p24; /* bytes of prepared rows: nobody asks what is free */
    const double bytes = pt_prediction_row_bytes(model);
    const int64_t part =
        (double)data->n * bytes < SMALL ? data->n : pt_prediction_part(model, task);
    return (pt_visit){part, pt_dataset_bytes(data) + (double)pt_lesser(data->n, 2 * part) * bytes};
}

pt_status pt_visit_rows(const pt_visit *plan, const pt_model *model, const pt_dataset *data,
                        pt_rows_fn visit, void *context, pt_warnings *warnings, const pt_task *task,
                        pt_error *err)
{
    PT_FREED_BY(pt_prepare_counts_free) pt_prepare_counts remarks = {0};
    const int64_t part = plan->part;
    const bool parts = data->n >= 2 * part && data->n > 0;
    if (parts)
        pt_task_begin_whole(task);
    pt_status status = PT_OK;
    int64_t first = 0;
    do { /* once at least: no rows, but columns that must fit */
        const int64_t n = data->n - first < 2 * part ? data->n - first : part;
        status = visit_part(model, data, first, n, visit, context, &remarks, task, err);
        first += n;
        if (parts)
            pt_task_progress_whole(task, "predict", (double)first, (double)data->n);
    } while (status == PT_OK && first < data->n);
    if (parts)
        pt_task_end_whole(task);
    PT_TRY(status);
    return pt_prepare_tell(model->prepare, &remarks, warnings, err);
}

typedef struct predictor {
    const pt_model *model;
    pt_prediction *p;
    const pt_task *task;
} predictor;

static pt_status predict_part(void *context, const pt_rows *rows, int64_t first, pt_error *err)
{
    const predictor *to = context;
    return predict_rows(to->model, rows, first, to->p, to->task, err);
}

/* rounds: -1 for all. */
static pt_status predict(const pt_model *model, const pt_dataset *data, int64_t rounds,
                         pt_task *task, pt_prediction **out, pt_error *err)
{
    PT_FREED_BY(pt_prediction_free_at) pt_prediction *p = NULL;
    pt_task_enter(task, "predict");
    const pt_visit plan = pt_visit_plan(model, data, task);
    PT_TRY(prediction_new(&p, model, data->n, plan.bytes, 0, rounds, task, err));
    predictor to = {model, p, task};
    PT_TRY(pt_visit_rows(&plan, model, data, predict_part, &to, &p->warnings, task, err));
    *out = pt_keep(&p);
    return PT_OK;
}

pt_status pt_model_predict(pt_prediction **out, const pt_model *model, const pt_dataset *data,
                           int64_t rounds, pt_task *task, pt_error *err)
{
    if (rounds != -1)
        PT_TRY(pt_model_check_rounds(model, rounds, err));
    return predict(model, data, rounds, task, out, err);
}

int64_t pt_prediction_n_examples(const pt_prediction *prediction)
{
    return prediction->n;
}

const int64_t *pt_prediction_labels(const pt_prediction *prediction)
{
    return prediction->labels;
}

const double *pt_prediction_scores(const pt_prediction *prediction)
{
    return prediction->scores;
}

int64_t pt_prediction_n_warnings(const pt_prediction *prediction)
{
    return prediction->warnings.count;
}

const char *pt_prediction_warning(const pt_prediction *prediction, int64_t index)
{
    return pt_warnings_get(&prediction->warnings, index);
}

/* ---- orders ---------------------------------------------------------------------------------- */

/* A heap of classes, the last in the order of the scores on top: settles the one at `at`. */
static void sift(int64_t *heap, int64_t n, int64_t at, const double *scores)
{
    const int64_t moved = heap[at];
    for (int64_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
        if (child + 1 < n && pt_score_before(scores, heap[child], heap[child + 1]))
            child++;
        if (!pt_score_before(scores, moved, heap[child]))
            break;
        heap[at] = heap[child];
        at = child;
    }
    heap[at] = moved;
}

/* The best `count` classes in a heap, the rest of the classes against its worst; then sorted. */
int64_t pt_prediction_rank(const pt_prediction *p, int64_t example, int64_t *order,
                           int64_t capacity)
{
    if (example < 0 || example >= p->n || capacity < 1)
        return 0;
    const double *scores = p->scores + example * p->k;
    const int64_t count = capacity < p->k ? capacity : p->k;
    for (int64_t r = 0; r < count; r++)
        order[r] = r;
    for (int64_t at = count / 2; at-- > 0;)
        sift(order, count, at, scores);
    for (int64_t r = count; r < p->k; r++)
        if (pt_score_before(scores, r, order[0])) {
            order[0] = r;
            sift(order, count, 0, scores);
        }
    for (int64_t last = count - 1; last > 0; last--) {
        const int64_t worst = order[0];
        order[0] = order[last];
        order[last] = worst;
        sift(order, last, 0, scores);
    }
    return count;
}

int64_t pt_prediction_set(const pt_prediction *p, int64_t example, int64_t *classes,
                          int64_t capacity)
{
    const bool by_class = p->label_kind == PT_LABEL_CLASS;
    if (example < 0 || example >= p->n || (!by_class && p->label_kind != PT_LABEL_SET))
        return -1;
    int64_t count = 0;
    const uint64_t *decided = p->sets ? p->sets + example * pt_set_words(p->k) : NULL;
    for (int64_t r = 0; r < p->k; r++)
        if (decided    ? pt_set_has(decided, r)
            : by_class ? r == p->labels[example]
                       : pt_score_in_set(p->scores[example * p->k + r])) {
            if (count < capacity)
                classes[count] = r;
            count++;
        }
    return count;
}

/* ---- probabilities --------------------------------------------------------------------------- */

pt_status pt_scores_proba(pt_label_kind kind, const pt_calibration *calibration,
                          const double *class_rows, int64_t n, int64_t k, const double *scores,
                          double *proba, pt_error *err)
{
    if (kind == PT_LABEL_SET)
        for (int64_t c = 0; c < n * k; c++)
            proba[c] = pt_member_probability(calibration, scores[c]);
    else if (kind == PT_LABEL_CLASS)
        for (int64_t i = 0; i < n; i++)
            pt_class_probabilities(calibration, class_rows, scores + i * k, k, proba + i * k);
    else
        return pt_fail(
            err, PT_ENOSUPPORT,
            "a model of labels of kind '%s' has no probabilities; its scores put classes "
            "in order",
            pt_label_kind_name(kind));
    return PT_OK;
}

pt_status pt_prediction_proba(const pt_prediction *prediction, double *proba, pt_error *err)
{
    const pt_prediction *p = prediction;
    return pt_scores_proba(p->label_kind, &p->calibration, p->class_rows, p->n, p->k, p->scores,
                           proba, err);
}
