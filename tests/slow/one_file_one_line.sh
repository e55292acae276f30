#!/bin/sh
# "Adding one is one file and one line": a kernel, a learner, a machine, a code and a decoder are added to
# a scratch copy of the tree, each as one new file and one line of src/registry, and nothing else is touched. The tool is
# built of it, knows them by name, trains with each, and predicts by the models that it wrote.
#
#     tests/slow/one_file_one_line.sh [TOOL]          TOOL is not used: the copy has its own
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tree=$work/tree
mkdir "$tree"
cd "$here"
tar cf - CMakeLists.txt cmake include src cli data/iris.csv | (cd "$tree" && tar xf -)
cp -r "$tree/src" "$work/before"
cd "$tree"

# ---- a kernel: 1 / (1 + ||x - z||^2 / sigma^2) ---------------------------------------------------

echo 'PT_ENTRY(cauchy, "cauchy")' >>src/registry/kernels.def
cat >src/kernels/kernel_cauchy.c <<'C'
/* The kernel of Cauchy, 1 / (1 + ||x - z||^2 / sigma^2). */
#include "kernels/kernel.h"

static void cauchy_map(const pt_kernel *kernel, pt_type type, void *value, int64_t count)
{
    const double scale = pt_kernel_scale(1, kernel->sigma, kernel->sigma, type);
    for (int64_t i = 0; i < count; i++) {
        if (type == PT_F32)
            ((float *)value)[i] = (float)(1 / (1 + (double)((float *)value)[i] * scale));
        else
            ((double *)value)[i] = 1 / (1 + ((double *)value)[i] * scale);
    }
}

const pt_kernel_ops pt_kernel_cauchy = {
    .name = "cauchy",
    .summary = "1 / (1 + ||x-z||^2 / sigma^2)",
    .parameters = "sigma",
    .base = PT_BASE_SQUARED_DISTANCE,
    .psd = true,
    .map = cauchy_map,
};
C

# ---- a learner: the side whose mean is nearer ----------------------------------------------------

echo 'PT_ENTRY(means, "means")' >>src/registry/learners.def
cat >src/learners/learner_means.c <<'C'
/* A column says on which side of the middle between the means of its two sides a row lies:
 * f(x) = w . x + b with w = m+ - m-, b = -(m+ + m-) . w / 2. */
#include "base/alloc.h"
#include "learners/learner.h"

typedef struct means {
    pt_learner base;
    int64_t d;
    int64_t ell;
    double *w; /* ell x (d + 1): w and b of each column */
} means;

static void means_free(pt_learner *learner)
{
    pt_free(((means *)learner)->w);
}

static pt_status means_init(means *m, int64_t d, int64_t ell, pt_error *err)
{
    m->d = d;
    m->ell = ell;
    m->w = pt_alloc_zero(ell, (size_t)(d + 1) * sizeof *m->w, "means", err);
    return m->w ? PT_OK : PT_ENOMEM;
}

static double value_of(const pt_rows *rows, int64_t i, int64_t j)
{
    return pt_rows_value(rows, rows->dense, i * rows->stride + j);
}

static pt_status means_plan(const pt_rows *rows, const pt_columns *columns, const pt_params *params,
                            const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)params;
    (void)task;
    (void)err;
    plan->bytes = 8.0 * (double)columns->ell * (double)(rows->d + 1);
    plan->flops = 2.0 * (double)rows->n * (double)rows->d * (double)columns->ell;
    return PT_OK;
}

static pt_status means_fit(pt_learner *learner, const pt_rows *rows, const pt_columns *columns,
                           const pt_params *params, const pt_task *task, pt_texts *warnings,
                           pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    means *m = (means *)learner;
    PT_TRY(means_init(m, rows->d, columns->ell, err));
    for (int64_t s = 0; s < columns->ell; s++) {
        double *w = m->w + s * (rows->d + 1);
        double count[2] = {0, 0};
        for (int64_t i = 0; i < rows->n; i++) {
            const int side = pt_columns_sign(columns, columns->group_of[i], s);
            if (side != 0)
                count[side > 0]++;
        }
        for (int64_t j = 0; j < rows->d; j++) {
            double mean[2] = {0, 0};
            for (int64_t i = 0; i < rows->n; i++) {
                const int side = pt_columns_sign(columns, columns->group_of[i], s);
                if (side != 0)
                    mean[side > 0] += value_of(rows, i, j) / count[side > 0];
            }
            w[j] = mean[1] - mean[0];
            w[rows->d] -= (mean[1] + mean[0]) / 2 * w[j];
        }
    }
    return PT_OK;
}

static pt_status means_outputs(const pt_learner *learner, const pt_rows *rows, double *outputs,
                               const pt_task *task, pt_error *err)
{
    (void)task;
    (void)err;
    const means *m = (const means *)learner;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t s = 0; s < m->ell; s++) {
            const double *w = m->w + s * (m->d + 1);
            double f = w[m->d];
            for (int64_t j = 0; j < m->d; j++)
                f += w[j] * value_of(rows, i, j);
            outputs[i * m->ell + s] = f;
        }
    return PT_OK;
}

static pt_status means_save(const pt_learner *learner, pt_pack *pack, pt_error *err)
{
    (void)err;
    const means *m = (const means *)learner;
    pt_pack_add(pack, "means", PT_F64, m->ell, m->d + 1, m->w);
    return PT_OK;
}

static pt_status means_load(pt_learner *learner, const pt_pack *pack, int64_t n_inputs,
                            const pt_columns *columns, const pt_params *params, int64_t *used,
                            pt_error *err)
{
    (void)params;
    const pt_array *array = pt_pack_find(pack, "means");
    means *m = (means *)learner;
    if (!pt_array_is_real(array, PT_F64) || array->rows != columns->ell ||
        array->columns != n_inputs + 1)
        return pt_fail(err, PT_EFORMAT, "the model has no means of its columns");
    PT_TRY(means_init(m, n_inputs, columns->ell, err));
    for (int64_t i = 0; i < array->rows * array->columns; i++)
        m->w[i] = ((const double *)array->value)[i];
    *used = 1;
    return PT_OK;
}

const pt_learner_ops pt_learner_means = {
    .name = "means",
    .summary = "the side whose mean is nearer",
    .parameters = "precision",
    .loss = &pt_loss_square,
    .size = sizeof(means),
    .plan = means_plan,
    .fit = means_fit,
    .outputs = means_outputs,
    .free = means_free,
    .save = means_save,
    .load = means_load,
};
C

# ---- a machine: the class whose mean is nearest --------------------------------------------------

echo 'PT_ENTRY(nearest_mean, "nearest-mean")' >>src/registry/machines.def
cat >src/machines/machine_nearest_mean.c <<'C'
/* The class whose mean is nearest: f_r(x) = -||x - m_r||^2. */
#include "base/alloc.h"
#include "machine/machine.h"

typedef struct nearest_mean {
    pt_machine base;
    int64_t k;
    int64_t d;
    double *mean; /* k x d */
} nearest_mean;

static void nearest_free(pt_machine *machine)
{
    pt_free(((nearest_mean *)machine)->mean);
}

static pt_status nearest_init(nearest_mean *m, int64_t k, int64_t d, pt_error *err)
{
    m->k = k;
    m->d = d;
    m->mean = pt_alloc_zero(k, (size_t)d * sizeof *m->mean, "means", err);
    return m->mean ? PT_OK : PT_ENOMEM;
}

static pt_status nearest_plan(const pt_problem *problem, const pt_params *params,
                              const pt_task *task, pt_plan *plan, pt_error *err)
{
    (void)params;
    (void)task;
    (void)err;
    plan->bytes = 8.0 * (double)pt_labels_n_classes(problem->labels) * (double)problem->rows.d;
    plan->flops = 2.0 * (double)problem->rows.n * (double)problem->rows.d;
    return PT_OK;
}

static pt_status nearest_fit(pt_machine *machine, const pt_problem *problem, const pt_params *params,
                             const pt_task *task, pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    const pt_rows *rows = &problem->rows;
    nearest_mean *m = (nearest_mean *)machine;
    PT_TRY(nearest_init(m, pt_labels_n_classes(problem->labels), rows->d, err));
    for (int64_t r = 0; r < m->k; r++) {
        double count = 0;
        for (int64_t i = 0; i < rows->n; i++)
            count += problem->labels->class_of[i] == r;
        for (int64_t i = 0; i < rows->n; i++)
            for (int64_t j = 0; j < m->d && problem->labels->class_of[i] == r; j++)
                m->mean[r * m->d + j] +=
                    pt_rows_value(rows, rows->dense, i * rows->stride + j) / count;
    }
    return PT_OK;
}

static pt_status nearest_scores(const pt_machine *machine, const pt_rows *rows, double *scores,
                                const pt_task *task, pt_error *err)
{
    (void)task;
    (void)err;
    const nearest_mean *m = (const nearest_mean *)machine;
    for (int64_t i = 0; i < rows->n; i++)
        for (int64_t r = 0; r < m->k; r++) {
            double distance = 0;
            for (int64_t j = 0; j < m->d; j++) {
                const double apart = pt_rows_value(rows, rows->dense, i * rows->stride + j) -
                                     m->mean[r * m->d + j];
                distance += apart * apart;
            }
            scores[i * m->k + r] = -distance;
        }
    return PT_OK;
}

static pt_status nearest_save(const pt_machine *machine, pt_pack *pack, pt_error *err)
{
    const nearest_mean *m = (const nearest_mean *)machine;
    PT_TRY(pt_pack_begin(pack, err));
    pt_pack_add(pack, "means", PT_F64, m->k, m->d, m->mean);
    return PT_OK;
}

static pt_status nearest_load(pt_machine *machine, const pt_pack *pack, int64_t n_inputs,
                              int64_t n_classes, const pt_params *params, int64_t *used,
                              pt_error *err)
{
    (void)params;
    const pt_array *array = pt_pack_find(pack, "means");
    nearest_mean *m = (nearest_mean *)machine;
    if (!pt_array_is_real(array, PT_F64) || array->rows != n_classes || array->columns != n_inputs)
        return pt_fail(err, PT_EFORMAT, "the model has no means of its classes");
    PT_TRY(nearest_init(m, n_classes, n_inputs, err));
    *used = 1;
    for (int64_t i = 0; i < array->rows * array->columns; i++)
        m->mean[i] = ((const double *)array->value)[i];
    return PT_OK;
}

const pt_machine_ops pt_machine_nearest_mean = {
    .name = "nearest-mean",
    .summary = "the class whose mean is nearest",
    .parameters = "precision",
    .label_kinds = 1u << PT_LABEL_CLASS,
    .size = sizeof(nearest_mean),
    .plan = nearest_plan,
    .fit = nearest_fit,
    .scores = nearest_scores,
    .free = nearest_free,
    .save = nearest_save,
    .load = nearest_load,
};
C

# ---- a code: class r against the next, a circle of columns ---------------------------------------

echo 'PT_ENTRY(circle, "circle")' >>src/registry/codes.def
cat >src/codes/code_circle.c <<'C'
/* A circle: column s tells class s from class s + 1, the last from the first. */
#include <string.h>

#include "codes/code.h"

static pt_status circle_make(pt_code *code, const pt_params *params, const pt_task *task,
                             pt_texts *warnings, pt_error *err)
{
    (void)params;
    (void)task;
    (void)warnings;
    const int64_t k = code->k;
    PT_TRY(pt_code_alloc(code, k, err));
    memset(code->M, 0, (size_t)(k * k));
    for (int64_t s = 0; s < k; s++) {
        code->M[s * k + s] = 1;
        code->M[(s + 1) % k * k + s] = -1;
    }
    return PT_OK;
}

const pt_code_family pt_code_circle = {.name = "circle",
                                       .summary = "each class against the next",
                                       .parameters = "",
                                       .zeros = true,
                                       .make = circle_make};
C

# ---- a decoder: outputs count as far as 1 --------------------------------------------------------

echo 'PT_ENTRY(clipped, "clipped")' >>src/registry/decoders.def
cat >src/decoders/decoder_clipped.c <<'C'
/* Outputs, of which no more than 1 counts, added up by the signs of the class. */
#include "decoders/decoder.h"

static double clip(double f)
{
    return f > 1 ? 1 : f < -1 ? -1 : f;
}

static void clipped_from_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                              const double *outputs, double *scores, double *work)
{
    (void)decoder;
    (void)work;
    for (int64_t i = 0; i < n; i++)
        for (int64_t r = 0; r < code->k; r++) {
            scores[i * code->k + r] = 0;
            for (int64_t s = 0; s < code->ell; s++)
                scores[i * code->k + r] +=
                    pt_code_entry(code, r, s) * clip(outputs[i * code->ell + s]);
        }
}

const pt_decoder pt_decoder_clipped = {.name = "clipped",
                                       .summary = "codes: outputs count as far as 1",
                                       .from_code = clipped_from_code};
C

# ---- no more than five files and five lines ------------------------------------------------------

changed=$(diff -r "$work/before" src | grep -c '^[<>]') || true
new=$(diff -rq "$work/before" src | grep -c '^Only in src') || true
[ "$changed $new" = "5 5" ] || { echo "$changed lines and $new files: more than one of each"; exit 1; }

# ---- the tool knows them, and learns with them ---------------------------------------------------

cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE=-O1 -DPOLYTOMY_TESTS=OFF \
    >configure.log 2>&1 || { cat configure.log; exit 1; }
[ -z "$(find build -name 'test_*' -o -name 'example_*')" ] || { echo "tests were built"; exit 1; }
cmake --build build -j "${JOBS:-2}" --target polytomy_cli >build.log 2>&1 || { tail -n 40 build.log; exit 1; }
tool=build/polytomy

try() { # NAME OPTION...: trains, writes, reads, predicts; at most 30 of 150 rows are wrong
    name=$1
    shift
    "$tool" train data/iris.csv -o m "$@" >/dev/null
    "$tool" info m | grep -q "$name" || { echo "the model does not name $name"; exit 1; }
    "$tool" predict m data/iris.csv >labels
    wrong=$(tail -n +2 data/iris.csv | awk -F, '{print $NF}' | paste -d, - labels |
        awk -F, '$1 != $2 {wrong++} END {print wrong + 0}')
    echo "$name: $wrong of 150 wrong"
    [ "$wrong" -le 30 ]
    "$tool" cv data/iris.csv --folds 3 "$@" >/dev/null # held out, too
}
"$tool" help --json >help.json
for name in cauchy means nearest-mean circle clipped; do
    grep -q "\"$name\"" help.json || { echo "help does not list $name"; exit 1; }
done
try cauchy --kernel cauchy --sigma 1 --ridge 0.1
try means --code ovo --learner means
try nearest-mean --machine nearest-mean
try circle --code circle --learner svm
try clipped --code ova --learner svm --decode clipped
