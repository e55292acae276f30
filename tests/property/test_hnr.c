/* What HNR says of all its machines, over every machine of the registry that has label vectors. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "codes/vectors/labelbook.h"
#include "decoders/decoder.h"
#include "machine/machine.h"
#include "params/params_table.h"

/* ---------------------------------------------------------------------------------- options */

static bool uses(const pt_machine_ops *ops, const char *name)
{
    return pt_word_listed(ops->parameters, ',', name, strlen(name));
}

typedef struct options {
    char text[500];
} options;

static void add(options *o, const char *text)
{
    const size_t end = strlen(o->text);
    snprintf(o->text + end, sizeof o->text - end, "%s%s", end ? "," : "", text);
}

/* The machine with a fixed kernel and strength (ridge, or C where it has none), solved as exactly
 * as it can be, in the label space of `space`. */
static options options_for(const pt_machine_ops *ops, double ridge, double C, const char *space)
{
    options o = {""};
    char strength[60];
    snprintf(strength, sizeof strength, "machine=%s,precision=double,scale=none", ops->name);
    add(&o, strength);
    if (uses(ops, "kernel"))
        add(&o, "kernel=rbf,sigma=1.2");
    snprintf(strength, sizeof strength, uses(ops, "ridge") ? "ridge=%.17g" : "C=%.17g",
             uses(ops, "ridge") ? ridge : C);
    add(&o, strength);
    if (uses(ops, "gap"))
        add(&o, "gap=1e-13");
    add(&o, space);
    return o;
}

static double largest_of(const double *x, int64_t n)
{
    double largest = 0;
    for (int64_t i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i]));
    return largest;
}

static void expect_close(const double *got, const double *want, int64_t n, double tolerance,
                         const char *what)
{
    const double distance = small_distance(got, want, n);
    if (!(distance <= tolerance * largest_of(want, n)))
        fail_msg("%s: %g apart (size %g)", what, distance, largest_of(want, n));
}

/* ----------------------------------------------------------------------------- label spaces */

enum { K = 4, N_SPACES = 9 };

/* A hierarchy: classes 0 and 1 are kin, and so are 2 and 3. */
static const double HIERARCHY[K][K] = {
    {2, 1, 0.2, 0.2}, {1, 2, 0.2, 0.2}, {0.2, 0.2, 1.5, 0.7}, {0.2, 0.2, 0.7, 1}};

/* Writes the hierarchy with class r in row and column place[r]. */
static void write_hierarchy(const char *path, const int64_t *place)
{
    double Q[K][K];
    for (int r = 0; r < K; r++)
        for (int c = 0; c < K; c++)
            Q[place[r]][place[c]] = HIERARCHY[r][c];
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int r = 0; r < K; r++)
        fprintf(file, "%g,%g,%g,%g\n", Q[r][0], Q[r][1], Q[r][2], Q[r][3]);
    fclose(file);
}

static char path[] = "/tmp/polytomy_hnr_XXXXXX";

/* Every labelbook, and every kernel on the labels. */
static const char *space_at(int i, char *text, size_t size)
{
    if (i < 6)
        snprintf(text, size, "labelbook=%s", pt_labelbooks[i]->name);
    else if (i == 6)
        snprintf(text, size, "labelbook=fisher,label-kernel=rbf,label-sigma=3");
    else if (i == 7)
        snprintf(text, size, "labelbook=pm1,label-kernel=poly,label-degree=2");
    else
        snprintf(text, size, "label-kernel=%s", path);
    return text;
}

static const int64_t AS_IT_IS[K] = {0, 1, 2, 3};

/* ---------------------------------------------------------------------------------- decisions */

static void expect_one_decision(const pt_model *model, const pt_dataset *on, const char *what)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = small_predict(model, on, 1);
    const int64_t n = pt_prediction_n_examples(prediction);
    const double *scores = pt_prediction_scores(prediction);
    double *proba = calloc((size_t)(n * K), sizeof *proba);
    small_must(pt_prediction_proba(prediction, proba, &err), &err, what);
    for (int64_t i = 0; i < n; i++) {
        const int64_t best = small_argmax(scores + i * K, K);
        assert_int_equal(pt_prediction_labels(prediction)[i], best);
        /* Scores that differ in their last bits may give equal probabilities. */
        assert_true(proba[i * K + best] == proba[i * K + small_argmax(proba + i * K, K)]);
    }
    free(proba);
    pt_prediction_free(prediction);
}

/* The prediction is the argmax of the scores and of the probabilities, for every machine, decision
 * rule and label space. A rule that the space does not allow is refused. */
static void test_hnr__prediction_is_argmax_of_scores_and_probabilities(void **state)
{
    (void)state;
    small s = small_clouds(36, 3, K, 1);
    small other = small_clouds(25, 3, K, 2);
    pt_dataset *train = small_dataset(&s);
    pt_dataset *on = small_dataset(&other);
    write_hierarchy(path, AS_IT_IS);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int q = 0; q < N_SPACES && uses(*ops, "labelbook"); q++)
            for (const pt_decoder *const *rule = pt_decoders; *rule; rule++) {
                char space[160];
                char wish[200];
                snprintf(wish, sizeof wish, "%s,decode=%s", space_at(q, space, sizeof space),
                         (*rule)->name);
                const options o = options_for(*ops, 0.1, 5, wish);
                const bool vectors = q < 6;
                const bool allowed =
                    ((*rule)->from_products || (vectors && (*rule)->from_outputs)) &&
                    (!(*rule)->one_per_class || !strstr(space, "mincorr"));
                pt_error err = PT_ERROR_INIT;
                pt_model *model = NULL;
                const pt_status status = small_try_train(&model, train, o.text, 1, &err);
                if (allowed)
                    small_must(status, &err, o.text);
                else
                    assert_int_equal(status, PT_EINVAL);
                if (model)
                    expect_one_decision(model, on, o.text);
                pt_model_free(model);
            }
    pt_dataset_free(train);
    pt_dataset_free(on);
    small_free(&s);
    small_free(&other);
}

/* ---------------------------------------------------------------------------------- invariances */

/* Other names for the classes, so that they sort otherwise: scores follow their classes. The
 * corners of a simplex (mincorr) are others then; their inner products are the same. */
static void test_hnr__relabelling_permutes_the_scores(void **state)
{
    (void)state;
    const int64_t place[K] = {2, 0, 3, 1};
    static const char *const rules[] = {"inner", "nearest", "wta", "hamming", "bayes"};
    small s = small_clouds(43, 3, K, 3); /* classes of unequal sizes */
    small moved = small_clouds(43, 3, K, 3);
    for (int64_t i = 0; i < s.n; i++)
        moved.y[i] = place[s.y[i]];
    pt_dataset *a = small_dataset(&s);
    pt_dataset *b = small_dataset(&moved);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int q = 0; q < N_SPACES && uses(*ops, "labelbook"); q++)
            for (int d = 0; d < (q < 6 && q != 4 ? 5 : 2); d++) {
                char space[160];
                char wish[200];
                if (q == 4 && strcmp((*ops)->name, "suykens") == 0)
                    continue; /* learns each coordinate of the corners by itself */
                snprintf(wish, sizeof wish, "%s,decode=%s", space_at(q, space, sizeof space),
                         rules[d]);
                const options o = options_for(*ops, 0.1, 5, wish);
                write_hierarchy(path, AS_IT_IS);
                double *want = small_scores(a, o.text, a);
                write_hierarchy(path, place);
                double *got = small_scores(b, o.text, a);
                for (int64_t i = 0; i < s.n; i++) {
                    double row[K];
                    for (int r = 0; r < K; r++)
                        row[r] = got[i * K + place[r]];
                    memcpy(got + i * K, row, sizeof row);
                }
                expect_close(got, want, s.n * K, 1e-7, o.text);
                free(want);
                free(got);
            }
    pt_dataset_free(a);
    pt_dataset_free(b);
    small_free(&s);
    small_free(&moved);
}

/* Machines that know label vectors by their inner products alone, P. With c = k/(k-1) the products
 * of `consistency` are c times those of `alignment`; what they are then at the strength c^power is
 * alignment with scores times c^score:
 *
 *   onelsm, elm   f is linear in the labels                          as it is    scores c
 *   vo-rls        (c G + gamma I) beta = c d                         ridge c     scores c
 *   vo-rls-f      (c G + gamma c P o K) beta = c d                   as it is    scores c
 *   vo-lssvm      (c P o K + gamma I) beta = 1: beta / c             ridge c     scores 1
 *   vo-svm        1^T beta - c beta^T (P o K) beta / 2: beta / c     C / c       scores 1 */
static const struct {
    const char *machine;
    int ridge;
    int C;
    int score;
} BY_PRODUCTS[] = {{"onelsm", 0, 0, 1},   {"elm", 0, 0, 1},      {"vo-rls", 1, 0, 1},
                   {"vo-rls-f", 0, 0, 1}, {"vo-lssvm", 1, 0, 0}, {"vo-svm", 0, -1, 0}};
enum { N_BY_PRODUCTS = sizeof BY_PRODUCTS / sizeof *BY_PRODUCTS };

static void expect_alignment(const pt_machine_ops *ops, int row, int64_t k)
{
    const double c = (double)k / (double)(k - 1);
    small s = small_clouds(12 * k - 1, 3, k, 4);
    pt_dataset *data = small_dataset(&s);
    const options aligned = options_for(ops, 0.2, 3, "labelbook=alignment");
    const options simplex = options_for(ops, 0.2, 3, "labelbook=mincorr");
    const options scaled = options_for(ops, 0.2 * pow(c, BY_PRODUCTS[row].ridge),
                                       3 * pow(c, BY_PRODUCTS[row].C), "labelbook=consistency");
    double *want = small_scores(data, aligned.text, data);
    double *same = small_scores(data, simplex.text, data);
    double *rescaled = small_scores(data, scaled.text, data);
    expect_close(same, want, s.n * k, 1e-8, simplex.text);
    for (int64_t i = 0; i < s.n * k; i++)
        rescaled[i] /= pow(c, BY_PRODUCTS[row].score);
    expect_close(rescaled, want, s.n * k, 1e-7, scaled.text);
    free(want);
    free(same);
    free(rescaled);
    pt_dataset_free(data);
    small_free(&s);
}

/* min-correlation equals alignment; consistency equals alignment at another strength. */
static void test_hnr__simplex_labelbooks_are_one_machine(void **state)
{
    (void)state;
    int found = 0;
    for (int row = 0; row < N_BY_PRODUCTS; row++) {
        const pt_machine_ops *ops = pt_machine_find(BY_PRODUCTS[row].machine);
        for (int64_t k = 2; k <= 5 && ops; k++)
            expect_alignment(ops, row, k);
        found += ops != NULL;
    }
    assert_true(found >= 3);
}

/* Rows and width both times 4: the same bits. */
static void test_hnr__unit_of_length(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 5);
    small large = small_clouds(40, 3, 3, 5);
    for (int64_t i = 0; i < s.n * s.d; i++)
        large.x[i] *= 4;
    pt_dataset *a = small_dataset(&s);
    pt_dataset *b = small_dataset(&large);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!uses(*ops, "labelbook") || !uses(*ops, "kernel"))
            continue;
        options o = options_for(*ops, 0.1, 5, "labelbook=pm1,sigma=1.5,merge=no");
        options p = options_for(*ops, 0.1, 5, "labelbook=pm1,sigma=6,merge=no");
        double *want = small_scores(a, o.text, a);
        double *got = small_scores(b, p.text, b);
        assert_memory_equal(got, want, (size_t)(s.n * s.k) * sizeof *want);
        free(want);
        free(got);
    }
    pt_dataset_free(a);
    pt_dataset_free(b);
    small_free(&s);
    small_free(&large);
}

static int make_file(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hnr__prediction_is_argmax_of_scores_and_probabilities),
        cmocka_unit_test(test_hnr__relabelling_permutes_the_scores),
        cmocka_unit_test(test_hnr__simplex_labelbooks_are_one_machine),
        cmocka_unit_test(test_hnr__unit_of_length),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
