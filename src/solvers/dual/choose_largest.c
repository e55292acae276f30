/* The largest of many, by a heap of those chosen so far with the least on top: one comparison for
 * almost all of them. */
#include "solvers/dual/choose_largest.h"

#include <stdlib.h>

enum { FEW = 64 };

static void sift_down(const double *value, int64_t *heap, int64_t count, int64_t at)
{
    for (;;) {
        int64_t child = 2 * at + 1;
        if (child >= count)
            return;
        if (child + 1 < count && value[heap[child + 1]] < value[heap[child]])
            child++;
        if (value[heap[at]] <= value[heap[child]])
            return;
        const int64_t swap = heap[at];
        heap[at] = heap[child];
        heap[child] = swap;
        at = child;
    }
}

static int ascending(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a;
    const int64_t y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* By insertion where they are few. */
static void sort_ascending(int64_t *item, int64_t count)
{
    if (count > FEW) {
        qsort(item, (size_t)count, sizeof *item, ascending);
        return;
    }
    for (int64_t i = 1; i < count; i++) {
        const int64_t x = item[i];
        int64_t at = i;
        for (; at > 0 && item[at - 1] > x; at--)
            item[at] = item[at - 1];
        item[at] = x;
    }
}

int64_t pt_choose_largest(const double *value, int64_t n, int64_t most, int64_t *chosen)
{
    int64_t i = 0;
    int64_t count = 0;
    for (; i < n && count < most; i++)
        if (value[i] > 0)
            chosen[count++] = i;
    for (int64_t at = count / 2 - 1; at >= 0; at--)
        sift_down(value, chosen, count, at);
    double least = count == most ? value[chosen[0]] : 0;
    for (; i < n; i++)
        if (value[i] > least) {
            chosen[0] = i;
            sift_down(value, chosen, count, 0);
            least = value[chosen[0]];
        }
    sort_ascending(chosen, count);
    return count;
}
