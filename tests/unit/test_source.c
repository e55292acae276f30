/* Byte sources: files, standard input, gzip, zstd, streams that are cut off or damaged. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>
#include <zlib.h>
#include <zstd.h>

#include "base/alloc.h"
#include "base/task.h"
#include "data/read/source.h"

enum { TEXT = 300000 };

/* A text that compresses well but not too well. */
static char *make_text(void)
{
    char *text = malloc(TEXT);
    unsigned state = 1;
    for (int i = 0; i < TEXT; i++) {
        state = state * 1103515245u + 12345u;
        text[i] = i % 50 == 49 ? '\n' : (char)('a' + (state >> 16) % 7);
    }
    return text;
}

static size_t gzip(const char *text, size_t size, unsigned char *out, size_t room)
{
    z_stream stream;
    memset(&stream, 0, sizeof stream);
    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    stream.next_in = (unsigned char *)(uintptr_t)text;
    stream.avail_in = (unsigned)size;
    stream.next_out = out;
    stream.avail_out = (unsigned)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    const size_t used = stream.total_out;
    deflateEnd(&stream);
    return used;
}

static size_t zstd(const char *text, size_t size, unsigned char *out, size_t room)
{
    const size_t used = ZSTD_compress(out, room, text, size, 3);
    assert_false(ZSTD_isError(used));
    return used;
}

typedef size_t (*pack_fn)(const char *, size_t, unsigned char *, size_t);
static const pack_fn PACK[] = {gzip, zstd};

static void expect(const void *bytes, size_t size, const char *text, size_t text_size)
{
    pt_source source;
    pt_error err = {0};
    if (pt_source_memory(&source, bytes, size, "m", NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    assert_int_equal(source.size, text_size);
    assert_memory_equal(source.bytes, text, text_size);
    pt_source_close(&source);
}

static void test_source__compressed_bytes(void **state)
{
    (void)state;
    char *text = make_text();
    unsigned char *packed = malloc(2 * TEXT);
    for (int k = 0; k < 2; k++) {
        const size_t used = PACK[k](text, TEXT, packed, 2 * TEXT);
        expect(packed, used, text, TEXT);
        /* two streams one behind the other are one text */
        size_t both = PACK[k](text, 1000, packed, 2 * TEXT);
        both += PACK[k](text + 1000, TEXT - 1000, packed + both, 2 * TEXT - both);
        expect(packed, both, text, TEXT);
        /* nothing compressed is nothing */
        const size_t none = PACK[k](text, 0, packed, 2 * TEXT);
        expect(packed, none, text, 0);
    }
    expect(text, TEXT, text, TEXT); /* plain */
    /* zeros behind gzip are padding */
    const size_t used = gzip(text, TEXT, packed, 2 * TEXT);
    memset(packed + used, 0, 512);
    expect(packed, used + 512, text, TEXT);
    free(packed);
    free(text);
}

static void test_source__cut_off_anywhere_is_refused(void **state)
{
    (void)state;
    char *text = make_text();
    unsigned char packed[4096];
    for (int k = 0; k < 2; k++) {
        const size_t used = PACK[k](text, 2000, packed, sizeof packed);
        for (size_t cut = 5; cut < used; cut++) {
            pt_source source;
            pt_error err = {0};
            const int64_t live = pt_alloc_live();
            assert_int_equal(pt_source_memory(&source, packed, cut, "m", NULL, &err), PT_EFORMAT);
            assert_non_null(strstr(err.text, "cut off"));
            assert_string_equal(err.file, "m");
            assert_int_equal(pt_alloc_live(), live);
        }
    }
    free(text);
}

static void test_source__damage_is_refused(void **state)
{
    (void)state;
    char *text = make_text();
    unsigned char packed[4096];
    const size_t used = gzip(text, 2000, packed, sizeof packed);
    int refused = 0;
    for (size_t i = 10; i < used; i++) {
        pt_source source;
        pt_error err = {0};
        packed[i] ^= 0x40;
        const pt_status status = pt_source_memory(&source, packed, used, "m", NULL, &err);
        refused += status == PT_EFORMAT;
        if (status == PT_OK)
            pt_source_close(&source);
        packed[i] ^= 0x40;
    }
    /* gzip has a checksum; only bits that fill up the last byte before it may change unseen */
    assert_true(refused >= (int)used - 11);
    memcpy(packed + used, "junk", 4);
    pt_source source;
    pt_error err = {0};
    assert_int_equal(pt_source_memory(&source, packed, used + 4, "m", NULL, &err), PT_EFORMAT);
    free(text);
}

static void test_source__honours_memory(void **state)
{
    (void)state;
    const size_t size = (size_t)8 << 20;
    char *zeros = calloc(size, 1);
    unsigned char *packed = malloc(1 << 20);
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_memory(task, 1 << 20);
    for (int k = 0; k < 2; k++) {
        const size_t used = PACK[k](zeros, size, packed, 1 << 20);
        pt_source source;
        pt_error err = {0};
        assert_int_equal(pt_source_memory(&source, packed, used, "m", task, &err), PT_EMEMORY);
        assert_non_null(strstr(err.text, "`memory"));
    }
    pt_task_free(task);
    free(packed);
    free(zeros);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static void test_source__files_and_standard_input(void **state)
{
    (void)state;
    char *text = make_text();
    unsigned char *packed = malloc(2 * TEXT);
    char path[] = "/tmp/pt_source_XXXXXX";
    const int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    close(descriptor);
    static const size_t SIZES[] = {TEXT, 4096, 1, 0}; /* whole pages and none */
    for (int k = 0; k < 3; k++)
        for (size_t s = 0; s < 4; s++)
            for (int standard_input = 0; standard_input < 2; standard_input++) {
                const size_t size = k < 2 ? PACK[k](text, SIZES[s], packed, 2 * TEXT) : SIZES[s];
                write_file(path, k < 2 ? (void *)packed : (void *)text, size);
                const int saved = dup(STDIN_FILENO);
                const int own = open(path, O_RDONLY);
                if (standard_input)
                    dup2(own, STDIN_FILENO);
                pt_source source;
                pt_error err = {0};
                if (pt_source_open(&source, standard_input ? "-" : path, NULL, &err) != PT_OK)
                    fail_msg("%s", err.text);
                assert_int_equal(source.size, SIZES[s]);
                if (source.size)
                    assert_memory_equal(source.bytes, text, source.size);
                pt_source_close(&source);
                if (saved >= 0) {
                    dup2(saved, STDIN_FILENO);
                    close(saved);
                }
                close(own);
            }
    /* a pipe cannot be mapped */
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], text, 1000), 1000);
    close(ends[1]);
    const int saved = dup(STDIN_FILENO);
    dup2(ends[0], STDIN_FILENO);
    close(ends[0]);
    pt_source source;
    assert_int_equal(pt_source_open(&source, "-", NULL, NULL), PT_OK);
    assert_int_equal(source.size, 1000);
    pt_source_close(&source);
    if (saved >= 0) {
        dup2(saved, STDIN_FILENO);
        close(saved);
    }
    unlink(path);
    free(packed);
    free(text);
}

static void test_source__what_is_no_file(void **state)
{
    (void)state;
    pt_source source;
    pt_error err = {0};
    assert_int_equal(pt_source_open(&source, "/no/such/file", NULL, &err), PT_EIO);
    assert_string_equal(err.file, "/no/such/file");
    assert_non_null(strstr(err.text, "cannot open it"));
    assert_int_equal(pt_source_open(&source, "/tmp", NULL, &err), PT_EIO);
    assert_non_null(strstr(err.text, "folder"));
}

static void test_source__memory_that_is_missing(void **state)
{
    (void)state;
    char *text = make_text();
    unsigned char *packed = malloc(2 * TEXT);
    for (int k = 0; k < 2; k++) {
        const size_t used = PACK[k](text, TEXT, packed, 2 * TEXT);
        const int64_t live = pt_alloc_live();
        pt_status status = PT_ENOMEM;
        for (int64_t n = 1; status == PT_ENOMEM; n++) {
            pt_source source;
            pt_error err = {0};
            pt_alloc_fail_from(n);
            status = pt_source_memory(&source, packed, used, "m", NULL, &err);
            pt_alloc_fail_from(0);
            if (status == PT_OK)
                pt_source_close(&source);
            assert_int_equal(pt_alloc_live(), live);
        }
        assert_int_equal(status, PT_OK);
    }
    free(packed);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_source__compressed_bytes),
        cmocka_unit_test(test_source__cut_off_anywhere_is_refused),
        cmocka_unit_test(test_source__damage_is_refused),
        cmocka_unit_test(test_source__honours_memory),
        cmocka_unit_test(test_source__files_and_standard_input),
        cmocka_unit_test(test_source__what_is_no_file),
        cmocka_unit_test(test_source__memory_that_is_missing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
