/* Sparse random codes. */
#ifndef PT_CODES_CODE_SPARSE_H
#define PT_CODES_CODE_SPARSE_H

#include "codes/code.h"

extern const pt_code_family pt_code_sparse;

#endif
