/* Conformity of held-out rows: Vovk, Gammerman and Shafer (2005), inductive conformal prediction,
 * with the score 1 - p of a label; class by class as in Vovk (2012).
 *
 * If a new row and the m held-out ones come in any order with the same probability, the score of
 * the new one is among the j = ceil((m + 1) c) smallest of all m + 1 with probability j / (m + 1)
 * at least, and then at most the j-th smallest of the m: so the labels with a score up to that hold
 * the right one with probability c or more.
 *
 * The probabilities of a held-out row are those of a calibration that is fitted to the other rows:
 * FOLDS of them, every FOLDS-th row in one. The calibration of the model, which is fitted to all,
 * knows which of them were wrong; by it, 98.6 % of new rows of letter were covered where 99 were
 * asked for (1000 rows, 26 classes; experiments/conformal). That of sets has one number, and serves
 * for all.
 *
 * A row of weight w stands for w rows, so that j counts weights: scaled as for calibration, where
 * all are whole numbers they count equal rows; of others the sum is (sum w)^2 / sum w^2. The new
 * row has the weight 1. */
#include "validate/probability/conformity.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

void pt_conformity_free(pt_conformity *conformity)
{
    pt_free(conformity->score);
    pt_free(conformity->class_of);
    pt_free(conformity->weight);
    *conformity = (pt_conformity){0};
}

typedef struct scored {
    double score;
    int64_t class_index;
    double weight;
} scored;

static int compare(const void *a, const void *b)
{
    const scored *x = a;
    const scored *y = b;
    if (x->score != y->score)
        return x->score < y->score ? -1 : 1;
    if (x->class_index != y->class_index)
        return x->class_index < y->class_index ? -1 : 1;
    return x->weight < y->weight ? -1 : x->weight > y->weight;
}

enum { FOLDS = 5, LEAST_ROWS = 4 * FOLDS };

/* own[0 .. FOLDS - 1] <- calibrations without each fold; of sets, and of few rows, the whole one,
 * which is lent then. */
static pt_status fit_folds(pt_calibration *own, bool *made, const pt_calibration *whole,
                           const pt_held_out_scores *held_out, const pt_task *task, pt_error *err)
{
    *made = held_out->class_of && held_out->n >= LEAST_ROWS;
    for (int64_t fold = 0; fold < FOLDS; fold++)
        own[fold] = *made ? pt_uncalibrated((double)held_out->n, held_out->given) : *whole;
    return *made ? pt_calibrate_folds(own, FOLDS, whole, held_out, task, err) : PT_OK;
}

/* p: k, work. */
static double score_of(const pt_calibration *calibration, const pt_held_out_scores *held_out,
                       int64_t i, double *p)
{
    const double *scores = held_out->scores + i * held_out->k;
    if (held_out->class_of) {
        pt_class_probabilities(calibration, held_out->class_rows, scores, held_out->k, p);
        return 1 - p[held_out->class_of[i]];
    }
    const pt_labels *sets = held_out->sets;
    double worst = 0;
    for (int64_t at = sets->start[i]; at < sets->start[i + 1]; at++)
        worst = fmax(worst, 1 - pt_member_probability(calibration, scores[sets->item[at]]));
    return worst;
}

/* Weights that are all 1, as those of examples that were merged and parted again, say nothing. */
static pt_status make_room(pt_conformity *out, const pt_held_out_scores *held_out,
                           const scored *row, int64_t n, pt_error *err)
{
    bool weighted = false;
    for (int64_t j = 0; j < n; j++)
        weighted = weighted || row[j].weight != 1;
    PT_TRY(PT_NEW(out->score, n, "held-out rows", err));
    if (held_out->class_of)
        PT_TRY(PT_NEW(out->class_of, n, "held-out rows", err));
    if (weighted)
        PT_TRY(PT_NEW(out->weight, n, "held-out rows", err));
    return PT_OK;
}

/* own: for each fold. */
static pt_status take_rows(pt_conformity *out, const pt_calibration *own,
                           const pt_held_out_scores *held_out, int64_t most, double per_unit,
                           pt_error *err)
{
    const int64_t m = held_out->n;
    PT_SCRATCH scored *row = NULL;
    PT_SCRATCH double *p = NULL;
    PT_TRY(PT_NEW(row, most, "held-out rows", err));
    PT_TRY(PT_NEW(p, held_out->k, "probabilities", err));
    int64_t n = 0;
    for (int64_t j = 0; j < most; j++) {
        const int64_t i = most == m ? j : (int64_t)((double)j * (double)m / (double)most);
        const double weight = held_out->weight ? held_out->weight[i] * per_unit : 1;
        const int64_t class_index = held_out->class_of ? held_out->class_of[i] : 0;
        if (weight > 0)
            row[n++] = (scored){score_of(&own[i % FOLDS], held_out, i, p), class_index, weight};
    }
    if (n == 0)
        return PT_OK;
    qsort(row, (size_t)n, sizeof *row, compare);
    PT_TRY(make_room(out, held_out, row, n, err));
    for (int64_t j = 0; j < n; j++) {
        out->score[j] = row[j].score;
        if (out->class_of)
            out->class_of[j] = row[j].class_index;
        if (out->weight)
            out->weight[j] = row[j].weight;
    }
    out->n = n;
    return PT_OK;
}

pt_status pt_conformity_make(pt_conformity *out, const pt_calibration *calibration,
                             const pt_held_out_scores *held_out, const pt_task *task, pt_error *err)
{
    const int64_t m = held_out->n;
    const int64_t most = m < PT_CONFORMITY_ROWS ? m : PT_CONFORMITY_ROWS;
    const double rows = pt_effective_rows(held_out->weight, m);
    double sum = 0;
    for (int64_t i = 0; held_out->weight && i < m; i++)
        sum += held_out->weight[i];
    pt_calibration own[FOLDS];
    bool made = false;
    const pt_status fitted = fit_folds(own, &made, calibration, held_out, task, err);
    const pt_status status =
        fitted == PT_OK ? take_rows(out, own, held_out, most, sum > 0 ? rows / sum : 1, err)
                        : fitted;
    for (int fold = 0; fold < FOLDS && made; fold++)
        pt_calibration_free(&own[fold]);
    return status;
}

/* Relative: what products of whole numbers and decimal shares, as 20 x 0.95, are off by. */
static const double ROUNDING = 1e-12;

double pt_conformity_cut(const pt_conformity *conformity, double coverage, int64_t class_index)
{
    const pt_conformity *c = conformity;
    double all = 0;
    double below = 0;
    for (int64_t j = 0; j < c->n; j++)
        if (class_index == PT_ALL_CLASSES || c->class_of[j] == class_index)
            all += c->weight ? c->weight[j] : 1;
    const double needed = (all + 1) * coverage * (1 - ROUNDING);
    for (int64_t j = 0; j < c->n; j++)
        if (class_index == PT_ALL_CLASSES || c->class_of[j] == class_index) {
            below += c->weight ? c->weight[j] : 1;
            if (below >= needed)
                return c->score[j];
        }
    return INFINITY;
}
