/* The parameters of the group "run" that decide how a task works. */
#include "base/task.h"
#include "params/params.h"

void pt_task_set_params(pt_task *task, const pt_params *params)
{
    if (!task)
        return;
    pt_task_set_threads(task, (int)pt_params_integer(params, PT_P_THREADS));
    pt_task_set_memory(task, pt_params_integer(params, PT_P_MEMORY));
    pt_task_set_time_limit(task, pt_params_real(params, PT_P_TIME));
}
