/* powerset: label powerset (Tsoumakas and Katakis 2007). Every distinct set of the training labels
 * is a class of its own, and oneLSM (HNR eq. 24) learns them:
 *
 *     (K + gamma W^-1) A = E ,   g(x) = A^T kappa_x ,   set = argmax_S g_S(x)
 *
 * So it only says sets that it has seen. Ties go to the set that is more frequent in training. The
 * score of class r is how far it is from changing sides:
 *
 *     s_r(x) = max_{S has r} g_S(x) - max_{S has not r} g_S(x) ,
 *
 * which is above 0 where the set that is said has r (the smallest number there is, where ties would
 * make it 0), and at most 0 where it has not. Where no set has r, or all have it, the missing
 * maximum counts as one less than the smallest g_S.
 *
 *   sets   G         distinct sets, the most frequent first (data/labels/labels.h)
 *   E      n x G     indicators of the sets
 *   A      n x G     column-major, double; d x G if linear with d < n
 *
 * Time n^3/3 + O(n^2 G), memory n^2/2 of the factor's type. Held-out scores have a closed form:
 * sets that only the held-out fold has are left out there. */
#include "machine/machine.h"

#include <float.h>
#include <string.h>

#include "base/alloc.h"
#include "data/labels/labels.h"
#include "kernels/expansion.h"
#include "validate/squares/ls_machine.h"

enum { BLOCK = 256 }; /* rows whose set outputs are held at a time */

/* What turns the outputs of the sets into scores of the classes. */
typedef struct set_book {
    int64_t k;
    int64_t count;
    int64_t *start; /* count + 1 */
    int64_t *item;  /* the classes of a set, ascending */
} set_book;

typedef struct powerset {
    pt_machine base;
    pt_expansion expansion; /* of the outputs of the sets */
    set_book sets;
} powerset;

static void book_free(set_book *b)
{
    pt_free(b->item);
    pt_free(b->start);
}

static void powerset_free(pt_machine *machine)
{
    powerset *m = (powerset *)machine;
    pt_expansion_free(&m->expansion);
    book_free(&m->sets);
}

/* Takes the sets out of the groups. */
static void book_take(set_book *b, pt_label_groups *groups)
{
    *b = (set_book){groups->k, groups->count, groups->start, groups->item};
    groups->start = NULL;
    groups->item = NULL;
}

/* ---- from sets to classes -------------------------------------------------------------------- */

/* Sets of which `present` is false (NULL: none) are not there. */
static bool is_there(const int64_t *present, int64_t g)
{
    return !present || present[g] > 0;
}

/* scores[r] <- at least `output` for the classes r of set `said` that set s has not. */
static void raise_others(const set_book *b, int64_t said, int64_t s, double output, double *scores)
{
    int64_t other = b->start[s];
    for (int64_t at = b->start[said]; at < b->start[said + 1]; at++) {
        const int64_t r = b->item[at];
        while (other < b->start[s + 1] && b->item[other] < r)
            other++;
        const bool has = other < b->start[s + 1] && b->item[other] == r;
        if (!has && output > scores[r])
            scores[r] = output;
    }
}

/* scores (k) <- those of one row with outputs g. The first of the largest is said: sets lie in the
 * order of their frequency. */
static void score_row(const set_book *b, const double *g, const int64_t *present, double *scores)
{
    int64_t said = -1;
    double lowest = 0;
    for (int64_t s = 0; s < b->count; s++) {
        if (!is_there(present, s))
            continue;
        lowest = said < 0 || g[s] < lowest ? g[s] : lowest;
        said = said < 0 || g[s] > g[said] ? s : said;
    }
    if (said < 0) { /* no set is there: nothing is in it */
        for (int64_t r = 0; r < b->k; r++)
            scores[r] = -1;
        return;
    }
    const double missing = lowest - 1;
    for (int64_t r = 0; r < b->k; r++)
        scores[r] = missing;
    for (int64_t s = 0; s < b->count; s++) /* the largest of the sets that have r */
        for (int64_t at = b->start[s]; at < b->start[s + 1] && is_there(present, s); at++)
            if (g[s] > scores[b->item[at]])
                scores[b->item[at]] = g[s];
    for (int64_t r = 0; r < b->k; r++)
        scores[r] -= g[said];
    for (int64_t at = b->start[said]; at < b->start[said + 1]; at++)
        scores[b->item[at]] = missing;
    for (int64_t s = 0; s < b->count;
         s++) /* of the classes of that set: of those that have not r */
        if (is_there(present, s))
            raise_others(b, said, s, g[s], scores);
    for (int64_t at = b->start[said]; at < b->start[said + 1]; at++) {
        const double ahead = g[said] - scores[b->item[at]];
        scores[b->item[at]] = ahead > DBL_MIN ? ahead : DBL_MIN;
    }
}

static pt_status powerset_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                 const pt_task *task, pt_error *err)
{
    const powerset *m = (const powerset *)machine;
    const int64_t block = rows->n < BLOCK ? rows->n : BLOCK;
    double *g = pt_alloc(block * m->sets.count, sizeof *g, "outputs of the sets", err);
    pt_status status = g ? PT_OK : PT_ENOMEM;
    for (int64_t first = 0; first < rows->n && status == PT_OK; first += block) {
        const int64_t n = rows->n - first < block ? rows->n - first : block;
        const pt_rows some = pt_rows_range(rows, first, n);
        status = pt_expansion_outputs(&m->expansion, &some, g, task, err);
        for (int64_t i = 0; i < n && status == PT_OK; i++)
            score_row(&m->sets, g + i * m->sets.count, NULL, scores + (first + i) * m->sets.k);
    }
    pt_free(g);
    return status;
}

/* ---- training -------------------------------------------------------------------------------- */

static pt_ls_problem set_problem(const pt_problem *problem, const pt_label_groups *groups)
{
    return (pt_ls_problem){&problem->rows, groups->group_of, groups->count, problem->weight, NULL};
}

static pt_status powerset_plan(const pt_problem *problem, const pt_params *params,
                               const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)task;
    PT_FREED_BY(pt_label_groups_free) pt_label_groups groups = {0};
    PT_TRY(pt_label_groups_init(&groups, problem->labels, err));
    PT_TRY(pt_ls_plan(&problem->rows, params, groups.count, plan, err));
    plan->bytes += 8 * (double)(problem->rows.n + groups.start[groups.count]);
    return PT_OK;
}

static pt_status powerset_fit(pt_machine *machine, const pt_problem *problem,
                              const pt_params *params, const pt_task *task, pt_warnings *warnings,
                              pt_error *err)
{
    powerset *m = (powerset *)machine;
    pt_expansion_parts parts;
    PT_FREED_BY(pt_label_groups_free) pt_label_groups groups = {0};
    PT_TRY(pt_label_groups_init(&groups, problem->labels, err));
    const pt_ls_problem ls = set_problem(problem, &groups);
    PT_TRY(pt_ls_train(&parts, &ls, params, problem->rows.type, task, warnings, err));
    PT_TRY(pt_expansion_take(&m->expansion, &parts, err));
    book_take(&m->sets, &groups);
    return PT_OK;
}

/* ---- held-out scores ------------------------------------------------------------------------- */

typedef struct set_decoder {
    const set_book *sets;
    const int64_t *group_of;
    int64_t n;
    const pt_partitions *partitions;
    pt_holdout_fn take;
    void *context;
} set_decoder;

/* rest (count) <- how many examples outside a fold have each set. */
static void count_rest(const set_decoder *d, const int64_t *fold, int64_t number, int64_t *rest)
{
    memset(rest, 0, (size_t)d->sets->count * sizeof *rest);
    for (int64_t i = 0; i < d->n; i++)
        rest[d->group_of[i]] += fold[i] != number;
}

/* A pt_holdout_fn: outputs of the sets become scores, fold by fold. Of leave-one-out, where each
 * row is a fold, the one set of the row has one example less. */
static pt_status decode_point(void *context, int64_t point, int64_t partition, const double *g,
                              pt_error *err)
{
    const set_decoder *d = context;
    const set_book *b = d->sets;
    const int64_t *fold = d->partitions->fold[partition];
    if (!g)
        return d->take(d->context, point, partition, NULL, err);
    PT_SCRATCH double *scores = pt_alloc_zero(d->n * b->k, sizeof *scores, "held-out scores", err);
    PT_SCRATCH int64_t *rest = pt_alloc(b->count, sizeof *rest, "sets of classes", err);
    if (!scores || !rest)
        return PT_ENOMEM;
    const bool loo = d->partitions->n_folds == d->n;
    if (loo)
        count_rest(d, fold, -1, rest); /* all of them */
    for (int64_t i = 0; i < d->n && loo; i++) {
        rest[d->group_of[i]]--;
        score_row(b, g + i * b->count, rest, scores + i * b->k);
        rest[d->group_of[i]]++;
    }
    for (int64_t f = 0; f < d->partitions->n_folds && !loo; f++) {
        count_rest(d, fold, f, rest);
        for (int64_t i = 0; i < d->n; i++)
            if (fold[i] == f)
                score_row(b, g + i * b->count, rest, scores + i * b->k);
    }
    return d->take(d->context, point, partition, scores, err);
}

/* A pt_ls_auto_fn. */
static pt_status set_holdout(const pt_problem *problem, const pt_params *params,
                             const pt_ls_point *points, int64_t n_points,
                             const pt_partitions *partitions, pt_holdout_fn take, void *context,
                             const pt_task *task, pt_error *err)
{
    (void)params;
    PT_FREED_BY(pt_label_groups_free) pt_label_groups groups = {0};
    PT_FREED_BY(book_free) set_book sets = {0};
    PT_TRY(pt_label_groups_init(&groups, problem->labels, err));
    book_take(&sets, &groups);
    set_decoder d = {&sets, groups.group_of, problem->rows.n, partitions, take, context};
    const pt_ls_problem ls = set_problem(problem, &groups);
    return pt_ls_holdout(&ls, points, n_points, problem->rows.type, partitions, decode_point, &d,
                         task, err);
}

static pt_status powerset_holdout(const pt_problem *problem, const pt_params *const *points,
                                  int64_t n_points, const pt_partitions *partitions,
                                  pt_holdout_fn take, void *context, const pt_task *task,
                                  pt_error *err)
{
    return pt_ls_holdout_by(set_holdout, problem, points, n_points, partitions, take, context, task,
                            err);
}

static pt_ls_auto_fn powerset_guide(const pt_problem *problem, const pt_params *params)
{
    (void)problem;
    (void)params;
    return set_holdout;
}

/* ---- the file -----------------------------------------------------------------------------------
 *
 * The arrays of the expansion, and the sets: set_size (G), how many classes each has, and set_item,
 * which they are, ascending. A file where every set is empty has no set_item. */

static pt_status powerset_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const powerset *m = (const powerset *)machine;
    PT_TRY(pt_pack_begin(pack, err));
    int64_t *size = pt_alloc(m->sets.count, sizeof *size, "sets of classes", err);
    if (!size)
        return PT_ENOMEM;
    pt_pack_keep(pack, size);
    for (int64_t s = 0; s < m->sets.count; s++)
        size[s] = m->sets.start[s + 1] - m->sets.start[s];
    pt_expansion_save(&m->expansion, pack);
    pt_pack_add_integers(pack, "set_size", m->sets.count, size);
    if (m->sets.start[m->sets.count] > 0)
        pt_pack_add_integers(pack, "set_item", m->sets.start[m->sets.count], m->sets.item);
    return PT_OK;
}

/* groups <- the sets of the file; *used <- how many arrays they are. */
static pt_status load_sets(pt_label_groups *groups, const pt_pack *pack, int64_t k, int64_t *used,
                           pt_error *err)
{
    const pt_array *size = pt_pack_find(pack, "set_size");
    const pt_array *item = pt_pack_find(pack, "set_item");
    if (!size || !pt_array_is_index(size, k + 1) || size->rows < 1 ||
        (item && !pt_array_is_index(item, k)))
        return pt_fail(err, PT_EFORMAT, "the model's sets of classes are damaged");
    const int64_t count = size->rows;
    const int64_t items = item ? item->rows : 0;
    const int64_t *sizes = size->value;
    groups->k = k;
    groups->count = count;
    groups->start = pt_alloc(count + 1, sizeof(int64_t), "sets of classes", err);
    groups->item = pt_alloc(items, sizeof(int64_t), "sets of classes", err);
    if (!groups->start || !groups->item)
        return PT_ENOMEM;
    if (item)
        memcpy(groups->item, item->value, (size_t)items * sizeof(int64_t));
    groups->start[0] = 0;
    for (int64_t s = 0; s < count; s++) {
        if (sizes[s] > items - groups->start[s])
            return pt_fail(err, PT_EFORMAT, "the model's sets of classes are damaged");
        groups->start[s + 1] = groups->start[s] + sizes[s];
        for (int64_t at = groups->start[s] + 1; at < groups->start[s + 1]; at++)
            if (groups->item[at] <= groups->item[at - 1])
                return pt_fail(err, PT_EFORMAT, "the model's sets of classes are damaged");
    }
    if (groups->start[count] != items)
        return pt_fail(err, PT_EFORMAT, "the model's sets of classes are damaged");
    *used += 1 + (item != NULL);
    return PT_OK;
}

static pt_status powerset_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                               int64_t n_classes, const pt_params *params, int64_t *used,
                               const pt_task *task, pt_error *err)
{
    powerset *m = (powerset *)machine;
    int64_t of_sets = 0;
    PT_FREED_BY(pt_label_groups_free) pt_label_groups groups = {0};
    PT_TRY(load_sets(&groups, pack, n_classes, &of_sets, err));
    PT_TRY(pt_expansion_load(&m->expansion, pack, n_inputs, groups.count, params, used, task, err));
    *used += of_sets;
    book_take(&m->sets, &groups);
    return PT_OK;
}

static pt_status powerset_describe(const pt_machine *machine, const pt_texts *classes,
                                   pt_description *description, pt_error *err)
{
    (void)classes;
    (void)err;
    pt_describe_count(description, "sets", ((const powerset *)machine)->sets.count);
    return PT_OK;
}

/* ---- the table entry ------------------------------------------------------------------------- */

const pt_machine_ops pt_machine_powerset = {
    .name = "powerset",
    .summary = "label powerset: each set of classes is a class of oneLSM",
    .parameters = "ridge,class-weight,precision,auto-rows,kernel",
    .label_kinds = 1u << PT_LABEL_CLASS | 1u << PT_LABEL_SET,
    .capabilities = PT_CAN_WEIGHTS | PT_CAN_SPARSE | PT_CAN_HOLDOUT,
    .size = sizeof(powerset),
    .plan = powerset_plan,
    .fit = powerset_fit,
    .scores = powerset_scores,
    .free = powerset_free,
    .save = powerset_save,
    .load = powerset_load,
    .guide = powerset_guide,
    .holdout = powerset_holdout,
    .describe = powerset_describe,
};
