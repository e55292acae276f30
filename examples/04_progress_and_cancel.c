/* 04: progress and cancellation. Work is done under a task, which holds threads, memory, a time
 * limit and two callbacks. Here the progress callback itself asks to stop at the first sign of
 * life, as a button in a window or a signal handler would; the second run is left alone.
 *
 *     04_progress_and_cancel
 */
#include <polytomy/experimental.h>
#include <polytomy/polytomy.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct watch {
    pt_task *task;
    int stop_early; /* cancel at the first call */
    int calls;
} watch;

static void check(pt_status status, const pt_error *err)
{
    char message[PT_ERROR_MESSAGE];
    if (status == PT_OK)
        return;
    fprintf(stderr, "%s\n", pt_error_message(err, message, sizeof message));
    exit(1);
}

/* Called on the thread that called the library: often, so it should be quick. */
static void on_progress(const char *stage, double done, double total, void *user)
{
    watch *w = user;
    w->calls++;
    if (w->calls == 1)
        printf("  %s: %.0f of %.0f\n", stage, done, total);
    if (w->stop_early)
        pt_task_cancel(w->task);
}

/* Trains on `data` under a task of its own; says how it ended. */
static void train(const pt_dataset *data, int stop_early)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    watch w = {.stop_early = stop_early};
    check(pt_task_new(&w.task, &err), &err);
    check(pt_task_set(w.task, "threads", 2, &err), &err);
    pt_task_on_progress(w.task, on_progress, &w);

    printf("%s\n", stop_early ? "training, to be cancelled:" : "training, left alone:");
    pt_status status = pt_model_train(&model, data, NULL, w.task, &err);
    if (status == PT_ECANCELLED)
        printf("  stopped: %s\n", err.text); /* nothing is left to free but the task */
    else
        check(status, &err);
    if (model)
        printf("  trained: %lld classes\n", (long long)pt_model_n_classes(model));

    pt_model_free(model);
    pt_task_free(w.task);
}

int main(void)
{
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    check(pt_dataset_synth(&data, "cs", 500, NULL, &err), &err);
    train(data, 1);
    train(data, 0);
    pt_dataset_free(data);
    return 0;
}
