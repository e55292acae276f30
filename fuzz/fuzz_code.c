/* Fuzzing codes from files: any bytes are refused with a reason, or are a code; as a program would
 * read them and, where the first byte says so, for classes that are known. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "codes/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void demand(bool condition)
{
    if (!condition)
        abort();
}

static void check_code(const pt_code *code)
{
    demand(code->k >= 2 && code->ell >= 1);
    for (int64_t i = 0; i < code->k * code->ell; i++)
        demand(code->M[i] >= -1 && code->M[i] <= 1);
    for (int64_t s = 0; s < code->ell; s++)
        demand(pt_code_count(code, s, 1) > 0 && pt_code_count(code, s, -1) > 0);
    pt_code_measure m;
    demand(pt_code_measure_of(&m, code, NULL, NULL) == PT_OK && m.rho > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static char *names[] = {"0", "1", "a"};
    static const pt_texts classes = {.items = names, .count = 3};
    if (size < 1 || size > 4096)
        return 0;
    const int64_t live = pt_alloc_live();
    pt_error err = {.code = PT_OK};
    pt_code code = {0};
    pt_texts found = {NULL, 0, 0};
    char *exact = malloc(size > 1 ? size - 1 : 1); /* ASan sees a step beyond it */
    demand(exact != NULL);
    memcpy(exact, bytes + 1, size - 1);
    const pt_status status = pt_code_read_memory(&code, &found, exact, size - 1, "fuzz",
                                                 bytes[0] & 1 ? &classes : NULL, NULL, NULL, &err);
    free(exact);
    if (status == PT_OK)
        check_code(&code);
    else
        demand(err.code == status && err.text[0]);
    pt_texts_free(&found);
    pt_code_free(&code);
    demand(pt_alloc_live() == live);
    return 0;
}
