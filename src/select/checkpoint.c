/* Checkpoints of searches, in the container of models: three lists of texts.
 *
 *   c.signature   names and values in turn: command, version, data, and every parameter of every
 *                 machine, where there are several "ridge of machine 2"
 *   c.names       "LIST[INDEX]" of each result
 *   c.values      the results: texts, numbers with all their digits
 *
 * A file may come from a stranger: texts are read as they are, numbers are checked. */
#include "select/checkpoint.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/task.h"
#include "codes/code.h"
#include "data/read/class_file.h"
#include "data/read/intern.h"
#include "machine/training.h"
#include "store/pack.h"

#define WRITE_SECONDS 5.0 /* between two writings; what is lost if the machine is switched off */

struct pt_checkpoint {
    char *path;
    pt_texts signature;
    pt_intern names; /* of results: number i is that of value i */
    pt_texts values;
    pthread_mutex_t lock;
    double written; /* pt_seconds of the last writing */
};

/* ---- the signature --------------------------------------------------------------------------- */

static uint64_t texts_sum(uint64_t sum, const pt_texts *texts)
{
    for (int64_t i = 0; i < texts->count; i++) {
        const uint64_t both[2] = {sum, pt_checksum(texts->items[i], strlen(texts->items[i]))};
        sum = pt_checksum(both, sizeof both);
    }
    return sum;
}

static uint64_t array_sum(const void *array, int64_t count, size_t size)
{
    return array ? pt_checksum(array, (size_t)count * size) : 0;
}

/* Names and levels of the columns, in order. */
static uint64_t columns_sum(const pt_dataset *data)
{
    uint64_t sum = 0;
    for (int64_t j = 0; data->columns && j < data->d; j++) {
        const pt_column *column = &data->columns[j];
        const char *name = column->name ? column->name : "";
        const uint64_t three[3] = {sum, pt_checksum(name, strlen(name)), column->nominal};
        sum = texts_sum(pt_checksum(three, sizeof three), &column->levels);
    }
    return sum;
}

/* Labels of any kind. Classes alone: what checkpoints had before there were others. */
static uint64_t labels_sum(const pt_labels *labels)
{
    if (labels->kind == PT_LABEL_CLASS)
        return array_sum(labels->class_of, labels->n, sizeof(int64_t));
    const int64_t items = labels->start[labels->n];
    const uint64_t parts[] = {
        (uint64_t)labels->kind,
        array_sum(labels->start, labels->n + 1, sizeof(int64_t)),
        array_sum(labels->item, items, sizeof(int64_t)),
        labels->rank ? array_sum(labels->rank, items, sizeof(int64_t)) : 0,
    };
    return pt_checksum(parts, sizeof parts);
}

/* Of rows that do not lie one behind the other, as they were given. */
static uint64_t cells_sum(const pt_dataset *data)
{
    uint64_t sum[2] = {0, 0};
    for (int64_t i = 0; i < data->n; i++)
        for (int64_t j = 0; j < data->d; j++) {
            const double x = pt_dataset_dense_cell(data, i, j);
            memcpy(&sum[1], &x, sizeof x);
            sum[0] = pt_checksum(sum, sizeof sum);
        }
    return sum[0];
}

static uint64_t data_sum(const pt_dataset *data)
{
    const int64_t stored = pt_dataset_stored(data);
    const pt_labels *labels = data->labels;
    const uint64_t parts[] = {
        (uint64_t)data->n,
        (uint64_t)data->d,
        data->start || pt_dataset_is_plain(data)
            ? array_sum(data->value, stored, pt_type_size(data->type))
            : cells_sum(data),
        data->start ? array_sum(data->start, data->n + 1, sizeof(int64_t)) : 0,
        data->index ? array_sum(data->index, stored, sizeof(int64_t)) : 0,
        columns_sum(data),
        labels ? labels_sum(labels) : 0,
        labels ? texts_sum(0, &labels->classes) : 0,
        array_sum(data->weights, data->n, sizeof(double)),
    };
    const uint64_t sum = pt_checksum(parts, sizeof parts);
    if (!data->group && !data->fold &&
        !data->time) /* what checkpoints had before there were such */
        return sum;
    const uint64_t ties[] = {
        sum,
        array_sum(data->group, data->n, sizeof(int64_t)),
        (uint64_t)data->fold_columns,
        array_sum(data->fold, data->n * data->fold_columns, sizeof(int64_t)),
    };
    const uint64_t with = data->group || data->fold ? pt_checksum(ties, sizeof ties) : sum;
    const uint64_t timed[] = {with, array_sum(data->time, data->n, sizeof(double))};
    return data->time ? pt_checksum(timed, sizeof timed) : with;
}

static bool changes_results(pt_param_id id)
{
    const pt_param_group_id group = pt_param_group_of(id);
    return id == PT_P_SEED ||
           (id != PT_P_RESUME && (group == PT_GROUP_MACHINE || group == PT_GROUP_KERNEL ||
                                  group == PT_GROUP_PREPARE || group == PT_GROUP_SEARCH));
}

/* A name, with its machine where there are several (number 0: there is one), and a value. */
static pt_status sign(pt_texts *signature, const char *name, int64_t number, const char *value,
                      pt_error *err)
{
    PT_TRY(number > 0 ? pt_texts_add(signature, err, "%s of machine %lld", name, (long long)number)
                      : pt_texts_add(signature, err, "%s", name));
    return pt_texts_add(signature, err, "%s", value);
}

static pt_status sign_sum(pt_texts *signature, const char *name, int64_t number, uint64_t sum,
                          pt_error *err)
{
    char text[20];
    snprintf(text, sizeof text, "%016" PRIx64, sum);
    return sign(signature, name, number, text, err);
}

/* A k x k matrix from a file by its values: the name of the file does not tell them. */
static pt_status sign_matrix(pt_texts *signature, const char *name, int64_t number,
                             const pt_texts *classes, const pt_params *params, pt_param_id id,
                             pt_error *err)
{
    PT_SCRATCH double *matrix = NULL;
    PT_TRY(pt_class_matrix_of(&matrix, params, id, classes, NULL, err));
    return sign_sum(signature, name, number,
                    array_sum(matrix, classes->count * classes->count, sizeof(double)), err);
}

/* Every parameter that can change a result; of those that name a file, what is in it. */
static pt_status sign_machine(pt_texts *signature, const pt_dataset *data, const pt_params *params,
                              int64_t number, pt_error *err)
{
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(params, PT_P_MACHINE));
    for (int id = 0; id < PT_N_PARAMS; id++)
        if (changes_results((pt_param_id)id))
            PT_TRY(sign(signature, pt_param_name(id), number,
                        pt_params_text(params, (pt_param_id)id), err));
    if (!data->labels)
        return PT_OK;
    const pt_texts *classes = &data->labels->classes;
    if (pt_label_kernel_is_file(params))
        PT_TRY(sign_matrix(signature, "label-kernel matrix", number, classes, params,
                           PT_P_LABEL_KERNEL, err));
    const bool chosen_by = pt_params_choose_by_costs(params) &&
                           strcmp(pt_params_text(params, PT_P_COSTS), "none") != 0;
    if (ops && (chosen_by || pt_costs_is_file(ops, params)))
        PT_TRY(sign_matrix(signature, "costs matrix", number, classes, params, PT_P_COSTS, err));
    if (ops && pt_code_is_file(ops, params)) {
        PT_FREED_BY(pt_code_free) pt_code code = {0};
        PT_TRY(pt_code_of(&code, NULL, params, classes, NULL, NULL, err));
        PT_TRY(sign_sum(signature, "code matrix", number, array_sum(code.M, code.k * code.ell, 1),
                        err));
    }
    return PT_OK;
}

static pt_status sign_work(pt_texts *signature, const char *what, const pt_dataset *data,
                           const pt_params *const *machines, int64_t n_machines, pt_error *err)
{
    PT_TRY(sign(signature, "command", 0, what, err));
    PT_TRY(sign(signature, "version", 0, pt_version(), err));
    PT_TRY(sign_sum(signature, "data", 0, data_sum(data), err));
    for (int64_t m = 0; m < n_machines; m++)
        PT_TRY(sign_machine(signature, data, machines[m], n_machines > 1 ? m + 1 : 0, err));
    return PT_OK;
}

/* Names stand in one order, so that the first pair that differs is the reason. A name that only one
 * of them has is that of a matrix from a file, or of another number of machines. */
static pt_status same_signature(const pt_texts *there, const pt_texts *here, const char *path,
                                pt_error *err)
{
    static const char REMEDY[] = "give `resume` another file, or remove this one";
    for (int64_t i = 0; i + 1 < here->count || i + 1 < there->count; i += 2) {
        const char *name = pt_texts_get(here, i) ? here->items[i] : there->items[i];
        const char *a = pt_texts_get(there, i + 1);
        const char *b = pt_texts_get(here, i + 1);
        if (a && b && strcmp(there->items[i], name) == 0) {
            if (strcmp(a, b) == 0)
                continue;
            if (strcmp(name, "data") == 0)
                return pt_fail_at(err, PT_EINVAL, path, 0, 0,
                                  "it is of other data: rows, labels, columns, groups or folds "
                                  "differ; %-s",
                                  REMEDY);
            return pt_fail_at(err, PT_EINVAL, path, 0, 0,
                              "it is of another search: its %.80s is '%.80s', here it is '%.80s'; "
                              "%-s",
                              name, a, b, REMEDY);
        }
        return pt_fail_at(err, PT_EINVAL, path, 0, 0,
                          "it is of another search, with other machines or parameters (%.80s); %-s",
                          name, REMEDY);
    }
    return PT_OK;
}

/* ---- the file -------------------------------------------------------------------------------- */

/* What the file holds, if it is of the same work; nothing where there is none, or an empty one. */
static pt_status load(pt_checkpoint *cp, bool *there, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *file = NULL;
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    PT_FREED_BY(pt_texts_free) pt_texts signature = {0};
    PT_FREED_BY(pt_texts_free) pt_texts names = {0};
    struct stat found;
    *there = stat(cp->path, &found) == 0 && (!S_ISREG(found.st_mode) || found.st_size > 0);
    if (!*there)
        return PT_OK;
    const pt_status opened = pt_container_open(&file, cp->path, err);
    if (opened == PT_EFORMAT)
        return pt_fail_at(err, PT_EFORMAT, cp->path, 0, 0,
                          "it is not a checkpoint of this version, or it is damaged; give `resume` "
                          "another file, or remove this one");
    PT_TRY(opened);
    PT_TRY(pt_pack_read(&pack, file, "c.", err));
    static const char *const LISTS[] = {"signature", "names", "values"};
    pt_texts *const to[] = {&signature, &names, &cp->values};
    pt_status status = pt_container_count(file) == 3 ? PT_OK : PT_EFORMAT;
    for (int i = 0; i < 3 && status == PT_OK; i++)
        status = pt_pack_find_texts(to[i], &pack, LISTS[i], err);
    if (status == PT_EFORMAT)
        return pt_fail_at(err, PT_EFORMAT, cp->path, 0, 0, "it is not a checkpoint of a search");
    PT_TRY(status);
    PT_TRY(same_signature(&signature, &cp->signature, cp->path, err));
    const pt_status filled = pt_intern_fill(&cp->names, &names, err);
    if (filled == PT_EINVAL || names.count != cp->values.count)
        return pt_fail_at(err, PT_EFORMAT, cp->path, 0, 0,
                          "it is damaged: not one value for each result");
    return filled;
}

static pt_status save(pt_checkpoint *cp, pt_error *err)
{
    PT_FREED_BY(pt_pack_free) pt_pack pack = {0};
    cp->written = pt_seconds();
    PT_TRY(pt_pack_begin(&pack, err));
    PT_TRY(pt_pack_add_texts(&pack, "signature", &cp->signature, err));
    PT_TRY(pt_pack_add_texts(&pack, "names", &cp->names.texts, err));
    PT_TRY(pt_pack_add_texts(&pack, "values", &cp->values, err));
    return pt_packs_write(cp->path, &(pt_packed){"c.", &pack}, 1, err);
}

/* ---- open and close -------------------------------------------------------------------------- */

static void checkpoint_free(pt_checkpoint *cp)
{
    pt_texts_free(&cp->signature);
    pt_intern_free(&cp->names);
    pt_texts_free(&cp->values);
    pthread_mutex_destroy(&cp->lock);
    pt_free(cp->path);
    pt_free(cp);
}

static pt_status begin(pt_checkpoint *cp, const char *path, const char *what,
                       const pt_dataset *data, const pt_params *const *machines, int64_t n_machines,
                       pt_error *err)
{
    bool there = false;
    cp->path = pt_alloc_text(path, err);
    if (!cp->path)
        return PT_ENOMEM;
    PT_TRY(sign_work(&cp->signature, what, data, machines, n_machines, err));
    PT_TRY(load(cp, &there, err));
    cp->written = pt_seconds();
    return there ? PT_OK : save(cp, err); /* a name that cannot be written is reported before hours
                                             of work */
}

pt_status pt_checkpoint_open(pt_checkpoint **out, const char *what, const pt_dataset *data,
                             const pt_params *const *machines, int64_t n_machines, pt_error *err)
{
    const char *path = pt_params_text(machines[0], PT_P_RESUME);
    pt_checkpoint *cp = NULL;
    *out = NULL;
    if (!*path)
        return PT_OK;
    PT_TRY(PT_NEW_ZERO(cp, 1, "a checkpoint", err));
    pthread_mutex_init(&cp->lock, NULL);
    const pt_status status = begin(cp, path, what, data, machines, n_machines, err);
    if (status == PT_OK)
        *out = cp;
    else
        checkpoint_free(cp);
    return status;
}

pt_status pt_checkpoint_close(pt_checkpoint *cp, pt_status status, pt_task *task, pt_error *err)
{
    if (!cp)
        return status;
    pt_error why = PT_ERROR_INIT;
    const pt_status saved = save(cp, &why);
    if (status == PT_OK && saved != PT_OK) {
        status = pt_task_lost(task, cp->path, &why, err);
    } else if ((status == PT_ECANCELLED || pt_is_limit(status)) && err) {
        char text[PT_ERROR_TEXT];
        memcpy(text, err->text, sizeof text);
        if (saved == PT_OK)
            status =
                pt_fail(err, status,
                        "%-.200s; '%.200s' keeps what is done: the same command goes on from there",
                        text, cp->path);
        else
            status = pt_fail(err, status, "%-.200s; '%.200s' is not written: %-.200s", text,
                             cp->path, why.text);
    }
    checkpoint_free(cp);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

enum { NAME_ROOM = 192 };

static size_t name_of(char name[NAME_ROOM], const char *list, int64_t index)
{
    return (size_t)snprintf(name, NAME_ROOM, "%.150s[%lld]", list, (long long)index);
}

pt_status pt_checkpoint_text(pt_checkpoint *cp, const char *list, int64_t index, bool *known,
                             char **text, pt_error *err)
{
    char name[NAME_ROOM];
    const size_t length = name_of(name, list, index);
    *known = false;
    if (!cp)
        return PT_OK;
    pthread_mutex_lock(&cp->lock);
    const int64_t number = pt_intern_find(&cp->names, name, length);
    if (number >= 0)
        *text = pt_alloc_text(cp->values.items[number], err);
    pthread_mutex_unlock(&cp->lock);
    *known = number >= 0 && *text;
    return number >= 0 && !*text ? PT_ENOMEM : PT_OK;
}

static pt_status fail_entry(pt_error *err, const pt_checkpoint *cp, const char *list, int64_t index)
{
    return pt_fail_at(err, PT_EFORMAT, cp->path, 0, 0,
                      "entry %lld of the list '%s' is wrong; remove the file to begin again",
                      (long long)index, list);
}

pt_status pt_checkpoint_real(pt_checkpoint *cp, const char *list, int64_t index, double least,
                             double most, bool *known, double *value, pt_error *err)
{
    PT_SCRATCH char *text = NULL;
    double read = 0;
    PT_TRY(pt_checkpoint_text(cp, list, index, known, &text, err));
    if (!*known)
        return PT_OK;
    *known = pt_text_to_real(text, &read) && read >= least && read <= most;
    *value = *known ? read : *value;
    return *known ? PT_OK : fail_entry(err, cp, list, index);
}

pt_status pt_checkpoint_number(pt_checkpoint *cp, const char *list, int64_t index, int64_t least,
                               int64_t most, bool *known, int64_t *value, pt_error *err)
{
    PT_SCRATCH char *text = NULL;
    int64_t read = 0;
    PT_TRY(pt_checkpoint_text(cp, list, index, known, &text, err));
    if (!*known)
        return PT_OK;
    *known = pt_text_to_integer(text, &read) && read >= least && read <= most;
    *value = *known ? read : *value;
    return *known ? PT_OK : fail_entry(err, cp, list, index);
}

/* Either both lists grow or none: what is saved has a value for each name. */
static pt_status put(pt_checkpoint *cp, const char *list, int64_t index, const char *text,
                     pt_error *err)
{
    char name[NAME_ROOM];
    int64_t number = 0;
    const size_t length = name_of(name, list, index);
    const int64_t known = pt_intern_find(&cp->names, name, length);
    if (known >= 0)
        return pt_texts_set(&cp->values, known, text, err);
    PT_TRY(pt_texts_add(&cp->values, err, "%s", text));
    const pt_status status = pt_intern_add(&cp->names, name, length, &number, err);
    if (status != PT_OK)
        cp->values.count--;
    return status;
}

pt_status pt_checkpoint_put_text(pt_checkpoint *cp, const char *list, int64_t index,
                                 const char *text, pt_error *err)
{
    pt_error why = PT_ERROR_INIT;
    if (!cp)
        return PT_OK;
    pthread_mutex_lock(&cp->lock);
    const pt_status status = put(cp, list, index, text, err);
    if (status == PT_OK && pt_seconds() - cp->written > WRITE_SECONDS)
        (void)save(cp, &why); /* a full disk may have room later; the last time tells */
    pthread_mutex_unlock(&cp->lock);
    return status;
}

pt_status pt_checkpoint_put_real(pt_checkpoint *cp, const char *list, int64_t index, double value,
                                 pt_error *err)
{
    char text[PT_REAL_ROOM];
    pt_real_to_text(value, text);
    return pt_checkpoint_put_text(cp, list, index, text, err);
}

pt_status pt_checkpoint_put_number(pt_checkpoint *cp, const char *list, int64_t index,
                                   int64_t value, pt_error *err)
{
    char text[24];
    snprintf(text, sizeof text, "%lld", (long long)value);
    return pt_checkpoint_put_text(cp, list, index, text, err);
}
