/* The ordinal code. */
#ifndef PT_CODES_CODE_ORDINAL_H
#define PT_CODES_CODE_ORDINAL_H

#include "codes/code.h"

extern const pt_code_family pt_code_ordinal;

#endif
