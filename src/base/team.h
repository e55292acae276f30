/* The threads of a parallel loop, and all that we ask of OpenMP: team_openmp.c, or team_alone.c in
 * a build without it (-DPOLYTOMY_OPENMP=OFF). */
#ifndef PT_BASE_TEAM_H
#define PT_BASE_TEAM_H

#include <stdbool.h>

/* What a member of a team does; `size` is how many they are, which may be fewer than asked for. */
typedef void (*pt_team_fn)(void *context, int member, int size);

/* Every member runs `body` once, at the same time; returns when all are done. Member 0 is the
 * calling thread. Only where pt_team_is_free(). */
void pt_team_run(int members, pt_team_fn body, void *context);

/* The calling thread may begin a team: it is not in one, the program's own included. */
bool pt_team_is_free(void);
/* The calling thread's number in its team, 0 outside of one. */
int pt_team_member(void);

/* Nobody can ever begin one: a build without OpenMP, or a child of fork() without the threads of
 * its parent, for which the OpenMP of gcc would wait for ever. */
bool pt_team_is_never(void);

/* Processors that this process is allowed to run on. */
int pt_team_processors(void);

/* Between these two OpenMP of other libraries (BLAS) stays on the calling thread, and no fork()
 * happens, which would find their locks held. Inside a team they are alone anyway. Returns what
 * `end` needs to put things back. */
int pt_team_alone_begin(void);
void pt_team_alone_end(int before);

const char *pt_team_name(void); /* "OpenMP"; NULL without */

#endif
