/* From a data set and parameters to a problem: checks, rows that count, preparation, weights. */
#include "machine/training.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/code_file.h"
#include "data/labels/label_pairs.h"
#include "data/prepare/merge_rows.h"
#include "data/read/class_matrix.h"
#include "kernels/kernel_params.h"
#include "learners/learner.h"
#include "params/params_table.h"

void pt_training_free(pt_training *training)
{
    pt_texts_free(&training->warnings);
    if (training->code)
        pt_code_free(training->code);
    pt_free(training->code);
    pt_free(training->costs);
    pt_free(training->copies);
    pt_free(training->label_gram);
    pt_free(training->weight);
    pt_prepared_free(&training->prepared);
    pt_prepare_free(training->prepare);
    pt_dataset_free(training->kept);
    pt_params_free(training->params);
    memset(training, 0, sizeof *training);
}

/* ---- parameters ------------------------------------------------------------------------------ */

/* A joint kernel takes the place of P o K; machines without that have no use for it. */
static pt_status check_joint(const pt_machine_ops *ops, pt_error *err)
{
    char can[128] = "";
    for (int64_t i = 0; pt_machines[i]; i++) {
        if (!(pt_machines[i]->capabilities & PT_CAN_JOINT))
            continue;
        if (can[0])
            (void)strncat(can, ", ", sizeof can - strlen(can) - 1);
        (void)strncat(can, pt_machines[i]->name, sizeof can - strlen(can) - 1);
    }
    if (ops->capabilities & PT_CAN_JOINT)
        return PT_OK;
    return pt_fail(err, PT_EINVAL, "%s does not take a joint kernel; machines that do: %s",
                   ops->name, can);
}

pt_status pt_training_check_params(const pt_machine_ops *ops, const pt_params *params, bool sparse,
                                   pt_error *err)
{
    const pt_kernel_ops *kernel = pt_kernel_named(params, sparse);
    const bool has_kernel = pt_word_listed(ops->parameters, ',', "kernel", strlen("kernel"));
    char who[64] = "";
    (void)strncat(who, ops->name, sizeof who - 1);
    if (has_kernel && kernel) {
        (void)strncat(who, " with kernel ", sizeof who - strlen(who) - 1);
        (void)strncat(who, kernel->name, sizeof who - strlen(who) - 1);
    }
    pt_status status = pt_params_check_used(params, who, ops->parameters,
                                            has_kernel && kernel ? kernel->parameters : "", err);
    if (status == PT_OK && ops->check)
        status = ops->check(params, err);
    return status == PT_OK && has_kernel && kernel && kernel->joint ? check_joint(ops, err)
                                                                    : status;
}

/* What --scale auto means here, so that the model can tell. A precomputed kernel must reach the
 * machine as it is; for raw rows only the order of numbers counts. */
static pt_status settle_scale(pt_params *params, bool sparse, bool raw, pt_error *err)
{
    const bool precomputed = pt_kernel_is_precomputed(params);
    const char *scale = pt_params_text(params, PT_P_SCALE);
    if (precomputed && strcmp(scale, "auto") != 0 && strcmp(scale, "none") != 0)
        return pt_fail(err, PT_EINVAL, "a precomputed kernel is not scaled; leave --scale out");
    if (strcmp(scale, "auto") != 0)
        return PT_OK;
    return pt_params_set(params, "scale", precomputed || sparse || raw ? "none" : "range", err);
}

/* Missing cells are kept where nothing else is asked for and the machine can see them. */
static pt_status settle_missing(pt_params *params, const pt_machine_ops *ops, pt_error *err)
{
    const bool raw = pt_machine_takes_raw(ops, params);
    if (raw && !pt_params_set_by_user(params, PT_P_MISSING))
        return pt_params_set(params, "missing", "keep", err);
    /* the learner that is named decides */
    const bool by_learner = ops->raw && pt_machine_uses(ops, params, "learner");
    if (!raw && strcmp(pt_params_text(params, PT_P_MISSING), "keep") == 0)
        return pt_fail(err, PT_EINVAL,
                       "--missing keep: %s%s needs a number in every cell; trees and boosting do "
                       "not",
                       by_learner ? "learner " : "",
                       by_learner ? pt_params_text(params, PT_P_LEARNER) : ops->name);
    return PT_OK;
}

/* ---- rows that count ------------------------------------------------------------------------- */

static bool row_counts(const pt_dataset *data, int64_t i)
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
        status = pt_texts_add(&t->warnings, err, "%lld %s left out",
                              (long long)(pt_labels_n_classes(labels) - present),
                              pt_labels_n_classes(labels) - present == 1
                                  ? "class has no row and is"
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
                      "--label the right column?)",
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

/* t->kept <- the rows that count, where some do not, classes are empty, or rows are to be merged.
 * Of sets, rankings and pairs all classes stay: to be in no set is to be told something. */
static pt_status keep_rows(pt_training *t, const pt_dataset *data, bool merge, const pt_task *task,
                           pt_error *err)
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
        if (row_counts(data, i)) {
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
                       : pt_dataset_subset(&t->kept, data, chosen, m, err);
        if (status == PT_OK)
            t->kept->beside = pt_dataset_bytes(data);
        if (status == PT_OK && m < data->n)
            status =
                pt_texts_add(&t->warnings, err, "%lld row%s without label or weight %s left out",
                             (long long)(data->n - m), data->n - m == 1 ? "" : "s",
                             data->n - m == 1 ? "is" : "are");
        if (status == PT_OK && by_class)
            status = drop_empty_classes(t, &t->kept, size, err);
    }
    pt_free(size);
    pt_free(chosen);
    return status;
}

/* ---- weights --------------------------------------------------------------------------------- */

/* "a=2,b=0.5": the weight of each class named; an equals sign in a name: the last one counts.
 * `of_class` comes as zeros, which mean that a class was not named. */
static pt_status parse_class_weights(const char *text, const pt_labels *labels, double *of_class,
                                     pt_error *err)
{
    while (*text) {
        const size_t length = strcspn(text, ",");
        char item[256];
        if (length >= sizeof item)
            return pt_fail(err, PT_EINVAL, "--class-weight: a name is too long");
        memcpy(item, text, length);
        item[length] = '\0';
        char *equals = strrchr(item, '=');
        double value = 0;
        if (!equals || !pt_text_to_real(equals + 1, &value) || !(value > 0) || !isfinite(value))
            return pt_fail(err, PT_EINVAL,
                           "--class-weight: '%s' is not NAME=WEIGHT with a positive weight", item);
        *equals = '\0';
        int64_t r = 0;
        while (r < labels->classes.count && strcmp(labels->classes.items[r], item) != 0)
            r++;
        if (r == labels->classes.count)
            return pt_fail(err, PT_EINVAL, "--class-weight: there is no class '%s'", item);
        if (of_class[r] > 0)
            return pt_fail(err, PT_EINVAL, "--class-weight: class '%s' is there twice", item);
        of_class[r] = value;
        text += length + (text[length] == ',');
    }
    return PT_OK;
}

static pt_status class_weights(const char *text, const pt_labels *labels, const double *given,
                               double *of_class, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(labels);
    for (int64_t r = 0; r < k; r++)
        of_class[r] = 0;
    if (strcmp(text, "balanced") != 0) {
        const pt_status status = parse_class_weights(text, labels, of_class, err);
        for (int64_t r = 0; r < k; r++)
            of_class[r] = of_class[r] > 0 ? of_class[r] : 1;
        return status;
    }
    double all = 0;
    for (int64_t i = 0; i < labels->n; i++) {
        of_class[labels->class_of[i]] += given ? given[i] : 1;
        all += given ? given[i] : 1;
    }
    for (int64_t r = 0; r < k; r++)
        of_class[r] = all / ((double)k * of_class[r]);
    return PT_OK;
}

/* Where labels are not classes, only examples have weights. */
static pt_status weights_of_examples(double **out, const double *given, const pt_labels *labels,
                                     bool by_class, pt_error *err)
{
    if (by_class)
        return pt_fail(err, PT_EINVAL,
                       "--class-weight is for labels of kind 'class'; these are '%s'",
                       pt_label_kind_name(labels->kind));
    double *weight = pt_alloc(labels->n, sizeof(double), "weights", err);
    if (!weight)
        return PT_ENOMEM;
    memcpy(weight, given, (size_t)labels->n * sizeof(double));
    *out = weight;
    return PT_OK;
}

pt_status pt_training_weights(double **out, const double *given, const pt_labels *labels,
                              const pt_params *params, pt_error *err)
{
    const char *text = pt_params_text(params, PT_P_CLASS_WEIGHT);
    const bool by_class = strcmp(text, "none") != 0;
    if (!by_class && !given)
        return PT_OK;
    if (labels->kind != PT_LABEL_CLASS)
        return weights_of_examples(out, given, labels, by_class, err);
    double *of_class = pt_alloc(pt_labels_n_classes(labels), sizeof(double), "weights", err);
    double *weight = pt_alloc(labels->n, sizeof(double), "weights", err);
    pt_status status = of_class && weight ? PT_OK : PT_ENOMEM;
    if (status == PT_OK)
        status = class_weights(by_class ? text : "", labels, given, of_class, err);
    for (int64_t i = 0; i < labels->n && status == PT_OK; i++)
        weight[i] = of_class[labels->class_of[i]] * (given ? given[i] : 1);
    pt_free(of_class);
    if (status == PT_OK)
        *out = weight;
    else
        pt_free(weight);
    return status;
}

static pt_status make_weights(pt_training *t, const pt_dataset *data, pt_error *err)
{
    PT_TRY(pt_training_weights(&t->weight, data->weights, data->labels, t->params, err));
    if (t->weight && !(t->ops->capabilities & PT_CAN_WEIGHTS))
        return pt_fail(err, PT_EINVAL, "%s does not take weights", t->ops->name);
    return PT_OK;
}

/* ---- a kernel on the labels ------------------------------------------------------------------ */

bool pt_label_kernel_is_file(const pt_params *params)
{
    const char *kernel = pt_params_text(params, PT_P_LABEL_KERNEL);
    return strcmp(kernel, "none") != 0 && strcmp(kernel, "rbf") != 0 && strcmp(kernel, "poly") != 0;
}

/* --label-sigma and the like are used by one kernel on the labels each. */
static pt_status check_label_kernel(const pt_params *params, pt_error *err)
{
    static const struct {
        pt_param_id id;
        const char *kernel;
    } used_by[] = {
        {PT_P_LABEL_SIGMA, "rbf"}, {PT_P_LABEL_DEGREE, "poly"}, {PT_P_LABEL_COEF0, "poly"}};
    const char *kernel = pt_params_text(params, PT_P_LABEL_KERNEL);
    for (size_t i = 0; i < sizeof used_by / sizeof *used_by; i++)
        if (pt_params_set_by_user(params, used_by[i].id) && strcmp(kernel, used_by[i].kernel) != 0)
            return pt_fail(err, PT_EINVAL, "--%s is used with --label-kernel %s only",
                           pt_param_name(used_by[i].id), used_by[i].kernel);
    if (pt_label_kernel_is_file(params) && pt_params_set_by_user(params, PT_P_LABELBOOK))
        return pt_fail(err, PT_EINVAL,
                       "--labelbook is not used with the matrix of --label-kernel %s", kernel);
    return PT_OK;
}

static pt_status check_patience(const pt_params *params, pt_error *err)
{
    if (pt_params_set_by_user(params, PT_P_PATIENCE) &&
        !(pt_params_real(params, PT_P_STOP_SHARE) > 0))
        return pt_fail(err, PT_EINVAL, "--patience is used with --stop-share above 0 only");
    return PT_OK;
}

static pt_status read_label_kernel(pt_training *t, const pt_dataset *data, const pt_task *task,
                                   pt_error *err)
{
    const char *kernel = pt_params_text(t->params, PT_P_LABEL_KERNEL);
    if (!pt_label_kernel_is_file(t->params))
        return PT_OK;
    return pt_class_matrix_read(&t->label_gram, kernel, &data->labels->classes, task, err);
}

/* ---- costs ----------------------------------------------------------------------------------- */

bool pt_costs_is_file(const pt_machine_ops *ops, const pt_params *params)
{
    return pt_word_listed(ops->parameters, ',', "costs", strlen("costs")) &&
           strcmp(pt_params_text(params, PT_P_COSTS), "none") != 0;
}

pt_status pt_training_costs(double **out, const pt_machine_ops *ops, const pt_params *params,
                            const pt_texts *classes, const pt_task *task, pt_error *err)
{
    const char *path = pt_params_text(params, PT_P_COSTS);
    if (!pt_costs_is_file(ops, params))
        return PT_OK;
    const pt_status status = pt_class_matrix_read(out, path, classes, task, err);
    for (int64_t r = 0; r < classes->count && status == PT_OK; r++)
        for (int64_t c = 0; c < classes->count; c++) {
            const double cost = (*out)[r * classes->count + c];
            if (cost < 0 || (r == c && cost != 0))
                return pt_fail_at(err, PT_EFORMAT, path, 0, 0,
                                  "the cost of taking class '" PT_SHOWN "' for '" PT_SHOWN
                                  "' is %g; costs are 0 on the diagonal and nowhere negative",
                                  classes->items[r], classes->items[c], cost);
        }
    return status;
}

/* ---- a code for all folds -------------------------------------------------------------------- */

bool pt_code_is_file(const pt_machine_ops *ops, const pt_params *params)
{
    return pt_word_listed(ops->parameters, ',', "code", strlen("code")) &&
           !pt_code_family_find(pt_params_text(params, PT_P_CODE));
}

/* A file that is not there is more often a name that is not known. */
static pt_status tell_codes(const char *name, pt_error *err)
{
    char known[200] = "";
    for (int64_t i = 0; pt_code_families[i]; i++) {
        (void)strncat(known, i ? ", " : "", sizeof known - strlen(known) - 1);
        (void)strncat(known, pt_code_families[i]->name, sizeof known - strlen(known) - 1);
    }
    return pt_fail(err, PT_EINVAL,
                   "--code: '" PT_SHOWN "' is no code and no file that can be read; codes: %s",
                   name, known);
}

/* Whether many codes are drawn: once is enough for all folds and points of a search. */
static bool code_is_drawn(const pt_machine_ops *ops, const pt_params *params)
{
    const pt_code_family *family = pt_code_family_find(pt_params_text(params, PT_P_CODE));
    return pt_word_listed(ops->parameters, ',', "code", strlen("code")) && family &&
           pt_word_listed(family->parameters, ',', "draws", strlen("draws"));
}

static pt_status make_code(pt_training *t, const pt_dataset *data, const pt_task *task,
                           pt_error *err)
{
    const char *name = pt_params_text(t->params, PT_P_CODE);
    const pt_texts *classes = &data->labels->classes;
    const bool file = pt_code_is_file(t->ops, t->params);
    if (!file && !code_is_drawn(t->ops, t->params))
        return PT_OK;
    t->code = pt_alloc_zero(1, sizeof *t->code, "a code", err);
    if (!t->code)
        return PT_ENOMEM;
    if (!file)
        return pt_code_init(t->code, t->params, classes->count, NULL, task, &t->warnings, err);
    const pt_status status = pt_code_read(t->code, NULL, name, classes, task, &t->warnings, err);
    t->code->recipe = pt_code_recipe(t->params, classes->count);
    return status == PT_EIO ? tell_codes(name, err) : status;
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A kind that the machine does not take is refused with the machines that do. */
static pt_status fail_kind(const pt_machine_ops *ops, const pt_dataset *data, pt_error *err)
{
    char can[240] = "";
    for (int64_t i = 0; pt_machines[i]; i++) {
        if (!(pt_machines[i]->label_kinds & 1u << data->labels->kind))
            continue;
        (void)strncat(can, can[0] ? ", " : "", sizeof can - strlen(can) - 1);
        (void)strncat(can, pt_machines[i]->name, sizeof can - strlen(can) - 1);
    }
    return pt_fail_at(err, PT_EINVAL, data->source, 0, 0,
                      "%s does not take labels of kind '%s'; machines that do: %s", ops->name,
                      pt_label_kind_name(data->labels->kind), can);
}

/* Where no machine is named and labels are no classes: least squares as for classes, or with a
 * learner that is named one of each class of a set. */
static pt_status settle_machine(pt_params *params, const pt_labels *labels, pt_error *err)
{
    if (pt_params_set_by_user(params, PT_P_MACHINE) || !labels || labels->kind == PT_LABEL_CLASS)
        return PT_OK;
    const bool by_learner = pt_params_set_by_user(params, PT_P_LEARNER);
    if (pt_params_set_by_user(params, PT_P_CODE) || (by_learner && labels->kind != PT_LABEL_SET))
        return PT_OK; /* the composed machine, which is refused */
    return pt_params_set(params, "machine", by_learner ? "relevance" : "rank-ls", err);
}

static pt_status check_labels(const pt_training *t, const pt_dataset *data, pt_error *err)
{
    if (data->n < 1)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0, "there are no rows");
    if (!data->labels)
        return pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                          "there are no labels; name their column with --label");
    if (!(t->ops->label_kinds & 1u << data->labels->kind))
        return fail_kind(t->ops, data, err);
    if (data->start && !(t->ops->capabilities & PT_CAN_SPARSE))
        return pt_fail_at(err, PT_EINVAL, data->source, 0, 0, "%s does not take sparse data",
                          t->ops->name);
    return PT_OK;
}

static pt_status prepare_rows(pt_training *t, const pt_dataset *data, const pt_task *task,
                              pt_error *err)
{
    const pt_dataset *used = t->kept ? t->kept : data;
    const pt_type type = pt_params_in_double(t->params) ? PT_F64 : PT_F32;
    PT_TRY(
        pt_prepare_fit(&t->prepare, used, t->params, pt_machine_takes_raw(t->ops, t->params), err));
    PT_TRY(pt_prepare_remarks(t->prepare, &t->warnings, err));
    return pt_prepare_apply(t->prepare, used, type, &t->prepared, task, err);
}

void pt_training_drop_cells(pt_training *t)
{
    if (!t->kept)
        return;
    pt_free(t->kept->value);
    t->kept->value = NULL;
}

/* The first row in the order of the file that cannot be prepared is the one to be named. */
static void tell_in_order(pt_training *t, const pt_dataset *data, const pt_task *task,
                          pt_error *err)
{
    pt_error other;
    pt_dataset_free(t->kept);
    pt_prepare_free(t->prepare);
    t->kept = NULL;
    t->prepare = NULL;
    pt_status status = keep_rows(t, data, false, task, &other);
    if (status == PT_OK)
        status = prepare_rows(t, data, task, &other);
    if (err && status != PT_OK)
        *err = other;
}

static pt_status init(pt_training *t, const pt_dataset *data, const pt_params *params, bool merge,
                      const pt_task *task, pt_error *err)
{
    memset(t, 0, sizeof *t);
    pt_status status =
        params ? pt_params_copy(&t->params, params, err) : pt_params_new(&t->params, err);
    if (status != PT_OK)
        return status;
    status = settle_machine(t->params, data->labels, err);
    if (status == PT_OK)
        t->ops = pt_machine_find(pt_params_text(t->params, PT_P_MACHINE));
    if (status == PT_OK && !t->ops)
        status = pt_fail(err, PT_EINVAL, "there is no machine '%s'",
                         pt_params_text(t->params, PT_P_MACHINE));
    if (status == PT_OK)
        status = check_labels(t, data, err);
    if (status == PT_OK)
        status = pt_label_pairs_check(data->labels, data->source, &t->warnings, err);
    if (status == PT_OK)
        status = pt_training_check_params(t->ops, t->params, data->start != NULL, err);
    if (status == PT_OK)
        status = check_label_kernel(t->params, err);
    if (status == PT_OK)
        status = check_patience(t->params, err);
    if (status == PT_OK)
        status = settle_scale(t->params, data->start != NULL,
                              pt_machine_takes_raw(t->ops, t->params), err);
    if (status == PT_OK)
        status = settle_missing(t->params, t->ops, err);
    merge = merge && pt_training_merges(t->params);
    if (status == PT_OK)
        status = keep_rows(t, data, merge, task, err);
    if (status == PT_OK)
        status = prepare_rows(t, data, task, err);
    if (merge && (status == PT_EFORMAT || status == PT_ENUMERIC))
        tell_in_order(t, data, task, err);
    const pt_dataset *used = t->kept ? t->kept : data;
    if (status == PT_OK && t->prepared.rows.d < 1)
        status = pt_fail_at(err, PT_EFORMAT, data->source, 0, 0,
                            "there are no columns beside the label");
    t->row_weight = used->weights;
    if (status == PT_OK)
        status = make_weights(t, used, err);
    if (status == PT_OK)
        status = read_label_kernel(t, used, task, err);
    if (status == PT_OK)
        status = pt_training_costs(&t->costs, t->ops, t->params, &used->labels->classes, task, err);
    if (status == PT_OK)
        status = make_code(t, used, task, err);
    for (int64_t i = 0; status == PT_OK && i < t->prepared.warnings.count; i++)
        status = pt_texts_add(&t->warnings, err, "%s", t->prepared.warnings.items[i]);
    if (status != PT_OK) {
        pt_training_free(t);
        return status;
    }
    t->problem = (pt_problem){.rows = t->prepared.rows,
                              .labels = used->labels,
                              .weight = t->weight,
                              .label_gram = t->label_gram,
                              .code = t->code,
                              .costs = t->costs,
                              .copies = t->copies};
    return PT_OK;
}

pt_status pt_training_init(pt_training *t, const pt_dataset *data, const pt_params *params,
                           const pt_task *task, pt_error *err)
{
    return init(t, data, params, false, task, err);
}

pt_status pt_training_init_merged(pt_training *t, const pt_dataset *data, const pt_params *params,
                                  const pt_task *task, pt_error *err)
{
    return init(t, data, params, true, task, err);
}

pt_status pt_training_resolve(pt_training *t, const pt_task *task, pt_error *err)
{
    const double begin = pt_seconds();
    pt_problem asked = t->problem;
    asked.chosen = &t->chosen;
    const pt_status status =
        t->ops->resolve ? t->ops->resolve(t->params, &asked, task, &t->warnings, err) : PT_OK;
    t->seconds_choosing = pt_seconds() - begin;
    return status;
}
