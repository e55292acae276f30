/* Loss-based decoding. */
#ifndef PT_DECODERS_DECODER_LOSS_H
#define PT_DECODERS_DECODER_LOSS_H

#include "decoders/decoder.h"

extern const pt_column_gains pt_logistic_gains;

#endif
