/* The bare floor of a search: its 81 x (map, factorisation, inverse of the factor), nothing else.
 *
 *   bench_search_floor FILE [THREADS [REPEATS]]     CSV without header, label last
 *
 * The rows are prepared as in training; the base tiles (distances) are those of the search and are
 * computed before the clock starts. Each point of the grid ridge, sigma = 2^-4 .. 2^4 runs in the
 * type that the search gives it (float32, or double where float32 is too coarse), one point for
 * each thread, first those in float32, then those in double. Prints the median of the repeats. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/task.h"
#include "kernels/gram.h"
#include "linalg/linalg.h"
#include "machine/training.h"
#include "validate/squares/ls_holdout.h"

enum { SIDE = 9, LOWEST = -4, GRID = SIDE * SIDE, MOST_REPEATS = 31 };

/* The points of one type. */
typedef struct floor_pass {
    pt_type type;
    pt_ls_point points[GRID];
    int64_t count;
    pt_tiles *base;
    pt_tiles **work; /* one for each thread */
    int threads;
    const pt_task *task;
} floor_pass;

static void need(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "bench_search_floor: %s\n", err->text);
    exit(1);
}

/* Map, factorisation, inverse of the factor, on tiles that this worker owns. */
static pt_status run_point(void *context, int64_t index, int worker, pt_error *err)
{
    floor_pass *pass = context;
    const pt_ls_point *point = &pass->points[index];
    pt_tiles *K = pass->work[worker];
    memcpy(K->value, pass->base->value, (size_t)pt_tiles_bytes(K->n, K->type));
    for (int64_t I = 0; I < K->side; I++)
        for (int64_t J = 0; J <= I; J++)
            pt_kernel_map(&point->kernel, K->type, pt_tile_rows(K, I), pt_tile_rows(K, J),
                          pt_tile_at(K, I, J), K->nb);
    pt_tiles_add_diagonal(K, point->ridge, NULL);
    pt_status status = pt_la_cholesky(K, NULL, pass->task, err);
    return status == PT_OK ? pt_la_invert_factor(K, pass->task, err) : status;
}

static void list_grid(pt_ls_point *points)
{
    for (int g = 0; g < SIDE; g++)
        for (int s = 0; s < SIDE; s++)
            points[g * SIDE + s] =
                (pt_ls_point){.kernel = {pt_kernel_find("rbf"), ldexp(1, LOWEST + s), 0, 1, 0},
                              .ridge = ldexp(1, LOWEST + g)};
}

static void base_init(floor_pass *pass, const pt_rows *rows, const pt_task *task)
{
    pt_error err = PT_ERROR_INIT;
    pt_gram *gram = NULL;
    pass->task = task;
    need(pt_gram_new(&gram, rows, &pt_kernel_rbf, pass->type, task, &err), &err);
    need(pt_tiles_new(&pass->base, rows->n, pass->type, &err), &err);
    need(pt_gram_tiles(gram, NULL, pass->base, task, &err), &err);
    pt_gram_free(gram);
}

static void work_init(floor_pass *pass, int threads)
{
    pt_error err = PT_ERROR_INIT;
    pass->threads = threads;
    pass->work = pt_alloc_zero(threads, sizeof(pt_tiles *), "work space", &err);
    need(pass->work ? PT_OK : PT_ENOMEM, &err);
    for (int t = 0; t < threads; t++) {
        need(pt_tiles_new(&pass->work[t], pass->base->n, pass->type, &err), &err);
        memset(pass->work[t]->value, 0, (size_t)pt_tiles_bytes(pass->base->n, pass->type));
    }
}

/* Both passes, with the points where the search runs them. */
static void passes_init(floor_pass pass[2], const pt_rows *rows, int threads, const pt_task *task)
{
    pt_error err = PT_ERROR_INIT;
    pt_ls_point grid[GRID];
    bool in_double[GRID];
    list_grid(grid);
    for (int which = 0; which < 2; which++)
        base_init(&pass[which], rows, task);
    need(pt_ls_need_double(in_double, pass[0].base, grid, GRID, 1, NULL, &err), &err);
    for (int i = 0; i < GRID; i++) {
        floor_pass *own = &pass[in_double[i]];
        own->points[own->count++] = grid[i];
    }
    for (int which = 0; which < 2; which++)
        work_init(&pass[which], threads);
}

static void passes_free(floor_pass pass[2])
{
    for (int which = 0; which < 2; which++) {
        for (int t = 0; t < pass[which].threads; t++)
            pt_tiles_free(pass[which].work[t]);
        pt_free(pass[which].work);
        pt_tiles_free(pass[which].base);
    }
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static void time_passes(floor_pass pass[2], int repeats, const pt_task *task)
{
    double seconds[MOST_REPEATS];
    pt_error err = PT_ERROR_INIT;
    for (int r = 0; r < repeats; r++) {
        const double start = pt_seconds();
        for (int which = 0; which < 2; which++)
            need(pt_parallel_for(task, pass[which].count, run_point, &pass[which], &err), &err);
        seconds[r] = pt_seconds() - start;
    }
    qsort(seconds, (size_t)repeats, sizeof *seconds, compare);
    printf("n = %lld, %lld points in float32, %lld in double, %d threads: %.4f s\n",
           (long long)pass[0].base->n, (long long)pass[0].count, (long long)pass[1].count,
           pass[0].threads, seconds[repeats / 2]);
}

int main(int argc, char **argv)
{
    const int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
    const int repeats = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 3;
    if (argc < 2 || threads < 1 || repeats < 1 || repeats > MOST_REPEATS) {
        fprintf(stderr, "usage: bench_search_floor FILE [THREADS [REPEATS]]\n");
        return 2;
    }
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    pt_task *task = NULL;
    pt_training training = {0};
    floor_pass pass[2] = {{.type = PT_F32}, {.type = PT_F64}};
    need(pt_task_new(&task, &err), &err);
    pt_task_set_threads(task, threads);
    need(pt_params_new(&params, &err), &err);
    need(pt_params_parse(params, "header=no,kernel=rbf", &err), &err);
    need(pt_dataset_read(&data, argv[1], params, task, &err), &err);
    need(pt_training_init(&training, data, params, task, &err), &err);
    passes_init(pass, &training.problem.rows, threads, task);
    time_passes(pass, repeats, task);
    passes_free(pass);
    pt_training_free(&training);
    pt_dataset_free(data);
    pt_params_free(params);
    pt_task_free(task);
    return 0;
}
