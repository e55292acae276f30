/* What predictions say beside scores and labels: orders, sets, probabilities. */
#include <math.h>
#include <string.h>

#include "decoders/label_judge.h"
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

/* Of every class by itself; above 1/2, by the last bit if need be, where it is in the set. */
static void proba_of_sets(const pt_prediction *p, double *proba)
{
    for (int64_t c = 0; c < p->n * p->k; c++) {
        const double q = 1 / (1 + exp(-p->temperature * p->scores[c]));
        proba[c] = pt_score_in_set(p->scores[c]) ? fmax(q, nextafter(0.5, 1)) : fmin(q, 0.5);
    }
}

/* Shifted by the largest score, whose class has exp(0) = 1: the first largest probability is the
 * first largest score, underflow or not. */
pt_status pt_prediction_proba(const pt_prediction *prediction, double *proba, pt_error *err)
{
    const int64_t k = prediction->k;
    if (prediction->label_kind == PT_LABEL_SET) {
        proba_of_sets(prediction, proba);
        return PT_OK;
    }
    if (prediction->label_kind != PT_LABEL_CLASS)
        return pt_fail(
            err, PT_ENOSUPPORT,
            "a model of labels of kind '%s' has no probabilities; its scores put classes "
            "in order",
            pt_label_kind_name(prediction->label_kind));
    if (prediction->temperature == PT_SCORES_ARE_PROBABILITIES) {
        memcpy(proba, prediction->scores, (size_t)(prediction->n * k) * sizeof *proba);
        return PT_OK;
    }
    for (int64_t i = 0; i < prediction->n; i++) {
        const double *s = prediction->scores + i * k;
        const double top = s[prediction->labels[i]];
        double sum = 0;
        for (int64_t r = 0; r < k; r++) {
            const double p = exp(prediction->temperature * (s[r] - top));
            /* a score below the largest must not round up to a tie with it */
            proba[i * k + r] = s[r] < top && p >= 1 ? nextafter(1, 0) : p;
            sum += proba[i * k + r];
        }
        for (int64_t r = 0; r < k; r++)
            proba[i * k + r] /= sum;
        /* ... nor may the division make one */
        const double best = proba[i * k + prediction->labels[i]];
        for (int64_t r = 0; r < prediction->labels[i]; r++)
            if (proba[i * k + r] >= best)
                proba[i * k + r] = nextafter(best, 0);
    }
    return PT_OK;
}
