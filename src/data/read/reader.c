/* Which format a file has, the options of readers, and the public functions. */
#include "data/read/reader.h"

#include <string.h>

#include "base/alloc.h"
#include "data/judge/doubts.h"
#include "data/read/lines.h"
#include "data/read/source.h"

enum { DETECT_BYTES = 1 << 16, FEW_CONTROLS = 8, CONTROL_SHARE = 32 };

const pt_format *const pt_formats[] = {
#define PT_ENTRY(entry, name) &pt_format_##entry,
#include "registry/formats.def"
#undef PT_ENTRY
    NULL};

void pt_read_options_init(pt_read_options *options, const pt_params *params)
{
    memset(options, 0, sizeof *options);
    options->source = "memory";
    options->header = pt_params_text(params, PT_P_HEADER);
    options->label = pt_params_text(params, PT_P_LABEL);
    options->labels = pt_params_text(params, PT_P_LABELS);
    options->labels_said = params && pt_params_set_by_user(params, PT_P_LABELS);
    options->ranks = pt_params_text(params, PT_P_RANKS);
    options->keep_text = pt_params_flag(params, PT_P_TEXT);
    options->labels_xml = pt_params_text(params, PT_P_LABELS_XML);
    options->nominal = pt_params_text(params, PT_P_NOMINAL);
    options->ignore = pt_params_text(params, PT_P_IGNORE);
    options->weight = pt_params_text(params, PT_P_WEIGHT);
    options->group = pt_params_text(params, PT_P_GROUP);
    options->fold = pt_params_text(params, PT_P_FOLD);
    options->time = pt_params_text(params, PT_P_TIME_COLUMN);
    options->na = pt_params_text(params, PT_P_NA);
    options->types = pt_params_text(params, PT_P_TYPES);
    options->separator = pt_params_text(params, PT_P_SEP);
    options->decimal = pt_params_text(params, PT_P_DECIMAL);
    if (strcmp(options->decimal, ",") == 0)
        options->decimal = "comma";
    else if (strcmp(options->decimal, ".") == 0)
        options->decimal = "point";
    options->comment = pt_params_text(params, PT_P_COMMENT);
    options->skip_unlabelled = strcmp(pt_params_text(params, PT_P_SKIP_UNLABELLED), "yes") == 0;
    options->row_numbers = strcmp(pt_params_text(params, PT_P_KERNEL), "precomputed") == 0;
    options->index_base = strcmp(pt_params_text(params, PT_P_INDEX_BASE), "0") == 0 ? 0 : 1;
    options->n_features = -1;
}

void pt_read_room_free(pt_read_room *room)
{
    pt_free(room->value);
    pt_free(room->index);
    pt_free(room->start);
    memset(room, 0, sizeof *room);
}

void pt_places_free(pt_places *places)
{
    pt_free(places->at);
    *places = (pt_places){0};
}

pt_status pt_places_new(int64_t n, const pt_read_options *options, pt_error *err)
{
    pt_places *places = options->places;
    if (!places)
        return PT_OK;
    pt_places_free(places);
    PT_TRY(pt_reader_take((size_t)n * sizeof *places->at, options, err));
    PT_TRY(PT_NEW(places->at, n, "the places of rows", err));
    places->n = n;
    return PT_OK;
}

void pt_misfits_free(pt_misfits *misfits)
{
    pt_free(misfits->told);
    pt_free(misfits->cells);
    memset(misfits, 0, sizeof *misfits);
}

pt_status pt_warn_of_no_rows(pt_warnings *warnings, int64_t blank_rows, int64_t totals_rows,
                             pt_error *err)
{
    if (blank_rows > 0)
        PT_TRY(pt_warn(warnings, err, PT_KIND_DATA,
                       "%lld row%s nothing but separators, and %s predicted all the same: remove "
                       "%s, or leave out what comes of %s",
                       (long long)blank_rows, blank_rows == 1 ? " has" : "s have",
                       blank_rows == 1 ? "is" : "are", blank_rows == 1 ? "it" : "them",
                       blank_rows == 1 ? "it" : "them"));
    if (totals_rows > 0)
        PT_TRY(pt_warn(warnings, err, PT_KIND_DATA,
                       "%lld row%s totals or means, and %s predicted all the same: remove %s, or "
                       "leave out what comes of %s",
                       (long long)totals_rows,
                       totals_rows == 1 ? " seems to hold" : "s seem to hold",
                       totals_rows == 1 ? "is" : "are", totals_rows == 1 ? "it" : "them",
                       totals_rows == 1 ? "it" : "them"));
    return PT_OK;
}

void pt_read_room_take(pt_read_room *room, pt_dataset *data)
{
    if (data && data->value && !room->value) {
        room->start = data->start;
        room->index = data->index;
        room->value = data->value;
        data->start = NULL;
        data->index = NULL;
        data->value = NULL;
    }
    pt_dataset_free(data);
}

/* What to do where data do not fit: read for a model they are predicted, else trained on. */
static const char *way_out(const pt_read_options *options)
{
    return options->label_optional
               ? "raise `memory`, use fewer rows, or CSV or LIBSVM text, which are predicted a "
                 "part at a time"
               : "raise `memory`, use less data, or learn online, which reads a part at a time";
}

pt_status pt_reader_check_size(int64_t n, int64_t d, size_t size, const pt_read_options *options,
                               pt_error *err)
{
    const double bytes = (double)n * (double)d * (double)size;
    pt_read_room *room = options->room;
    if (room && room->memory == 0)
        room->memory = pt_task_memory(options->task);
    const int64_t allowed = options->budget ? options->budget->limit
                            : room          ? room->memory
                                            : pt_task_memory(options->task);
    const double held = (double)pt_budget_used(options->budget);
    if (held + bytes <= (double)allowed && bytes < 0x1p62 &&
        pt_budget_take(options->budget, (size_t)bytes, "the data", NULL) == PT_OK)
        return PT_OK;
    char needed[PT_BYTES_SHOWN];
    char may[PT_BYTES_SHOWN];
    return pt_fail_at(err, PT_EMEMORY, options->source, 0, 0,
                      "the data need %s (%lld rows, %lld column%s), %s may be used; %-s",
                      pt_bytes_show(held + bytes, needed), (long long)n, (long long)d,
                      d == 1 ? "" : "s", pt_bytes_show((double)allowed, may), way_out(options));
}

pt_status pt_reader_take(size_t bytes, const pt_read_options *options, pt_error *err)
{
    if (pt_budget_take(options->budget, bytes, "the data", NULL) == PT_OK)
        return PT_OK;
    char may[PT_BYTES_SHOWN];
    return pt_fail_at(err, PT_EMEMORY, options->source, 0, 0,
                      "the data need more than the %s that may be used; %-s",
                      pt_bytes_show((double)options->budget->limit, may), way_out(options));
}

/* UTF-16 or UTF-32, by its mark, or by a zero beside each of the first letters; NULL: neither. */
static const char *wide_text(const char *bytes, size_t size)
{
    enum { LETTERS = 8 };
    if (size >= 4 &&
        (memcmp(bytes, "\xff\xfe\0\0", 4) == 0 || memcmp(bytes, "\0\0\xfe\xff", 4) == 0))
        return "UTF-32";
    if (size >= 2 && (memcmp(bytes, "\xff\xfe", 2) == 0 || memcmp(bytes, "\xfe\xff", 2) == 0))
        return "UTF-16";
    for (size_t zero = 0; zero < 2 && size >= 2 * LETTERS; zero++) {
        size_t letters = 0;
        while (letters < LETTERS && bytes[2 * letters + zero] == '\0' &&
               bytes[2 * letters + 1 - zero] != '\0')
            letters++;
        if (letters == LETTERS)
            return zero ? "UTF-16LE" : "UTF-16BE";
    }
    return NULL;
}

pt_status pt_reader_check_text(const char *bytes, size_t size, size_t *begin, const char *source,
                               pt_error *err)
{
    const pt_lines text = {.bytes = bytes, .size = size, .source = source};
    const size_t looked = size < DETECT_BYTES ? size : DETECT_BYTES;
    *begin = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    if (looked == 0)
        return pt_lines_fail(&text, 0, err, "the file is empty");
    const char *wide = wide_text(bytes, size);
    if (wide)
        return pt_lines_fail(&text, 0, err,
                             "the file is %s text; save it as UTF-8 (iconv -f %s -t UTF-8)", wide,
                             wide);
    const char *zero = memchr(bytes, '\0', looked);
    if (zero)
        return pt_lines_fail(
            &text, zero - bytes, err,
            "there is a zero byte; this is not a text file, or not of this format");
    size_t controls = 0;
    for (size_t i = 0; i < looked; i++)
        controls += (unsigned char)bytes[i] < '\t';
    if (controls > FEW_CONTROLS && CONTROL_SHARE * controls > looked)
        return pt_lines_fail(&text, 0, err,
                             "there are many control characters; this is not a text file, or not "
                             "of this format");
    const char *carriage = memchr(bytes, '\r', looked);
    if (carriage && !memchr(bytes, '\n', size) && carriage + 1 < bytes + size)
        return pt_lines_fail(&text, carriage - bytes, err,
                             "lines end with CR alone; convert them to LF or CRLF");
    return PT_OK;
}

/* ---- which format ---------------------------------------------------------------------------- */

static const pt_format *format_named(const char *name)
{
    for (int i = 0; pt_formats[i]; i++)
        if (strcmp(pt_formats[i]->name, name) == 0)
            return pt_formats[i];
    return NULL;
}

static bool same_letters(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const char x = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] | 0x20) : a[i];
        if (x != b[i])
            return false;
    }
    return true;
}

/* The length of a name without .gz, .zst. */
static size_t bare_length(const char *name)
{
    const size_t length = strlen(name);
    if (length > 3 && same_letters(name + length - 3, ".gz", 3))
        return length - 3;
    if (length > 4 && same_letters(name + length - 4, ".zst", 4))
        return length - 4;
    return length;
}

static bool has_extension(const char *name, size_t length, const char *extensions)
{
    while (*extensions) {
        const size_t own = strcspn(extensions, ",");
        if (own > 0 && own < length && same_letters(name + length - own, extensions, own))
            return true;
        extensions += own + (extensions[own] == ',');
    }
    return false;
}

static const pt_format *format_by_name(const char *path)
{
    const size_t length = bare_length(path);
    for (int i = 0; pt_formats[i]; i++)
        if (has_extension(path, length, pt_formats[i]->extensions))
            return pt_formats[i];
    return NULL;
}

static const pt_format *format_by_contents(const char *bytes, size_t size)
{
    const pt_format *best = NULL;
    int best_score = 0;
    const size_t looked = size < DETECT_BYTES ? size : DETECT_BYTES;
    const size_t mark = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (int i = 0; pt_formats[i] && looked > mark; i++) {
        const int score = pt_formats[i]->detect(bytes + mark, looked - mark);
        if (score > best_score) {
            best_score = score;
            best = pt_formats[i];
        }
    }
    return best;
}

pt_status pt_format_find(const pt_format **found, const char *format, const char *source,
                         const char *bytes, size_t size, pt_error *err)
{
    const bool asked = format && strcmp(format, "auto") != 0;
    *found = asked ? format_named(format) : format_by_name(source);
    if (!*found && asked)
        return pt_fail(err, PT_EINVAL, "there is no format '%.40s'", format);
    if (!*found)
        *found = format_by_contents(bytes, size);
    if (*found)
        return PT_OK;
    return pt_fail_at(err, PT_EFORMAT, source, 0, 0,
                      size == 0 ? "the file is empty"
                                : "the format is unknown; name it by `format`");
}

static pt_status read_source(pt_dataset **out, const pt_source *source, const char *format,
                             const pt_read_options *options, pt_error *err)
{
    const pt_format *found = NULL;
    PT_TRY(pt_refuse_known(source->bytes, source->size, options->source, err));
    PT_TRY(pt_format_find(&found, format, options->source, source->bytes, source->size, err));
    if (source->size == 0)
        return pt_fail_at(err, PT_EFORMAT, options->source, 1, 1, "the file is empty");
    PT_FREED_BY(pt_dataset_free_at) pt_dataset *data = NULL;
    PT_TRY(found->read(&data, source->bytes, source->size, options, err));
    PT_TRY(pt_label_doubts(data, options, err));
    PT_TRY(pt_feature_doubts(data, options, err));
    *out = pt_keep(&data);
    return PT_OK;
}

pt_status pt_read_source(pt_dataset **out, const pt_source *source, const char *format,
                         const pt_read_options *options, pt_error *err)
{
    pt_budget budget = {.limit = pt_task_memory(options->task)};
    pt_read_options own = *options;
    own.budget = &budget;
    /* Pages that go come back in the next pass, which takes a tenth of the time. A cell of two
     * bytes becomes 8 as a number, about 40 as a text: a small file can stay beside all of it. */
    own.mapped =
        source->map && source->bytes == source->map && (int64_t)source->size > budget.limit / 32;
    if (source->block)
        PT_TRY(pt_budget_take(&budget, source->size, "the data", err));
    PT_TRY(read_source(out, source, format, &own, err));
    if (pt_task_limited(options->task))
        (*out)->memory = budget.limit;
    return PT_OK;
}

pt_status pt_read_path(pt_dataset **out, const char *path, const char *format,
                       const pt_read_options *options, pt_error *err)
{
    pt_read_options own = *options;
    own.source = path;
    PT_FREED_BY(pt_source_close) pt_source source = {0};
    PT_TRY(pt_source_open(&source, path, own.task, err));
    return pt_read_source(out, &source, format, &own, err);
}

pt_status pt_read_bytes(pt_dataset **out, const void *bytes, size_t size, const char *format,
                        const pt_read_options *options, pt_error *err)
{
    PT_FREED_BY(pt_source_close) pt_source source = {0};
    PT_TRY(pt_source_memory(&source, bytes, size, options->source, options->task, err));
    return pt_read_source(out, &source, format, options, err);
}

/* ---- the public functions -------------------------------------------------------------------- */

pt_status pt_dataset_read(pt_dataset **out, const char *path, const pt_params *params,
                          pt_task *task, pt_error *err)
{
    pt_read_options options;
    pt_read_options_init(&options, params);
    options.task = task;
    pt_task_enter(task, "read");
    return pt_read_path(out, path, pt_params_text(params, PT_P_FORMAT), &options, err);
}

pt_status pt_dataset_read_memory(pt_dataset **out, const void *bytes, size_t size, const char *name,
                                 const pt_params *params, pt_task *task, pt_error *err)
{
    pt_read_options options;
    pt_read_options_init(&options, params);
    options.task = task;
    pt_task_enter(task, "read");
    options.source = name ? name : "memory";
    return pt_read_bytes(out, bytes, size, pt_params_text(params, PT_P_FORMAT), &options, err);
}

pt_status pt_dataset_write(const pt_dataset *data, const char *path, const char *format,
                           pt_task *task, pt_error *err)
{
    pt_task_enter(task, "write");
    return pt_write_path(data, path, format, task, err);
}

/* Writing needs the same table; the file itself is made in write.c. */
pt_status pt_write_format(const char *path, const char *format, const pt_format **found,
                          pt_error *err)
{
    if (format && strcmp(format, "auto") != 0)
        *found = format_named(format);
    else if (strcmp(path, "-") == 0)
        *found = &pt_format_csv;
    else
        *found = format_by_name(path);
    if (*found && (*found)->write)
        return PT_OK;
    if (*found)
        return pt_fail_at(err, PT_ENOSUPPORT, path, 0, 0,
                          "the format %s can be read only; write csv, tsv or libsvm",
                          (*found)->name);
    if (format && strcmp(format, "auto") != 0)
        return pt_fail_at(err, PT_EINVAL, path, 0, 0,
                          "there is no format '%.40s'; say csv, tsv or libsvm", format);
    return pt_fail_at(err, PT_EINVAL, path, 0, 0,
                      "the format cannot be told from the name; say csv, tsv or libsvm");
}
