/* No teams: a build without OpenMP runs every loop on the calling thread. The BLAS that it is
 * linked with may bring an OpenMP of its own, which must be held to one thread all the same; where
 * it brings none, the two weak names are NULL. */
#include <unistd.h>

#include "base/fork.h"
#include "base/team.h"

int omp_get_max_threads(void) __attribute__((weak));
void omp_set_num_threads(int threads) __attribute__((weak));

void pt_team_run(int members, pt_team_fn body, void *context)
{
    (void)members;
    body(context, 0, 1);
}

bool pt_team_is_free(void)
{
    return false;
}

int pt_team_member(void)
{
    return 0;
}

bool pt_team_is_never(void)
{
    return true;
}

int pt_team_processors(void)
{
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 1 ? (int)processors : 1;
}

int pt_team_alone_begin(void)
{
    pt_fork_hold();
    const int before = omp_get_max_threads ? omp_get_max_threads() : 1;
    if (before != 1 && omp_set_num_threads)
        omp_set_num_threads(1);
    return before;
}

void pt_team_alone_end(int before)
{
    if (before != 1 && omp_set_num_threads)
        omp_set_num_threads(before);
    pt_fork_release();
}

const char *pt_team_name(void)
{
    return NULL;
}
