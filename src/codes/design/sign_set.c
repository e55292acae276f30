/* A set of rows of signs: a hash table whose places do not depend on the sign of a row, so that
 * opposite rows meet. */
#include "codes/design/sign_set.h"

#include <string.h>

#include "base/alloc.h"

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
    for (int64_t at = (int64_t)(place % (uint64_t)set->n_slots);; at = (at + 1) % set->n_slots) {
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
