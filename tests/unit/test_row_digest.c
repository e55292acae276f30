/* Digests of rows: what changes them, and what does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "data/row_digest.h"
#include "polytomy/experimental.h"
#include "polytomy/polytomy.h"

static pt_dataset *read_text(const char *text, const char *options)
{
    pt_error err = PT_ERROR_INIT;
    pt_params *params = NULL;
    pt_dataset *data = NULL;
    assert_int_equal(pt_params_new(&params, &err), PT_OK);
    assert_int_equal(pt_params_parse(params, options, &err), PT_OK);
    if (pt_dataset_read_memory(&data, text, strlen(text), "memory", params, NULL, &err) != PT_OK)
        fail_msg("%s", err.text);
    pt_params_free(params);
    return data;
}

static uint64_t digest_of(const char *text, const char *options)
{
    uint64_t digest = 0;
    pt_dataset *data = read_text(text, options);
    assert_int_equal(pt_dataset_digest(&digest, data, NULL, NULL), PT_OK);
    pt_dataset_free(data);
    return digest;
}

static void test_digest__order_does_not_count(void **state)
{
    (void)state;
    const uint64_t digest = digest_of("x,c,class\n1,red,a\n0,blue,b\n", "format=csv");
    assert_int_equal(digest, digest_of("x,c,class\n0,blue,b\n1,red,a\n", "format=csv"));
    assert_int_equal(digest, digest_of("class,c,x\na,red,1\nb,blue,0\n", "format=csv"));
    assert_int_equal(digest, digest_of("x,c,class\n1.0,red,a\n0.00,blue,b\n", "format=csv"));
}

static void test_digest__a_cell_a_label_or_a_row_counts(void **state)
{
    (void)state;
    const uint64_t digest = digest_of("x,c,class\n1,red,a\n0,blue,b\n", "format=csv");
    assert_int_not_equal(digest, digest_of("x,c,class\n1,red,b\n0,blue,a\n", "format=csv"));
    assert_int_not_equal(digest, digest_of("x,c,class\n1,blue,a\n0,red,b\n", "format=csv"));
    assert_int_not_equal(digest, digest_of("x,c,class\n1,red,a\n2,blue,b\n", "format=csv"));
    assert_int_not_equal(digest, digest_of("x,c,class\n1,red,a\n,blue,b\n", "format=csv"));
    assert_int_not_equal(digest,
                         digest_of("x,c,class\n1,red,a\n1,red,a\n0,blue,b\n", "format=csv"));
    assert_int_not_equal(digest, digest_of("x,z,class\n1,red,a\n0,blue,b\n", "format=csv"));
}

static void test_digest__labels_of_other_kinds_count(void **state)
{
    (void)state;
    const char *const options = "format=csv,labels=ranking,label=y";
    const uint64_t digest = digest_of("x,y\n1,a>b\n2,b>a\n", options);
    assert_int_equal(digest, digest_of("x,y\n2,b>a\n1,a>b\n", options));
    assert_int_not_equal(digest, digest_of("x,y\n1,b>a\n2,a>b\n", options));
}

static void test_shared__counts_rows_to_test_on(void **state)
{
    (void)state;
    int64_t shared = -1;
    int64_t n = -1;
    pt_dataset *data = read_text("1 1:2 3:1\n2 2:1\n2 1:7\n", "format=libsvm");
    pt_dataset *test = read_text("2 2:1\n2 2:1\n1 2:1\n1 1:2 2:0 3:1\n", "format=libsvm");
    assert_int_equal(pt_dataset_shared(&shared, &n, data, test, NULL, NULL), PT_OK);
    assert_int_equal(shared, 3);
    assert_int_equal(n, 4);
    pt_dataset_free(test);
    pt_dataset_free(data);
}

static void test_memory__every_failure_frees(void **state)
{
    (void)state;
    pt_dataset *data = read_text("x,c,class\n1,red,a\n0,blue,b\n", "format=csv");
    const int64_t live = pt_alloc_live();
    pt_status status = PT_ENOMEM;
    for (int64_t number = 1; status == PT_ENOMEM; number++) {
        int64_t shared = 0;
        int64_t n = 0;
        pt_alloc_fail_from(number);
        status = pt_dataset_shared(&shared, &n, data, data, NULL, NULL);
        pt_alloc_fail_from(0);
        assert_int_equal(pt_alloc_live(), live);
    }
    assert_int_equal(status, PT_OK);
    pt_dataset_free(data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_digest__order_does_not_count),
        cmocka_unit_test(test_digest__a_cell_a_label_or_a_row_counts),
        cmocka_unit_test(test_digest__labels_of_other_kinds_count),
        cmocka_unit_test(test_shared__counts_rows_to_test_on),
        cmocka_unit_test(test_memory__every_failure_frees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
