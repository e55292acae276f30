/* Hadamard codes. */
#ifndef PT_CODES_CODE_HADAMARD_H
#define PT_CODES_CODE_HADAMARD_H

#include "codes/code.h"

extern const pt_code_family pt_code_hadamard;

#endif
