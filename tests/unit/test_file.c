/* Atomic files: whole or not at all, and nothing left beside them. */
#include <dirent.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
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
    pt_error err = PT_ERROR_INIT;
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
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_outfile_open(&file, "/no/such/folder/model", &err), PT_EIO);
    assert_null(file);
    assert_string_equal(err.file, "/no/such/folder/model");
}

static void test_outfile__without_memory_nothing_happens(void **state)
{
    (void)state;
    const int64_t live = pt_alloc_live();
    for (int number = 1; number <= 4; number++) {
        pt_outfile *file = NULL;
        pt_alloc_fail_from(number);
        pt_status status = pt_outfile_open(&file, target, NULL);
        pt_alloc_fail_from(0);
        assert_int_equal(status, PT_ENOMEM);
        assert_int_equal(pt_alloc_live(), live);
        assert_int_not_equal(access(target, F_OK), 0);
    }
}

static mode_t mode_of(const char *path)
{
    struct stat there;
    assert_int_equal(lstat(path, &there), 0);
    return there.st_mode;
}

/* Nothing but `count` names in the folder. */
static void assert_names(int count)
{
    DIR *opened = opendir(folder);
    assert_non_null(opened);
    int found = 0;
    for (const struct dirent *entry; (entry = readdir(opened));)
        found += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(opened);
    assert_int_equal(found, count);
}

static void test_outfile__replaced_file_keeps_its_permissions(void **state)
{
    (void)state;
    write_whole("old");
    assert_int_equal(chmod(target, 0640), 0);
    write_whole("new");
    assert_int_equal(mode_of(target) & 07777, 0640);
    assert_contents("new");
    assert_names(1);
}

static void test_outfile__link_is_followed_and_stays(void **state)
{
    (void)state;
    char real[128];
    snprintf(real, sizeof real, "%s/real", folder);
    assert_int_equal(symlink("real", target), 0);
    FILE *file = fopen(real, "wb");
    assert_non_null(file);
    fputs("old", file);
    fclose(file);
    write_whole("new");
    assert_true(S_ISLNK(mode_of(target)));
    assert_true(S_ISREG(mode_of(real)));
    assert_contents("new");
    assert_names(2);
    assert_int_equal(unlink(real), 0);
}

static void test_outfile__link_to_nothing_is_replaced(void **state)
{
    (void)state;
    assert_int_equal(symlink("nowhere", target), 0);
    write_whole("new");
    assert_true(S_ISREG(mode_of(target)));
    assert_contents("new");
    assert_names(1);
}

static void test_outfile__folder_is_refused(void **state)
{
    (void)state;
    pt_outfile *file = NULL;
    pt_error err = PT_ERROR_INIT;
    assert_int_equal(pt_outfile_open(&file, folder, &err), PT_EIO);
    assert_string_equal(err.file, folder);
    assert_names(0);
}

/* Two writers of one name in one process: each has a file of its own, the last one stays. */
static void test_outfile__two_writers_do_not_meet(void **state)
{
    (void)state;
    pt_outfile *a = NULL;
    pt_outfile *b = NULL;
    assert_int_equal(pt_outfile_open(&a, target, NULL), PT_OK);
    assert_int_equal(pt_outfile_open(&b, target, NULL), PT_OK);
    assert_int_equal(pt_outfile_write(b, "second", 6, NULL), PT_OK);
    assert_int_equal(pt_outfile_write(a, "first", 5, NULL), PT_OK);
    assert_int_equal(pt_outfile_commit(a, NULL), PT_OK);
    assert_contents("first");
    assert_int_equal(pt_outfile_commit(b, NULL), PT_OK);
    assert_contents("second");
    assert_names(1);
}

/* What a process that was killed has left is removed by the next that writes the same file; what
 * another one is writing is not. */
static void test_outfile__removes_what_a_killed_process_left(void **state)
{
    (void)state;
    pt_outfile *living = NULL;
    write_whole("old");
    assert_int_equal(pt_outfile_open(&living, target, NULL), PT_OK);
    assert_int_equal(pt_outfile_write(living, "living", 6, NULL), PT_OK);
    for (int i = 0; i < 3; i++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            pt_outfile *file = NULL;
            (void)pt_outfile_open(&file, target, NULL);
            (void)pt_outfile_write(file, "half", 4, NULL);
            raise(SIGKILL);
        }
        int result = 0;
        assert_int_equal(waitpid(child, &result, 0), child);
        assert_true(WIFSIGNALED(result));
        assert_names(3); /* the old one, the living, the last that was killed */
        assert_contents("old");
    }
    write_whole("new");
    assert_names(2);
    assert_contents("new");
    assert_int_equal(pt_outfile_commit(living, NULL), PT_OK);
    assert_contents("living");
    assert_names(1);
}

/* A name that somebody else has made, as one may in /tmp, is not touched. */
static void test_outfile__leaves_what_is_not_its_own(void **state)
{
    (void)state;
    char name[160];
    pt_outfile *file = NULL;
    snprintf(name, sizeof name, "%s/.polytomy-%016llx-0.tmp", folder,
             (unsigned long long)pt_checksum("model", 5));
    assert_int_equal(symlink("/etc/passwd", name), 0);
    assert_int_equal(pt_outfile_open(&file, target, NULL), PT_OK);
    assert_int_equal(pt_outfile_commit(file, NULL), PT_OK);
    assert_true(S_ISLNK(mode_of(name)));
    assert_true(S_ISREG(mode_of(target)));
    assert_int_equal(unlink(name), 0);
}

static void test_outfile__longest_names_work(void **state)
{
    (void)state;
    char name[400];
    const int used = snprintf(name, sizeof name, "%s/", folder);
    memset(name + used, 'm', 255);
    name[used + 255] = '\0';
    pt_outfile *file = NULL;
    assert_int_equal(pt_outfile_open(&file, name, NULL), PT_OK);
    assert_int_equal(pt_outfile_commit(file, NULL), PT_OK);
    assert_int_equal(unlink(name), 0);
    assert_names(0);
}

/* As a user who may not write: neither into a folder nor over a file that is not his. The tests may
 * run as root, to whom everything is allowed: a child process becomes nobody first. */
static void test_outfile__without_permission_the_old_file_stays(void **state)
{
    (void)state;
    write_whole("old");
    assert_int_equal(chmod(folder, 0555), 0);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (getuid() == 0 && setuid(65534) != 0)
            _exit(77);
        pt_outfile *file = NULL;
        pt_error err = PT_ERROR_INIT;
        _exit(pt_outfile_open(&file, target, &err) == PT_EIO && strcmp(err.file, target) == 0 ? 0
                                                                                              : 1);
    }
    int result = 0;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_true(WIFEXITED(result));
    assert_true(WEXITSTATUS(result) == 0 || WEXITSTATUS(result) == 77);
    assert_contents("old");
    assert_names(1);
}

/* A limit on the size of files stands for a full disk: writing fails half way, nothing is left. */
static void test_outfile__disk_that_fills_up_leaves_the_old_file(void **state)
{
    (void)state;
    write_whole("old");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    struct rlimit small = before;
    small.rlim_cur = 4096;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    static const char bytes[3 * 4096];
    pt_outfile *file = NULL;
    pt_error err = {0};
    const pt_status opened = pt_outfile_open(&file, target, &err);
    const pt_status written =
        opened == PT_OK ? pt_outfile_write(file, bytes, sizeof bytes, &err) : PT_OK;
    pt_outfile_abandon(file);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_int_equal(opened, PT_OK);
    assert_int_equal(written, PT_EIO);
    assert_string_equal(err.file, target);
    assert_contents("old");
    assert_names(1);
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
        cmocka_unit_test_setup_teardown(test_outfile__replaced_file_keeps_its_permissions,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__link_is_followed_and_stays, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__link_to_nothing_is_replaced, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__folder_is_refused, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__two_writers_do_not_meet, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__removes_what_a_killed_process_left,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__leaves_what_is_not_its_own, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__longest_names_work, make_folder,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__without_permission_the_old_file_stays,
                                        make_folder, remove_folder),
        cmocka_unit_test_setup_teardown(test_outfile__disk_that_fills_up_leaves_the_old_file,
                                        make_folder, remove_folder),
        cmocka_unit_test(test_outfile__full_device_is_an_error),
        cmocka_unit_test(test_outfile__no_such_folder_names_the_file),
        cmocka_unit_test_setup_teardown(test_outfile__without_memory_nothing_happens, make_folder,
                                        remove_folder),
        cmocka_unit_test(test_checksum__is_xxh3),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
