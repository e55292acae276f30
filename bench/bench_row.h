/* What bench_one_row and bench_score_row share: a model, the rows of a file, and a clock. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "polytomy/polytomy.h"

enum { BATCH = 32, BATCHES = 400, MOST_ROWS = 4096 };

typedef struct setting {
    pt_model *model;
    double *row; /* n x d */
    int64_t n;
    int64_t d;
} setting;

static void need(pt_status status, const pt_error *err)
{
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", err->text);
    exit(1);
}

static double cpu_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a;
    const double y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Numbers of a table without a header, whose last column is the class. */
static setting read_setting(const char *model, const char *table)
{
    setting s = {NULL, NULL, 0, 0};
    pt_error err = PT_ERROR_INIT;
    char line[1 << 16];
    FILE *file = fopen(table, "r");
    if (!file || !fgets(line, sizeof line, file)) {
        fprintf(stderr, "%s cannot be read\n", table);
        exit(1);
    }
    need(pt_model_load(&s.model, model, NULL, &err), &err);
    for (const char *at = line; *at; at++)
        s.d += *at == ',';
    rewind(file);
    s.row = calloc((size_t)(MOST_ROWS * s.d), sizeof *s.row);
    for (; s.row && s.n < MOST_ROWS && fgets(line, sizeof line, file); s.n++) {
        char *at = line;
        for (int64_t j = 0; j < s.d; j++, at += *at == ',')
            s.row[s.n * s.d + j] = strtod(at, &at);
    }
    fclose(file);
    return s;
}

/* Processor time of one row: the least and the median over batches of rows, as JSON. So many
 * batches, or as many as end within half a second. */
static void time_rows(const setting *s, void (*one)(void *context, const double *row),
                      void *context)
{
    static double micros[BATCHES];
    const double begun = cpu_seconds();
    int64_t i = 0;
    int batches = 0;
    while (batches < BATCHES && cpu_seconds() - begun < 0.5) {
        const double from = cpu_seconds();
        for (int r = 0; r < BATCH; r++, i = (i + 1) % s->n)
            one(context, s->row + i * s->d);
        micros[batches++] = 1e6 * (cpu_seconds() - from) / BATCH;
    }
    qsort(micros, (size_t)batches, sizeof *micros, ascending);
    printf("{\"least\": %.4g, \"median\": %.4g}\n", micros[0], micros[batches / 2]);
}

#endif
