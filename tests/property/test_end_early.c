/* Machines that may end before they are finished do so where they are told, with a machine that
 * answers; and they do not where nobody tells them. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/task.h"
#include "machine/training.h"
#include "validate/auto.h"

/* Of problems on which none of them is done at once. */
static const char *const MACHINES[] = {
    "machine=code,code=ova,learner=adaboost,rounds=40",
    "machine=code,code=ovo,learner=adaboost,rounds=40,depth=2",
    "machine=code,code=ova,learner=logitboost,rounds=40",
    "machine=code,code=ova,learner=brownboost,rounds=400,noise=0.05",
    "machine=adaboost-mo,rounds=40",
    "machine=adaboost-mh,rounds=40",
    "machine=spoc,kernel=linear,gap=1e-7,C=10",
    "machine=spoc,kernel=rbf,sigma=0.5,gap=1e-9,C=1000",
    "machine=ww,kernel=linear,gap=1e-7,C=10",
    "machine=ww,kernel=rbf,sigma=0.5,gap=1e-9,C=1000",
    "machine=constraint,method=svm,gap=1e-7,C=10",
    "machine=constraint,method=svm,kernel=rbf,sigma=0.5,gap=1e-9,C=1000",
    "machine=constraint,method=online,epochs=5",
    "machine=softmax,eps=1e-9",
    "machine=softmax,penalty=l1,eps=1e-9",
    "machine=vo-svm,kernel=rbf,sigma=0.5,gap=1e-9,C=1000",
    "machine=vo-svm,kernel=rbf,sigma=0.5,gap=1e-9,C=1000,labelbook=indicator",
    "machine=vo-svm,kernel=linear,gap=1e-4,C=1,bias=yes,labelbook=mincorr",
    "machine=code,code=ova,learner=svm,kernel=rbf,sigma=2,eps=1e-4,C=1000",
    "machine=code,code=ovo,learner=svm,kernel=rbf,sigma=2,eps=1e-4,C=1000",
    "machine=code,code=ova,learner=linear-svm,gap=1e-7,C=10",
    "machine=code,code=ova,learner=logistic,eps=1e-9",
    "machine=code,code=ovo,learner=logistic,eps=1e-9",
    "machine=code,code=ova,learner=logistic,penalty=l1,eps=1e-9",
    "machine=code,code=ovo,learner=logistic,penalty=l1,eps=1e-9",
    "machine=code,code=ova,learner=perceptron,epochs=5",
    "machine=code,code=ova,learner=winnow,epochs=5",
    "machine=designed,code=ovo,learner=svm,sigma=2,C=1",
    "machine=designed,code=ova,learner=ls,norm=inf,sigma=2,ridge=1",
    "machine=designed,design-machine=ls-ovo,norm=1,sigma=2,ridge=1",
    "machine=designed,code=ova,learner=perceptron,design-form=discrete,interleave=2",
};
enum { N_MACHINES = sizeof MACHINES / sizeof *MACHINES };

/* Rounds of a machine that is told to end `seconds` from now; 0: it has none. */
static int64_t train(const pt_dataset *data, const char *options, double seconds, bool *ended)
{
    pt_error err = PT_ERROR_INIT;
    pt_training t = {0};
    pt_machine *machine = NULL;
    pt_params *params = small_params(options);
    pt_task *task = small_task(2);
    small_must(pt_training_init(&t, data, params, task, &err), &err, options);
    small_must(pt_training_resolve(&t, task, &err), &err, options);
    assert_true(pt_machine_ends_early(t.ops, t.params));
    pt_task_end_early_after(task, seconds);
    small_must(pt_machine_fit(&machine, t.ops, &t.problem, t.params, task, &t.warnings, &err), &err,
               options);
    *ended = pt_task_ended_early(task);
    const int64_t cells = t.problem.rows.n * pt_labels_n_classes(t.problem.labels);
    double *scores = calloc((size_t)cells, sizeof *scores);
    small_must(t.ops->scores(machine, &t.problem.rows, scores, task, &err), &err, options);
    for (int64_t i = 0; i < cells; i++)
        if (!isfinite(scores[i]))
            fail_msg("%s: a score is %g", options, scores[i]);
    const int64_t rounds = pt_machine_parts_of(machine).rounds;
    pt_machine_free(machine);
    free(scores);
    pt_training_free(&t);
    pt_task_free(task);
    pt_params_free(params);
    return rounds;
}

static void test_end_early__machines_answer(void **state)
{
    (void)state;
    small s = small_clouds(120, 3, 4, 21);
    for (int64_t i = 0; i < s.n; i += 7)
        s.y[i] = (s.y[i] + 1) % s.k;
    pt_dataset *data = small_dataset(&s);
    for (int m = 0; m < N_MACHINES; m++) {
        bool ended = false;
        const int64_t whole = train(data, MACHINES[m], INFINITY, &ended);
        if (ended)
            fail_msg("%s: nobody told it to end", MACHINES[m]);
        const int64_t part = train(data, MACHINES[m], -1, &ended);
        if (!ended)
            fail_msg("%s: it was told to end", MACHINES[m]);
        if (whole > 0 && !(part == 1 && whole > 1))
            fail_msg("%s: %lld of %lld rounds", MACHINES[m], (long long)part, (long long)whole);
    }
    pt_dataset_free(data);
    small_free(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end_early__machines_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
