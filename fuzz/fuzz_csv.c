/* libFuzzer on the reader of CSV and TSV. The first byte chooses options, the rest is the file. */
#include "reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as("csv", data, size);
    read_as("tsv", data, size);
    return 0;
}
