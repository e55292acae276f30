/* Zip files, as far as numpy writes them: one disk, no encryption, methods 0 (stored) and 8
 * (deflate), 64-bit sizes where they are needed. Sizes and places come from the central directory;
 * every one is checked against the bytes there are before it is used. */
#include "data/read/source.h"

#include <string.h>
#include <zlib.h>

#include "base/alloc.h"
#include "base/text.h"

enum {
    END_SIZE = 22, /* of the end record, without comment */
    END64_LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    ENTRY_SIZE = 46,
    LOCAL_SIZE = 30,
    MOST_COMMENT = 65535,
    MOST_EXPANSION = 1032 /* deflate cannot do better */
};

static const uint32_t END_MAGIC = 0x06054b50;
static const uint32_t END64_LOCATOR_MAGIC = 0x07064b50;
static const uint32_t END64_MAGIC = 0x06064b50;
static const uint32_t ENTRY_MAGIC = 0x02014b50;
static const uint32_t LOCAL_MAGIC = 0x04034b50;

static uint64_t little(const char *bytes, int count)
{
    uint64_t value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value << 8 | (unsigned char)bytes[i];
    return value;
}

static pt_status not_zip(const char *source, const char *what, pt_error *err)
{
    return pt_fail_at(err, PT_EFORMAT, source, 0, 0, "the zip file is damaged: %s; get it again",
                      what);
}

bool pt_zip_is(const char *bytes, size_t size)
{
    return size >= 4 && little(bytes, 4) == LOCAL_MAGIC;
}

/* Where the directory is. */
typedef struct directory {
    uint64_t offset;
    uint64_t size;
    uint64_t entries;
} directory;

/* The 64-bit end record, where the locator before the end record points to one. */
static void end64(const char *bytes, size_t end, directory *found)
{
    if (end < END64_LOCATOR_SIZE ||
        little(bytes + end - END64_LOCATOR_SIZE, 4) != END64_LOCATOR_MAGIC)
        return;
    const uint64_t at = little(bytes + end - END64_LOCATOR_SIZE + 8, 8);
    if (at > end || end - at < END64_SIZE || little(bytes + at, 4) != END64_MAGIC)
        return;
    found->entries = little(bytes + at + 32, 8);
    found->size = little(bytes + at + 40, 8);
    found->offset = little(bytes + at + 48, 8);
}

static pt_status find_directory(const char *bytes, size_t size, const char *source,
                                directory *found, pt_error *err)
{
    if (size < END_SIZE)
        return not_zip(source, "it is too short", err);
    const size_t first = size > END_SIZE + MOST_COMMENT ? size - END_SIZE - MOST_COMMENT : 0;
    size_t end = size - END_SIZE;
    while (little(bytes + end, 4) != END_MAGIC) {
        if (end == first)
            return not_zip(source, "its directory is missing", err);
        end--;
    }
    found->entries = little(bytes + end + 10, 2);
    found->size = little(bytes + end + 12, 4);
    found->offset = little(bytes + end + 16, 4);
    end64(bytes, end, found);
    if (found->offset > end || found->size > end - found->offset)
        return not_zip(source, "its directory lies outside", err);
    return PT_OK;
}

/* An entry of the directory. */
typedef struct entry {
    pt_zip_member member;
    uint64_t local; /* offset of the local header */
    unsigned method;
    unsigned flags;
} entry;

/* Sizes that did not fit 32 bits are in an extra field, in this order. */
static void wide_sizes(entry *e, uint64_t *size, uint64_t *packed, const char *extra, size_t length)
{
    const uint32_t FULL = 0xffffffffu;
    while (length >= 4) {
        const unsigned tag = (unsigned)little(extra, 2);
        size_t own = (size_t)little(extra + 2, 2);
        extra += 4;
        length -= 4;
        if (own > length)
            return;
        if (tag == 1) {
            uint64_t *const fields[3] = {size, packed, &e->local};
            const char *p = extra;
            for (int i = 0; i < 3; i++)
                if (*fields[i] == FULL && own >= 8) {
                    *fields[i] = little(p, 8);
                    p += 8;
                    own -= 8;
                }
            return;
        }
        extra += own;
        length -= own;
    }
}

/* The entry at p, of a directory with `left` bytes; returns its length, 0 if it is broken. */
static size_t read_entry(const char *p, uint64_t left, entry *e)
{
    if (left < ENTRY_SIZE || little(p, 4) != ENTRY_MAGIC)
        return 0;
    const size_t name = (size_t)little(p + 28, 2);
    const size_t extra = (size_t)little(p + 30, 2);
    const size_t comment = (size_t)little(p + 32, 2);
    if (left - ENTRY_SIZE < name + extra + comment)
        return 0;
    uint64_t packed = little(p + 20, 4);
    uint64_t size = little(p + 24, 4);
    memset(e, 0, sizeof *e);
    e->flags = (unsigned)little(p + 8, 2);
    e->method = (unsigned)little(p + 10, 2);
    e->member.crc = (uint32_t)little(p + 16, 4);
    e->local = little(p + 42, 4);
    wide_sizes(e, &size, &packed, p + ENTRY_SIZE + name, extra);
    e->member.name = p + ENTRY_SIZE;
    e->member.name_length = name;
    e->member.packed_size = (size_t)packed;
    e->member.size = (size_t)size;
    return ENTRY_SIZE + name + extra + comment;
}

/* Finds the packed bytes behind the local header. */
static pt_status locate(const char *bytes, size_t size, entry *e, const char *source, pt_error *err)
{
    if (e->flags & 1)
        return pt_fail_at(err, PT_ENOSUPPORT, source, 0, 0, "the zip file is encrypted");
    if (e->method != 0 && e->method != 8)
        return pt_fail_at(err, PT_ENOSUPPORT, source, 0, 0,
                          "the zip file uses compression method %u; only stored and deflated "
                          "members are read",
                          e->method);
    if (e->local > size || size - e->local < LOCAL_SIZE ||
        little(bytes + e->local, 4) != LOCAL_MAGIC)
        return not_zip(source, "a member is not where the directory says", err);
    const char *local = bytes + e->local;
    const size_t skip = LOCAL_SIZE + (size_t)little(local + 26, 2) + (size_t)little(local + 28, 2);
    const size_t room = size - (size_t)e->local;
    if (skip > room || e->member.packed_size > room - skip)
        return not_zip(source, "a member is cut off", err);
    e->member.packed = local + skip;
    e->member.deflated = e->method == 8;
    if (e->member.deflated ? e->member.size / MOST_EXPANSION > e->member.packed_size + 1
                           : e->member.size != e->member.packed_size)
        return not_zip(source, "a member has an impossible size", err);
    return PT_OK;
}

pt_status pt_zip_find(const char *bytes, size_t size, const char *name, const char *source,
                      pt_zip_member *member, bool *found, pt_error *err)
{
    directory at = {0, 0, 0};
    *found = false;
    PT_TRY(find_directory(bytes, size, source, &at, err));
    const char *p = bytes + at.offset;
    uint64_t left = at.size;
    for (uint64_t i = 0; i < at.entries; i++) {
        entry e;
        const size_t length = read_entry(p, left, &e);
        if (length == 0)
            return not_zip(source, "its directory is cut off", err);
        if (e.member.name_length == strlen(name) &&
            memcmp(e.member.name, name, e.member.name_length) == 0) {
            PT_TRY(locate(bytes, size, &e, source, err));
            *member = e.member;
            *found = true;
            return PT_OK;
        }
        p += length;
        left -= length;
    }
    return PT_OK;
}

static uint32_t crc_of(const char *bytes, size_t size)
{
    uLong crc = crc32(0, NULL, 0);
    while (size > 0) {
        const uInt part = size > 1u << 30 ? 1u << 30 : (uInt)size;
        crc = crc32(crc, (const Bytef *)bytes, part);
        bytes += part;
        size -= part;
    }
    return (uint32_t)crc;
}

/* Fuzzers change bytes without mending checksums: nothing may rely on them. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
static const bool CHECK_CRC = false;
#else
static const bool CHECK_CRC = true;
#endif

pt_status pt_zip_expand(const pt_zip_member *member, const char *source, const pt_task *task,
                        const char **contents, char **copy, pt_error *err)
{
    PT_SCRATCH char *block = NULL;
    *copy = NULL;
    *contents = member->packed;
    if (member->deflated) {
        if (member->size > (size_t)pt_task_memory(task))
            return pt_fail_at(err, PT_EMEMORY, source, 0, 0,
                              "a member takes %s; raise `memory` or use less data",
                              PT_SHOW_BYTES(member->size));
        block = pt_alloc((int64_t)member->size, 1, "a member of a zip file", err);
        if (!block)
            return PT_ENOMEM;
        PT_TRY(
            pt_inflate_raw(member->packed, member->packed_size, block, member->size, source, err));
        *contents = block;
    }
    if (CHECK_CRC && crc_of(*contents, member->size) != member->crc)
        return not_zip(source, "a member's checksum is wrong", err);
    *copy = pt_keep(&block);
    return PT_OK;
}
