/* Atomic files: whole or not at all, and nothing left beside them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "base/file.h"

static char folder[64];
static char target[96];

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/polytomy-file-XXXXXX");
    if (!mkdtemp(folder))
        return 1;
    snprintf(target, sizeof target, "%s/model", folder);
    return 0;
}

static int remove_folder(void **state)
{
    (void)state;
    (void)unlink(target); /* not every test writes it */
    return rmdir(folder); /* fails where anything was left behind */
}

static void write_whole(const char *text)
{
    pt_outfile *file = NULL;
    assert_int_equal(pt_outfile_open(&file, target, NULL), PT_OK);
    assert_int_equal(pt_outfile_write(file, text, strlen(text), NULL), PT_OK);
    assert_int_equal(pt_outfile_commit(file, NULL), PT_OK);
}

static void assert_contents(const char *text)
{
    char read[64] = "";
    FILE *file = fopen(target, "rb");
    assert_non_null(file);
    const size_t size = fread(read, 1, sizeof read - 1, file);
    fclose(file);
    assert_int_equal(size, strlen(text));
    assert_string_equal(read, text);
}

static void test_outfile__replaces_whole(void **state)
{
    (void)state;
    write_whole("first");
    write_whole("second");
    assert_contents("second");
}

static void test_outfile__abandoned_leaves_the_old_file(void **state)
{
    (void)state;
    write_whole("old");
    pt_outfile *file = NULL;
    assert_int_equal(pt_outfile_open(&file, target, NULL), PT_OK);
    assert_int_equal(pt_outfile_write(file, "half", 4, NULL), PT_OK);
    assert_contents("old");
    pt_outfile_abandon(file);
    assert_contents("old");
}

static void test_outfile__full_device_is_an_error(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    pt_outfile *file = NULL;
    pt_error err;
    assert_int_equal(pt_outfile_open(&file, "/dev/full", &err), PT_OK);
    assert_int_equal(pt_outfile_write(file, "x", 1, &err), PT_EIO);
    assert_string_equal(err.file, "/dev/full");
    pt_outfile_abandon(file);
    struct stat there;
    assert_int_equal(stat("/dev/full", &there), 0); /* and it is still a device */
    assert_true(S_ISCHR(there.st_mode));
}

static void test_outfile__no_such_folder_names_the_file(void **state)
{
    (void)state;
    pt_outfile *file = NULL;
    pt_error err;
    assert_int_equal(pt_outfile_open(&file, "/no/such/folder/model", &err), PT_EIO);
    assert_null(file);
    assert_string_equal(err.file, "/no/such/folder/model");
}

static void test_outfile__without_memory_nothing_happens(void **state)
{
    (void)state;
    const int64_t live = pt_alloc_live();
    for (int number = 1; number <= 3; number++) {
        pt_outfile *file = NULL;
        pt_alloc_fail_from(number);
        pt_status status = pt_outfile_open(&file, target, NULL);
        pt_alloc_fail_from(0);
        assert_int_equal(status, PT_ENOMEM);
        assert_int_equal(pt_alloc_live(), live);
        assert_int_not_equal(access(target, F_OK), 0);
    }
}

/* The published test vector of XXH3 for no bytes at all. */
static void test_checksum__is_xxh3(void **state)
{
    (void)state;
    assert_true(pt_checksum("", 0) == 0x2d06800538d394c2u);
    assert_true(pt_checksum("a", 1) != pt_checksum("b", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_outfile__replaces_whole, make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__abandoned_leaves_the_old_file, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_outfile__full_device_is_an_error),
        cmocka_unit_test(test_outfile__no_such_folder_names_the_file),
        cmocka_unit_test_setup_teardown(test_outfile__without_memory_nothing_happens, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_checksum__is_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
