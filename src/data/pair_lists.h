/* Pairs of classes, some for each row: the first class of a pair is to come before the second. What
 * solvers read; who makes them of labels is data/labels/label_pairs.h. */
#ifndef PT_DATA_PAIR_LISTS_H
#define PT_DATA_PAIR_LISTS_H

#include <stdint.h>

typedef struct pt_label_pair {
    int32_t before;
    int32_t after;
} pt_label_pair;

typedef struct pt_pair_lists {
    int64_t n;    /* rows */
    int64_t k;    /* classes that pairs speak of */
    int64_t most; /* pairs that a row has, at most */
    /* Laid out: the pairs of row i from pair[start[i]] up to pair[start[i + 1]]. Where that would
     * take too much memory, start is NULL and they are asked for. */
    const int64_t *start;
    const pt_label_pair *pair;
    int64_t (*ask)(const void *from, int64_t i, pt_label_pair *pairs);
    const void *from;
} pt_pair_lists;

/* Room that pt_pairs_of needs. */
static inline int64_t pt_pairs_work(const pt_pair_lists *lists)
{
    return lists->start ? 0 : lists->most;
}

/* *pairs <- those of row i, which may lie in `work`; returns how many. */
static inline int64_t pt_pairs_of(const pt_pair_lists *lists, int64_t i, pt_label_pair *work,
                                  const pt_label_pair **pairs)
{
    if (!lists->start) {
        *pairs = work;
        return lists->ask(lists->from, i, work);
    }
    *pairs = lists->pair + lists->start[i];
    return lists->start[i + 1] - lists->start[i];
}

#endif
