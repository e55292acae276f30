/* The model file as a container of sections: see container.h for the layout and the promises.
 *
 * Reading goes through four gates, and nothing is used before its gate:
 *
 *   header    magic, version, number of sections, bytes of the file, zeros
 *   table     its sum; for each entry tag, kind, flags, shape, and that the section lies exactly
 *             where the one before it ends, rounded up to 64
 *   sections  the zeros between them, and the sum of each
 *   names     no tag twice
 *
 * As every offset is computed and compared rather than believed, order, alignment, overlap and
 * range are one equality. Sums of sizes stay below the bytes of the file, which exists: no
 * overflow. */
#include "store/container.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/file.h"

enum {
    ALIGNMENT = 64,
    HEADER_BYTES = 64,
    ENTRY_BYTES = 64,
    TAG_BYTES = 16,
    FLAG_OPTIONAL = 1,
    BORROW_ALIGNMENT = 8
};
static const char MAGIC[8] = {'P', 'O', 'L', 'Y', 'T', 'O', 'M', 'Y'};
static const unsigned char ZEROS[ALIGNMENT];

struct pt_container {
    char *name;
    unsigned char *owned; /* NULL where the bytes are borrowed */
    const unsigned char *bytes;
    size_t size;
    int64_t count;
    pt_section *sections;
};

/* An entry of the table, as it stands in the file. */
typedef struct entry {
    const char *tag; /* TAG_BYTES, not ended */
    uint64_t offset;
    uint64_t bytes;
    uint64_t sum;
    uint32_t flags;
    uint32_t kind;
    uint64_t rows;
    uint64_t columns;
} entry;

/* ---- numbers --------------------------------------------------------------------------------- */

static uint64_t get_u64(const unsigned char *at)
{
    uint64_t value = 0;
    for (int i = 7; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static uint32_t get_u32(const unsigned char *at)
{
    return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static void put_u64(unsigned char *at, uint64_t value)
{
    for (int i = 0; i < 8; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static void put_u32(unsigned char *at, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

static size_t padding(uint64_t position)
{
    return (size_t)((ALIGNMENT - position % ALIGNMENT) % ALIGNMENT);
}

/* Values go to and from the file as they lie in memory, so their bytes must be in its order. */
static pt_status check_byte_order(const char *name, pt_error *err)
{
    const uint16_t one = 1;
    unsigned char first = 0;
    memcpy(&first, &one, 1);
    if (first == 1)
        return PT_OK;
    return pt_fail_at(err, PT_ENOSUPPORT, name, 0, 0,
                      "model files cannot be written or read on a big-endian machine");
}

/* Bytes of an element; 0 for a kind that this version does not know. */
static size_t kind_size(uint32_t kind)
{
    switch (kind) {
    case PT_SECTION_BYTES:
        return 1;
    case PT_SECTION_F32:
        return sizeof(float);
    case PT_SECTION_F64:
        return sizeof(double);
    case PT_SECTION_I64:
        return sizeof(int64_t);
    default:
        return 0;
    }
}

/* Whether rows * columns * size is exactly `bytes`, without overflow. */
static bool shape_fits(uint64_t rows, uint64_t columns, size_t size, uint64_t bytes)
{
    size_t elements = 0;
    size_t product = 0;
    return rows <= INT64_MAX && columns <= INT64_MAX &&
           pt_size_mul((size_t)rows, (size_t)columns, &elements) &&
           pt_size_mul(elements, size, &product) && product == bytes;
}

/* The length of a tag: printable, no spaces, not empty, padded with zeros. 0 if it is not one. */
static int tag_length(const char *tag)
{
    int length = 0;
    while (length < TAG_BYTES && tag[length] > ' ' && tag[length] <= '~')
        length++;
    for (int i = length; i < TAG_BYTES; i++)
        if (tag[i] != '\0')
            return 0;
    return length;
}

/* ---- writing --------------------------------------------------------------------------------- */

/* Where packed bytes go: a file, or memory that is large enough. */
typedef struct sink {
    pt_outfile *file;
    unsigned char *memory;
    size_t used;
} sink;

static pt_status sink_put(sink *to, const void *bytes, size_t size, pt_error *err)
{
    if (size == 0)
        return PT_OK;
    if (to->file)
        return pt_outfile_write(to->file, bytes, size, err);
    memcpy(to->memory + to->used, bytes, size);
    to->used += size;
    return PT_OK;
}

static pt_status check_section(const pt_section *section, const pt_section *all, int64_t before,
                               pt_error *err)
{
    char tag[TAG_BYTES] = {0};
    const size_t length = strnlen(section->tag, sizeof section->tag);
    if (length <= TAG_BYTES)
        memcpy(tag, section->tag, length);
    if (length > TAG_BYTES || tag_length(tag) == 0)
        return pt_fail(err, PT_EINVAL,
                       "a section's tag must be 1 to 16 printable characters without spaces");
    for (int64_t i = 0; i < before; i++)
        if (strcmp(all[i].tag, section->tag) == 0)
            return pt_fail(err, PT_EINVAL, "two sections have the tag '%s'", section->tag);
    const size_t size = kind_size((uint32_t)section->kind);
    if (size == 0)
        return pt_fail(err, PT_EINVAL, "section '%s' is of an unknown kind", section->tag);
    if (section->rows < 0 || section->columns < 0 ||
        !shape_fits((uint64_t)section->rows, (uint64_t)section->columns, size, section->bytes) ||
        (section->kind == PT_SECTION_BYTES && section->columns != 1))
        return pt_fail(err, PT_EINVAL, "section '%s' has %zu bytes, which is not %lld x %lld",
                       section->tag, section->bytes, (long long)section->rows,
                       (long long)section->columns);
    if (section->bytes > 0 && !section->value)
        return pt_fail(err, PT_EINVAL, "section '%s' has no value", section->tag);
    return PT_OK;
}

/* Lays the sections out: fills `head` (header and table) and gives the bytes of the file. */
static pt_status plan(unsigned char *head, const pt_section *sections, int64_t count,
                      uint64_t *size, pt_error *err)
{
    const size_t table_bytes = (size_t)count * ENTRY_BYTES;
    uint64_t end = HEADER_BYTES + table_bytes;
    for (int64_t i = 0; i < count; i++) {
        const pt_section *section = &sections[i];
        PT_TRY(check_section(section, sections, i, err));
        end += padding(end);
        unsigned char *at = head + HEADER_BYTES + i * ENTRY_BYTES;
        memcpy(at, section->tag, strlen(section->tag));
        put_u64(at + 16, end);
        put_u64(at + 24, section->bytes);
        put_u64(at + 32, pt_checksum(section->bytes ? section->value : "", section->bytes));
        put_u32(at + 40, section->optional ? FLAG_OPTIONAL : 0);
        put_u32(at + 44, (uint32_t)section->kind);
        put_u64(at + 48, (uint64_t)section->rows);
        put_u64(at + 56, (uint64_t)section->columns);
        end += section->bytes; /* real objects in memory: their sum is far from 2^64 */
    }
    for (int64_t i = 0; i < count; i++)
        if ((uint64_t)sections[i].rows > end || (uint64_t)sections[i].columns > end)
            return pt_fail(err, PT_EINVAL, "section '%s' is empty but has %lld x %lld elements",
                           sections[i].tag, (long long)sections[i].rows,
                           (long long)sections[i].columns);
    memcpy(head, MAGIC, sizeof MAGIC);
    put_u32(head + 8, PT_CONTAINER_VERSION);
    put_u32(head + 12, (uint32_t)count);
    put_u64(head + 16, end);
    put_u64(head + 24, pt_checksum(head + HEADER_BYTES, table_bytes));
    *size = end;
    return PT_OK;
}

/* Header and table of a container with these sections; the caller frees *head. */
static pt_status head_new(unsigned char **head, const pt_section *sections, int64_t count,
                          uint64_t *size, pt_error *err)
{
    PT_TRY(check_byte_order("", err));
    if (count < 0 || count > PT_CONTAINER_SECTIONS)
        return pt_fail(err, PT_EINVAL, "a container holds 0 to %d sections, not %lld",
                       PT_CONTAINER_SECTIONS, (long long)count);
    PT_SCRATCH unsigned char *block =
        pt_alloc_zero(HEADER_BYTES + count * ENTRY_BYTES, 1, "a table of sections", err);
    if (!block)
        return PT_ENOMEM;
    PT_TRY(plan(block, sections, count, size, err));
    *head = pt_keep(&block);
    return PT_OK;
}

static pt_status pour(sink *to, const unsigned char *head, const pt_section *sections,
                      int64_t count, pt_error *err)
{
    const size_t head_bytes = HEADER_BYTES + (size_t)count * ENTRY_BYTES;
    uint64_t end = head_bytes;
    PT_TRY(sink_put(to, head, head_bytes, err));
    for (int64_t i = 0; i < count; i++) {
        PT_TRY(sink_put(to, ZEROS, padding(end), err));
        PT_TRY(sink_put(to, sections[i].value, sections[i].bytes, err));
        end += padding(end) + sections[i].bytes;
    }
    return PT_OK;
}

pt_status pt_container_write(const char *path, const pt_section *sections, int64_t count,
                             pt_error *err)
{
    PT_SCRATCH unsigned char *head = NULL;
    uint64_t size = 0;
    sink to = {NULL, NULL, 0};
    PT_TRY(head_new(&head, sections, count, &size, err));
    PT_TRY(pt_outfile_open(&to.file, path, err));
    const pt_status status = pour(&to, head, sections, count, err);
    if (status == PT_OK)
        return pt_outfile_commit(to.file, err);
    pt_outfile_abandon(to.file);
    return status;
}

pt_status pt_container_pack(void **out, size_t *size, const pt_section *sections, int64_t count,
                            pt_error *err)
{
    PT_SCRATCH unsigned char *head = NULL;
    uint64_t total = 0;
    PT_TRY(head_new(&head, sections, count, &total, err));
    sink to = {.memory = pt_alloc((int64_t)total, 1, "a model in memory", err)};
    if (!to.memory)
        return PT_ENOMEM;
    *out = to.memory;
    *size = (size_t)total;
    return pour(&to, head, sections, count, err); /* which cannot fail in memory */
}

/* ---- the gates ------------------------------------------------------------------------------- */

static pt_status damaged(pt_error *err, const char *name, const char *what)
{
    return pt_fail_at(err, PT_EFORMAT, name, 0, 0,
                      "the model file is damaged: %s; copy or train it again", what);
}

static pt_status check_magic(const unsigned char *head, size_t size, const char *name,
                             pt_error *err)
{
    if (size == 0)
        return pt_fail_at(err, PT_EFORMAT, name, 0, 0, "the file is empty, not a Polytomy model");
    const size_t compared = size < sizeof MAGIC ? size : sizeof MAGIC;
    if (memcmp(head, MAGIC, compared) != 0)
        return pt_fail_at(err, PT_EFORMAT, name, 0, 0,
                          "not a Polytomy model: it does not begin with \"POLYTOMY\"");
    if (size < HEADER_BYTES)
        return damaged(err, name, "it is cut off within its header");
    return PT_OK;
}

/* The header of a file of `size` bytes, of which `head` holds at least the first 64 (or all). */
static pt_status check_header(const unsigned char *head, size_t size, const char *name,
                              int64_t *count, pt_error *err)
{
    PT_TRY(check_magic(head, size, name, err));
    const uint32_t version = get_u32(head + 8);
    if (version > PT_CONTAINER_VERSION)
        return pt_fail_at(err, PT_ENOSUPPORT, name, 0, 0,
                          "the model file has format version %lu, this Polytomy (%s) reads up to "
                          "%d; use a newer Polytomy",
                          (unsigned long)version, PT_VERSION_STRING, PT_CONTAINER_VERSION);
    if (version == 0)
        return damaged(err, name, "its format version is 0");
    const uint64_t stated = get_u64(head + 16);
    if (stated != size)
        return pt_fail_at(err, PT_EFORMAT, name, 0, 0,
                          "the model file is damaged: it should have %llu bytes and has %zu; copy "
                          "or train it again",
                          (unsigned long long)stated, size);
    const uint32_t sections = get_u32(head + 12);
    if (sections > PT_CONTAINER_SECTIONS)
        return damaged(err, name, "it has too many sections");
    if (sections > (size - HEADER_BYTES) / ENTRY_BYTES)
        return damaged(err, name, "its table of sections is cut off");
    if (memcmp(head + 32, ZEROS, 32) != 0)
        return damaged(err, name, "reserved bytes of its header are not zero");
    *count = sections;
    return PT_OK;
}

static entry get_entry(const unsigned char *at)
{
    const entry e = {(const char *)at, get_u64(at + 16), get_u64(at + 24), get_u64(at + 32),
                     get_u32(at + 40), get_u32(at + 44), get_u64(at + 48), get_u64(at + 56)};
    return e;
}

static pt_status section_damaged(pt_error *err, const char *name, const entry *e, const char *what)
{
    return pt_fail_at(err, PT_EFORMAT, name, 0, 0,
                      "the model file is damaged: section '%.*s' %s; copy or train it again",
                      tag_length(e->tag), e->tag, what);
}

static pt_status section_unknown(pt_error *err, const char *name, const char *tag, const char *what)
{
    return pt_fail_at(err, PT_ENOSUPPORT, name, 0, 0,
                      "section '%.16s' of the model file %s that this Polytomy (%s) does not know; "
                      "use a newer Polytomy",
                      tag, what, PT_VERSION_STRING);
}

/* One entry of the table. `end` is where the section before it ends and moves to where this one
 * does; *known says whether its kind is one of ours. */
static pt_status check_entry(const entry *e, size_t file_size, uint64_t *end, const char *name,
                             bool *known, pt_error *err)
{
    if (tag_length(e->tag) == 0)
        return damaged(err, name, "a section's tag is not printable text");
    const uint64_t start = *end + padding(*end);
    if (e->offset != start || start > file_size)
        return section_damaged(err, name, e, "is not where it should be");
    if (e->bytes > file_size - start)
        return section_damaged(err, name, e, "reaches beyond the end of the file");
    *end = start + e->bytes;

    if (e->rows > file_size || e->columns > file_size)
        return section_damaged(err, name, e, "has more rows or columns than the file has bytes");
    if (e->flags & ~(uint32_t)FLAG_OPTIONAL)
        return section_unknown(err, name, e->tag, "has flags");
    const size_t size = kind_size(e->kind);
    *known = size != 0;
    if (!*known)
        return e->flags & FLAG_OPTIONAL ? PT_OK
                                        : section_unknown(err, name, e->tag, "is of a kind");
    if (!shape_fits(e->rows, e->columns, size, e->bytes) ||
        (e->kind == PT_SECTION_BYTES && e->columns != 1))
        return section_damaged(err, name, e, "has a shape that is not its size");
    return PT_OK;
}

/* The bytes of a checked entry: zeros before it, and its sum. `before` is where the last one ends.
 */
static pt_status check_contents(const pt_container *c, const entry *e, uint64_t before,
                                pt_error *err)
{
    if (memcmp(c->bytes + before, ZEROS, (size_t)(e->offset - before)) != 0)
        return section_damaged(err, c->name, e, "has bytes before it that are not zero");
    if (pt_checksum(c->bytes + e->offset, (size_t)e->bytes) != e->sum)
        return section_damaged(err, c->name, e, "does not match its checksum");
    return PT_OK;
}

static bool tag_taken(const unsigned char *table, int64_t i)
{
    for (int64_t j = 0; j < i; j++)
        if (memcmp(table + j * ENTRY_BYTES, table + i * ENTRY_BYTES, TAG_BYTES) == 0)
            return true;
    return false;
}

static void keep_section(pt_container *c, const entry *e)
{
    pt_section *section = &c->sections[c->count++];
    memcpy(section->tag, e->tag, TAG_BYTES);
    section->tag[TAG_BYTES] = '\0';
    section->kind = (pt_section_kind)e->kind;
    section->optional = (e->flags & FLAG_OPTIONAL) != 0;
    section->rows = (int64_t)e->rows;
    section->columns = (int64_t)e->columns;
    section->value = c->bytes + e->offset;
    section->bytes = (size_t)e->bytes;
}

/* All gates for bytes that are in memory; fills the sections. */
static pt_status container_check(pt_container *c, pt_error *err)
{
    int64_t count = 0;
    PT_TRY(check_header(c->bytes, c->size, c->name, &count, err));
    const unsigned char *table = c->bytes + HEADER_BYTES;
    const size_t table_bytes = (size_t)count * ENTRY_BYTES;
    if (pt_checksum(table, table_bytes) != get_u64(c->bytes + 24))
        return damaged(err, c->name, "its table of sections does not match its checksum");
    PT_TRY(PT_NEW_ZERO(c->sections, count, "a table of sections", err));

    uint64_t end = HEADER_BYTES + table_bytes;
    for (int64_t i = 0; i < count; i++) {
        const entry e = get_entry(table + i * ENTRY_BYTES);
        const uint64_t before = end;
        bool known = false;
        PT_TRY(check_entry(&e, c->size, &end, c->name, &known, err));
        if (tag_taken(table, i))
            PT_TRY(section_damaged(err, c->name, &e, "is there twice"));
        PT_TRY(check_contents(c, &e, before, err));
        if (known)
            keep_section(c, &e);
    }
    if (end != c->size)
        return damaged(err, c->name, "there is something behind its last section");
    return PT_OK;
}

/* ---- opening --------------------------------------------------------------------------------- */

static pt_status container_new(pt_container **out, const char *name, pt_error *err)
{
    pt_container *c = pt_alloc_zero(1, sizeof *c, "a model file", err);
    if (!c)
        return PT_ENOMEM;
    c->name = pt_alloc_text(name, err);
    if (!c->name) {
        pt_container_close(c);
        return PT_ENOMEM;
    }
    *out = c;
    return PT_OK;
}

static pt_status fail_errno(pt_error *err, const char *path, const char *what)
{
    const int reason = errno;
    return pt_fail_at(err, PT_EIO, path, 0, 0, "cannot %s: %s", what, strerror(reason));
}

/* Exactly `size` bytes, or an error. */
static pt_status read_all(int descriptor, unsigned char *to, size_t size, const char *path,
                          pt_error *err)
{
    while (size > 0) {
        const ssize_t got = read(descriptor, to, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(err, path, "read it");
        if (got == 0)
            return pt_fail_at(err, PT_EIO, path, 0, 0, "the file became shorter while being read");
        to += got;
        size -= (size_t)got;
    }
    return PT_OK;
}

static pt_status open_regular(int *descriptor, size_t *size, const char *path, pt_error *err)
{
    /* O_NONBLOCK: opening a pipe without a writer would wait for ever. */
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (*descriptor < 0)
        return fail_errno(err, path, "open it");
    struct stat there;
    if (fstat(*descriptor, &there) != 0)
        return fail_errno(err, path, "look at it");
    if (S_ISDIR(there.st_mode))
        return pt_fail_at(err, PT_EIO, path, 0, 0, "this is a folder, not a file");
    if (!S_ISREG(there.st_mode))
        return pt_fail_at(err, PT_EIO, path, 0, 0, "not a regular file; copy it into one first");
    *size = (size_t)there.st_size;
    return PT_OK;
}

static void descriptor_close(const int *descriptor)
{
    if (*descriptor >= 0)
        close(*descriptor);
}

/* The header is checked before memory for the rest is asked for: what is no model costs nothing. */
static pt_status read_file(pt_container *c, int descriptor, pt_error *err)
{
    unsigned char head[HEADER_BYTES] = {0};
    const size_t head_bytes = c->size < HEADER_BYTES ? c->size : HEADER_BYTES;
    int64_t count = 0;
    PT_TRY(read_all(descriptor, head, head_bytes, c->name, err));
    PT_TRY(check_header(head, c->size, c->name, &count, err));
    c->owned = pt_alloc((int64_t)c->size, 1, "the model file", err);
    if (!c->owned)
        return PT_ENOMEM;
    c->bytes = c->owned;
    memcpy(c->owned, head, HEADER_BYTES);
    return read_all(descriptor, c->owned + HEADER_BYTES, c->size - HEADER_BYTES, c->name, err);
}

pt_status pt_container_open(pt_container **out, const char *path, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *c = NULL;
    PT_FREED_BY(descriptor_close) int descriptor = -1;
    PT_TRY(check_byte_order(path, err));
    PT_TRY(container_new(&c, path, err));
    PT_TRY(open_regular(&descriptor, &c->size, path, err));
    PT_TRY(read_file(c, descriptor, err));
    PT_TRY(container_check(c, err));
    *out = pt_keep(&c);
    return PT_OK;
}

/* Borrows aligned bytes, copies others; what has a wrong header is not copied at all. */
static pt_status take_bytes(pt_container *c, const void *bytes, size_t size, pt_error *err)
{
    int64_t count = 0;
    PT_TRY(check_header(bytes, size, c->name, &count, err));
    c->size = size;
    c->bytes = bytes;
    if ((uintptr_t)bytes % BORROW_ALIGNMENT == 0)
        return PT_OK;
    if (size > INT64_MAX)
        return pt_fail_memory(err, "a model", size);
    c->owned = pt_alloc((int64_t)size, 1, "a model", err);
    if (!c->owned)
        return PT_ENOMEM;
    memcpy(c->owned, bytes, size);
    c->bytes = c->owned;
    return PT_OK;
}

pt_status pt_container_open_memory(pt_container **out, const void *bytes, size_t size,
                                   const char *name, pt_error *err)
{
    PT_FREED_BY(pt_container_close_at) pt_container *c = NULL;
    PT_TRY(check_byte_order(name, err));
    PT_TRY(container_new(&c, name, err));
    PT_TRY(take_bytes(c, bytes ? bytes : "", bytes ? size : 0, err));
    PT_TRY(container_check(c, err));
    *out = pt_keep(&c);
    return PT_OK;
}

void pt_container_close(pt_container *container)
{
    if (!container)
        return;
    pt_free(container->sections);
    pt_free(container->owned);
    pt_free(container->name);
    pt_free(container);
}

/* ---- looking --------------------------------------------------------------------------------- */

int64_t pt_container_count(const pt_container *container)
{
    return container->count;
}

const pt_section *pt_container_section(const pt_container *container, int64_t index)
{
    return index >= 0 && index < container->count ? &container->sections[index] : NULL;
}

const pt_section *pt_container_find(const pt_container *container, const char *tag)
{
    for (int64_t i = 0; i < container->count; i++)
        if (strcmp(container->sections[i].tag, tag) == 0)
            return &container->sections[i];
    return NULL;
}

/* A tag, or the beginning of tags where the pattern ends with a star. */
static bool tag_matches(const char *tag, const char *pattern)
{
    const size_t length = strlen(pattern);
    if (length > 0 && pattern[length - 1] == '*')
        return strncmp(tag, pattern, length - 1) == 0;
    return strcmp(tag, pattern) == 0;
}

pt_status pt_container_require_known(const pt_container *container, const char *const *tags,
                                     pt_error *err)
{
    for (int64_t i = 0; i < container->count; i++) {
        const pt_section *section = &container->sections[i];
        bool known = section->optional;
        for (const char *const *tag = tags; *tag && !known; tag++)
            known = tag_matches(section->tag, *tag);
        if (!known)
            return section_unknown(err, container->name, section->tag, "is something");
    }
    return PT_OK;
}
