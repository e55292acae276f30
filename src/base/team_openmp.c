/* Teams by OpenMP: the only file with a pragma. */
#include <omp.h>

#include "base/fork.h"
#include "base/team.h"

void pt_team_run(int members, pt_team_fn body, void *context)
{
    pt_fork_mark_team();
#pragma omp parallel num_threads(members)
    body(context, omp_get_thread_num(), omp_get_num_threads());
}

bool pt_team_is_free(void)
{
    return !omp_in_parallel() && !pt_fork_lost_team();
}

int pt_team_member(void)
{
    return pt_fork_lost_team() ? 0 : omp_get_thread_num();
}

bool pt_team_is_never(void)
{
    return pt_fork_lost_team();
}

int pt_team_processors(void)
{
    return omp_get_num_procs();
}

/* The setting belongs to the calling thread: no other thread of the program sees the change. */
int pt_team_alone_begin(void)
{
    pt_fork_hold();
    const int before = omp_get_max_threads();
    if (before != 1)
        omp_set_num_threads(1);
    return before;
}

void pt_team_alone_end(int before)
{
    if (before != 1)
        omp_set_num_threads(before);
    pt_fork_release();
}

const char *pt_team_name(void)
{
    return "OpenMP";
}
