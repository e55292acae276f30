/* What fork() finds: no call of BLAS under way, and a word for the child that it has no team.
 *
 * Whoever holds counts itself first and looks for a fork afterwards; fork() announces itself first
 * and looks at the count afterwards. So one of the two sees the other and waits. */
#include "base/fork.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

static const long NAP_NANOSECONDS = 20000;

static pthread_once_t once = PTHREAD_ONCE_INIT;
static atomic_bool had_team;
static atomic_bool lost_team;
static atomic_int holders;         /* threads between hold and release */
static atomic_int forks;           /* that wait or are under way */
static _Thread_local int my_depth; /* how often this thread holds */

static void nap(void)
{
    nanosleep(&(struct timespec){.tv_nsec = NAP_NANOSECONDS}, NULL);
}

static void before_fork(void)
{
    atomic_fetch_add(&forks, 1);
    while (atomic_load(&holders) > (my_depth > 0 ? 1 : 0))
        nap();
}

static void in_parent(void)
{
    atomic_fetch_sub(&forks, 1);
}

static void in_child(void)
{
    atomic_store(&forks, 0);
    atomic_store(&holders, my_depth > 0 ? 1 : 0);
    if (atomic_load(&had_team))
        atomic_store(&lost_team, true);
}

static void watch(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child);
}

void pt_fork_mark_team(void)
{
    pthread_once(&once, watch);
    if (!atomic_load_explicit(&had_team, memory_order_relaxed))
        atomic_store(&had_team, true);
}

bool pt_fork_lost_team(void)
{
    return atomic_load_explicit(&lost_team, memory_order_relaxed);
}

void pt_fork_hold(void)
{
    pthread_once(&once, watch);
    if (my_depth++ > 0)
        return;
    for (;;) {
        atomic_fetch_add(&holders, 1);
        if (atomic_load(&forks) == 0)
            return;
        atomic_fetch_sub(&holders, 1);
        nap();
    }
}

void pt_fork_release(void)
{
    if (--my_depth == 0)
        atomic_fetch_sub(&holders, 1);
}
