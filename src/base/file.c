/* Atomic files: a temporary name in the same folder, fsync, rename. The names come from that of the
 * file, and whoever writes one holds a lock on it: where a process was killed, the next that writes
 * the same file finds what it left, unlocked, and removes it. What is there and is not a
 * plain file (a device, a pipe) is written to directly: renaming would replace it. A link is
 * followed, so that the file it points to is replaced and the link stays; a link to nothing is
 * replaced itself. A file that is replaced keeps its permissions, and its owner where we may give
 * it away. */
#define _DEFAULT_SOURCE 1 /* realpath and flock, which POSIX alone does not have */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"

struct pt_outfile {
    char *name;      /* as the caller said, for errors */
    char *path;      /* where it goes: links resolved */
    char *temporary; /* "" where the file itself is written */
    int descriptor;
    bool settled; /* the descriptor holds the lock, and nothing else */
};

static pt_status fail_errno(pt_error *err, const char *path, const char *what)
{
    const int reason = errno;
    return pt_fail_at(err, PT_EIO, path, 0, 0, "cannot %s: %s", what, strerror(reason));
}

static int open_patiently(const char *path, int flags)
{
    int descriptor;
    do {
        descriptor = open(path, flags | O_CLOEXEC, 0666);
    } while (descriptor < 0 && errno == EINTR);
    return descriptor;
}

/* Bytes of `path` up to its last slash, the slash included. */
static size_t folder_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

/* Names are short: a long name may leave no room for an ending. Those who write the same file at
 * the same time have different numbers. */
enum { TEMPORARY_ROOM = 64, TEMPORARY_NAMES = 100, TEMPORARY_SWEPT = 4 };

/* Whether `path` still is the file that is open. */
static bool is_there(const char *path, int descriptor)
{
    struct stat named;
    struct stat opened;
    return lstat(path, &named) == 0 && fstat(descriptor, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* Removes a temporary file that nobody writes any more: it is ours, and no lock is held on it. Only
 * the holder of the lock removes the name, so that what is removed is what was looked at. */
static void remove_stale(const char *path)
{
    struct stat there;
    if (lstat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_uid != geteuid())
        return;
    const int descriptor = open_patiently(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK);
    if (descriptor < 0)
        return;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_there(path, descriptor))
        unlink(path);
    close(descriptor);
}

/* Between the making of a file and its lock another process may take it for stale: then it is not
 * there any more. A file system without locks has no stale files that could be told. */
static bool lock_new(const char *path, int descriptor)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return false;
    return is_there(path, descriptor);
}

static void name_temporary(pt_outfile *file, int number)
{
    const size_t folder = folder_length(file->path);
    const char *name = file->path + folder;
    memcpy(file->temporary, file->path, folder);
    snprintf(file->temporary + folder, TEMPORARY_ROOM, ".polytomy-%016llx-%d.tmp",
             (unsigned long long)pt_checksum(name, strlen(name)), number);
}

static int create_temporary(pt_outfile *file)
{
    for (int number = 0; number < TEMPORARY_SWEPT; number++) {
        name_temporary(file, number);
        remove_stale(file->temporary);
    }
    for (int number = 0; number < TEMPORARY_NAMES; number++) {
        name_temporary(file, number);
        const int descriptor = open_patiently(file->temporary, O_WRONLY | O_CREAT | O_EXCL);
        if (descriptor >= 0 && lock_new(file->temporary, descriptor))
            return descriptor;
        if (descriptor < 0 && errno != EEXIST)
            return -1;
        if (descriptor >= 0)
            close(descriptor); /* another process has removed it */
    }
    return -1;
}

/* The descriptor to write to, or -1 with errno. */
static int outfile_create(pt_outfile *file)
{
    struct stat there;
    const bool replaces = stat(file->path, &there) == 0;
    if (replaces && !S_ISREG(there.st_mode))
        return open_patiently(file->path, O_WRONLY);
    /* a file that may not be written is not replaced either, though the folder would allow it */
    if (replaces && access(file->path, W_OK) != 0)
        return -1;
    const int descriptor = create_temporary(file);
    if (descriptor < 0) {
        file->temporary[0] = '\0'; /* not ours to remove */
    } else if (replaces) {
        const int given = fchown(descriptor, there.st_uid, there.st_gid);
        (void)given; /* not allowed to: then it is ours */
        (void)fchmod(descriptor, there.st_mode & 0777);
    }
    return descriptor;
}

/* `path` with links resolved where it exists, else as it is. */
static char *resolved(const char *path, pt_error *err)
{
    char *real = realpath(path, NULL);
    char *copy = pt_alloc_text(real ? real : path, err);
    free(real); /* the C library's own */
    return copy;
}

pt_status pt_outfile_open(pt_outfile **out, const char *path, pt_error *err)
{
    pt_status status = PT_ENOMEM;
    pt_outfile *file = pt_alloc_zero(1, sizeof *file, "an output file", err);
    if (!file)
        return PT_ENOMEM;
    file->descriptor = -1;
    file->name = pt_alloc_text(path, err);
    file->path = file->name ? resolved(path, err) : NULL;
    if (!file->path)
        goto failed;
    file->temporary =
        pt_alloc_zero((int64_t)folder_length(file->path) + TEMPORARY_ROOM, 1, "a file name", err);
    if (!file->temporary)
        goto failed;

    file->descriptor = outfile_create(file);
    if (file->descriptor < 0) {
        status = fail_errno(err, path, "create it");
        goto failed;
    }
    *out = file;
    return PT_OK;

failed:
    pt_outfile_abandon(file);
    return status;
}

pt_status pt_outfile_write(pt_outfile *file, const void *bytes, size_t size, pt_error *err)
{
    const char *next = bytes;
    while (size > 0) {
        const ssize_t written = write(file->descriptor, next, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_errno(err, file->name, "write to it");
        next += written;
        size -= (size_t)written;
    }
    return PT_OK;
}

/* Makes the new name last. Errors do not matter: the file itself is safe already. */
static void sync_folder(const pt_outfile *file)
{
    const size_t length = folder_length(file->path);
    char *folder = file->temporary; /* has the room, and is no longer needed */
    memcpy(folder, file->path, length);
    folder[length] = '\0';
    const int descriptor = open_patiently(length ? folder : ".", O_RDONLY | O_DIRECTORY);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

/* Pipes, devices and some file systems cannot be synced. */
static bool sync_failed(int descriptor)
{
    return fsync(descriptor) != 0 && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP;
}

pt_status pt_outfile_settle(pt_outfile *file, pt_error *err)
{
    pt_status status = PT_OK;
    const int lock = dup(file->descriptor); /* is held until the file has its name */
    if (sync_failed(file->descriptor))
        status = fail_errno(err, file->name, "write to it");
    if (close(file->descriptor) != 0 && status == PT_OK)
        status = fail_errno(err, file->name, "write to it");
    file->descriptor = lock;
    file->settled = true;
    return status;
}

pt_status pt_outfile_commit(pt_outfile *file, pt_error *err)
{
    pt_status status = file->settled ? PT_OK : pt_outfile_settle(file, err);
    if (status == PT_OK && file->temporary[0]) {
        if (rename(file->temporary, file->path) != 0) {
            status = fail_errno(err, file->name, "rename it into place");
        } else {
            sync_folder(file);
            file->temporary[0] = '\0';
        }
    }
    pt_outfile_abandon(file);
    return status;
}

void pt_outfile_abandon(pt_outfile *file)
{
    if (!file)
        return;
    if (file->temporary && file->temporary[0])
        unlink(file->temporary);
    if (file->descriptor >= 0)
        close(file->descriptor); /* and with it the lock */
    pt_free(file->temporary);
    pt_free(file->path);
    pt_free(file->name);
    pt_free(file);
}

uint64_t pt_checksum(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}
