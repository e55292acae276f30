/* A call from C into C++ that comes back, whatever is thrown on the way. */
#ifndef PT_SOLVERS_PROGRAM_GUARD_H
#define PT_SOLVERS_PROGRAM_GUARD_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum pt_guarded {
    PT_GUARD_DONE,
    PT_GUARD_MEMORY, /* std::bad_alloc */
    PT_GUARD_THROWN  /* anything else */
} pt_guarded;

/* Calls work(context). Where that does not return, what it was at is left half done; it owns
 * nothing that it would have freed. Files with such functions are compiled with -fexceptions. */
pt_guarded pt_guard(void (*work)(void *context), void *context);

#ifdef __cplusplus
}
#endif

#endif
