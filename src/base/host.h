/* What this process may use of the machine it runs on. */
#ifndef PT_BASE_HOST_H
#define PT_BASE_HOST_H

#include <stdint.h>

/* Processors: those the process is allowed to run on, at most as many as its control group's quota
 * pays for. At least 1. */
int pt_host_processors(void);

/* Threads for who does not say how many: the first number of OMP_NUM_THREADS ("4" or "4,2") as it
 * was when first asked for, else the processors. */
int pt_host_threads(void);
/* The first number of such a text, `otherwise` where it is none or not at least 1. */
int pt_host_threads_of(const char *text, int otherwise);

/* Bytes that could be had now without swapping or hitting a limit: the least of the kernel's
 * estimate, the limits of the control groups (containers), and the limit on address space. The first
 * two are up to 20 ms old. */
int64_t pt_host_memory(void);

/* Bytes that the process has in memory now; 0: not known. */
int64_t pt_host_resident(void);

/* The least that the control groups leave, INT64_MAX where they set no limit. `list` is
 * /proc/self/cgroup and `mount` /sys/fs/cgroup, except in tests. */
int64_t pt_host_cgroup_memory(const char *list, const char *mount);
/* The processors that the quota of the control groups pays for, rounded up; INT32_MAX: no quota. */
int pt_host_cgroup_processors(const char *list, const char *mount);

#endif
