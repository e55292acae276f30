/* The loops of sign_bits.h for one instruction set (PT_ISA). Products of signs are bits:
 *     both = (u not 0) and (v not 0),  apart = both and (u = +1) xor (v = +1),
 *     sum_s (1 - u_s v_s) = width - |both| + 2 |apart| ;
 * without zeros `both` is everything. */
#include "codes/sign_bits.h"

/* How many bits are set: pairs, fours and eights are added side by side. A compiler knows this
 * form, and takes the instruction for it where there is one. */
static inline int64_t count_bits(uint64_t x)
{
    x -= x >> 1 & 0x5555555555555555U;
    x = (x & 0x3333333333333333U) + (x >> 2 & 0x3333333333333333U);
    x = (x + (x >> 4)) & 0x0f0f0f0f0f0f0f0fU;
    return (int64_t)(x * 0x0101010101010101U >> 56);
}

static int64_t closest_full(const pt_sign_bits *bits, int64_t first, int64_t end, int64_t enough)
{
    const int64_t words = bits->words;
    int64_t least = 2 * bits->width;
    for (int64_t i = first; i < end; i++) {
        const uint64_t *restrict u = bits->plus + i * words;
        for (int64_t j = 0; j < i; j++) {
            const uint64_t *restrict v = bits->plus + j * words;
            int64_t apart = 0;
            for (int64_t w = 0; w < words; w++)
                apart += count_bits(u[w] ^ v[w]);
            least = 2 * apart < least ? 2 * apart : least;
        }
        if (least <= enough)
            return least;
    }
    return least;
}

static int64_t closest(const pt_sign_bits *bits, int64_t first, int64_t end, int64_t enough)
{
    if (bits->full)
        return closest_full(bits, first, end, enough);
    const int64_t words = bits->words;
    int64_t least = 2 * bits->width;
    for (int64_t i = first; i < end; i++) {
        const uint64_t *restrict up = bits->plus + i * words;
        const uint64_t *restrict um = bits->minus + i * words;
        for (int64_t j = 0; j < i; j++) {
            const uint64_t *restrict vp = bits->plus + j * words;
            const uint64_t *restrict vm = bits->minus + j * words;
            int64_t sum = bits->width;
            for (int64_t w = 0; w < words; w++) {
                const uint64_t both = (up[w] | um[w]) & (vp[w] | vm[w]);
                sum += 2 * count_bits((up[w] ^ vp[w]) & both) - count_bits(both);
            }
            least = sum < least ? sum : least;
        }
        if (least <= enough)
            return least;
    }
    return least;
}

static int64_t least_opposed(const pt_sign_bits *bits, int64_t i)
{
    const int64_t words = bits->words;
    const uint64_t *restrict up = bits->plus + i * words;
    const uint64_t *restrict um = bits->minus + i * words;
    int64_t least = bits->width;
    for (int64_t j = 0; j < i; j++) {
        const uint64_t *restrict vp = bits->plus + j * words;
        const uint64_t *restrict vm = bits->minus + j * words;
        int64_t count = 0;
        for (int64_t w = 0; w < words; w++)
            count += count_bits((up[w] & vm[w]) | (um[w] & vp[w]));
        least = count < least ? count : least;
    }
    return least;
}

static int64_t least_differing(const pt_sign_bits *bits, int64_t i, bool negated)
{
    const int64_t words = bits->words;
    const uint64_t *restrict up = (negated ? bits->minus : bits->plus) + i * words;
    const uint64_t *restrict um = (negated ? bits->plus : bits->minus) + i * words;
    int64_t least = bits->width;
    for (int64_t j = 0; j < i; j++) {
        const uint64_t *restrict vp = bits->plus + j * words;
        const uint64_t *restrict vm = bits->minus + j * words;
        int64_t count = 0;
        for (int64_t w = 0; w < words; w++)
            count += count_bits((up[w] ^ vp[w]) | (um[w] ^ vm[w]));
        least = count < least ? count : least;
    }
    return least;
}

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

extern const pt_sign_loops JOIN(pt_sign_loops_, PT_ISA);
const pt_sign_loops JOIN(pt_sign_loops_, PT_ISA) = {closest, least_opposed, least_differing};
