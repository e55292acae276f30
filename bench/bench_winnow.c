/* Mistakes of Winnow and of the perceptron where few of d features matter (winnow_target.h):
 * bench_winnow N ALPHA SEEDS D... Prints a line of a table for each D: mistakes among the first N
 * examples of a stream, the mean over seeds, and of those that came in the last quarter. */
#include <stdio.h>

#include "../tests/support/winnow_target.h"

static void measure(pt_update update, double alpha, int64_t d, int64_t n, int seeds)
{
    double mistakes = 0;
    double late = 0;
    for (int s = 1; s <= seeds; s++) {
        int64_t last = 0;
        mistakes += (double)winnow_mistakes(update, alpha, d, n, (uint64_t)s, &last) / seeds;
        late += (double)last / seeds;
    }
    printf(" %.1f | %.1f |", mistakes, late);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: bench_winnow N ALPHA SEEDS D...\n");
        return 2;
    }
    const int64_t n = strtoll(argv[1], NULL, 10);
    const double alpha = strtod(argv[2], NULL);
    const int seeds = (int)strtol(argv[3], NULL, 10);
    for (int a = 4; a < argc; a++) {
        const int64_t d = strtoll(argv[a], NULL, 10);
        printf("| %lld |", (long long)d);
        measure(PT_UPDATE_WINNOW, alpha, d, n, seeds);
        measure(PT_UPDATE_BALANCED, alpha, d, n, seeds);
        measure(PT_UPDATE_PERCEPTRON, alpha, d, n, seeds);
        printf("\n");
        fflush(stdout);
    }
    return 0;
}
