/* Dense random codes. */
#ifndef PT_CODES_CODE_DENSE_H
#define PT_CODES_CODE_DENSE_H

#include "codes/code.h"

extern const pt_code_family pt_code_dense;

#endif
