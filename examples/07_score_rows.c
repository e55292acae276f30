/* 07: score rows. A program that answers one question at a time, as a service does: a model (from
 * 00_quick, or `polytomy train`) and a scorer, made once; then row after row of standard input,
 * numbers between commas, in the columns of the training data.
 *
 *     echo "5.1,3.5,1.4,0.2" | 07_score_rows iris.model
 *
 * With a data set behind the model, its rows are scored one by one, and all together, and compared:
 * the scores are the same to the last bit.
 *
 *     07_score_rows iris.model data/iris.csv
 */
#include <math.h>
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

/* A cell of a line: an empty one, or "?", is missing. *at <- where the next begins. */
static double next_cell(char **at)
{
    char *end = *at;
    double value = strtod(*at, &end);
    if (end == *at)
        value = NAN;
    *at = strchr(end, ',');
    if (*at)
        ++*at;
    return value;
}

/* *row <- the cells of a line, in memory that grows; returns how many there are. */
static int64_t cells_of(char *line, double **row)
{
    int64_t count = 0;
    for (char *at = line; at; count++) {
        double *longer = realloc(*row, sizeof(double) * (size_t)(count + 1));
        if (!longer)
            exit(1);
        *row = longer;
        (*row)[count] = next_cell(&at);
    }
    return count;
}

static void answer_lines(const pt_model *model, pt_scorer *scorer, int64_t n_columns)
{
    char line[65536];
    double *row = NULL;
    double *proba = malloc(sizeof(double) * (size_t)pt_model_n_classes(model));
    while (proba && fgets(line, sizeof line, stdin)) {
        int64_t label = 0;
        pt_error err = PT_ERROR_INIT;
        int64_t count = cells_of(line, &row);
        if (count != n_columns) {
            fprintf(stderr, "%lld numbers, not %lld\n", (long long)count, (long long)n_columns);
            exit(1);
        }
        check(pt_scorer_f64(scorer, row, NULL, proba, &label, &err), &err);
        printf("%s (%.3f)\n", pt_model_class_name(model, label), proba[label]);
    }
    free(proba);
    free(row);
}

/* The columns of a table of numbers without missing cells, through both doors. */
static void compare(const pt_model *model, pt_scorer *scorer, const char *path)
{
    char line[65536];
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_prediction *all = NULL;
    double *row = NULL;
    int64_t i = 0, same = 0, k = pt_model_n_classes(model);
    double *scores = malloc(sizeof(double) * (size_t)k);
    FILE *file = fopen(path, "r");
    check(pt_model_read(&data, model, path, NULL, NULL, &err), &err);
    check(pt_model_predict(&all, model, data, -1, NULL, &err), &err);
    if (!file || !scores || !fgets(line, sizeof line, file)) /* the header */
        exit(1);
    for (; i < pt_prediction_n_examples(all) && fgets(line, sizeof line, file); i++) {
        cells_of(line, &row); /* the label comes last, and is not looked at */
        check(pt_scorer_f64(scorer, row, scores, NULL, NULL, &err), &err);
        same += memcmp(scores, pt_prediction_scores(all) + i * k, sizeof(double) * (size_t)k) == 0;
    }
    printf("%lld rows, %lld with the same scores alone and together\n", (long long)i,
           (long long)same);
    fclose(file);
    free(scores);
    free(row);
    pt_prediction_free(all);
    pt_dataset_free(data);
    if (same != i)
        exit(1);
}

int main(int argc, char **argv)
{
    if (argc != 2 && argc != 3) {
        fprintf(stderr, "usage: %s MODEL [DATA]\n", argv[0]);
        return 2;
    }

    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_scorer *scorer = NULL; /* one for each thread; the model serves them all */
    check(pt_model_load(&model, argv[1], NULL, &err), &err);
    int64_t n_columns = 0;
    check(pt_scorer_new(&scorer, model, &n_columns, &err), &err);
    if (argc == 3)
        compare(model, scorer, argv[2]);
    else
        answer_lines(model, scorer, n_columns);
    pt_scorer_free(scorer);
    pt_model_free(model);
    return 0;
}
