/* Streams of lines: what the blocks hold together is the text, whole lines each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/random.h"
#include "base/task.h"
#include "data/stream/text_stream.h"
#include "polytomy/polytomy.h"

static const char PATH[] = "text_stream.txt";

static void write_text(const char *text, size_t size)
{
    FILE *file = fopen(PATH, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int64_t count_lines(const char *text, size_t size)
{
    int64_t lines = 0;
    for (size_t i = 0; i < size; i++)
        lines += text[i] == '\n';
    return lines;
}

/* Reads all of PATH; the text must come back, with a newline at its end. Returns the blocks. */
static int read_back(const char *text, size_t size, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_text_stream stream = {0};
    size_t at = 0;
    int blocks = 0;
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, threads);
    assert_int_equal(pt_text_stream_open(&stream, PATH, task, &err), PT_OK);
    for (;; blocks++) {
        const char *begin = NULL;
        const char *end = NULL;
        assert_int_equal(pt_text_stream_next(&stream, &begin, &end, &err), PT_OK);
        if (begin == end)
            break;
        const size_t length = (size_t)(end - begin);
        assert_int_equal(end[-1], '\n');
        assert_int_equal(stream.lines, count_lines(text, at));
        assert_true(at + length <= size || (at + length == size + 1 && text[size - 1] != '\n'));
        assert_memory_equal(begin, text + at, at + length <= size ? length : length - 1);
        at += length;
    }
    assert_true(at == size || at == size + 1);
    pt_text_stream_close(&stream);
    pt_task_free(task);
    return blocks;
}

static void test_text_stream__blocks_are_whole_lines(void **state)
{
    (void)state;
    const size_t size = (size_t)3 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    pt_random random;
    for (int round = 0; round < 4; round++) { /* short lines, long ones, longer than a block */
        pt_random_init(&random, (uint64_t)round, PT_RANDOM_TEST, 0);
        const int64_t usual = (int64_t[]){3, 200, 300000, 1200000}[round];
        for (size_t i = 0; i < size; i++)
            text[i] = pt_random_below(&random, usual) == 0 ? '\n' : 'x';
        text[size - 1] = round % 2 ? '\n' : 'y';
        write_text(text, size);
        assert_true(read_back(text, size, 1) >= 1);
        assert_true(read_back(text, size, 2) >= 1);
    }
    free(text);
    unlink(PATH);
}

static void test_text_stream__small_texts(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"", "\n", "a", "a\n", "\n\n", "a\n\nb"};
    for (size_t t = 0; t < sizeof TEXTS / sizeof *TEXTS; t++) {
        write_text(TEXTS[t], strlen(TEXTS[t]));
        assert_int_equal(read_back(TEXTS[t], strlen(TEXTS[t]), 1), *TEXTS[t] ? 1 : 0);
    }
    unlink(PATH);
}

static void test_text_stream__limits_and_missing_files(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_text_stream stream = {0};
    const char *begin = NULL;
    const char *end = NULL;
    const size_t size = (size_t)2 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    text[1] = '\n';
    write_text(text, size);
    free(text);
    assert_int_equal(pt_task_new(&task, &err), PT_OK);
    pt_task_set_threads(task, 1);
    pt_task_set_memory(task, 1 << 20);
    assert_int_equal(pt_text_stream_open(&stream, PATH, task, &err), PT_OK);
    assert_int_equal(pt_text_stream_next(&stream, &begin, &end, &err), PT_OK);
    assert_int_equal(end - begin, 2);
    assert_int_equal(pt_text_stream_next(&stream, &begin, &end, &err), PT_EMEMORY);
    assert_int_equal(err.line, 2);
    pt_text_stream_close(&stream);
    unlink(PATH);
    assert_int_equal(pt_text_stream_open(&stream, "no/such/file", task, &err), PT_EIO);
    pt_text_stream_close(&stream);
    pt_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_stream__blocks_are_whole_lines),
        cmocka_unit_test(test_text_stream__small_texts),
        cmocka_unit_test(test_text_stream__limits_and_missing_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
