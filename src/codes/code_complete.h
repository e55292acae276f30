/* The complete code. */
#ifndef PT_CODES_CODE_COMPLETE_H
#define PT_CODES_CODE_COMPLETE_H

#include "codes/code.h"

extern const pt_code_family pt_code_complete;

#endif
