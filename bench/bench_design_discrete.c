/* Discrete design alone, at the size of letter: signs of 47 noisy columns of a random code, 26
 * classes, by every search that is for such sizes.
 *
 *   bench_design_discrete [EXAMPLES [THREADS [STARTS]]]
 *
 * Prints for each search the error of the code on the examples and on as many others, and seconds.
 * "given" is the code that the columns come from. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "base/task.h"
#include "codes/design/discrete.h"

enum { EXAMPLES = 16000, CLASSES = 26, COLUMNS = 47 };

static void need(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "bench_design_discrete: %s\n", err->text);
    exit(1);
}

/* A column says the sign of the class with a probability of its own for each class, so that the
 * given code is not the best one. */
static void draw(double *H, int64_t *class_of, int64_t m, const int8_t *M, uint64_t stream)
{
    static double wrong[CLASSES * COLUMNS];
    pt_random random;
    pt_random_init(&random, 1, PT_RANDOM_TEST, 0);
    for (int c = 0; c < CLASSES * COLUMNS; c++)
        wrong[c] = 0.8 * pt_random_uniform(&random);
    pt_random_init(&random, 1, PT_RANDOM_TEST, stream);
    for (int64_t i = 0; i < m; i++) {
        const int64_t y = class_of[i] = pt_random_below(&random, CLASSES);
        for (int64_t t = 0; t < COLUMNS; t++) {
            const int64_t c = y * COLUMNS + t;
            H[i * COLUMNS + t] = pt_random_uniform(&random) < wrong[c] ? -M[c] : M[c];
        }
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"given", "column", "greedy", "local"};
    static int8_t given[CLASSES * COLUMNS];
    static int8_t M[CLASSES * COLUMNS];
    const int64_t m = argc > 1 ? strtoll(argv[1], NULL, 10) : EXAMPLES;
    const int threads = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
    const int64_t starts = argc > 3 ? strtoll(argv[3], NULL, 10) : 0;
    double *H = malloc((size_t)(2 * m * COLUMNS) * sizeof *H);
    int64_t *class_of = malloc((size_t)(2 * m) * sizeof *class_of);
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_random random;
    if (!H || !class_of)
        exit(1);
    need(pt_task_new(&task, &err), &err);
    pt_task_set_threads(task, threads);
    pt_random_init(&random, 2, PT_RANDOM_TEST, 0);
    for (int c = 0; c < CLASSES * COLUMNS; c++)
        given[c] = pt_random_below(&random, 2) ? 1 : -1;
    draw(H, class_of, m, given, 1);
    draw(H + m * COLUMNS, class_of + m, m, given, 2);
    pt_design_data data = {.m = m, .k = CLASSES, .ell = COLUMNS, .H = H, .class_of = class_of};
    pt_design_data others = data;
    others.H = H + m * COLUMNS;
    others.class_of = class_of + m;
    for (int s = 0; s < 4; s++) {
        pt_discrete_result result = {0};
        double on_others = 0;
        const double from = pt_seconds();
        memcpy(M, given, sizeof M);
        const pt_discrete_options options = {
            .search = (pt_design_search)(s - 1), .start = given, .seed = 1, .starts = starts};
        if (s == 0)
            need(pt_discrete_error(&result.error, &data, M, &err), &err);
        else
            need(pt_design_discrete(M, &data, &options, &result, task, &err), &err);
        const double took = pt_seconds() - from;
        need(pt_discrete_error(&on_others, &others, M, &err), &err);
        printf("%-8s error %.4f, on others %.4f, %8.3f s\n", names[s], result.error, on_others,
               took);
    }
    pt_task_free(task);
    free(class_of);
    free(H);
    return 0;
}
