/* Online constraint classification: HRZ Figure 1, with the updates that it leaves open.
 *
 * k linear functions v_1 .. v_k of x in R^d. An example is x with pairs (a, b): v_a.x is to be
 * larger than v_b.x. A pair with v_a.x <= v_b.x promotes v_a and demotes v_b. Not as printed: the
 * figure has "<", which would never move weights that begin equal; a tie is a mistake
 * (test_online_update: a tie is a mistake). With eta the example's weight:
 *
 *   perceptron        v_a += eta x                       v_b -= eta x
 *   averaged          the same; what is kept is the mean of the weights after each example
 *   pa (PA-I)         the same with tau in place of eta, where v_a.x - v_b.x < 1:
 *                     tau = min(C eta, (1 - v_a.x + v_b.x) / (2 ||x||^2))
 *   winnow            v_a *= alpha^(eta x)               v_b *= alpha^(-eta x), from 1
 *   balanced winnow   v = v+ - v-: for a, v+ *= alpha^(eta x) and v- *= alpha^(-eta x), for b the
 *                     reverse, both from 1
 *
 * The pairs of an example are visited one after another with the scores as they are by then; or
 * only the worst moves; or all those that are violated before the first move share a step, 1/m
 * each of m (ultraconservative: on class labels Crammer and Singer's uniform multiclass rule).
 *
 * An additive step changes v_a.x by tau ||x||^2 and v_b.x by as much the other way, so the steps of
 * all pairs are found from the scores alone and then added once. The mean needs no work for
 * weights that rest: with s_t the step at example t (from 0) of T, the mean of what the weights
 * are after each is sum_t (T - t) / T s_t = V - U / T, U = sum_t t s_t. Of balanced Winnow v- is
 * 1 / v+ at all times.
 *
 * Winnow's weights are held within 1e-100 .. 1e100, so that scores stay finite; how often that
 * happened is counted.
 *
 *   V      (d + 1) x stride   row 0: the bias, a feature that is always 1
 *   aux    as V               U, or v+
 *   Time   scores: k times the features of x; a move: classes that move times features of x */
#include "solvers/online/online_update.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"

const char *const pt_update_names[PT_N_UPDATES] = {"perceptron", "averaged", "pa", "winnow",
                                                   "balanced-winnow"};
const char *const pt_violated_names[PT_N_VIOLATED] = {"all", "worst", "spread"};

static const double MOST_WEIGHT = 1e100;
enum {
    SIDE_BY_SIDE = 8, /* numbers that are added as fast as one at a place of its own */
    AHEAD = 16        /* features whose weights are fetched before they are used */
};

/* ---- memory ---------------------------------------------------------------------------------- */

static bool has_aux(const pt_online_weights *w)
{
    return w->rule.update == PT_UPDATE_AVERAGED || w->rule.update == PT_UPDATE_BALANCED;
}

static bool is_multiplicative(const pt_online_weights *w)
{
    return w->rule.update == PT_UPDATE_WINNOW || w->rule.update == PT_UPDATE_BALANCED;
}

static int64_t stride_for(int64_t k)
{
    return (k + PT_ONLINE_LANES - 1) / PT_ONLINE_LANES * PT_ONLINE_LANES;
}

/* A block as it begins, with what an old one of other measures holds. */
static pt_status make_block(double **out, const double *old, const pt_online_weights *w,
                            int64_t stride, int64_t room, double first, pt_error *err)
{
    size_t bytes = 0;
    if (!pt_size_mul((size_t)stride, sizeof(double), &bytes))
        return pt_fail_memory(err, "weights", SIZE_MAX);
    double *block = pt_alloc_zero(room + 1, bytes, "weights", err);
    if (!block)
        return PT_ENOMEM;
    for (int64_t at = 0; first != 0 && at < (room + 1) * stride; at++)
        block[at] = first;
    for (int64_t j = 0; old && j <= w->d; j++)
        memcpy(block + j * stride, old + j * w->stride, (size_t)w->k * sizeof *block);
    *out = block;
    return PT_OK;
}

static pt_status make_lists(pt_online_weights *w, int64_t stride, pt_error *err)
{
    double *scores = pt_alloc_zero(stride, sizeof *scores, "scores", err);
    double *tau = scores ? pt_alloc_zero(stride, sizeof *tau, "scores", err) : NULL;
    int64_t *touched = tau ? pt_alloc_zero(stride, sizeof *touched, "scores", err) : NULL;
    if (!touched) {
        pt_free(tau);
        pt_free(scores);
        return PT_ENOMEM;
    }
    pt_free(w->touched);
    pt_free(w->tau);
    pt_free(w->scores);
    w->scores = scores;
    w->tau = tau;
    w->touched = touched;
    return PT_OK;
}

static pt_status resize(pt_online_weights *w, int64_t stride, int64_t room, pt_error *err)
{
    double *V = NULL;
    double *aux = NULL;
    const double first = w->rule.update == PT_UPDATE_WINNOW ? 1 : 0;
    const double first_aux = w->rule.update == PT_UPDATE_BALANCED ? 1 : 0;
    pt_status status = make_block(&V, w->V, w, stride, room, first, err);
    if (status == PT_OK && has_aux(w))
        status = make_block(&aux, w->aux, w, stride, room, first_aux, err);
    if (status == PT_OK && stride != w->stride)
        status = make_lists(w, stride, err);
    if (status != PT_OK) {
        pt_free(aux);
        pt_free(V);
        return status;
    }
    pt_free(w->aux);
    pt_free(w->V);
    w->V = V;
    w->aux = aux;
    w->stride = stride;
    w->room = room;
    return PT_OK;
}

pt_status pt_online_weights_init(pt_online_weights *w, const pt_online_rule *rule, int64_t k,
                                 int64_t d, pt_error *err)
{
    memset(w, 0, sizeof *w);
    w->rule = *rule;
    PT_TRY(resize(w, stride_for(k > 1 ? k : 1), d, err));
    w->k = k;
    w->d = d;
    return PT_OK;
}

pt_status pt_online_weights_reserve(pt_online_weights *w, int64_t k, int64_t d, pt_error *err)
{
    if (k <= w->stride && d <= w->room)
        return PT_OK;
    const int64_t wide = w->stride + w->stride / 2;
    const int64_t long_ = w->room + w->room / 2;
    return resize(w, k <= w->stride ? w->stride : stride_for(w->k > 0 && wide > k ? wide : k),
                  d <= w->room ? w->room
                  : d > long_  ? d + d / 8
                               : long_,
                  err);
}

pt_status pt_online_weights_grow(pt_online_weights *w, int64_t k, int64_t d, pt_error *err)
{
    PT_TRY(pt_online_weights_reserve(w, k, d, err));
    w->k = k > w->k ? k : w->k;
    w->d = d > w->d ? d : w->d;
    return PT_OK;
}

void pt_online_weights_free(pt_online_weights *w)
{
    pt_free(w->touched);
    pt_free(w->tau);
    pt_free(w->scores);
    pt_free(w->aux);
    pt_free(w->V);
    memset(w, 0, sizeof *w);
}

/* ---- scores ---------------------------------------------------------------------------------- */

void pt_online_score(pt_online_weights *w, const pt_online_row *x)
{
    if (w->rule.bias)
        memcpy(w->scores, w->V, (size_t)w->stride * sizeof(double));
    else
        memset(w->scores, 0, (size_t)w->stride * sizeof(double));
    pt_online_loops_chosen()->scores(w->V + w->stride, w->stride, x, w->scores);
}

static double score_class(const pt_online_weights *w, const pt_online_row *x, int64_t r)
{
    double sum = w->rule.bias ? w->V[r] : 0;
    for (int64_t p = 0; p < x->count; p++)
        sum += x->value[p] * w->V[(x->index[p] + 1) * w->stride + r];
    return sum;
}

bool pt_online_is_signed(const pt_online_row *x)
{
    for (int64_t p = 0; p < x->count; p++)
        if (x->value[p] < 0)
            return true;
    return false;
}

static double square(const pt_online_weights *w, const pt_online_row *x)
{
    double sum = w->rule.bias ? 1 : 0;
    for (int64_t p = 0; p < x->count; p++)
        sum += x->value[p] * x->value[p];
    return sum;
}

/* ---- steps ----------------------------------------------------------------------------------- */

/* One class at one feature, for Winnow. */
static void multiply(pt_online_weights *w, int64_t at, double exponent)
{
    const bool balanced = w->rule.update == PT_UPDATE_BALANCED;
    double *weight = balanced ? &w->aux[at] : &w->V[at];
    double v = *weight * (exponent == 1    ? w->rule.alpha
                          : exponent == -1 ? 1 / w->rule.alpha
                                           : pow(w->rule.alpha, exponent));
    if (!(v <= MOST_WEIGHT && v >= 1 / MOST_WEIGHT)) {
        v = v > 1 ? MOST_WEIGHT : 1 / MOST_WEIGHT;
        w->pinned++;
    }
    *weight = v;
    if (balanced)
        w->V[at] = v - 1 / v;
}

static void multiply_class(pt_online_weights *w, const pt_online_row *x, int64_t r, double tau)
{
    if (w->rule.bias)
        multiply(w, r, tau);
    for (int64_t p = 0; p < x->count; p++)
        multiply(w, (x->index[p] + 1) * w->stride + r, tau * x->value[p]);
}

static void add_row(double *row, const pt_online_weights *w, double by)
{
    for (int64_t t = 0; t < w->n_touched; t++)
        row[w->touched[t]] += by * w->tau[w->touched[t]];
}

static void fetch_row(const double *row, const pt_online_weights *w)
{
    for (int64_t t = 0; t < w->n_touched; t++)
        __builtin_prefetch(row + w->touched[t], 1);
}

/* block <- block + by tau x^T: all classes side by side unless few of many have a step. The choice
 * depends on what was learned and not on the room there is, for the roundings may differ. */
static void add_block(pt_online_weights *w, double *block, const pt_online_row *x, double by)
{
    const bool far = block == w->aux; /* V has just given the scores */
    if (w->rule.bias)
        add_row(block, w, by);
    if (w->k <= SIDE_BY_SIDE * w->n_touched)
        pt_online_loops_chosen()->steps(block + w->stride, w->stride, x, by, w->tau, far);
    else
        for (int64_t p = 0; p < x->count; p++) {
            if (far && p + AHEAD < x->count)
                fetch_row(block + (x->index[p + AHEAD] + 1) * w->stride, w);
            add_row(block + (x->index[p] + 1) * w->stride, w, by * x->value[p]);
        }
}

static void add_steps(pt_online_weights *w, const pt_online_row *x)
{
    const double moment = (double)w->seen;
    add_block(w, w->V, x, 1);
    if (w->rule.update == PT_UPDATE_AVERAGED && moment > 0)
        add_block(w, w->aux, x, moment);
}

/* Moves the classes that have a step, and forgets the steps. */
static void take_steps(pt_online_weights *w, const pt_online_row *x)
{
    w->n_touched = 0;
    for (int64_t r = 0; r < w->k; r++)
        if (w->tau[r] != 0)
            w->touched[w->n_touched++] = r;
    if (is_multiplicative(w))
        for (int64_t t = 0; t < w->n_touched; t++)
            multiply_class(w, x, w->touched[t], w->tau[w->touched[t]]);
    else if (w->n_touched > 0)
        add_steps(w, x);
    for (int64_t t = 0; t < w->n_touched; t++)
        w->tau[w->touched[t]] = 0;
}

void pt_online_weights_change_unit(pt_online_weights *w, int64_t j, double by, double shift)
{
    for (int64_t r = 0; r < w->k; r++) {
        const int64_t at = (j + 1) * w->stride + r;
        if (w->rule.update == PT_UPDATE_WINNOW) {
            w->V[at] = pow(w->V[at], by);
        } else if (w->rule.update == PT_UPDATE_BALANCED) {
            w->aux[at] = pow(w->aux[at], by);
            w->V[at] = w->aux[at] - 1 / w->aux[at];
        } else {
            w->V[at] = w->V[at] * by + shift * w->V[r];
            if (w->aux)
                w->aux[at] = w->aux[at] * by + shift * w->aux[r];
        }
    }
}

/* ---- pairs ----------------------------------------------------------------------------------- */

/* The step that a difference v_a.x - v_b.x asks for; 0: none. For k functions of their own (sides)
 * only one vector moves: `movers` is 1. */
static double step_for(const pt_online_weights *w, double difference, double norm, double weight,
                       int movers)
{
    if (w->rule.update != PT_UPDATE_PA)
        return difference > 0 ? 0 : weight;
    if (difference >= 1 || norm == 0)
        return 0;
    return fmin(w->rule.C * weight, (1 - difference) / (movers * norm));
}

static double difference_of(const pt_online_weights *w, const pt_label_pair *pair)
{
    return w->scores[pair->before] - w->scores[pair->after];
}

static void add_pair(pt_online_weights *w, const pt_label_pair *pair, double step)
{
    w->tau[pair->before] += step;
    w->tau[pair->after] -= step;
    w->moves++;
}

/* All pairs in turn. Additive steps are known from the scores; Winnow's are not. */
static void learn_all(pt_online_weights *w, const pt_online_row *x, const pt_label_pair *pairs,
                      int64_t n_pairs, double norm, double weight)
{
    const bool at_once = !is_multiplicative(w);
    for (int64_t q = 0; q < n_pairs; q++) {
        const pt_label_pair *pair = &pairs[q];
        const double step = step_for(w, difference_of(w, pair), norm, weight, 2);
        if (step == 0)
            continue;
        add_pair(w, pair, step);
        if (at_once) {
            w->scores[pair->before] += step * norm;
            w->scores[pair->after] -= step * norm;
            continue;
        }
        take_steps(w, x);
        w->scores[pair->before] = score_class(w, x, pair->before);
        w->scores[pair->after] = score_class(w, x, pair->after);
    }
}

static void learn_worst(pt_online_weights *w, const pt_label_pair *pairs, int64_t n_pairs,
                        double norm, double weight)
{
    int64_t worst = 0;
    for (int64_t q = 1; q < n_pairs; q++)
        if (difference_of(w, &pairs[q]) < difference_of(w, &pairs[worst]))
            worst = q;
    const double step = step_for(w, difference_of(w, &pairs[worst]), norm, weight, 2);
    if (step != 0)
        add_pair(w, &pairs[worst], step);
}

static void learn_spread(pt_online_weights *w, const pt_label_pair *pairs, int64_t n_pairs,
                         double norm, double weight)
{
    int64_t count = 0;
    for (int64_t q = 0; q < n_pairs; q++)
        count += step_for(w, difference_of(w, &pairs[q]), norm, weight, 2) != 0;
    for (int64_t q = 0; q < n_pairs; q++) {
        const double step = step_for(w, difference_of(w, &pairs[q]), norm, weight, 2);
        if (step != 0)
            add_pair(w, &pairs[q], step / (double)count);
    }
}

static double least_difference(const pt_online_weights *w, const pt_label_pair *pairs,
                               int64_t n_pairs)
{
    double least = INFINITY;
    for (int64_t q = 0; q < n_pairs; q++) {
        const double difference = difference_of(w, &pairs[q]);
        least = difference < least ? difference : least;
    }
    return least;
}

bool pt_online_violates(const pt_online_weights *w, const pt_label_pair *pairs, int64_t n_pairs)
{
    return least_difference(w, pairs, n_pairs) <= 0;
}

bool pt_online_violates_sides(const pt_online_weights *w, const int8_t *side)
{
    for (int64_t r = 0; r < w->k; r++)
        if (side[r] != 0 && side[r] * w->scores[r] <= 0)
            return true;
    return false;
}

/* Whether a pair does not hold, and whether one asks for a step: of PA some do that hold. */
static bool look(const pt_online_weights *w, const pt_label_pair *pairs, int64_t n_pairs,
                 bool *wrong)
{
    const double least = least_difference(w, pairs, n_pairs);
    *wrong = least <= 0;
    return *wrong || (w->rule.update == PT_UPDATE_PA && least < 1);
}

bool pt_online_learn_pairs(pt_online_weights *w, const pt_online_row *x, const pt_label_pair *pairs,
                           int64_t n_pairs, double weight)
{
    bool wrong = false;
    if (look(w, pairs, n_pairs, &wrong)) {
        const double norm = square(w, x);
        if (w->rule.violated == PT_VIOLATED_ALL)
            learn_all(w, x, pairs, n_pairs, norm, weight);
        else if (w->rule.violated == PT_VIOLATED_WORST)
            learn_worst(w, pairs, n_pairs, norm, weight);
        else
            learn_spread(w, pairs, n_pairs, norm, weight);
        take_steps(w, x);
    }
    w->seen++;
    return wrong;
}

bool pt_online_learn_sides(pt_online_weights *w, const pt_online_row *x, const int8_t *side,
                           double weight)
{
    const double norm = w->rule.update == PT_UPDATE_PA ? square(w, x) : 0;
    bool wrong = false;
    for (int64_t r = 0; r < w->k; r++) {
        if (side[r] == 0)
            continue;
        const double margin = side[r] * w->scores[r];
        const double step = step_for(w, margin, norm, weight, 1);
        wrong = wrong || margin <= 0;
        w->tau[r] = side[r] * step;
        w->moves += step != 0;
    }
    take_steps(w, x);
    w->seen++;
    return wrong;
}

/* ---- what was learned ------------------------------------------------------------------------ */

static double weight_of(const pt_online_weights *w, int64_t row, int64_t r)
{
    const int64_t at = row * w->stride + r;
    return w->rule.update == PT_UPDATE_AVERAGED && w->seen > 0
               ? w->V[at] - w->aux[at] / (double)w->seen
               : w->V[at];
}

pt_status pt_online_weights_set(pt_online_weights *w, const double *from, int64_t m, pt_error *err)
{
    for (int64_t r = 0; r < m; r++)
        for (int64_t j = w->rule.bias ? 0 : 1; j <= w->d; j++) {
            const double v = from[r * (w->d + 1) + (j > 0 ? j - 1 : w->d)];
            const int64_t at = j * w->stride + r;
            if (w->rule.update == PT_UPDATE_WINNOW && !(v > 0))
                return pt_fail(err, PT_EINVAL,
                               "`start`: weights of winnow are above 0, and the model has %g", v);
            w->V[at] = v;
            if (w->rule.update == PT_UPDATE_BALANCED) /* v+ - 1/v+ = v, without cancellation */
                w->aux[at] = v < 0 ? 2 / (sqrt(v * v + 4) - v) : (sqrt(v * v + 4) + v) / 2;
        }
    return PT_OK;
}

void pt_online_result(const pt_online_weights *w, const int64_t *order, int64_t m, int64_t minus,
                      double *out)
{
    for (int64_t c = 0; c < m; c++) {
        const int64_t r = order ? order[c] : c;
        double *column = out + c * (w->d + 1);
        for (int64_t j = 0; j <= w->d; j++)
            column[j] = weight_of(w, j < w->d ? j + 1 : 0, r) -
                        (minus < 0 ? 0 : weight_of(w, j < w->d ? j + 1 : 0, minus));
        if (!w->rule.bias)
            column[w->d] = 0;
    }
}
