/* A support vector machine for all pairs of classes, written as LIBSVM's svm-train writes it
 * (C-SVC), so that svm-predict takes the same decisions.
 *
 * LIBSVM's outputs are, for the i-th and the j-th label of the file, i < j, which are +1 and -1,
 *
 *     f_ij(x) = sum of sv_coef K(sv, x) over the support vectors of both  -  rho_ij ,
 *
 * and a support vector of the i-th label has k-1 coefficients, for its pairs with the other labels
 * in their order. That is our own layout (learners/pair_expansion.h) with rho = -bias, up to the
 * order of the classes: ours are sorted, svm-train's come as the data has them, and svm-predict
 * breaks ties of votes by that order. Where two classes change places their output changes its
 * sign.
 *
 * A model decoded by coupling has the probability 1 / (1 + e^(-2 t f)) for the first class of a
 * pair; LIBSVM's is 1 / (1 + e^(A f + B)): A = -2 t and B = 0 for all pairs.
 *
 * A linear kernel has no support vectors left, but a weight vector for each pair. It is written as
 * one support vector of the pair's first class, with coefficient 1 in that pair and 0 elsewhere. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"
#include "data/read/number.h"
#include "exchange/model_format.h"
#include "kernels/kernel_params.h"
#include "learners/pair_expansion.h"
#include "machines/codes/machine_code.h"

/* What is written, and where it lies in the arrays of the machine. */
typedef struct svm_export {
    const pt_model *model;
    pt_kernel kernel;
    int64_t k;
    int64_t *order;        /* k: the class that is written as the r-th */
    int64_t *label;        /* k: the number of that class */
    pt_pack pack;          /* of the machine */
    const double *coef;    /* n x (k-1) by class; linear: d x ell */
    const int64_t *first;  /* k + 1; NULL: linear */
    const int64_t *serial; /* precomputed: the rows, from 0; NULL: there are vectors */
    const double *bias;    /* ell, or NULL: none */
    bool constant; /* no row has a coefficient: one stands for them, a LIBSVM model has some */
    pt_rows rows;
    pt_writer *to;
    pt_error *err;
    pt_status status; /* of writing: the first failure stays */
} svm_export;

/* ---- text ------------------------------------------------------------------------------------ */

static void put(svm_export *x, const char *text)
{
    if (x->status == PT_OK)
        x->status = pt_writer_put(x->to, text, strlen(text), x->err);
}

static void put_number(svm_export *x, double value)
{
    if (x->status == PT_OK)
        x->status = pt_writer_number(x->to, value, x->err);
}

static void put_integer(svm_export *x, int64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%lld", (long long)value);
    put(x, text);
}

/* A cell. Of a float the fewest digits that read as the same float: 0.1, not 0.10000000149. */
static void put_cell(svm_export *x, double value)
{
    enum { SHORT = 9, LEAST = 7, MOST = 9 };
    char text[PT_NUMBER_ROOM];
    const int length = pt_number_format(value, text);
    const float wanted = (float)value;
    for (int digits = LEAST; x->rows.type == PT_F32 && length > SHORT && digits <= MOST; digits++) {
        double read = 0;
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (pt_number_parse(text, strlen(text), &read) == PT_NUMBER_FINITE && (float)read == wanted)
            break;
    }
    put(x, text);
}

/* ---- what can be written --------------------------------------------------------------------- */

static pt_status refuse(pt_error *err, const char *what)
{
    return pt_fail(
        err, PT_ENOSUPPORT,
        "a LIBSVM model is a support vector machine for all pairs of classes (--code ovo "
        "--learner svm or linear-svm); %s",
        what);
}

static pt_status check_model(const pt_model *model, pt_error *err)
{
    if (model->machine->ops != &pt_machine_code)
        return refuse(err, "this machine is another one");
    if (!((const pt_code_machine *)model->machine)->code.pairs)
        return refuse(err, "this one has another code");
    const char *learner = pt_params_text(model->params, PT_P_LEARNER);
    if (strcmp(learner, "svm") != 0 && strcmp(learner, "linear-svm") != 0)
        return refuse(err, "this one has another learner");
    if (pt_params_flag(model->params, PT_P_SINGLE_CALL))
        return refuse(err, "this one learned all pairs in a single call");
    return PT_OK;
}

static pt_status find_arrays(svm_export *x, pt_error *err)
{
    const pt_machine *machine = x->model->machine;
    PT_TRY(machine->ops->save(machine, &x->pack, err));
    const bool linear = x->kernel.ops->linear;
    const pt_array *coef = pt_pack_find(&x->pack, "coef");
    const pt_array *first = pt_pack_find(&x->pack, "class_first");
    const pt_array *bias = pt_pack_find(&x->pack, linear ? "bias" : "pair_bias");
    const pt_array *serial = pt_pack_find(&x->pack, "order");
    if (!coef || (!linear && !first))
        return refuse(err, "this one has no support vectors");
    x->coef = coef->value;
    x->first = linear ? NULL : first->value;
    x->bias = bias ? bias->value : NULL;
    x->serial = serial ? serial->value : NULL;
    const int64_t d = pt_prepare_n_outputs(x->model->prepare);
    x->rows = (pt_rows){.d = d, .type = linear ? PT_F64 : pt_model_type(x->model)};
    if (linear) {
        x->rows.n = coef->rows;
        x->rows.dense = coef->value;
        x->rows.stride = d;
        return PT_OK;
    }
    x->rows.n = x->first[x->k];
    return serial ? PT_OK : pt_pack_find_rows(&x->rows, &x->pack, err);
}

/* ---- classes --------------------------------------------------------------------------------- */

/* The class names as numbers that an int holds; false where one is not, or two are the same. */
static bool names_are_labels(const pt_texts *names, int64_t *label)
{
    for (int64_t r = 0; r < names->count; r++) {
        double value = 0;
        if (pt_number_parse(names->items[r], strlen(names->items[r]), &value) != PT_NUMBER_FINITE ||
            value != floor(value) || fabs(value) > INT32_MAX)
            return false;
        label[r] = (int64_t)value;
        for (int64_t o = 0; o < r; o++)
            if (label[o] == label[r])
                return false;
    }
    return true;
}

static void say_numbers(const pt_texts *names, const pt_task *task)
{
    enum { NAMED = 3 };
    char text[200] = "";
    size_t used = 0;
    for (int64_t r = 0; r < names->count && r < NAMED; r++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%lld is '%.40s'",
                                 r ? ", " : "", (long long)r + 1, names->items[r]);
    pt_task_say(task, PT_WARNING, PT_KIND_CLASSES,
                "LIBSVM's labels are integers, and these classes are not: they are numbered in "
                "their order, %s%s",
                text, names->count > NAMED ? ", ..." : "");
}

/* order <- the classes as svm-train finds them in `data`, which have the model's names; of two
 * labels -1 and +1 it takes +1 first. Classes that `data` lacks come last. */
static pt_status order_by_data(svm_export *x, const pt_dataset *data, pt_error *err)
{
    const pt_texts *names = &x->model->classes;
    bool *seen = pt_alloc_zero(x->k, sizeof *seen, "classes", err);
    if (!seen)
        return PT_ENOMEM;
    int64_t found = 0;
    for (int64_t i = 0; data && i < data->n && found < x->k; i++) {
        const int64_t r = pt_dataset_class(data, i);
        const char *name = r >= 0 ? pt_dataset_class_name(data, r) : NULL;
        if (!name || r >= x->k || strcmp(name, names->items[r]) != 0 || seen[r])
            continue;
        seen[r] = true;
        x->order[found++] = r;
    }
    for (int64_t r = 0; r < x->k; r++)
        if (!seen[r])
            x->order[found++] = r;
    pt_free(seen);
    return PT_OK;
}

static pt_status settle_classes(svm_export *x, const pt_dataset *data, const pt_task *task,
                                pt_error *err)
{
    const pt_texts *names = &x->model->classes;
    x->order = pt_alloc(x->k, sizeof *x->order, "classes", err);
    x->label = pt_alloc(x->k, sizeof *x->label, "classes", err);
    PT_SCRATCH int64_t *number = pt_alloc(x->k, sizeof *number, "classes", err);
    if (!x->order || !x->label || !number)
        return PT_ENOMEM;
    PT_TRY(order_by_data(x, data, err));
    if (!names_are_labels(names, number)) {
        for (int64_t r = 0; r < x->k; r++)
            number[r] = r + 1;
        say_numbers(names, task);
    }
    if (data && x->k == 2 && number[x->order[0]] == -1 && number[x->order[1]] == 1) {
        x->order[0] = x->order[1];
        x->order[1] = 1 - x->order[0];
    }
    for (int64_t r = 0; r < x->k; r++)
        x->label[r] = number[x->order[r]];
    return PT_OK;
}

/* ---- support vectors ------------------------------------------------------------------------- */

/* Whether row i of class c has a coefficient that is not zero. */
static bool is_support(const svm_export *x, int64_t c, int64_t i)
{
    if (x->constant)
        return i == 0;
    const int64_t n_c = x->first[c + 1] - x->first[c];
    const double *coef = x->coef + x->first[c] * (x->k - 1) + (i - x->first[c]);
    for (int64_t o = 0; o < x->k - 1; o++)
        if (coef[o * n_c] != 0)
            return true;
    return false;
}

/* How many support vectors of the r-th class are written. */
static int64_t count_support(const svm_export *x, int64_t r)
{
    if (!x->first)
        return x->k - 1 - r; /* one for each pair that it is the first of */
    const int64_t c = x->order[r];
    int64_t count = 0;
    for (int64_t i = x->first[c]; i < x->first[c + 1]; i++)
        count += is_support(x, c, i);
    return count;
}

static bool is_constant(const svm_export *x)
{
    int64_t total = 0;
    for (int64_t r = 0; r < x->k; r++)
        total += count_support(x, r);
    return total == 0;
}

/* The coefficients of row i of the r-th class, in the order of the other classes. */
static void put_coefficients(svm_export *x, int64_t r, int64_t i)
{
    const int64_t c = x->order[r];
    const int64_t n_c = x->first[c + 1] - x->first[c];
    const double *coef = x->coef + x->first[c] * (x->k - 1) + (i - x->first[c]);
    for (int64_t t = 0; t < x->k; t++) {
        const int64_t other = x->order[t];
        if (t == r)
            continue;
        const double value = coef[pt_pair_column_of(c, other) * n_c];
        const bool turned = (c < other) != (r < t);
        put_number(x, turned && value != 0 ? -value : value);
        put(x, " ");
    }
}

static void put_vector(svm_export *x, int64_t i, double sign)
{
    const bool dense = x->rows.dense != NULL;
    const void *values = dense ? x->rows.dense : x->rows.value;
    const int64_t begin = dense ? i * x->rows.stride : x->rows.start[i];
    const int64_t end = dense ? begin + x->rows.d : x->rows.start[i + 1];
    for (int64_t p = begin; p < end; p++) {
        const double value = pt_rows_value(&x->rows, values, p);
        if (value == 0)
            continue;
        put_integer(x, (dense ? p - begin : x->rows.index[p]) + 1);
        put(x, ":");
        put_cell(x, sign * value);
        put(x, " ");
    }
    put(x, "\n");
}

static void put_linear(svm_export *x)
{
    for (int64_t r = 0; r < x->k; r++)
        for (int64_t t = r + 1; t < x->k; t++) {
            const int64_t c = x->order[r];
            const int64_t o = x->order[t];
            for (int64_t u = 0; u < x->k; u++)
                if (u != r)
                    put(x, u == t ? "1 " : "0 ");
            put_vector(x, pt_pairs_column(x->k, c < o ? c : o, c < o ? o : c), c < o ? 1 : -1);
        }
}

static void put_support(svm_export *x)
{
    for (int64_t r = 0; r < x->k; r++) {
        const int64_t c = x->order[r];
        for (int64_t i = x->first[c]; i < x->first[c + 1] && x->status == PT_OK; i++) {
            if (!is_support(x, c, i))
                continue;
            put_coefficients(x, r, i);
            if (x->serial) {
                put(x, "0:");
                put_integer(x, x->serial[i] + 1);
                put(x, "\n");
            } else {
                put_vector(x, i, 1);
            }
        }
    }
}

/* ---- the head -------------------------------------------------------------------------------- */

/* LIBSVM's gamma. Squares of a root: the last of 17 digits would be noise. */
static void put_gamma(svm_export *x, double gamma)
{
    char text[PT_NUMBER_ROOM];
    snprintf(text, sizeof text, "gamma %.15g\n", gamma);
    put(x, text);
}

static pt_status put_kernel(svm_export *x)
{
    const char *name = x->kernel.ops->name;
    const double sigma = x->kernel.sigma;
    const bool poly = strcmp(name, "poly") == 0;
    const bool sigmoid = strcmp(name, "sigmoid") == 0;
    const bool rbf = strcmp(name, "rbf") == 0;
    if (!poly && !sigmoid && !rbf && strcmp(name, "linear") != 0 &&
        strcmp(name, "precomputed") != 0)
        return pt_fail(x->err, PT_ENOSUPPORT,
                       "LIBSVM has no kernel %s; it has linear, poly, rbf, sigmoid and precomputed",
                       name);
    put(x, "svm_type c_svc\nkernel_type ");
    put(x, poly ? "polynomial" : name);
    put(x, "\n");
    if (poly) {
        put(x, "degree ");
        put_integer(x, x->kernel.degree);
        put(x, "\n");
    }
    if (rbf)
        put_gamma(x, 0.5 / (sigma * sigma));
    if (poly || sigmoid) {
        put_gamma(x, 1 / (sigma * sigma));
        put(x, "coef0 ");
        put_number(x, x->kernel.coef0);
        put(x, "\n");
    }
    return x->status;
}

/* One number for each pair of the file, the first label with all others, then the second...:
 * value[s] of our pair s, `turned` where the classes have changed places. */
static double of_pair(const svm_export *x, const double *value, int64_t r, int64_t t, bool *turned)
{
    const int64_t c = x->order[r];
    const int64_t o = x->order[t];
    *turned = c > o;
    return value ? value[pt_pairs_column(x->k, c < o ? c : o, c < o ? o : c)] : 0;
}

static void put_rho(svm_export *x)
{
    put(x, "rho");
    for (int64_t r = 0; r < x->k; r++)
        for (int64_t t = r + 1; t < x->k; t++) {
            bool turned = false;
            const double bias = of_pair(x, x->bias, r, t, &turned);
            put(x, " ");
            put_number(x, turned || bias == 0 ? bias : -bias);
        }
    put(x, "\n");
}

static void put_sigmoids(svm_export *x)
{
    const char *decode = pt_params_text(x->model->params, PT_P_DECODE);
    if (strcmp(decode, "coupling") != 0)
        return;
    const double slope = pt_params_real(x->model->params, PT_P_COUPLING_SLOPE);
    for (int which = 0; which < 2; which++) {
        put(x, which == 0 ? "probA" : "probB");
        for (int64_t s = 0; s < pt_pairs_count(x->k); s++) {
            put(x, " ");
            put_number(x, which == 0 ? -2 * slope : 0);
        }
        put(x, "\n");
    }
}

static void put_counts(svm_export *x)
{
    int64_t total = 0;
    for (int64_t r = 0; r < x->k; r++)
        total += count_support(x, r);
    put(x, "nr_class ");
    put_integer(x, x->k);
    put(x, "\ntotal_sv ");
    put_integer(x, total);
    put(x, "\n");
    put_rho(x);
    put(x, "label");
    for (int64_t r = 0; r < x->k; r++) {
        put(x, " ");
        put_integer(x, x->label[r]);
    }
    put(x, "\n");
    put_sigmoids(x);
    put(x, "nr_sv");
    for (int64_t r = 0; r < x->k; r++) {
        put(x, " ");
        put_integer(x, count_support(x, r));
    }
    put(x, "\nSV\n");
}

static void export_free(svm_export *x)
{
    pt_pack_free(&x->pack);
    pt_free(x->label);
    pt_free(x->order);
}

pt_status pt_libsvm_write(const pt_model *model, const pt_dataset *data, pt_writer *writer,
                          const pt_task *task, pt_error *err)
{
    PT_FREED_BY(export_free)
    svm_export x = {.model = model, .k = model->classes.count, .to = writer, .err = err};
    PT_TRY(check_model(model, err));
    PT_TRY(pt_prepare_only_scales(model->prepare, "LIBSVM", err));
    PT_TRY(pt_kernel_from_params(&x.kernel, model->params, err));
    PT_TRY(find_arrays(&x, err));
    PT_TRY(settle_classes(&x, data, task, err));
    PT_TRY(put_kernel(&x));
    x.constant = is_constant(&x);
    put_counts(&x);
    if (x.first)
        put_support(&x);
    else
        put_linear(&x);
    return x.status;
}

/* ---- svm-scale ------------------------------------------------------------------------------- */

/* The scaling of a model as a range file of LIBSVM's svm-scale, for svm-scale -r.
 *
 * svm-scale maps [least, most] of a feature to [-1, 1]; ours is (v - center) * factor, and so least
 * and most are center -+ 1/factor. A constant feature, factor 0, becomes 0 in both: there least and
 * most are the same. */

static pt_status put_range(pt_writer *writer, const pt_scaling *scaling, pt_error *err)
{
    char text[32];
    const double reach = scaling->factor > 0 ? 1 / scaling->factor : 0;
    const int length = snprintf(text, sizeof text, "%lld ", (long long)scaling->column + 1);
    PT_TRY(pt_writer_put(writer, text, (size_t)length, err));
    PT_TRY(pt_writer_number(writer, scaling->center - reach, err));
    PT_TRY(pt_writer_put(writer, " ", 1, err));
    PT_TRY(pt_writer_number(writer, scaling->center + reach, err));
    return pt_writer_put(writer, "\n", 1, err);
}

static pt_status svm_scale_write(const pt_model *model, const pt_dataset *data, pt_writer *writer,
                                 const pt_task *task, pt_error *err)
{
    static const char HEAD[] = "x\n-1 1\n";
    (void)data;
    (void)task;
    PT_TRY(pt_prepare_only_scales(model->prepare, "svm-scale", err));
    if (!pt_prepare_scales(model->prepare))
        return pt_fail(err, PT_EINVAL,
                       "the model does not scale its data; there is no range to write");
    PT_TRY(pt_writer_put(writer, HEAD, sizeof HEAD - 1, err));
    pt_scaling scaling = {0};
    for (int64_t s = 0; pt_prepare_scaling(model->prepare, s, &scaling); s++)
        PT_TRY(put_range(writer, &scaling, err));
    return PT_OK;
}

const pt_model_format pt_model_format_svm_scale = {
    .name = "svm-scale",
    .summary = "the scaling of a model as a range file of svm-scale -r",
    .write = svm_scale_write,
};
