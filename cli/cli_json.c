/* The JSON object that every command prints with --json. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

enum { SCHEMA = 1 }; /* raised when a field changes its meaning, not when one is added */

json_t *cli_json_text(const char *text)
{
    static const char REPLACEMENT[] = "\xef\xbf\xbd";
    if (!text)
        return json_null();
    json_t *plain = json_string(text);
    if (plain)
        return plain;
    char *mended = cli_alloc((int64_t)strlen(text) * 3 + 1, 1);
    char *out = mended;
    while (*text) {
        const int length = cli_utf8_length(text);
        memcpy(out, length ? text : REPLACEMENT, length ? (size_t)length : 3);
        out += length ? length : 3;
        text += length ? length : 1;
    }
    plain = json_string(mended);
    free(mended);
    return plain;
}

json_t *cli_json_real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *cli_json_error(const pt_error *err)
{
    json_t *object = json_object();
    json_object_set_new(object, "error_code", json_string(pt_status_name(err->code)));
    json_object_set_new(object, "text", cli_json_text(err->text));
    json_object_set_new(object, "file", err->file[0] ? cli_json_text(err->file) : json_null());
    json_object_set_new(object, "line", err->line ? json_integer(err->line) : json_null());
    json_object_set_new(object, "column", err->column ? json_integer(err->column) : json_null());
    return object;
}

/* b^e for whole e, as people write grids: 2^-4. */
static bool whole_power(const char *text, double *value)
{
    char *end = NULL;
    const double base = strtod(text, &end);
    if (end == text || *end != '^')
        return false;
    const char *digits = end + 1;
    const long exponent = strtol(digits, &end, 10);
    if (end == digits || *end != '\0' || labs(exponent) > 2000)
        return false;
    double power = 1;
    for (long i = labs(exponent); i > 0; i--)
        power *= base;
    *value = exponent < 0 ? 1 / power : power;
    return isfinite(*value);
}

/* A number where the parameter is one and its text is a number, else text. */
static json_t *param_value(const char *type, const char *text)
{
    char *end = NULL;
    errno = 0;
    if (strcmp(type, "integer") == 0) {
        const long long whole = strtoll(text, &end, 10);
        if (*text && *end == '\0' && errno == 0)
            return json_integer(whole);
    }
    if (strcmp(type, "integer") == 0 || strcmp(type, "real") == 0) {
        double number = strtod(text, &end);
        if (*text && (*end == '\0' || whole_power(text, &number)) && isfinite(number))
            return json_real(number);
    }
    if (strcmp(type, "flag") == 0)
        return json_boolean(cli_in_list("yes|true|1", '|', text));
    return cli_json_text(text);
}

/* Parameters of the model, and those that the command could be given. */
json_t *cli_json_params(const cli_context *context, const pt_model *model, const pt_params *params)
{
    json_t *object = json_object();
    for (int64_t i = 0; i < cli_param_count(); i++) {
        const char *name = cli_param_name(i);
        const bool of_model = cli_in_list("machine,kernel,prepare", ',', cli_param_group(i));
        const char *text = model && of_model ? pt_model_param(model, name) : NULL;
        if (!text && !cli_takes_param(context->command, i))
            continue;
        if (!text)
            text = pt_params_get(params, name);
        json_object_set_new(object, name, param_value(cli_param_type(i), text));
    }
    return object;
}

static void set_seconds(json_t *seconds, const char *name, double value)
{
    if (value >= 0)
        json_object_set_new(seconds, name, json_real(value));
}

json_t *cli_json_object(const cli_context *context, const pt_model *model, const pt_params *params)
{
    json_t *object = json_object();
    json_object_set_new(object, "schema", json_integer(SCHEMA));
    json_object_set_new(object, "version", json_string(pt_version()));
    json_object_set_new(object, "command", json_string(context->command->name));
    if (model || params) {
        json_t *values = cli_json_params(context, model, params);
        json_object_set(object, "machine", json_object_get(values, "machine"));
        json_object_set_new(object, "parameters", values);
    }
    json_t *seconds = json_object();
    set_seconds(seconds, "read", context->seconds_read);
    set_seconds(seconds, "train", context->seconds_train);
    set_seconds(seconds, "predict", context->seconds_predict);
    set_seconds(seconds, "total", cli_seconds() - context->started);
    json_object_set_new(object, "seconds", seconds);
    json_object_set(object, "warnings", context->warnings);
    json_object_set(object, "warning_kinds", context->warning_kinds);
    return object;
}

json_t *cli_json_data(const pt_dataset *data)
{
    json_t *object = json_object();
    json_t *classes = json_array();
    for (int64_t r = 0; r < pt_dataset_n_classes(data); r++)
        json_array_append_new(classes, cli_json_text(pt_dataset_class_name(data, r)));
    json_object_set_new(object, "n", json_integer(pt_dataset_n_examples(data)));
    json_object_set_new(object, "d", json_integer(pt_dataset_n_features(data)));
    json_object_set_new(object, "classes", classes);
    pt_report *about = cli_about_data(data);
    const char *label = pt_report_text(about, "label_name");
    const int64_t column = pt_report_integer(about, "label_column");
    json_object_set_new(object, "label",
                        label        ? cli_json_text(label)
                        : column > 0 ? json_integer(column)
                                     : json_null());
    const char *kind = pt_dataset_label_kind(data);
    if (kind && strcmp(kind, "class") != 0)
        json_object_set_new(object, "labels", json_string(kind));
    pt_report_free(about);
    return object;
}

char *cli_json_dump(json_t *object)
{
    char *text = json_dumps(object, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
    json_decref(object);
    return text;
}

int cli_json_put(const cli_context *context, const char *text)
{
    errno = 0;
    if (puts(text) == EOF || fflush(stdout) != 0) {
        const int reason = errno;
        cli_context plain = *context;
        plain.json = false; /* it cannot be told there */
        return cli_fail_output(&plain, reason);
    }
    return CLI_DONE;
}

int cli_json_print(const cli_context *context, json_t *object)
{
    char *text = cli_json_dump(object);
    const int code = cli_json_put(context, text);
    free(text);
    return code;
}
