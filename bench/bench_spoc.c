/* Times the machine spoc, data in memory: bench_spoc TRAIN THREADS OPTIONS.
 *
 * OPTIONS are parameters as in "C=16,rbf-gamma=2,scale=none,header=no". Prints JSON: the seconds of
 * training alone, by the clock and of the processors (rows prepared before it; the median of
 * REPEATS: the first pays for pages that the system has not given before), support patterns,
 * primal and dual value. */
#include "bench_training.h"

enum { REPEATS = 3 };

static pt_status time_training(bench_case *c, pt_error *err)
{
    double wall[REPEATS];
    double work[REPEATS];
    for (int r = 0; r < REPEATS; r++) {
        pt_machine *machine = NULL;
        bench_times took = {0};
        const pt_status status = bench_fit(c, &machine, &took, err);
        if (status != PT_OK)
            return status;
        wall[r] = took.wall;
        work[r] = took.work;
        if (r == REPEATS - 1) {
            pt_description said = {0};
            (void)pt_machine_describe(&said, machine, NULL, err);
            printf("{\"patterns\": %lld, \"primal\": %.10g, \"dual\": %.10g, ",
                   (long long)said.figure[0].value, said.real[0].value, said.real[1].value);
        }
        pt_machine_free(machine);
    }
    printf("\"train\": %.6f, \"work\": %.6f}\n", bench_median(wall, REPEATS),
           bench_median(work, REPEATS));
    return PT_OK;
}

int main(int argc, char **argv)
{
    if (argc < 4) {
        fprintf(stderr, "usage: bench_spoc TRAIN THREADS OPTIONS\n");
        return 2;
    }
    pt_error err = {0};
    bench_case c = {0};
    pt_status status = bench_open(&c, argv, "machine=spoc", &err);
    if (status == PT_OK)
        status = time_training(&c, &err);
    if (status != PT_OK)
        fprintf(stderr, "bench_spoc: %s\n", err.text);
    bench_close(&c);
    return status == PT_OK ? 0 : 1;
}
