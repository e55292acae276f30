/* All pairs. */
#ifndef PT_CODES_CODE_OVO_H
#define PT_CODES_CODE_OVO_H

#include "codes/code.h"

extern const pt_code_family pt_code_ovo;

#endif
