/* Intervals by drawing rows again. A draw is a number for each row, how often it counts, and every
 * figure is computed from these numbers: sums of parts and wholes, counts of classes, areas from
 * orders that are made once. Draw b has its own random numbers, keyed by b. */
#include "metrics/intervals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "base/parallel.h"
#include "base/random.h"
#include "metrics/label_metrics.h"

static const double SECONDS = 0.1; /* that draws may take where nobody asked for a number */
enum { MOST_DRAWS = 1000, LEAST_DRAWS = 100 };

static const pt_metric DRAWN[] = {[PT_DRAWN_MACRO_F1] = PT_METRIC_MACRO_F1,
                                  [PT_DRAWN_BALANCED_ACCURACY] = PT_METRIC_BALANCED_ACCURACY,
                                  [PT_DRAWN_MCC] = PT_METRIC_MCC,
                                  [PT_DRAWN_KAPPA] = PT_METRIC_KAPPA};

/* Roughly, on one thread: a number is drawn in 10 ns, and a row takes 1 to 6 for each of the things
 * that it is counted in. */
int64_t pt_draws_for(const pt_drawn_rows *rows)
{
    const double n = (double)rows->n;
    const double k = (double)rows->k;
    const double areas = rows->auc ? 6 * n * k + 4 * k * k : 0;
    const double of_row = 2 + 2 * (double)rows->n_ratios + (rows->truth ? 6 : rows->in ? k : 0);
    const double times = SECONDS * 1e9 / (10 * (double)rows->n_groups + n * of_row + areas + 1000);
    return times >= MOST_DRAWS ? MOST_DRAWS : times >= LEAST_DRAWS ? (int64_t)times : 0;
}

/* What a worker needs: all in one block of numbers, and counts. */
typedef struct scratch {
    int32_t *times;    /* n: how often each row counts */
    int32_t *of_group; /* n_groups */
    int64_t *counts;   /* 3 k: both, true only, said only */
    double *sums;      /* 2 n_ratios, then what areas need */
} scratch;

typedef struct drawer {
    const pt_drawn_rows *rows;
    scratch *of_worker;
    int64_t n_figures;
    int64_t n_draws;
    double *value; /* n_figures x n_draws */
    uint64_t seed;
} drawer;

static void free_scratch(scratch *s, int workers)
{
    for (int w = 0; s && w < workers; w++) {
        pt_free(s[w].times);
        pt_free(s[w].of_group);
        pt_free(s[w].counts);
        pt_free(s[w].sums);
    }
    pt_free(s);
}

static pt_status make_scratch(scratch *s, const pt_drawn_rows *rows, pt_error *err)
{
    const int64_t areas = rows->auc ? pt_auc_work(rows->auc) : 0;
    PT_TRY(PT_NEW(s->times, rows->n, "draws", err));
    PT_TRY(PT_NEW(s->of_group, rows->n_groups, "draws", err));
    PT_TRY(PT_NEW(s->counts, 3 * rows->k + 1, "draws", err));
    return PT_NEW(s->sums, 2 * rows->n_ratios + areas + 1, "draws", err);
}

/* Returns how many rows there are in all. */
static int64_t draw_rows(const drawer *d, int64_t which, const scratch *s)
{
    const pt_drawn_rows *rows = d->rows;
    int64_t n = 0;
    pt_random random;
    pt_random_init(&random, d->seed, PT_RANDOM_DRAWS, (uint64_t)which);
    memset(s->of_group, 0, (size_t)rows->n_groups * sizeof *s->of_group);
    for (int64_t g = 0; g < rows->n_groups; g++)
        s->of_group[pt_random_below(&random, rows->n_groups)]++;
    for (int64_t i = 0; i < rows->n; i++) {
        s->times[i] = s->of_group[rows->group ? rows->group[i] : i];
        n += s->times[i];
    }
    return n;
}

static void add_up(const pt_drawn_rows *rows, const scratch *s, double *value, int64_t stride)
{
    const int64_t m = rows->n_ratios;
    double *part = s->sums;
    double *whole = part + m;
    memset(part, 0, 2 * (size_t)m * sizeof *part);
    for (int64_t i = 0; i < rows->n; i++) {
        const double times = s->times[i];
        for (int64_t f = 0; f < m && times > 0; f++) {
            part[f] += times * rows->part[i * m + f];
            whole[f] += times * rows->whole[i * m + f];
        }
    }
    for (int64_t f = 0; f < m; f++)
        value[f * stride] = whole[f] > 0 ? part[f] / whole[f] : NAN;
}

static void count_classes(const pt_drawn_rows *rows, const scratch *s, int64_t n, double *value,
                          int64_t stride)
{
    const int64_t k = rows->k;
    pt_tally t = {.wanted = ~0u,
                  .k = k,
                  .n = n,
                  .both = s->counts,
                  .true_only = s->counts + k,
                  .said_only = s->counts + 2 * k};
    memset(s->counts, 0, 3 * (size_t)k * sizeof *s->counts);
    for (int64_t i = 0; i < rows->n && rows->truth; i++) {
        const int64_t y = rows->truth[i];
        const int64_t said = rows->said[i];
        t.both[y] += y == said ? s->times[i] : 0;
        t.true_only[y] += y == said ? 0 : s->times[i];
        t.said_only[said] += y == said ? 0 : s->times[i];
    }
    for (int64_t i = 0; i < rows->n && !rows->truth; i++)
        for (int64_t r = 0; r < k && s->times[i] > 0; r++) {
            const unsigned in = rows->in[i * k + r];
            t.both[r] += in == 3 ? s->times[i] : 0;
            t.true_only[r] += in == 1 ? s->times[i] : 0;
            t.said_only[r] += in == 2 ? s->times[i] : 0;
        }
    for (int f = 0; f < PT_DRAWN_AUC_OVR; f++)
        value[f * stride] =
            rows->truth || f == PT_DRAWN_MACRO_F1 ? pt_tally_metric(&t, DRAWN[f]) : NAN;
}

static pt_status draw_one(void *context, int64_t which, int worker, pt_error *err)
{
    (void)err;
    const drawer *d = context;
    const pt_drawn_rows *rows = d->rows;
    const scratch *s = &d->of_worker[worker];
    double *value = d->value + which;
    double *of_classes = value + rows->n_ratios * d->n_draws;
    const int64_t n = draw_rows(d, which, s);
    add_up(rows, s, value, d->n_draws);
    for (int f = 0; f < PT_N_DRAWN; f++)
        of_classes[f * d->n_draws] = NAN;
    if (rows->k > 0)
        count_classes(rows, s, n, of_classes, d->n_draws);
    if (rows->auc) {
        const pt_auc_means areas =
            pt_auc_means_of(rows->auc, s->times, s->sums + 2 * rows->n_ratios);
        of_classes[PT_DRAWN_AUC_OVR * d->n_draws] = areas.ovr;
        of_classes[PT_DRAWN_AUC_OVO * d->n_draws] = areas.ovo;
    }
    return PT_OK;
}

/* Between two neighbours of an ascending list. */
static double quantile(const double *sorted, int64_t n, double q)
{
    const double place = q * (double)(n - 1);
    const int64_t below = (int64_t)place;
    const int64_t above = below + 1 < n ? below + 1 : below;
    return sorted[below] + (place - (double)below) * (sorted[above] - sorted[below]);
}

pt_interval pt_interval_of(double *value, int64_t n)
{
    static const double TAIL = 0.025;
    int64_t count = 0;
    for (int64_t b = 0; b < n; b++)
        if (!isnan(value[b]))
            value[count++] = value[b];
    if (count == 0)
        return (pt_interval){NAN, NAN};
    qsort(value, (size_t)count, sizeof *value, pt_ascending);
    return (pt_interval){quantile(value, count, TAIL), quantile(value, count, 1 - TAIL)};
}

static pt_status draw_all(drawer *d, int workers, const pt_task *task, pt_error *err)
{
    for (int w = 0; w < workers; w++)
        PT_TRY(make_scratch(&d->of_worker[w], d->rows, err));
    return pt_parallel_for(task, d->n_draws, draw_one, d, err);
}

pt_status pt_draw_figures(double *value, const pt_drawn_rows *rows, int64_t times, uint64_t seed,
                          const pt_task *task, pt_error *err)
{
    const int workers = pt_parallel_workers(task, times);
    drawer d = {.rows = rows,
                .n_figures = rows->n_ratios + PT_N_DRAWN,
                .n_draws = times,
                .value = value,
                .of_worker = pt_alloc_zero(workers, sizeof(scratch), "draws", err),
                .seed = seed};
    const pt_status status = d.of_worker ? draw_all(&d, workers, task, err) : PT_ENOMEM;
    free_scratch(d.of_worker, workers);
    return status;
}

pt_status pt_draw_intervals(pt_interval *interval, const pt_drawn_rows *rows, int64_t times,
                            uint64_t seed, const pt_task *task, pt_error *err)
{
    const int64_t n_figures = rows->n_ratios + PT_N_DRAWN;
    PT_SCRATCH double *value = NULL;
    for (int64_t f = 0; f < n_figures; f++)
        interval[f] = (pt_interval){NAN, NAN};
    if (rows->n_groups < 2 || times == 0)
        return PT_OK;
    value = pt_alloc(times, (size_t)n_figures * sizeof *value, "draws", err);
    if (!value)
        return PT_ENOMEM;
    PT_TRY(pt_draw_figures(value, rows, times, seed, task, err));
    for (int64_t f = 0; f < n_figures; f++)
        interval[f] = pt_interval_of(value + f * times, times);
    return PT_OK;
}
