/* polytomy split: a data file is parted into one to train on and one to test on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"test", 0, "SHARE", "share of the rows to test on, above 0 and below 1; default: 0.2"},
    {"output", 'o', "PREFIX", "write PREFIX.train.csv and PREFIX.test.csv, with DATA's endings"},
    {"force", 0, NULL, "replace files that exist"},
    {NULL, 0, NULL, NULL},
};

enum { TRAIN, TEST, PARTS };
static const char *const PART_NAMES[PARTS] = {"train", "test"};

typedef struct split_state {
    double share;
    char *path[PARTS];
    pt_dataset *data;
    pt_report *parts;
    int64_t k;
    int64_t n[PARTS];
    int64_t *by_class[PARTS]; /* k each */
} split_state;

static void state_free(split_state *s)
{
    for (int p = 0; p < PARTS; p++) {
        free(s->path[p]);
        free(s->by_class[p]);
    }
    pt_report_free(s->parts);
    pt_dataset_free(s->data);
}

/* ---- the names ------------------------------------------------------------------------------- */

static bool ends_with(const char *text, size_t length, const char *end)
{
    const size_t own = strlen(end);
    return length > own && memcmp(text + length - own, end, own) == 0;
}

/* "data.csv.gz" is "data" with the ending ".csv.gz"; files that are no text become CSV. */
static void name_parts(split_state *s, const char *data, const char *prefix)
{
    const char *slash = strrchr(data, '/');
    const char *name = strcmp(data, "-") == 0 ? "" : slash ? slash + 1 : data;
    size_t length = strlen(name);
    if (ends_with(name, length, ".gz"))
        length -= strlen(".gz");
    else if (ends_with(name, length, ".zst"))
        length -= strlen(".zst");
    size_t stem = length;
    for (size_t i = 1; i < length; i++) /* of ".data" there is no ending */
        stem = name[i] == '.' ? i : stem;
    const bool arrays = ends_with(name, length, ".npy") || ends_with(name, length, ".npz");
    const char *ending = arrays || !*name ? ".csv" : name + stem;
    for (int p = 0; p < PARTS; p++)
        s->path[p] = prefix ? cli_format("%s.%s%s", prefix, PART_NAMES[p], ending)
                            : cli_format("%.*s.%s%s", (int)stem, name, PART_NAMES[p], ending);
}

static int check_names(cli_context *context, const split_state *s)
{
    struct stat there;
    int code = CLI_DONE;
    if (cli_same_place(s->path[TRAIN], s->path[TEST]))
        return cli_usage(context, "both parts would go into the same file, '%.200s'",
                         s->path[TEST]);
    for (int p = 0; p < PARTS && code == CLI_DONE; p++) {
        if (strcmp(s->path[p], "-") == 0)
            return cli_usage(context, "the parts are written to files, not to standard output");
        code = cli_output_apart(context, s->path[p]);
        if (code == CLI_DONE && !cli_value(context, "force") && stat(s->path[p], &there) == 0)
            return cli_fail_text(context, s->path[p], "it exists; --force replaces it");
    }
    return code;
}

static int take_names(cli_context *context, split_state *s)
{
    const char *prefix = cli_value(context, "output");
    if (context->n_arguments == 2)
        return cli_usage(context, "split takes DATA, or DATA TRAIN TEST");
    if (context->n_arguments == 3 && prefix)
        return cli_usage(context, "the files are named twice: %.100s and -o %.100s",
                         context->arguments[1], prefix);
    if (context->n_arguments == 1 && !prefix && strcmp(context->arguments[0], "-") == 0)
        return cli_usage(context, "standard input has no name; give -o PREFIX, or TRAIN and TEST");
    if (context->n_arguments == 3)
        for (int p = 0; p < PARTS; p++)
            s->path[p] = cli_format("%s", context->arguments[1 + p]);
    else
        name_parts(s, context->arguments[0], prefix);
    context->n_arguments = 1; /* the others are written */
    return check_names(context, s);
}

static int take_share(const cli_context *context, split_state *s)
{
    const char *text = cli_value(context, "test");
    char *end = NULL;
    s->share = text ? strtod(text, &end) : 0.2;
    if (text && (end == text || *end || !(s->share > 0 && s->share < 1)))
        return cli_usage(context,
                         "--test: '%.60s' is not a share of the rows; give a number above 0 "
                         "and below 1, as in 0.2",
                         text);
    return CLI_DONE;
}

/* As cv and train refuse it, but before the file is read. */
static int check_roles(const cli_context *context)
{
    static const char *const OTHERS[] = {"group", "fold"};
    for (int i = 0; i < 2 && *pt_params_get(context->params, "time-column"); i++)
        if (*pt_params_get(context->params, OTHERS[i]))
            return cli_usage(context,
                             "--time-column alone says which rows are held out; leave --%s out",
                             OTHERS[i]);
    return CLI_DONE;
}

/* ---- what became of them --------------------------------------------------------------------- */

static void count(split_state *s)
{
    const bool by_class =
        pt_dataset_label_kind(s->data) && strcmp(pt_dataset_label_kind(s->data), "class") == 0;
    s->k = by_class ? pt_dataset_n_classes(s->data) : 0;
    for (int p = 0; p < PARTS; p++) {
        s->by_class[p] = cli_alloc(s->k + 1, sizeof *s->by_class[p]);
        memset(s->by_class[p], 0, (size_t)(s->k + 1) * sizeof *s->by_class[p]);
    }
    for (int64_t i = 0; i < pt_dataset_n_examples(s->data); i++) {
        const int64_t p = pt_report_integer_at(s->parts, "part", i, 0, 0);
        const int64_t r = s->k > 0 ? pt_dataset_class(s->data, i) : -1;
        s->n[p]++;
        if (r >= 0)
            s->by_class[p][r]++;
    }
}

/* Classes that one of the parts has not. */
static void warn_of_classes(cli_context *context, const split_state *s)
{
    for (int p = 0; p < PARTS; p++) {
        int64_t absent = 0;
        int64_t first = 0;
        for (int64_t r = s->k; r-- > 0;)
            if (s->by_class[p][r] == 0) {
                absent++;
                first = r;
            }
        const char *what = p == TRAIN ? "cannot be learned" : "cannot be tested";
        if (absent == 1)
            cli_warn(context, "classes", "class '%.60s' has no row in %.100s, and %s",
                     pt_dataset_class_name(s->data, first), s->path[p], what);
        else if (absent > 1)
            cli_warn(context, "classes", "%lld classes have no row in %.100s, and %s: '%.60s', ...",
                     (long long)absent, s->path[p], what, pt_dataset_class_name(s->data, first));
    }
}

static json_t *json_part(const split_state *s, int p)
{
    json_t *part = json_object();
    json_t *classes = json_array();
    for (int64_t r = 0; r < s->k; r++)
        json_array_append_new(classes, json_integer(s->by_class[p][r]));
    json_object_set_new(part, "file", cli_json_text(s->path[p]));
    json_object_set_new(part, "n", json_integer(s->n[p]));
    json_object_set_new(part, "rows_by_class", classes);
    return part;
}

static void print_classes(const split_state *s)
{
    enum { MOST = 20 };
    int width = 5;
    const int64_t shown = s->k <= MOST ? s->k : MOST;
    for (int64_t r = 0; r < shown; r++) {
        const int own = cli_text_width(pt_dataset_class_name(s->data, r));
        width = own > width ? own : width;
    }
    if (shown > 0)
        printf("\n  %-*s %9s %9s\n", width, "class", PART_NAMES[TRAIN], PART_NAMES[TEST]);
    for (int64_t r = 0; r < shown; r++) {
        const char *name = pt_dataset_class_name(s->data, r);
        fputs("  ", stdout);
        cli_put_name(stdout, name);
        printf("%*s %9lld %9lld\n", width - cli_text_width(name), "",
               (long long)s->by_class[TRAIN][r], (long long)s->by_class[TEST][r]);
    }
    if (shown < s->k)
        printf("  ... and %lld more; --json has all\n", (long long)(s->k - shown));
}

static int tell(cli_context *context, const split_state *s)
{
    if (context->json) {
        json_t *object = cli_json_object(context, NULL, context->params);
        json_object_set_new(object, "data", cli_json_data(s->data));
        for (int p = 0; p < PARTS; p++)
            json_object_set_new(object, PART_NAMES[p], json_part(s, p));
        return cli_json_print(context, object);
    }
    if (context->quiet)
        return CLI_DONE;
    cli_print_data(context, stdout, context->arguments[0], s->data);
    for (int p = 0; p < PARTS; p++) {
        fputs("wrote ", stdout);
        cli_put_safe(stdout, s->path[p]);
        printf(": %lld rows to %s%s\n", (long long)s->n[p], PART_NAMES[p], p == TRAIN ? " on" : "");
    }
    print_classes(s);
    return CLI_DONE;
}

static int part_and_write(cli_context *context, split_state *s)
{
    pt_error err = PT_ERROR_INIT;
    if (pt_split_file(&s->data, &s->parts, context->arguments[0], s->share, s->path[TRAIN],
                      s->path[TEST], context->params, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    cli_progress_clear();
    cli_in_place(s->path[TRAIN]);
    pt_report *about = cli_about_data(s->data);
    cli_hold_warnings(context, "", about);
    pt_report_free(about);
    cli_tell_held(context);
    count(s);
    warn_of_classes(context, s);
    return tell(context, s);
}

static int run(cli_context *context)
{
    split_state s = {.share = 0};
    int code = take_share(context, &s);
    if (code == CLI_DONE)
        code = check_roles(context);
    if (code == CLI_DONE)
        code = take_names(context, &s);
    if (code == CLI_DONE)
        code = part_and_write(context, &s);
    state_free(&s);
    return code;
}

const cli_command cli_split = {
    .name = "split",
    .arguments = "DATA [TRAIN TEST] [--test SHARE]",
    .summary = "part a data file into one to train on and one to test on",
    .description =
        "Reads DATA as train would and writes its lines into two files, as they stand: nothing is "
        "converted. What is before the first row, as the header, stands in both; a comment or a "
        "blank line goes with the row before it. NPY and NPZ are written as CSV.\n\n"
        "Rows are drawn by --seed, of every class the same share. With --group the rows of a group "
        "stay together, with --fold those of a fold; with --time-column the last rows are those to "
        "test on. Groups and folds are not cut, so that shares are only about that.\n\n"
        "Without TRAIN, TEST and -o the files are written into the current folder: data.csv.gz "
        "becomes data.train.csv.gz and data.test.csv.gz; .gz and .zst compress. Both files appear "
        "or none, and files that exist are left alone without --force.",
    .examples = "polytomy split data.csv\tdata.train.csv and data.test.csv, a fifth to test on\n"
                "polytomy split visits.csv a.csv b.csv --test 0.3 --group patient\n"
                "polytomy split days.csv --time-column day\tthe last fifth\n",
    .groups = "read,run",
    .parameters = "stratify",
    .options = OPTIONS,
    .min_arguments = 1,
    .max_arguments = 3,
    .run = run,
};
