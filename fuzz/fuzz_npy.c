/* libFuzzer on NPY and NPZ: whichever the bytes begin like. Checksums of zip members are not
 * looked at in this build (FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION), so that mutations get behind
 * them. */
#include "reader_target.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_as(size > 1 && data[1] == 'P' ? "npz" : "npy", data, size);
    return 0;
}
