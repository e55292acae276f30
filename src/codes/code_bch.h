/* BCH codes. */
#ifndef PT_CODES_CODE_BCH_H
#define PT_CODES_CODE_BCH_H

#include "codes/code.h"

extern const pt_code_family pt_code_bch;

#endif
