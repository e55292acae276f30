/* Figures of scores against labels.
 *
 * Rankings are judged over the classes that they rank: what a partial ranking leaves out may be
 * anywhere. Kendall's tau and Spearman's rho are means over the examples whose ranking tells some
 * class from another. The F1 of a class is 2 a / (2 a + b + c), a the examples that have it in
 * label and prediction, b and c in one of them alone, and 0 where all are 0 (scikit-learn's
 * zero_division=0); macro is the mean over classes, micro the same of the sums. */
#include "metrics/label_metrics.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_pairs.h"
#include "decoders/decoder.h"
#include "metrics/label_judge.h"

enum {
    CLASS = 1 << PT_LABEL_CLASS,
    SET = 1 << PT_LABEL_SET,
    RANKING = 1 << PT_LABEL_RANKING,
    ANY = CLASS | SET | RANKING | 1 << PT_LABEL_PAIRS
};

#define NAMED(name) name, name "_interval"

/* What there is, by pt_metric. */
static const struct {
    const char *name;
    const char *interval;
    unsigned kinds;
    bool larger_is_better;
    unsigned shares; /* kinds of labels of which it is a share of the examples */
} METRICS[] = {
    [PT_METRIC_ERROR] = {NAMED("error"), ANY, false, ANY},
    [PT_METRIC_CONSTRAINT_ERROR] = {NAMED("constraint_error"), ANY, false, ANY},
    [PT_METRIC_VIOLATED_PAIRS] = {NAMED("violated_pairs"), ANY, false, 0},
    [PT_METRIC_KENDALL_TAU] = {NAMED("kendall_tau"), RANKING, true, 0},
    [PT_METRIC_SPEARMAN_RHO] = {NAMED("spearman_rho"), RANKING, true, 0},
    [PT_METRIC_TOP1_ACCURACY] = {NAMED("top1_accuracy"), CLASS | RANKING, true, CLASS | RANKING},
    [PT_METRIC_HAMMING_LOSS] = {NAMED("hamming_loss"), SET, false, 0},
    [PT_METRIC_SUBSET_ACCURACY] = {NAMED("subset_accuracy"), SET, true, SET},
    [PT_METRIC_MICRO_F1] = {NAMED("micro_f1"), CLASS | SET, true, CLASS},
    [PT_METRIC_MACRO_F1] = {NAMED("macro_f1"), CLASS | SET, true, 0},
    [PT_METRIC_RANKING_LOSS] = {NAMED("ranking_loss"), SET, false, 0},
    [PT_METRIC_COVERAGE] = {NAMED("coverage"), SET, false, 0},
    [PT_METRIC_AVERAGE_PRECISION] = {NAMED("average_precision"), SET, true, 0},
    [PT_METRIC_ONE_ERROR] = {NAMED("one_error"), SET, false, SET},
    [PT_METRIC_BALANCED_ACCURACY] = {NAMED("balanced_accuracy"), CLASS, true, 0},
    [PT_METRIC_LOG_LOSS] = {NAMED("log_loss"), CLASS | SET, false, 0},
    [PT_METRIC_BRIER] = {NAMED("brier"), CLASS | SET, false, 0},
    [PT_METRIC_BALANCED_ERROR] = {NAMED("balanced_error"), CLASS, false, 0},
    [PT_METRIC_MCC] = {NAMED("mcc"), CLASS, true, 0},
    [PT_METRIC_KAPPA] = {NAMED("kappa"), CLASS, true, 0},
    [PT_METRIC_AUC_OVR] = {NAMED("auc_ovr"), CLASS, true, 0},
    [PT_METRIC_AUC_OVO] = {NAMED("auc_ovo"), CLASS, true, 0},
    [PT_METRIC_TOP_K_ACCURACY] = {NAMED("top_k_accuracy"), CLASS, true, CLASS},
    [PT_METRIC_COST] = {NAMED("cost"), CLASS, false, 0},
};
enum { N_METRICS = sizeof METRICS / sizeof *METRICS };

static bool is_metric(pt_metric metric)
{
    return (int)metric >= 0 && (int)metric < N_METRICS;
}

const char *pt_metric_name(pt_metric metric)
{
    return is_metric(metric) ? METRICS[metric].name : NULL;
}

int pt_metric_larger_is_better(pt_metric metric)
{
    return is_metric(metric) && METRICS[metric].larger_is_better;
}

const char *pt_metric_interval_name(pt_metric metric)
{
    return is_metric(metric) ? METRICS[metric].interval : NULL;
}

bool pt_metric_is_share(pt_metric metric, pt_label_kind kind)
{
    return is_metric(metric) && METRICS[metric].shares & 1u << kind;
}

unsigned pt_metrics_of(pt_label_kind kind)
{
    unsigned bits = 0;
    for (int f = 0; f < N_METRICS; f++)
        bits |= METRICS[f].kinds & 1u << kind ? 1u << f : 0;
    return bits;
}

/* "-" and "_" are the same: options are written with the one, members of JSON with the other. */
int pt_metric_find(const char *name)
{
    for (int f = 0; f < N_METRICS; f++) {
        size_t c = 0;
        while (name[c] && (name[c] == '-' ? '_' : name[c]) == METRICS[f].name[c])
            c++;
        if (!name[c] && !METRICS[f].name[c])
            return f;
    }
    return -1;
}

/* ---- work space ------------------------------------------------------------------------------ */

void pt_tally_free(pt_tally *t)
{
    pt_free(t->judged_of);
    pt_free(t->proba);
    pt_free(t->both);
    pt_free(t->true_only);
    pt_free(t->said_only);
    pt_free(t->scores);
    pt_free(t->placed);
    pt_free(t->member);
    pt_free(t->work);
    memset(t, 0, sizeof *t);
}

/* Areas under curves need the probabilities of all examples at once. */
static pt_status make_room(pt_tally *t, pt_error *err)
{
    if (!(t->wanted & PT_AUC_METRICS))
        return PT_OK;
    t->judged_of = pt_alloc(t->labels->n, sizeof(int64_t), "classes", err);
    t->proba = pt_alloc(t->labels->n, (size_t)t->n_known * sizeof(double), "probabilities", err);
    return t->judged_of && t->proba ? PT_OK : PT_ENOMEM;
}

pt_status pt_tally_init(pt_tally *t, const pt_labels *labels, int64_t n_known, unsigned wanted,
                        const pt_metric_rules *rules, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    *t = (pt_tally){.labels = labels,
                    .k = k,
                    .n_known = n_known,
                    .wanted = wanted & pt_metrics_of(labels->kind),
                    .rules = rules ? *rules : PT_METRIC_RULES,
                    .one_class = labels->kind == PT_LABEL_CLASS,
                    .auc = {NAN, NAN}};
    t->both = pt_alloc_zero(k, sizeof(int64_t), "counts", err);
    t->true_only = pt_alloc_zero(k, sizeof(int64_t), "counts", err);
    t->said_only = pt_alloc_zero(k, sizeof(int64_t), "counts", err);
    t->scores = pt_alloc(k, sizeof(double), "scores", err);
    t->placed = pt_alloc(k, sizeof *t->placed, "scores", err);
    t->member = pt_alloc(k, sizeof *t->member, "scores", err);
    t->work = pt_alloc(k, 2 * sizeof(double), "scores", err);
    if (t->both && t->true_only && t->said_only && t->scores && t->placed && t->member && t->work &&
        make_room(t, err) == PT_OK)
        return PT_OK;
    pt_tally_free(t);
    return PT_ENOMEM;
}

static bool wants(const pt_tally *t, unsigned metrics)
{
    return (t->wanted & metrics) != 0;
}

/* ---- pairs ----------------------------------------------------------------------------------- */

static bool pair_holds(const pt_tally *t, int64_t before, int64_t after)
{
    return before < t->n_known && pt_score_before(t->scores, before, after);
}

static int64_t violated_of_class(const pt_tally *t, int64_t y)
{
    int64_t violated = 0;
    for (int64_t r = 0; r < t->k; r++)
        violated += r != y && !pair_holds(t, y, r);
    return violated;
}

/* Every class of a group of equal ranks before every one of the next: HRZ Table 1. */
static int64_t violated_of_ranking(const pt_tally *t, int64_t i)
{
    const pt_labels *labels = t->labels;
    const int64_t end = labels->start[i + 1];
    int64_t violated = 0;
    int64_t group = labels->start[i]; /* first of the group before */
    int64_t next = group;             /* and of this one */
    for (int64_t at = group; at < end; at++) {
        if (at > next && labels->rank[at] != labels->rank[next]) {
            group = next;
            next = at;
        }
        for (int64_t before = group; before < next; before++)
            violated += !pair_holds(t, labels->item[before], labels->item[at]);
    }
    return violated;
}

static int64_t violated_of_pairs(const pt_tally *t, int64_t i)
{
    const pt_labels *labels = t->labels;
    int64_t violated = 0;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at += 2)
        violated += !pair_holds(t, labels->item[at], labels->item[at + 1]);
    return violated;
}

/* ---- one example ----------------------------------------------------------------------------- */

/* The first of the classes that example i ranks, by scores, is one that it ranks best. */
static bool best_is_first(const pt_tally *t, int64_t i)
{
    const pt_labels *labels = t->labels;
    int64_t first = labels->start[i];
    for (int64_t at = first + 1; at < labels->start[i + 1]; at++)
        if (pt_score_before(t->scores, labels->item[at], labels->item[first]))
            first = at;
    return labels->item[first] < t->n_known &&
           labels->rank[first] == labels->rank[labels->start[i]];
}

static void correlate(pt_tally *t, int64_t i)
{
    const pt_labels *labels = t->labels;
    const int64_t m = labels->start[i + 1] - labels->start[i];
    for (int64_t c = 0; c < m; c++) {
        const int64_t at = labels->start[i] + c;
        t->placed[c] = (pt_placed){labels->rank[at], t->scores[labels->item[at]], 0};
    }
    const double tau = pt_kendall_tau(t->placed, m, t->work);
    if (isnan(tau))
        return;
    t->n_ranked++;
    t->kendall += tau;
    t->spearman += pt_spearman_rho(t->placed, m);
}

/* Counts the classes of label and prediction; returns whether they are the same sets. */
static bool count_members(pt_tally *t, int64_t i)
{
    const pt_labels *labels = t->labels;
    const int64_t end = labels->start[i + 1];
    int64_t at = labels->start[i];
    bool same = true;
    for (int64_t r = 0; r < t->k; r++) {
        const bool member = at < end && labels->item[at] == r;
        const bool said = pt_score_in_set(t->scores[r]);
        at += member;
        t->both[r] += member && said;
        t->true_only[r] += member && !said;
        t->said_only[r] += !member && said;
        same = same && member == said;
    }
    return same;
}

/* The figures of probabilities, from their logarithms; of sets, from those of the odds. */
static void judge_class(pt_tally *t, int64_t y)
{
    if (y >= t->n_known)
        return;
    if (t->proba) {
        for (int64_t r = 0; r < t->n_known; r++)
            t->proba[t->n_judged * t->n_known + r] = exp(t->scores[r]);
        t->judged_of[t->n_judged++] = y;
    }
    t->last = (pt_judged_rows){.n = 1, .log_loss = -t->scores[y]};
    for (int64_t r = 0; r < t->n_known; r++) {
        const double away = exp(t->scores[r]) - (r == y ? 1 : 0);
        t->last.brier += away * away;
    }
}

static void judge_set(pt_tally *t, const int64_t *members, int64_t m)
{
    int64_t at = 0;
    for (int64_t r = 0; r < t->n_known; r++) {
        const bool member = at < m && members[at] == r;
        at += member;
        const double wrong = 1 / (1 + exp(member ? t->scores[r] : -t->scores[r]));
        t->last.n++;
        t->last.log_loss -= log1p(-wrong);
        t->last.brier += wrong * wrong;
    }
}

static bool add_class(pt_tally *t, int64_t i)
{
    const int64_t y = t->labels->class_of[i];
    const int64_t said = pt_first_largest(t->scores, t->n_known);
    t->both[y] += y == said;
    t->true_only[y] += y != said;
    t->said_only[said] += y != said;
    t->top1 += y == said;
    t->inconsistent += y != said;
    if (wants(t, 1u << PT_METRIC_TOP_K_ACCURACY))
        t->top_k +=
            y < t->n_known && pt_score_among_first(t->scores, t->n_known, y, t->rules.top_k);
    if (t->rules.costs && y < t->n_known) {
        t->cost += t->rules.costs[y * t->n_known + said];
        t->n_costed++;
    }
    if (wants(t, 1u << PT_METRIC_VIOLATED_PAIRS))
        t->violated += violated_of_class(t, y);
    if (wants(t, PT_PROBABILITY_METRICS))
        judge_class(t, y);
    return y == said;
}

static bool add_set(pt_tally *t, int64_t i)
{
    const pt_labels *labels = t->labels;
    const int64_t *members = labels->item + labels->start[i];
    const int64_t m = labels->start[i + 1] - labels->start[i];
    if (wants(t, 1u << PT_METRIC_CONSTRAINT_ERROR | 1u << PT_METRIC_VIOLATED_PAIRS |
                     1u << PT_METRIC_RANKING_LOSS | 1u << PT_METRIC_COVERAGE |
                     1u << PT_METRIC_AVERAGE_PRECISION)) {
        const pt_set_order order =
            pt_set_order_of(t->scores, t->k, t->n_known, members, m, t->member);
        t->inconsistent += order.violated > 0;
        t->violated += order.violated;
        t->ranking_loss += order.ranking_loss;
        t->coverage += order.coverage;
        t->average_precision += order.average_precision;
    }
    if (wants(t, PT_PROBABILITY_METRICS))
        judge_set(t, members, m);
    if (m > 0 && wants(t, 1u << PT_METRIC_ONE_ERROR)) {
        const int64_t first = pt_first_largest(t->scores, t->n_known);
        bool member = false;
        for (int64_t c = 0; c < m; c++)
            member = member || members[c] == first;
        t->n_nonempty++;
        t->one_error += !member;
    }
    return count_members(t, i);
}

static bool add_order(pt_tally *t, int64_t i)
{
    const bool ranking = t->labels->kind == PT_LABEL_RANKING;
    const int64_t violated = ranking ? violated_of_ranking(t, i) : violated_of_pairs(t, i);
    t->violated += violated;
    t->inconsistent += violated > 0;
    if (ranking) {
        t->top1 += best_is_first(t, i);
        if (wants(t, 1u << PT_METRIC_KENDALL_TAU | 1u << PT_METRIC_SPEARMAN_RHO))
            correlate(t, i);
    }
    return violated == 0;
}

bool pt_tally_add(pt_tally *t, int64_t i, const double *scores)
{
    if (!pt_labels_has(t->labels, i))
        return false;
    for (int64_t r = 0; r < t->k; r++)
        t->scores[r] = r < t->n_known ? scores[r] : -INFINITY;
    t->n++;
    t->pairs += pt_label_pairs_count(t->labels, i, 0);
    t->last = (pt_judged_rows){0};
    const bool right = t->labels->kind == PT_LABEL_CLASS ? add_class(t, i)
                       : t->labels->kind == PT_LABEL_SET ? add_set(t, i)
                                                         : add_order(t, i);
    t->wrong += !right;
    t->judged.n += t->last.n;
    t->judged.log_loss += t->last.log_loss;
    t->judged.brier += t->last.brier;
    return right;
}

pt_status pt_tally_finish(pt_tally *t, const pt_task *task, pt_error *err)
{
    PT_FREED_BY(pt_auc_free) pt_auc auc = {0};
    if (!t->proba || t->n_judged == 0)
        return PT_OK;
    PT_TRY(pt_auc_init(&auc, t->proba, t->judged_of, t->n_judged, t->n_known, task, err));
    PT_SCRATCH double *work = NULL;
    PT_TRY(PT_NEW(work, pt_auc_work(&auc), "areas under curves", err));
    t->auc = pt_auc_means_of(&auc, NULL, work);
    return PT_OK;
}

/* ---- figures --------------------------------------------------------------------------------- */

static double share(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static double f1_of(int64_t both, int64_t one)
{
    return both > 0 ? 2 * (double)both / (double)(2 * both + one) : 0;
}

static bool has_class(const pt_tally *t, int64_t r)
{
    return r >= 0 && r < t->k;
}

double pt_tally_precision(const pt_tally *t, int64_t r)
{
    return has_class(t, r) ? share((double)t->both[r], (double)(t->both[r] + t->said_only[r]))
                           : NAN;
}

double pt_tally_recall(const pt_tally *t, int64_t r)
{
    return has_class(t, r) ? share((double)t->both[r], (double)(t->both[r] + t->true_only[r]))
                           : NAN;
}

double pt_tally_f1(const pt_tally *t, int64_t r)
{
    return has_class(t, r) ? f1_of(t->both[r], t->true_only[r] + t->said_only[r]) : NAN;
}

/* The sums over classes: of those that are in one alone, and in both. */
static int64_t sum_both(const pt_tally *t)
{
    int64_t sum = 0;
    for (int64_t r = 0; r < t->k; r++)
        sum += t->both[r];
    return sum;
}

static int64_t sum_one(const pt_tally *t)
{
    int64_t sum = 0;
    for (int64_t r = 0; r < t->k; r++)
        sum += t->true_only[r] + t->said_only[r];
    return sum;
}

static double macro_f1(const pt_tally *t)
{
    double sum = 0;
    for (int64_t r = 0; r < t->k; r++)
        sum += pt_tally_f1(t, r);
    return share(sum, (double)t->k);
}

/* Over the classes that some example has. */
static double balanced_accuracy(const pt_tally *t)
{
    double sum = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < t->k; r++)
        if (t->both[r] + t->true_only[r] > 0) {
            sum += pt_tally_recall(t, r);
            count++;
        }
    return share(sum, (double)count);
}

/* Of n examples, c of them right, t_r of class r and p_r taken for it: the correlation
 * (n c - sum t_r p_r) / sqrt((n^2 - sum t_r^2) (n^2 - sum p_r^2)), 0 where either is of one class.
 */
static double matthews(const pt_tally *t)
{
    const double n = (double)t->n;
    double between = n * (double)sum_both(t);
    double of_truth = n * n;
    double of_said = of_truth;
    for (int64_t r = 0; r < t->k; r++) {
        const double truth = (double)(t->both[r] + t->true_only[r]);
        const double said = (double)(t->both[r] + t->said_only[r]);
        between -= truth * said;
        of_truth -= truth * truth;
        of_said -= said * said;
    }
    return of_truth > 0 && of_said > 0 ? between / sqrt(of_truth * of_said) : 0;
}

/* 1 - the share of errors over what it would be by chance: NaN where both are of one class. */
static double kappa(const pt_tally *t)
{
    const double n = (double)t->n;
    double chance = n;
    for (int64_t r = 0; r < t->k; r++)
        chance -=
            (double)(t->both[r] + t->true_only[r]) * (double)(t->both[r] + t->said_only[r]) / n;
    return chance > 0 ? 1 - (n - (double)sum_both(t)) / chance : NAN;
}

static bool quotient(double part, double whole, double *of_part, double *of_whole)
{
    *of_part = part;
    *of_whole = whole;
    return true;
}

bool pt_tally_parts(const pt_tally *t, pt_metric metric, double *part, double *whole)
{
    const double n = (double)t->n;
    switch (metric) {
    case PT_METRIC_ERROR:
        return quotient((double)t->wrong, n, part, whole);
    case PT_METRIC_CONSTRAINT_ERROR:
        return quotient((double)t->inconsistent, n, part, whole);
    case PT_METRIC_VIOLATED_PAIRS:
        return quotient((double)t->violated, (double)t->pairs, part, whole);
    case PT_METRIC_KENDALL_TAU:
        return quotient(t->kendall, (double)t->n_ranked, part, whole);
    case PT_METRIC_SPEARMAN_RHO:
        return quotient(t->spearman, (double)t->n_ranked, part, whole);
    case PT_METRIC_TOP1_ACCURACY:
        return quotient((double)t->top1, n, part, whole);
    case PT_METRIC_HAMMING_LOSS:
        return quotient((double)sum_one(t), n * (double)t->k, part, whole);
    case PT_METRIC_SUBSET_ACCURACY:
        return quotient((double)(t->n - t->wrong), n, part, whole);
    case PT_METRIC_MICRO_F1:
        return t->one_class ? quotient((double)(t->n - t->wrong), n, part, whole)
                            : quotient(2 * (double)sum_both(t),
                                       2 * (double)sum_both(t) + (double)sum_one(t), part, whole);
    case PT_METRIC_RANKING_LOSS:
        return quotient(t->ranking_loss, n, part, whole);
    case PT_METRIC_COVERAGE:
        return quotient(t->coverage, n, part, whole);
    case PT_METRIC_AVERAGE_PRECISION:
        return quotient(t->average_precision, n, part, whole);
    case PT_METRIC_ONE_ERROR:
        return quotient((double)t->one_error, (double)t->n_nonempty, part, whole);
    case PT_METRIC_TOP_K_ACCURACY:
        return quotient((double)t->top_k, n, part, whole);
    case PT_METRIC_COST:
        return quotient(t->cost, (double)t->n_costed, part, whole);
    case PT_METRIC_LOG_LOSS:
        return quotient(t->judged.log_loss, (double)t->judged.n, part, whole);
    case PT_METRIC_BRIER:
        return quotient(t->judged.brier, (double)t->judged.n, part, whole);
    default:
        return false;
    }
}

double pt_tally_metric(const pt_tally *t, pt_metric metric)
{
    double part = 0;
    double whole = 0;
    if (!is_metric(metric) || !(t->wanted & 1u << metric) || t->n == 0)
        return NAN;
    switch (metric) {
    case PT_METRIC_MICRO_F1:
        return f1_of(sum_both(t), sum_one(t));
    case PT_METRIC_MACRO_F1:
        return macro_f1(t);
    case PT_METRIC_BALANCED_ACCURACY:
        return balanced_accuracy(t);
    case PT_METRIC_BALANCED_ERROR:
        return 1 - balanced_accuracy(t);
    case PT_METRIC_MCC:
        return matthews(t);
    case PT_METRIC_KAPPA:
        return kappa(t);
    case PT_METRIC_AUC_OVR:
        return t->auc.ovr;
    case PT_METRIC_AUC_OVO:
        return t->auc.ovo;
    case PT_METRIC_TOP_K_ACCURACY:
        if (t->rules.top_k >= t->n_known)
            return NAN;
        break;
    default:
        break;
    }
    return pt_tally_parts(t, metric, &part, &whole) ? share(part, whole) : NAN;
}
