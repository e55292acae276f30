/* Tables of what there is: entries whose first member is their name, ended by NULL. */
#ifndef PT_BASE_REGISTRY_H
#define PT_BASE_REGISTRY_H

#include <stddef.h>
#include <string.h>

/* Defines `find`: the entry of a name, or NULL. */
#define PT_REGISTRY_FIND(find, type, table)          \
    const type *find(const char *name)               \
    {                                                \
        for (size_t i = 0; (table)[i]; i++)          \
            if (strcmp((table)[i]->name, name) == 0) \
                return (table)[i];                   \
        return NULL;                                 \
    }

#endif
