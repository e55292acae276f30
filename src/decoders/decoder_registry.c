/* Every decoder there is. */
#include <string.h>

#include "decoders/decoder.h"
#include "decoders/decoder_inner.h"

const pt_decoder *const pt_decoders[] = {&pt_decoder_inner, NULL};

const pt_decoder *pt_decoder_find(const char *name)
{
    for (int64_t i = 0; pt_decoders[i]; i++)
        if (strcmp(pt_decoders[i]->name, name) == 0)
            return pt_decoders[i];
    return NULL;
}

int64_t pt_decode_argmax(const double *scores, int64_t k)
{
    int64_t best = 0;
    for (int64_t r = 1; r < k; r++)
        if (scores[r] > scores[best])
            best = r;
    return best;
}
