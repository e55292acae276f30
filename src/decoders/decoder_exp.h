/* See decoder_exp.c. */
#ifndef PT_DECODERS_DECODER_EXP_H
#define PT_DECODERS_DECODER_EXP_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_exp;

#endif
