/* Output: errors for people and programs, files that appear whole or not at all. */
#define _DEFAULT_SOURCE 1 /* realpath, which POSIX alone does not have */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli.h"

/* The output that stands in its place already; NULL: none. */
static const char *in_place;

void cli_in_place(const char *path)
{
    in_place = path;
}

/* Other threads may be at work: nothing is tidied up but what would stay on the disk. */
_Noreturn void cli_no_memory(void)
{
    cli_progress_clear();
    fflush(stdout);
    if (in_place)
        fprintf(stderr, "warning: '%s' is written, but there is no memory to tell about it\n",
                in_place);
    else
        fprintf(stderr, "polytomy: no memory\n");
    cli_progress_leave(in_place ? CLI_DONE : CLI_FAILED);
}

void *cli_alloc(int64_t count, size_t size)
{
    void *block = calloc(count > 0 ? (size_t)count : 1, size);
    if (!block)
        cli_no_memory();
    return block;
}

void *cli_json_alloc(size_t size)
{
    void *block = malloc(size);
    if (!block)
        cli_no_memory();
    return block;
}

char *cli_format(const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const int length = vsnprintf(NULL, 0, format, args);
    va_end(args);
    char *text = cli_alloc((int64_t)length + 1, 1);
    va_start(args, format);
    vsnprintf(text, (size_t)length + 1, format, args);
    va_end(args);
    return text;
}

int cli_utf8_length(const char *at)
{
    static const unsigned FIRST[] = {0, 0, 0x80, 0x800, 0x10000}; /* smallest code of a length */
    const unsigned char *text = (const unsigned char *)at;
    if (text[0] < 0x80)
        return 1;
    const int length = text[0] >= 0xf0 ? 4 : text[0] >= 0xe0 ? 3 : 2;
    if (text[0] < 0xc2 || text[0] > 0xf4)
        return 0;
    unsigned code = text[0] & (0xffu >> (length + 1));
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (text[i] & 0x3fu);
    }
    const bool surrogate = code >= 0xd800 && code < 0xe000;
    return code >= FIRST[length] && code <= 0x10ffff && !surrogate ? length : 0;
}

enum { CHARACTER_SHOWN = 8 };

/* out <- the character at `text` as it is shown; returns its bytes there. */
static int show_character(char out[CHARACTER_SHOWN], const char *text, bool one_line)
{
    const unsigned char c = (unsigned char)*text;
    const int length = cli_utf8_length(text);
    const bool line = c == '\n' || c == '\t';
    const unsigned code = length == 2 && c == 0xc2 ? (unsigned char)text[1] : c; /* below 256 */
    if (line && one_line)
        snprintf(out, CHARACTER_SHOWN, c == '\n' ? "\\n" : "\\t");
    else if ((c < 0x20 && !line) || c == 0x7f || (code >= 0x80 && code < 0xa0))
        snprintf(out, CHARACTER_SHOWN, "\\x%02x", code);
    else if (length > 0)
        snprintf(out, CHARACTER_SHOWN, "%.*s", length, text);
    else
        snprintf(out, CHARACTER_SHOWN, "%c%c", 0xc0 | c >> 6, 0x80 | (c & 0x3f));
    return length > 0 ? length : 1;
}

void cli_put_safe(FILE *file, const char *text)
{
    char shown[CHARACTER_SHOWN];
    while (*text) {
        text += show_character(shown, text, false);
        fputs(shown, file);
    }
}

void cli_put_name(FILE *file, const char *text)
{
    char shown[CHARACTER_SHOWN];
    while (*text) {
        text += show_character(shown, text, true);
        fputs(shown, file);
    }
}

static int width_of(const char *shown)
{
    return shown[0] == '\\' ? (int)strlen(shown) : 1;
}

int cli_text_width(const char *text)
{
    char shown[CHARACTER_SHOWN];
    int width = 0;
    while (*text) {
        text += show_character(shown, text, false);
        width += width_of(shown);
    }
    return width;
}

int cli_text_cut(const char *text, int columns)
{
    char shown[CHARACTER_SHOWN];
    int bytes = 0;
    while (text[bytes]) {
        const int length = show_character(shown, text + bytes, false);
        columns -= width_of(shown);
        if (columns < 0)
            break;
        bytes += length;
    }
    return bytes;
}

static void print_error(const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    cli_progress_clear();
    fflush(stdout);
    cli_put_safe(stderr, pt_error_message(err, message, sizeof message));
    putc('\n', stderr);
}

static int fail(const cli_context *context, const pt_error *err, int code)
{
    print_error(err);
    if (context->json)
        (void)cli_json_print(context, cli_json_error(err));
    return code;
}

int cli_fail(const cli_context *context, const pt_error *err, int code)
{
    pt_error in_words = *err;
    char *text = cli_words(err->text);
    snprintf(in_words.text, sizeof in_words.text, "%s", text);
    free(text);
    return fail(context, &in_words, code);
}

int cli_fail_status(const cli_context *context, const pt_error *err)
{
    return cli_fail(context, err, err->code == PT_EINVAL ? CLI_USAGE : CLI_FAILED);
}

int cli_fail_text(const cli_context *context, const char *file, const char *format, ...)
{
    pt_error err = {.code = PT_EIO};
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    snprintf(err.file, sizeof err.file, "%s", file);
    return fail(context, &err, CLI_FAILED);
}

bool cli_reader_gone(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&output, 1, 0) == 1 && (output.revents & (POLLERR | POLLHUP)) != 0;
}

int cli_fail_output(const cli_context *context, int reason)
{
    if (reason == EPIPE || cli_reader_gone())
        return CLI_FAILED;
    return cli_fail_text(context, "standard output", "cannot write: %s",
                         reason ? strerror(reason) : "an earlier write failed");
}

int cli_usage(const cli_context *context, const char *format, ...)
{
    pt_error err = {.code = PT_EINVAL};
    va_list args;
    va_start(args, format);
    vsnprintf(err.text, sizeof err.text, format, args);
    va_end(args);
    const int code = fail(context, &err, CLI_USAGE);
    const cli_command *command = context->command;
    if (command)
        fprintf(stderr, "usage: polytomy %s%s%s\n       more with 'polytomy help %s'\n",
                command->name, *command->arguments ? " " : "", command->arguments, command->name);
    return code;
}

/* Remembers a warning; true if it was there. */
static bool said_before(cli_context *context, const char *kind, const char *text)
{
    json_t *said = cli_json_text(text);
    for (size_t i = 0; i < json_array_size(context->warnings); i++)
        if (json_equal(json_array_get(context->warnings, i), said)) {
            json_decref(said);
            return true;
        }
    json_array_append_new(context->warnings, said);
    json_array_append_new(context->warning_kinds, json_string(kind));
    return false;
}

enum { WARNING_BYTES = 1200 };

static void hold(cli_context *context, const char *kind, const char *format, va_list args)
{
    char text[WARNING_BYTES];
    vsnprintf(text, sizeof text, format, args);
    if (!said_before(context, kind, text))
        json_array_append_new(context->held, cli_json_text(text));
}

void cli_hold_warning(cli_context *context, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hold(context, kind, format, args);
    va_end(args);
}

/* The text without numbers and without what is in quotes. */
static void shape_of(const char *text, char shape[WARNING_BYTES])
{
    size_t used = 0;
    for (const char *p = text; *p && used + 1 < WARNING_BYTES; p++) {
        const char *close = *p == '\'' ? strchr(p + 1, '\'') : NULL;
        if (close)
            p = close;
        else if (!isdigit((unsigned char)*p))
            shape[used++] = *p;
    }
    shape[used] = '\0';
}

void cli_tell_held(cli_context *context)
{
    json_t *counts = json_object(); /* of each shape */
    char shape[WARNING_BYTES];
    for (size_t i = 0; i < json_array_size(context->held); i++) {
        shape_of(json_string_value(json_array_get(context->held, i)), shape);
        const json_int_t count = json_integer_value(json_object_get(counts, shape));
        json_object_set_new_nocheck(counts, shape, json_integer(count + 1));
    }
    for (size_t i = 0; i < json_array_size(context->held) && !context->quiet; i++) {
        const char *text = json_string_value(json_array_get(context->held, i));
        shape_of(text, shape);
        const json_int_t count = json_integer_value(json_object_get(counts, shape));
        if (count == 0 && !context->verbose)
            continue;
        cli_progress_clear();
        fputs("warning: ", stderr);
        cli_put_safe(stderr, text);
        if (count > 1 && !context->verbose)
            fprintf(stderr, " (and %lld more of this kind; -v shows them)", (long long)count - 1);
        putc('\n', stderr);
        json_object_set_new_nocheck(counts, shape, json_integer(0));
    }
    json_decref(counts);
    json_array_clear(context->held);
}

void cli_warn(cli_context *context, const char *kind, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    hold(context, kind, format, args);
    va_end(args);
    cli_tell_held(context);
}

/* ---- files ----------------------------------------------------------------------------------- */

static bool is_standard(const char *path)
{
    return !path || strcmp(path, "-") == 0;
}

static void output_clear(cli_output *output)
{
    cli_progress_temporary(NULL);
    free(output->path);
    free(output->temporary);
    *output = (cli_output){NULL, NULL, NULL};
}

static bool is_there(const char *path, int descriptor)
{
    struct stat named;
    struct stat opened;
    return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* What a killed process has left; who writes such a file holds a lock on it. */
static void remove_stale(const char *path)
{
    struct stat there;
    if (lstat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_uid != geteuid())
        return;
    const int descriptor = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0)
        return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_there(path, descriptor))
        unlink(path);
    close(descriptor);
}

/* The descriptor, or -1 with errno. Who write the same output at the same time have names with
 * different numbers. The library's files are written in the same way. */
static int create_temporary(cli_output *output)
{
    enum { NAMES = 100, NAME_KEPT = 200 }; /* a long name leaves no room for an ending */
    const char *slash = strrchr(output->path, '/');
    const int folder = slash ? (int)(slash - output->path) + 1 : 0;
    for (int number = 0; number < NAMES; number++) {
        free(output->temporary);
        output->temporary = cli_format("%.*s%.*s.polytomy-%d.tmp", folder, output->path, NAME_KEPT,
                                       output->path + folder, number);
        remove_stale(output->temporary);
        const int descriptor =
            open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor < 0 && errno != EEXIST)
            return -1;
        if (descriptor < 0)
            continue;
        const bool taken = flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (!taken && is_there(output->temporary, descriptor))
            return descriptor;
        close(descriptor); /* another process has taken it for stale */
    }
    return -1;
}

int cli_output_open(const cli_context *context, cli_output *output, const char *path)
{
    *output = (cli_output){stdout, NULL, NULL};
    if (is_standard(path))
        return CLI_DONE;
    struct stat there;
    const bool replaces = stat(path, &there) == 0;
    char *file = replaces ? realpath(path, NULL) : NULL; /* a link stays, its file is replaced */
    output->path = cli_format("%s", file ? file : path);
    free(file);
    int descriptor = -1;
    if (replaces && !S_ISREG(there.st_mode)) {
        descriptor = open(path, O_WRONLY | O_CLOEXEC); /* a device or a pipe: nothing to rename */
    } else if (!replaces || access(path, W_OK) == 0) {
        descriptor = create_temporary(output);
        if (descriptor >= 0)
            cli_progress_temporary(output->temporary);
        if (descriptor >= 0 && replaces) {
            const int given = fchown(descriptor, there.st_uid, there.st_gid);
            (void)given; /* not allowed to: then it is ours */
            (void)fchmod(descriptor, there.st_mode & 0777);
        }
    }
    output->file = descriptor >= 0 ? fdopen(descriptor, "w") : NULL;
    if (output->file)
        return CLI_DONE;
    const int reason = errno;
    if (descriptor >= 0)
        close(descriptor);
    output_clear(output);
    return cli_fail_text(context, path, "cannot create it: %s", strerror(reason));
}

void cli_output_abandon(cli_output *output)
{
    if (output->temporary)
        unlink(output->temporary); /* while the lock is held */
    if (output->path && output->file)
        fclose(output->file);
    output_clear(output);
}

int cli_output_close(const cli_context *context, cli_output *output)
{
    errno = 0;
    bool failed = fflush(output->file) != 0 || ferror(output->file);
    if (!output->path) {
        const int why = errno;
        output_clear(output);
        return failed ? cli_fail_output(context, why) : CLI_DONE;
    }
    failed = failed || (output->temporary && fsync(fileno(output->file)) != 0);
    int reason = errno;
    const int lock = output->temporary ? dup(fileno(output->file)) : -1; /* until it has its name */
    if (fclose(output->file) != 0 && !failed) {
        failed = true;
        reason = errno;
    }
    output->file = NULL;
    if (!failed && output->temporary && rename(output->temporary, output->path) != 0) {
        failed = true;
        reason = errno;
    }
    int code = CLI_DONE;
    if (failed) {
        code = cli_fail_text(context, output->path, "cannot write: %s",
                             reason ? strerror(reason) : "an earlier write failed");
        cli_output_abandon(output);
    } else {
        output_clear(output);
    }
    if (lock >= 0)
        close(lock);
    return code;
}

int cli_output_check(const cli_context *context, const char *path)
{
    struct stat there;
    if (is_standard(path))
        return CLI_DONE;
    if (stat(path, &there) == 0) {
        if (S_ISDIR(there.st_mode))
            return cli_fail_text(context, path, "it is a folder; give the name of a file");
        if (!S_ISREG(there.st_mode))
            return CLI_DONE;
    }
    char *copy = cli_format("%s", path);
    const char *folder = dirname(copy);
    const bool writable = access(folder, W_OK | X_OK) == 0;
    const int reason = errno;
    int code = CLI_DONE;
    if (!writable)
        code = cli_fail_text(context, path, "cannot write into the folder '%s': %s", folder,
                             strerror(reason));
    free(copy);
    return code;
}

bool cli_same_place(const char *a, const char *b)
{
    struct stat of_a;
    struct stat of_b;
    const bool a_there = stat(a, &of_a) == 0;
    const bool b_there = stat(b, &of_b) == 0;
    if (strcmp(a, b) == 0)
        return true;
    if (a_there || b_there)
        return a_there && b_there && of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    const char *a_last = strrchr(a, '/');
    const char *b_last = strrchr(b, '/');
    if (strcmp(a_last ? a_last + 1 : a, b_last ? b_last + 1 : b) != 0)
        return false;
    char *a_copy = cli_format("%s", a);
    char *b_copy = cli_format("%s", b);
    const bool same = stat(dirname(a_copy), &of_a) == 0 && stat(dirname(b_copy), &of_b) == 0 &&
                      of_a.st_dev == of_b.st_dev && of_a.st_ino == of_b.st_ino;
    free(a_copy);
    free(b_copy);
    return same;
}

/* The value of a parameter that may be a word in place of a file, as in --code ova. */
static bool is_word(const char *value)
{
    if (cli_in_list("none,rbf,poly", ',', value))
        return true;
    for (int64_t i = 0; i < cli_registry_count("codes"); i++)
        if (strcmp(cli_registry_name("codes", i), value) == 0)
            return true;
    return false;
}

/* Options whose files are written beside -o; those of all others are read. */
static const char WRITTEN[] = "predictions,range";

static int refuse_replaced(const cli_context *context, const char *path)
{
    return cli_usage(context, "the output would replace the file that is read, '%.200s'", path);
}

/* --costs, --code, --label-kernel, --start and their like. */
static int apart_of_params(const cli_context *context, const pt_params *params, const char *path)
{
    for (int64_t i = 0; i < cli_param_count(); i++) {
        const char *value = pt_params_get(params, cli_param_name(i));
        if (!cli_in_list("path,matrix", ',', cli_param_kind(i)) || !*value || is_word(value))
            continue;
        if (!cli_same_place(value, path))
            continue;
        if (strcmp(cli_param_name(i), "resume") == 0)
            return cli_usage(context, "-o and --resume name the same file, '%.200s'", path);
        return refuse_replaced(context, value);
    }
    return CLI_DONE;
}

static int apart_of_machines(cli_context *context, const char *path)
{
    pt_params **params = NULL;
    int code = cli_machines(context, &params);
    for (int64_t m = 0; params && m < cli_n_machines(context) && code == CLI_DONE; m++)
        code = apart_of_params(context, params[m], path);
    cli_machines_free(context, params);
    return code;
}

static int apart_of_options(const cli_context *context, const char *path)
{
    for (int i = 0; context->command->options[i].name; i++) {
        const cli_option *option = &context->command->options[i];
        const char *value = context->values[i];
        if (!value || value == path || !option->value || strcmp(option->name, "output") == 0 ||
            !cli_in_list("FILE,DATA", ',', option->value) || !cli_same_place(value, path))
            continue;
        if (cli_in_list(WRITTEN, ',', option->name))
            return cli_usage(context, "-o and --%s name the same file, '%.200s'", option->name,
                             path);
        return refuse_replaced(context, value);
    }
    return CLI_DONE;
}

int cli_output_apart(cli_context *context, const char *path)
{
    struct stat output;
    if (is_standard(path) || (stat(path, &output) == 0 && !S_ISREG(output.st_mode)))
        return cli_output_check(context, path);
    for (int i = 0; i < context->n_arguments; i++)
        if (cli_same_place(context->arguments[i], path))
            return refuse_replaced(context, context->arguments[i]);
    const int code = apart_of_options(context, path);
    if (code != CLI_DONE)
        return code;
    const int of_machines = apart_of_machines(context, path);
    return of_machines == CLI_DONE ? cli_output_check(context, path) : of_machines;
}

/* ---- cells ----------------------------------------------------------------------------------- */

void cli_put_csv(FILE *file, const char *text)
{
    const size_t length = strlen(text);
    const bool blank = length > 0 && (text[0] == ' ' || text[length - 1] == ' ');
    if (length > 0 && !blank && !strpbrk(text, ",\"\r\n")) {
        fputs(text, file);
        return;
    }
    putc('"', file);
    for (; *text; text++) {
        if (*text == '"')
            putc('"', file);
        putc(*text, file);
    }
    putc('"', file);
}

void cli_put_real(FILE *file, double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    fputs(text, file);
}

/* ---- reports --------------------------------------------------------------------------------- */

/* Reports of what is there fail for want of memory alone. */
static pt_report *or_no_memory(pt_report *report)
{
    if (!report)
        cli_no_memory();
    return report;
}

pt_report *cli_about_data(const pt_dataset *data)
{
    pt_report *report = NULL;
    (void)pt_dataset_report(&report, data, NULL);
    return or_no_memory(report);
}

pt_report *cli_about_model(const pt_model *model)
{
    pt_report *report = NULL;
    (void)pt_model_report(&report, model, NULL);
    return or_no_memory(report);
}

int64_t cli_model_rounds(const pt_model *model)
{
    pt_report *about = cli_about_model(model);
    const int64_t rounds = pt_report_integer(about, "n_rounds");
    pt_report_free(about);
    return rounds;
}

json_t *cli_model_metadata(const pt_model *model)
{
    pt_report *about = cli_about_model(model);
    json_t *metadata = json_loads(pt_report_text(about, "metadata"), 0, NULL);
    pt_report_free(about);
    return metadata;
}

pt_report *cli_about_stream(const pt_prediction_stream *stream)
{
    pt_report *report = NULL;
    (void)pt_prediction_stream_report(&report, stream, NULL);
    return or_no_memory(report);
}

static void hold_warning(cli_context *context, const char *prefix, const pt_report *report,
                         int64_t i)
{
    char *text = cli_words(pt_report_text_at(report, "warning", i, 0, 0));
    cli_hold_warning(context, pt_report_text_at(report, "warning_kind", i, 0, 0), "%s%s", prefix,
                     text);
    free(text);
}

void cli_hold_warnings(cli_context *context, const char *prefix, const pt_report *report)
{
    for (int64_t i = 0; i < pt_report_length(report, "warning"); i++)
        hold_warning(context, prefix, report, i);
}

int64_t cli_tell_warnings(cli_context *context, const pt_report *report, int64_t first)
{
    const int64_t count = pt_report_length(report, "warning");
    for (int64_t i = first; i < count; i++) {
        hold_warning(context, "", report, i);
        cli_tell_held(context);
    }
    return count;
}
