/* Times learning from LIBSVM text: bench_online FILE OPTIONS [REPEATS].
 *
 * In turn, REPEATS times, on one thread: the bare parse of the file block by block, which converts
 * every number and keeps none; the bare parse of the whole file into one data set; learning from
 * the file as a stream, all that pt_online_read does; and learning from a data set in memory by one
 * epoch, the solver alone. OPTIONS are parameters of the machine as in "update=perceptron". Prints
 * JSON: processor seconds of each. */
#include "bench_training.h"

#include "data/stream/row_stream.h"

enum { MOST = 101, PARTS = 4 };
static const char *const NAMES[PARTS] = {"parse", "read", "stream", "memory"};

/* As the stream reads it, without learning. */
static pt_status parse(const char *path, const pt_params *params, pt_task *task, pt_error *err)
{
    pt_row_stream rows = {0};
    const pt_dataset *data = NULL;
    int64_t skip = 0;
    int64_t first = 0;
    pt_status status = pt_row_stream_open(&rows, path, params, task, err);
    do {
        if (status == PT_OK)
            status = pt_row_stream_next(&rows, &skip, &data, &first, err);
    } while (status == PT_OK && data);
    pt_row_stream_close(&rows);
    return status;
}

static pt_status read_whole(const char *path, const pt_params *params, pt_task *task, pt_error *err)
{
    pt_dataset *data = NULL;
    const pt_status status = pt_dataset_read(&data, path, params, task, err);
    pt_dataset_free(data);
    return status;
}

static pt_status stream(const char *path, const pt_params *params, pt_task *task, pt_error *err)
{
    pt_online *online = NULL;
    pt_status status = pt_online_new(&online, params, err);
    if (status == PT_OK)
        status = pt_online_read(online, path, NULL, NULL, task, err);
    pt_online_free(online);
    return status;
}

static pt_status run(int part, bench_case *c, const pt_params *params, const char *path,
                     double *seconds, pt_error *err)
{
    pt_machine *machine = NULL;
    const bench_times begin = bench_begin();
    bench_times took = {0};
    const pt_status status = part == 0   ? parse(path, params, c->task, err)
                             : part == 1 ? read_whole(path, params, c->task, err)
                             : part == 2 ? stream(path, params, c->task, err)
                                         : bench_fit(c, &machine, &took, err);
    took = bench_since(begin);
    *seconds = took.work;
    pt_machine_free(machine);
    return status;
}

static pt_status time_all(bench_case *c, const pt_params *params, const char *path, int repeats,
                          pt_error *err)
{
    double seconds[PARTS][MOST];
    pt_status status = PT_OK;
    for (int r = 0; r < repeats; r++)
        for (int part = 0; part < PARTS && status == PT_OK; part++)
            status = run(part, c, params, path, &seconds[part][r], err);
    for (int part = 0; part < PARTS && status == PT_OK; part++) {
        printf("%s\"%s\": [", part ? ", " : "{", NAMES[part]);
        for (int r = 0; r < repeats; r++)
            printf("%s%.6f", r ? ", " : "", seconds[part][r]);
        printf("]");
    }
    printf(status == PT_OK ? "}\n" : "");
    return status;
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "usage: bench_online FILE OPTIONS [REPEATS]\n");
        return 2;
    }
    int repeats = argc > 3 ? (int)strtol(argv[3], NULL, 10) : 5;
    repeats = repeats < 1 ? 1 : repeats > MOST ? MOST : repeats;
    pt_error err = {0};
    bench_case c = {0};
    pt_params *params = NULL;
    char *arguments[] = {argv[0], argv[1], "1", argv[2], NULL};
    pt_status status = bench_open(
        &c, arguments, "machine=constraint,method=online,epochs=1,scale=none,calibrate=no", &err);
    if (status == PT_OK)
        status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, argv[2], &err);
    if (status == PT_OK)
        status = time_all(&c, params, argv[1], repeats, &err);
    if (status != PT_OK)
        fprintf(stderr, "bench_online: %s\n", err.text);
    pt_params_free(params);
    bench_close(&c);
    return status == PT_OK ? 0 : 1;
}
