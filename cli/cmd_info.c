/* polytomy info: what is in a model file or a data file. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"all", 0, NULL, "of a model, with --json: all its arrays"},
    {NULL, 0, NULL, NULL},
};

enum { CLASSES_SHOWN = 20, ITEMS_SHOWN = 12 };

/* ---- models: the metadata, whatever is in it ------------------------------------------------- */

/* Names that are not UTF-8 are kept as {"bytes": "hexadecimal"}; NULL: it is no such name. */
static const char *hex_of(const json_t *value)
{
    return json_object_size(value) == 1 ? json_string_value(json_object_get(value, "bytes")) : NULL;
}

static void print_bytes(const char *hex)
{
    char *text = cli_alloc((int64_t)strlen(hex) / 2 + 1, 1);
    char *end = text;
    for (; hex[0] && hex[1]; hex += 2) {
        const char pair[3] = {hex[0], hex[1]};
        *end++ = (char)strtol(pair, NULL, 16);
    }
    *end = '\0';
    cli_put_safe(stdout, text);
    free(text);
}

static void print_scalar(const json_t *value)
{
    if (hex_of(value))
        print_bytes(hex_of(value));
    else if (json_is_string(value))
        cli_put_safe(stdout, json_string_value(value));
    else if (json_is_integer(value))
        printf("%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        printf("%.6g", json_real_value(value));
    else
        printf("%s", json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "-");
}

static bool is_scalar(const json_t *value)
{
    return hex_of(value) || (!json_is_object(value) && !json_is_array(value));
}

static void print_list(const cli_context *context, const json_t *list)
{
    const size_t n = json_array_size(list);
    const size_t shown = context->verbose || n <= ITEMS_SHOWN ? n : ITEMS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        printf("%s", i ? ", " : "");
        print_scalar(json_array_get(list, i));
    }
    if (shown < n)
        printf(", ... (%zu in all)", n);
}

static bool all_scalars(const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (!is_scalar(json_array_get(list, i)))
            return false;
    return true;
}

static void print_member(const cli_context *context, const char *name, const json_t *value,
                         int depth);

static void print_members(const cli_context *context, const json_t *object, int depth)
{
    json_t *members = (json_t *)object; /* jansson's iterators ask for a changeable one */
    for (void *at = json_object_iter(members); at; at = json_object_iter_next(members, at))
        print_member(context, json_object_iter_key(at), json_object_iter_value(at), depth);
}

static void print_rows(const cli_context *context, const json_t *rows, int depth)
{
    const size_t n = json_array_size(rows);
    const size_t shown = context->verbose || n <= ITEMS_SHOWN ? n : ITEMS_SHOWN;
    for (size_t i = 0; i < shown; i++) {
        char name[32];
        snprintf(name, sizeof name, "%zu", i + 1);
        print_member(context, name, json_array_get(rows, i), depth);
    }
    if (shown < n)
        printf("%*s... (%zu in all; -v shows them)\n", 2 * depth, "", n);
}

enum { DEEPEST = 12 }; /* of metadata that may come from anywhere */

static void print_member(const cli_context *context, const char *name, const json_t *value,
                         int depth)
{
    if (json_is_array(value) && json_array_size(value) == 0)
        return;
    printf("%*s", 2 * depth, "");
    cli_put_safe(stdout, name);
    putchar(':');
    if (depth > DEEPEST) {
        printf(" ...\n");
    } else if (json_is_object(value) && !is_scalar(value)) {
        putchar('\n');
        print_members(context, value, depth + 1);
    } else if (json_is_array(value) && !all_scalars(value)) {
        putchar('\n');
        print_rows(context, value, depth + 1);
    } else {
        putchar(' ');
        if (json_is_array(value))
            print_list(context, value);
        else
            print_scalar(value);
        putchar('\n');
    }
}

enum { TREE_LINES = 40 };

static bool has_trees(const pt_model *model)
{
    pt_report *about = cli_about_model(model);
    const bool trees = pt_report_integer(about, "n_trees") > 0;
    pt_report_free(about);
    return trees;
}

/* An error of the library that the file is to blame for. */
static int fail_at(const cli_context *context, const char *path, pt_error *err)
{
    snprintf(err->file, sizeof err->file, "%s", path);
    return cli_fail(context, err, CLI_FAILED);
}

/* What a model that is made of trees says, in words. */
static int print_trees(cli_context *context, const char *path, const pt_model *model)
{
    pt_report *trees = NULL;
    pt_error err = PT_ERROR_INIT;
    if (!has_trees(model))
        return CLI_DONE;
    if (pt_model_trees(&trees, model, "words", context->verbose ? 0 : TREE_LINES, &err) != PT_OK)
        return fail_at(context, path, &err);
    putchar('\n');
    cli_put_safe(stdout, pt_report_text(trees, "text"));
    if (pt_report_integer(trees, "shortened"))
        printf("(-v shows all of them)\n");
    pt_report_free(trees);
    return CLI_DONE;
}

/* object["trees"] <- all of them. */
static int add_trees(cli_context *context, const char *path, const pt_model *model, json_t *object)
{
    pt_report *trees = NULL;
    pt_error err = PT_ERROR_INIT;
    if (!has_trees(model))
        return CLI_DONE;
    if (pt_model_trees(&trees, model, "json", 0, &err) != PT_OK)
        return fail_at(context, path, &err);
    json_object_set_new(object, "trees", json_loads(pt_report_text(trees, "text"), 0, NULL));
    pt_report_free(trees);
    return CLI_DONE;
}

/* object["arrays"] <- all that was fitted. */
static int add_arrays(cli_context *context, const char *path, const pt_model *model, json_t *object)
{
    pt_report *arrays = NULL;
    char *text = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_model_arrays(&arrays, model, &err) != PT_OK ||
        pt_report_json(&text, arrays, &err) != PT_OK) {
        pt_report_free(arrays);
        return fail_at(context, path, &err);
    }
    json_object_set_new(object, "arrays", json_loads(text, 0, NULL));
    pt_bytes_free(text);
    pt_report_free(arrays);
    return CLI_DONE;
}

/* metadata["parameters"] <- those that count in this model; -v leaves all of them. */
static void keep_used(const pt_model *model, json_t *metadata)
{
    json_t *parameters = json_object_get(metadata, "parameters");
    pt_report *about = cli_about_model(model);
    for (int64_t i = 0; i < pt_report_length(about, "uses"); i++)
        if (!pt_report_integer_at(about, "uses", i, 0, 0))
            json_object_del(parameters, pt_report_text_at(about, "parameter", i, 0, 0));
    pt_report_free(about);
}

static int info_model(cli_context *context, const char *path)
{
    pt_model *model = NULL;
    int code = cli_load(context, path, &model);
    if (code != CLI_DONE)
        return code;
    struct stat there;
    const double bytes = stat(path, &there) == 0 ? (double)there.st_size : 0;
    json_t *metadata = cli_model_metadata(model);
    if (!metadata) {
        code = cli_fail_text(context, path, "its metadata is not JSON");
    } else if (context->json) {
        json_t *object = cli_json_object(context, model, context->params);
        json_object_set_new(object, "bytes", json_real(bytes));
        json_object_set(object, "metadata", metadata);
        code = info_worth_json(context, model, object);
        if (code == CLI_DONE)
            code = add_trees(context, path, model, object);
        if (code == CLI_DONE && cli_value(context, "all"))
            code = add_arrays(context, path, model, object);
        if (code == CLI_DONE)
            code = cli_json_print(context, object);
        else
            json_decref(object);
    } else {
        cli_put_safe(stdout, path);
        printf(": a model, %.1f kB, %lld class%s\n", bytes / 1e3,
               (long long)pt_model_n_classes(model), pt_model_n_classes(model) == 1 ? "" : "es");
        cli_print_machine(stdout, model, NULL);
        if (!context->verbose)
            keep_used(model, metadata);
        print_members(context, metadata, 0);
        code = info_worth_print(context, model);
        if (code == CLI_DONE)
            code = print_trees(context, path, model);
    }
    json_decref(metadata);
    pt_model_free(model);
    return code;
}

/* ---- data ------------------------------------------------------------------------------------ */

/* Sparse columns are numbers all of them; beyond this many they are not worth a list. */
enum { SPARSE_COLUMNS = 1000000 };

/* What is counted over a data set. */
typedef struct counts {
    bool sparse;
    int64_t n_nominal;
    int64_t n_missing;
    int64_t n_unlabelled;
    int64_t *missing;   /* of each column; NULL: too many to list */
    int64_t *per_class; /* rows of each class: that have it, rank it, or put it in order */
    int64_t n_items;    /* classes of sets, ranked classes, pairs: over all rows */
    int64_t n_empty;    /* empty sets */
    int64_t n_tied;     /* rankings with a tie */
    int64_t n_full;     /* rankings of all classes */
    int64_t n_distinct; /* different labels */
} counts;

static const char *kind_of(const pt_dataset *data)
{
    const char *kind = pt_dataset_label_kind(data);
    return kind ? kind : "class";
}

static bool is_class(const pt_dataset *data)
{
    return strcmp(kind_of(data), "class") == 0;
}

/* A label on its way into the order in which equal ones are neighbours. */
typedef struct listed {
    const int64_t *items;
    const int64_t *ranks;
    int64_t count;
} listed;

/* Rankings are equal where their classes are and the same of them tie, whatever the numbers. */
static int64_t tie_at(const listed *label, int64_t at)
{
    return label->ranks && at > 0 && label->ranks[at] == label->ranks[at - 1];
}

static int compare_listed(const void *a, const void *b)
{
    const listed *x = a;
    const listed *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (int64_t at = 0; at < x->count; at++) {
        if (x->items[at] != y->items[at])
            return x->items[at] < y->items[at] ? -1 : 1;
        if (tie_at(x, at) != tie_at(y, at))
            return tie_at(x, at) < tie_at(y, at) ? -1 : 1;
    }
    return 0;
}

static void count_label(const pt_dataset *data, const listed *label, int64_t i, int64_t *seen,
                        counts *c)
{
    const bool pairs = strcmp(kind_of(data), "pairs") == 0;
    const bool sets = strcmp(kind_of(data), "set") == 0;
    bool tied = false;
    c->n_items += pairs ? label->count / 2 : label->count;
    c->n_empty += sets && label->count == 0;
    c->n_unlabelled += !sets && label->count == 0;
    c->n_full += label->ranks && label->count == pt_dataset_n_classes(data);
    for (int64_t at = 0; at < label->count; at++) {
        tied = tied || tie_at(label, at);
        if (seen[label->items[at]] != i + 1) /* once in a row, also in several pairs */
            c->per_class[label->items[at]]++;
        seen[label->items[at]] = i + 1;
    }
    c->n_tied += tied;
}

/* Labels that are sets, rankings or pairs. */
static void count_labels(const pt_dataset *data, counts *c)
{
    const int64_t n = pt_dataset_n_examples(data);
    listed *labels = cli_alloc(n, sizeof *labels);
    int64_t *seen = cli_alloc(pt_dataset_n_classes(data), sizeof *seen);
    memset(seen, 0, (size_t)pt_dataset_n_classes(data) * sizeof *seen);
    for (int64_t i = 0; i < n; i++) {
        labels[i].count = pt_dataset_label_items(data, i, &labels[i].items, &labels[i].ranks);
        count_label(data, &labels[i], i, seen, c);
    }
    qsort(labels, (size_t)n, sizeof *labels, compare_listed);
    for (int64_t i = 0; i < n; i++)
        c->n_distinct += i == 0 || compare_listed(&labels[i - 1], &labels[i]) != 0;
    free(seen);
    free(labels);
}

static void count(const pt_dataset *data, counts *c)
{
    const int64_t d = pt_dataset_n_features(data);
    pt_report *about = cli_about_data(data);
    c->sparse = pt_report_integer(about, "sparse");
    const bool list = !c->sparse || d <= SPARSE_COLUMNS;
    c->missing = list ? cli_alloc(d, sizeof *c->missing) : NULL;
    c->per_class = cli_alloc(pt_dataset_n_classes(data), sizeof *c->per_class);
    c->n_missing = pt_dataset_count_missing(data, c->missing);
    for (int64_t j = 0; j < pt_report_length(about, "levels"); j++)
        c->n_nominal += pt_report_integer_at(about, "levels", j, 0, 0) > 0;
    pt_report_free(about);
    if (!is_class(data)) {
        count_labels(data, c);
        return;
    }
    for (int64_t i = 0; pt_dataset_n_classes(data) > 0 && i < pt_dataset_n_examples(data); i++) {
        const int64_t r = pt_dataset_class(data, i);
        if (r >= 0)
            c->per_class[r]++;
        else
            c->n_unlabelled++;
    }
}

/* Columns of sparse data without names, all numbers, are not worth a list. */
static void print_columns(const cli_context *context, const pt_dataset *data, const counts *c,
                          const json_t *judgement)
{
    const int64_t d = pt_dataset_n_features(data);
    printf("columns: %lld numeric, %lld nominal, %lld missing cell%s\n",
           (long long)(d - c->n_nominal), (long long)c->n_nominal, (long long)c->n_missing,
           c->n_missing == 1 ? "" : "s");
    if (context->verbose || !c->sparse || c->n_nominal > 0 || c->n_missing > 0 ||
        pt_dataset_feature_name(data, 0))
        cli_print_columns(context, judgement);
}

static void print_labels(const pt_dataset *data, const counts *c)
{
    const char *kind = kind_of(data);
    const double n = (double)pt_dataset_n_examples(data);
    const double mean = (double)c->n_items / n;
    const long long distinct = (long long)c->n_distinct;
    if (strcmp(kind, "set") == 0)
        printf("labels: sets, %.3f classes a row (density %.3f), %lld different, %lld empty\n",
               mean, mean / (double)pt_dataset_n_classes(data), distinct, (long long)c->n_empty);
    else if (strcmp(kind, "ranking") == 0)
        printf("labels: rankings, %.3f classes a row, %lld different, %lld of all classes, %lld "
               "with ties\n",
               mean, distinct, (long long)c->n_full, (long long)c->n_tied);
    else
        printf("labels: pairs, %.3f a row, %lld different\n", mean, distinct);
}

static void print_classes(const cli_context *context, const pt_dataset *data, const counts *c)
{
    const int64_t k = pt_dataset_n_classes(data);
    const int64_t shown = context->verbose || k <= CLASSES_SHOWN ? k : CLASSES_SHOWN;
    if (k == 0) {
        printf("classes: none\n");
        return;
    }
    if (!is_class(data))
        print_labels(data, c);
    printf("classes: %lld\n", (long long)k);
    for (int64_t r = 0; r < shown; r++) {
        printf("%8lld  ", (long long)c->per_class[r]);
        cli_put_name(stdout, pt_dataset_class_name(data, r));
        putchar('\n');
    }
    if (shown < k)
        printf("          ... and %lld more (-v shows all)\n", (long long)(k - shown));
    if (c->n_unlabelled > 0)
        printf("%8lld  (no label)\n", (long long)c->n_unlabelled);
}

static int print_data_json(const cli_context *context, const pt_dataset *data, const counts *c,
                           json_t *judgement)
{
    json_t *object = cli_json_object(context, NULL, NULL);
    json_t *about = cli_json_data(data);
    json_t *classes = json_array();
    for (int64_t r = 0; r < pt_dataset_n_classes(data); r++)
        json_array_append_new(classes, json_integer(c->per_class[r]));
    json_object_set_new(about, "sparse", json_boolean(c->sparse));
    json_object_set_new(about, "missing", json_integer(c->n_missing));
    json_object_set_new(about, "class_counts", classes);
    if (!is_class(data)) {
        const double n = (double)pt_dataset_n_examples(data);
        json_object_set_new(about, "cardinality", json_real((double)c->n_items / n));
        json_object_set_new(about, "distinct_labels", json_integer(c->n_distinct));
        json_object_set_new(about, "unlabelled", json_integer(c->n_unlabelled));
        json_object_set_new(about, "empty_sets", json_integer(c->n_empty));
        json_object_set_new(about, "with_ties", json_integer(c->n_tied));
    }
    json_object_update_missing(about, judgement); /* columns, duplicates, conflicts, telling */
    json_object_set_new(object, "data", about);
    return cli_json_print(context, object);
}

static int info_data(cli_context *context, const char *path)
{
    pt_dataset *data = NULL;
    int code = cli_read(context, path, &data);
    cli_progress_clear();
    if (code != CLI_DONE)
        return code;
    counts c = {0};
    count(data, &c);
    pt_report *judged = NULL;
    pt_error err = PT_ERROR_INIT;
    if (pt_dataset_judge(&judged, data, context->task, &err) != PT_OK)
        code = cli_fail(context, &err, CLI_FAILED);
    json_t *judgement = judged ? json_loads(pt_report_text(judged, "json"), 0, NULL) : NULL;
    if (code == CLI_DONE && context->json) {
        code = print_data_json(context, data, &c, judgement);
    } else if (code == CLI_DONE) {
        cli_print_data(context, stdout, path, data);
        print_columns(context, data, &c, judgement);
        print_classes(context, data, &c);
        cli_print_doubts(judgement);
    }
    json_decref(judgement);
    pt_report_free(judged);
    free(c.missing);
    free(c.per_class);
    pt_dataset_free(data);
    return code;
}

static int run(cli_context *context)
{
    const char *path = context->arguments[0];
    if (cli_value(context, "all") && (!context->json || !cli_is_model(path)))
        return cli_usage(context, "--all is for a model with --json, as in info M --json --all");
    return cli_is_model(path) ? info_model(context, path) : info_data(context, path);
}

const cli_command cli_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "show what is in a model file or a data file",
    .description =
        "A model: machine, parameters, classes, preparation, provenance; the largest "
        "coefficients of linear machines, in the units of the file; what each column gained in "
        "trees and boosting; trees and the first stumps of boosting in words. A data file: rows; "
        "every column with its kind, missing "
        "cells, levels or range, and what is left out; classes and their sizes; duplicate rows, "
        "rows that contradict each other, and a column that predicts the class by itself; for "
        "sets, rankings and pairs the number of classes or pairs in a row and of different labels. "
        "Long lists are truncated; -v and --json print all. "
        "--json --all prints every fitted array of a model, as docs/model-file.md names them.",
    .examples = "polytomy info iris.model\npolytomy info data.csv.gz\n",
    .groups = "read,run",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 1,
    .run = run,
};
