/* Mends the checksums of a container whose bytes were changed, so that a test or a fuzzer reaches
 * what lies behind them. Written from the layout in store/container.h, not from the code behind it.
 */
#ifndef PT_TESTS_MEND_H
#define PT_TESTS_MEND_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/file.h"

static inline uint64_t mend_get(const unsigned char *at, int bytes)
{
    uint64_t value = 0;
    for (int i = bytes - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static inline void mend_put(unsigned char *at, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(value >> 8 * i);
}

/* Sums of all sections that lie inside, then that of the table, if it does. */
static inline void mend_checksums(unsigned char *bytes, size_t size)
{
    if (size < 64)
        return;
    const uint64_t count = mend_get(bytes + 12, 4);
    if (count > (size - 64) / 64)
        return;
    for (uint64_t i = 0; i < count; i++) {
        unsigned char *entry = bytes + 64 + 64 * i;
        const uint64_t offset = mend_get(entry + 16, 8);
        const uint64_t length = mend_get(entry + 24, 8);
        if (offset <= size && length <= size - offset)
            mend_put(entry + 32, pt_checksum(bytes + offset, (size_t)length), 8);
    }
    mend_put(bytes + 24, pt_checksum(bytes + 64, (size_t)(64 * count)), 8);
}

#endif
