/* Decoding alone: 4000 rows, the size of letter's test set, by every decoder of codes.
 *
 *   bench_decode [THREADS [REPEATS]]
 *
 * Codes for 26 classes: all pairs (325 columns), one-vs-all (26), dense random signs (47). Outputs
 * are normal random numbers. Prints milliseconds, the smallest of the repeats. */
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "base/task.h"
#include "decoders/decoder.h"

enum { ROWS = 4000, CLASSES = 26, DENSE = 47, REPEATS = 15 };

static void need(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "bench_decode: %s\n", err->text);
    exit(1);
}

static double best_time(const pt_code_decoder *decoder, const pt_code *code, const double *f,
                        double *scores, const pt_task *task, int repeats)
{
    pt_error err = PT_ERROR_INIT;
    double best = 1e300;
    for (int repeat = 0; repeat < repeats; repeat++) {
        const double from = pt_seconds();
        need(pt_decode_code(decoder, code, ROWS, f, scores, task, &err), &err);
        const double took = pt_seconds() - from;
        best = took < best ? took : best;
    }
    return best;
}

static void run_code(const char *name, const pt_code *code, bool one_vs_all, const pt_task *task,
                     int repeats)
{
    double *f = malloc((size_t)(ROWS * code->ell) * sizeof *f);
    double *scores = malloc((size_t)(ROWS * code->k) * sizeof *scores);
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    if (!f || !scores)
        exit(1);
    for (int64_t i = 0; i < ROWS * code->ell; i++)
        f[i] = pt_random_normal(&random);
    for (const pt_decoder *const *ops = pt_decoders; *ops; ops++) {
        if (((*ops)->pairs_only && !code->pairs) || ((*ops)->one_per_class && !one_vs_all))
            continue;
        const pt_code_decoder decoder = {*ops, 1};
        printf("%-8s %-10s %8.3f ms\n", name, (*ops)->name,
               1e3 * best_time(&decoder, code, f, scores, task, repeats));
    }
    free(scores);
    free(f);
}

int main(int argc, char **argv)
{
    const int threads = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 1;
    const int repeats = argc > 2 ? (int)strtol(argv[2], NULL, 10) : REPEATS;
    static int8_t M[CLASSES * DENSE];
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_random random;
    pt_random_init(&random, 2, PT_RANDOM_TEST, 0);
    need(pt_task_new(&task, &err), &err);
    pt_task_set_threads(task, threads);
    pt_code code = {0};
    need(pt_code_init_pairs(&code, CLASSES, &err), &err);
    run_code("pairs", &code, false, task, repeats);
    for (int i = 0; i < CLASSES * CLASSES; i++)
        M[i] = i % (CLASSES + 1) == 0 ? 1 : -1;
    need(pt_code_from(&code, CLASSES, CLASSES, M, &err), &err);
    run_code("ova", &code, true, task, repeats);
    pt_code_free(&code);
    for (int i = 0; i < CLASSES * DENSE; i++)
        M[i] = pt_random_below(&random, 2) ? 1 : -1;
    need(pt_code_from(&code, CLASSES, DENSE, M, &err), &err);
    run_code("dense", &code, false, task, repeats);
    pt_code_free(&code);
    pt_task_free(task);
    return 0;
}
