/* Polytomy from R: what .Call needs; polytomy_proof.R has the rest. Matrices are read where they
 * are. Errors of R jump out of a function: nothing of the library is held when one is raised. */
#include <Rinternals.h>
#include <polytomy/polytomy.h>
#include <string.h>

static void check(pt_status status, const pt_error *err)
{
    if (status != PT_OK)
        Rf_error("%s: %s", pt_status_name(status), err->text);
}

static const pt_model *model_of(SEXP pointer) /* one that R has saved comes back as NULL */
{
    if (!R_ExternalPtrAddr(pointer))
        Rf_error("the model is gone: keep its bytes");
    return R_ExternalPtrAddr(pointer);
}

static void free_model(SEXP pointer)
{
    pt_model_free(R_ExternalPtrAddr(pointer));
}

static pt_status data_of(pt_dataset **data, SEXP X, pt_error *err) /* NA is a NaN: missing */
{
    const pt_dense dense = {PT_F64, REAL(X), Rf_nrows(X), Rf_ncols(X), 1, Rf_nrows(X)};
    return pt_dataset_from_dense(data, &dense, PT_BORROW, err);
}

/* A model from its bytes, or with NULL a place for one. */
SEXP polytomy_load(SEXP bytes)
{
    pt_model *model = NULL;
    pt_error err = PT_ERROR_INIT;
    SEXP out = PROTECT(R_MakeExternalPtr(NULL, R_NilValue, R_NilValue));
    R_RegisterCFinalizerEx(out, free_model, TRUE);
    if (!Rf_isNull(bytes))
        check(pt_model_load_memory(&model, RAW(bytes), Rf_length(bytes), NULL, &err), &err);
    R_SetExternalPtrAddr(out, model);
    UNPROTECT(1);
    return out;
}

SEXP polytomy_save(SEXP model)
{
    void *bytes = NULL;
    size_t size = 0;
    pt_error err = PT_ERROR_INIT;
    check(pt_model_save_memory(&bytes, &size, model_of(model), &err), &err);
    SEXP out = Rf_allocVector(RAWSXP, (R_xlen_t)size); /* the bytes leak where this fails */
    memcpy(RAW(out), bytes, size);
    pt_bytes_free(bytes);
    return out;
}

/* X: a matrix of doubles; y: numbers into `levels` from 0, -1 without label; a=1,b=2. */
SEXP polytomy_fit(SEXP out, SEXP X, SEXP y, SEXP levels, SEXP options)
{
    const char **name = (const char **)R_alloc(Rf_length(levels), sizeof *name);
    for (int r = 0; r < Rf_length(levels); r++)
        name[r] = CHAR(STRING_ELT(levels, r));
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_params *params = NULL;
    pt_model *model = NULL;
    if (!data_of(&data, X, &err) && !pt_params_new(&params, &err) &&
        !pt_dataset_set_classes(data, PT_I32, INTEGER(y), name, Rf_length(levels), &err) &&
        !pt_params_parse(params, CHAR(STRING_ELT(options, 0)), &err) &&
        !pt_model_train(&model, data, params, NULL, &err))
        R_SetExternalPtrAddr(out, model);
    pt_params_free(params);
    pt_dataset_free(data);
    check(err.code, &err);
    return out;
}

/* The classes; the number of each row's class, from 0; its probabilities, k x n. */
SEXP polytomy_predict(SEXP model, SEXP X)
{
    const int n = Rf_nrows(X), k = (int)pt_model_n_classes(model_of(model));
    SEXP out = PROTECT(Rf_allocVector(VECSXP, 3)), class = Rf_allocVector(STRSXP, k);
    SET_VECTOR_ELT(out, 0, class);
    SET_VECTOR_ELT(out, 1, Rf_allocVector(INTSXP, n));
    SET_VECTOR_ELT(out, 2, Rf_allocMatrix(REALSXP, k, n));
    for (int r = 0; r < k; r++)
        SET_STRING_ELT(class, r, Rf_mkCharCE(pt_model_class_name(model_of(model), r), CE_UTF8));
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_prediction *p = NULL;
    if (!data_of(&data, X, &err) && !pt_model_predict(&p, model_of(model), data, -1, NULL, &err) &&
        !pt_prediction_proba(p, REAL(VECTOR_ELT(out, 2)), &err))
        for (int i = 0; i < n; i++)
            INTEGER(VECTOR_ELT(out, 1))[i] = (int)pt_prediction_labels(p)[i];
    pt_prediction_free(p);
    pt_dataset_free(data);
    check(err.code, &err);
    UNPROTECT(1);
    return out;
}
