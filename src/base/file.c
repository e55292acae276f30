/* Atomic files: a temporary name in the same folder, fsync, rename. What is there and is not a plain
 * file (a device, a pipe) is written to directly: renaming would replace it. */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

#include "base/alloc.h"

struct pt_outfile {
    char *path;
    char *temporary; /* "" where the file itself is written */
    int descriptor;
};

static pt_status fail_errno(pt_error *err, const char *path, const char *what)
{
    const int reason = errno;
    return pt_fail_at(err, PT_EIO, path, 0, 0, "cannot %s: %s", what, strerror(reason));
}

/* A name of our own, never a link that somebody left there. */
static void outfile_create(pt_outfile *file, size_t room)
{
    const int flags = O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC;
    struct stat there;
    if (stat(file->path, &there) == 0 && !S_ISREG(there.st_mode)) {
        file->temporary[0] = '\0';
        file->descriptor = open(file->path, O_WRONLY | O_CLOEXEC);
        return;
    }
    snprintf(file->temporary, room, "%s.%ld.tmp", file->path, (long)getpid());
    file->descriptor = open(file->temporary, flags, 0666);
    if (file->descriptor < 0 && errno == EEXIST && unlink(file->temporary) == 0)
        file->descriptor = open(file->temporary, flags, 0666);
}

pt_status pt_outfile_open(pt_outfile **out, const char *path, pt_error *err)
{
    pt_status status = PT_ENOMEM;
    pt_outfile *file = pt_alloc_zero(1, sizeof *file, "an output file", err);
    if (!file)
        return PT_ENOMEM;
    file->descriptor = -1;
    file->path = pt_alloc_text(path, err);
    const size_t room = strlen(path) + 32;
    file->temporary = pt_alloc((int64_t)room, 1, "a file name", err);
    if (!file->path || !file->temporary)
        goto failed;

    outfile_create(file, room);
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
            return fail_errno(err, file->path, "write to it");
        next += written;
        size -= (size_t)written;
    }
    return PT_OK;
}

static void sync_folder(const char *path)
{
    pt_error ignored;
    char *copy = pt_alloc_text(path, &ignored);
    if (!copy)
        return;
    const int folder = open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder >= 0) {
        (void)fsync(folder); /* the file itself is safe already */
        close(folder);
    }
    pt_free(copy);
}

pt_status pt_outfile_commit(pt_outfile *file, pt_error *err)
{
    pt_status status = PT_OK;
    if (fsync(file->descriptor) != 0 && errno != EINVAL) /* EINVAL: a pipe cannot be synced */
        status = fail_errno(err, file->path, "write to it");
    if (close(file->descriptor) != 0 && status == PT_OK)
        status = fail_errno(err, file->path, "write to it");
    file->descriptor = -1;
    if (status == PT_OK && file->temporary[0]) {
        if (rename(file->temporary, file->path) != 0) {
            status = fail_errno(err, file->path, "rename it into place");
        } else {
            sync_folder(file->path);
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
    if (file->descriptor >= 0)
        close(file->descriptor);
    if (file->temporary && file->temporary[0])
        unlink(file->temporary);
    pt_free(file->temporary);
    pt_free(file->path);
    pt_free(file);
}

uint64_t pt_checksum(const void *bytes, size_t size)
{
    return XXH3_64bits(bytes, size);
}
