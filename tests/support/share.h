/* Heavy tests do many cases of one kind: every place of a file flipped, every allocation failing.
 * POLYTOMY_TEST_SHARE=n runs one in n of them, where builds are many times slower or must end soon;
 * without it all are run, as `make test` does. The presets of `make check` set it, those that end
 * in -whole (`make check-slow`) do not. */
#ifndef POLYTOMY_TESTS_SHARE_H
#define POLYTOMY_TESTS_SHARE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

/* n, at least 1. */
static inline int64_t test_share(void)
{
    const char *text = getenv("POLYTOMY_TEST_SHARE");
    const long long share = text ? strtoll(text, NULL, 10) : 1;
    return share > 1 ? share : 1;
}

/* Whether the next case is one of the share, or of one in `most` where that is more: the first is,
 * and one in so many after it, at distances that vary (multiples of the golden ratio, modulo 1,
 * below 1/n): no inner loop falls into step. */
static inline bool test_in_share_of(int64_t most)
{
    static uint32_t place;
    const uint32_t at = place;
    const int64_t share = test_share() < most ? test_share() : most;
    place += 2654435769u;
    return at <= UINT32_MAX / (uint64_t)share;
}

static inline bool test_in_share(void)
{
    return test_in_share_of(INT64_MAX);
}

#endif
