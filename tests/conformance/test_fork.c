/* Children of fork() use the library after parallel work in the parent, and while other threads of
 * the parent are in the middle of some: they end, with the parent's bytes. */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/task.h"

enum { CHILDREN = 100, CHILDREN_AMONG_THREADS = 60, SECONDS = 300 };

/* Least squares over tiles, dual and linear solvers, trees, boosting, columns in parallel. */
static const char *const MACHINES[] = {
    "machine=onelsm,sigma=1,ridge=0.1",
    "machine=softmax",
    "machine=spoc,kernel=rbf,sigma=1",
    "machine=tree",
    "machine=code,code=ovo,learner=svm,sigma=1",
    "machine=adaboost-mo,code=ova,rounds=20",
    "machine=elm,hidden=100,ridge=1",
};
enum { N_MACHINES = sizeof MACHINES / sizeof *MACHINES };

static struct {
    small s;
    pt_dataset *data;
    size_t bytes; /* of scores */
    double *scores[N_MACHINES];
    pt_model *model[N_MACHINES];
} parent;

/* No cmocka here: a child has its exit code alone. */
static pt_status train_and_predict(int machine, pt_prediction **prediction)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_task *task = NULL;
    pt_model *model = NULL;
    pt_status status = pt_params_new(&params, &err);
    if (status == PT_OK)
        status = pt_params_parse(params, MACHINES[machine], &err);
    if (status == PT_OK)
        status = pt_task_new(&task, &err);
    if (status == PT_OK) {
        pt_task_set_threads(task, 2);
        status = pt_model_train(&model, parent.data, params, task, &err);
    }
    if (status == PT_OK)
        status = pt_model_predict(prediction, model, parent.data, -1, task, &err);
    pt_model_free(model);
    pt_task_free(task);
    pt_params_free(params);
    return status;
}

enum { SAME = 0, FAILED = 1, OTHER_BYTES = 2, OTHER_BYTES_OF_OLD = 3 };

static int compare(int machine, const pt_prediction *prediction)
{
    return memcmp(pt_prediction_scores(prediction), parent.scores[machine], parent.bytes) != 0;
}

static int child(int machine)
{
    pt_prediction *prediction = NULL;
    alarm(SECONDS); /* one that hangs is ended, and the test fails */
    if (train_and_predict(machine, &prediction) != PT_OK)
        return FAILED;
    if (compare(machine, prediction))
        return OTHER_BYTES;
    pt_prediction_free(prediction);
    prediction = NULL;
    if (pt_model_predict(&prediction, parent.model[machine], parent.data, -1, NULL, NULL) != PT_OK)
        return FAILED;
    const int other = compare(machine, prediction); /* the parent's model */
    pt_prediction_free(prediction);
    return other ? OTHER_BYTES_OF_OLD : SAME;
}

static void expect_child(int number)
{
    const int machine = number % N_MACHINES;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(child(machine));
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (WIFSIGNALED(status))
        fail_msg("child %d, %s: signal %d", number, MACHINES[machine], WTERMSIG(status));
    if (WEXITSTATUS(status) != SAME)
        fail_msg("child %d, %s: code %d", number, MACHINES[machine], WEXITSTATUS(status));
}

/* Parallel work; what it gives is what children are to give. */
static int work_in_parent(void **state)
{
    (void)state;
    parent.s = small_clouds(900, 8, 6, 11); /* several tiles */
    parent.data = small_dataset(&parent.s);
    parent.bytes = (size_t)(parent.s.n * parent.s.k) * sizeof(double);
    for (int m = 0; m < N_MACHINES; m++) {
        parent.model[m] = small_train(parent.data, MACHINES[m], 2);
        pt_prediction *prediction = small_predict(parent.model[m], parent.data, 2);
        parent.scores[m] = malloc(parent.bytes);
        assert_non_null(parent.scores[m]);
        memcpy(parent.scores[m], pt_prediction_scores(prediction), parent.bytes);
        pt_prediction_free(prediction);
    }
    return 0;
}

static int clean_up(void **state)
{
    (void)state;
    for (int m = 0; m < N_MACHINES; m++) {
        pt_model_free(parent.model[m]);
        free(parent.scores[m]);
    }
    pt_dataset_free(parent.data);
    small_free(&parent.s);
    return 0;
}

static void test_fork__children_give_the_parents_bytes(void **state)
{
    (void)state;
    for (int i = 0; i < CHILDREN; i++)
        expect_child(i);
}

static atomic_bool enough;
static atomic_int trainings;

static void *train_on(void *context)
{
    (void)context;
    for (int m = 0; !atomic_load(&enough); m = (m + 1) % N_MACHINES) {
        pt_prediction *prediction = NULL;
        if (train_and_predict(m, &prediction) != PT_OK || compare(m, prediction))
            return "a training beside forks went wrong";
        pt_prediction_free(prediction);
        atomic_fetch_add(&trainings, 1);
    }
    return NULL;
}

/* Another thread's loops are cut off in the child wherever they are. */
static void test_fork__among_threads_that_work(void **state)
{
    (void)state;
    pthread_t worker;
    void *wrong = NULL;
    assert_int_equal(pthread_create(&worker, NULL, train_on, NULL), 0);
    for (int i = 0; i < CHILDREN_AMONG_THREADS; i++)
        expect_child(i);
    atomic_store(&enough, true);
    assert_int_equal(pthread_join(worker, &wrong), 0);
    if (wrong)
        fail_msg("%s", (const char *)wrong);
    assert_true(atomic_load(&trainings) > 0);
}

/* A child's child is no different, and the parent goes on as before. */
static void test_fork__grandchildren_and_the_parent_afterwards(void **state)
{
    (void)state;
    const pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        const int own = child(0);
        const pid_t grandchild = own == SAME ? fork() : -1;
        if (grandchild == 0)
            _exit(child(4));
        int status = 0;
        if (grandchild < 0 || waitpid(grandchild, &status, 0) != grandchild || !WIFEXITED(status))
            _exit(own ? own : FAILED);
        _exit(WEXITSTATUS(status));
    }
    int status = 0;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), SAME);
    for (int m = 0; m < N_MACHINES; m++) {
        pt_prediction *prediction = NULL;
        assert_int_equal(train_and_predict(m, &prediction), PT_OK);
        assert_int_equal(compare(m, prediction), 0);
        pt_prediction_free(prediction);
    }
}

int main(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
    return 77; /* it does not follow children of programs with threads */
#endif
#if __has_feature(address_sanitizer)
    return 77; /* a child may be born while another thread holds a lock of its allocator */
#endif
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fork__children_give_the_parents_bytes),
        cmocka_unit_test(test_fork__among_threads_that_work),
        cmocka_unit_test(test_fork__grandchildren_and_the_parent_afterwards),
    };
    return cmocka_run_group_tests(tests, work_in_parent, clean_up);
}
