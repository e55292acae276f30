/* Every family of codes there is. */
#include <string.h>

#include "codes/code.h"
#include "codes/code_bch.h"
#include "codes/code_complete.h"
#include "codes/code_dense.h"
#include "codes/code_hadamard.h"
#include "codes/code_ordinal.h"
#include "codes/code_ova.h"
#include "codes/code_ovo.h"
#include "codes/code_sparse.h"

const pt_code_family *const pt_code_families[] = {
    &pt_code_ova,      &pt_code_ovo,    &pt_code_complete,
    &pt_code_dense,    &pt_code_sparse, &pt_code_ordinal,
    &pt_code_hadamard, &pt_code_bch,    NULL};

const pt_code_family *pt_code_family_find(const char *name)
{
    for (int64_t i = 0; pt_code_families[i]; i++)
        if (strcmp(pt_code_families[i]->name, name) == 0)
            return pt_code_families[i];
    return NULL;
}
