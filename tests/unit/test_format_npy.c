/* NPY and NPZ, from bytes put together here; the zip files too, with their checksums. */
#include <zlib.h>

#include "reader_helpers.h"

/* Bytes that grow. */
typedef struct bytes {
    unsigned char data[1 << 16];
    size_t size;
} bytes;

static void put(bytes *b, const void *from, size_t size)
{
    assert_true(b->size + size <= sizeof b->data);
    memcpy(b->data + b->size, from, size);
    b->size += size;
}

static void put_number(bytes *b, uint64_t value, int count)
{
    for (int i = 0; i < count; i++) {
        const unsigned char byte = (unsigned char)(value >> (8 * i));
        put(b, &byte, 1);
    }
}

static void put_npy(bytes *b, int version, const char *header, const void *values, size_t size)
{
    put(b, "\x93NUMPY", 6);
    put_number(b, (uint64_t)version, 1);
    put_number(b, 0, 1);
    put_number(b, strlen(header), version == 1 ? 2 : 4);
    put(b, header, strlen(header));
    put(b, values, size);
}

static bytes npy(const char *header, const void *values, size_t size)
{
    static bytes b;
    b.size = 0;
    put_npy(&b, 1, header, values, size);
    return b;
}

static pt_dataset *read_npy(const char *header, const void *values, size_t size,
                            const pt_read_options *options)
{
    const bytes b = npy(header, values, size);
    return read_bytes(b.data, b.size, options);
}

static void refused_npy(const char *header, const void *values, size_t size, const char *word)
{
    const pt_read_options options = defaults("t.npy");
    const bytes b = npy(header, values, size);
    refused_bytes(b.data, b.size, &options, -1, -1, word);
}

static void test_npy__matrix_with_labels_in_the_last_column(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.npy");
    static const double ROWS[] = {1.5, 2, 0, NAN, 4, 1, 5, -6, 10};
    pt_dataset *data = read_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 3), }", ROWS,
                                sizeof ROWS, &options);
    assert_int_equal(data->n, 3);
    assert_int_equal(data->d, 2);
    assert_int_equal(data->type, PT_F64);
    assert_true(cell(data, 0, 0) == 1.5 && cell(data, 2, 1) == -6 && isnan(cell(data, 1, 0)));
    assert_string_equal(class_text(data, 2), "10");            /* whole: without a point */
    assert_string_equal(data->labels->classes.items[2], "10"); /* and sorted as integers */
    pt_dataset_free(data);
}

static void test_npy__fortran_order_and_float32(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.npy");
    static const float COLUMNS[] = {1, 2, 3, 4, 0.5f, 0.25f};
    pt_dataset *data = read_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", COLUMNS,
                                sizeof COLUMNS, &options);
    assert_int_equal(data->type, PT_F32);
    const float *value = data->value;
    assert_true(value[0] == 1 && value[1] == 3 && value[2] == 2 && value[3] == 4);
    assert_string_equal(class_text(data, 0), "0.5");
    pt_dataset_free(data);
    options.label = "1";
    data = read_npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", COLUMNS,
                    sizeof COLUMNS, &options);
    assert_string_equal(class_text(data, 1), "2");
    value = data->value;
    assert_true(value[0] == 3 && value[1] == 0.5f);
    pt_dataset_free(data);
}

static void test_npy__integers_bools_and_versions(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.npy");
    static const int16_t SHORTS[] = {-3, 7, 300, 8};
    pt_dataset *data = read_npy("{'shape': (2, 2), 'fortran_order': False, 'descr': '<i2'}", SHORTS,
                                sizeof SHORTS, &options);
    assert_true(cell(data, 0, 0) == -3 && cell(data, 1, 0) == 300);
    assert_string_equal(class_text(data, 0), "7");
    pt_dataset_free(data);
    static const unsigned char BOOLS[] = {1, 0, 0, 1};
    data = read_npy("{'descr': '|b1', 'fortran_order': False, 'shape': (2, 2)}", BOOLS,
                    sizeof BOOLS, &options);
    assert_true(cell(data, 0, 0) == 1 && cell(data, 1, 0) == 0);
    pt_dataset_free(data);
    static const uint64_t WIDE[] = {1, UINT64_MAX, 2, UINT64_MAX - 1};
    data = read_npy("{'descr': '<u8', 'fortran_order': False, 'shape': (2, 2)}", WIDE, sizeof WIDE,
                    &options);
    assert_string_equal(class_text(data, 0), "18446744073709551615"); /* all digits */
    assert_string_equal(class_text(data, 1), "18446744073709551614");
    pt_dataset_free(data);
    for (int version = 2; version <= 3; version++) {
        static bytes b;
        b.size = 0;
        put_npy(&b, version, "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2)}\n", SHORTS,
                sizeof SHORTS);
        data = read_bytes(b.data, b.size, &options);
        assert_int_equal(data->n, 2);
        pt_dataset_free(data);
    }
    options.label = "none";
    data = read_npy("{'descr': '<i2', 'fortran_order': False, 'shape': (4,)}", SHORTS,
                    sizeof SHORTS, &options); /* one dimension: a column */
    assert_int_equal(data->n, 4);
    assert_int_equal(data->d, 1);
    pt_dataset_free(data);
}

static void test_npy__options(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.npy");
    static const float ROWS[] = {7, 1, 0.5f, 0, 9, 2, 2, 1};
    options.nominal = "1";
    options.weight = "3";
    pt_dataset *data = read_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}", ROWS,
                                sizeof ROWS, &options);
    assert_int_equal(data->d, 2);
    assert_true(data->columns[0].nominal);
    assert_string_equal(level(data, 1, 0), "9");
    assert_true(data->weights[0] == 0.5);
    pt_dataset_free(data);
    options = defaults("t.npy");
    options.label_optional = true;
    options.n_features = 4;
    data = read_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}", ROWS, sizeof ROWS,
                    &options);
    assert_null(data->labels);
    assert_int_equal(data->d, 4);
    pt_dataset_free(data);
    options.n_features = 3;
    data = read_npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4)}", ROWS, sizeof ROWS,
                    &options);
    assert_int_equal(data->d, 3);
    assert_string_equal(class_text(data, 1), "1");
    pt_dataset_free(data);
}

static void test_npy__hostile_headers(void **state)
{
    (void)state;
    static const double V[] = {1, 2, 3, INFINITY};
    const size_t size = sizeof V;
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)}", V, size, "infinite");
    refused_npy("{'descr': '>f8', 'fortran_order': False, 'shape': (2, 2)}", V, size, "'>f8'");
    refused_npy("{'descr': '|O', 'fortran_order': False, 'shape': (2, 2)}", V, size, "'|O'");
    refused_npy("{'descr': '<f2', 'fortran_order': False, 'shape': (8, 2)}", V, size, "'<f2'");
    refused_npy("{'descr': [('a', '<f8')], 'fortran_order': False, 'shape': (2, 2)}", V, size,
                "records");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3)}", V, size, "shorter");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2)}", V, size, "longer");
    refused_npy(
        "{'descr': '<f8', 'fortran_order': False, 'shape': (999999999999999999, 999999999)}", V,
        size, "shorter");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", V,
                size, "shape");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (-1, 2)}", V, size, "shape");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 2, 2)}", V, size, "shape");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (0, 2)}", V, 0, "no rows");
    refused_npy("{'descr': '<f8', 'fortran_order': False}", V, size, "header");
    refused_npy("{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), 'x': 1}", V, size,
                "header");
    refused_npy("{", V, size, "header");
    refused_npy("", V, size, "header");
    /* cut at every byte */
    const bytes b = npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 3)}", V, 24);
    const pt_read_options options = defaults("t.npy");
    for (size_t cut = 0; cut < b.size; cut++)
        refused_bytes(b.data, cut, &options, -1, -1, "");
}

/* ---- zip files ---- */

typedef struct zip {
    bytes file;
    bytes directory;
    int members;
} zip;

static void zip_add(zip *z, const char *name, const bytes *contents, bool deflated)
{
    static unsigned char packed[1 << 16];
    size_t packed_size = contents->size;
    if (deflated) {
        z_stream stream;
        memset(&stream, 0, sizeof stream);
        assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY), Z_OK);
        stream.next_in = (unsigned char *)(uintptr_t)contents->data;
        stream.avail_in = (unsigned)contents->size;
        stream.next_out = packed;
        stream.avail_out = sizeof packed;
        assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
        packed_size = stream.total_out;
        deflateEnd(&stream);
    } else {
        memcpy(packed, contents->data, packed_size);
    }
    const uint64_t crc = crc32(0, contents->data, (unsigned)contents->size);
    const size_t local = z->file.size;
    put_number(&z->file, 0x04034b50, 4);
    put_number(&z->file, 20, 2);
    put_number(&z->file, 0, 2);
    put_number(&z->file, deflated ? 8 : 0, 2);
    put_number(&z->file, 0, 4);
    put_number(&z->file, crc, 4);
    put_number(&z->file, packed_size, 4);
    put_number(&z->file, contents->size, 4);
    put_number(&z->file, strlen(name), 2);
    put_number(&z->file, 4, 2); /* an extra field, to be skipped */
    put(&z->file, name, strlen(name));
    put(&z->file, "\x99\x99\0\0", 4);
    put(&z->file, packed, packed_size);

    put_number(&z->directory, 0x02014b50, 4);
    put_number(&z->directory, 20, 2);
    put_number(&z->directory, 20, 2);
    put_number(&z->directory, 0, 2);
    put_number(&z->directory, deflated ? 8 : 0, 2);
    put_number(&z->directory, 0, 4);
    put_number(&z->directory, crc, 4);
    put_number(&z->directory, packed_size, 4);
    put_number(&z->directory, contents->size, 4);
    put_number(&z->directory, strlen(name), 2);
    put_number(&z->directory, 0, 2);
    put_number(&z->directory, 0, 2);
    put_number(&z->directory, 0, 8);
    put_number(&z->directory, local, 4);
    put(&z->directory, name, strlen(name));
    z->members++;
}

static void zip_end(zip *z)
{
    const size_t at = z->file.size;
    put(&z->file, z->directory.data, z->directory.size);
    put_number(&z->file, 0x06054b50, 4);
    put_number(&z->file, 0, 4);
    put_number(&z->file, (uint64_t)z->members, 2);
    put_number(&z->file, (uint64_t)z->members, 2);
    put_number(&z->file, z->directory.size, 4);
    put_number(&z->file, at, 4);
    put_number(&z->file, 0, 2);
}

static void zip_array(zip *z, const char *name, const char *header, const void *values, size_t size,
                      bool deflated)
{
    const bytes b = npy(header, values, size);
    zip_add(z, name, &b, deflated);
}

static zip *zip_new(void)
{
    static zip z;
    memset(&z, 0, sizeof z);
    return &z;
}

static const double X[] = {1, 2, 3, 4, 5, 6};
static const int64_t Y[] = {2, 0, 2};

static zip *zip_of_x_and_y(bool deflated)
{
    zip *z = zip_new();
    zip_array(z, "X.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", X, sizeof X,
              deflated);
    zip_array(z, "y.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", Y, sizeof Y,
              deflated);
    zip_end(z);
    return z;
}

static void test_npz__x_and_y(void **state)
{
    (void)state;
    const pt_read_options options = defaults("noname");
    for (int deflated = 0; deflated < 2; deflated++) {
        const zip *z = zip_of_x_and_y(deflated);
        pt_dataset *data = read_bytes(z->file.data, z->file.size, &options);
        assert_int_equal(data->n, 3);
        assert_int_equal(data->d, 2);
        assert_true(cell(data, 2, 1) == 6);
        assert_string_equal(class_text(data, 0), "2");
        assert_string_equal(class_text(data, 1), "0");
        pt_dataset_free(data);
    }
}

static void test_npz__x_without_y(void **state)
{
    (void)state;
    zip *z = zip_new();
    zip_array(z, "X.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", X, sizeof X,
              false);
    zip_end(z);
    pt_read_options options = defaults("t.npz");
    refused_bytes(z->file.data, z->file.size, &options, 0, 0, "no array y of labels");
    options.label = "none";
    pt_dataset *data = read_bytes(z->file.data, z->file.size, &options);
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);
    options.label = "1";
    data = read_bytes(z->file.data, z->file.size, &options);
    assert_string_equal(class_text(data, 2), "5");
    pt_dataset_free(data);
    options.label = "";
    options.label_optional = true;
    options.n_features = 2;
    data = read_bytes(z->file.data, z->file.size, &options);
    assert_int_equal(data->d, 2);
    assert_null(data->labels);
    pt_dataset_free(data);
}

/* X with a matrix y of 3 x 2. */
static zip *zip_of_matrix(const double *y)
{
    zip *z = zip_new();
    zip_array(z, "X.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", X, sizeof X,
              false);
    zip_array(z, "y.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", y,
              6 * sizeof *y, false);
    zip_end(z);
    return z;
}

static void test_npz__a_matrix_of_labels(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.npz");
    const double member[] = {1, 1, 0, 0, 0, 1};
    zip *z = zip_of_matrix(member);
    refused_bytes(z->file.data, z->file.size, &options, 0, 0, "say `labels=set`");
    options.labels = "ranking";
    refused_bytes(z->file.data, z->file.size, &options, 0, 0, "row 2, column 1 is 0, not a rank");
    options.labels = "set";
    pt_dataset *data = read_bytes(z->file.data, z->file.size, &options);
    const pt_labels *sets = data->labels;
    assert_int_equal(sets->kind, PT_LABEL_SET);
    assert_int_equal(sets->start[1], 2);
    assert_int_equal(sets->start[2], 2);
    assert_int_equal(sets->item[2], 1);
    assert_string_equal(sets->classes.items[1], "1"); /* from 0 */
    assert_int_equal(data->d, 2);
    pt_dataset_free(data);

    const double ranks[] = {2, 1, 1, 1, NAN, 3};
    z = zip_of_matrix(ranks);
    refused_bytes(z->file.data, z->file.size, &options, 0, 0, "row 1, column 1 is 2, neither");
    options.labels = "ranking";
    data = read_bytes(z->file.data, z->file.size, &options);
    const pt_labels *rankings = data->labels;
    assert_int_equal(rankings->item[0], 1);
    assert_int_equal(rankings->rank[2], rankings->rank[3]);
    assert_int_equal(rankings->start[3] - rankings->start[2], 1);
    pt_dataset_free(data);
    const double none[] = {2, 1, 1, 1, NAN, NAN};
    z = zip_of_matrix(none);
    refused_bytes(z->file.data, z->file.size, &options, 0, 0, "row 3 ranks no class");
}

static void test_npz__texts_as_labels(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.npz");
    zip *z = zip_new();
    zip_array(z, "X.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", X, sizeof X,
              true);
    static const uint32_t NAMES[] = {'a', 0, 0xe9, 0x1f600, 'b', 'c'}; /* e acute, a smile */
    zip_array(z, "y.npy", "{'descr': '<U2', 'fortran_order': False, 'shape': (3,)}", NAMES,
              sizeof NAMES, false);
    zip_end(z);
    pt_dataset *data = read_bytes(z->file.data, z->file.size, &options);
    assert_string_equal(class_text(data, 0), "a");
    assert_string_equal(class_text(data, 1), "\xc3\xa9\xf0\x9f\x98\x80");
    assert_string_equal(class_text(data, 2), "bc");
    pt_dataset_free(data);
}

static zip *zip_of_csr(const int32_t *indices, const int32_t *indptr, const char *format, bool y)
{
    static const double DATA[] = {1, 2, 3};
    static const int64_t SHAPE[] = {3, 4};
    zip *z = zip_new();
    zip_array(z, "data.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3,)}", DATA,
              sizeof DATA, true);
    zip_array(z, "indices.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (3,)}", indices,
              12, true);
    zip_array(z, "indptr.npy", "{'descr': '<i4', 'fortran_order': False, 'shape': (4,)}", indptr,
              16, false);
    zip_array(z, "shape.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", SHAPE,
              sizeof SHAPE, false);
    zip_array(z, "format.npy", "{'descr': '|S3', 'fortran_order': False, 'shape': ()}", format, 3,
              false);
    if (y)
        zip_array(z, "y.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (3,)}", Y,
                  sizeof Y, false);
    zip_end(z);
    return z;
}

static void test_npz__sparse(void **state)
{
    (void)state;
    const pt_read_options options = defaults("t.npz");
    static const int32_t INDPTR[] = {0, 2, 2, 3};
    static const int32_t UNSORTED[] = {3, 1, 0};
    const zip *z = zip_of_csr(UNSORTED, INDPTR, "csr", true);
    pt_dataset *data = read_bytes(z->file.data, z->file.size, &options);
    assert_true(pt_dataset_is_sparse(data));
    assert_int_equal(data->n, 3);
    assert_int_equal(data->d, 4);
    static const int64_t START[] = {0, 2, 2, 3};
    static const int64_t INDEX[] = {1, 3, 0};
    static const double VALUE[] = {2, 1, 3};
    assert_memory_equal(data->start, START, sizeof START);
    assert_memory_equal(data->index, INDEX, sizeof INDEX);
    assert_memory_equal(data->value, VALUE, sizeof VALUE);
    assert_string_equal(class_text(data, 2), "2");
    pt_dataset_free(data);

    z = zip_of_csr(UNSORTED, INDPTR, "csc", true);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "tocsr");
    z = zip_of_csr(UNSORTED, INDPTR, "csr", false);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "needs an array y");
    static const int32_t OUTSIDE[] = {3, 4, 0};
    z = zip_of_csr(OUTSIDE, INDPTR, "csr", true);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "outside");
    static const int32_t TWICE[] = {3, 3, 0};
    z = zip_of_csr(TWICE, INDPTR, "csr", true);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "twice");
    static const int32_t BACK[] = {0, 3, 1, 3};
    z = zip_of_csr(UNSORTED, BACK, "csr", true);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "ascend");
    static const int32_t SHORT[] = {0, 1, 1, 2};
    z = zip_of_csr(UNSORTED, SHORT, "csr", true);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "ascend");
}

static void test_npz__wrong_files(void **state)
{
    (void)state;
    pt_read_options options = defaults("t.npz");
    zip *z = zip_new();
    zip_array(z, "Z.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", X, sizeof X,
              false);
    zip_end(z);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "neither X");
    z = zip_new();
    zip_array(z, "X.npy", "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2)}", X, sizeof X,
              false);
    zip_array(z, "y.npy", "{'descr': '<i8', 'fortran_order': False, 'shape': (2,)}", Y, 16, false);
    zip_end(z);
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "y has 2 values for 3 rows");
    z = zip_of_x_and_y(true);
    options.label = "1";
    refused_bytes(z->file.data, z->file.size, &options, -1, -1, "`label` does not apply");
    options.label = "";
    for (size_t cut = 0; cut < z->file.size; cut++)
        refused_bytes(z->file.data, cut, &options, -1, -1, "");
    /* every byte changed: refused, or read as something; never a crash or a leak */
    const int64_t live = pt_alloc_live();
    for (size_t i = 0; i < z->file.size; i++)
        for (int flip = 1; flip < 256; flip *= 4) {
            pt_dataset *data = NULL;
            pt_error err = PT_ERROR_INIT;
            z->file.data[i] ^= (unsigned char)flip;
            if (read_copy(&data, z->file.data, z->file.size, &options, &err) == PT_OK)
                pt_dataset_free(data);
            z->file.data[i] ^= (unsigned char)flip;
        }
    assert_int_equal(pt_alloc_live(), live);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_npy__matrix_with_labels_in_the_last_column),
        cmocka_unit_test(test_npy__fortran_order_and_float32),
        cmocka_unit_test(test_npy__integers_bools_and_versions),
        cmocka_unit_test(test_npy__options),
        cmocka_unit_test(test_npy__hostile_headers),
        cmocka_unit_test(test_npz__x_and_y),
        cmocka_unit_test(test_npz__x_without_y),
        cmocka_unit_test(test_npz__a_matrix_of_labels),
        cmocka_unit_test(test_npz__texts_as_labels),
        cmocka_unit_test(test_npz__sparse),
        cmocka_unit_test(test_npz__wrong_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
