/* Philox4x32-10 and what is drawn from it. */
#include "base/random.h"

#include <math.h>
#include <string.h>

/* Multipliers and Weyl constants of the published generator. */
static const uint32_t PHILOX_M0 = 0xD2511F53u;
static const uint32_t PHILOX_M1 = 0xCD9E8D57u;
static const uint32_t PHILOX_W0 = 0x9E3779B9u;
static const uint32_t PHILOX_W1 = 0xBB67AE85u;
enum { PHILOX_ROUNDS = 10 };

void pt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]};
    uint32_t k[2] = {key[0], key[1]};
    for (int round = 0; round < PHILOX_ROUNDS; round++) {
        const uint64_t p0 = (uint64_t)PHILOX_M0 * c[0];
        const uint64_t p1 = (uint64_t)PHILOX_M1 * c[2];
        const uint32_t next[4] = {(uint32_t)(p1 >> 32) ^ c[1] ^ k[0], (uint32_t)p1,
                                  (uint32_t)(p0 >> 32) ^ c[3] ^ k[1], (uint32_t)p0};
        memcpy(c, next, sizeof c);
        k[0] += PHILOX_W0;
        k[1] += PHILOX_W1;
    }
    memcpy(out, c, sizeof c);
}

/* The key is the seed. The lower two words of the counter count the blocks of a stream, 2^64 of
 * them; the upper two name it: the purpose has the top byte, the task the 56 bits below. */
void pt_random_init(pt_random *random, uint64_t seed, pt_purpose purpose, uint64_t task)
{
    random->key[0] = (uint32_t)seed;
    random->key[1] = (uint32_t)(seed >> 32);
    random->counter[0] = 0;
    random->counter[1] = 0;
    random->counter[2] = (uint32_t)task;
    random->counter[3] = ((uint32_t)purpose << 24) ^ ((uint32_t)(task >> 32) & 0xFFFFFFu);
    random->used = 4;
}

uint32_t pt_random_u32(pt_random *random)
{
    if (random->used == 4) {
        pt_philox(random->counter, random->key, random->block);
        if (++random->counter[0] == 0)
            ++random->counter[1];
        random->used = 0;
    }
    return random->block[random->used++];
}

uint64_t pt_random_u64(pt_random *random)
{
    const uint64_t low = pt_random_u32(random);
    return (uint64_t)pt_random_u32(random) << 32 | low;
}

double pt_random_uniform(pt_random *random)
{
    return (double)(pt_random_u64(random) >> 11) * 0x1p-53;
}

/* Marsaglia's polar method; one of the pair is dropped, so that no state is carried. */
double pt_random_normal(pt_random *random)
{
    for (;;) {
        const double u = 2 * pt_random_uniform(random) - 1;
        const double v = 2 * pt_random_uniform(random) - 1;
        const double s = u * u + v * v;
        if (s > 0 && s < 1)
            return u * sqrt(-2 * log(s) / s);
    }
}

int64_t pt_random_below(pt_random *random, int64_t n)
{
    const uint64_t range = (uint64_t)n;
    const uint64_t uneven = (UINT64_MAX - range + 1) % range; /* 2^64 mod range */
    for (;;) {
        const uint64_t draw = pt_random_u64(random);
        if (draw >= uneven)
            return (int64_t)(draw % range);
    }
}

void pt_random_shuffle(pt_random *random, int64_t *items, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        const int64_t j = pt_random_below(random, i + 1);
        const int64_t moved = items[i];
        items[i] = items[j];
        items[j] = moved;
    }
}
