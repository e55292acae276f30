/* The bare floor: what training, prediction and search cannot be faster than on this machine.
 *
 *   bare [WHAT [N [D [THREADS [REPEATS]]]]]      WHAT: blas, train, predict, search or all
 *
 *   blas     sgemm and spotrf (and double) as they are, one thread: GFLOP/s
 *   train    Gram tiles and the tiled Cholesky factor, against spotrf on one thread
 *   predict  kernel values of N/4 rows against N times an N x 26 matrix: bare GEMM, vector exp,
 *            GEMM, against the centres of predictions
 *   search   81 x (map, factor, inverse of the factor[, square]) on tiles, against LAPACK on a
 *            square
 *
 * Competing parts take turns in one run; each line is the median of the repeats: wall seconds,
 * processor seconds, GFLOP/s by the wall, and the ratio to the first line of its group by the wall
 * and by the processor (on a shared machine the processor's is the steadier one). Data are random.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/task.h"
#include "kernels/centres.h"
#include "kernels/gram.h"
#include "kernels/loops.h"
#include "linalg/linalg.h"

#include <f77blas.h> /* last: it makes I a macro, the imaginary unit */
#undef I

enum { MOST_REPEATS = 31, OUTPUTS = 26, GRID = 81 };

typedef struct setting {
    int64_t n;
    int64_t d;
    int threads;
    int repeats;
    pt_task *one;
    pt_task *all;
} setting;

typedef struct timing {
    const char *name;
    double flops;
    double wall[MOST_REPEATS];
    double cpu[MOST_REPEATS];
} timing;

static void die(const char *what)
{
    fprintf(stderr, "bare: %s\n", what);
    exit(1);
}

static void need(pt_status status)
{
    if (status != PT_OK)
        die(pt_status_name(status));
}

static void *room(int64_t count, size_t size)
{
    pt_error err = PT_ERROR_INIT;
    void *block = pt_alloc(count, size, "a benchmark", &err);
    if (!block)
        die("out of memory");
    return block;
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(const double *values, int count)
{
    double sorted[MOST_REPEATS];
    memcpy(sorted, values, (size_t)count * sizeof *values);
    qsort(sorted, (size_t)count, sizeof *sorted, compare);
    return sorted[count / 2];
}

typedef void (*part_fn)(void *context);

/* Runs the parts in turn, `repeats` times, and prints their lines. */
static void race(const char *title, const setting *set, int parts, const part_fn *run,
                 void *context, timing *times)
{
    for (int r = 0; r < set->repeats; r++)
        for (int p = 0; p < parts; p++) {
            const double wall = pt_seconds();
            const double cpu = cpu_seconds();
            run[p](context);
            times[p].wall[r] = pt_seconds() - wall;
            times[p].cpu[r] = cpu_seconds() - cpu;
        }
    printf("%s\n", title);
    for (int p = 0; p < parts; p++) {
        const double wall = median(times[p].wall, set->repeats);
        const double cpu = median(times[p].cpu, set->repeats);
        printf("  %-44s %9.4f s  cpu %9.4f s  %7.1f GFLOP/s  x %.3f  cpu x %.3f\n", times[p].name,
               wall, cpu, times[p].flops / wall * 1e-9, wall / median(times[0].wall, set->repeats),
               cpu / median(times[0].cpu, set->repeats));
    }
    fflush(stdout);
}

static pt_rows random_rows(int64_t n, int64_t d, int64_t seed, float **owned)
{
    float *x = room(n * d, sizeof *x);
    pt_random random;
    pt_random_init(&random, (uint64_t)seed, PT_RANDOM_TEST, 0);
    for (int64_t e = 0; e < n * d; e++)
        x[e] = (float)(2 * pt_random_uniform(&random) - 1);
    *owned = x;
    return (pt_rows){.n = n, .d = d, .type = PT_F32, .dense = x, .stride = d};
}

static void *at(pt_type type, void *base, int64_t i)
{
    return (char *)base + i * (int64_t)pt_type_size(type);
}

/* A well-conditioned matrix, square and column-major. */
static void fill_square(pt_type type, int64_t n, void *A)
{
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = 0; i < n; i++) {
            const double value = i == j ? 4 : 1.0 / (double)(1 + (i * 31 + j * 17) % 1009 + n);
            if (type == PT_F32)
                ((float *)A)[i + j * n] = (float)value;
            else
                ((double *)A)[i + j * n] = value;
        }
}

/* ---- LAPACK as it is, one thread ---- */

static void plain_potrf(pt_type type, int64_t order, void *A)
{
    char lower = 'L';
    blasint n = (blasint)order;
    blasint info = 0;
    const int before = pt_parallel_alone_begin();
    if (type == PT_F32)
        BLASFUNC(spotrf)(&lower, &n, A, &n, &info);
    else
        BLASFUNC(dpotrf)(&lower, &n, A, &n, &info);
    pt_parallel_alone_end(before);
    if (info != 0)
        die("potrf: not positive definite");
}

static void plain_trtri(pt_type type, int64_t order, void *A)
{
    char lower = 'L';
    char diagonal = 'N';
    blasint n = (blasint)order;
    blasint info = 0;
    const int before = pt_parallel_alone_begin();
    if (type == PT_F32)
        BLASFUNC(strtri)(&lower, &diagonal, &n, A, &n, &info);
    else
        BLASFUNC(dtrtri)(&lower, &diagonal, &n, A, &n, &info);
    pt_parallel_alone_end(before);
}

static void plain_lauum(pt_type type, int64_t order, void *A)
{
    char lower = 'L';
    blasint n = (blasint)order;
    blasint info = 0;
    const int before = pt_parallel_alone_begin();
    if (type == PT_F32)
        BLASFUNC(slauum)(&lower, &n, A, &n, &info);
    else
        BLASFUNC(dlauum)(&lower, &n, A, &n, &info);
    pt_parallel_alone_end(before);
}

/* ---- blas ---- */

typedef struct blas_work {
    int64_t n;
    void *A;
    void *B;
    void *C;
} blas_work;

static void run_sgemm(void *context)
{
    blas_work *w = context;
    pt_la_gemm(PT_F32, 'n', 't', w->n, w->n, w->n, 1, w->A, w->n, w->B, w->n, 0, w->C, w->n);
}

static void run_dgemm(void *context)
{
    blas_work *w = context;
    pt_la_gemm(PT_F64, 'n', 't', w->n, w->n, w->n, 1, w->A, w->n, w->B, w->n, 0, w->C, w->n);
}

static void run_spotrf(void *context)
{
    blas_work *w = context;
    fill_square(PT_F32, w->n, w->C);
    plain_potrf(PT_F32, w->n, w->C);
}

static void run_dpotrf(void *context)
{
    blas_work *w = context;
    fill_square(PT_F64, w->n, w->C);
    plain_potrf(PT_F64, w->n, w->C);
}

static void bench_blas(const setting *set)
{
    const int64_t n = set->n < 2048 ? set->n : 2048;
    const double cube = (double)n * (double)n * (double)n;
    blas_work w = {n, room(n * n, 8), room(n * n, 8), room(n * n, 8)};
    fill_square(PT_F64, n, w.A);
    fill_square(PT_F64, n, w.B);
    timing times[] = {{.name = "sgemm", .flops = 2 * cube},
                      {.name = "spotrf", .flops = cube / 3},
                      {.name = "dgemm", .flops = 2 * cube},
                      {.name = "dpotrf", .flops = cube / 3}};
    const part_fn parts[] = {run_sgemm, run_spotrf, run_dgemm, run_dpotrf};
    char title[80];
    snprintf(title, sizeof title, "BLAS as it is, n = %lld, one thread", (long long)n);
    race(title, set, 4, parts, &w, times);
    pt_free(w.A);
    pt_free(w.B);
    pt_free(w.C);
}

/* ---- train ---- */

typedef struct train_work {
    const setting *set;
    pt_rows rows;
    pt_kernel kernel;
    pt_tiles *K;
    float *square;
} train_work;

static void square_from_tiles(const pt_tiles *K, float *square)
{
    const int64_t n = K->n;
    for (int64_t J = 0; J < K->side; J++)
        for (int64_t I = J; I < K->side; I++) {
            const float *tile = pt_tile_at(K, I, J);
            for (int64_t j = 0; j < pt_tile_rows(K, J); j++)
                memcpy(square + I * K->nb + (J * K->nb + j) * n, tile + j * K->nb,
                       (size_t)pt_tile_rows(K, I) * sizeof(float));
        }
}

static void gram_with(train_work *w, const pt_task *task)
{
    pt_gram *gram = NULL;
    pt_error err = PT_ERROR_INIT;
    need(pt_gram_new(&gram, &w->rows, w->kernel.ops, PT_F32, task, &err));
    need(pt_gram_tiles(gram, &w->kernel, w->K, task, &err));
    pt_gram_free(gram);
}

static void run_gram_one(void *context)
{
    gram_with(context, ((train_work *)context)->set->one);
}

static void run_gram_all(void *context)
{
    gram_with(context, ((train_work *)context)->set->all);
}

/* Each factorisation starts from the Gram tiles; the copy into a square is outside of the clock
 * only in so far as it is small: n^2 against n^3/3. */
static void run_plain_spotrf(void *context)
{
    train_work *w = context;
    plain_potrf(PT_F32, w->K->n, w->square);
}

static void cholesky_with(train_work *w, const pt_task *task)
{
    pt_error err = PT_ERROR_INIT;
    need(pt_la_cholesky(w->K, NULL, task, &err));
}

static void run_cholesky_one(void *context)
{
    cholesky_with(context, ((train_work *)context)->set->one);
}

static void run_cholesky_all(void *context)
{
    cholesky_with(context, ((train_work *)context)->set->all);
}

static void run_gram_again(void *context)
{
    train_work *w = context;
    gram_with(w, w->set->all);
    pt_tiles_add_diagonal(w->K, 1, NULL);
}

static void run_square_again(void *context)
{
    train_work *w = context;
    run_gram_again(w);
    square_from_tiles(w->K, w->square);
}

static void bench_train(const setting *set)
{
    pt_error err = PT_ERROR_INIT;
    float *x = NULL;
    const double n = (double)set->n;
    train_work w = {.set = set, .kernel = {pt_kernel_find("rbf"), 1, 0, 1, 0}};
    w.rows = random_rows(set->n, set->d, 1, &x);
    need(pt_tiles_new(&w.K, set->n, PT_F32, &err));
    w.square = room(set->n * set->n, sizeof(float));
    timing times[] = {{.name = "(square for spotrf, untimed work)"},
                      {.name = "spotrf, one thread", .flops = n * n * n / 3},
                      {.name = "(Gram tiles again)"},
                      {.name = "tiled Cholesky, one thread", .flops = n * n * n / 3},
                      {.name = "(Gram tiles again)"},
                      {.name = "tiled Cholesky, all threads", .flops = n * n * n / 3},
                      {.name = "Gram tiles, one thread", .flops = n * n * (double)set->d},
                      {.name = "Gram tiles, all threads", .flops = n * n * (double)set->d}};
    const part_fn parts[] = {run_square_again, run_plain_spotrf, run_gram_again, run_cholesky_one,
                             run_gram_again,   run_cholesky_all, run_gram_one,   run_gram_all};
    char title[120];
    snprintf(title, sizeof title, "Training floor, n = %lld, d = %lld, tiles of %lld, %d threads",
             (long long)set->n, (long long)set->d, (long long)w.K->nb, set->threads);
    race(title, set, 8, parts, &w, times);
    const double plain = median(times[1].wall, set->repeats);
    const double plain_cpu = median(times[1].cpu, set->repeats);
    printf("  tiled to plain factorisation, one thread: %.3f of spotrf's speed (cpu %.3f); all "
           "threads: %.2f times spotrf's speed\n",
           plain / median(times[3].wall, set->repeats),
           plain_cpu / median(times[3].cpu, set->repeats),
           plain / median(times[5].wall, set->repeats));
    pt_free(w.square);
    pt_tiles_free(w.K);
    pt_free(x);
}

/* ---- predict ---- */

enum { BARE_ROWS = 256, BARE_COLUMNS = 256 };

typedef struct predict_work {
    const setting *set;
    int64_t m;
    float *x;
    float *z;
    pt_rows fresh;
    pt_kernel kernel;
    pt_centres *centres;
    pt_centre_sums sums;
    float *A;
    float *out;
    float *block;
} predict_work;

/* GEMM, exp in place, GEMM, on blocks that stay in cache: no norms, no distances. */
static void run_bare_predict(void *context)
{
    predict_work *w = context;
    const int64_t n = w->set->n;
    const int64_t d = w->set->d;
    const pt_loops *loops = pt_loops_of(pt_isa_chosen(), PT_F32);
    for (int64_t i = 0; i < w->m; i += BARE_ROWS)
        for (int64_t j = 0; j < n; j += BARE_COLUMNS) {
            const int64_t rows = w->m - i < BARE_ROWS ? w->m - i : BARE_ROWS;
            const int64_t columns = n - j < BARE_COLUMNS ? n - j : BARE_COLUMNS;
            pt_la_gemm(PT_F32, 't', 'n', rows, columns, d, 1, w->z + i * d, d, w->x + j * d, d, 0,
                       w->block, rows);
            loops->exp(w->block, rows * columns, -0.1);
            pt_la_gemm(PT_F32, 'n', 'n', rows, OUTPUTS, columns, 1, w->block, rows, w->A + j, n,
                       j > 0, w->out + i, w->m);
        }
}

/* The same without a block: one GEMM into a matrix of m x n, exp, one GEMM. */
static void run_whole_predict(void *context)
{
    predict_work *w = context;
    const int64_t n = w->set->n;
    const int64_t d = w->set->d;
    const int64_t part = 500; /* rows at a time: 500 x n values */
    for (int64_t i = 0; i < w->m; i += part) {
        const int64_t rows = w->m - i < part ? w->m - i : part;
        pt_la_gemm(PT_F32, 't', 'n', rows, n, d, 1, w->z + i * d, d, w->x, d, 0, w->block, rows);
        pt_loops_of(pt_isa_chosen(), PT_F32)->exp(w->block, rows * n, -0.1);
        pt_la_gemm(PT_F32, 'n', 'n', rows, OUTPUTS, n, 1, w->block, rows, w->A, n, 0, w->out + i,
                   w->m);
    }
}

static void coefficients(const void *of, int64_t i, int64_t from, int64_t count, double *row)
{
    const predict_work *w = of;
    for (int64_t s = 0; s < count; s++)
        row[s] = (double)w->A[i + (from + s) * w->set->n];
}

static void keep_sums(void *context, int64_t group, int64_t row, int64_t n, const void *sums,
                      int64_t ld)
{
    (void)group;
    predict_work *w = context;
    for (int64_t i = 0; i < n; i++)
        for (int64_t s = 0; s < OUTPUTS; s++)
            w->out[s * w->m + row + i] = ((const float *)sums)[i * ld + s];
}

static void run_apply_one(void *context)
{
    predict_work *w = context;
    pt_error err = PT_ERROR_INIT;
    need(pt_centre_sums_of(&w->sums, &w->fresh, keep_sums, w, w->set->one, &err));
}

static void run_apply_all(void *context)
{
    predict_work *w = context;
    pt_error err = PT_ERROR_INIT;
    need(pt_centre_sums_of(&w->sums, &w->fresh, keep_sums, w, w->set->all, &err));
}

static void bench_predict(const setting *set)
{
    pt_error err = PT_ERROR_INIT;
    predict_work w = {.set = set, .m = set->n / 4, .kernel = {pt_kernel_find("rbf"), 1, 0, 1, 0}};
    const pt_rows x = random_rows(set->n, set->d, 1, &w.x);
    const pt_rows z = random_rows(w.m, set->d, 2, &w.z);
    const int64_t first[] = {0, set->n};
    void *coef = NULL;
    need(pt_centres_new(&w.centres, &x, NULL, &pt_kernel_rbf, PT_F32, set->one, &err));
    w.fresh = z;
    w.A = room(set->n * OUTPUTS, sizeof(float));
    w.out = room(w.m * OUTPUTS, sizeof(float));
    w.block = room(500 * set->n + BARE_ROWS * BARE_COLUMNS, sizeof(float));
    for (int64_t e = 0; e < set->n * OUTPUTS; e++)
        w.A[e] = (float)(e % 13) - 6;
    need(pt_coefficients_lay(&coef, set->n, OUTPUTS, PT_F32, coefficients, &w, NULL, &err));
    w.sums = (pt_centre_sums){w.centres, &w.kernel, OUTPUTS, 1, first, coef};
    const double flops = (double)w.m * (double)set->n * 2 * (double)(set->d + OUTPUTS);
    timing times[] = {{.name = "bare GEMM, vector exp, GEMM, by blocks", .flops = flops},
                      {.name = "bare GEMM, vector exp, GEMM, 500 rows", .flops = flops},
                      {.name = "centres, one thread", .flops = flops},
                      {.name = "centres, all threads", .flops = flops}};
    const part_fn parts[] = {run_bare_predict, run_whole_predict, run_apply_one, run_apply_all};
    char title[120];
    snprintf(title, sizeof title,
             "Prediction floor, %lld rows, model of %lld, d = %lld, %d outputs", (long long)w.m,
             (long long)set->n, (long long)set->d, OUTPUTS);
    race(title, set, 4, parts, &w, times);
    pt_centres_free(w.centres);
    pt_free(coef);
    pt_free(w.A);
    pt_free(w.out);
    pt_free(w.block);
    pt_free(w.x);
    pt_free(w.z);
}

/* ---- search ---- */

typedef struct search_work {
    pt_type type;
    int64_t n;
    int points;
    pt_tiles *D; /* squared distances */
    pt_tiles *K;
    void *square_D;
    void *square_K;
    const pt_task *one;
    pt_kernel kernel;
} search_work;

static void map_tiles(search_work *w)
{
    memcpy(w->K->value, w->D->value, (size_t)pt_tiles_bytes(w->n, w->type));
    for (int64_t J = 0; J < w->K->side; J++)
        for (int64_t I = J; I < w->K->side; I++)
            pt_kernel_map(&w->kernel, w->type, pt_tile_rows(w->K, I), pt_tile_rows(w->K, J),
                          pt_tile_at(w->K, I, J), w->K->nb);
    pt_tiles_add_diagonal(w->K, 0.5, NULL);
}

/* The lower triangle of the square only, as LAPACK sees it. */
static void map_square(search_work *w)
{
    const pt_loops *loops = pt_loops_of(pt_isa_chosen(), w->type);
    for (int64_t j = 0; j < w->n; j++) {
        void *column = at(w->type, w->square_K, j + j * w->n);
        memcpy(column, at(w->type, w->square_D, j + j * w->n),
               (size_t)(w->n - j) * pt_type_size(w->type));
        loops->exp(column, w->n - j, -0.5);
        if (w->type == PT_F32)
            *(float *)column += 0.5F;
        else
            *(double *)column += 0.5;
    }
}

static void run_lapack_inverse(void *context)
{
    search_work *w = context;
    for (int p = 0; p < w->points; p++) {
        map_square(w);
        plain_potrf(w->type, w->n, w->square_K);
        plain_trtri(w->type, w->n, w->square_K);
    }
}

static void run_lapack_square(void *context)
{
    search_work *w = context;
    for (int p = 0; p < w->points; p++) {
        map_square(w);
        plain_potrf(w->type, w->n, w->square_K);
        plain_trtri(w->type, w->n, w->square_K);
        plain_lauum(w->type, w->n, w->square_K);
    }
}

static void run_tiles_inverse(void *context)
{
    search_work *w = context;
    pt_error err = PT_ERROR_INIT;
    for (int p = 0; p < w->points; p++) {
        map_tiles(w);
        need(pt_la_cholesky(w->K, NULL, w->one, &err));
        need(pt_la_invert_factor(w->K, w->one, &err));
    }
}

static void run_tiles_square(void *context)
{
    search_work *w = context;
    pt_error err = PT_ERROR_INIT;
    for (int p = 0; p < w->points; p++) {
        map_tiles(w);
        need(pt_la_cholesky(w->K, NULL, w->one, &err));
        need(pt_la_invert_factor(w->K, w->one, &err));
        need(pt_la_factor_square(w->K, w->one, &err));
    }
}

static void bench_search(const setting *set, int64_t n, pt_type type)
{
    pt_error err = PT_ERROR_INIT;
    float *x = NULL;
    pt_gram *gram = NULL;
    search_work w = {
        .type = type, .n = n, .one = set->one, .kernel = {pt_kernel_find("rbf"), 1, 0, 1, 0}};
    w.points = n > 1000 ? GRID / 9 : GRID;
    const pt_rows rows = random_rows(n, set->d, 3, &x);
    need(pt_gram_new(&gram, &rows, &pt_kernel_rbf, type, set->one, &err));
    need(pt_tiles_new(&w.D, n, type, &err));
    need(pt_tiles_new(&w.K, n, type, &err));
    need(pt_gram_tiles(gram, NULL, w.D, set->one, &err));
    w.square_D = room(n * n, pt_type_size(type));
    w.square_K = room(n * n, pt_type_size(type));
    for (int64_t j = 0; j < n; j++)
        for (int64_t i = j; i < n; i++) {
            const double value = pt_tiles_get(w.D, i, j);
            if (type == PT_F32)
                ((float *)w.square_D)[i + j * n] = (float)value;
            else
                ((double *)w.square_D)[i + j * n] = value;
        }
    const double third = (double)w.points * (double)n * (double)n * (double)n / 3;
    timing times[] = {{.name = "LAPACK: map, potrf, trtri", .flops = 2 * third},
                      {.name = "tiles: map, factor, inverse", .flops = 2 * third},
                      {.name = "LAPACK: map, potrf, trtri, lauum", .flops = 3 * third},
                      {.name = "tiles: map, factor, inverse, square", .flops = 3 * third}};
    const part_fn parts[] = {run_lapack_inverse, run_tiles_inverse, run_lapack_square,
                             run_tiles_square};
    char title[120];
    snprintf(title, sizeof title,
             "Search floor, %d points, n = %lld, %s, tiles of %lld, one thread", w.points,
             (long long)n, type == PT_F32 ? "float" : "double", (long long)w.K->nb);
    race(title, set, 4, parts, &w, times);
    pt_free(w.square_D);
    pt_free(w.square_K);
    pt_tiles_free(w.D);
    pt_tiles_free(w.K);
    pt_gram_free(gram);
    pt_free(x);
}

static int64_t number(int argc, char **argv, int which, int64_t standard)
{
    return argc > which ? strtoll(argv[which], NULL, 10) : standard;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "all";
    setting set = {.n = number(argc, argv, 2, 4000), .d = number(argc, argv, 3, 16)};
    set.threads = (int)number(argc, argv, 4, pt_task_threads(NULL));
    set.repeats = (int)number(argc, argv, 5, 5);
    if (set.n < 1 || set.d < 1 || set.threads < 1 || set.repeats < 1 ||
        set.repeats > MOST_REPEATS) {
        fprintf(stderr,
                "usage: bare [blas|train|predict|search|all [N [D [THREADS [REPEATS]]]]]\n");
        return 2;
    }
    need(pt_task_new(&set.one, NULL));
    need(pt_task_new(&set.all, NULL));
    pt_task_set_threads(set.one, 1);
    pt_task_set_threads(set.all, set.threads);
    const bool all = strcmp(what, "all") == 0;
    printf("%s", pt_build_info());
    if (all || strcmp(what, "blas") == 0)
        bench_blas(&set);
    if (all || strcmp(what, "train") == 0)
        bench_train(&set);
    if (all || strcmp(what, "predict") == 0)
        bench_predict(&set);
    if (all || strcmp(what, "search") == 0) {
        const int64_t orders[] = {528, 2000};
        for (int o = 0; o < 2; o++) {
            const int64_t n = argc > 2 && !all ? set.n : orders[o];
            bench_search(&set, n, PT_F32);
            bench_search(&set, n, PT_F64);
            if (argc > 2 && !all)
                break;
        }
    }
    pt_task_free(set.one);
    pt_task_free(set.all);
    return 0;
}
