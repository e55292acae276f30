/* polytomy train --online: a stream becomes a model file. */
#include "cli.h"

#include <string.h>
#include <unistd.h>

static double share(int64_t part, int64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

/* What a stream has been like so far; to be freed. */
static pt_report *about(const pt_online *online)
{
    pt_report *report = NULL;
    if (pt_online_report(&report, online, NULL) != PT_OK)
        cli_no_memory();
    return report;
}

static void print_line(FILE *file, int64_t rows, int64_t errors, int64_t since_rows,
                       int64_t since_errors, const pt_report *seen)
{
    fprintf(file, "%12lld %9.2f %9.2f %8lld %10lld\n", (long long)rows, 100 * share(errors, rows),
            100 * share(errors - since_errors, rows - since_rows),
            (long long)pt_report_integer(seen, "n_classes"),
            (long long)pt_report_integer(seen, "n_features"));
}

/* From 1024 examples on: the first say little. */
static void tell_point(const pt_online *online, void *user)
{
    const cli_context *context = user;
    pt_report *seen = about(online);
    const int64_t rows = pt_report_integer(seen, "n_examples");
    const int64_t last = pt_report_length(seen, "errors") - 1;
    if (!context->quiet && rows == 1024)
        fprintf(stderr, "%12s %9s %9s %8s %10s\n", "examples", "error %", "since %", "classes",
                "features");
    if (!context->quiet && rows >= 1024)
        print_line(stderr, rows, pt_report_integer(seen, "n_errors"), rows / 2,
                   pt_report_integer_at(seen, "errors", last - 1, 0, 0), seen);
    pt_report_free(seen);
}

static json_t *points(const pt_report *seen)
{
    json_t *list = json_array();
    for (int64_t p = 0; p < pt_report_length(seen, "errors"); p++) {
        const int64_t rows = (int64_t)1 << p;
        json_array_append_new(
            list, json_pack("{s:I, s:f}", "examples", (json_int_t)rows, "error",
                            share(pt_report_integer_at(seen, "errors", p, 0, 0), rows)));
    }
    return list;
}

static int tell(const cli_context *context, const pt_report *seen, const pt_model *model,
                const char *path)
{
    const int64_t n = pt_report_integer(seen, "n_examples");
    const double error = share(pt_report_integer(seen, "n_errors"), n);
    if (context->json) {
        json_t *object = cli_json_object(context, model, context->params);
        json_object_set_new(object, "data",
                            json_pack("{s:I, s:I, s:I}", "n", (json_int_t)n, "d",
                                      (json_int_t)pt_report_integer(seen, "n_features"), "classes",
                                      (json_int_t)pt_report_integer(seen, "n_classes")));
        pt_report *found = cli_about_model(model);
        json_object_set_new(object, "limited", cli_json_text(pt_report_text(found, "limited")));
        pt_report_free(found);
        json_object_set_new(object, "progressive_error", json_real(error));
        json_object_set_new(object, "progressive", points(seen));
        json_object_set_new(object, "model", cli_json_text(path));
        return cli_json_print(context, object);
    }
    if (context->quiet)
        return CLI_DONE;
    const int64_t d = pt_report_integer(seen, "n_features");
    const int64_t k = pt_report_integer(seen, "n_classes");
    printf("%s: %lld example%s, %lld feature%s, %lld class%s\n", context->arguments[0],
           (long long)n, n == 1 ? "" : "s", (long long)d, d == 1 ? "" : "s", (long long)k,
           k == 1 ? "" : "es");
    cli_print_machine(stdout, model, NULL);
    printf("progressive error: %.2f %% (%lld of %lld, each before it was learned from)\n",
           100 * error, (long long)pt_report_integer(seen, "n_errors"), (long long)n);
    printf("wrote %s after %s\n", path, CLI_SHOW_SECONDS(cli_seconds() - context->started));
    return CLI_DONE;
}

int cli_train_online(cli_context *context, const char *path)
{
    const char *resume = pt_params_get(context->params, "resume");
    pt_error err = PT_ERROR_INIT;
    pt_online *online = NULL;
    pt_model *model = NULL;
    if (*resume && cli_output_check(context, resume) != CLI_DONE)
        return CLI_FAILED; /* rather than after hours */
    const bool goes_on = *resume && access(resume, F_OK) == 0;
    pt_status status = goes_on ? pt_online_load(&online, resume, context->params, &err)
                               : pt_online_new(&online, context->params, &err);
    if (status != PT_OK)
        return cli_fail_status(context, &err);
    if (goes_on && !context->quiet) {
        pt_report *before = about(online);
        fprintf(stderr, "%s: going on after %lld examples\n", resume,
                (long long)pt_report_integer(before, "n_examples"));
        pt_report_free(before);
    }
    const double begin = cli_seconds();
    status =
        pt_online_read(online, context->arguments[0], tell_point, context, context->task, &err);
    context->seconds_train = cli_seconds() - begin;
    if (status == PT_OK)
        status = pt_online_model(&model, online, &err);
    if (status == PT_OK) {
        pt_report *found = cli_about_model(model);
        (void)cli_tell_warnings(context, found, 0);
        pt_report_free(found);
    }
    if (status == PT_OK)
        status = pt_model_save(model, path, &err);
    if (status == PT_OK)
        cli_in_place(path);
    cli_progress_clear();
    pt_report *seen = about(online);
    const int code =
        status == PT_OK ? tell(context, seen, model, path) : cli_fail(context, &err, CLI_FAILED);
    pt_report_free(seen);
    pt_model_free(model);
    pt_online_free(online);
    return code;
}
