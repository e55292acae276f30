/* Kendall's tau-b by the merge sort of Knight (1966), and Spearman's rho.
 *
 * With n0 = m(m-1)/2 pairs, n1 tied by place, n2 by score, n3 by both, and Q in opposite order,
 *
 *   tau-b = (n0 - n1 - n2 + n3 - 2 Q) / sqrt((n0 - n1)(n0 - n2)) .
 *
 * Sorted by place, and among equal places by falling score, Q is the number of swaps that a stable
 * sort by falling score takes. Counts are whole numbers: nothing is lost before the last line.
 *
 * Of a set by the order of scores: the members are sorted, best first: s_0 >= s_1 >= ...;
 * every other class finds its place among them by bisection, and A_j, the number of others that
 * score at least s_j, are sums over these places. With R_j the members that score at least s_j,
 *
 *   ranking loss       sum_j A_j / (m (k - m))
 *   coverage           m + A_(m-1)
 *   average precision  (1/m) sum_j R_j / (R_j + A_j)
 *
 * Ties count against the scores, as in scikit-learn's label_ranking_loss, coverage_error and
 * label_ranking_average_precision_score, whose values for empty and full sets these are too. */
#include "metrics/order_metrics.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* ---- two orders ------------------------------------------------------------------------------ */

static int by_place(const void *left, const void *right)
{
    const pt_placed *a = left;
    const pt_placed *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    return (a->score < b->score) - (a->score > b->score);
}

static int by_score(const void *left, const void *right)
{
    const pt_placed *a = left;
    const pt_placed *b = right;
    return (a->score < b->score) - (a->score > b->score);
}

static int64_t pairs(int64_t count)
{
    return count * (count - 1) / 2;
}

/* Merges two neighbours that are in falling order; returns how many pairs changed sides. */
static int64_t merge(double *scores, int64_t half, int64_t m, double *work)
{
    int64_t swaps = 0;
    int64_t a = 0;
    int64_t b = half;
    for (int64_t at = 0; at < m; at++) {
        const bool second = a == half || (b < m && scores[b] > scores[a]);
        swaps += second ? half - a : 0;
        work[at] = second ? scores[b++] : scores[a++];
    }
    for (int64_t at = 0; at < m; at++)
        scores[at] = work[at];
    return swaps;
}

/* Sorts scores by falling size; returns the number of swaps of neighbours. From runs of one. */
static int64_t sort_counting(double *scores, int64_t m, double *work)
{
    int64_t swaps = 0;
    for (int64_t run = 1; run < m; run *= 2)
        for (int64_t first = 0; first + run < m; first += 2 * run) {
            const int64_t length = m - first < 2 * run ? m - first : 2 * run;
            swaps += merge(scores + first, run, length, work);
        }
    return swaps;
}

double pt_kendall_tau(pt_placed *placed, int64_t m, double *work)
{
    double *scores = work + m;
    int64_t tied_place = 0;
    int64_t tied_both = 0;
    int64_t tied_score = 0;
    qsort(placed, (size_t)m, sizeof *placed, by_place);
    int64_t same_place = 0; /* how many before it are like this one */
    int64_t same_both = 0;
    for (int64_t c = 0; c < m; c++) {
        const bool place = c > 0 && placed[c].place == placed[c - 1].place;
        const bool score = c > 0 && placed[c].score == placed[c - 1].score;
        same_place = place ? same_place + 1 : 0;
        same_both = place && score ? same_both + 1 : 0;
        tied_place += same_place;
        tied_both += same_both;
        scores[c] = placed[c].score;
    }
    const int64_t opposite = sort_counting(scores, m, work);
    int64_t same_score = 0;
    for (int64_t c = 1; c < m; c++) {
        same_score = scores[c] == scores[c - 1] ? same_score + 1 : 0;
        tied_score += same_score;
    }
    const int64_t all = pairs(m);
    if (tied_place == all)
        return NAN;
    if (tied_score == all)
        return 0;
    const int64_t excess = all - tied_place - tied_score + tied_both - 2 * opposite;
    return (double)excess / sqrt((double)(all - tied_place)) / sqrt((double)(all - tied_score));
}

/* Twice the mean of the ranks first .. last (from 0) of m, less twice the mean of all: a whole
 * number, so that the sums below are exact and ties of all give 0. */
static double centred_rank(int64_t first, int64_t last, int64_t m)
{
    return (double)(first + last + 1 - m);
}

double pt_spearman_rho(pt_placed *placed, int64_t m)
{
    double xx = 0;
    double yy = 0;
    double xy = 0;
    qsort(placed, (size_t)m, sizeof *placed, by_place);
    for (int64_t c = 0, next = 0; c < m; c = next) {
        while (next < m && placed[next].place == placed[c].place)
            next++;
        for (int64_t e = c; e < next; e++)
            placed[e].rank = centred_rank(c, next - 1, m);
    }
    qsort(placed, (size_t)m, sizeof *placed, by_score);
    for (int64_t c = 0, next = 0; c < m; c = next) {
        while (next < m && placed[next].score == placed[c].score)
            next++;
        const double y = centred_rank(c, next - 1, m);
        for (int64_t e = c; e < next; e++) {
            xx += placed[e].rank * placed[e].rank;
            yy += y * y;
            xy += placed[e].rank * y;
        }
    }
    if (xx == 0)
        return NAN;
    return yy > 0 ? xy / sqrt(xx) / sqrt(yy) : 0;
}

/* ---- a set ----------------------------------------------------------------------------------- */

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
