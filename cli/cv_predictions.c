/* polytomy cv --predictions: what was predicted for each row while it was held out. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli.h"

/* What a line is made of. */
typedef struct held_out {
    FILE *file;
    const pt_report *search;
    const pt_report *places;
    const pt_dataset *data;
    int64_t n;
    int64_t k;
    bool lines;    /* the rows have lines; else they have numbers */
    bool by_class; /* labels are classes */
    bool sets;
    bool pairs;
    const double *scores; /* repetition x row x class */
    const double *probas; /* the same; NULL: they are not judged */
    int64_t *order;       /* k */
} held_out;

static const char *class_name(const held_out *h, int64_t r)
{
    return pt_report_text_at(h->search, "class", r, 0, 0);
}

static void put_names(const held_out *h, const char *what)
{
    for (int64_t r = 0; r < h->k; r++) {
        char *name = cli_format("%s %s", what, class_name(h, r));
        putc(',', h->file);
        cli_put_csv(h->file, name);
        free(name);
    }
}

static void put_header(const held_out *h)
{
    fprintf(h->file, "%s,repetition,label,prediction", h->lines ? "line" : "row");
    put_names(h, "score");
    if (h->probas)
        put_names(h, "probability");
    putc('\n', h->file);
}

static void put_label(const held_out *h, int64_t row)
{
    const int64_t *items = NULL;
    const int64_t *ranks = NULL;
    char *text = NULL;
    size_t size = 0;
    if (h->by_class) {
        cli_put_csv(h->file, pt_dataset_class_name(h->data, pt_dataset_class(h->data, row)));
        return;
    }
    FILE *cell = open_memstream(&text, &size);
    if (!cell)
        return;
    const int64_t count = pt_dataset_label_items(h->data, row, &items, &ranks);
    for (int64_t a = 0; a < count; a++) {
        const bool second = h->pairs && a % 2 == 1;
        const char *between = h->sets || (h->pairs && !second)             ? ";"
                              : a > 0 && ranks && ranks[a] == ranks[a - 1] ? "="
                                                                           : ">";
        fprintf(cell, "%s%s", a > 0 ? between : "", pt_dataset_class_name(h->data, items[a]));
    }
    fclose(cell);
    if (*text)
        cli_put_csv(h->file, text);
    free(text);
}

/* order <- the first `count` classes by falling scores, equal ones in their order. */
static void sort_classes(const held_out *h, const double *score, int64_t count)
{
    int64_t n = 0;
    for (int64_t r = 0; r < h->k; r++) {
        int64_t at = n;
        for (; at > 0 && score[h->order[at - 1]] < score[r]; at--)
            if (at < count)
                h->order[at] = h->order[at - 1];
        if (at < count)
            h->order[at] = r;
        n += n < count;
    }
}

static void put_prediction(const held_out *h, const double *score)
{
    char *text = NULL;
    size_t size = 0;
    const int64_t count = h->by_class ? 1 : h->k;
    bool any = false;
    FILE *cell = open_memstream(&text, &size);
    if (!cell)
        return;
    sort_classes(h, score, count);
    for (int64_t a = 0; a < count; a++) {
        const int64_t r = h->sets ? a : h->order[a];
        if (h->sets && !(score[r] > 0))
            continue;
        fprintf(cell, "%s%s", !any ? "" : h->sets ? ";" : ">", class_name(h, r));
        any = true;
    }
    fclose(cell);
    if (*text)
        cli_put_csv(h->file, text);
    free(text);
}

static void put_reals(const held_out *h, const double *value)
{
    for (int64_t r = 0; r < h->k; r++) {
        putc(',', h->file);
        if (!isnan(value[r]))
            cli_put_real(h->file, value[r]);
    }
}

/* A row that is never held out, or that there was no time for, has a label alone. */
static void put_row(const held_out *h, int64_t repeat, int64_t i)
{
    const int64_t row = pt_report_integer_at(h->search, "row", i, 0, 0);
    const int64_t place = h->lines ? pt_report_integer_at(h->places, "line", row, 0, 0) : row + 1;
    const int64_t first = (repeat * h->n + i) * h->k;
    fprintf(h->file, "%lld,%lld,", (long long)place, (long long)repeat + 1);
    put_label(h, row);
    putc(',', h->file);
    if (!isnan(h->scores[first]))
        put_prediction(h, h->scores + first);
    put_reals(h, h->scores + first);
    if (h->probas)
        put_reals(h, h->probas + first);
    putc('\n', h->file);
}

int cli_write_held_out(const cli_context *context, const pt_report *search, const pt_dataset *data,
                       const pt_report *places)
{
    const char *path = cli_value(context, "predictions");
    const char *kind = pt_dataset_label_kind(data);
    cli_output output = {NULL, NULL, NULL};
    held_out h = {.search = search,
                  .places = places,
                  .data = data,
                  .n = pt_report_integer(search, "n_examples"),
                  .k = pt_report_integer(search, "n_classes"),
                  .lines = pt_report_length(places, "line") > 0,
                  .by_class = strcmp(kind, "class") == 0,
                  .sets = strcmp(kind, "set") == 0,
                  .pairs = strcmp(kind, "pairs") == 0};
    const pt_item *scores = pt_report_find(search, "scores");
    const pt_item *probas = pt_report_find(search, "probabilities");
    if (!scores)
        return cli_fail_text(context, path, "there was no time for held-out scores; raise --time");
    h.scores = scores->values;
    h.probas = probas ? probas->values : NULL;
    const int code = cli_output_open(context, &output, path);
    if (code != CLI_DONE)
        return code;
    h.file = output.file;
    h.order = cli_alloc(h.k, sizeof *h.order);
    put_header(&h);
    for (int64_t repeat = 0; repeat < pt_report_integer(search, "n_repeats"); repeat++)
        for (int64_t i = 0; i < h.n && !ferror(h.file); i++)
            put_row(&h, repeat, i);
    free(h.order);
    return cli_output_close(context, &output);
}
