/* labels: threads heavy */
/* What every machine of the registry must do, whatever it is: a new one is tested by being listed.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/predictions.h"
#include "../support/share.h"
#include "../support/small_problem.h"
#include "codes/vectors/labelbook.h"
#include "kernels/kernel.h"
#include "learners/learner.h"
#include "machine/machine.h"
#include "model/model.h"
#include "params/params.h"
#include "params/params_table.h"
#include "solvers/program/linear_program.h"

/* ---------------------------------------------------------------------------------- options */

/* Whether "a,b,c" has `name`. */
static bool listed(const char *list, const char *name)
{
    const size_t length = strlen(name);
    for (const char *at = list; at && *at;) {
        const char *end = strchr(at, ',');
        const size_t word = end ? (size_t)(end - at) : strlen(at);
        if (word == length && strncmp(at, name, word) == 0)
            return true;
        at = end ? end + 1 : NULL;
    }
    return false;
}

/* The entry of "a=1,b=2" called `name`, into value; false: there is none. */
static bool wished(const char *wish, const char *name, char value[40])
{
    const size_t length = strlen(name);
    for (const char *at = wish; at && *at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strncmp(at, name, length) == 0 && at[length] == '=') {
            snprintf(value, 40, "%.*s", (int)strcspn(at + length + 1, ","), at + length + 1);
            return true;
        }
    return false;
}

/* Those of a design: whatever the learner is. */
static const char DESIGN[] =
    "norm,design-form,design-C,design-bound,design-folds,design-kernel,design-sigma,design-degree,"
    "interleave,incremental,costs,gap,design-entries,design-search,design-outputs,design-machine";

/* Whether the machine uses the parameter. The composed one has its own few; the others are those of
 * the learner and of the code that `wish` names, or the defaults. */
static bool machine_uses(const pt_machine_ops *ops, const char *name, const char *wish)
{
    char learner[40] = "svm";
    char code[40] = "ovo";
    if (!listed(ops->parameters, "learner") || !listed(ops->parameters, name) ||
        listed("code,learner,decode,coupling-slope,single-call,auto-rows,design-folds", name) ||
        (listed(ops->parameters, "design-form") && listed(DESIGN, name)))
        return listed(ops->parameters, name);
    (void)wished(wish, "learner", learner);
    (void)wished(wish, "code", code);
    return listed(pt_learner_find(learner)->parameters, name) ||
           (pt_code_family_find(code) && listed(pt_code_family_find(code)->parameters, name));
}

/* What the composed machine must be told beside `wish` for the parameter to be used: "learner=ls,",
 * or nothing. */
static void context_for(const pt_machine_ops *ops, const char *name, const char *wish,
                        char context[60])
{
    context[0] = '\0';
    for (const pt_learner_ops *const *learner = pt_learners; *learner; learner++)
        if (!machine_uses(ops, name, wish) && listed((*learner)->parameters, name))
            snprintf(context, 60, "learner=%s,", (*learner)->name);
}

typedef struct options {
    char text[400];
} options;

/* "machine=NAME", and those of "name=value,..." that the machine uses. The parameters of a kernel
 * count as used where the machine has a kernel. */
static options options_for(const pt_machine_ops *ops, const char *wish)
{
    options o;
    snprintf(o.text, sizeof o.text, "machine=%s", ops->name);
    if (listed(ops->parameters, "hidden") && !strstr(wish, "hidden=")) /* the default is slow */
        strncat(o.text, ",hidden=60", sizeof o.text - strlen(o.text) - 1);
    char copy[256];
    snprintf(copy, sizeof copy, "%s", wish);
    for (char *at = copy; at && *at;) {
        char *end = strchr(at, ',');
        if (end)
            *end = '\0';
        char name[40];
        snprintf(name, sizeof name, "%.*s", (int)strcspn(at, "="), at);
        const int id = pt_param_find(name);
        assert_true(id >= 0);
        const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
        const bool used = (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL) ||
                          machine_uses(ops, name, wish) ||
                          (group == PT_GROUP_KERNEL && machine_uses(ops, "kernel", wish));
        const bool is_ridge = /* where C is 1 / ridge, one of them is enough */
            id == PT_P_C && machine_uses(ops, "ridge", wish) && strstr(wish, "ridge=");
        const size_t at_end = strlen(o.text);
        if (used && !is_ridge)
            snprintf(o.text + at_end, sizeof o.text - at_end, ",%s", at);
        at = end ? end + 1 : NULL;
    }
    return o;
}

/* What has been tried: of a machine without kernel or labelbook, wishes that differ in these are
 * the same options, and once is enough. Zero-initialise. */
typedef struct tried {
    options list[512];
    int count;
} tried;

static bool is_new(tried *t, const options *o)
{
    for (int i = 0; i < t->count; i++)
        if (strcmp(t->list[i].text, o->text) == 0)
            return false;
    assert_true(t->count < (int)(sizeof t->list / sizeof *t->list));
    t->list[t->count++] = *o;
    return true;
}

static const char *const KERNELS[] = {
    "kernel=linear",
    "kernel=rbf,sigma=1",
    "kernel=laplacian,sigma=2",
    "kernel=poly,sigma=2,degree=2,coef0=1",
    "kernel=sigmoid,sigma=4,coef0=0", /* not positive definite: a large ridge below, or refused */
};
enum { N_KERNELS = sizeof KERNELS / sizeof *KERNELS };

/* ---------------------------------------------------------------------------------- predictions */

/* Whether the machine refuses the kernel of this problem because it is not positive semidefinite;
 * it must say so. */
static bool refuses_kernel(const pt_dataset *train, const char *text)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = small_try_train(&model, train, text, 1, &err);
    pt_model_free(model);
    if (status == PT_ENUMERIC)
        assert_non_null(strstr(err.text, "definite"));
    return status == PT_ENUMERIC;
}

static void test_machines__threads_and_files_keep_every_bit(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int64_t k = 2; k <= 7; k += 5) {
            tried before = {.count = 0};
            for (int q = 0; q < N_KERNELS; q++)
                for (const pt_labelbook *const *book = pt_labelbooks; *book; book++) {
                    char wish[200];
                    snprintf(wish, sizeof wish, "%s,labelbook=%s,precision=%s,ridge=%s", KERNELS[q],
                             (*book)->name, q % 2 ? "float" : "double", q == 4 ? "100" : "0.1");
                    const options o = options_for(*ops, wish);
                    if (!is_new(&before, &o) || (q > 0 && !test_in_share()))
                        continue;
                    small s = small_clouds(61, 5, k, 3);
                    small on = small_clouds(23, 5, k, 4);
                    pt_dataset *train = small_dataset(&s);
                    pt_dataset *test = small_dataset(&on);
                    if (q < 4 || !refuses_kernel(train, o.text))
                        expect_repeatable(train, test, on.n, k, o.text);
                    pt_dataset_free(train);
                    pt_dataset_free(test);
                    small_free(&s);
                    small_free(&on);
                }
        }
}

/* The same over several tiles, and for sparse rows. */
static void test_machines__many_tiles_keep_every_bit(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int sparse = 0; sparse < 2; sparse++) {
            if ((sparse && !((*ops)->capabilities & PT_CAN_SPARSE)) || !test_in_share_of(4))
                continue;
            small s = small_clouds(800, 6, 5, 13); /* 2 x 2 tiles */
            small on = small_clouds(400, 6, 5, 14);
            pt_dataset *train = sparse ? small_sparse_dataset(&s) : small_dataset(&s);
            pt_dataset *test = sparse ? small_sparse_dataset(&on) : small_dataset(&on);
            const options rbf = options_for(*ops, "kernel=rbf,sigma=1,ridge=0.1,calibrate=no");
            expect_repeatable(train, test, on.n, 5, rbf.text);
            const options chosen = options_for(*ops, "kernel=rbf,auto-rows=200");
            if (!sparse)
                expect_repeatable(train, test, on.n, 5, chosen.text);
            pt_dataset_free(train);
            pt_dataset_free(test);
            small_free(&s);
            small_free(&on);
        }
}

/* ---------------------------------------------------------------------------------- parameters */

#define COSTS_FILE "test_machines_costs.csv" /* for three classes */

static void write_costs(void)
{
    FILE *file = fopen(COSTS_FILE, "w");
    assert_non_null(file);
    fputs("0,1,4\n1,0,1\n2,1,0\n", file);
    fclose(file);
}

/* Two values of a parameter whose models must differ, and what else must be set for that. A
 * machine's parameter without a line here fails the test: add one. */
static const struct {
    const char *name;
    const char *context;
    const char *a;
    const char *b;
} VARIED[] = {
    {"machine", "", NULL, NULL}, /* names the machine itself */
    {"ridge", "kernel=rbf,sigma=1", "0.1", "0.2"},
    {"C", "kernel=rbf,sigma=1", "0.1", "0.2"},
    {"code", "kernel=rbf,sigma=1", "ovo", "ova"},
    {"columns", "code=sparse,kernel=rbf,sigma=1", "2", "3"},
    {"draws", "code=sparse,kernel=rbf,sigma=1,columns=2", "1", "1000"},
    {"paper", "code=sparse,kernel=rbf,sigma=1,columns=5,draws=1", "no", "yes"},
    {"learner", "kernel=rbf,sigma=1", "svm", "ls"},
    {"eps", "kernel=rbf,sigma=1,C=10", "0.5", "1e-9"},
    {"gap", "kernel=rbf,sigma=1", "0.5", "1e-9"},
    {"bias", "kernel=rbf,sigma=1,ridge=0.1,labelbook=mincorr", "no", "yes"},
    {"bias-rule", "kernel=rbf,sigma=1,ridge=0.1,labelbook=mincorr,bias=yes", "exact", "penalised"},
    {"labelbook", "kernel=rbf,sigma=1,ridge=0.1", "pm1", "indicator"},
    {"label-kernel", "kernel=rbf,sigma=1,ridge=0.1", "none", "rbf"},
    {"label-sigma", "kernel=rbf,sigma=1,ridge=0.1,label-kernel=rbf", "1", "2"},
    {"label-degree", "kernel=rbf,sigma=1,ridge=0.1,label-kernel=poly,label-coef0=2", "2", "3"},
    {"label-coef0", "kernel=rbf,sigma=1,ridge=0.1,label-kernel=poly", "1", "2"},
    {"decode", "kernel=rbf,sigma=1,ridge=0.1", "inner", "nearest"},
    {"coupling-slope", "decode=coupling,kernel=rbf,sigma=1,ridge=0.1", "1", "2"},
    {"single-call", "learner=ls,kernel=rbf,sigma=1,ridge=0.1", "no", "yes"},
    {"rounds", "learner=adaboost", "3", "5"},
    {"depth", "learner=tree,rounds=5", "1", "2"},
    {"min-leaf", "learner=tree,rounds=5", "1", "30"},
    {"min-leaf-weight", "learner=tree,rounds=5", "0", "30"},
    {"bins", "learner=tree,rounds=5", "2", "0"},
    {"boost", "learner=adaboost,rounds=5", "discrete", "confidence"},
    {"polarity", "learner=adaboost,rounds=5,boost=discrete", "any", "below"},
    {"stop-share", "learner=adaboost,rounds=5", "0", "0.5"},
    {"patience", "learner=adaboost,rounds=100,stop-share=0.1", "1", "100"},
    {"noise", "learner=brownboost,rounds=5", "0.1", "0.3"},
    {"criterion", "learner=tree,depth=2", "entropy", "gini"},
    {"prune", "learner=tree", "0", "0.2"},
    {"shrink", "", "0", "5"},
    {"penalty", "learner=logistic", "l2", "l1"},
    {"hidden", "ridge=0.1", "20", "30"},
    {"activation", "ridge=0.1", "sigmoid", "rbf"},
    {"costs", "kernel=rbf,sigma=1", "none", COSTS_FILE},
    {"norm", "kernel=rbf,sigma=1,design-C=0.1", "2", "1"},
    {"design-form", "kernel=rbf,sigma=1", "soft", "hard"},
    {"design-C", "kernel=rbf,sigma=1", "0.01", "0.1"},
    {"design-bound", "kernel=rbf,sigma=1,design-form=hard", "0.1", "0.2"},
    {"design-folds", "kernel=rbf,sigma=1,design-C=0.1", "0", "5"},
    {"design-kernel", "kernel=rbf,sigma=1,design-C=0.1", "linear", "rbf"},
    {"design-sigma", "kernel=rbf,sigma=1,design-C=0.1,design-kernel=rbf", "1", "2"},
    {"design-degree", "kernel=rbf,sigma=1,design-C=0.1,design-kernel=poly", "2", "3"},
    {"interleave", "code=ovo,kernel=rbf,sigma=1,seed=6,gap=1e-9", "0", "3"},
    {"incremental", "kernel=rbf,sigma=1,design-C=0.1", "no", "yes"},
    {"design-entries", "code=dense,columns=3,kernel=rbf,sigma=1,design-form=discrete", "sign",
     "ternary"},
    {"design-search", "kernel=rbf,sigma=1,design-form=discrete", "column", "local"},
    {"design-outputs", "kernel=rbf,sigma=1,design-C=0.1", "real", "sign"},
    {"design-machine", "design-C=0.1", "code", "adaboost-mh"},
    {"method", "", "svm", "online"},
    {"pairs", "", "all", NULL}, /* of rankings: tests/property/test_constraint.c */
    {"update", "method=online,learner=perceptron", "perceptron", "averaged"},
    {"violated", "method=online,update=perceptron", "all", "worst"},
    {"epochs", "method=online,learner=perceptron", "1", "2"},
    {"alpha", "method=online,update=balanced-winnow,learner=winnow", "1.5", "2"},
    {"hash-bits", "", "10", NULL}, /* of streams: test_online_hash.c */
    {"class-weight", "kernel=rbf,sigma=1,ridge=0.1,C=0.05", "none", "balanced"},
    {"precision", "kernel=rbf,sigma=1,ridge=0.1", "float", "double"},
    {"auto-rows", "kernel=rbf", "15", "1000"}, /* through the sigma and ridge that are chosen */
    {"kernel", "sigma=1,ridge=0.1", "rbf", "laplacian"},
    {"sigma", "kernel=rbf,ridge=0.1", "1", "2"},
    {"rbf-gamma", "kernel=rbf,ridge=0.1", "1", "2"},
    {"degree", "kernel=poly,sigma=2,ridge=0.1", "2", "3"},
    {"coef0", "kernel=poly,sigma=2,degree=2,ridge=0.1", "1", "2"},
};
enum { N_VARIED = sizeof VARIED / sizeof *VARIED };

static int varied_find(const char *name)
{
    for (int i = 0; i < N_VARIED; i++)
        if (strcmp(VARIED[i].name, name) == 0)
            return i;
    fail_msg("parameter %s has no line in VARIED", name);
    return -1;
}

/* Scores with and without the change; they must differ. */
static void expect_change(const pt_machine_ops *ops, int line, const pt_dataset *data)
{
    char wish[200];
    char context[60];
    double *scores[2];
    const char *const values[2] = {VARIED[line].a, VARIED[line].b};
    context_for(ops, VARIED[line].name, VARIED[line].context, context);
    for (int i = 0; i < 2; i++) {
        const char *comma = VARIED[line].context[0] ? "," : "";
        const bool decode = strcmp(VARIED[line].name, "decode") == 0;
        snprintf(wish, sizeof wish, "calibrate=no,merge=no,%s%s%s%s%s=%s", context,
                 decode ? "" : "decode=inner,", /* not votes */
                 VARIED[line].context, comma, VARIED[line].name, values[i]);
        const options o = options_for(ops, wish);
        scores[i] = small_scores(data, o.text, data);
    }
    const int64_t cells = pt_dataset_n_examples(data) * pt_dataset_n_classes(data);
    if (memcmp(scores[0], scores[1], (size_t)cells * sizeof(double)) == 0)
        fail_msg("%s: %s changes nothing", ops->name, VARIED[line].name);
    free(scores[0]);
    free(scores[1]);
}

static void test_machines__every_parameter_changes_the_model(void **state)
{
    (void)state;
    small s = small_clouds(90, 3, 3, 21);
    write_costs();
    for (int64_t i = 0; i < 40; i++)
        s.y[i] = 0;                 /* classes of different sizes, for class-weight */
    for (int64_t j = 0; j < 3; j++) /* a pair that float does not tell apart, for trees */
        s.x[41 * 3 + j] = s.x[42 * 3 + j] + 1e-12;
    pt_dataset *data = small_dataset(&s);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int id = 0; id < PT_N_PARAMS; id++) {
            const char *name = pt_param_name(id);
            const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
            if (group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL)
                continue;
            const int line = varied_find(name);
            const bool used = group == PT_GROUP_KERNEL ? listed((*ops)->parameters, "kernel")
                                                       : listed((*ops)->parameters, name);
            const bool solved = strcmp(name, "norm") != 0 || pt_lp_solver();
            const bool plain = /* others end by rows that validate alone: test_validated.c */
                strcmp(name, "patience") != 0 || listed((*ops)->parameters, "stop-share");
            if (used && solved && plain && VARIED[line].b && test_in_share())
                expect_change(*ops, line, data);
        }
    remove(COSTS_FILE);
    pt_dataset_free(data);
    small_free(&s);
}

static void expect_refused(const pt_dataset *data, const char *text, const char *name)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = small_try_train(&model, data, text, 1, &err);
    if (status != PT_EINVAL || !strstr(err.text, name))
        fail_msg("%s: not refused by name: %s, \"%s\"", text, pt_status_name(status), err.text);
    pt_model_free(model);
}

/* Each parameter of a machine that it does not list, and each of a kernel with each kernel that
 * does not list it. */
static void test_machines__other_parameters_are_refused(void **state)
{
    (void)state;
    small s = small_clouds(12, 3, 2, 22);
    pt_dataset *data = small_dataset(&s);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int id = 0; id < PT_N_PARAMS; id++) {
            const char *name = pt_param_name(id);
            const pt_param_group_id group = pt_param_group_of((pt_param_id)id);
            if ((group != PT_GROUP_MACHINE && group != PT_GROUP_KERNEL) || id == PT_P_MACHINE ||
                id == PT_P_KERNEL)
                continue;
            const char *value = VARIED[varied_find(name)].a;
            char text[200];
            if (group == PT_GROUP_MACHINE ? !listed((*ops)->parameters, name)
                                          : !listed((*ops)->parameters, "kernel")) {
                snprintf(text, sizeof text, "machine=%s,%s=%s", (*ops)->name, name, value);
                expect_refused(data, text, name);
                continue;
            }
            if (group != PT_GROUP_KERNEL)
                continue;
            for (const pt_kernel_ops *const *kernel = pt_kernels; *kernel; kernel++) {
                if (listed((*kernel)->parameters, name))
                    continue;
                snprintf(text, sizeof text, "machine=%s,kernel=%s,%s=%s", (*ops)->name,
                         (*kernel)->name, name, value);
                expect_refused(data, text, name);
            }
        }
    pt_dataset_free(data);
    small_free(&s);
}

/* ---------------------------------------------------------------------------------- weights */

/* An example with weight 2 equals the example twice; a class with weight 3 equals its examples with
 * weight 3. In double, to a tolerance: the systems differ. */
static void test_machines__weight_two_is_the_example_twice(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!((*ops)->capabilities & PT_CAN_WEIGHTS))
            continue;
        for (int q = 0; q < 4; q++) {
            char wish[200];
            if (!test_in_share_of(4))
                continue;
            snprintf(wish, sizeof wish,
                     "%s,ridge=0.3,gap=1e-15,eps=1e-13,precision=double,scale=none,calibrate=no,"
                     "design-folds=0,design-C=0.1",
                     KERNELS[q]);
            const options o = options_for(*ops, wish);
            small once = small_clouds(30, 4, 3, 31);
            small twice = small_clouds(30, 4, 3, 31);
            once.weight = calloc((size_t)once.n, sizeof *once.weight);
            for (int64_t i = 0; i < once.n; i++)
                once.weight[i] = i < 7 ? 2 : 1;
            twice.x = realloc(twice.x, (size_t)(37 * 4) * sizeof *twice.x);
            twice.y = realloc(twice.y, (size_t)37 * sizeof *twice.y);
            memcpy(twice.x + 30 * 4, once.x, (size_t)(7 * 4) * sizeof *once.x);
            memcpy(twice.y + 30, once.y, (size_t)7 * sizeof *once.y);
            twice.n = 37;
            pt_dataset *a = small_dataset(&once);
            pt_dataset *b = small_dataset(&twice);
            double *heavy = small_scores(a, o.text, a);
            double *doubled = small_scores(b, o.text, a);
            if (!(small_distance(heavy, doubled, 30 * 3) < 1e-9))
                fail_msg("%s: %g apart", o.text, small_distance(heavy, doubled, 30 * 3));
            free(heavy);
            free(doubled);
            pt_dataset_free(a);
            pt_dataset_free(b);
            small_free(&once);
            small_free(&twice);
        }
    }
}

/* Weights are relative: all of them in another unit are the same model, where no C or ridge stands
 * against their sum. */
static void test_machines__weights_have_no_unit(void **state)
{
    (void)state;
    enum { N = 40, D = 3, K = 4 };
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!((*ops)->capabilities & PT_CAN_WEIGHTS) || listed((*ops)->parameters, "C") ||
            listed((*ops)->parameters, "ridge"))
            continue;
        for (int power = -1; power <= 1; power += 2) {
            const options o = options_for(*ops, "rounds=10,precision=double");
            small s = small_clouds(N, D, K, 33);
            s.weight = calloc(N, sizeof *s.weight);
            for (int64_t i = 0; i < N; i++)
                s.weight[i] = 1 + (double)(i % 3);
            pt_dataset *ones = small_dataset(&s);
            for (int64_t i = 0; i < N; i++)
                s.weight[i] = ldexp(s.weight[i], 30 * power);
            pt_dataset *others = small_dataset(&s);
            double *a = small_scores(ones, o.text, ones);
            double *b = small_scores(others, o.text, ones);
            if (!(small_distance(a, b, N * K) < 1e-9))
                fail_msg("%s: %g apart", o.text, small_distance(a, b, N * K));
            free(a);
            free(b);
            pt_dataset_free(ones);
            pt_dataset_free(others);
            small_free(&s);
        }
    }
}

static void test_machines__class_weights_multiply(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        if (!((*ops)->capabilities & PT_CAN_WEIGHTS))
            continue;
        const char *base = "kernel=rbf,sigma=1,ridge=0.3,C=0.05,precision=double,decode=inner";
        small s = small_clouds(33, 4, 3, 32);
        s.weight = calloc((size_t)s.n, sizeof *s.weight);
        for (int64_t i = 0; i < s.n;
             i++) /* not whole: those are numbers of examples, in folds too */
            s.weight[i] = 0.7 * (1 + (double)(i % 4));
        pt_dataset *by_class = small_dataset(&s);
        for (int64_t i = 0; i < s.n; i++)
            s.weight[i] *= s.y[i] == 1 ? 3 : 1;
        pt_dataset *by_example = small_dataset(&s);
        char text[500];
        options o = options_for(*ops, base);
        snprintf(text, sizeof text, "%s,class-weight=1=3", o.text);
        double *a = small_scores(by_class, text, by_class);
        double *b = small_scores(by_example, o.text, by_class);
        assert_true(small_distance(a, b, s.n * 3) < 1e-10);
        /* It is a change: without it the scores are others. */
        double *c = small_scores(by_class, o.text, by_class);
        assert_true(small_distance(a, c, s.n * 3) > 1e-3);
        free(a);
        free(b);
        free(c);
        pt_dataset_free(by_class);
        pt_dataset_free(by_example);
        small_free(&s);
    }
}

/* ---------------------------------------------------------------------------------- corners */

/* Trains, and then predicts finite numbers; where `may_refuse`, a kernel that is not positive
 * semidefinite may be refused instead, with a text that says so and what to do. */
static void expect_answer(const pt_dataset *data, int64_t n, int64_t k, const char *text,
                          bool may_refuse)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    const pt_status status = small_try_train(&model, data, text, 1, &err);
    if (status == PT_OK) {
        pt_prediction *prediction = small_predict(model, data, 1);
        expect_sound(prediction, n, k, text);
        pt_prediction_free(prediction);
    } else if (!may_refuse || status != PT_ENUMERIC || !strstr(err.text, "definite") ||
               !strchr(err.text, '`')) {
        fail_msg("%s: %s: %s", text, pt_status_name(status), err.text);
    }
    pt_model_free(model);
}

/* Two or three examples, two classes, classes of one member; every labelbook. */
static void test_machines__tiny_problems(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const pt_labelbook *const *book = pt_labelbooks;
        for (int q = 0; *book && q < 24; q++, book += q % 4 == 0) {
            char wish[100];
            snprintf(wish, sizeof wish, "%s,ridge=0.1,labelbook=%s", KERNELS[q % 4], (*book)->name);
            const options o = options_for(*ops, wish);
            const int64_t sizes[][2] = {{2, 2}, {3, 2}, {3, 3}, {7, 7}, {20, 3}};
            for (int i = 0; i < 5; i++) {
                if (!test_in_share())
                    continue;
                small s = small_clouds(sizes[i][0], 2, sizes[i][1], 41);
                if (i == 4)
                    for (int64_t j = 0; j < 20; j++)
                        s.y[j] = j == 0 ? 2 : j % 2; /* a class with one member */
                pt_dataset *data = small_dataset(&s);
                expect_answer(data, s.n, s.k, o.text, false);
                pt_dataset_free(data);
                small_free(&s);
            }
        }
        /* Nothing chosen by hand, few examples. */
        for (int64_t n = 3; n < 8; n++) {
            const options o = options_for(*ops, "");
            small s = small_clouds(n, 2, 2, 42);
            pt_dataset *data = small_dataset(&s);
            expect_answer(data, s.n, s.k, o.text, false);
            pt_dataset_free(data);
            small_free(&s);
        }
    }
}

/* Rows that are there twice, or with another label, are counted as often as they are there. */
static void test_machines__training_error_is_that_of_the_rows(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const options o = options_for(*ops, "");
        small s = small_clouds(40, 2, 3, 45);
        for (int64_t i = 20; i < 40; i++) {
            memcpy(s.x + 2 * i, s.x + 2 * (i / 2), 2 * sizeof *s.x);
            s.y[i] = i % 8 == 0 ? (s.y[i / 2] + 1) % 3 : s.y[i / 2];
        }
        pt_dataset *data = small_dataset(&s);
        pt_model *model = small_train(data, o.text, 1);
        pt_prediction *prediction = small_predict(model, data, 1);
        pt_report *evaluation = NULL;
        pt_error err = PT_ERROR_INIT;
        small_must(pt_model_evaluate(&evaluation, model, data, prediction, NULL, NULL, &err), &err,
                   o.text);
        if (fabs(pt_model_training_error(model) - pt_report_number(evaluation, "error")) > 1e-12)
            fail_msg("%s: training error %g, evaluated %g", o.text, pt_model_training_error(model),
                     pt_report_number(evaluation, "error"));
        pt_report_free(evaluation);
        pt_prediction_free(prediction);
        pt_model_free(model);
        pt_dataset_free(data);
        small_free(&s);
    }
}

static void test_machines__one_class_is_refused(void **state)
{
    (void)state;
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const options o = options_for(*ops, "");
        small s = small_clouds(6, 2, 1, 43);
        pt_dataset *data = small_dataset(&s);
        pt_error err = PT_ERROR_INIT;
        pt_model *model = NULL;
        assert_int_not_equal(small_try_train(&model, data, o.text, 1, &err), PT_OK);
        assert_non_null(strstr(err.text, "class"));
        pt_dataset_free(data);
        small_free(&s);
    }
}

/* Equal rows, with equal and with different labels, constant columns; ridge (C where a machine has
 * none) from 1e-12 to 1e12. Probabilities, for which a machine is trained once more for each fold,
 * with one kernel, or none. */
static void test_machines__duplicates_and_any_strength(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 44);
    for (int64_t i = 20; i < 40; i++)
        memcpy(s.x + i * 3, s.x + (i - 20) * 3, 3 * sizeof *s.x);
    for (int64_t i = 0; i < 40; i++)
        s.x[i * 3 + 2] = 5;
    pt_dataset *data = small_dataset(&s);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const char *strength = machine_uses(*ops, "ridge", "") ? "ridge" : "C";
        tried before = {.count = 0};
        for (int q = 0; q < N_KERNELS; q++)
            for (int step = 0; step <= 4; step++) {
                char wish[200]; /* both precisions, in turns */
                snprintf(wish, sizeof wish, "%s,%s=1e%d,precision=%s,calibrate=%s", KERNELS[q],
                         strength, 6 * step - 12, (q + step) % 2 ? "float" : "double",
                         q == 1 || !machine_uses(*ops, "kernel", "") ? "yes" : "no");
                const options o = options_for(*ops, wish);
                if (is_new(&before, &o) && test_in_share())
                    expect_answer(data, s.n, s.k, o.text, q == 4);
            }
        const options o = options_for(*ops, "");
        expect_answer(data, s.n, s.k, o.text, false); /* whatever it chooses by itself */
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* Rows that are all the same tell nothing of their classes: an answer all the same, or where the
 * kernel is 0 everywhere, and vo-rls-f has no solution, a word about the kernel. */
static void test_machines__constant_columns(void **state)
{
    (void)state;
    small s = small_clouds(31, 3, 3, 47);
    for (int64_t i = 0; i < 31 * 3; i++)
        s.x[i] = (double)(i % 3);
    pt_dataset *data = small_dataset(&s);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int q = 0; q <= N_KERNELS; q++) {
            char wish[100];
            if (!test_in_share_of(4))
                continue;
            snprintf(wish, sizeof wish, "%s", q < N_KERNELS ? KERNELS[q] : "");
            const options o = options_for(*ops, wish);
            expect_answer(data, s.n, s.k, o.text, q == 0 || q == 4);
        }
    pt_dataset_free(data);
    small_free(&s);
}

/* A sigmoid far from positive semidefinite, strengths given and chosen. */
static void test_machines__indefinite_kernel(void **state)
{
    (void)state;
    small s = small_clouds(40, 3, 3, 46);
    pt_dataset *data = small_dataset(&s);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++) {
        const char *kernel = "kernel=sigmoid,sigma=0.5,coef0=-1";
        for (int power = -12; power <= 12; power += 6) {
            if (!test_in_share_of(4))
                continue;
            const bool ridge = machine_uses(*ops, "ridge", "");
            char wish[100];
            snprintf(wish, sizeof wish, "%s,%s=1e%d", kernel, ridge ? "ridge" : "C", power);
            const options o = options_for(*ops, wish);
            expect_answer(data, s.n, s.k, o.text, true);
        }
        const options o = options_for(*ops, kernel);
        expect_answer(data, s.n, s.k, o.text, true);
    }
    pt_dataset_free(data);
    small_free(&s);
}

/* Widths at which the kernel is all ones or the identity to the last bit. */
static void test_machines__extreme_widths(void **state)
{
    (void)state;
    small s = small_clouds(30, 3, 3, 45);
    pt_dataset *data = small_dataset(&s);
    for (const pt_machine_ops *const *ops = pt_machines; *ops; ops++)
        for (int power = -300; power <= 300; power += 50) {
            char wish[200];
            if (!test_in_share())
                continue;
            snprintf(wish, sizeof wish, "kernel=rbf,sigma=1e%d,ridge=0.1", power);
            options o = options_for(*ops, wish);
            expect_answer(data, s.n, s.k, o.text, false);
            snprintf(wish, sizeof wish, "kernel=laplacian,sigma=1e%d,ridge=0.1", power);
            o = options_for(*ops, wish);
            expect_answer(data, s.n, s.k, o.text, false);
        }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_machines__threads_and_files_keep_every_bit),
        cmocka_unit_test(test_machines__many_tiles_keep_every_bit),
        cmocka_unit_test(test_machines__every_parameter_changes_the_model),
        cmocka_unit_test(test_machines__other_parameters_are_refused),
        cmocka_unit_test(test_machines__weight_two_is_the_example_twice),
        cmocka_unit_test(test_machines__weights_have_no_unit),
        cmocka_unit_test(test_machines__class_weights_multiply),
        cmocka_unit_test(test_machines__tiny_problems),
        cmocka_unit_test(test_machines__training_error_is_that_of_the_rows),
        cmocka_unit_test(test_machines__one_class_is_refused),
        cmocka_unit_test(test_machines__duplicates_and_any_strength),
        cmocka_unit_test(test_machines__constant_columns),
        cmocka_unit_test(test_machines__indefinite_kernel),
        cmocka_unit_test(test_machines__extreme_widths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
