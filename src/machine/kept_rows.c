/* The rows of a data set that are trained on: those with a label and a weight, merged where that is
 * asked for, without classes that no row has. */
#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "data/dataset.h"
#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "machine/training.h"

bool pt_training_row_counts(const pt_dataset *data, int64_t i)
{
    return pt_labels_has(data->labels, i) && (!data->weights || data->weights[i] > 0);
}

/* Classes that no row has would get scores all the same: they are left out. */
static pt_status drop_empty_classes(pt_training *t, pt_dataset **data, const int64_t *size,
                                    pt_error *err)
{
    const pt_labels *labels = (*data)->labels;
    int64_t present = 0;
    for (int64_t r = 0; r < pt_labels_n_classes(labels); r++)
        present += size[r] > 0;
    if (present == pt_labels_n_classes(labels))
        return PT_OK;
    int64_t *code = pt_alloc(labels->n, sizeof(int64_t), "labels", err);
    int64_t *number = pt_alloc(pt_labels_n_classes(labels), sizeof(int64_t), "classes", err);
    pt_texts names = {NULL, 0, 0};
    pt_labels *smaller = NULL;
    pt_status status = code && number ? PT_OK : PT_ENOMEM;
    for (int64_t r = 0; r < pt_labels_n_classes(labels) && status == PT_OK; r++) {
        number[r] = names.count;
        if (size[r] > 0)
            status = pt_texts_add_n(&names, labels->classes.items[r],
                                    strlen(labels->classes.items[r]), err);
    }
    for (int64_t i = 0; i < labels->n && status == PT_OK; i++)
        code[i] = number[labels->class_of[i]];
    if (status == PT_OK)
        status = pt_labels_from_codes(&smaller, labels->n, code, &names, err);
    if (status == PT_OK)
        status =
            pt_warn(&t->warnings, err, PT_KIND_CLASSES, "%lld %s left out",
                    (long long)(pt_labels_n_classes(labels) - present),
                    pt_labels_n_classes(labels) - present == 1 ? "class has no row and is"
                                                               : "classes have no rows and are");
    if (status == PT_OK) {
        pt_labels_free((*data)->labels);
        (*data)->labels = smaller;
        smaller = NULL;
    }
    pt_labels_free(smaller);
    pt_texts_free(&names);
    pt_free(number);
    pt_free(code);
    return status;
}

static pt_status fail_few_classes(const pt_dataset *data, int64_t m, int64_t a_class, pt_error *err)
{
    if (m == 0)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "there are no labelled rows");
    if (data->labels->kind != PT_LABEL_CLASS)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "the labels speak of %lld class%s; training needs at least two",
                          (long long)pt_labels_n_classes(data->labels),
                          pt_labels_n_classes(data->labels) == 1 ? "" : "es");
    return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                      "%s%lld row%s the class '%s'; training needs at least two classes (is "
                      "`label` the right column?)",
                      m == 1 ? "the " : "all ", (long long)m, m == 1 ? " has" : "s have",
                      pt_texts_get(&data->labels->classes, a_class));
}

bool pt_training_merges(const pt_params *params)
{
    return strcmp(pt_params_text(params, PT_P_MERGE), "yes") == 0 &&
           !pt_kernel_is_precomputed(params);
}

static bool takes_weights(const pt_machine_ops *ops, const pt_params *params)
{
    return ops->capabilities & PT_CAN_WEIGHTS &&
           (!pt_machine_uses(ops, params, "learner") ||
            pt_learner_of(params).capabilities & PT_LEARNS_WEIGHTS);
}

/* copies <- the weights, where all are whole; it comes as numbers of rows. All 1: *copies <- NULL.
 * Weights may be huge: examples are at most MOST_EXAMPLES, but one for each row. */
static void count_copies(int64_t **copies, const double *weight, int64_t n)
{
    static const double MOST_EXAMPLES = 1e7;
    bool whole = weight != NULL;
    double sum = 0;
    int64_t most = 1;
    for (int64_t i = 0; i < n && whole; i++) {
        whole = weight[i] >= 1 && weight[i] == floor(weight[i]);
        sum += weight[i];
    }
    const double share = sum > MOST_EXAMPLES ? MOST_EXAMPLES / sum : 1;
    for (int64_t i = 0; i < n; i++) {
        if (whole)
            (*copies)[i] = (int64_t)fmax(share * weight[i], 1);
        most = (*copies)[i] > most ? (*copies)[i] : most;
    }
    if (most == 1) {
        pt_free(*copies);
        *copies = NULL;
    }
}

pt_status pt_training_merge(pt_dataset **out, int64_t **copies, const pt_machine_ops *ops,
                            const pt_params *params, const pt_dataset *data, const int64_t *rows,
                            int64_t m, const pt_task *task, pt_error *err)
{
    PT_TRY(pt_dataset_merge(out, copies, data, rows, m, takes_weights(ops, params), task, err));
    count_copies(copies, (*out)->weights, (*out)->n);
    return PT_OK;
}

pt_status pt_training_keep_rows(pt_training *t, const pt_dataset *data, bool merge,
                                const pt_task *task, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(data->labels);
    const bool by_class = data->labels->kind == PT_LABEL_CLASS;
    int64_t *chosen = pt_alloc(data->n, sizeof(int64_t), "rows", err);
    int64_t *size = pt_alloc_zero(k + 1, sizeof(int64_t), "classes", err);
    pt_status status = chosen && size ? PT_OK : PT_ENOMEM;
    int64_t m = 0;
    int64_t present = 0;
    int64_t a_class = 0;
    for (int64_t i = 0; i < data->n && status == PT_OK; i++)
        if (pt_training_row_counts(data, i)) {
            chosen[m++] = i;
            if (by_class)
                size[data->labels->class_of[i]]++;
        }
    for (int64_t r = 0; r < k && status == PT_OK; r++)
        if (size[r] > 0) {
            present++;
            a_class = r;
        }
    if (!by_class)
        present = k;
    if (status == PT_OK && (present < 2 || m == 0))
        status = fail_few_classes(data, m, a_class, err);
    t->n_rows = m;
    if (status == PT_OK && (merge || m < data->n || present < k)) {
        status = merge ? pt_training_merge(&t->kept, &t->copies, t->ops, t->params, data, chosen, m,
                                           task, err)
                       : pt_dataset_view(&t->kept, data, chosen, m, task, err);
        if (status == PT_OK)
            t->kept->beside = pt_dataset_bytes(data);
        if (status == PT_OK && m < data->n)
            status =
                pt_warn(&t->warnings, err, PT_KIND_DATA,
                        "%lld row%s without label or weight %s left out", (long long)(data->n - m),
                        data->n - m == 1 ? "" : "s", data->n - m == 1 ? "is" : "are");
        if (status == PT_OK && by_class)
            status = drop_empty_classes(t, &t->kept, size, err);
    }
    if (status == PT_OK)
        status = pt_ties_check(data, t->kept ? t->kept : data, err);
    pt_free(size);
    pt_free(chosen);
    return status;
}
