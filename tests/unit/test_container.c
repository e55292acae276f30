/* The model file's container: what goes in comes out; whatever is wrong with a file is refused with
 * a text that says what, and nothing is read beyond the bytes that are there (run under ASan, where
 * each case lies in a block of exactly its size). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/mend.h"
#include "base/alloc.h"
#include "base/file.h"
#include "store/container.h"

enum { SECTIONS = 5 };
static const char META[] = "{\"machine\":\"onelsm\"}";
static const double MATRIX[6] = {1, -2, 3.5, 0, 1e300, -1e-300};
static const float SINGLE[3] = {1, 2, 3};
static const int64_t COUNTS[2] = {INT64_MAX, INT64_MIN};

static pt_section section(const char *tag, pt_section_kind kind, int64_t rows, int64_t columns,
                          const void *value, size_t bytes)
{
    pt_section s = {"", kind, false, rows, columns, value, bytes};
    snprintf(s.tag, sizeof s.tag, "%s", tag);
    return s;
}

static void example(pt_section out[SECTIONS])
{
    out[0] = section("meta", PT_SECTION_BYTES, sizeof META, 1, META, sizeof META);
    out[1] = section("A", PT_SECTION_F64, 2, 3, MATRIX, sizeof MATRIX);
    out[2] = section("sixteen_letters_", PT_SECTION_F32, 3, 1, SINGLE, sizeof SINGLE);
    out[3] = section("counts", PT_SECTION_I64, 1, 2, COUNTS, sizeof COUNTS);
    out[4] = section("empty", PT_SECTION_F64, 0, 7, NULL, 0);
    out[3].optional = true;
}

/* The example, packed into a block of malloc's. */
static unsigned char *packed(size_t *size)
{
    pt_section sections[SECTIONS];
    pt_error err = PT_ERROR_INIT;
    void *bytes = NULL;
    example(sections);
    assert_int_equal(pt_container_pack(&bytes, size, sections, SECTIONS, &err), PT_OK);
    unsigned char *copy = malloc(*size);
    assert_non_null(copy);
    memcpy(copy, bytes, *size);
    pt_free(bytes);
    return copy;
}

static void expect_example(const pt_container *c)
{
    pt_section sections[SECTIONS];
    example(sections);
    assert_int_equal(pt_container_count(c), SECTIONS);
    for (int i = 0; i < SECTIONS; i++) {
        const pt_section *got = pt_container_section(c, i);
        assert_non_null(got);
        assert_ptr_equal(got, pt_container_find(c, sections[i].tag));
        assert_string_equal(got->tag, sections[i].tag);
        assert_int_equal(got->kind, sections[i].kind);
        assert_int_equal(got->optional, sections[i].optional);
        assert_int_equal(got->rows, sections[i].rows);
        assert_int_equal(got->columns, sections[i].columns);
        assert_int_equal(got->bytes, sections[i].bytes);
        if (got->bytes > 0)
            assert_memory_equal(got->value, sections[i].value, got->bytes);
        assert_int_equal((uintptr_t)got->value % 8, 0);
    }
    assert_null(pt_container_section(c, SECTIONS));
    assert_null(pt_container_section(c, -1));
    assert_null(pt_container_find(c, "nothing"));
}

/* Reads everything that a container shows: ASan checks that it is there. */
static uint64_t walk(const pt_container *c)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < pt_container_count(c); i++) {
        const pt_section *s = pt_container_section(c, i);
        const unsigned char *bytes = s->value;
        assert_true(strlen(s->tag) > 0);
        for (size_t j = 0; j < s->bytes; j++)
            sum += bytes[j];
        static const size_t size[] = {1, 4, 8, 8};
        assert_int_equal((size_t)s->rows * (size_t)s->columns * size[s->kind], s->bytes);
    }
    return sum;
}

/* Opens bytes in a block of exactly their size. */
static pt_status open_exactly(const unsigned char *bytes, size_t size, pt_error *err)
{
    unsigned char *copy = malloc(size ? size : 1);
    assert_non_null(copy);
    memcpy(copy, bytes, size);
    pt_container *c = NULL;
    memset(err, 0, sizeof *err);
    const pt_status status = pt_container_open_memory(&c, size ? copy : NULL, size, "m.pt", err);
    if (status == PT_OK) {
        walk(c);
    } else {
        assert_null(c);
        assert_int_equal(err->code, status);
        assert_true(strlen(err->text) > 10);
        if (status != PT_ENOMEM)
            assert_string_equal(err->file, "m.pt");
    }
    pt_container_close(c);
    free(copy);
    return status;
}

static char folder[64];

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_bytes(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static int folder_make(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/polytomy_container_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int folder_remove(void **state)
{
    (void)state;
    static const char *const names[] = {"m.pt", "empty", "short", "garbage", "pipe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
    return rmdir(folder); /* fails where a temporary file was left */
}

/* ---------------------------------------------------------------------------------- round trips */

static void test_container__file_round_trip(void **state)
{
    (void)state;
    pt_section sections[SECTIONS];
    pt_error err = PT_ERROR_INIT;
    pt_container *c = NULL;
    example(sections);
    assert_int_equal(pt_container_write(path_of("m.pt"), sections, SECTIONS, &err), PT_OK);
    assert_int_equal(pt_container_open(&c, path_of("m.pt"), &err), PT_OK);
    expect_example(c);
    for (int i = 0; i < SECTIONS; i++)
        assert_int_equal((uintptr_t)pt_container_section(c, i)->value % 64, 0);
    pt_container_close(c);

    size_t size = 0;
    unsigned char *bytes = packed(&size);
    unsigned char *read = malloc(size + 1);
    FILE *file = fopen(path_of("m.pt"), "rb");
    assert_int_equal(fread(read, 1, size + 1, file), size);
    assert_memory_equal(read, bytes, size);
    fclose(file);
    free(read);
    free(bytes);
}

static void test_container__memory_at_any_address(void **state)
{
    (void)state;
    size_t size = 0;
    unsigned char *bytes = packed(&size);
    for (size_t shift = 0; shift < 16; shift++) {
        unsigned char *shifted = malloc(size + shift);
        memcpy(shifted + shift, bytes, size);
        pt_container *c = NULL;
        assert_int_equal(pt_container_open_memory(&c, shifted + shift, size, "m", NULL), PT_OK);
        expect_example(c);
        pt_container_close(c);
        free(shifted);
    }
    free(bytes);
}

static void test_container__no_sections(void **state)
{
    (void)state;
    void *bytes = NULL;
    size_t size = 0;
    pt_container *c = NULL;
    assert_int_equal(pt_container_pack(&bytes, &size, NULL, 0, NULL), PT_OK);
    assert_int_equal(size, 64);
    assert_int_equal(pt_container_open_memory(&c, bytes, size, "m", NULL), PT_OK);
    assert_int_equal(pt_container_count(c), 0);
    pt_container_close(c);
    pt_free(bytes);
}

static void test_container__layout_is_the_documented_one(void **state)
{
    (void)state;
    size_t size = 0;
    unsigned char *bytes = packed(&size);
    assert_memory_equal(bytes, "POLYTOMY\1\0\0\0\5\0\0\0", 16);
    assert_int_equal(mend_get(bytes + 16, 8), size);
    const uint64_t offset[SECTIONS] = {384, 448, 512, 576, 640};
    for (int i = 0; i < SECTIONS; i++)
        assert_int_equal(mend_get(bytes + 64 + 64 * i + 16, 8), offset[i]);
    assert_int_equal(size, 640);
    const uint64_t table = mend_get(bytes + 24, 8);
    mend_checksums(bytes, size);
    assert_true(table == mend_get(bytes + 24, 8)); /* the mender agrees with the writer */
    free(bytes);
}

/* ---------------------------------------------------------------------------------- refusals */

static void test_container__writer_refuses_nonsense(void **state)
{
    (void)state;
    const pt_section good = section("good", PT_SECTION_F64, 2, 3, MATRIX, sizeof MATRIX);
    pt_section bad[8];
    for (int i = 0; i < 8; i++)
        bad[i] = good;
    bad[0].tag[0] = '\0';
    bad[1].tag[0] = ' ';
    memset(bad[2].tag, 'x', sizeof bad[2].tag); /* not ended */
    bad[3].rows = 3;
    bad[4].columns = -3;
    bad[5].kind = (pt_section_kind)9;
    bad[6].value = NULL;
    bad[7].rows = INT64_MAX, bad[7].columns = 0, bad[7].bytes = 0;
    for (int i = 0; i < 8; i++) {
        pt_error err = PT_ERROR_INIT;
        void *bytes = NULL;
        size_t size = 0;
        assert_int_equal(pt_container_pack(&bytes, &size, &bad[i], 1, &err), PT_EINVAL);
        assert_int_equal(pt_container_write(path_of("m2"), &bad[i], 1, &err), PT_EINVAL);
        assert_null(bytes);
    }
    const pt_section twice[2] = {good, good};
    pt_error err = PT_ERROR_INIT;
    void *bytes = NULL;
    size_t size = 0;
    assert_int_equal(pt_container_pack(&bytes, &size, twice, 2, &err), PT_EINVAL);
    assert_non_null(strstr(err.text, "'good'"));
    assert_int_equal(pt_container_pack(&bytes, &size, twice, -1, &err), PT_EINVAL);
    assert_int_equal(pt_container_pack(&bytes, &size, twice, 1025, &err), PT_EINVAL);
}

static void test_container__writer_reports_the_file(void **state)
{
    (void)state;
    pt_section sections[SECTIONS];
    pt_error err = PT_ERROR_INIT;
    example(sections);
    assert_int_equal(pt_container_write("/nowhere/m.pt", sections, SECTIONS, &err), PT_EIO);
    assert_string_equal(err.file, "/nowhere/m.pt");
    if (access("/dev/full", W_OK) == 0)
        assert_int_equal(pt_container_write("/dev/full", sections, SECTIONS, &err), PT_EIO);
}

static void expect_refused(const char *path, pt_status status, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_container *c = NULL;
    assert_int_equal(pt_container_open(&c, path, &err), status);
    assert_null(c);
    assert_string_equal(err.file, path);
    if (!strstr(err.text, text))
        fail_msg("\"%s\" does not say \"%s\"", err.text, text);
}

static void test_container__what_is_no_model_is_refused(void **state)
{
    (void)state;
    expect_refused("/nowhere/m.pt", PT_EIO, "No such file");
    expect_refused(folder, PT_EIO, "folder");
    expect_refused("/dev/null", PT_EIO, "not a regular file");
    assert_int_equal(mkfifo(path_of("pipe"), 0600), 0);
    expect_refused(path_of("pipe"), PT_EIO, "not a regular file");
    write_bytes(path_of("empty"), "", 0);
    expect_refused(path_of("empty"), PT_EFORMAT, "empty");
    write_bytes(path_of("short"), "POLYTOMY", 8);
    expect_refused(path_of("short"), PT_EFORMAT, "cut off");
    write_bytes(path_of("garbage"), "1,2,3\n4,5,6\n", 12);
    expect_refused(path_of("garbage"), PT_EFORMAT, "not a Polytomy model");
}

/* One change of the example, and what must be said about it. `bytes` are replaced at `place`. */
typedef struct change {
    size_t place;
    int bytes;
    uint64_t value;
    pt_status status;
    const char *text;
} change;

static void test_container__each_rule_is_checked(void **state)
{
    (void)state;
    enum { ENTRY = 64 + 64 }; /* of section A: 2 x 3 doubles at 448 */
    const change changes[] = {
        {0, 1, 'p', PT_EFORMAT, "not a Polytomy model"},
        {8, 4, 2, PT_ENOSUPPORT, "newer Polytomy"},
        {8, 4, 0, PT_EFORMAT, "version is 0"},
        {12, 4, 4, PT_EFORMAT, "'meta' is not where it should be"},
        {12, 4, 9, PT_EFORMAT, "damaged"},
        {12, 4, 1025, PT_EFORMAT, "too many sections"},
        {12, 4, 1000, PT_EFORMAT, "table of sections is cut off"},
        {16, 8, 641, PT_EFORMAT, "should have 641 bytes and has 640"},
        {40, 1, 1, PT_EFORMAT, "reserved"},
        {63, 1, 255, PT_EFORMAT, "reserved"},
        {ENTRY, 1, 7, PT_EFORMAT, "not printable"},
        {ENTRY, 1, 0, PT_EFORMAT, "not printable"},
        {ENTRY, 1, 200, PT_EFORMAT, "not printable"},
        {ENTRY + 5, 1, 'x', PT_EFORMAT, "not printable"},
        {ENTRY + 16, 8, 449, PT_EFORMAT, "'A' is not where it should be"},
        {ENTRY + 16, 8, 384, PT_EFORMAT, "'A' is not where it should be"},
        {ENTRY + 16, 8, UINT64_MAX, PT_EFORMAT, "'A' is not where it should be"},
        {ENTRY + 24, 8, 193, PT_EFORMAT, "'A' reaches beyond"},
        {ENTRY + 24, 8, UINT64_MAX - 447, PT_EFORMAT, "'A' reaches beyond"},
        {ENTRY + 24, 8, 40, PT_EFORMAT, "'A' has a shape"},
        {ENTRY + 40, 4, 2, PT_ENOSUPPORT, "newer Polytomy"},
        {ENTRY + 44, 4, 4, PT_ENOSUPPORT, "newer Polytomy"},
        {ENTRY + 44, 4, 1, PT_EFORMAT, "'A' has a shape"},
        {ENTRY + 44, 4, 0, PT_EFORMAT, "'A' has a shape"},
        {ENTRY + 48, 8, 3, PT_EFORMAT, "'A' has a shape"},
        {ENTRY + 48, 8, UINT64_MAX, PT_EFORMAT, "rows or columns"},
        {ENTRY + 56, 8, UINT64_C(1) << 62, PT_EFORMAT, "rows or columns"},
        {64 + 56, 8, 2, PT_EFORMAT, "'meta' has a shape"},
        {64 + 4 * 64 + 56, 8, 1000, PT_EFORMAT, "rows or columns"}, /* 0 x 1000 */
        {384 + sizeof META, 1, 1, PT_EFORMAT, "'A' has bytes before it"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        size_t size = 0;
        pt_error err = PT_ERROR_INIT;
        unsigned char *bytes = packed(&size);
        mend_put(bytes + changes[i].place, changes[i].value, changes[i].bytes);
        mend_checksums(bytes, size);
        const pt_status status = open_exactly(bytes, size, &err);
        if (status != changes[i].status || !strstr(err.text, changes[i].text))
            fail_msg("change %zu: status %d, \"%s\", not \"%s\"", i, status, err.text,
                     changes[i].text);
        free(bytes);
    }
}

static void test_container__sums_name_the_section(void **state)
{
    (void)state;
    size_t size = 0;
    pt_error err = PT_ERROR_INIT;
    unsigned char *bytes = packed(&size);
    bytes[448] ^= 1;
    assert_int_equal(open_exactly(bytes, size, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "damaged"));
    assert_non_null(strstr(err.text, "section 'A' does not match its checksum"));
    bytes[448] ^= 1;
    bytes[64 + 64 + 48] ^= 1;
    assert_int_equal(open_exactly(bytes, size, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "table of sections does not match its checksum"));
    free(bytes);
}

static void test_container__duplicate_tags_are_refused(void **state)
{
    (void)state;
    size_t size = 0;
    pt_error err = PT_ERROR_INIT;
    unsigned char *bytes = packed(&size);
    memcpy(bytes + 64 + 64 * 3, bytes + 64 + 64, 16); /* counts becomes a second A */
    mend_checksums(bytes, size);
    assert_int_equal(open_exactly(bytes, size, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "'A' is there twice"));
    free(bytes);
}

static void test_container__bytes_behind_the_end_are_refused(void **state)
{
    (void)state;
    size_t size = 0;
    pt_error err = PT_ERROR_INIT;
    unsigned char *bytes = packed(&size);
    unsigned char *longer = calloc(1, size + 64);
    memcpy(longer, bytes, size);
    assert_int_equal(open_exactly(longer, size + 64, &err), PT_EFORMAT);
    mend_put(longer + 16, size + 64, 8);
    assert_int_equal(open_exactly(longer, size + 64, &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "behind its last section"));
    free(longer);
    free(bytes);
}

static void test_container__unknown_sections(void **state)
{
    (void)state;
    static const char *const all[] = {"meta", "A", "sixteen_letters_", "empty", NULL};
    static const char *const stars[] = {"me*", "A", "s*", "empty*", NULL};
    static const char *const some[] = {"meta", "A", "empty", "sixteen", NULL};
    size_t size = 0;
    pt_error err = PT_ERROR_INIT;
    unsigned char *bytes = packed(&size);
    pt_container *c = NULL;
    assert_int_equal(pt_container_open_memory(&c, bytes, size, "m.pt", &err), PT_OK);
    assert_int_equal(pt_container_require_known(c, all, &err), PT_OK); /* counts is optional */
    assert_int_equal(pt_container_require_known(c, stars, &err), PT_OK);
    assert_int_equal(pt_container_require_known(c, some, &err), PT_ENOSUPPORT);
    assert_non_null(strstr(err.text, "'sixteen_letters_'"));
    assert_string_equal(err.file, "m.pt");
    pt_container_close(c);

    /* An optional section of a kind to come is left out; the others are there. */
    mend_put(bytes + 64 + 64 * 3 + 44, 77, 4);
    mend_checksums(bytes, size);
    assert_int_equal(pt_container_open_memory(&c, bytes, size, "m.pt", &err), PT_OK);
    assert_int_equal(pt_container_count(c), SECTIONS - 1);
    assert_null(pt_container_find(c, "counts"));
    assert_non_null(pt_container_find(c, "empty"));
    pt_container_close(c);
    free(bytes);
}

/* ---------------------------------------------------------------------------------- mutations */

static void test_container__cut_at_every_byte(void **state)
{
    (void)state;
    size_t size = 0;
    unsigned char *bytes = packed(&size);
    for (size_t length = 0; length < size; length++) {
        pt_error err = PT_ERROR_INIT;
        assert_int_equal(open_exactly(bytes, length, &err), PT_EFORMAT);
        unsigned char *copy = malloc(length ? length : 1);
        memcpy(copy, bytes, length);
        if (length >= 24)
            mend_put(copy + 16, length, 8); /* the header tells the shorter length too */
        mend_checksums(copy, length);
        assert_int_equal(open_exactly(copy, length, &err), PT_EFORMAT);
        free(copy);
    }
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(open_exactly(bytes, size, &err), PT_OK);
    free(bytes);
}

static void test_container__every_flip_is_noticed(void **state)
{
    (void)state;
    size_t size = 0;
    unsigned char *bytes = packed(&size);
    for (size_t place = 0; place < size; place++)
        for (int bit = 0; bit < 8; bit++) {
            pt_error err = PT_ERROR_INIT;
            bytes[place] ^= (unsigned char)(1 << bit);
            assert_int_not_equal(open_exactly(bytes, size, &err), PT_OK);
            bytes[place] ^= (unsigned char)(1 << bit);
        }
    free(bytes);
}

/* With mended sums a change in a section's own bytes, its tag or the optional flag is legal;
 * nothing else is, and nothing crashes. */
static void test_container__mended_flips_are_safe(void **state)
{
    (void)state;
    size_t size = 0;
    int64_t opened = 0;
    unsigned char *bytes = packed(&size);
    unsigned char *copy = malloc(size);
    for (size_t place = 0; place < size; place++)
        for (int value = 1; value < 256; value++) {
            pt_error err = PT_ERROR_INIT;
            memcpy(copy, bytes, size);
            copy[place] ^= (unsigned char)value;
            mend_checksums(copy, size);
            if (open_exactly(copy, size, &err) == PT_OK) {
                const size_t field = (place - 64) % 64;
                const bool table = place >= 64 && place < 384;
                assert_true(place >= 24 && (place < 32 || place >= 64));
                assert_true(!table || field < 16 || (field >= 32 && field < 64));
                opened++;
            }
        }
    assert_true(opened > 0);
    free(copy);
    free(bytes);
}

/* ---------------------------------------------------------------------------------- memory */

static void test_container__no_memory_is_reported_and_nothing_leaks(void **state)
{
    (void)state;
    pt_section sections[SECTIONS];
    example(sections);
    size_t size = 0;
    unsigned char *bytes = packed(&size);
    assert_int_equal(pt_container_write(path_of("m.pt"), sections, SECTIONS, NULL), PT_OK);
    const int64_t live = pt_alloc_live();
    for (int round = 0; round < 4; round++) {
        bool done = false;
        for (int64_t number = 1; !done; number++) {
            assert_true(number < 50);
            pt_container *c = NULL;
            void *out = NULL;
            size_t out_size = 0;
            pt_error err = PT_ERROR_INIT;
            pt_status status = PT_OK;
            pt_alloc_fail_from(number);
            if (round == 0)
                status = pt_container_open(&c, path_of("m.pt"), &err);
            else if (round == 1)
                status = pt_container_open_memory(&c, bytes, size, "m.pt", &err);
            else if (round == 2)
                status = pt_container_pack(&out, &out_size, sections, SECTIONS, &err);
            else
                status = pt_container_write(path_of("m.pt"), sections, SECTIONS, &err);
            done = pt_alloc_count() < number;
            pt_alloc_fail_from(0);
            /* Writing survives without the memory to sync the folder: the file is whole. */
            assert_true(status == PT_ENOMEM || (status == PT_OK && (done || round == 3)));
            assert_int_equal(err.code, status);
            pt_container_close(c);
            pt_free(out);
            assert_int_equal(pt_alloc_live(), live);
        }
    }
    pt_container *c = NULL;
    assert_int_equal(pt_container_open(&c, path_of("m.pt"), NULL), PT_OK);
    expect_example(c);
    pt_container_close(c);
    pt_container_close(NULL);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_container__file_round_trip),
        cmocka_unit_test(test_container__memory_at_any_address),
        cmocka_unit_test(test_container__no_sections),
        cmocka_unit_test(test_container__layout_is_the_documented_one),
        cmocka_unit_test(test_container__writer_refuses_nonsense),
        cmocka_unit_test(test_container__writer_reports_the_file),
        cmocka_unit_test(test_container__what_is_no_model_is_refused),
        cmocka_unit_test(test_container__each_rule_is_checked),
        cmocka_unit_test(test_container__sums_name_the_section),
        cmocka_unit_test(test_container__duplicate_tags_are_refused),
        cmocka_unit_test(test_container__bytes_behind_the_end_are_refused),
        cmocka_unit_test(test_container__unknown_sections),
        cmocka_unit_test(test_container__cut_at_every_byte),
        cmocka_unit_test(test_container__every_flip_is_noticed),
        cmocka_unit_test(test_container__mended_flips_are_safe),
        cmocka_unit_test(test_container__no_memory_is_reported_and_nothing_leaks),
    };
    return cmocka_run_group_tests(tests, folder_make, folder_remove);
}
