/* Areas under ROC curves. With the rows of class a on one side and those of class b on the other,
 * ordered by the probability of a,
 *
 *   A_ab = sum_(i in a, j in b) w_i w_j ([p_ia > p_ja] + [p_ia = p_ja] / 2)
 *
 * the areas are (Hand and Till 2001)
 *
 *   one against the rest   sum_(b != a) A_ab / (W_a (W - W_a))     W_a the rows of class a, W all
 *   one against one        (A_ab + A_ba) / (2 W_a W_b) .
 *
 * One pass over the rows in the order of the probability of a gives A_ab for all b: it keeps how
 * many rows of each class are behind. Of two classes the area is that of the second, whichever is
 * asked for. Counts are whole and halves of whole numbers: sums are exact below 2^52. */
#include "metrics/auc.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/sort.h"

typedef struct placed {
    double p;
    int64_t row;
} placed;

static int by_probability(const void *left, const void *right)
{
    const placed *a = left;
    const placed *b = right;
    if (a->p != b->p)
        return a->p < b->p ? -1 : 1;
    return (a->row > b->row) - (a->row < b->row);
}

typedef struct sorter {
    pt_auc *auc;
    const double *p;
    const pt_task *task;
} sorter;

static pt_status sort_class(void *context, int64_t at, int worker, pt_error *err)
{
    (void)worker;
    const sorter *s = context;
    const int64_t n = s->auc->n;
    const int64_t r = s->auc->first + at;
    int64_t *order = s->auc->order + at * n;
    PT_SCRATCH placed *rows = NULL;
    PT_TRY(PT_NEW(rows, n, "ranks", err));
    for (int64_t i = 0; i < n; i++)
        rows[i] = (placed){s->p[i * s->auc->k + r], i};
    PT_TRY(pt_sort(rows, n, sizeof *rows, by_probability, "ranks", s->task, err));
    for (int64_t i = 0; i < n; i++)
        order[i] = 2 * rows[i].row + (i > 0 && rows[i].p == rows[i - 1].p);
    return PT_OK;
}

pt_status pt_auc_init(pt_auc *auc, const double *p, const int64_t *truth, int64_t n, int64_t k,
                      const pt_task *task, pt_error *err)
{
    *auc = (pt_auc){.n = n, .k = k, .truth = truth, .first = k == 2};
    const int64_t classes = k - auc->first;
    if (n == 0 || k < 2)
        return PT_OK;
    auc->order = pt_alloc(n, (size_t)classes * sizeof(int64_t), "ranks", err);
    if (!auc->order)
        return PT_ENOMEM;
    return pt_parallel_for(task, classes, sort_class, &(sorter){auc, p, task}, err);
}

void pt_auc_free(pt_auc *auc)
{
    pt_free(auc->order);
    *auc = (pt_auc){0};
}

int64_t pt_auc_work(const pt_auc *auc)
{
    return auc->k * auc->k + 3 * auc->k;
}

static bool is_known(const pt_auc *auc, int64_t row)
{
    return auc->truth[row] >= 0 && auc->truth[row] < auc->k;
}

/* won[b] <- A_ab. `behind` and `equal` (k): rows of each class that are less, and as, probable. */
static void count_won(const pt_auc *auc, int64_t a, const int32_t *times, double *won,
                      double *behind, double *equal)
{
    const int64_t *order = auc->order + (a - auc->first) * auc->n;
    const int64_t k = auc->k;
    memset(won, 0, (size_t)k * sizeof *won);
    memset(behind, 0, (size_t)k * sizeof *behind);
    memset(equal, 0, (size_t)k * sizeof *equal);
    for (int64_t at = 0, next = 0; at < auc->n; at = next) {
        for (next = at; next < auc->n && (next == at || order[next] & 1); next++) {
            const int64_t row = order[next] >> 1;
            if (is_known(auc, row))
                equal[auc->truth[row]] += times ? times[row] : 1;
        }
        for (int64_t b = 0; b < k && equal[a] > 0; b++)
            won[b] += equal[a] * (behind[b] + equal[b] / 2);
        for (int64_t j = at; j < next; j++) {
            const int64_t row = order[j] >> 1;
            if (!is_known(auc, row))
                continue;
            behind[auc->truth[row]] += equal[auc->truth[row]];
            equal[auc->truth[row]] = 0;
        }
    }
}

static double mean_over_classes(const pt_auc *auc, const double *won, const double *rows)
{
    double all = 0;
    double sum = 0;
    int64_t count = 0;
    for (int64_t r = 0; r < auc->k; r++)
        all += rows[r];
    for (int64_t a = auc->first; a < auc->k; a++) {
        double part = 0;
        for (int64_t b = 0; b < auc->k; b++)
            part += b == a ? 0 : won[a * auc->k + b];
        if (rows[a] == 0 || rows[a] == all)
            continue;
        sum += part / (rows[a] * (all - rows[a]));
        count++;
    }
    return count > 0 ? sum / (double)count : NAN;
}

static double mean_over_pairs(const pt_auc *auc, const double *won, const double *rows)
{
    const int64_t k = auc->k;
    double sum = 0;
    int64_t count = 0;
    for (int64_t a = 0; a < k; a++)
        for (int64_t b = a + 1; b < k; b++) {
            const double pairs = rows[a] * rows[b];
            if (pairs == 0)
                continue;
            sum += (won[a * k + b] / pairs + won[b * k + a] / pairs) / 2;
            count++;
        }
    return count > 0 ? sum / (double)count : NAN;
}

pt_auc_means pt_auc_means_of(const pt_auc *auc, const int32_t *times, double *work)
{
    const int64_t k = auc->k;
    double *won = work;
    double *rows = work + k * k;
    double *behind = rows + k;
    double *equal = behind + k;
    if (!auc->order)
        return (pt_auc_means){NAN, NAN};
    memset(rows, 0, (size_t)k * sizeof *rows);
    for (int64_t i = 0; i < auc->n; i++)
        if (is_known(auc, i))
            rows[auc->truth[i]] += times ? times[i] : 1;
    for (int64_t a = auc->first; a < k; a++)
        count_won(auc, a, times, won + a * k, behind, equal);
    const double ovr = mean_over_classes(auc, won, rows);
    return (pt_auc_means){ovr, auc->first ? ovr : mean_over_pairs(auc, won, rows)};
}
