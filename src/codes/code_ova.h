/* One against all. */
#ifndef PT_CODES_CODE_OVA_H
#define PT_CODES_CODE_OVA_H

#include "codes/code.h"

extern const pt_code_family pt_code_ova;

#endif
