/* Epochs of online learning. Orders come from Philox by (seed, epoch): the same on every machine,
 * and an epoch can be made without those before it. */
#include "solvers/online/online_epochs.h"

#include "base/alloc.h"
#include "base/random.h"

enum { CHECK_EVERY = 1024 };

typedef struct work {
    double unit;    /* weights are divided by it: their mean */
    int64_t *order; /* n */
    int64_t *index; /* d, where rows are dense or short numbers */
    double *value;
    pt_label_pair *pairs;
    int8_t *sides; /* k */
} work;

static pt_online_row dense_row(const pt_rows *rows, int64_t i, int64_t *index, double *value)
{
    int64_t count = 0;
    const int64_t begin = i * rows->stride;
    for (int64_t j = 0; j < rows->d; j++) {
        const double x = pt_rows_value(rows, rows->dense, begin + j);
        index[count] = j;
        value[count] = x;
        count += x != 0;
    }
    return (pt_online_row){count, index, value};
}

pt_online_row pt_online_row_of(const pt_rows *rows, int64_t i, int64_t *index, double *value)
{
    if (rows->dense)
        return dense_row(rows, i, index, value);
    const int64_t begin = rows->start[i];
    const int64_t count = rows->start[i + 1] - begin;
    if (rows->type == PT_F64)
        return (pt_online_row){count, rows->index + begin, (const double *)rows->value + begin};
    for (int64_t p = 0; p < count; p++)
        value[p] = (double)((const float *)rows->value)[begin + p];
    return (pt_online_row){count, rows->index + begin, value};
}

static int64_t most_features(const pt_rows *rows)
{
    int64_t most = 0;
    for (int64_t i = 0; !rows->dense && i < rows->n; i++)
        if (rows->start[i + 1] - rows->start[i] > most)
            most = rows->start[i + 1] - rows->start[i];
    return rows->dense ? rows->d : most;
}

static pt_status make_work(work *k, const pt_online_weights *w, const pt_online_problem *p,
                           pt_error *err)
{
    double sum = 0;
    for (int64_t i = 0; p->weight && i < p->rows->n; i++)
        sum += p->weight[i];
    k->unit = sum > 0 ? sum / (double)p->rows->n : 1;
    const int64_t most = most_features(p->rows) + 1; /* a place for what comes after the last */
    k->order = pt_alloc(p->rows->n, sizeof *k->order, "an order", err);
    k->index = k->order ? pt_alloc(most, sizeof *k->index, "a row", err) : NULL;
    k->value = k->index ? pt_alloc(most, sizeof *k->value, "a row", err) : NULL;
    k->sides = k->value ? pt_alloc_zero(w->k, sizeof *k->sides, "sides", err) : NULL;
    const int64_t pairs = p->labels ? pt_label_pairs_most(p->labels, p->how) : 0;
    k->pairs = k->sides ? pt_alloc(pairs, sizeof *k->pairs, "pairs of a label", err) : NULL;
    return k->pairs ? PT_OK : PT_ENOMEM;
}

static void free_work(work *k)
{
    pt_free(k->pairs);
    pt_free(k->sides);
    pt_free(k->value);
    pt_free(k->index);
    pt_free(k->order);
}

static bool learn_row(pt_online_weights *w, const pt_online_problem *p, work *k, int64_t i)
{
    const double weight = p->weight ? p->weight[i] / k->unit : 1;
    const pt_online_row x = pt_online_row_of(p->rows, i, k->index, k->value);
    pt_online_score(w, &x);
    if (p->labels) {
        const int64_t count = pt_label_pairs_of(p->labels, i, p->how, k->pairs);
        return pt_online_learn_pairs(w, &x, k->pairs, count, weight);
    }
    p->sides(p->context, i, k->sides);
    return pt_online_learn_sides(w, &x, k->sides, weight);
}

/* Rows that the weights, as they are now, have wrong. */
static int64_t count_wrong(pt_online_weights *w, const pt_online_problem *p, work *k)
{
    int64_t wrong = 0;
    for (int64_t i = 0; i < p->rows->n; i++) {
        const pt_online_row x = pt_online_row_of(p->rows, i, k->index, k->value);
        pt_online_score(w, &x);
        if (p->labels) {
            wrong +=
                pt_online_violates(w, k->pairs, pt_label_pairs_of(p->labels, i, p->how, k->pairs));
        } else {
            p->sides(p->context, i, k->sides);
            wrong += pt_online_violates_sides(w, k->sides);
        }
    }
    return wrong;
}

static pt_status run_epoch(pt_online_weights *w, const pt_online_problem *p, work *k, int64_t epoch,
                           int64_t *mistakes, const pt_task *task, pt_error *err)
{
    const int64_t n = p->rows->n;
    const int64_t epochs = p->epochs ? p->epochs : PT_ONLINE_EPOCHS;
    pt_random random;
    pt_random_init(&random, p->seed, PT_RANDOM_ONLINE, (uint64_t)epoch);
    for (int64_t i = 0; i < n; i++)
        k->order[i] = i;
    pt_random_shuffle(&random, k->order, n);
    *mistakes = 0;
    for (int64_t at = 0; at < n; at++) {
        *mistakes += learn_row(w, p, k, k->order[at]);
        if (at % CHECK_EVERY != CHECK_EVERY - 1)
            continue;
        PT_TRY(pt_task_check(task, err));
        pt_task_progress(task, "training", (double)epoch + (double)at / (double)n, (double)epochs);
    }
    pt_task_progress(task, "training", (double)(epoch + 1), (double)epochs);
    return pt_task_check(task, err);
}

/* Winnow asks for features that are not negative. */
static pt_status check_signs(const pt_online_weights *w, const pt_online_problem *p, work *k,
                             pt_error *err)
{
    if (w->rule.update != PT_UPDATE_WINNOW)
        return PT_OK;
    for (int64_t i = 0; i < p->rows->n; i++) {
        const pt_online_row x = pt_online_row_of(p->rows, i, k->index, k->value);
        if (pt_online_is_signed(&x))
            return pt_fail(err, PT_EINVAL,
                           "winnow needs features that are not negative, and a row has one that "
                           "is; use `update=balanced-winnow`, or `scale=none` where the data "
                           "themselves are not negative");
    }
    return PT_OK;
}

pt_status pt_online_train(pt_online_weights *w, const pt_online_problem *problem,
                          pt_online_epochs *result, const pt_task *task, pt_error *err)
{
    const int64_t epochs = problem->epochs ? problem->epochs : PT_ONLINE_EPOCHS;
    PT_FREED_BY(free_work) work k = {0};
    *result = (pt_online_epochs){0};
    PT_TRY(make_work(&k, w, problem, err));
    PT_TRY(check_signs(w, problem, &k, err));
    for (int64_t epoch = problem->first; epoch < epochs; epoch++) {
        const int64_t moves = w->moves;
        PT_TRY(run_epoch(w, problem, &k, epoch, &result->last, task, err));
        result->epochs = epoch + 1;
        result->mistakes += result->last;
        result->moves = w->moves;
        if (epoch + 1 < epochs && pt_task_ends_early(task))
            break;
        if (problem->epochs > 0 || (result->last > 0 && epoch + 1 < epochs))
            continue;
        /* PA moves for rows that are right, too: those that were seen before may be so no more. */
        result->left = w->moves > moves ? count_wrong(w, problem, &k) : 0;
        if (result->left == 0)
            break;
    }
    return PT_OK;
}

pt_status pt_online_go_on(pt_online_problem *problem, const pt_params *start, pt_error *err)
{
    const int64_t made = pt_params_integer(start, PT_P_EPOCHS);
    if (problem->epochs > 0 && problem->epochs < made)
        return pt_fail(err, PT_EINVAL,
                       "`epochs` is %lld, and `start` has %lld already, which count among them",
                       (long long)problem->epochs, (long long)made);
    problem->first = problem->epochs > 0 ? made : 0;
    return PT_OK;
}

double pt_online_bytes(const pt_online_rule *rule, int64_t n, int64_t d, int64_t k)
{
    const bool two = rule->update == PT_UPDATE_AVERAGED || rule->update == PT_UPDATE_BALANCED;
    const double wide = (double)(k + PT_ONLINE_LANES);
    return 8.0 * ((double)d + 1) * wide * (two ? 2 : 1) + 8.0 * (double)n + 16.0 * (double)d;
}
