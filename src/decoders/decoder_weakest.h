/* See decoder_weakest.c. */
#ifndef PT_DECODERS_DECODER_WEAKEST_H
#define PT_DECODERS_DECODER_WEAKEST_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_weakest;

#endif
