/* Feature hashing: XXH3 of the number of the feature as eight bytes, the lowest first. The low bits
 * are the place, the highest is the sign. Of a word XXH3 of its bytes, the low bits. All of this is
 * part of the model file's meaning: never to be changed. */
#include "data/prepare/prepare.h"

#include <stdlib.h>

#include "base/file.h"

pt_sparse_cell pt_feature_hash_cell(const pt_feature_hash *hash, int64_t feature, double x)
{
    unsigned char bytes[8];
    for (int b = 0; b < 8; b++)
        bytes[b] = (unsigned char)((uint64_t)feature >> 8 * b);
    const uint64_t h = pt_checksum(bytes, sizeof bytes);
    const bool minus = hash->signs && h >> 63 != 0;
    return (pt_sparse_cell){(int64_t)(h & (((uint64_t)1 << hash->bits) - 1)), minus ? -x : x};
}

static bool is_word_byte(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c >= 0x80;
}

int64_t pt_hash_next_word(int bits, const char *text, size_t *at)
{
    enum { LONGEST = 64 }; /* what is longer counts by its beginning */
    char word[LONGEST];
    size_t length = 0;
    while (text[*at] && !is_word_byte((unsigned char)text[*at]))
        ++*at;
    for (; is_word_byte((unsigned char)text[*at]); ++*at) {
        const char c = text[*at];
        if (length < LONGEST)
            word[length++] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
    if (length == 0)
        return -1;
    return (int64_t)(pt_checksum(word, length) & (((uint64_t)1 << bits) - 1));
}

/* By input, then by value: sums do not depend on the order in which cells came. */
static int compare_cells(const void *a, const void *b)
{
    const pt_sparse_cell *x = a;
    const pt_sparse_cell *y = b;
    if (x->input != y->input)
        return x->input < y->input ? -1 : 1;
    return (x->x > y->x) - (x->x < y->x);
}

int64_t pt_cells_merge(pt_sparse_cell *cells, int64_t count)
{
    qsort(cells, (size_t)count, sizeof *cells, compare_cells);
    int64_t kept = 0;
    for (int64_t c = 0; c < count;) {
        pt_sparse_cell sum = cells[c++];
        while (c < count && cells[c].input == sum.input)
            sum.x += cells[c++].x;
        if (sum.x != 0)
            cells[kept++] = sum;
    }
    return kept;
}
