/* Steps that several commands take: read, load, predict, train, tell. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli.h"

#define LEAST_SECONDS 1e-9 /* a limit of 0 would be none */

static void tell_data_warnings(cli_context *context, const pt_dataset *data)
{
    pt_report *about = cli_about_data(data);
    cli_hold_warnings(context, "", about);
    pt_report_free(about);
    cli_tell_held(context);
}

int cli_read(cli_context *context, const char *path, pt_dataset **out)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    if (pt_dataset_read(out, path, context->params, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    context->seconds_read = cli_seconds() - begin;
    tell_data_warnings(context, *out);
    return CLI_DONE;
}

int cli_read_first(cli_context *context, const char *path, pt_dataset **out)
{
    cli_progress_part(context, CLI_READING, false);
    const int code = cli_read(context, path, out);
    cli_progress_part(context, 1, false);
    return code;
}

int cli_read_places(cli_context *context, const char *path, pt_dataset **out, pt_report **places)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    cli_progress_part(context, CLI_READING, false);
    if (pt_dataset_read_places(out, places, path, context->params, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    context->seconds_read = cli_seconds() - begin;
    tell_data_warnings(context, *out);
    cli_progress_part(context, 1, false);
    return CLI_DONE;
}

int cli_load(cli_context *context, const char *path, pt_model **out)
{
    pt_error err = PT_ERROR_INIT;
    if (strcmp(path, "-") == 0)
        return cli_usage(context, "a model is read from a file, not from standard input");
    if (pt_model_load(out, path, NULL, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    return CLI_DONE;
}

bool cli_is_model(const char *path)
{
    static const char MAGIC[] = "POLYTOMY";
    char begin[sizeof MAGIC - 1];
    struct stat there;
    if (strcmp(path, "-") == 0 || stat(path, &there) != 0 || !S_ISREG(there.st_mode))
        return false;
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    const size_t got = fread(begin, 1, sizeof begin, file);
    fclose(file);
    return got == sizeof begin && memcmp(begin, MAGIC, sizeof begin) == 0;
}

int cli_rounds(const cli_context *context, const pt_model *model, int64_t *rounds)
{
    const char *text = cli_value(context, "rounds");
    const int64_t most = cli_model_rounds(model);
    *rounds = -1;
    if (!text)
        return CLI_DONE;
    char *end = NULL;
    *rounds = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return cli_usage(context, "--rounds: '%.60s' is not a whole number >= 0", text);
    if (most == 0)
        return cli_usage(context, "--rounds: the model was not learned by rounds; boosting is");
    if (*rounds > most)
        return cli_usage(context, "--rounds: %.60s rounds: the model has %lld", text,
                         (long long)most);
    return CLI_DONE;
}

bool cli_is_too_large(const cli_context *context, const char *path, pt_status status)
{
    return status == PT_EMEMORY && strcmp(path, "-") != 0 &&
           pt_task_seconds_left(context->task) > 0;
}

int cli_read_for(cli_context *context, const pt_model *model, const char *path, pt_dataset **data)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    cli_progress_part(context, CLI_READING, false);
    if (pt_model_read(data, model, path, context->params, context->task, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    tell_data_warnings(context, *data);
    context->seconds_read = cli_seconds() - begin;
    cli_progress_part(context, 1, false);
    return CLI_DONE;
}

int cli_predict_file(cli_context *context, const pt_model *model, const char *path,
                     pt_dataset **data, pt_prediction **prediction, bool *too_large)
{
    pt_error err = PT_ERROR_INIT;
    int64_t rounds = -1;
    const int code = cli_rounds(context, model, &rounds);
    if (code != CLI_DONE)
        return code;
    const double begin = cli_seconds();
    cli_progress_part(context, CLI_READING, false);
    pt_status status = pt_model_read(data, model, path, context->params, context->task, &err);
    *too_large = cli_is_too_large(context, path, status);
    if (status != PT_OK)
        return *too_large ? CLI_FAILED : cli_fail(context, &err, CLI_FAILED);
    tell_data_warnings(context, *data);
    const double middle = cli_seconds();
    context->seconds_read = middle - begin;
    cli_progress_part(context, 1, false);
    status = pt_model_predict(prediction, model, *data, rounds, context->task, &err);
    *too_large = cli_is_too_large(context, path, status);
    if (status != PT_OK)
        return *too_large ? CLI_FAILED : cli_fail(context, &err, CLI_FAILED);
    context->seconds_predict = cli_seconds() - middle;
    pt_report *about = NULL;
    if (pt_prediction_report(&about, *prediction, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    cli_hold_warnings(context, "", about);
    pt_report_free(about);
    cli_tell_held(context);
    return CLI_DONE;
}

static const char *plural(int64_t count)
{
    return count == 1 ? "" : "s";
}

/* ", label: class" or ", label: column 5" */
static void print_label(FILE *file, const pt_report *about)
{
    const char *name = pt_report_text(about, "label_name");
    const int64_t column = pt_report_integer(about, "label_column");
    const int64_t columns = pt_report_integer(about, "n_label_columns");
    const char *kind = pt_report_text(about, "labels");
    if (kind && strcmp(kind, "class") != 0)
        fprintf(file, ", labels of kind %s", kind);
    if (columns > 0)
        fprintf(file, " in %lld columns", (long long)columns);
    if (name) {
        fputs(", label: ", file);
        cli_put_safe(file, name);
    } else if (column > 0) {
        fprintf(file, ", label: column %lld", (long long)column);
    }
}

void cli_print_data(const cli_context *context, FILE *file, const char *path,
                    const pt_dataset *data)
{
    cli_print_rows(context, file, path, pt_dataset_n_examples(data), data);
}

void cli_print_rows(const cli_context *context, FILE *file, const char *path, int64_t n,
                    const pt_dataset *data)
{
    if (context->quiet)
        return;
    const int64_t d = pt_dataset_n_features(data);
    const int64_t k = pt_dataset_n_classes(data);
    cli_put_safe(file, strcmp(path, "-") == 0 ? "standard input" : path);
    fprintf(file, ": %lld row%s, %lld column%s", (long long)n, plural(n), (long long)d, plural(d));
    if (k > 0)
        fprintf(file, ", %lld class%s", (long long)k, k == 1 ? "" : "es");
    pt_report *about = cli_about_data(data);
    print_label(file, about);
    fprintf(file, "%s\n", pt_report_integer(about, "sparse") ? ", sparse" : "");
    for (int64_t i = 0; i < pt_report_length(about, "note"); i++) {
        fputs("read as ", file);
        cli_put_safe(file, pt_report_text_at(about, "note", i, 0, 0));
        fputc('\n', file);
    }
    pt_report_free(about);
}

/* Worth a word: chosen by us (the default is auto) or not the default. */
static bool worth_telling(int64_t param, const char *value)
{
    const char *standard = cli_param_default(param);
    if (!value || !*value || strcmp(value, "auto") == 0 || strcmp(value, "unset") == 0)
        return false;
    return strcmp(standard, "auto") == 0 || strcmp(standard, value) != 0;
}

/* 0.10000000000000001 is 0.1 for a person. */
static void put_short(FILE *file, int64_t param, const char *value)
{
    char *end = NULL;
    const double number = strtod(value, &end);
    if (strcmp(cli_param_type(param), "real") == 0 && *value && *end == '\0')
        fprintf(file, "%.6g", number);
    else
        cli_put_safe(file, value);
}

static const char *param_of(const pt_model *model, const pt_params *params, const char *name)
{
    return model ? pt_model_param(model, name) : pt_params_get(params, name);
}

void cli_print_machine(FILE *file, const pt_model *model, const pt_params *params)
{
    const char *machine = param_of(model, params, "machine");
    fputs(machine ? machine : "machine", file);
    const char *separator = ": ";
    for (int64_t i = 0; i < cli_param_count(); i++) {
        const char *name = cli_param_name(i);
        const char *value = param_of(model, params, name);
        if (strcmp(name, "machine") == 0 ||
            !cli_in_list("machine,kernel,prepare", ',', cli_param_group(i)) ||
            !worth_telling(i, value))
            continue;
        fprintf(file, "%s%s ", separator, name);
        put_short(file, i, value);
        separator = ", ";
    }
    putc('\n', file);
}

int cli_train_model(cli_context *context, const pt_dataset *data, const pt_dataset *valid,
                    const pt_params *params, pt_model **out)
{
    pt_error err = PT_ERROR_INIT;
    const double begin = cli_seconds();
    cli_progress_part(context, 1, true);
    const pt_status status =
        valid ? pt_model_train_validated(out, data, valid, params, context->task, &err)
              : pt_model_train(out, data, params, context->task, &err);
    if (status != PT_OK)
        return cli_fail_status(context, &err);
    context->seconds_train = cli_seconds() - begin;
    pt_report *about = cli_about_model(*out);
    cli_hold_warnings(context, "", about);
    pt_report_free(about);
    cli_tell_held(context);
    return CLI_DONE;
}

double cli_lend_time(cli_context *context, double share)
{
    const double left = pt_task_seconds_left(context->task);
    if (isfinite(left))
        (void)pt_task_set(context->task, "time", fmax(share * left, LEAST_SECONDS), NULL);
    return cli_seconds() + left;
}

void cli_return_time(cli_context *context, double end)
{
    if (isfinite(end))
        (void)pt_task_set(context->task, "time", fmax(end - cli_seconds(), LEAST_SECONDS), NULL);
}

int cli_train_and_save(cli_context *context, const pt_dataset *data, const pt_params *params,
                       const char *path, pt_model **out)
{
    pt_error err = PT_ERROR_INIT;
    const int code = cli_train_model(context, data, NULL, params, out);
    if (code != CLI_DONE)
        return code;
    if (pt_model_save(*out, path, &err) != PT_OK)
        return cli_fail(context, &err, CLI_FAILED);
    cli_in_place(path);
    return CLI_DONE;
}

int64_t cli_n_machines(const cli_context *context)
{
    return context->n_machines > 1 ? context->n_machines : 1;
}

const char *cli_machine_name(const cli_context *context, int64_t machine)
{
    return context->n_machines > 0 ? context->machines[machine]
                                   : pt_params_get(context->params, "machine");
}

int cli_machines(cli_context *context, pt_params ***params)
{
    pt_error err = PT_ERROR_INIT;
    pt_params **all = cli_alloc(cli_n_machines(context), sizeof *all);
    const pt_status status = context->n_machines > 1
                                 ? pt_params_for_machines(all, context->params, context->machines,
                                                          context->n_machines, &err)
                                 : pt_params_copy(&all[0], context->params, &err);
    if (status != PT_OK) {
        free(all);
        return cli_fail_status(context, &err);
    }
    *params = all;
    return CLI_DONE;
}

void cli_machines_free(const cli_context *context, pt_params **params)
{
    for (int64_t m = 0; params && m < cli_n_machines(context); m++)
        pt_params_free(params[m]);
    free(params);
}
