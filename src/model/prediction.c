/* What predictions say beside scores and labels: orders, sets, probabilities. */
#include "metrics/label_judge.h"
#include "model/model.h"

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
    for (int64_t r = 0; r < p->k; r++)
        if (by_class ? r == p->labels[example] : pt_score_in_set(p->scores[example * p->k + r])) {
            if (count < capacity)
                classes[count] = r;
            count++;
        }
    return count;
}

/* ---- probabilities --------------------------------------------------------------------------- */

pt_status pt_prediction_proba(const pt_prediction *prediction, double *proba, pt_error *err)
{
    const pt_prediction *p = prediction;
    if (p->label_kind == PT_LABEL_SET)
        for (int64_t c = 0; c < p->n * p->k; c++)
            proba[c] = pt_member_probability(&p->calibration, p->scores[c]);
    else if (p->label_kind == PT_LABEL_CLASS)
        for (int64_t i = 0; i < p->n; i++)
            pt_class_probabilities(&p->calibration, p->class_rows, p->scores + i * p->k, p->k,
                                   proba + i * p->k);
    else
        return pt_fail(
            err, PT_ENOSUPPORT,
            "a model of labels of kind '%s' has no probabilities; its scores put classes "
            "in order",
            pt_label_kind_name(p->label_kind));
    return PT_OK;
}
