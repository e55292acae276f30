/* Codes, whatever their family. */
#include "codes/code.h"

#include <string.h>

#include "base/alloc.h"
#include "base/file.h"
#include "base/registry.h"

int pt_code_entry(const pt_code *code, int64_t r, int64_t s)
{
    if (!code->pairs)
        return code->M[r * code->ell + s];
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(code->k, s, &p, &q);
    return (r == p) - (r == q);
}

void pt_code_free(pt_code *code)
{
    pt_free(code->M);
    *code = (pt_code){0};
}

pt_status pt_code_init_pairs(pt_code *code, int64_t k, pt_error *err)
{
    if (k < 2 || k > INT32_MAX)
        return pt_fail(err, PT_EINVAL, "%lld classes have no pairs", (long long)k);
    *code = (pt_code){.k = k, .ell = pt_pairs_count(k), .pairs = true};
    return PT_OK;
}

pt_status pt_code_from(pt_code *code, int64_t k, int64_t ell, const int8_t *M, pt_error *err)
{
    for (int64_t i = 0; i < k * ell; i++)
        if (M[i] < -1 || M[i] > 1)
            return pt_fail(err, PT_EINVAL, "a code has entries -1, 0 and +1; class %lld has %d",
                           (long long)(i / ell + 1), M[i]);
    int8_t *copy = NULL;
    PT_TRY(PT_NEW(copy, k * ell, "a code", err));
    memcpy(copy, M, (size_t)(k * ell));
    *code = (pt_code){.k = k, .ell = ell, .M = copy};
    return PT_OK;
}

pt_status pt_code_alloc(pt_code *code, int64_t ell, pt_error *err)
{
    size_t cells = 0;
    if (!pt_size_mul((size_t)code->k, (size_t)ell, &cells) || cells > INT64_MAX)
        return pt_fail(err, PT_ELIMIT, "a code of %lld classes and %lld columns is too large",
                       (long long)code->k, (long long)ell);
    code->ell = ell;
    return PT_NEW(code->M, (int64_t)cells, "a code", err);
}

pt_status pt_code_spell_out(pt_code *code, pt_error *err)
{
    pt_code with = {.k = code->k, .recipe = code->recipe};
    if (!code->pairs)
        return PT_OK;
    PT_TRY(pt_code_alloc(&with, code->ell, err));
    for (int64_t r = 0; r < code->k; r++)
        for (int64_t s = 0; s < code->ell; s++)
            with.M[r * code->ell + s] = (int8_t)pt_code_entry(code, r, s);
    *code = with;
    return PT_OK;
}

pt_status pt_code_copy(pt_code *code, const pt_code *from, pt_error *err)
{
    PT_TRY(from->pairs ? pt_code_init_pairs(code, from->k, err)
                       : pt_code_from(code, from->k, from->ell, from->M, err));
    code->recipe = from->recipe;
    return PT_OK;
}

uint64_t pt_code_recipe(const pt_params *params, int64_t k)
{
    static const pt_param_id parts[] = {PT_P_CODE, PT_P_COLUMNS, PT_P_DRAWS, PT_P_PAPER, PT_P_SEED};
    uint64_t sum[2] = {(uint64_t)k, 0};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const char *text = pt_params_text(params, parts[i]);
        sum[1] = pt_checksum(text, strlen(text));
        sum[0] = pt_checksum(sum, sizeof sum);
    }
    return sum[0] | 1;
}

bool pt_code_serves(const pt_code *code, const pt_params *params, int64_t k)
{
    return code && (code->recipe == 0 || code->recipe == pt_code_recipe(params, k));
}

pt_status pt_code_init(pt_code *code, const pt_params *params, int64_t k, const pt_code *given,
                       const pt_task *task, pt_warnings *warnings, pt_error *err)
{
    const char *name = pt_params_text(params, PT_P_CODE);
    const pt_code_family *family = pt_code_family_find(name);
    PT_FREED_BY(pt_warnings_free) pt_warnings unheard = {0};
    if (pt_code_serves(given, params, k))
        return pt_code_copy(code, given, err);
    if (!family)
        return pt_fail(
            err, PT_EINVAL,
            "there is no code '%s' (the code of a file is for a whole command, not for a "
            "point of a grid)",
            name);
    if (k < 2)
        return pt_fail(err, PT_EINVAL, "a code is for two classes at least, not %lld",
                       (long long)k);
    *code = (pt_code){.k = k};
    pt_status status = family->make(code, params, task, warnings ? warnings : &unheard, err);
    code->recipe = pt_code_recipe(params, k);
    if (status != PT_OK)
        pt_code_free(code);
    return status;
}

const pt_code_family *const pt_code_families[] = {
#define PT_ENTRY(entry, name) &pt_code_##entry,
#include "registry/codes.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_code_family_find, pt_code_family, pt_code_families)
