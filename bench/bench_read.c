/* Times the readers: bench_read FILE [FORMAT [THREADS [REPEATS]]]. Prints the shape, the median
 * seconds and MB/s of text (uncompressed files: the size of the file). */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>

#include "base/task.h"
#include "polytomy/polytomy.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
    enum { MOST = 101 };
    if (argc < 2) {
        fprintf(stderr, "usage: bench_read FILE [FORMAT [THREADS [REPEATS]]]\n");
        return 2;
    }
    const int threads = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 1;
    int repeats = argc > 4 ? (int)strtol(argv[4], NULL, 10) : 5;
    repeats = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    pt_error err = PT_ERROR_INIT;
    pt_task *task = NULL;
    pt_params *params = NULL;
    if (pt_task_new(&task, &err) != PT_OK || pt_params_new(&params, &err) != PT_OK ||
        pt_params_set(params, "format", argc > 2 ? argv[2] : "auto", &err) != PT_OK) {
        fprintf(stderr, "bench_read: %s\n", err.text);
        return 1;
    }
    pt_task_set_threads(task, threads);
    double times[MOST];
    int64_t n = 0;
    int64_t d = 0;
    int64_t k = 0;
    for (int r = 0; r < repeats; r++) {
        pt_dataset *data = NULL;
        const double begin = seconds();
        if (pt_dataset_read(&data, argv[1], params, task, &err) != PT_OK) {
            fprintf(stderr, "%s:%lld:%lld: %s\n", err.file, (long long)err.line,
                    (long long)err.column, err.text);
            return 1;
        }
        times[r] = seconds() - begin;
        n = pt_dataset_n_examples(data);
        d = pt_dataset_n_features(data);
        k = pt_dataset_n_classes(data);
        pt_report *found = NULL;
        if (r == 0 && pt_dataset_report(&found, data, &err) == PT_OK)
            for (int64_t w = 0; w < pt_report_length(found, "warning"); w++)
                fprintf(stderr, "warning: %s\n", pt_report_text_at(found, "warning", w, 0, 0));
        pt_report_free(found);
        pt_dataset_free(data);
    }
    qsort(times, (size_t)repeats, sizeof *times, compare);
    struct stat about;
    const double bytes = stat(argv[1], &about) == 0 ? (double)about.st_size : 0;
    printf("%lld x %lld, %lld classes, %d threads: %.4f s (min %.4f), %.0f MB/s\n", (long long)n,
           (long long)d, (long long)k, threads, times[repeats / 2], times[0],
           bytes / 1e6 / times[repeats / 2]);
    pt_params_free(params);
    pt_task_free(task);
    return 0;
}
