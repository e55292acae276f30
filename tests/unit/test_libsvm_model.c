/* LIBSVM model files: what is written is what a naive reader of such files computes from, what is
 * read gives the outputs that it computes, and what is wrong is refused with its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>
#include <math.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "base/math.h"
#include "base/task.h"
#include "exchange/model_format.h"
#include "machines/codes/machine_code.h"

/* ---- a naive reader: LIBSVM's README in a page, with no regard for speed -----------------------
 */

enum { MOST_K = 8, MOST_SV = 400, MOST_D = 130 };

typedef struct naive {
    char kernel[20];
    double degree, gamma, coef0;
    int k, n;
    double rho[MOST_K * MOST_K], prob_a[MOST_K * MOST_K], prob_b[MOST_K * MOST_K];
    int label[MOST_K], nr_sv[MOST_K];
    double coef[MOST_SV][MOST_K];
    double x[MOST_SV][MOST_D]; /* x[i][0] is the value of index 0 */
} naive;

static double number(const char *text)
{
    return strtod(text, NULL);
}

static char *next_word(char **at)
{
    char *word = *at + strspn(*at, " \t");
    char *end = word + strcspn(word, " \t");
    *at = *end ? end + 1 : end;
    *end = '\0';
    return *word ? word : NULL;
}

static void naive_head(naive *m, char *line)
{
    const char *key = next_word(&line);
    char *word = NULL;
    for (int i = 0; (word = next_word(&line)); i++) {
        const double value = number(word);
        if (strcmp(key, "svm_type") == 0)
            assert_string_equal(word, "c_svc");
        else if (strcmp(key, "kernel_type") == 0)
            snprintf(m->kernel, sizeof m->kernel, "%s", word);
        else if (strcmp(key, "degree") == 0)
            m->degree = value;
        else if (strcmp(key, "gamma") == 0)
            m->gamma = value;
        else if (strcmp(key, "coef0") == 0)
            m->coef0 = value;
        else if (strcmp(key, "nr_class") == 0)
            m->k = (int)value;
        else if (strcmp(key, "total_sv") == 0)
            m->n = (int)value;
        else if (strcmp(key, "rho") == 0)
            m->rho[i] = value;
        else if (strcmp(key, "label") == 0)
            m->label[i] = (int)value;
        else if (strcmp(key, "nr_sv") == 0)
            m->nr_sv[i] = (int)value;
        else if (strcmp(key, "probA") == 0)
            m->prob_a[i] = value;
        else if (strcmp(key, "probB") == 0)
            m->prob_b[i] = value;
        else
            fail_msg("a line %s", key);
    }
}

static naive *naive_read(const char *text)
{
    naive *m = calloc(1, sizeof *m);
    char *copy = strdup(text);
    int sv = -1;
    for (char *line = copy, *end = NULL; line && *line; line = end ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end)
            *end = '\0';
        if (strcmp(line, "SV") == 0) {
            sv = 0;
        } else if (sv < 0) {
            naive_head(m, line);
        } else {
            char *word = NULL;
            for (int c = 0; (word = next_word(&line)); c++) {
                if (c < m->k - 1)
                    m->coef[sv][c] = number(word);
                else
                    m->x[sv][(int)number(word)] = number(strchr(word, ':') + 1);
            }
            sv++;
        }
    }
    assert_int_equal(sv, m->n);
    free(copy);
    return m;
}

/* row[j]: the value of index j; row[0] is not used. */
static double naive_kernel(const naive *m, const double *sv, const double *row)
{
    double dot = 0;
    double distance = 0;
    for (int j = 1; j < MOST_D; j++) {
        dot += sv[j] * row[j];
        distance += (sv[j] - row[j]) * (sv[j] - row[j]);
    }
    if (strcmp(m->kernel, "linear") == 0)
        return dot;
    if (strcmp(m->kernel, "polynomial") == 0)
        return pow(m->gamma * dot + m->coef0, m->degree);
    if (strcmp(m->kernel, "rbf") == 0)
        return exp(-m->gamma * distance);
    if (strcmp(m->kernel, "sigmoid") == 0)
        return tanh(m->gamma * dot + m->coef0);
    assert_string_equal(m->kernel, "precomputed");
    return row[(int)sv[0]];
}

/* f of the i-th and the j-th label. */
static double naive_decision(const naive *m, int i, int j, const double *row)
{
    int first[MOST_K + 1] = {0};
    int pair = 0;
    for (int r = 0; r < m->k; r++)
        first[r + 1] = first[r] + m->nr_sv[r];
    double f = 0;
    for (int s = first[i]; s < first[i + 1]; s++)
        f += m->coef[s][j - 1] * naive_kernel(m, m->x[s], row);
    for (int s = first[j]; s < first[j + 1]; s++)
        f += m->coef[s][i] * naive_kernel(m, m->x[s], row);
    for (int r = 0; r < i; r++)
        pair += m->k - 1 - r;
    return f - m->rho[pair + j - i - 1];
}

/* ---- ours --------------------------------------------------------------------------------------
 */

static pt_status collect(void *context, const char *bytes, size_t size, pt_error *err)
{
    (void)err;
    char **text = context;
    const size_t used = *text ? strlen(*text) : 0;
    *text = realloc(*text, used + size + 1);
    memcpy(*text + used, bytes, size);
    (*text)[used + size] = '\0';
    return PT_OK;
}

/* A model as text. */
static char *write_text(const pt_model *model, const pt_model_format *format,
                        const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_writer writer;
    char *text = NULL;
    small_must(pt_writer_init(&writer, collect, &text, NULL, &err), &err, "a writer");
    small_must(format->write(model, data, &writer, NULL, &err), &err, "export");
    small_must(pt_writer_flush(&writer, &err), &err, "export");
    pt_writer_free(&writer);
    return text;
}

static pt_status read_text(pt_model **out, const char *text, size_t size, pt_error *err)
{
    pt_task *task = small_task(1);
    pt_task_set_memory(task, 64 << 20);
    pt_status status = pt_model_format_libsvm.read(out, text, size, "model", 0, task, err);
    pt_task_free(task);
    return status;
}

/* n x ell outputs of a model for the rows of a data set. */
static double *outputs_of(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_prepared prepared = {0};
    const pt_code_machine *m = (const pt_code_machine *)model->machine;
    small_must(pt_prepare_apply(model->prepare, data, pt_model_type(model), &prepared, NULL, &err),
               &err, "preparation");
    double *f = calloc((size_t)(prepared.rows.n * m->code.ell), sizeof *f);
    small_must(pt_learner_outputs(m->learner, &prepared.rows, f, NULL, &err), &err, "outputs");
    pt_prepared_free(&prepared);
    return f;
}

/* The file's outputs are the model's, for every pair of labels, whatever the order of either. */
static void assert_same_outputs(const char *text, const pt_model *model, const pt_dataset *data,
                                const small *s, double tolerance)
{
    naive *m = naive_read(text);
    const int64_t k = pt_model_n_classes(model);
    double *f = outputs_of(model, data);
    assert_int_equal(m->k, k);
    for (int64_t i = 0; i < s->n; i++) {
        double row[MOST_D] = {0};
        memcpy(row + 1, s->x + i * s->d, (size_t)s->d * sizeof *row);
        for (int64_t p = 0; p < k; p++)
            for (int64_t q = p + 1; q < k; q++) {
                int a = 0;
                int b = 0;
                while (m->label[a] != (int)number(pt_model_class_name(model, p)))
                    a++;
                while (m->label[b] != (int)number(pt_model_class_name(model, q)))
                    b++;
                const double theirs =
                    a < b ? naive_decision(m, a, b, row) : -naive_decision(m, b, a, row);
                const double ours = f[i * pt_pairs_count(k) + pt_pairs_column(k, p, q)];
                if (!(fabs(theirs - ours) <= tolerance * (1 + fabs(ours))))
                    fail_msg("row %d, pair %d %d: %.17g, not %.17g", (int)i, (int)p, (int)q, theirs,
                             ours);
            }
    }
    free(f);
    free(m);
}

/* Training data whose first rows have the labels 2, 0, 1, ...; d = n and a kernel matrix for a
 * precomputed one. */
static small make_problem(int64_t n, int64_t k, bool square, uint64_t seed)
{
    small s = small_clouds(n, 5, k, seed);
    for (int64_t i = 0; i < n; i++)
        s.y[i] = (s.y[i] + 2) % k;
    for (int64_t i = 0; i < n * s.d; i++)
        if (i % 3 == 0)
            s.x[i] = 0;
    if (!square)
        return s;
    double *K = calloc((size_t)(n * n), sizeof *K);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < n; j++)
            for (int64_t c = 0; c < s.d; c++)
                K[i * n + j] += s.x[i * s.d + c] * s.x[j * s.d + c];
    free(s.x);
    s.x = K;
    s.d = n;
    return s;
}

static const struct {
    const char *options;
    bool square;
} KERNELS[] = {
    {"kernel=linear", false},
    {"learner=linear-svm", false},
    {"kernel=poly,sigma=1.5,coef0=0.5,degree=3", false},
    {"kernel=rbf,rbf-gamma=0.3", false},
    {"kernel=rbf,sigma=1.3,C=0.1", false},
    {"kernel=sigmoid,sigma=3,coef0=-0.25", false},
    {"kernel=precomputed", true},
};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

static void try_round_trip(int kernel, int64_t k, bool sparse, bool ordered, const char *precision)
{
    pt_error err = PT_ERROR_INIT;
    small s = make_problem(k * 12, k, KERNELS[kernel].square, 7);
    pt_dataset *data = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
    char options[200];
    snprintf(options, sizeof options,
             "machine=code,code=ovo,learner=svm,scale=none,precision=%s,%s", precision,
             KERNELS[kernel].options);
    pt_params *params = small_params(options);
    pt_model *model = NULL;
    pt_model *back = NULL;
    small_must(pt_model_train(&model, data, params, NULL, &err), &err, options);
    const double tolerance = strcmp(precision, "double") == 0 ? 1e-9 : 2e-4;
    char *text = write_text(model, &pt_model_format_libsvm, ordered ? data : NULL);
    assert_same_outputs(text, model, data, &s, tolerance);
    small_must(read_text(&back, text, strlen(text), &err), &err, "import");
    assert_same_outputs(text, back, data, &s, 1e-9);
    char *again = write_text(back, &pt_model_format_libsvm, NULL);
    naive *first = naive_read(text);
    for (int64_t r = 0; r < k; r++) { /* the order of first rows, +1 before -1; else sorted */
        const int64_t expected = ordered && k > 2 ? (r + 2) % k : r;
        assert_int_equal(first->label[r], expected);
        assert_int_equal(first->label[r], (int)number(pt_model_class_name(back, r)));
    }
    if (KERNELS[kernel].square || strstr(KERNELS[kernel].options, "linear") == NULL)
        assert_string_equal(again, text);
    free(first);
    free(again);
    free(text);
    pt_model_free(back);
    pt_model_free(model);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
}

static void test_libsvm_model__round_trip(void **state)
{
    (void)state;
    for (int kernel = 0; kernel < N_KERNELS; kernel++)
        for (int64_t k = 2; k <= 5; k++)
            for (int flags = 0; flags < 4; flags++)
                try_round_trip(kernel, k, (flags & 1) && !KERNELS[kernel].square, flags & 2,
                               "double");
    try_round_trip(3, 3, false, true, "float");
    try_round_trip(0, 3, true, true, "float");
}

/* ---- labels and scaling ------------------------------------------------------------------------
 */

static pt_model *train_csv(const char *csv, const char *options, pt_dataset **data)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = small_params(options);
    pt_model *model = NULL;
    small_must(pt_dataset_read_memory(data, csv, strlen(csv), "x.csv", params, NULL, &err), &err,
               "data");
    small_must(pt_model_train(&model, *data, params, NULL, &err), &err, options);
    pt_params_free(params);
    return model;
}

static const char SVM[] = "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1,precision=double";

static void count_warning(pt_level level, const char *kind, const char *text, void *user)
{
    (void)text;
    *(int *)user += level == PT_WARNING && strcmp(kind, "classes") == 0;
}

static void test_libsvm_model__labels(void **state)
{
    (void)state;
    static const struct {
        const char *csv;
        const char *label;
    } cases[] = {
        /* of two labels -1 and +1 the positive one is first; others come as they are found */
        {"1,-1\n2,1\n3,-1\n4,1\n", "label 1 -1\n"},
        {"1,+1\n2,-1\n3,+1\n4,-1\n", "label 1 -1\n"},
        {"1,2\n2,1\n3,2\n4,1\n", "label 2 1\n"},
        {"1,3.0\n2,2.0\n3,3.0\n4,2.0\n", "label 3 2\n"},
        {"1,pear\n2,apple\n3,pear\n4,apple\n", "label 2 1\n"},
        {"1,1.5\n2,1\n3,1.5\n4,1\n", "label 2 1\n"},
        {"1,1\n2,+1\n3,1\n4,+1\n", "label 2 1\n"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pt_dataset *data = NULL;
        char options[200];
        snprintf(options, sizeof options, "%s,scale=none,header=no", SVM);
        pt_model *model = train_csv(cases[c].csv, options, &data);
        char *text = write_text(model, &pt_model_format_libsvm, data);
        if (!strstr(text, cases[c].label))
            fail_msg("%s gives %s", cases[c].csv, text);
        pt_task *task = small_task(1);
        pt_error err = PT_ERROR_INIT;
        int warnings = 0;
        pt_task_on_message(task, count_warning, &warnings);
        char path[] = "/tmp/polytomy_labels_XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        small_must(pt_model_export(model, path, "libsvm", data, task, &err), &err, "export");
        unlink(path);
        assert_int_equal(warnings, c >= 4);
        pt_task_free(task);
        free(text);
        pt_model_free(model);
        pt_dataset_free(data);
    }
}

/* What the range file makes of the data is what the model was trained on. */
static void test_libsvm_model__range_scales_as_the_model_does(void **state)
{
    (void)state;
    static const char *const scales[] = {"range", "standard"};
    for (int c = 0; c < 2; c++) {
        pt_dataset *data = NULL;
        char options[200];
        snprintf(options, sizeof options, "%s,header=no,scale=%s", SVM, scales[c]);
        pt_model *model = train_csv("1,5,10,a\n2,5,-7,b\n4,5,0.5,a\n8,5,3,b\n", options, &data);
        char *text = write_text(model, &pt_model_format_svm_scale, NULL);
        pt_prepared prepared = {0};
        pt_error err = PT_ERROR_INIT;
        small_must(pt_prepare_apply(model->prepare, data, PT_F64, &prepared, NULL, &err), &err,
                   "preparation");
        double lower = 0;
        double upper = 0;
        int used = 0;
        assert_int_equal(sscanf(text, "x\n%lf %lf\n%n", &lower, &upper, &used), 2);
        const char *at = text + used;
        for (int j = 0; j < 3; j++) {
            int index = 0;
            double least = 0;
            double most = 0;
            assert_int_equal(sscanf(at, "%d %lf %lf\n%n", &index, &least, &most, &used), 3);
            assert_int_equal(index, j + 1);
            at += used;
            for (int i = 0; i < 4; i++) {
                const double value = ((const double *)data->value)[i * 3 + j];
                const double scaled =
                    most == least ? 0 : lower + (upper - lower) * (value - least) / (most - least);
                assert_true(fabs(scaled - ((const double *)prepared.rows.dense)[i * 3 + j]) <
                            1e-14);
            }
        }
        assert_true(*at == '\0');
        pt_prepared_free(&prepared);
        free(text);
        pt_model_free(model);
        pt_dataset_free(data);
    }
}

static void test_libsvm_model__refuses_what_libsvm_cannot_follow(void **state)
{
    (void)state;
    static const struct {
        const char *options;
        const char *text;
    } cases[] = {
        {"kernel=rbf,sigma=1,ridge=1", "this machine is another one"},
        {"machine=code,code=ova,learner=svm,kernel=rbf,sigma=1", "another code"},
        {"machine=code,code=ovo,learner=svm,kernel=laplacian,sigma=1", "no kernel laplacian"},
        {"machine=code,code=ovo,learner=svm,kernel=rbf,sigma=1,nominal=2", "column 2 became"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        pt_error err = PT_ERROR_INIT;
        pt_dataset *data = NULL;
        char options[200];
        snprintf(options, sizeof options, "%s,header=no", cases[c].options);
        pt_model *model = train_csv("1,1,a\n2,2,b\n3,1,c\n4,2,a\n5,3,b\n6,3,c\n", options, &data);
        char path[] = "/tmp/polytomy_export_XXXXXX";
        const int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        assert_int_equal(pt_model_export(model, path, "libsvm", NULL, NULL, &err), PT_ENOSUPPORT);
        if (!strstr(err.text, cases[c].text))
            fail_msg("%s: %s", cases[c].options, err.text);
        unlink(path);
        pt_model_free(model);
        pt_dataset_free(data);
    }
}

/* ---- hostile files -----------------------------------------------------------------------------
 */

static const char GOOD[] = "svm_type c_svc\n"
                           "kernel_type rbf\n"
                           "gamma 0.5\n"
                           "nr_class 3\n"
                           "total_sv 4\n"
                           "rho 0.1 -0.2 0.3\n"
                           "label 5 -1 2\n"
                           "probA -1 -2 -3\n"
                           "probB 0.5 0 -0.5\n"
                           "nr_sv 1 2 1\n"
                           "SV\n"
                           "1 0.5 1:0.5 3:-1 \n"
                           "-1 0.25 2:1 \n"
                           "0 0.75 1:2 2:2 3:2 \n"
                           "-0.5 -1 \n";
static const char PRECOMPUTED[] =
    "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\n"
    "rho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n1 0:3 \n-1 0:1 \n";
static const char LINEAR[] = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\n"
                             "rho 0.5\nlabel 1 -1\nnr_sv 1 1\nSV\n1 1:3 \n-1 2:1 \n";

/* Refused with a text, or a model that predicts. */
static void try_hostile(const char *text, size_t size)
{
    static const double cells[] = {1, 2, 3, 0, -1, 0.5};
    pt_error err = {0};
    pt_model *model = NULL;
    char *copy = malloc(size ? size : 1); /* so that ASan sees reading beyond it */
    memcpy(copy, text, size);
    const pt_status status = read_text(&model, copy, size, &err);
    free(copy);
    if (status != PT_OK) {
        assert_true(err.text[0] != '\0');
        return;
    }
    pt_dataset *data = NULL;
    pt_prediction *prediction = NULL;
    static const int64_t start[] = {0, 3, 6};
    static const int64_t index[] = {0, 1, 2, 0, 1, 2};
    small_must(dataset_from_csr(&data, start, index, cells, 2, 3, &err), &err, "data");
    if (pt_model_predict(&prediction, model, data, -1, NULL, &err) == PT_OK)
        pt_prediction_free(prediction);
    pt_dataset_free(data);
    pt_model_free(model);
}

static void test_libsvm_model__cut_and_changed_files(void **state)
{
    (void)state;
    static const char *const files[] = {GOOD, PRECOMPUTED, LINEAR};
    static const char bytes[] = {'0', '9', '-', '.', ' ', '\n', 'e', ':', 'x', '\0', '\r', '\xff'};
    for (int f = 0; f < 3; f++) {
        const size_t size = strlen(files[f]);
        pt_error err = {0};
        pt_model *model = NULL;
        small_must(read_text(&model, files[f], size, &err), &err, "a good file");
        pt_model_free(model);
        char *text = malloc(size);
        for (size_t cut = 0; cut < size; cut++)
            try_hostile(files[f], cut);
        for (size_t at = 0; at < size; at++)
            for (size_t b = 0; b < sizeof bytes; b++) {
                memcpy(text, files[f], size);
                text[at] = bytes[b];
                try_hostile(text, size);
            }
        free(text);
    }
}

static void test_libsvm_model__says_what_is_wrong_and_where(void **state)
{
    (void)state;
    static const struct {
        const char *from;
        const char *to;
        int line;
        const char *text;
    } cases[] = {
        {"c_svc", "nu_svr", 1, "'nu_svr' is not a kind of machine"},
        {"type rbf", "type rational", 2, "'rational' is no kernel"},
        {"gamma 0.5", "gamma x", 3, "'x' is not a number"},
        {"gamma 0.5", "gamma 1 2", 12, "one 'gamma' with 1 number"},
        {"gamma 0.5", "gamma -1", 12, "gamma is not a positive"},
        {"gamma 0.5", "sigma 0.5", 3, "'sigma' begins no line"},
        {"gamma 0.5", "rho 1", 6, "twice"},
        {"nr_class 3", "nr_class 1", 12, "nr_class"},
        {"nr_class 3", "nr_class 4", 12, "'rho' with 6 numbers"},
        {"nr_class 3", "nr_class 1e9", 12, "nr_class"},
        {"total_sv 4", "total_sv 5", 12, "add up"},
        {"total_sv 4", "total_sv 1e15", 12, "total_sv"},
        {"total_sv 4", "total_sv 3.5", 12, "total_sv"},
        {"rho 0.1 ", "rho inf ", 6, "'inf' is not a finite number"},
        {"label 5 -1 2", "label 5 -1 2.5", 12, "a label is not an integer"},
        {"label 5 -1 2", "label 5 -1 5", 0, "two classes have the label 5"},
        {"probB 0.5", "probB", 12, "probB"},
        {"nr_sv 1 2 1", "nr_sv 1 -2 5", 12, "add up"},
        {"SV\n", "SV 1\n", 11, "too many"},
        {"SV\n", "", 11, "begins no line"},
        {"1 0.5 1:0.5", "1 1:0.5", 12, "'1:0.5' is not a number"},
        {"1 0.5 1:0.5", "1 0.5 0:0.5", 12, "'0:0.5' has an index"},
        {"1 0.5 1:0.5", "1 0.5 5:0.5", 12, "'3:-1' has no larger index"},
        {"1 0.5 1:0.5", "1 0.5 1:", 12, "is not a number"},
        {"1 0.5 1:0.5", "1 0.5 2e13:1", 12, "has an index that is not in"},
        {"-0.5 -1 \n", "-0.5 \n", 15, "fewer coefficients"},
        {"-0.5 -1 \n", "", 15, "before its last support vector"},
        {"-0.5 -1 \n", "-0.5 -1 \n1 1 \n", 16, "more lines"},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[sizeof GOOD + 64];
        const char *at = strstr(GOOD, cases[c].from);
        assert_non_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - GOOD), GOOD, cases[c].to,
                 at + strlen(cases[c].from));
        pt_error err = {0};
        pt_model *model = NULL;
        const pt_status status = read_text(&model, text, strlen(text), &err);
        if (status != PT_EFORMAT || err.line != cases[c].line || !strstr(err.text, cases[c].text))
            fail_msg("%s: line %d: %s", cases[c].to, (int)err.line, err.text);
    }
}

/* A constant machine is written with a support vector, for it must be read again. */
static void test_libsvm_model__coefficients_that_are_zero(void **state)
{
    (void)state;
    static const char text[] =
        "svm_type c_svc\nkernel_type rbf\ngamma 1\nnr_class 2\ntotal_sv 2\nrho -0.5\nlabel 1 2\n"
        "nr_sv 1 1\nSV\n0 2:1 \n0 1:1 \n";
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_model *again = NULL;
    small_must(read_text(&model, text, strlen(text), &err), &err, "import");
    char *written = write_text(model, &pt_model_format_libsvm, NULL);
    assert_non_null(strstr(written, "total_sv 1\n"));
    small_must(read_text(&again, written, strlen(written), &err), &err, "import");
    free(written);
    pt_model_free(again);
    pt_model_free(model);
}

/* A line of a few bytes must not become gigabytes. */
static void test_libsvm_model__wide_models_need_memory(void **state)
{
    (void)state;
    static const char *const files[] = {
        "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 2\nnr_sv 1 0\n"
        "SV\n1 1000000000000:1\n",
        "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 1\nrho 0\nlabel 1 2\nnr_sv "
        "1 "
        "0\nSV\n1 0:2000000000\n"};
    for (int f = 0; f < 2; f++) {
        pt_error err = {0};
        pt_model *model = NULL;
        assert_int_equal(read_text(&model, files[f], strlen(files[f]), &err), PT_EMEMORY);
    }
    static const char twice[] = "svm_type c_svc\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\n"
                                "rho 0\nlabel 1 2\nnr_sv 1 1\nSV\n1 0:2\n-1 0:2\n";
    pt_error err = {0};
    pt_model *model = NULL;
    assert_int_equal(read_text(&model, twice, strlen(twice), &err), PT_EFORMAT);
    assert_non_null(strstr(err.text, "row number 2"));
}

/* A feature that no support vector has is far from all of them, and svm-predict says so. */
static void test_libsvm_model__features_beyond_the_support_vectors(void **state)
{
    (void)state;
    static const int64_t start[] = {0, 2};
    static const int64_t index[] = {0, 9};
    static const double value[] = {0.5, 1.25};
    double row[MOST_D] = {0};
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    naive *m = naive_read(GOOD);
    small_must(dataset_from_csr(&data, start, index, value, 1, 10, &err), &err, "data");
    for (int64_t width = -1; width <= 10; width += 11) {
        pt_model *model = NULL;
        small_must(
            pt_model_format_libsvm.read(&model, GOOD, strlen(GOOD), "good", width, NULL, &err),
            &err, "import");
        double *f = outputs_of(model, data);
        row[1] = 0.5;
        row[10] = 1.25;
        assert_true(fabs(f[0] - naive_decision(m, 0, 1, row)) < 1e-12);
        assert_true(fabs(f[2] - naive_decision(m, 1, 2, row)) < 1e-12);
        free(f);
        pt_model_free(model);
    }
    free(m);
    pt_dataset_free(data);
}

/* ---- probabilities -----------------------------------------------------------------------------
 */

/* Wu, Lin and Weng's second method, one class at a time until nothing changes:
 * minimise sum_(i<j) (r_ji p_i - r_ij p_j)^2 over probabilities p. */
static void naive_proba(const naive *m, const double *row, double *p)
{
    double r[MOST_K][MOST_K];
    double Q[MOST_K][MOST_K] = {{0}};
    for (int i = 0, s = 0; i < m->k; i++)
        for (int j = i + 1; j < m->k; j++, s++) {
            r[i][j] = 1 / (1 + exp(m->prob_a[s] * naive_decision(m, i, j, row) + m->prob_b[s]));
            r[i][j] = fmin(fmax(r[i][j], 1e-7), 1 - 1e-7);
            r[j][i] = 1 - r[i][j];
        }
    for (int i = 0; i < m->k; i++)
        for (int j = 0; j < m->k; j++)
            if (i != j) {
                Q[i][i] += r[j][i] * r[j][i];
                Q[i][j] = -r[j][i] * r[i][j];
            }
    for (int i = 0; i < m->k; i++)
        p[i] = 1.0 / m->k;
    for (int step = 0; step < 100000; step++) {
        const int i = step % m->k;
        double pQp = 0;
        double rest = 0;
        for (int a = 0; a < m->k; a++) {
            rest += a == i ? 0 : Q[i][a] * p[a];
            for (int b = 0; b < m->k; b++)
                pQp += p[a] * Q[a][b] * p[b];
        }
        p[i] = (pQp - rest) / Q[i][i];
        double sum = 0;
        for (int a = 0; a < m->k; a++)
            sum += p[a];
        for (int a = 0; a < m->k; a++)
            p[a] /= sum;
    }
}

static void assert_same_proba(const char *text, const pt_dataset *data, const small *s)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    pt_prediction *prediction = NULL;
    naive *m = naive_read(text);
    small_must(
        pt_model_format_libsvm_proba.read(&model, text, strlen(text), "model", 0, NULL, &err), &err,
        "import");
    small_must(pt_model_predict(&prediction, model, data, -1, NULL, &err), &err, "prediction");
    double *proba = calloc((size_t)(s->n * m->k), sizeof *proba);
    small_must(pt_prediction_proba(prediction, proba, &err), &err, "probabilities");
    for (int64_t i = 0; i < s->n; i += 7) {
        double row[MOST_D] = {0};
        double p[MOST_K] = {0};
        memcpy(row + 1, s->x + i * s->d, (size_t)s->d * sizeof *row);
        naive_proba(m, row, p);
        for (int r = 0; r < m->k; r++)
            assert_true(fabs(p[r] - proba[i * m->k + r]) < 1e-6);
    }
    free(proba);
    free(m);
    pt_prediction_free(prediction);
    pt_model_free(model);
}

/* Ours has one slope; any A and B are read. */
static void test_libsvm_model__probabilities(void **state)
{
    (void)state;
    static const int kernels[] = {0, 3, 6};
    for (int c = 0; c < 3; c++)
        for (int64_t k = 2; k <= 4; k += 2) {
            pt_error err = PT_ERROR_INIT;
            small s = make_problem(k * 12, k, KERNELS[kernels[c]].square, 11);
            pt_dataset *data = small_dataset(&s);
            char options[200];
            snprintf(options, sizeof options,
                     "machine=code,code=ovo,learner=svm,scale=none,precision=double,decode="
                     "coupling,coupling-slope=1.25,%s",
                     KERNELS[kernels[c]].options);
            pt_model *model = small_train(data, options, 1);
            char *text = write_text(model, &pt_model_format_libsvm, data);
            assert_non_null(strstr(text, "\nprobA -2.5"));
            assert_non_null(strstr(text, "\nprobB 0"));
            assert_same_proba(text, data, &s);
            memcpy(strstr(text, "\nprobB 0") + 7, "1", 1);
            memcpy(strstr(text, "\nprobA -2.5") + 7, "-1.3", 4);
            assert_same_proba(text, data, &s);
            /* and without them there is nothing to tell */
            pt_model *none = NULL;
            assert_int_equal(pt_model_format_libsvm_proba.read(&none, LINEAR, strlen(LINEAR),
                                                               "model", 0, NULL, &err),
                             PT_EFORMAT);
            assert_non_null(strstr(err.text, "no probabilities"));
            free(text);
            pt_model_free(model);
            pt_dataset_free(data);
            small_free(&s);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_libsvm_model__round_trip),
        cmocka_unit_test(test_libsvm_model__labels),
        cmocka_unit_test(test_libsvm_model__range_scales_as_the_model_does),
        cmocka_unit_test(test_libsvm_model__refuses_what_libsvm_cannot_follow),
        cmocka_unit_test(test_libsvm_model__cut_and_changed_files),
        cmocka_unit_test(test_libsvm_model__says_what_is_wrong_and_where),
        cmocka_unit_test(test_libsvm_model__coefficients_that_are_zero),
        cmocka_unit_test(test_libsvm_model__wide_models_need_memory),
        cmocka_unit_test(test_libsvm_model__probabilities),
        cmocka_unit_test(test_libsvm_model__features_beyond_the_support_vectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
