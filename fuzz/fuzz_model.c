/* libFuzzer on the model file. A plain mutation would die at the first checksum, so
 *
 *   - the mutator usually takes the container apart, changes the contents or the shape of one
 * section and packs it again (the JSON grows and shrinks, everything else stays right);
 *   - sometimes it changes bytes anywhere, and then makes length and checksums right again;
 *   - the target itself mends checksums before it opens anything.
 *
 * Whatever opens is read byte for byte; whatever loads as a model predicts a few rows: dense,
 * sparse and with nominal and missing cells. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../tests/support/from_memory.h"
#include "../tests/support/mend.h"
#include "base/alloc.h"
#include "model/model.h"
#include "store/container.h"

enum { MAX_SECTIONS = 64, MAX_VALUE = 1 << 16, ROWS = 3, MAX_COLUMNS = 256 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const pt_container *container)
{
    for (int64_t i = 0; i < pt_container_count(container); i++) {
        const pt_section *section = pt_container_section(container, i);
        const unsigned char *bytes = section->value;
        if (pt_container_find(container, section->tag) != section)
            abort();
        volatile unsigned char seen = 0; /* keeps the reads */
        for (size_t j = 0; j < section->bytes; j++)
            seen ^= bytes[j];
        (void)seen;
    }
}

/* Sets by the held-out rows that the file claims. */
static void decide(const pt_model *model, pt_prediction *prediction)
{
    static const char *const RULES[] = {"coverage=0.7", "coverage=0.7,coverage-by=class",
                                        "reject=0.5"};
    for (size_t rule = 0; rule < sizeof RULES / sizeof *RULES; rule++) {
        pt_params *params = NULL;
        if (pt_params_new(&params, NULL) != PT_OK)
            return;
        if (pt_params_parse(params, RULES[rule], NULL) == PT_OK)
            (void)pt_prediction_decide(prediction, model, params, NULL);
        for (int64_t i = 0; i < pt_prediction_n_examples(prediction); i++)
            if (pt_prediction_set(prediction, i, NULL, 0) > pt_model_n_classes(model))
                abort();
        pt_params_free(params);
    }
}

static void predict(const pt_model *model, const pt_dataset *data)
{
    pt_error err = PT_ERROR_INIT;
    pt_prediction *prediction = NULL;
    if (pt_model_predict(&prediction, model, data, -1, NULL, &err) != PT_OK)
        return;
    const int64_t n = pt_prediction_n_examples(prediction);
    const int64_t k = pt_model_n_classes(model);
    for (int64_t i = 0; i < n; i++)
        if (pt_prediction_labels(prediction)[i] < 0 || pt_prediction_labels(prediction)[i] >= k)
            abort();
    double *proba = malloc((size_t)(n * k) * sizeof *proba);
    if (proba)
        (void)pt_prediction_proba(prediction, proba, &err);
    free(proba);
    decide(model, prediction);
    pt_prediction_free(prediction);
}

/* Rows of as many columns as the model wants, dense and sparse. */
static void predict_numbers(const pt_model *model)
{
    static double value[ROWS * MAX_COLUMNS];
    static int64_t index[ROWS * MAX_COLUMNS];
    int64_t start[ROWS + 1] = {0};
    const int64_t d = pt_prepare_n_inputs(model->prepare);
    const int64_t listed = d < MAX_COLUMNS ? d : MAX_COLUMNS;
    for (int64_t i = 0; i < ROWS; i++) {
        start[i + 1] = start[i] + listed;
        for (int64_t j = 0; j < listed; j++) {
            value[i * listed + j] = (double)(i * j % 7) - 1.5;
            index[i * listed + j] = j;
        }
    }
    pt_dataset *data = NULL;
    if (d == listed && dataset_from_f64(&data, value, ROWS, d, d, NULL) == PT_OK)
        predict(model, data);
    pt_dataset_free(data);
    data = NULL;
    if (dataset_from_csr(&data, start, index, value, ROWS, d, NULL) == PT_OK)
        predict(model, data);
    pt_dataset_free(data);
}

/* Cells that are names, and holes. */
static void predict_cells(const pt_model *model)
{
    static const char text[] = "length,colour,\"width, mm\",kind\n1.5,red,,\n,black,2,\n1,?,1e9,\n";
    pt_dataset *data = NULL;
    if (pt_dataset_read_memory(&data, text, sizeof text - 1, "fuzz.csv", NULL, NULL, NULL) == PT_OK)
        predict(model, data);
    pt_dataset_free(data);
}

static void use_model(const unsigned char *bytes, size_t size)
{
    pt_error err = PT_ERROR_INIT;
    pt_model *model = NULL;
    if (pt_model_load_memory(&model, bytes, size, NULL, &err) != PT_OK)
        return;
    for (int64_t r = 0; r < pt_model_n_classes(model); r++)
        if (!pt_model_class_name(model, r))
            abort();
    if (!pt_model_metadata(model))
        abort();
    predict_numbers(model);
    predict_cells(model);
    pt_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    unsigned char *bytes = malloc(size ? size : 1); /* exactly: ASan sees a step beyond it */
    if (!bytes)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    mend_checksums(bytes, size);

    pt_error err = PT_ERROR_INIT;
    pt_container *container = NULL;
    if (pt_container_open_memory(&container, bytes, size, "fuzz", &err) == PT_OK)
        walk(container);
    pt_container_close(container);
    use_model(bytes, size);
    free(bytes);
    return 0;
}

/* Puts a number that nobody expects in the place of one of a JSON text. The new size. */
static size_t replace_number(uint8_t *text, size_t size, size_t capacity, unsigned seed)
{
    static const char *const numbers[] = {
        "0",
        "-1",
        "1",
        "2",
        "4294967296",
        "1000000000000",
        "9223372036854775807",
        "-9223372036854775808",
        "1e308",
        "-1e308",
        "5e-324",
        "0.5",
        "null",
        "[]",
        "\"x\"",
    };
    const char *number = numbers[seed % (sizeof numbers / sizeof *numbers)];
    const size_t length = strlen(number);
    size_t first = size ? seed / 16 % size : 0;
    while (first < size && (text[first] < '0' || text[first] > '9'))
        first++;
    size_t last = first;
    while (last < size && ((text[last] >= '0' && text[last] <= '9') || text[last] == '.'))
        last++;
    if (first == last || size - (last - first) + length > capacity)
        return LLVMFuzzerMutate(text, size, capacity);
    memmove(text + first + length, text + last, size - last);
    memcpy(text + first, number, length);
    return size - (last - first) + length;
}

/* A shape for the bytes that a section now has: usually one that fits. */
static void reshape(pt_section *section, unsigned seed)
{
    static const size_t sizes[] = {1, 4, 8, 8};
    const size_t size = sizes[section->kind];
    int64_t elements = (int64_t)(section->bytes / size);
    section->bytes = (size_t)elements * size;
    if (section->kind == PT_SECTION_BYTES) {
        section->rows = elements;
        return;
    }
    if (seed % 8 == 0) {
        section->rows = section->columns;
        section->columns = section->rows ? elements / section->rows : 0;
    }
    if (section->columns <= 0 || elements % section->columns != 0) {
        section->rows = elements;
        section->columns = 1;
    } else {
        section->rows = elements / section->columns;
    }
}

/* Takes it apart, changes one section, packs it. 0 where it could not. */
static size_t mutate_section(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    static uint8_t value[MAX_VALUE];
    pt_section sections[MAX_SECTIONS];
    pt_container *container = NULL;
    void *packed = NULL;
    size_t packed_size = 0;
    if (pt_container_open_memory(&container, data, size, "fuzz", NULL) != PT_OK)
        return 0;
    const int64_t count = pt_container_count(container);
    if (count > 0 && count <= MAX_SECTIONS) {
        for (int64_t i = 0; i < count; i++)
            sections[i] = *pt_container_section(container, i);
        /* Every other time the first one: it holds the metadata. */
        pt_section *chosen = &sections[seed & 1 ? 0 : seed / 2 % (unsigned)count];
        if (chosen->bytes <= sizeof value) {
            if (chosen->bytes > 0)
                memcpy(value, chosen->value, chosen->bytes);
            if (chosen->kind == PT_SECTION_BYTES && seed / 256 % 4 == 0)
                chosen->bytes = replace_number(value, chosen->bytes, sizeof value, seed / 1024);
            else
                chosen->bytes = LLVMFuzzerMutate(value, chosen->bytes, sizeof value);
            chosen->value = value;
            reshape(chosen, seed / 64);
            (void)pt_container_pack(&packed, &packed_size, sections, count, NULL);
        }
    }
    const size_t result = packed && packed_size <= max_size ? packed_size : 0;
    pt_container_close(container); /* the sections point into data until here */
    if (result > 0)
        memcpy(data, packed, result);
    pt_free(packed);
    return result;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned int seed)
{
    if (seed % 4 != 0) {
        const size_t done = mutate_section(data, size, max_size, seed / 4);
        if (done > 0)
            return done;
    }
    size = LLVMFuzzerMutate(data, size, max_size);
    if (seed / 4 % 8 != 0 && size >= 64) {
        memcpy(data, "POLYTOMY\1\0\0\0", 12);
        mend_put(data + 16, size, 8);
        memset(data + 32, 0, 32);
    }
    mend_checksums(data, size);
    return size;
}
