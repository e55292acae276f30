/* Codes in model files. */
#include "machines/codes/code_signs.h"

#include "base/alloc.h"

pt_status pt_code_signs_keep(double **signs, const pt_code *code, pt_error *err)
{
    const int64_t cells = code->k * code->ell;
    if (code->pairs)
        return PT_OK;
    *signs = pt_alloc(cells, sizeof **signs, "a code", err);
    for (int64_t i = 0; *signs && i < cells; i++)
        (*signs)[i] = code->M[i];
    return *signs ? PT_OK : PT_ENOMEM;
}

double pt_code_signs_bytes(const pt_code *code)
{
    const double cells = (double)code->k * (double)code->ell;
    return code->pairs ? 0 : cells * (sizeof *code->M + sizeof(double));
}

void pt_code_signs_save(const double *signs, const pt_code *code, pt_pack *pack)
{
    if (!code->pairs)
        pt_pack_add(pack, "code", PT_F64, code->k, code->ell, signs);
}

static pt_status read_signs(pt_code *code, const pt_array *array, int64_t k, pt_error *err)
{
    if (!pt_array_is_real(array, PT_F64) || array->rows != k || array->columns < 1)
        return pt_fail(err, PT_EFORMAT, "the model's code does not fit its classes");
    const double *value = array->value;
    const int64_t cells = k * array->columns;
    int8_t *M = pt_alloc(cells, 1, "a code", err);
    if (!M)
        return PT_ENOMEM;
    pt_status status = PT_OK;
    for (int64_t i = 0; i < cells && status == PT_OK; i++) {
        if (value[i] != -1 && value[i] != 0 && value[i] != 1)
            status = pt_fail(err, PT_EFORMAT, "the model's code has an entry %g", value[i]);
        else
            M[i] = (int8_t)value[i];
    }
    if (status == PT_OK)
        status = pt_code_from(code, k, array->columns, M, err);
    pt_free(M);
    return status;
}

pt_status pt_code_signs_load(pt_code *code, double **signs, const pt_pack *pack, int64_t k,
                             int64_t *used, pt_error *err)
{
    const pt_array *array = pt_pack_find(pack, "code");
    *used = array != NULL;
    if (!array)
        return pt_code_init_pairs(code, k, err);
    const pt_status status = read_signs(code, array, k, err);
    return status == PT_OK ? pt_code_signs_keep(signs, code, err) : status;
}
