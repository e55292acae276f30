/* polytomy predict: labels of any kind, scores, probabilities or orders of the rows of a file. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"scores", 0, NULL, "CSV of the scores of all classes"},
    {"proba", 0, NULL, "CSV of probabilities of all classes"},
    {"rank", 0, NULL, "all classes of any model from best to worst, as in a>b>c"},
    {"top", 0, "L", "the L best classes of any model, best first, as in a;b;c"},
    {"reject-label", 0, "WORD",
     "what is printed for a row that --reject or --costs rejects; default ?, '' for an empty line"},
    {"keep", 0, "COLUMNS",
     "copy these columns of DATA before the prediction, with a header: names, numbers, patterns, "
     "all"},
    {"explain", 0, NULL,
     "for each row the first two classes, and the columns and rows that decide between them"},
    {"rounds", 0, "T", "as if boosting had ended after T rounds"},
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
    {NULL, 0, NULL, NULL},
};

/* LABELS: what the model's labels are like: a class, a set, or an order. */
typedef enum what_to_print { LABELS, SCORES, PROBA, RANK, TOP, SET } what_to_print;

/* What is printed, and what it is printed from. */
typedef struct print_job {
    what_to_print what;
    what_to_print by_kind; /* what the model's labels are: LABELS, SET or RANK */
    bool asked;            /* `what` is the user's word */
    bool decided;          /* by --costs, --reject or --coverage */
    const char *rejected;  /* what stands for a row without a label */
    int64_t n_rejected;
    int64_t top;
    const pt_model *model;
    int64_t k;
    /* the part that is printed now: */
    const pt_prediction *prediction;
    double *proba; /* n x k, for PROBA */
    int64_t n;
    bool first;
    pt_report *kept; /* with --keep */
} print_job;

static int64_t n_kept(const print_job *job)
{
    return job->kept ? pt_report_length(job->kept, "kept_column") : 0;
}

/* What stands before the prediction of row i, or -1 in the header. */
static void put_kept(FILE *file, const print_job *job, int64_t i)
{
    for (int64_t c = 0; c < n_kept(job); c++) {
        const char *text = i < 0 ? pt_report_text_at(job->kept, "kept_column", c, 0, 0)
                                 : pt_report_text_at(job->kept, "kept", i, c, 0);
        if (*text)
            cli_put_csv(file, text);
        putc(',', file);
    }
}

/* The header of what is one cell in each row: without --keep there is none. */
static void put_header(FILE *file, const print_job *job)
{
    if (!job->first || !job->kept)
        return;
    put_kept(file, job, -1);
    fputs("prediction\n", file);
}

/* Classes of a row: the best in order, or the set. Returns how many. */
static int64_t classes_of(const print_job *job, int64_t i, int64_t *classes)
{
    if (job->what == SET)
        return pt_prediction_set(job->prediction, i, classes, job->k);
    return pt_prediction_rank(job->prediction, i, classes,
                              job->what == TOP && job->top < job->k ? job->top : job->k);
}

/* A line that grows. */
typedef struct line {
    char *text;
    size_t used;
    size_t size;
} line;

static void line_add(line *l, const char *text, size_t length)
{
    if (l->used + length >= l->size) {
        const size_t size = 2 * (l->used + length) + 64;
        char *larger = cli_alloc((int64_t)size, 1);
        if (l->used > 0)
            memcpy(larger, l->text, l->used);
        free(l->text);
        l->text = larger;
        l->size = size;
    }
    memcpy(l->text + l->used, text, length);
    l->used += length;
    l->text[l->used] = '\0';
}

static void put_numbers(FILE *file, const print_job *job, const double *values)
{
    if (job->first)
        put_kept(file, job, -1);
    for (int64_t r = 0; r < job->k && job->first; r++) {
        cli_put_csv(file, pt_model_class_name(job->model, r));
        putc(r + 1 < job->k ? ',' : '\n', file);
    }
    for (int64_t i = 0; i < job->n && !ferror(file); i++) {
        put_kept(file, job, i);
        for (int64_t r = 0; r < job->k; r++) {
            cli_put_real(file, values[i * job->k + r]);
            putc(r + 1 < job->k ? ',' : '\n', file);
        }
    }
}

/* A line is one cell, as a label column has it: what needs quotes is quoted as a whole. */
static void put_classes(FILE *file, const print_job *job)
{
    int64_t *classes = cli_alloc(job->k, sizeof *classes);
    line l = {NULL, 0, 0};
    put_header(file, job);
    for (int64_t i = 0; i < job->n && !ferror(file); i++) {
        const int64_t count = classes_of(job, i, classes);
        put_kept(file, job, i);
        l.used = 0;
        for (int64_t c = 0; c < count; c++) {
            const char *name = pt_model_class_name(job->model, classes[c]);
            if (c > 0)
                line_add(&l, job->what == RANK ? ">" : ";", 1);
            line_add(&l, name, strlen(name));
        }
        if (count > 0)
            cli_put_csv(file, l.text);
        putc('\n', file);
    }
    free(l.text);
    free(classes);
}

static void put_labels(FILE *file, const print_job *job)
{
    const int64_t *labels = pt_prediction_labels(job->prediction);
    put_header(file, job);
    for (int64_t i = 0; i < job->n && !ferror(file); i++) {
        put_kept(file, job, i);
        const char *name =
            labels[i] < 0 ? job->rejected : pt_model_class_name(job->model, labels[i]);
        if (*name)
            cli_put_csv(file, name);
        putc('\n', file);
    }
}

static void put_all(FILE *file, const print_job *job)
{
    if (job->what == SCORES)
        put_numbers(file, job, pt_prediction_scores(job->prediction));
    else if (job->what == PROBA)
        put_numbers(file, job, job->proba);
    else if (job->what == LABELS)
        put_labels(file, job);
    else
        put_classes(file, job);
}

static void json_numbers(json_t *rows, const print_job *job, const double *values)
{
    for (int64_t i = 0; i < job->n; i++) {
        json_t *row = json_array();
        for (int64_t r = 0; r < job->k; r++)
            json_array_append_new(row, cli_json_real(values[i * job->k + r]));
        json_array_append_new(rows, row);
    }
}

static void json_orders(json_t *rows, const print_job *job)
{
    int64_t *classes = cli_alloc(job->k, sizeof *classes);
    for (int64_t i = 0; i < job->n; i++) {
        json_t *row = json_array();
        const int64_t count = classes_of(job, i, classes);
        for (int64_t c = 0; c < count; c++)
            json_array_append_new(row, cli_json_text(pt_model_class_name(job->model, classes[c])));
        json_array_append_new(rows, row);
    }
    free(classes);
}

static void json_names(json_t *names, const print_job *job)
{
    const int64_t *labels = pt_prediction_labels(job->prediction);
    for (int64_t i = 0; i < job->n; i++)
        json_array_append_new(
            names, labels[i] < 0 ? json_null()
                                 : cli_json_text(pt_model_class_name(job->model, labels[i])));
}

/* The array of an object, made when it is first asked for. */
static json_t *json_member(json_t *object, const char *name)
{
    if (!json_object_get(object, name))
        json_object_set_new(object, name, json_array());
    return json_object_get(object, name);
}

/* The cells of each row. */
static void json_kept(json_t *rows, const print_job *job)
{
    for (int64_t i = 0; i < job->n; i++) {
        json_t *row = json_array();
        for (int64_t c = 0; c < n_kept(job); c++)
            json_array_append_new(row,
                                  cli_json_text(pt_report_text_at(job->kept, "kept", i, c, 0)));
        json_array_append_new(rows, row);
    }
}

/* The predictions themselves: labels, and what was asked for. */
static void json_predictions(json_t *object, const print_job *job)
{
    print_job own = *job;
    own.what = job->by_kind;
    if (own.what == LABELS)
        json_names(json_member(object, "labels"), job);
    else
        json_orders(json_member(object, "labels"), &own);
    if (job->what == SCORES)
        json_numbers(json_member(object, "scores"), job, pt_prediction_scores(job->prediction));
    else if (job->what == PROBA)
        json_numbers(json_member(object, "proba"), job, job->proba);
    else if (job->asked)
        json_orders(json_member(object, job->what == RANK ? "rank" : "top"), job);
    if (job->kept)
        json_kept(json_member(object, "kept"), job);
}

static json_t *json_classes(const pt_model *model)
{
    json_t *classes = json_array();
    for (int64_t r = 0; r < pt_model_n_classes(model); r++)
        json_array_append_new(classes, cli_json_text(pt_model_class_name(model, r)));
    return classes;
}

static json_t *json_data(const pt_model *model, const pt_prediction_stream *stream)
{
    json_t *about = json_object();
    pt_report *file = cli_about_stream(stream);
    const char *label = pt_report_text(file, "label_name");
    const int64_t column = pt_report_integer(file, "label_column");
    const char *kind = pt_report_text(file, "labels");
    json_object_set_new(about, "n", json_integer(pt_report_integer(file, "n_examples")));
    json_object_set_new(about, "d", json_integer(pt_report_integer(file, "n_features")));
    json_object_set_new(about, "classes", json_classes(model));
    json_object_set_new(about, "label",
                        label        ? cli_json_text(label)
                        : column > 0 ? json_integer(column)
                                     : json_null());
    if (kind && strcmp(kind, "class") != 0)
        json_object_set_new(about, "labels", json_string(kind));
    pt_report_free(file);
    return about;
}

static bool is_given(const cli_context *context, const char *param, const char *nothing)
{
    return strcmp(pt_params_get(context->params, param), nothing) != 0;
}

/* How labels are decided, from the options; an exit code or -1. */
static int choose_decision(const cli_context *context, print_job *job)
{
    const bool coverage = is_given(context, "coverage", "unset");
    const bool rejects = is_given(context, "costs", "none") || is_given(context, "reject", "unset");
    const char *word = cli_value(context, "reject-label");
    job->decided = coverage || rejects;
    job->rejected = word ? word : "?";
    if (word && !rejects)
        return cli_usage(context, "--reject-label is used with --reject or --costs");
    if (job->asked && job->decided && !context->json)
        return cli_usage(context,
                         "--%s decides on labels, which --scores, --proba, --rank and "
                         "--top do not print; --json has both",
                         coverage                             ? "coverage"
                         : is_given(context, "costs", "none") ? "costs"
                                                              : "reject");
    return -1;
}

/* What stands for no class must not be the name of one. */
static int check_reject_label(const cli_context *context, const print_job *job)
{
    const bool rejects = is_given(context, "costs", "none") || is_given(context, "reject", "unset");
    for (int64_t r = 0; r < job->k && rejects && !context->json; r++)
        if (strcmp(pt_model_class_name(job->model, r), job->rejected) == 0)
            return cli_usage(context,
                             "--reject-label: '%.60s' is a class of the model; give another word",
                             job->rejected);
    return CLI_DONE;
}

/* What to print, from the options; an exit code or -1. */
static int choose(const cli_context *context, print_job *job)
{
    static const char *const NAMES[] = {"scores", "proba", "rank", "top"};
    static const what_to_print KINDS[] = {SCORES, PROBA, RANK, TOP};
    int given = 0;
    for (int i = 0; i < 4; i++)
        if (cli_value(context, NAMES[i])) {
            job->what = KINDS[i];
            job->asked = true;
            given++;
        }
    if (given > 1)
        return cli_usage(context, "give one of --scores, --proba, --rank and --top");
    const char *top = cli_value(context, "top");
    if (top) {
        char *end = NULL;
        job->top = strtoll(top, &end, 10);
        if (!*top || *end || job->top < 1)
            return cli_usage(context, "--top: '%.60s' is not a whole number >= 1", top);
    }
    return choose_decision(context, job);
}

/* What the model's own labels are like. */
static what_to_print kind_of(const pt_model *model)
{
    const char *kind = pt_model_label_kind(model);
    return strcmp(kind, "class") == 0 ? LABELS : strcmp(kind, "set") == 0 ? SET : RANK;
}

/* Names that hold what stands between names cannot be told apart in a line. */
static void warn_names(cli_context *context, const print_job *job)
{
    const char *between = job->what == RANK ? ">=;" : ";"; /* what readers of labels look for */
    const bool several =
        job->what == RANK || job->what == SET || (job->what == TOP && job->top > 1);
    for (int64_t r = 0; r < job->k && several && !context->json; r++) {
        const char *mark = strpbrk(pt_model_class_name(job->model, r), between);
        if (!mark)
            continue;
        cli_warn(context, "classes",
                 "class '%.80s' has a '%c' in its name, which stands between classes; --json keeps "
                 "names apart",
                 pt_model_class_name(job->model, r), *mark);
        return;
    }
}

static int make_proba(const cli_context *context, print_job *job)
{
    pt_error err = PT_ERROR_INIT;
    if (job->what != PROBA)
        return CLI_DONE;
    free(job->proba);
    job->proba = cli_alloc(job->n * job->k, sizeof *job->proba);
    if (pt_prediction_proba(job->prediction, job->proba, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    return CLI_DONE;
}

enum { ARRAYS = 3 };

/* Where predictions go: a file that appears whole, or a file without a name that is copied to
 * standard output when all is well; with --json, one for each array of the object. */
typedef struct destination {
    cli_output output;
    FILE *spool;
    bool json;
    FILE *array[ARRAYS];
    char name[ARRAYS][16];
} destination;

static int no_room(const cli_context *context)
{
    return cli_fail_text(context, "standard output",
                         "there is no room for a temporary file; say -o FILE");
}

static int destination_open(const cli_context *context, destination *to)
{
    const char *path = cli_value(context, "output");
    to->json = context->json && !path;
    if (to->json)
        return CLI_DONE;
    const int code = cli_output_open(context, &to->output, path);
    if (code == CLI_DONE && to->output.file == stdout)
        to->spool = tmpfile(); /* without one, lines are written as they come */
    return code;
}

static void destination_free(destination *to)
{
    if (to->spool)
        fclose(to->spool);
    for (int i = 0; i < ARRAYS; i++)
        if (to->array[i])
            fclose(to->array[i]);
}

/* Appends what stands between the brackets of an array, as it will stand in the whole object. */
static bool spool_array(FILE *file, const char *name, json_t *array, bool first)
{
    static const char BEGIN[] = "[\n";
    static const char END[] = "\n  ]\n}";
    json_t *object = json_object();
    json_object_set(object, name, array);
    char *text = cli_json_dump(object);
    const char *items = strstr(text, BEGIN) + strlen(BEGIN);
    if (!first)
        fputs(",\n", file);
    fwrite(items, 1, strlen(items) - strlen(END), file);
    free(text);
    return !ferror(file);
}

static bool spool_json(destination *to, const print_job *job)
{
    json_t *object = json_object();
    const char *name = NULL;
    json_t *array = NULL;
    bool fine = true;
    int i = 0;
    json_predictions(object, job);
    json_object_foreach(object, name, array)
    {
        if (!to->array[i]) {
            to->array[i] = tmpfile();
            snprintf(to->name[i], sizeof to->name[i], "%s", name);
        }
        fine = fine && to->array[i] && spool_array(to->array[i], name, array, job->first);
        i++;
    }
    json_decref(object);
    return fine;
}

static int destination_put(const cli_context *context, destination *to, const print_job *job)
{
    if (to->json)
        return spool_json(to, job) ? CLI_DONE : no_room(context);
    put_all(to->spool ? to->spool : to->output.file, job);
    return to->spool && ferror(to->spool) ? no_room(context) : CLI_DONE;
}

static void copy_out(FILE *from)
{
    char bytes[1 << 16];
    size_t got = 0;
    rewind(from);
    while ((got = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, got, stdout) < got)
            break;
}

static int destination_close(const cli_context *context, destination *to)
{
    for (int i = 0; i < ARRAYS; i++)
        if (to->array[i] && fflush(to->array[i]) != 0)
            return no_room(context);
    if (to->json)
        return CLI_DONE;
    if (to->spool && fflush(to->spool) != 0)
        return no_room(context);
    if (to->spool)
        copy_out(to->spool);
    return cli_output_close(context, &to->output);
}

static json_t *json_kept_columns(const pt_prediction_stream *stream)
{
    json_t *names = json_array();
    pt_report *about = cli_about_stream(stream);
    for (int64_t c = 0; c < pt_report_length(about, "kept_column"); c++)
        json_array_append_new(names,
                              cli_json_text(pt_report_text_at(about, "kept_column", c, 0, 0)));
    pt_report_free(about);
    return names;
}

/* The object about the work, and in it the arrays that are not in a file of their own. */
static int print_json(const cli_context *context, const print_job *job,
                      const pt_prediction_stream *stream, const destination *to)
{
    static const char END[] = "\n}";
    json_t *object = cli_json_object(context, job->model, context->params);
    json_object_set_new(object, "data", json_data(job->model, stream));
    if (is_given(context, "costs", "none") || is_given(context, "reject", "unset"))
        json_object_set_new(object, "n_rejected", json_integer(job->n_rejected));
    if (cli_value(context, "keep"))
        json_object_set_new(object, "kept_columns", json_kept_columns(stream));
    char *text = cli_json_dump(object);
    fwrite(text, 1, strlen(text) - strlen(END), stdout);
    free(text);
    for (int i = 0; i < ARRAYS && to->array[i]; i++) {
        printf(",\n  \"%s\": [\n", to->name[i]);
        copy_out(to->array[i]);
        fputs("\n  ]", stdout);
    }
    return cli_json_put(context, END);
}

/* Says what was not said yet; returns how much there is. */
static int64_t tell(cli_context *context, const pt_prediction_stream *stream, int64_t said)
{
    pt_report *file = cli_about_stream(stream);
    const int64_t count = cli_tell_warnings(context, file, said);
    pt_report_free(file);
    return count;
}

/* Reads, predicts and writes, a part of the file at a time. */
static int predict_parts(cli_context *context, print_job *job, pt_prediction_stream *stream,
                         destination *to)
{
    pt_error err = PT_ERROR_INIT;
    int64_t said = 0;
    int code = CLI_DONE;
    job->first = true;
    while (code == CLI_DONE) {
        const double begin = cli_seconds();
        if (pt_prediction_stream_next(stream, &job->prediction, &err) != PT_OK)
            return cli_fail(context, &err, CLI_FAILED);
        context->seconds_predict += cli_seconds() - begin;
        said = tell(context, stream, said);
        if (!job->prediction)
            break;
        job->n = pt_prediction_n_examples(job->prediction);
        for (int64_t i = 0; i < job->n; i++)
            job->n_rejected += pt_prediction_labels(job->prediction)[i] < 0;
        code = make_proba(context, job);
        if (code == CLI_DONE && cli_value(context, "keep"))
            job->kept = cli_about_stream(stream);
        if (code == CLI_DONE)
            code = destination_put(context, to, job);
        pt_report_free(job->kept);
        job->kept = NULL;
        job->first = false;
    }
    return code;
}

static int predict_file(cli_context *context, print_job *job, int64_t rounds)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction_stream *stream = NULL;
    const double begin = cli_seconds();
    if (pt_prediction_stream_open(&stream, job->model, context->arguments[1], context->params,
                                  rounds, context->task, &err) != PT_OK)
        return cli_fail(context, &err, /* parameters that do not go together */
                        err.code == PT_EINVAL && *err.param ? CLI_USAGE : CLI_FAILED);
    context->seconds_read = cli_seconds() - begin;
    const char *keep = cli_value(context, "keep");
    if (keep && pt_prediction_stream_keep(stream, keep, &err) != PT_OK) {
        pt_prediction_stream_close(stream);
        return cli_fail_status(context, &err);
    }
    destination to = {.json = false};
    int code = destination_open(context, &to);
    if (code == CLI_DONE) {
        code = predict_parts(context, job, stream, &to);
        cli_progress_clear();
        if (code == CLI_DONE) {
            warn_names(context, job);
            code = destination_close(context, &to);
        } else if (!to.json) {
            cli_output_abandon(&to.output);
        }
    }
    if (code == CLI_DONE && context->json)
        code = print_json(context, job, stream, &to);
    destination_free(&to);
    pt_prediction_stream_close(stream);
    return code;
}

static int run(cli_context *context)
{
    print_job job = {.what = LABELS};
    if (cli_value(context, "explain"))
        return predict_explain(context);
    if (pt_params_is_set(context->params, "reasons"))
        return cli_usage(context, "--reasons is used with --explain only");
    int code = choose(context, &job);
    if (code >= 0)
        return code;
    const char *path = cli_value(context, "output");
    pt_model *model = NULL;
    int64_t rounds = -1;
    code = path ? cli_output_apart(context, path) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE)
        code = cli_rounds(context, model, &rounds);
    if (code == CLI_DONE) {
        job.model = model;
        job.k = pt_model_n_classes(model);
        job.by_kind = is_given(context, "coverage", "unset") ? SET : kind_of(model);
        if (!job.asked)
            job.what = job.by_kind;
        code = check_reject_label(context, &job);
    }
    if (code == CLI_DONE)
        code = predict_file(context, &job, rounds);
    free(job.proba);
    pt_model_free(model);
    return code;
}

const cli_command cli_predict = {
    .name = "predict",
    .arguments = "MODEL DATA [--proba|--top L|--reject P|--coverage C] [-o FILE]",
    .summary = "predict the labels of the rows of a data file",
    .description =
        "Prints one label per row of DATA, with or without a label column. Columns are matched "
        "with those of the model by name if both have names, otherwise by position.\n\n"
        "A label is of the kind that the model was trained on: a class; a set, a;b, or an empty "
        "line for the empty set; an order of all classes, a>b>c, for models of rankings and pairs. "
        "--rank and --top work with every model: a>b>c and a;b;c by falling scores, ties by the "
        "order of the classes. A line with a comma, a quote or a line break is quoted like a CSV "
        "cell.\n\n"
        "--keep COLUMNS copies columns of a CSV or TSV file before the prediction, one by one or "
        "by "
        "patterns, or all of them. Then the output is CSV with a header, id,name,prediction, and "
        "texts are those of the file: 007 stays 007.\n\n"
        "The first of several classes with the largest score is the prediction, and the first of a "
        "ranking; a set has the classes with scores above 0. Probabilities are a softmax of scaled "
        "scores, fitted to rows held out in training: the most probable class is always the "
        "prediction, and no probability is 0 or 1. For sets each class has its own: the logistic "
        "function of its scaled score, above 0.5 for the classes of the set. Models of rankings "
        "and pairs have no probabilities.\n\n"
        "Three rules decide otherwise, by the probabilities (docs/decisions.md). --costs FILE: the "
        "class of least expected cost; FILE has a row and a column for each class, as for "
        "training, "
        "and perhaps a last column, the cost of rejecting the row. --reject P: rows whose most "
        "probable class has less than P are rejected, and printed as --reject-label. --coverage C: "
        "for each row a set a;b that holds its class with probability C; with --coverage-by class "
        "it does so for the rows of each class. Of models of sets it holds all classes of the "
        "row's set.\n\n"
        "--explain prints, for each of at most 1000 rows (with --json of any number), the first "
        "and the second class, the difference of their scores, and the --reasons that count most "
        "for it: columns; of kernel machines the nearest of the rows that the model keeps, and "
        "those that add most; of a tree the tests that the row has passed "
        "(docs/understanding.md).\n\n"
        "For a model learned in rounds (boosting), --rounds T prints the predictions after T "
        "rounds. Probabilities keep the scale fitted after all rounds.",
    .examples =
        "polytomy predict iris.model new.csv\tone label per line\n"
        "polytomy predict iris.model new.csv --proba -o proba.csv\tprobabilities\n"
        "polytomy predict iris.model new.csv --keep id,name -o labels.csv\tid,name,prediction\n"
        "polytomy predict iris.model new.csv --coverage 0.95\tsets, right for 95 % of rows\n"
        "polytomy predict iris.model new.csv --reject 0.8\t? where it is not sure\n"
        "polytomy predict iris.model few.csv --explain\twhy each row is decided as it is\n"
        "zcat new.csv.gz | polytomy predict iris.model - --top 3\tthe three best classes\n",
    .groups = "decide,explain,read,run",
    .parameters = "costs",
    .options = OPTIONS,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
