/* polytomy predict: labels, scores, probabilities or rankings of the rows of a file. */
#include <stdlib.h>
#include <string.h>

#include "cli.h"

static const cli_option OPTIONS[] = {
    {"scores", 0, NULL, "CSV of the scores of all classes"},
    {"proba", 0, NULL, "CSV of probabilities of all classes"},
    {"rank", 0, NULL, "all classes from best to worst, as in a>b>c"},
    {"top", 0, "L", "the L best classes, best first, as in a;b;c"},
    {"rounds", 0, "T", "as if boosting had ended after T rounds"},
    {"output", 'o', "FILE", "write to FILE instead of standard output"},
    {NULL, 0, NULL, NULL},
};

typedef enum what_to_print { LABELS, SCORES, PROBA, RANK, TOP } what_to_print;

/* What is printed, and what it is printed from. */
typedef struct printing {
    what_to_print what;
    int64_t top;
    const pt_model *model;
    const pt_prediction *prediction;
    double *proba; /* n x k, for PROBA */
    int64_t n;
    int64_t k;
} printing;

enum { FEW = 16 };

typedef struct scored {
    double score;
    int64_t class_index;
} scored;

/* Larger scores first; among equals the first class, as for the prediction itself. */
static int compare_scored(const void *left, const void *right)
{
    const scored *a = left;
    const scored *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return a->class_index < b->class_index ? -1 : a->class_index > b->class_index;
}

/* How many classes of a row are told. */
static int64_t told(const printing *job)
{
    return job->what == TOP && job->top < job->k ? job->top : job->k;
}

/* order[0 .. count) <- the best classes, kept in order while passing over the row. */
static void keep_best(const double *scores, int64_t k, scored *order, int64_t count)
{
    int64_t n = 0;
    for (int64_t r = 0; r < k; r++) {
        const scored next = {scores[r], r};
        if (n == count && compare_scored(&next, &order[n - 1]) > 0)
            continue;
        int64_t at = n < count ? n++ : n - 1; /* the place of the worst is free */
        for (; at > 0 && compare_scored(&next, &order[at - 1]) < 0; at--)
            order[at] = order[at - 1];
        order[at] = next;
    }
}

/* order[0 .. count) <- the best classes of a row, best first; order has room for all. */
static void sort_row(const printing *job, int64_t i, scored *order, int64_t count)
{
    const double *scores = pt_prediction_scores(job->prediction) + i * job->k;
    if (count <= FEW) {
        keep_best(scores, job->k, order, count);
        return;
    }
    for (int64_t r = 0; r < job->k; r++)
        order[r] = (scored){scores[r], r};
    qsort(order, (size_t)job->k, sizeof *order, compare_scored);
}

static void put_numbers(FILE *file, const printing *job, const double *values)
{
    for (int64_t r = 0; r < job->k; r++) {
        if (r > 0)
            putc(',', file);
        cli_put_csv(file, pt_model_class_name(job->model, r));
    }
    putc('\n', file);
    for (int64_t i = 0; i < job->n && !ferror(file); i++)
        for (int64_t r = 0; r < job->k; r++) {
            cli_put_real(file, values[i * job->k + r]);
            putc(r + 1 < job->k ? ',' : '\n', file);
        }
}

static void put_orders(FILE *file, const printing *job)
{
    const int64_t count = told(job);
    scored *order = cli_alloc(job->k, sizeof *order);
    for (int64_t i = 0; i < job->n && !ferror(file); i++) {
        sort_row(job, i, order, count);
        for (int64_t r = 0; r < count; r++) {
            if (r > 0)
                putc(job->what == RANK ? '>' : ';', file);
            cli_put_csv(file, pt_model_class_name(job->model, order[r].class_index));
        }
        putc('\n', file);
    }
    free(order);
}

static void put_labels(FILE *file, const printing *job)
{
    const int64_t *labels = pt_prediction_labels(job->prediction);
    for (int64_t i = 0; i < job->n && !ferror(file); i++) {
        cli_put_csv(file, pt_model_class_name(job->model, labels[i]));
        putc('\n', file);
    }
}

static void put_all(FILE *file, const printing *job)
{
    if (job->what == SCORES)
        put_numbers(file, job, pt_prediction_scores(job->prediction));
    else if (job->what == PROBA)
        put_numbers(file, job, job->proba);
    else if (job->what == LABELS)
        put_labels(file, job);
    else
        put_orders(file, job);
}

static json_t *json_numbers(const printing *job, const double *values)
{
    json_t *rows = json_array();
    for (int64_t i = 0; i < job->n; i++) {
        json_t *row = json_array();
        for (int64_t r = 0; r < job->k; r++)
            json_array_append_new(row, cli_json_real(values[i * job->k + r]));
        json_array_append_new(rows, row);
    }
    return rows;
}

static json_t *json_orders(const printing *job)
{
    const int64_t count = told(job);
    scored *order = cli_alloc(job->k, sizeof *order);
    json_t *rows = json_array();
    for (int64_t i = 0; i < job->n; i++) {
        json_t *row = json_array();
        sort_row(job, i, order, count);
        for (int64_t r = 0; r < count; r++)
            json_array_append_new(
                row, cli_json_text(pt_model_class_name(job->model, order[r].class_index)));
        json_array_append_new(rows, row);
    }
    free(order);
    return rows;
}

/* The predictions themselves, as members of the JSON object. */
static void json_predictions(json_t *object, const printing *job)
{
    json_t *names = json_array();
    const int64_t *labels = pt_prediction_labels(job->prediction);
    for (int64_t i = 0; i < job->n; i++)
        json_array_append_new(names, cli_json_text(pt_model_class_name(job->model, labels[i])));
    json_object_set_new(object, "labels", names);
    if (job->what == SCORES)
        json_object_set_new(object, "scores",
                            json_numbers(job, pt_prediction_scores(job->prediction)));
    else if (job->what == PROBA)
        json_object_set_new(object, "proba", json_numbers(job, job->proba));
    else if (job->what != LABELS)
        json_object_set_new(object, job->what == RANK ? "rank" : "top", json_orders(job));
}

static json_t *json_classes(const pt_model *model)
{
    json_t *classes = json_array();
    for (int64_t r = 0; r < pt_model_n_classes(model); r++)
        json_array_append_new(classes, cli_json_text(pt_model_class_name(model, r)));
    return classes;
}

static int print_json(const cli_context *context, const printing *job, const pt_dataset *data,
                      bool with_predictions)
{
    json_t *object = cli_json_object(context, job->model, context->params);
    json_t *about = cli_json_data(data);
    json_object_set_new(about, "classes", json_classes(job->model));
    json_object_set_new(object, "data", about);
    if (with_predictions)
        json_predictions(object, job);
    return cli_json_print(context, object);
}

/* What to print, from the options; an exit code or -1. */
static int choose(const cli_context *context, printing *job)
{
    static const char *const NAMES[] = {"scores", "proba", "rank", "top"};
    static const what_to_print KINDS[] = {SCORES, PROBA, RANK, TOP};
    int given = 0;
    for (int i = 0; i < 4; i++)
        if (cli_value(context, NAMES[i])) {
            job->what = KINDS[i];
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
    return -1;
}

static int make_proba(const cli_context *context, printing *job)
{
    pt_error err;
    if (job->what != PROBA)
        return CLI_DONE;
    job->proba = cli_alloc(job->n * job->k, sizeof *job->proba);
    if (pt_prediction_proba(job->prediction, job->proba, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    return CLI_DONE;
}

static int print(const cli_context *context, const printing *job, const pt_dataset *data)
{
    const char *path = cli_value(context, "output");
    if (context->json && !path)
        return print_json(context, job, data, true);
    cli_output output;
    int code = cli_output_open(context, &output, path);
    if (code != CLI_DONE)
        return code;
    put_all(output.file, job);
    code = cli_output_close(context, &output);
    if (code == CLI_DONE && context->json)
        code = print_json(context, job, data, false);
    return code;
}

static int run(cli_context *context)
{
    printing job = {.what = LABELS};
    int code = choose(context, &job);
    if (code >= 0)
        return code;
    const char *path = cli_value(context, "output");
    pt_model *model = NULL;
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    code = path ? cli_output_apart(context, path) : CLI_DONE;
    if (code == CLI_DONE)
        code = cli_load(context, context->arguments[0], &model);
    if (code == CLI_DONE)
        code = cli_predict_file(context, model, context->arguments[1], &data, &prediction);
    cli_progress_clear();
    if (code == CLI_DONE) {
        job.model = model;
        job.prediction = prediction;
        job.n = pt_prediction_n_examples(prediction);
        job.k = pt_model_n_classes(model);
        code = make_proba(context, &job);
    }
    if (code == CLI_DONE)
        code = print(context, &job, data);
    free(job.proba);
    pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
    return code;
}

const cli_command cli_predict = {
    .name = "predict",
    .arguments = "MODEL DATA [--scores|--proba|--rank|--top L] [--rounds T] [-o FILE]",
    .summary = "predict the classes of the rows of a data file",
    .description =
        "Prints one label per row of DATA, which may have a label column or not. Columns are "
        "matched "
        "with those of the model by name where both have names, else by position.\n\n"
        "Names are quoted as in CSV where they hold a comma, a quote or a line break. The first of "
        "several classes with the largest score is the prediction. Probabilities are a softmax of "
        "scaled scores: the most probable class is always the prediction.\n\n"
        "A model that was learned by rounds (boosting) can be asked what it would have said after "
        "fewer of them: --rounds T. Probabilities keep the scale that was fitted after all rounds.",
    .examples = "polytomy predict iris.model new.csv\tone label per line\n"
                "polytomy predict iris.model new.csv --proba -o proba.csv\tprobabilities\n"
                "zcat new.csv.gz | polytomy predict iris.model - --top 3\tthe three best classes\n",
    .groups = "read,run",
    .options = OPTIONS,
    .min_arguments = 2,
    .max_arguments = 2,
    .run = run,
};
