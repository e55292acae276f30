/* See decoder_hamming.c. */
#ifndef PT_DECODERS_DECODER_HAMMING_H
#define PT_DECODERS_DECODER_HAMMING_H

#include "decoders/decoder.h"

extern const pt_decoder pt_decoder_hamming;

#endif
