/* Properties of the readers and writers together: what is written reads as the same bits; the
 * number of threads changes nothing; a slow reader that is obviously right agrees; every
 * allocation may fail; hostile texts end in time. */
/* labels: threads heavy */
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include "../support/from_memory.h"
#include "../support/share.h"
#include "../unit/reader_helpers.h"
#include "base/random.h"
#include "base/task.h"

static void same_texts(const pt_texts *a, const pt_texts *b)
{
    assert_int_equal(a->count, b->count);
    for (int64_t i = 0; i < a->count; i++)
        assert_string_equal(a->items[i], b->items[i]);
}

static void same_labels(const pt_labels *a, const pt_labels *b)
{
    assert_int_equal(a == NULL, b == NULL);
    if (!a)
        return;
    same_texts(&a->classes, &b->classes);
    assert_memory_equal(a->class_of, b->class_of, (size_t)a->n * sizeof *a->class_of);
}

/* Bit for bit, missing cells included (every NaN of the readers is the same). */
static void same_data(const pt_dataset *a, const pt_dataset *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->d, b->d);
    assert_int_equal(a->type, b->type);
    assert_int_equal(a->start == NULL, b->start == NULL);
    int64_t cells = a->n * a->d;
    if (a->start) {
        assert_memory_equal(a->start, b->start, (size_t)(a->n + 1) * sizeof *a->start);
        cells = a->start[a->n];
        assert_memory_equal(a->index, b->index, (size_t)cells * sizeof *a->index);
    }
    assert_memory_equal(a->value, b->value, (size_t)cells * pt_type_size(a->type));
    for (int64_t j = 0; a->columns && b->columns && j < a->d; j++) {
        assert_int_equal(a->columns[j].nominal, b->columns[j].nominal);
        assert_int_equal(a->columns[j].name == NULL, b->columns[j].name == NULL);
        if (a->columns[j].name)
            assert_string_equal(a->columns[j].name, b->columns[j].name);
        same_texts(&a->columns[j].levels, &b->columns[j].levels);
    }
    same_labels(a->labels, b->labels);
    assert_int_equal(a->weights == NULL, b->weights == NULL);
    if (a->weights)
        assert_memory_equal(a->weights, b->weights, (size_t)a->n * sizeof *a->weights);
    assert_int_equal(a->warnings.count, b->warnings.count);
    for (int64_t i = 0; i < a->warnings.count; i++) {
        assert_string_equal(a->warnings.items[i], b->warnings.items[i]);
        assert_int_equal(a->warnings.kinds[i], b->warnings.kinds[i]);
    }
}

/* ---- a text that grows ---- */

typedef struct text {
    char *bytes;
    size_t size;
    size_t room;
} text;

static void text_put(text *t, const char *bytes, size_t size)
{
    if (t->size + size > t->room || !t->bytes) {
        t->room = 2 * (t->size + size) + 16;
        t->bytes = realloc(t->bytes, t->room);
        assert_non_null(t->bytes);
    }
    memcpy(t->bytes + t->size, bytes, size);
    t->size += size;
}

static void text_puts(text *t, const char *s)
{
    text_put(t, s, strlen(s));
}

/* ---- CSV against a slow reader ---- */

/* The cells of a CSV text, one state and one byte at a time; rows end with a NULL cell. */
typedef struct cells {
    char **cell;
    size_t count;
    size_t room;
} cells;

static void cells_add(cells *c, const text *t)
{
    if (c->count == c->room) {
        c->room = c->room ? 2 * c->room : 1024;
        c->cell = realloc(c->cell, c->room * sizeof *c->cell);
        assert_non_null(c->cell);
    }
    char *copy = NULL;
    if (t) {
        copy = malloc(t->size + 1);
        memcpy(copy, t->bytes, t->size);
        copy[t->size] = '\0';
    }
    c->cell[c->count++] = copy;
}

static cells slow_csv(const text *in)
{
    cells out = {NULL, 0, 0};
    text cell = {NULL, 0, 0};
    text_put(&cell, "", 0);
    bool quoted = false;
    size_t in_row = 0;
    for (size_t i = 0; i < in->size; i++) {
        const char c = in->bytes[i];
        if (quoted) {
            if (c != '"')
                text_put(&cell, &c, 1);
            else if (i + 1 < in->size && in->bytes[i + 1] == '"')
                text_put(&cell, &in->bytes[i++], 1);
            else
                quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == ',' || c == '\n') {
            if (c == ',' || cell.size > 0 || in_row > 0) {
                cells_add(&out, &cell);
                in_row++;
            }
            cell.size = 0;
            if (c == '\n' && in_row > 0) {
                cells_add(&out, NULL);
                in_row = 0;
            }
        } else if (c != '\r') {
            text_put(&cell, &c, 1);
        }
    }
    if (cell.size > 0 || in_row > 0)
        cells_add(&out, &cell);
    cells_add(&out, NULL);
    free(cell.bytes);
    return out;
}

static void cells_free(cells *c)
{
    for (size_t i = 0; i < c->count; i++)
        free(c->cell[i]);
    free(c->cell);
}

static void random_word(text *t, pt_random *random)
{
    static const char *const WORDS[] = {"red",        "\"a,b\"",    "\"x \"\"y\"\"\nz\"",
                                        "blue green", "\"\nnl\n\"", "\"\"\"\"",
                                        "k",          "\"q,\"\"\""};
    text_puts(t, WORDS[pt_random_below(random, 8)]);
    if (pt_random_below(random, 3) == 0 && t->bytes[t->size - 1] != '"') {
        char tail[24];
        snprintf(tail, sizeof tail, "%d", (int)pt_random_below(random, 40));
        text_puts(t, tail);
    }
}

static void random_number(text *t, pt_random *random)
{
    char number[40];
    const double value = pt_random_normal(random);
    const int form = (int)pt_random_below(random, 6);
    if (form == 0)
        snprintf(number, sizeof number, "%d", (int)pt_random_below(random, 256));
    else if (form == 1)
        snprintf(number, sizeof number, "%.17g", value);
    else if (form == 2)
        snprintf(number, sizeof number, "%.3e", value);
    else if (form == 3)
        snprintf(number, sizeof number, "\"%.4f\"", value);
    else
        snprintf(number, sizeof number, "%.4f", value);
    text_puts(t, number);
}

/* Columns: number, text, a number that a text spoils late, number or missing, label. */
static text random_csv(int64_t rows, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 7);
    text t = {NULL, 0, 0};
    text_puts(&t, "num,word,\"late, text\",holes,class\n");
    for (int64_t i = 0; i < rows; i++) {
        random_number(&t, &random);
        text_puts(&t, ",");
        random_word(&t, &random);
        text_puts(&t, ",");
        if (i > 6 * rows / 10 && i % 3) /* too many to be typing errors */
            text_puts(&t, (const char *const[]){"late", "later", "last", "never", "ever"}[i % 5]);
        else
            random_number(&t, &random);
        text_puts(&t, ",");
        if (pt_random_below(&random, 4))
            random_number(&t, &random);
        text_puts(&t, ",");
        random_word(&t, &random);
        text_puts(&t, pt_random_below(&random, 2) ? "\n" : "\r\n");
        if (pt_random_below(&random, 50) == 0)
            text_puts(&t, "\n");
    }
    t.size -= t.bytes[t.size - 2] == '\r' ? 2 : 1; /* no newline at the end */
    return t;
}

static pt_dataset *read_threads(const text *t, const char *name, int threads)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, threads);
    pt_read_options options = defaults(name);
    options.task = task;
    pt_dataset *data = read_bytes(t->bytes, t->size, &options);
    pt_task_free(task);
    return data;
}

static void test_csv__agrees_with_a_slow_reader(void **state)
{
    (void)state;
    text t = random_csv(30000, 3); /* several blocks */
    assert_true(t.size > 1 << 20);
    cells all = slow_csv(&t);
    pt_dataset *data = read_threads(&t, "t.csv", 2);
    assert_int_equal(data->n, 30000);
    assert_int_equal(data->d, 4);
    size_t at = 0;
    for (int64_t i = -1; i < data->n; i++) {
        for (int64_t j = 0; j < 5; j++, at++) {
            const char *expected = all.cell[at];
            assert_non_null(expected);
            if (i < 0)
                assert_string_equal(j < 4 ? data->columns[j].name : data->label_name, expected);
            else if (j == 4)
                assert_string_equal(class_text(data, i), expected);
            else if (data->columns[j].nominal)
                assert_string_equal(level(data, i, j), expected);
            else if (*expected)
                assert_true(cell(data, i, j) == strtod(expected, NULL));
            else
                assert_true(isnan(cell(data, i, j)));
        }
        assert_null(all.cell[at]);
        at++;
    }
    assert_int_equal(at, all.count);
    assert_false(data->columns[0].nominal);
    assert_true(data->columns[1].nominal && data->columns[2].nominal);
    pt_dataset_free(data);
    cells_free(&all);
    free(t.bytes);
}

static void test_csv__threads_change_nothing(void **state)
{
    (void)state;
    text t = random_csv(30000, 4);
    pt_dataset *one = read_threads(&t, "t.csv", 1);
    for (int threads = 2; threads <= 7; threads += 2) {
        pt_dataset *many = read_threads(&t, "t.csv", threads);
        same_data(one, many);
        pt_dataset_free(many);
    }
    pt_dataset_free(one);
    free(t.bytes);
}

/* The first error of the file, however many threads find one. */
static void test_csv__threads_find_the_same_error(void **state)
{
    (void)state;
    text t = random_csv(30000, 5);
    text_puts(&t, "\n1,2\n");
    /* a second error, earlier, in another block */
    char *middle = t.bytes + t.size / 2;
    while (memcmp(middle, "\r\n", 2) != 0)
        middle++;
    middle[0] = ','; /* one cell more */
    pt_error first = {0};
    for (int threads = 1; threads <= 5; threads++) {
        pt_task *task = NULL;
        assert_int_equal(pt_task_new(&task, NULL), PT_OK);
        pt_task_set_threads(task, threads);
        pt_read_options options = defaults("t.csv");
        options.task = task;
        pt_dataset *data = NULL;
        pt_error err = {0};
        assert_int_equal(read_copy(&data, t.bytes, t.size, &options, &err), PT_EFORMAT);
        if (threads == 1)
            first = err;
        assert_string_equal(err.text, first.text);
        assert_int_equal(err.line, first.line);
        assert_int_equal(err.column, first.column);
        pt_task_free(task);
    }
    free(t.bytes);
}

/* ---- LIBSVM against a slow reader ---- */

static text random_svm(int64_t rows, uint64_t seed)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 8);
    text t = {NULL, 0, 0};
    for (int64_t i = 0; i < rows; i++) {
        char piece[64];
        if (pt_random_below(&random, 40) == 0)
            text_puts(&t, "# a comment 1:2 3:4\n\n");
        snprintf(piece, sizeof piece, "c%d", (int)pt_random_below(&random, 30));
        text_puts(&t, piece);
        int index = 0;
        for (int64_t pairs = pt_random_below(&random, 12); pairs > 0; pairs--) {
            index += 1 + (int)pt_random_below(&random, 500);
            snprintf(piece, sizeof piece, " %d:", index);
            text_puts(&t, piece);
            snprintf(piece, sizeof piece, pairs % 2 ? "%.6g" : "%.17g", pt_random_normal(&random));
            text_puts(&t, piece);
        }
        text_puts(&t, pt_random_below(&random, 9) ? "\n" : " # n: 1:1\n");
    }
    return t;
}

static void test_libsvm__agrees_with_a_slow_reader(void **state)
{
    (void)state;
    text t = random_svm(20000, 1);
    assert_true(t.size > 1 << 20);
    text_put(&t, "", 1);
    pt_dataset *data = NULL;
    t.size--;
    data = read_threads(&t, "t.svm", 2);
    assert_int_equal(data->n, 20000);
    int64_t row = 0;
    char *line = t.bytes;
    while (*line) {
        char *newline = strchr(line, '\n');
        *newline = '\0';
        if (*line && *line != '#') {
            char label[16];
            int used = 0;
            assert_int_equal(sscanf(line, "%15s%n", label, &used), 1);
            assert_string_equal(class_text(data, row), label);
            char *p = line + used;
            int64_t at = data->start[row];
            while (*p == ' ' && p[1] != '#') {
                const long index = strtol(p, &p, 10);
                assert_int_equal(*p, ':');
                const double value = strtod(p + 1, &p);
                assert_int_equal(data->index[at], index - 1);
                assert_true(((const double *)data->value)[at++] == value);
            }
            assert_int_equal(at, data->start[++row]);
        }
        line = newline + 1;
    }
    assert_int_equal(row, data->n);
    pt_dataset_free(data);
    free(t.bytes);
}

static void test_libsvm__threads_change_nothing(void **state)
{
    (void)state;
    text t = random_svm(20000, 2);
    pt_dataset *one = read_threads(&t, "t.svm", 1);
    for (int threads = 2; threads <= 7; threads += 2) {
        pt_dataset *many = read_threads(&t, "t.svm", threads);
        same_data(one, many);
        pt_dataset_free(many);
    }
    pt_dataset_free(one);
    free(t.bytes);
}

/* ---- ARFF ---- */

static text random_arff(int64_t rows, bool sparse)
{
    pt_random random;
    pt_random_init(&random, 6, PT_RANDOM_TEST, sparse);
    text t = {NULL, 0, 0};
    text_puts(&t, "@relation r\n@attribute a numeric\n@attribute b real\n");
    if (!sparse)
        text_puts(&t, "@attribute s string\n@attribute n {u,v,'w x'}\n");
    text_puts(&t, "@attribute class {p,q,r}\n@data\n");
    for (int64_t i = 0; i < rows; i++) {
        char piece[160];
        static const char *const LEVELS[] = {"u", "v", "'w x'", "?"};
        const double a = pt_random_normal(&random);
        const int k = (int)pt_random_below(&random, 3);
        if (sparse && k == 0)
            snprintf(piece, sizeof piece, "{1 %.5g}\n", a);
        else if (sparse)
            snprintf(piece, sizeof piece, "{0 %.17g, 2 %c}%s\n", a, 'p' + k,
                     k == 1 ? " % note" : "");
        else
            snprintf(piece, sizeof piece, "%.17g,%d,'s %d',%s,%c\n", a, k,
                     (int)pt_random_below(&random, 300), LEVELS[pt_random_below(&random, 4)],
                     'p' + k);
        text_puts(&t, piece);
        if (i % 100 == 0)
            text_puts(&t, "  % a comment, with commas\n");
    }
    return t;
}

static void test_arff__threads_change_nothing(void **state)
{
    (void)state;
    for (int sparse = 0; sparse < 2; sparse++) {
        text t = random_arff(30000, sparse);
        assert_true(t.size > 600000);
        pt_dataset *one = read_threads(&t, "t.arff", 1);
        assert_int_equal(one->n, 30000);
        assert_int_equal(pt_dataset_is_sparse(one), sparse);
        for (int threads = 2; threads <= 7; threads += 2) {
            pt_dataset *many = read_threads(&t, "t.arff", threads);
            same_data(one, many);
            pt_dataset_free(many);
        }
        pt_dataset_free(one);
        free(t.bytes);
    }
}

/* ---- what is written reads as the same bits ---- */

static pt_dataset *random_dataset(uint64_t seed, bool sparse)
{
    pt_random random;
    pt_random_init(&random, seed, PT_RANDOM_TEST, 9);
    const int64_t n = 40;
    const int64_t d = 6;
    double *values = calloc((size_t)(n * d), sizeof *values);
    int64_t start[41] = {0};
    int64_t index[240];
    static const char *const NAMES[] = {"one", "two words", "3,5", "qu\"ote", "new\nline", " sp "};
    static const char *const SIMPLE[] = {"1", "-1", "+1", "a_b", "x.y", "2"};
    const char *labels[40];
    int64_t filled = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < d; j++) {
            uint64_t bits = pt_random_u64(&random);
            double value = 0;
            memcpy(&value, &bits, sizeof value);
            if (!isfinite(value) || bits % 5 == 0)
                value = (double)(bits % 1000) / 100;
            if (sparse) {
                if (bits % 3)
                    continue;
                index[filled] = j;
                values[filled++] = value;
            } else {
                values[i * d + j] = bits % 7 == 0 ? NAN : value;
            }
        }
        start[i + 1] = filled;
        labels[i] = (sparse ? SIMPLE : NAMES)[pt_random_below(&random, 6)];
    }
    pt_dataset *data = NULL;
    if (sparse)
        assert_int_equal(dataset_from_csr(&data, start, index, values, n, d + 3, NULL), PT_OK);
    else
        assert_int_equal(dataset_from_f64(&data, values, n, d, d, NULL), PT_OK);
    assert_int_equal(pt_dataset_set_label_cells(data, "class", labels, NULL), PT_OK);
    free(values);
    return data;
}

static void temporary(char *path, size_t room, const char *ending)
{
    snprintf(path, room, "/tmp/pt_read_write_%ld%s", (long)getpid(), ending);
}

static void test_csv__round_trip(void **state)
{
    (void)state;
    static const char *const ENDINGS[] = {".csv", ".tsv", ".csv.gz", ".tsv.zst"};
    for (uint64_t seed = 0; seed < 8; seed++) {
        pt_dataset *data = random_dataset(seed, false);
        char path[80];
        temporary(path, sizeof path, ENDINGS[seed % 4]);
        pt_error err = {0};
        if (pt_dataset_write(data, path, NULL, NULL, &err) != PT_OK)
            fail_msg("%s", err.text);
        pt_dataset *back = NULL;
        if (pt_dataset_read(&back, path, NULL, NULL, &err) != PT_OK)
            fail_msg("%lld: %s", (long long)err.line, err.text);
        assert_int_equal(back->n, data->n);
        assert_int_equal(back->d, data->d);
        const double *x = data->value;
        const double *y = back->value;
        for (int64_t c = 0; c < data->n * data->d; c++)
            assert_true(isnan(x[c]) ? isnan(y[c]) : memcmp(&x[c], &y[c], sizeof *x) == 0);
        same_labels(data->labels, back->labels);
        assert_string_equal(back->columns[2].name, "x3");
        assert_string_equal(back->label_name, "class");
        /* and once more: names and all */
        char again[90];
        temporary(again, sizeof again, ".again.csv");
        assert_int_equal(pt_dataset_write(back, again, NULL, NULL, &err), PT_OK);
        pt_dataset *third = NULL;
        assert_int_equal(pt_dataset_read(&third, again, NULL, NULL, &err), PT_OK);
        same_data(back, third);
        unlink(path);
        unlink(again);
        pt_dataset_free(third);
        pt_dataset_free(back);
        pt_dataset_free(data);
    }
}

static void test_csv__round_trip_of_levels_and_weights(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.csv");
    options.weight = "w";
    pt_dataset *data =
        read_with("\"a,1\",b,w,kind\nx,1,2,k\n\"y \"\"z\"\"\",,0.125,l\n,3,1e-9,k\n", &options);
    char path[80];
    temporary(path, sizeof path, ".csv");
    pt_error err = {0};
    assert_int_equal(pt_dataset_write(data, path, NULL, NULL, &err), PT_OK);
    pt_params *params = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_set(params, "weight", "weight", &err), PT_OK);
    pt_dataset *back = NULL;
    if (pt_dataset_read(&back, path, params, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    same_data(data, back);
    pt_dataset_free(back);
    pt_params_free(params);
    unlink(path);
    /* a level that would be read as missing is refused */
    assert_int_equal(pt_texts_set(&data->columns[0].levels, 0, "NA", &err), PT_OK);
    assert_int_equal(pt_dataset_write(data, path, NULL, NULL, &err), PT_EFORMAT);
    assert_int_not_equal(access(path, F_OK), 0);
    pt_dataset_free(data);
}

static void test_libsvm__round_trip(void **state)
{
    (void)state;
    static const char *const ENDINGS[] = {".svm", ".libsvm.gz", ".svm.zst"};
    for (uint64_t seed = 0; seed < 9; seed++) {
        pt_dataset *data = random_dataset(seed, true);
        char path[80];
        temporary(path, sizeof path, ENDINGS[seed % 3]);
        pt_error err = {0};
        if (pt_dataset_write(data, path, NULL, NULL, &err) != PT_OK)
            fail_msg("%s", err.text);
        pt_dataset *back = NULL;
        if (pt_dataset_read(&back, path, NULL, NULL, &err) != PT_OK)
            fail_msg("%s", err.text);
        assert_int_equal(back->d, data->d); /* the width survives, by a zero in the first line */
        assert_int_equal(back->start[1], data->start[1] + 1);
        assert_int_equal(back->start[back->n], data->start[data->n] + 1);
        const size_t first = (size_t)data->start[1];
        const size_t rest = (size_t)data->start[data->n] - first;
        assert_memory_equal(back->index, data->index, first * 8);
        assert_memory_equal(back->value, data->value, first * 8);
        assert_memory_equal(back->index + first + 1, data->index + first, rest * 8);
        assert_memory_equal((double *)back->value + first + 1, (double *)data->value + first,
                            rest * 8);
        same_labels(data->labels, back->labels);
        unlink(path);
        pt_dataset_free(back);
        pt_dataset_free(data);
    }
}

static void test_libsvm__writes_dense_numbers_and_refuses_the_rest(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_with("a,b,c,class\n0,1.5,0,x\n-0.0,0,2,y\n0,0,0,z\n", &options);
    char path[80];
    temporary(path, sizeof path, ".out");
    pt_error err = {0};
    assert_int_equal(pt_dataset_write(data, path, "libsvm", NULL, &err), PT_OK);
    char got[200] = "";
    FILE *file = fopen(path, "r");
    const size_t size = fread(got, 1, sizeof got - 1, file);
    fclose(file);
    got[size] = '\0';
    assert_string_equal(got, "x 2:1.5 3:0\ny 1:-0 3:2\nz\n");
    unlink(path);
    pt_dataset_free(data);
    static const char *const WRONG[] = {"a,class\n1,x\n,y\n", "a,class\n1,x y\n2,z\n",
                                        "a,class\n1,\"x,y\"\n2,z\n"};
    for (size_t i = 0; i < sizeof WRONG / sizeof *WRONG; i++) {
        data = read_with(WRONG[i], &options);
        assert_int_equal(pt_dataset_write(data, path, "libsvm", NULL, &err), PT_EFORMAT);
        assert_int_not_equal(access(path, F_OK), 0);
        pt_dataset_free(data);
    }
}

static void test_write__formats_and_places(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.csv");
    pt_dataset *data = read_with("a,class\n1,x\n", &options);
    pt_error err = {0};
    assert_int_equal(pt_dataset_write(data, "/tmp/x.arff", NULL, NULL, &err), PT_ENOSUPPORT);
    assert_int_equal(pt_dataset_write(data, "/tmp/x", NULL, NULL, &err), PT_EINVAL);
    assert_int_equal(pt_dataset_write(data, "/tmp/x", "what", NULL, &err), PT_EINVAL);
    assert_int_equal(pt_dataset_write(data, "/no/such/folder/x.csv", NULL, NULL, &err), PT_EIO);
    assert_int_equal(pt_dataset_write(data, "/dev/full", "csv", NULL, &err),
                     PT_EIO); /* a full disk */
    /* standard output */
    char path[80];
    temporary(path, sizeof path, ".stdout");
    fflush(stdout);
    const int saved = dup(STDOUT_FILENO);
    const int own = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(own, STDOUT_FILENO);
    const pt_status status = pt_dataset_write(data, "-", NULL, NULL, &err);
    dup2(saved, STDOUT_FILENO);
    close(saved);
    assert_int_equal(status, PT_OK);
    char got[64] = "";
    assert_int_equal(pread(own, got, sizeof got - 1, 0), 12);
    assert_string_equal(got, "a,class\n1,x\n");
    close(own);
    unlink(path);
    pt_dataset_free(data);
}

/* ---- every allocation may fail ---- */

static void sweep(const char *name, const char *bytes, size_t size)
{
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_threads(task, 1);
    pt_read_options options = defaults(name);
    options.task = task;
    const int64_t live = pt_alloc_live();
    pt_status status = PT_ENOMEM;
    int64_t failures = 0;
    for (int64_t n = 1; status != PT_OK; n++) {
        pt_dataset *data = NULL;
        pt_error err = {0};
        pt_alloc_fail_from(n);
        status = pt_read_bytes(&data, bytes, size, "auto", &options, &err);
        pt_alloc_fail_from(0);
        if (status != PT_OK) {
            if (status != PT_ENOMEM)
                fail_msg("%s, allocation %lld: %s", name, (long long)n, err.text);
            assert_int_equal(err.code, PT_ENOMEM);
            assert_null(data);
            failures++;
        }
        pt_dataset_free(data);
        assert_int_equal(pt_alloc_live(), live);
    }
    assert_true(failures > 5);
    pt_task_free(task);
}

static void test_readers__every_allocation_may_fail(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        const char *text;
    } CASES[] = {
        {"t.csv", "a,\"b\"\"c\",late,class\n1,u,3,x\n2,\"v\"\"w\",q,y\n,,4,\"z\"\"\""},
        {"t.tsv", "a\tb\tclass\n1\tu\tx\n2\t\tw\n"},
        {"semicolon.csv", "a;b;class\n1;2;x\n"},
        {"t.svm", "# c\na qid:1 1:2 3:4\nb 2:1 # 1:2\nc 7:1"},
        {"t.arff",
         "@relation r\n@attribute a numeric\n@attribute s string\n@attribute n {u,'v\\'w'}\n"
         "@attribute class {x,y}\n@data\n1,'p\\'q',u,x\n?,?,'v\\'w',y"},
        {"sparse.arff", "@attribute a numeric\n@attribute b real\n@attribute class {x,y}\n@data\n"
                        "{0 1,1 2}\n{2 y}\n"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++)
        sweep(CASES[i].name, CASES[i].text, strlen(CASES[i].text));
    static const char NPY[] = "\x93NUMPY\x01\x00\x3b\x00{'descr': '|u1', 'fortran_order': False, "
                              "'shape': (2, 3)} \n\x01\x02\x03\x04\x05\x06";
    sweep("t.npy", NPY, sizeof NPY - 1);
}

static void test_writers__every_allocation_may_fail(void **state)
{
    (void)state;
    static const char *const ENDINGS[] = {".csv", ".svm.gz", ".tsv.zst"};
    pt_dataset *data = random_dataset(1, true);
    for (size_t i = 0; i < 3; i++) {
        char path[80];
        temporary(path, sizeof path, ENDINGS[i]);
        const int64_t live = pt_alloc_live();
        pt_status status = PT_ENOMEM;
        for (int64_t n = 1; status != PT_OK; n++) {
            pt_error err = {0};
            pt_alloc_fail_from(n);
            status = pt_dataset_write(data, path, NULL, NULL, &err);
            pt_alloc_fail_from(0);
            if (status != PT_OK) {
                assert_int_equal(status, PT_ENOMEM);
                assert_int_not_equal(access(path, F_OK), 0); /* no half file */
            }
            assert_int_equal(pt_alloc_live(), live);
        }
        unlink(path);
    }
    pt_dataset_free(data);
}

/* ---- hostile texts ---- */

/* Each must be refused (or read) in time that is linear in its size. */
static void test_readers__long_lines_take_linear_time(void **state)
{
    (void)state;
    const size_t size = ((size_t)8 << 20) / (size_t)test_share();
    char *bytes = malloc(size);
    static const struct {
        const char *name;
        const char *pattern;
    } CASES[] = {
        {"t.csv", "a"},        {"t.csv", "1,"},   {"t.csv", "\""},     {"t.csv", "\"\","},
        {"t.csv", "\n"},       {"t.csv", " "},    {"t.csv", "a,b\n"},  {"t.csv", "9"},
        {"t.svm", "a"},        {"t.svm", "1:1 "}, {"t.svm", ":"},      {"t.svm", "\n"},
        {"t.svm", "#"},        {"t.svm", " "},    {"t.arff", "a"},     {"t.arff", "@attribute a {"},
        {"t.arff", "%"},       {"t.arff", "\n"},  {"noname", "\0"},    {"noname", "\xff\x80"},
        {"t.arff", "@data\n"}, {"noname", "1 "},  {"noname", "a:1\n"}, {"t.csv", "1\r"},
    };
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const size_t length = CASES[i].pattern[0] ? strlen(CASES[i].pattern) : 1;
        for (size_t at = 0; at < size; at++)
            bytes[at] = CASES[i].pattern[at % length];
        const clock_t begin = clock(); /* of the processor: others may keep the machine busy */
        pt_dataset *data = NULL;
        pt_error err = {0};
        const pt_read_options options = defaults(CASES[i].name);
        const pt_status status = pt_read_bytes(&data, bytes, size, "auto", &options, &err);
        if (status == PT_OK)
            pt_dataset_free(data);
        else
            assert_true(err.text[0] != '\0');
        const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (seconds > 30)
            fail_msg("%s, '%s': %g s", CASES[i].name, CASES[i].pattern, seconds);
    }
    free(bytes);
}

/* Few bytes that ask for much memory. */
static void test_readers__small_files_take_little_memory(void **state)
{
    (void)state;
    pt_task *task = NULL;
    assert_int_equal(pt_task_new(&task, NULL), PT_OK);
    pt_task_set_memory(task, 64 << 20);
    pt_read_options options = defaults("t.csv");
    options.task = task;
    /* a wide first line and many short ones: refused where the first short one is */
    text t = {NULL, 0, 0};
    for (int i = 0; i < 100000; i++)
        text_puts(&t, "1,");
    text_puts(&t, "x\n");
    for (int i = 0; i < 100000; i++)
        text_puts(&t, "7\n");
    refused_bytes(t.bytes, t.size, &options, 2, 2, "the row has 1 cell, 100001 are expected");
    free(t.bytes);
    /* sparse rows that were dense once */
    t = (text){NULL, 0, 0};
    for (int i = 0; i < 5000; i++) {
        char line[64];
        snprintf(line, sizeof line, "@attribute a%d {u,v}\n", i);
        text_puts(&t, line);
    }
    text_puts(&t, "@data\n");
    for (int i = 0; i < 100000; i++)
        text_puts(&t, "{}\n");
    options.source = "t.arff";
    pt_dataset *data = NULL;
    pt_error err = {0};
    assert_int_equal(read_copy(&data, t.bytes, t.size, &options, &err), PT_OK);
    assert_true(pt_dataset_is_sparse(data));
    pt_dataset_free(data);
    free(t.bytes);
    pt_task_free(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_csv__agrees_with_a_slow_reader),
        cmocka_unit_test(test_csv__threads_change_nothing),
        cmocka_unit_test(test_csv__threads_find_the_same_error),
        cmocka_unit_test(test_libsvm__agrees_with_a_slow_reader),
        cmocka_unit_test(test_libsvm__threads_change_nothing),
        cmocka_unit_test(test_arff__threads_change_nothing),
        cmocka_unit_test(test_csv__round_trip),
        cmocka_unit_test(test_csv__round_trip_of_levels_and_weights),
        cmocka_unit_test(test_libsvm__round_trip),
        cmocka_unit_test(test_libsvm__writes_dense_numbers_and_refuses_the_rest),
        cmocka_unit_test(test_write__formats_and_places),
        cmocka_unit_test(test_readers__every_allocation_may_fail),
        cmocka_unit_test(test_writers__every_allocation_may_fail),
        cmocka_unit_test(test_readers__long_lines_take_linear_time),
        cmocka_unit_test(test_readers__small_files_take_little_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
