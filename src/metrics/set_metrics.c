/* Figures of a set by the order of scores. The members are sorted, best first: s_0 >= s_1 >= ...;
 * every other class finds its place among them by bisection, and A_j, the number of others that
 * score at least s_j, are sums over these places. With R_j the members that score at least s_j,
 *
 *   ranking loss       sum_j A_j / (m (k - m))
 *   coverage           m + A_(m-1)
 *   average precision  (1/m) sum_j R_j / (R_j + A_j)
 *
 * Ties count against the scores, as in scikit-learn's label_ranking_loss, coverage_error and
 * label_ranking_average_precision_score, whose values for empty and full sets these are too. */
#include "metrics/set_metrics.h"

#include <stdbool.h>
#include <stdlib.h>

static int compare_members(const void *left, const void *right)
{
    const pt_member *a = left;
    const pt_member *b = right;
    if (a->score != b->score)
        return a->score > b->score ? -1 : 1;
    return (a->class_index > b->class_index) - (a->class_index < b->class_index);
}

/* How many members come before a class: strictly larger scores; with `by_index` also equal ones of
 * a lower index. */
static int64_t members_before(const pt_member *member, int64_t m, double score, int64_t r,
                              bool by_index)
{
    int64_t low = 0;
    int64_t high = m;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        const pt_member *other = &member[middle];
        if (other->score > score || (by_index && other->score == score && other->class_index < r))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Every other class is counted at the first member that it is before. */
static void place_others(const double *scores, int64_t k, const int64_t *members, int64_t m,
                         int64_t n_ordered, pt_member *member)
{
    int64_t next = 0;
    for (int64_t r = 0; r < k; r++) {
        if (next < m && members[next] == r) {
            next++;
            continue;
        }
        const int64_t place = members_before(member, n_ordered, scores[r], r, true);
        const int64_t tied = members_before(member, m, scores[r], r, false);
        if (place < m)
            member[place].others++;
        if (tied < m)
            member[tied].tied++;
    }
}

pt_set_order pt_set_order_of(const double *scores, int64_t k, int64_t n_known,
                             const int64_t *members, int64_t m, pt_member *work)
{
    pt_set_order order = {0, 0, 0, 1};
    if (m == 0)
        return order;
    int64_t n_ordered = 0; /* members that can be before anything: they are sorted in front */
    for (int64_t c = 0; c < m; c++) {
        work[c] = (pt_member){scores[members[c]], members[c], 0, 0};
        n_ordered += members[c] < n_known;
    }
    qsort(work, (size_t)m, sizeof *work, compare_members);
    place_others(scores, k, members, m, n_ordered, work);

    int64_t others = 0; /* before member c */
    int64_t tied = 0;   /* A_c */
    int64_t sum = 0;
    double precision = 0;
    for (int64_t c = 0, same = 0; c < m; c++) {
        others += work[c].others;
        tied += work[c].tied;
        while (same < m && work[same].score >= work[c].score)
            same++; /* R_c */
        order.violated += others;
        sum += tied;
        precision += (double)same / (double)(same + tied);
    }
    order.coverage = (double)(m + tied);
    if (m < k) {
        order.ranking_loss = (double)sum / ((double)m * (double)(k - m));
        order.average_precision = precision / (double)m;
    }
    return order;
}
