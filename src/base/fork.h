/* Children of fork(). A child has the thread that forked and no other: a team of threads that its
 * parent had is not there, and a lock that another thread held stays locked for ever. */
#ifndef PT_BASE_FORK_H
#define PT_BASE_FORK_H

#include <stdbool.h>

/* A team of threads has run in this process: its children are to know (pthread_atfork, once). */
void pt_fork_mark_team(void);

/* This process is the child of one that had run teams, and has none of their threads. */
bool pt_fork_lost_team(void);

/* Between these two another thread's fork() waits: what runs there holds locks that are not ours
 * (BLAS and its buffers), for as long as one call takes. Each thread may nest them. */
void pt_fork_hold(void);
void pt_fork_release(void);

#endif
