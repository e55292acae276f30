/* The one file of C++: C has no way to catch what Clp throws where it gets no memory. */
#include "solvers/program/guard.h"

#include <new>

pt_guarded pt_guard(void (*work)(void *context), void *context)
{
    try {
        work(context);
        return PT_GUARD_DONE;
    } catch (const std::bad_alloc &) {
        return PT_GUARD_MEMORY;
    } catch (...) {
        return PT_GUARD_THROWN;
    }
}
