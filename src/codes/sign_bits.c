/* Signs as bits: filling, transposing, and comparing of rows; sets of rows. */
#include "codes/sign_bits.h"

#include <stdatomic.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"

enum { WORD = 64 };
enum { PIECE = 64 }; /* rows that are compared with all before them between looks at the task */

pt_status pt_sign_bits_init(pt_sign_bits *bits, int64_t n, int64_t width, pt_error *err)
{
    const int64_t words = (width + WORD - 1) / WORD;
    *bits = (pt_sign_bits){.n = n, .width = width, .words = words};
    bits->plus = pt_alloc_zero(n, (size_t)words * sizeof(uint64_t), "a code", err);
    bits->minus = pt_alloc_zero(n, (size_t)words * sizeof(uint64_t), "a code", err);
    return bits->plus && bits->minus ? PT_OK : PT_ENOMEM;
}

void pt_sign_bits_free(pt_sign_bits *bits)
{
    pt_free(bits->plus);
    pt_free(bits->minus);
    *bits = (pt_sign_bits){0};
}

void pt_sign_bits_fill(pt_sign_bits *bits, const int8_t *M, int64_t step_i, int64_t step_j)
{
    const size_t bytes = (size_t)(bits->n * bits->words) * sizeof(uint64_t);
    memset(bits->plus, 0, bytes);
    memset(bits->minus, 0, bytes);
    bits->full = true;
    for (int64_t i = 0; i < bits->n; i++)
        for (int64_t j = 0; j < bits->width; j++) {
            const int8_t sign = M[i * step_i + j * step_j];
            const int64_t at = i * bits->words + j / WORD;
            bits->plus[at] |= (uint64_t)(sign > 0) << (j % WORD);
            bits->minus[at] |= (uint64_t)(sign < 0) << (j % WORD);
            bits->full = bits->full && sign != 0;
        }
}

/* Turns a block of 64 x 64 bits over: quarters change places, then quarters of quarters, ... */
static void transpose_block(uint64_t block[WORD])
{
    uint64_t low = 0x00000000ffffffffU; /* the columns of the left halves */
    for (int half = WORD / 2; half > 0; half /= 2, low ^= low << half)
        for (int i = 0; i < WORD; i = (i + half + 1) & ~half) {
            const uint64_t change = (block[i] >> half ^ block[i + half]) & low;
            block[i] ^= change << half;
            block[i + half] ^= change;
        }
}

static void transpose_plane(const uint64_t *from, int64_t n, int64_t words, uint64_t *to,
                            int64_t to_words, int64_t to_n)
{
    for (int64_t w = 0; w < words; w++)
        for (int64_t v = 0; v < to_words; v++) {
            uint64_t block[WORD];
            for (int64_t i = 0; i < WORD; i++)
                block[i] = v * WORD + i < n ? from[(v * WORD + i) * words + w] : 0;
            transpose_block(block);
            for (int64_t i = 0; i < WORD && w * WORD + i < to_n; i++)
                to[(w * WORD + i) * to_words + v] = block[i];
        }
}

/* minus <- what plus is not */
static void take_rest(pt_sign_bits *bits)
{
    for (int64_t i = 0; i < bits->n; i++)
        for (int64_t w = 0; w < bits->words; w++) {
            const int64_t left = bits->width - WORD * w;
            const uint64_t there = left < WORD ? ((uint64_t)1 << left) - 1 : UINT64_MAX;
            bits->minus[i * bits->words + w] = ~bits->plus[i * bits->words + w] & there;
        }
}

void pt_sign_bits_transpose(const pt_sign_bits *bits, pt_sign_bits *out)
{
    transpose_plane(bits->plus, bits->n, bits->words, out->plus, out->words, out->n);
    out->full = bits->full;
    if (bits->full)
        take_rest(out);
    else
        transpose_plane(bits->minus, bits->n, bits->words, out->minus, out->words, out->n);
}

int pt_sign_bits_entry(const pt_sign_bits *bits, int64_t i, int64_t j)
{
    const int64_t at = i * bits->words + j / WORD;
    return (int)(bits->plus[at] >> (j % WORD) & 1) - (int)(bits->minus[at] >> (j % WORD) & 1);
}

static bool same_words(const uint64_t *a, const uint64_t *b, int64_t words)
{
    int64_t w = 0;
    while (w < words && a[w] == b[w])
        w++;
    return w == words;
}

bool pt_sign_bits_equal(const pt_sign_bits *bits, int64_t i, int64_t j)
{
    const int64_t words = bits->words;
    return same_words(bits->plus + i * words, bits->plus + j * words, words) &&
           same_words(bits->minus + i * words, bits->minus + j * words, words);
}

bool pt_sign_bits_opposite(const pt_sign_bits *bits, int64_t i, int64_t j)
{
    const int64_t words = bits->words;
    return same_words(bits->plus + i * words, bits->minus + j * words, words) &&
           same_words(bits->minus + i * words, bits->plus + j * words, words);
}

static bool has_bits(const uint64_t *word, int64_t words)
{
    uint64_t all = 0;
    for (int64_t w = 0; w < words; w++)
        all |= word[w];
    return all != 0;
}

bool pt_sign_bits_has_plus(const pt_sign_bits *bits, int64_t i)
{
    return has_bits(bits->plus + i * bits->words, bits->words);
}

bool pt_sign_bits_has_minus(const pt_sign_bits *bits, int64_t i)
{
    return has_bits(bits->minus + i * bits->words, bits->words);
}

/* ---- all pairs of rows ----------------------------------------------------------------------- */

typedef struct search {
    const pt_sign_bits *bits;
    int64_t enough;
    atomic_llong least;
} search;

static pt_status search_piece(void *context, int64_t piece, int worker, pt_error *err)
{
    (void)worker;
    (void)err;
    search *s = context;
    long long least = atomic_load(&s->least);
    if (least <= s->enough)
        return PT_OK;
    const int64_t first = piece * PIECE;
    const int64_t end = pt_lesser(first + PIECE, s->bits->n);
    const int64_t found = pt_sign_loops_chosen()->closest(s->bits, first, end, s->enough);
    while (found < least && !atomic_compare_exchange_weak(&s->least, &least, found))
        continue;
    return PT_OK;
}

pt_status pt_sign_bits_closest(const pt_sign_bits *bits, int64_t enough, int64_t *least,
                               const pt_task *task, pt_error *err)
{
    search s = {.bits = bits, .enough = enough};
    atomic_init(&s.least, 2 * bits->width);
    const int64_t pieces = (bits->n + PIECE - 1) / PIECE;
    const pt_status status = pt_parallel_for(task, pieces, search_piece, &s, err);
    *least = atomic_load(&s.least);
    return status;
}

/* ---- sets ---------------------------------------------------------------------------------------
 *
 * A hash table whose places do not depend on the sign of a row, so that opposite rows meet. */

pt_status pt_sign_set_init(pt_sign_set *set, int64_t most, pt_error *err)
{
    set->n_slots = 2;
    while (set->n_slots < 2 * most)
        set->n_slots *= 2;
    set->slot = pt_alloc_zero(set->n_slots, sizeof *set->slot, "a code", err);
    return set->slot ? PT_OK : PT_ENOMEM;
}

void pt_sign_set_free(pt_sign_set *set)
{
    pt_free(set->slot);
    *set = (pt_sign_set){0};
}

void pt_sign_set_clear(pt_sign_set *set)
{
    memset(set->slot, 0, (size_t)set->n_slots * sizeof *set->slot);
}

static uint64_t mix_words(const uint64_t *word, int64_t words)
{
    uint64_t sum = 0;
    for (int64_t i = 0; i < words; i++) { /* multiply by an odd number without pattern, and fold */
        sum = (sum ^ word[i]) * 0x9e3779b97f4a7c15U;
        sum ^= sum >> 32;
    }
    return sum;
}

int64_t pt_sign_set_enter(pt_sign_set *set, const pt_sign_bits *bits, int64_t i, bool opposite)
{
    const int64_t words = bits->words;
    const uint64_t place =
        mix_words(bits->plus + i * words, words) + mix_words(bits->minus + i * words, words);
    const int64_t last = set->n_slots - 1; /* all bits of a place */
    for (int64_t at = (int64_t)(place & (uint64_t)last);; at = (at + 1) & last) {
        const int64_t other = set->slot[at] - 1;
        if (other < 0) {
            set->slot[at] = i + 1;
            return -1;
        }
        if (pt_sign_bits_equal(bits, i, other) ||
            (opposite && pt_sign_bits_opposite(bits, i, other)))
            return other;
    }
}
