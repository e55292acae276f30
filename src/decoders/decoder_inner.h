/* See decoder_inner.c. */
#ifndef PT_DECODERS_DECODER_INNER_H
#define PT_DECODERS_DECODER_INNER_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_inner;

#endif
