/* pt_build_info: what this build is made of and what it runs on; and the version, stated once in
 * the public header. */
#include <pthread.h>
#include <stdio.h>

#include "base/team.h"
#include "kernels/loops.h"
#include "linalg/linalg.h"
#include "polytomy/polytomy.h"
#include "solvers/program/linear_program.h"

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "unknown"
#endif

static char info[1024];
static pthread_once_t info_once = PTHREAD_ONCE_INIT;

static void write_info(void)
{
    char blas[256];
    pt_la_describe(blas, sizeof blas);
    const char *remark = pt_isa_remark();
    snprintf(info, sizeof info,
             "version: %s\n"
             "compiler: %s\n"
             "backend: %s\n"
             "blas: %s\n"
             "threads: %s\n"
             "linear programs: %s\n"
             "instruction set: %s%s%s%s\n"
             "tile: %d\n",
             pt_version(), COMPILER, pt_la_backend()->name, blas,
             pt_team_name() ? pt_team_name() : "none (built without OpenMP)",
             pt_lp_solver() ? pt_lp_solver() : "none (built without Clp)", pt_isa_chosen()->name,
             *remark ? " (" : "", remark, *remark ? ")" : "", PT_TILE);
}

const char *pt_build_info(void)
{
    pthread_once(&info_once, write_info);
    return info;
}

const char *pt_version(void)
{
    return PT_VERSION_STRING;
}
