/* What the tests of readers share: reading texts, failing to read them, looking into data sets. */
#ifndef PT_TESTS_READER_HELPERS_H
#define PT_TESTS_READER_HELPERS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/read/reader.h"

static inline pt_read_options defaults(const char *source)
{
    pt_read_options options;
    pt_read_options_init(&options, NULL);
    options.source = source;
    return options;
}

/* Reads an exact copy on the heap, so that sanitizers see a read behind the end. */
static inline pt_status read_copy(pt_dataset **data, const void *bytes, size_t size,
                                  const pt_read_options *options, pt_error *err)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, bytes, size);
    const pt_status status = pt_read_bytes(data, copy, size, "auto", options, err);
    free(copy);
    return status;
}

static inline pt_dataset *read_bytes(const void *bytes, size_t size, const pt_read_options *options)
{
    pt_dataset *data = NULL;
    pt_error err = {0};
    if (read_copy(&data, bytes, size, options, &err) != PT_OK)
        fail_msg("line %lld column %lld: %s", (long long)err.line, (long long)err.column, err.text);
    return data;
}

static inline pt_dataset *read_with(const char *text, const pt_read_options *options)
{
    return read_bytes(text, strlen(text), options);
}

/* Reading must fail at a place (-1: any), with a word in the message, without a leak. */
static inline void refused_bytes(const void *bytes, size_t size, const pt_read_options *options,
                                 int64_t line, int64_t column, const char *word)
{
    pt_dataset *data = NULL;
    pt_error err = {0};
    const int64_t live = pt_alloc_live();
    assert_int_not_equal(read_copy(&data, bytes, size, options, &err), PT_OK);
    assert_null(data);
    if (!strstr(err.text, word))
        fail_msg("'%s' does not say '%s'", err.text, word);
    if (line >= 0)
        assert_int_equal(err.line, line);
    if (column >= 0)
        assert_int_equal(err.column, column);
    assert_string_equal(err.file, options->source);
    assert_int_equal(pt_alloc_live(), live);
}

static inline void refused_with(const char *text, const pt_read_options *options, int64_t line,
                                int64_t column, const char *word)
{
    refused_bytes(text, strlen(text), options, line, column, word);
}

static inline double cell(const pt_dataset *data, int64_t i, int64_t j)
{
    return ((const double *)data->value)[i * data->d + j];
}

static inline const char *class_text(const pt_dataset *data, int64_t i)
{
    const int64_t r = data->labels->class_of[i];
    return r < 0 ? "" : data->labels->classes.items[r];
}

static inline const char *level(const pt_dataset *data, int64_t i, int64_t j)
{
    const double code = cell(data, i, j);
    return isnan(code) ? "" : data->columns[j].levels.items[(int64_t)code];
}

static inline bool warned(const pt_dataset *data, const char *word)
{
    for (int64_t i = 0; i < data->warnings.count; i++)
        if (strstr(data->warnings.items[i], word))
            return true;
    return false;
}

#endif
