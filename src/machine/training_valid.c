/* Rows that only validate. They are prepared as the rows of training are, without having a part in
 * it, and their labels are numbers of its classes. What chooses by held-out rows gets both as one
 * problem: the rows that validate are a fold, all others are never held out. */
#include <string.h>

#include "base/alloc.h"
#include "data/labels/label_pairs.h"
#include "machine/training.h"

void pt_training_valid_free(pt_training_valid *valid)
{
    pt_prepared_free(&valid->prepared);
    pt_labels_free(valid->labels);
    pt_free(valid->weight);
    pt_dataset_free(valid->kept);
    memset(valid, 0, sizeof *valid);
}

/* Whether the label of a row names classes 0 .. k-1 alone. */
static bool is_known(const pt_labels *labels, int64_t i, int64_t k)
{
    if (labels->kind == PT_LABEL_CLASS)
        return labels->class_of[i] < k;
    for (int64_t at = labels->start[i]; at < labels->start[i + 1]; at++)
        if (labels->item[at] >= k)
            return false;
    return true;
}

/* rows <- those that have a weight and a label that training knows. */
static pt_status choose_rows(int64_t *rows, int64_t *m, pt_training *t, const pt_dataset *data,
                             const pt_labels *labels, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(t->problem.labels);
    int64_t unknown = 0;
    *m = 0;
    for (int64_t i = 0; i < data->n; i++) {
        if (!pt_training_row_counts(data, i))
            continue;
        const bool known = is_known(labels, i, k);
        unknown += !known;
        if (known)
            rows[(*m)++] = i;
    }
    if (*m == 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          unknown > 0 ? "the rows to validate by have classes that the rows to "
                                        "train on do not have, and no others"
                                      : "no row to validate by has a label");
    if (unknown == 0)
        return PT_OK;
    return pt_warn(&t->warnings, err, PT_KIND_CLASSES,
                   "%lld row%s to validate by %s a class that the rows to train on do not have, "
                   "and %s left out",
                   (long long)unknown, unknown == 1 ? "" : "s", unknown == 1 ? "has" : "have",
                   unknown == 1 ? "is" : "are");
}

pt_status pt_training_valid_init(pt_training_valid *valid, pt_training *training,
                                 const pt_dataset *data, const pt_task *task, pt_error *err)
{
    const pt_texts *classes = &training->problem.labels->classes;
    int64_t m = 0;
    PT_FREED_BY(pt_labels_free_at) pt_labels *matched = NULL;
    PT_SCRATCH int64_t *rows = NULL;
    PT_TRY(pt_prepare_check_columns(training->prepare, data, err));
    PT_TRY(pt_labels_match(&matched, data->labels, classes, &training->warnings, err));
    PT_TRY(PT_NEW(rows, data->n, "rows to validate by", err));
    PT_TRY(choose_rows(rows, &m, training, data, matched, err));
    PT_TRY(pt_dataset_view(&valid->kept, data, rows, m, task, err));
    PT_TRY(pt_labels_subset(&valid->labels, matched, rows, m, err));
    pt_texts_free(&valid->labels->classes); /* none has another than those of training */
    PT_TRY(pt_texts_copy(&valid->labels->classes, classes, err));
    PT_TRY(pt_label_pairs_check(valid->labels, data->source, &training->warnings, err));
    PT_TRY(pt_prepare_apply(training->prepare, valid->kept, pt_params_type(training->params),
                            &valid->prepared, task, err));
    PT_TRY(pt_warnings_add_new(&training->warnings, &valid->prepared.warnings, err));
    valid->row_weight = valid->kept->weights;
    PT_TRY(pt_training_weights(&valid->weight, valid->row_weight, valid->labels, training->params,
                               err));
    valid->lent = (pt_valid_rows){&valid->prepared.rows, valid->labels, valid->labels->class_of,
                                  valid->weight};
    return PT_OK;
}

/* ---- both as one problem --------------------------------------------------------------------- */

void pt_training_joint_free(pt_training_joint *joint)
{
    pt_row_pile_free(&joint->pile);
    pt_labels_free(joint->labels);
    pt_free(joint->weight);
    pt_free(joint->copies);
    pt_free(joint->fold);
    memset(joint, 0, sizeof *joint);
}

static void copy_items(pt_labels *out, int64_t first, const pt_labels *from)
{
    const int64_t at = out->start[first];
    const int64_t items = from->start[from->n];
    for (int64_t i = 0; i <= from->n; i++)
        out->start[first + i] = at + from->start[i];
    if (items > 0)
        memcpy(out->item + at, from->item, (size_t)items * sizeof *out->item);
    if (out->rank && items > 0)
        memcpy(out->rank + at, from->rank, (size_t)items * sizeof *out->rank);
}

static pt_status join_labels(pt_labels **out, const pt_labels *a, const pt_labels *b, pt_error *err)
{
    const int64_t n = a->n + b->n;
    PT_FREED_BY(pt_labels_free_at) pt_labels *labels = pt_labels_new(a->kind, n, err);
    if (!labels)
        return PT_ENOMEM;
    PT_TRY(pt_texts_copy(&labels->classes, &a->classes, err));
    if (a->kind == PT_LABEL_CLASS) {
        if (!labels->class_of)
            PT_TRY(PT_NEW(labels->class_of, n, "labels", err));
        memcpy(labels->class_of, a->class_of, (size_t)a->n * sizeof *a->class_of);
        memcpy(labels->class_of + a->n, b->class_of, (size_t)b->n * sizeof *b->class_of);
    } else {
        const int64_t items = a->start[a->n] + b->start[b->n];
        if (!labels->start)
            PT_TRY(PT_NEW(labels->start, n + 1, "labels", err));
        PT_TRY(PT_NEW(labels->item, items, "labels", err));
        if (a->rank)
            PT_TRY(PT_NEW(labels->rank, items, "labels", err));
        labels->start[0] = 0;
        copy_items(labels, 0, a);
        copy_items(labels, a->n, b);
    }
    *out = pt_keep(&labels);
    return PT_OK;
}

pt_status pt_training_join(pt_training_joint *joint, const pt_training *training,
                           const pt_training_valid *valid, pt_error *err)
{
    const pt_training *t = training;
    const pt_training_valid *v = valid;
    const int64_t n = t->problem.rows.n;
    const int64_t m = v->prepared.rows.n;
    const int64_t *copies = t->problem.copies;
    PT_TRY(pt_row_pile_add(&joint->pile, &t->problem.rows, err));
    PT_TRY(pt_row_pile_add(&joint->pile, &v->prepared.rows, err));
    PT_TRY(join_labels(&joint->labels, t->problem.labels, v->labels, err));
    PT_TRY(PT_NEW(joint->fold, n + m, "folds", err));
    if (t->problem.weight || v->weight)
        PT_TRY(PT_NEW(joint->weight, n + m, "weights", err));
    if (copies)
        PT_TRY(PT_NEW(joint->copies, n + m, "weights", err));
    for (int64_t i = 0; i < n + m; i++) {
        joint->fold[i] = i < n ? PT_NEVER_HELD : 0;
        if (joint->weight)
            joint->weight[i] =
                i < n ? pt_weight(t->problem.weight, i) : pt_weight(v->weight, i - n);
        if (copies && joint->copies)
            joint->copies[i] = i < n ? copies[i] : 1;
    }
    joint->problem = t->problem;
    joint->problem.rows = joint->pile.rows;
    joint->problem.labels = joint->labels;
    joint->problem.weight = joint->weight;
    joint->problem.copies = joint->copies;
    joint->problem.ties = (pt_ties){.fold = joint->fold};
    return PT_OK;
}
