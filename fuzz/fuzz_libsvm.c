/* libFuzzer on the reader of LIBSVM text. The first byte chooses options, the rest is the file. */
#include "reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as("libsvm", data, size);
    return 0;
}
