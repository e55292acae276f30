/* Checkpoints: {"polytomy": "checkpoint", "format": 1, "signature": {...}, "results": {...}}. */
#include "select/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/json.h"
#include "base/task.h"
#include "codes/code.h"
#include "data/read/class_file.h"
#include "machine/training.h"

enum { FORMAT = 1, MOST_BYTES = 1 << 28 };
#define LABEL_MATRIX "label-kernel matrix" /* members of a signature: checksums of files */
#define CODE_MATRIX "code matrix"
#define COST_MATRIX "costs matrix"
#define WRITE_SECONDS 5.0 /* between two writings; what is lost if the machine is switched off */

struct pt_checkpoint {
    char *path;
    json_t *whole;   /* the file */
    json_t *results; /* borrowed from it: lists by name, null where nothing is known */
    pthread_mutex_t lock;
    double written; /* pt_seconds of the last writing */
};

static pt_status fail_json(pt_error *err)
{
    return pt_fail_memory(err, "a checkpoint", 0);
}

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

static uint64_t data_sum(const pt_dataset *data)
{
    const int64_t stored = data->start ? data->start[data->n] : data->n * data->d;
    const pt_labels *labels = data->labels;
    const uint64_t parts[] = {
        (uint64_t)data->n,
        (uint64_t)data->d,
        array_sum(data->value, stored, pt_type_size(data->type)),
        data->start ? array_sum(data->start, data->n + 1, sizeof(int64_t)) : 0,
        data->index ? array_sum(data->index, stored, sizeof(int64_t)) : 0,
        columns_sum(data),
        labels ? labels_sum(labels) : 0,
        labels ? texts_sum(0, &labels->classes) : 0,
        array_sum(data->weights, data->n, sizeof(double)),
    };
    return pt_checksum(parts, sizeof parts);
}

static bool changes_results(pt_param_id id)
{
    const pt_param_group_id group = pt_param_group_of(id);
    return id == PT_P_SEED ||
           (id != PT_P_RESUME && (group == PT_GROUP_MACHINE || group == PT_GROUP_KERNEL ||
                                  group == PT_GROUP_PREPARE || group == PT_GROUP_SEARCH));
}

/* A k x k matrix from a file by its values: the name of the file does not tell them. */
static pt_status sign_matrix(json_t *object, const char *member, const pt_dataset *data,
                             const char *path, pt_error *err)
{
    const int64_t k = pt_labels_n_classes(data->labels);
    double *matrix = NULL;
    const pt_status status = pt_class_matrix_read(&matrix, path, &data->labels->classes, NULL, err);
    if (status != PT_OK)
        return status;
    char sum[20];
    snprintf(sum, sizeof sum, "%016" PRIx64, array_sum(matrix, k * k, sizeof(double)));
    pt_free(matrix);
    return json_object_set_new(object, member, json_string(sum)) == 0 ? PT_OK : fail_json(err);
}

/* Those of --label-kernel FILE and of --costs FILE. */
static pt_status sign_matrices(json_t *object, const pt_dataset *data, const pt_params *params,
                               pt_error *err)
{
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(params, PT_P_MACHINE));
    if (data->labels && pt_label_kernel_is_file(params))
        PT_TRY(sign_matrix(object, LABEL_MATRIX, data, pt_params_text(params, PT_P_LABEL_KERNEL),
                           err));
    if (data->labels && ops && pt_costs_is_file(ops, params))
        PT_TRY(sign_matrix(object, COST_MATRIX, data, pt_params_text(params, PT_P_COSTS), err));
    return PT_OK;
}

/* The code of --code FILE, in the same way. */
static pt_status sign_code(json_t *object, const pt_dataset *data, const pt_params *params,
                           pt_error *err)
{
    const pt_machine_ops *ops = pt_machine_find(pt_params_text(params, PT_P_MACHINE));
    if (!data->labels || !ops || !pt_code_is_file(ops, params))
        return PT_OK;
    PT_FREED_BY(pt_code_free) pt_code code = {0};
    PT_TRY(pt_code_read(&code, NULL, pt_params_text(params, PT_P_CODE), &data->labels->classes,
                        NULL, NULL, err));
    char sum[20];
    snprintf(sum, sizeof sum, "%016" PRIx64, array_sum(code.M, code.k * code.ell, 1));
    return json_object_set_new(object, CODE_MATRIX, json_string(sum)) == 0 ? PT_OK : fail_json(err);
}

/* Adds every parameter that can change a result, by name. */
static pt_status sign_machine(json_t *list, const pt_dataset *data, const pt_params *params,
                              pt_error *err)
{
    json_t *object = json_object();
    if (!object || json_array_append_new(list, object) != 0)
        return fail_json(err);
    for (int id = 0; id < PT_N_PARAMS; id++)
        if (changes_results((pt_param_id)id) &&
            json_object_set_new(object, pt_param_name(id),
                                pt_json_text(pt_params_text(params, (pt_param_id)id), err)) != 0)
            return fail_json(err);
    const pt_status status = sign_matrices(object, data, params, err);
    return status == PT_OK ? sign_code(object, data, params, err) : status;
}

static pt_status sign(json_t **out, const char *what, const pt_dataset *data,
                      const pt_params *const *machines, int64_t n_machines, pt_error *err)
{
    char sum[20];
    snprintf(sum, sizeof sum, "%016" PRIx64, data_sum(data));
    json_t *list = json_array();
    pt_status status = list ? PT_OK : fail_json(err);
    for (int64_t m = 0; m < n_machines && status == PT_OK; m++)
        status = sign_machine(list, data, machines[m], err);
    if (status == PT_OK) {
        *out = json_pack("{s:s, s:s, s:s, s:O}", "command", what, "version", pt_version(), "data",
                         sum, "machines", list);
        status = *out ? PT_OK : fail_json(err);
    }
    json_decref(list);
    return status;
}

/* ---- another signature ----------------------------------------------------------------------- */

static pt_status refuse(pt_error *err, const char *path, const char *why)
{
    return pt_fail_at(err, PT_EINVAL, path, 0, 0,
                      "%s; give --resume another file, or remove this one", why);
}

/* Compares one text of the signatures; `what` is how it is called. */
static pt_status same_text(const json_t *there, const json_t *here, const char *name,
                           const char *what, const char *path, pt_error *err)
{
    const json_t *a = json_object_get(there, name);
    const json_t *b = json_object_get(here, name);
    char why[300];
    if (a == b || json_equal(a, b)) /* both may be absent */
        return PT_OK;
    if (json_is_string(a) && json_is_string(b))
        snprintf(why, sizeof why, "it is of another search: its %s is '%.80s', here it is '%.80s'",
                 what, json_string_value(a), json_string_value(b));
    else
        snprintf(why, sizeof why, "it is of another search: its %s differs", what);
    return refuse(err, path, why);
}

static pt_status same_machine(const json_t *there, const json_t *here, int64_t number,
                              const char *path, pt_error *err)
{
    for (int id = 0; id < PT_N_PARAMS; id++) {
        char what[80];
        if (number > 0)
            snprintf(what, sizeof what, "%s of machine %lld", pt_param_name(id), (long long)number);
        else
            snprintf(what, sizeof what, "%s", pt_param_name(id));
        PT_TRY(same_text(there, here, pt_param_name(id), what, path, err));
    }
    PT_TRY(same_text(there, here, LABEL_MATRIX, LABEL_MATRIX, path, err));
    PT_TRY(same_text(there, here, COST_MATRIX, COST_MATRIX, path, err));
    return same_text(there, here, CODE_MATRIX, CODE_MATRIX, path, err);
}

static pt_status same_signature(const json_t *there, const json_t *here, const char *path,
                                pt_error *err)
{
    pt_status status = same_text(there, here, "command", "command", path, err);
    if (status == PT_OK)
        status = same_text(there, here, "version", "version", path, err);
    if (status != PT_OK)
        return status;
    if (!json_equal(json_object_get(there, "data"), json_object_get(here, "data")))
        return refuse(err, path, "it is of other data: rows, labels or columns differ");
    const json_t *a = json_object_get(there, "machines");
    const json_t *b = json_object_get(here, "machines");
    if (!json_is_array(a) || json_array_size(a) != json_array_size(b))
        return refuse(err, path, "it is of another search, with another number of machines");
    const size_t n = json_array_size(b);
    for (size_t m = 0; m < n && status == PT_OK; m++)
        status = same_machine(json_array_get(a, m), json_array_get(b, m),
                              n > 1 ? (int64_t)m + 1 : 0, path, err);
    if (status == PT_OK && !json_equal(there, here)) /* members that this version has not */
        return refuse(err, path, "it is of another search");
    return status;
}

/* ---- the file -------------------------------------------------------------------------------- */

static pt_status fail_read(pt_error *err, const char *path)
{
    return pt_fail_at(err, PT_EIO, path, 0, 0, "cannot read: %s", strerror(errno));
}

/* The bytes of a file, ended by 0; *out stays NULL where it does not exist or is empty. */
static pt_status read_bytes(char **out, size_t *size, const char *path, pt_error *err)
{
    struct stat there;
    if (stat(path, &there) != 0)
        return errno == ENOENT ? PT_OK : fail_read(err, path);
    if (!S_ISREG(there.st_mode))
        return pt_fail_at(err, PT_EIO, path, 0, 0, "it is not a plain file");
    if (there.st_size > MOST_BYTES)
        return pt_fail_at(err, PT_EFORMAT, path, 0, 0, "it is too large for a checkpoint");
    if (there.st_size == 0)
        return PT_OK;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return fail_read(err, path);
    char *bytes = pt_alloc((int64_t)there.st_size, 1, "a checkpoint", err);
    pt_status status = bytes ? PT_OK : PT_ENOMEM;
    size_t used = 0;
    while (status == PT_OK && used < (size_t)there.st_size) {
        const ssize_t got = read(file, bytes + used, (size_t)there.st_size - used);
        if (got < 0 && errno != EINTR)
            status = fail_read(err, path);
        if (got == 0)
            break;
        used += got > 0 ? (size_t)got : 0;
    }
    close(file);
    if (status != PT_OK) {
        pt_free(bytes);
        return status;
    }
    *out = bytes;
    *size = used;
    return PT_OK;
}

static pt_status parse(json_t **out, const char *bytes, size_t size, const char *path,
                       pt_error *err)
{
    json_error_t where;
    json_t *whole = NULL;
    pt_status status = pt_json_parse(&whole, bytes, size, &where, err);
    if (status == PT_EFORMAT)
        return pt_fail_at(err, PT_EFORMAT, path, where.line > 0 ? where.line : 0,
                          where.column > 0 ? where.column : 0, "it is not a checkpoint: %.100s",
                          where.text);
    if (status != PT_OK)
        return status;
    const char *kind = json_string_value(json_object_get(whole, "polytomy"));
    if (!kind || strcmp(kind, "checkpoint") != 0 ||
        !json_is_object(json_object_get(whole, "results")))
        status = pt_fail_at(err, PT_EFORMAT, path, 0, 0, "it is not a checkpoint");
    else if (json_integer_value(json_object_get(whole, "format")) != FORMAT)
        status = pt_fail_at(err, PT_EFORMAT, path, 0, 0,
                            "it is a checkpoint of another format; this version knows format %d",
                            FORMAT);
    if (status != PT_OK) {
        json_decref(whole);
        return status;
    }
    *out = whole;
    return PT_OK;
}

/* cp->whole <- what the file holds, if it is of the same work; nothing where there is no file. */
static pt_status load(pt_checkpoint *cp, const json_t *signature, pt_error *err)
{
    char *bytes = NULL;
    size_t size = 0;
    json_t *whole = NULL;
    pt_status status = read_bytes(&bytes, &size, cp->path, err);
    if (status == PT_OK && bytes)
        status = parse(&whole, bytes, size, cp->path, err);
    pt_free(bytes);
    if (status == PT_OK && whole)
        status = same_signature(json_object_get(whole, "signature"), signature, cp->path, err);
    if (status != PT_OK) {
        json_decref(whole);
        return status;
    }
    cp->whole = whole;
    return PT_OK;
}

static pt_status save(pt_checkpoint *cp, pt_error *err)
{
    char *text = NULL;
    pt_outfile *file = NULL;
    pt_status status = pt_json_dump(cp->whole, JSON_COMPACT, &text, err);
    if (status == PT_OK)
        status = pt_outfile_open(&file, cp->path, err);
    if (status == PT_OK) {
        status = pt_outfile_write(file, text, strlen(text), err);
        if (status == PT_OK)
            status = pt_outfile_commit(file, err);
        else
            pt_outfile_abandon(file);
    }
    pt_free(text);
    cp->written = pt_seconds();
    return status;
}

/* ---- open and close -------------------------------------------------------------------------- */

static void checkpoint_free(pt_checkpoint *cp)
{
    json_decref(cp->whole);
    pthread_mutex_destroy(&cp->lock);
    pt_free(cp->path);
    pt_free(cp);
}

pt_status pt_checkpoint_open(pt_checkpoint **out, const char *what, const pt_dataset *data,
                             const pt_params *const *machines, int64_t n_machines, pt_error *err)
{
    const char *path = pt_params_text(machines[0], PT_P_RESUME);
    *out = NULL;
    if (!*path)
        return PT_OK;
    pt_checkpoint *cp = pt_alloc_zero(1, sizeof *cp, "a checkpoint", err);
    if (!cp)
        return PT_ENOMEM;
    pthread_mutex_init(&cp->lock, NULL);
    cp->path = pt_alloc_text(path, err);
    json_t *signature = NULL;
    pt_status status =
        cp->path ? sign(&signature, what, data, machines, n_machines, err) : PT_ENOMEM;
    if (status == PT_OK)
        status = load(cp, signature, err);
    if (status == PT_OK && !cp->whole) {
        cp->whole = json_pack("{s:s, s:i, s:O, s:{}}", "polytomy", "checkpoint", "format", FORMAT,
                              "signature", signature, "results");
        status = cp->whole ? save(cp, err) : fail_json(err); /* a name that cannot be written is
                                                                told before hours of work */
    }
    json_decref(signature);
    if (status != PT_OK) {
        checkpoint_free(cp);
        return status;
    }
    cp->results = json_object_get(cp->whole, "results");
    cp->written = pt_seconds();
    *out = cp;
    return PT_OK;
}

pt_status pt_checkpoint_close(pt_checkpoint *cp, pt_status status, pt_task *task, pt_error *err)
{
    if (!cp)
        return status;
    pt_error why;
    const pt_status saved = save(cp, &why);
    if (status == PT_OK && saved != PT_OK) {
        status = pt_task_lost(task, cp->path, &why, err);
    } else if ((status == PT_ECANCELLED || status == PT_ELIMIT) && err) {
        char text[PT_ERROR_TEXT];
        memcpy(text, err->text, sizeof text);
        if (saved == PT_OK)
            status =
                pt_fail(err, status,
                        "%.200s; '%.200s' keeps what is done: the same command goes on from there",
                        text, cp->path);
        else
            status = pt_fail(err, status, "%.200s; '%.200s' is not written: %.200s", text, cp->path,
                             why.text);
    }
    checkpoint_free(cp);
    return status;
}

/* ---- lists ----------------------------------------------------------------------------------- */

static json_t *entry(const pt_checkpoint *cp, const char *list, int64_t index)
{
    json_t *value = json_array_get(json_object_get(cp->results, list), (size_t)index);
    return json_is_null(value) ? NULL : value;
}

static pt_status fail_entry(pt_error *err, const pt_checkpoint *cp, const char *list, int64_t index)
{
    return pt_fail_at(err, PT_EFORMAT, cp->path, 0, 0,
                      "entry %lld of the list '%s' is wrong; remove the file to begin again",
                      (long long)index, list);
}

pt_status pt_checkpoint_number(pt_checkpoint *cp, const char *list, int64_t index, int64_t least,
                               int64_t most, bool *known, int64_t *value, pt_error *err)
{
    *known = false;
    if (!cp)
        return PT_OK;
    pthread_mutex_lock(&cp->lock);
    const json_t *number = entry(cp, list, index);
    const bool there = number != NULL;
    const bool right = json_is_integer(number) && json_integer_value(number) >= least &&
                       json_integer_value(number) <= most;
    if (right)
        *value = json_integer_value(number);
    pthread_mutex_unlock(&cp->lock);
    *known = right;
    return there && !right ? fail_entry(err, cp, list, index) : PT_OK;
}

pt_status pt_checkpoint_text(pt_checkpoint *cp, const char *list, int64_t index, bool *known,
                             char **text, pt_error *err)
{
    *known = false;
    if (!cp)
        return PT_OK;
    pt_status status = PT_OK;
    pthread_mutex_lock(&cp->lock);
    const json_t *value = entry(cp, list, index);
    if (value) {
        status = pt_json_get_text(value, list, text, err);
        *known = status == PT_OK;
    }
    pthread_mutex_unlock(&cp->lock);
    return status;
}

/* Takes `value`, which may be NULL: no memory. */
static pt_status put(pt_checkpoint *cp, const char *list, int64_t index, json_t *value,
                     pt_error *err)
{
    json_t *array = json_object_get(cp->results, list);
    if (value && !json_is_array(array)) {
        array = json_array();
        if (!array || json_object_set_new(cp->results, list, array) != 0)
            array = NULL;
    }
    bool good = array && value;
    while (good && json_array_size(array) <= (size_t)index)
        good = json_array_append_new(array, json_null()) == 0;
    if (!good || json_array_set(array, (size_t)index, value) != 0) {
        json_decref(value);
        return fail_json(err);
    }
    json_decref(value);
    pt_error why;
    if (pt_seconds() - cp->written > WRITE_SECONDS)
        (void)save(cp, &why); /* a full disk may have room later; the last time tells */
    return PT_OK;
}

pt_status pt_checkpoint_put_number(pt_checkpoint *cp, const char *list, int64_t index,
                                   int64_t value, pt_error *err)
{
    if (!cp)
        return PT_OK;
    pthread_mutex_lock(&cp->lock);
    const pt_status status = put(cp, list, index, json_integer(value), err);
    pthread_mutex_unlock(&cp->lock);
    return status;
}

pt_status pt_checkpoint_put_text(pt_checkpoint *cp, const char *list, int64_t index,
                                 const char *text, pt_error *err)
{
    if (!cp)
        return PT_OK;
    pthread_mutex_lock(&cp->lock);
    const pt_status status = put(cp, list, index, pt_json_text(text, err), err);
    pthread_mutex_unlock(&cp->lock);
    return status;
}
