/* Rows set aside to test on: their number, of each class, whole groups and folds, the last by time;
 * and the lines of files. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../support/small_problem.h"
#include "base/alloc.h"
#include "polytomy/experimental.h"

enum { N = 240, K = 3 };

/* part <- how the rows with this role are split; NULL: none. */
static pt_status split(int8_t *part, double share, const char *words, const char *role,
                       const int64_t *value, pt_error *err)
{
    small s = small_clouds(N, 2, K, 3);
    pt_dataset *data = small_dataset(&s);
    pt_params *params = small_params(words);
    const pt_dense column = {PT_I64, value, N, 1, 1, 1};
    pt_status status = role ? pt_dataset_set_role(data, role, &column, err) : PT_OK;
    if (status == PT_OK)
        status = pt_dataset_split(part, data, share, params, err);
    pt_params_free(params);
    pt_dataset_free(data);
    small_free(&s);
    return status;
}

static int64_t count(const int8_t *part, int64_t of_class)
{
    int64_t n = 0;
    for (int64_t i = 0; i < N; i++)
        n += (of_class < 0 || i % K == of_class) && part[i];
    return n;
}

static void test_split__each_class_gives_its_share(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int8_t part[N];
    int8_t again[N];
    static const double SHARES[] = {0.01, 0.1, 0.2, 1.0 / 3, 0.5, 0.77, 0.99};
    for (size_t a = 0; a < sizeof SHARES / sizeof *SHARES; a++) {
        assert_int_equal(split(part, SHARES[a], "", NULL, NULL, &err), PT_OK);
        assert_int_equal(count(part, -1), llround(SHARES[a] * N));
        for (int64_t r = 0; r < K; r++)
            assert_true(fabs((double)count(part, r) - SHARES[a] * N / K) < 1.5);
        assert_int_equal(split(again, SHARES[a], "", NULL, NULL, &err), PT_OK);
        assert_memory_equal(part, again, sizeof part);
        assert_int_equal(split(again, SHARES[a], "seed=2", NULL, NULL, &err), PT_OK);
        assert_memory_not_equal(part, again, sizeof part);
        assert_int_equal(split(again, SHARES[a], "stratify=no", NULL, NULL, &err), PT_OK);
        assert_int_equal(count(again, -1), llround(SHARES[a] * N));
        assert_memory_not_equal(part, again, sizeof part);
    }
}

/* What groups are dealt by: the sum of rows^2 / share over parts and classes. */
static double spread_of(const int8_t *part, double share)
{
    double sum = 0;
    for (int64_t r = 0; r < K; r++) {
        const double in = (double)count(part, r);
        const double out = (double)N / K - in;
        sum += in * in / share + out * out / (1 - share);
    }
    return sum;
}

static void test_split__groups_and_folds_stay_whole(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int8_t part[N];
    int64_t group[N];
    for (int64_t seed = 1; seed < 20; seed++) {
        pt_random random;
        pt_random_init(&random, (uint64_t)seed, PT_RANDOM_TEST, 0);
        const int64_t groups = 2 + pt_random_below(&random, 40);
        for (int64_t i = 0; i < N; i++) /* uneven, each mostly of one class */
            group[i] =
                i % K + K * (pt_random_below(&random, 1 + pt_random_below(&random, groups)) / K);
        const char *role = seed % 2 ? "group" : "fold";
        char words[30];
        snprintf(words, sizeof words, "seed=%d", (int)seed);
        assert_int_equal(split(part, 0.25, words, role, group, &err), PT_OK);
        for (int64_t i = 0; i < N; i++)
            for (int64_t j = 0; j < i; j++)
                assert_true(group[i] != group[j] || part[i] == part[j]);
        assert_true(count(part, -1) > 0 && count(part, -1) < N);
        int64_t size[100] = {0};
        int64_t largest = 0;
        for (int64_t i = 0; i < N; i++)
            largest = ++size[group[i]] > largest ? size[group[i]] : largest;
        assert_true(labs(count(part, -1) - N / 4) <= largest);
        double chance = 0; /* what groups by chance come to */
        for (int t = 0; t < 50; t++) {
            int8_t drawn[100];
            int8_t other[N];
            for (int g = 0; g < 100; g++)
                drawn[g] = pt_random_uniform(&random) < 0.25;
            for (int64_t i = 0; i < N; i++)
                other[i] = drawn[group[i]];
            chance += spread_of(other, 0.25) / 50;
        }
        assert_true(groups < 12 || spread_of(part, 0.25) < chance); /* few have little choice */
    }
}

static void test_split__rows_in_no_fold_are_trained_on(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int8_t part[N];
    int64_t fold[N];
    for (int64_t i = 0; i < N; i++)
        fold[i] = i < 200 ? -1 : 7;
    assert_int_equal(split(part, 0.9, "", "fold", fold, &err), PT_OK);
    for (int64_t i = 0; i < N; i++)
        assert_int_equal(part[i], i >= 200);
}

static void test_split__by_time_the_last_rows(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int8_t part[N];
    int64_t time[N];
    for (int64_t i = 0; i < N; i++)
        time[i] = (i * 77) % N / 7; /* seven rows of a time */
    assert_int_equal(split(part, 0.2, "", "time", time, &err), PT_OK);
    int64_t first = INT64_MAX;
    int64_t last = -1;
    for (int64_t i = 0; i < N; i++) {
        first = part[i] && time[i] < first ? time[i] : first;
        last = !part[i] && time[i] > last ? time[i] : last;
    }
    assert_true(last < first);
    assert_true(count(part, -1) <= N / 5 && count(part, -1) > N / 5 - 7);
}

static void test_split__what_cannot_be_is_refused(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    int8_t part[N];
    int64_t one[N];
    for (int64_t i = 0; i < N; i++)
        one[i] = 1;
    static const double BAD[] = {0, 1, -0.1, 1.5, 0.001, 0.9999};
    for (size_t a = 0; a < sizeof BAD / sizeof *BAD; a++)
        assert_int_equal(split(part, BAD[a], "", NULL, NULL, &err), PT_EINVAL);
    assert_int_equal(split(part, (double)NAN, "", NULL, NULL, &err), PT_EINVAL);
    assert_int_equal(split(part, 0.2, "", "group", one, &err), PT_EFORMAT);
    assert_int_equal(split(part, 0.2, "", "fold", one, &err), PT_EFORMAT);
    assert_int_equal(split(part, 0.2, "", "time", one, &err), PT_EFORMAT);
}

/* ---- files ----------------------------------------------------------------------------------- */

static char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1 << 16, 1);
    assert_non_null(text);
    *size = fread(text, 1, 1 << 16, file);
    fclose(file);
    return text;
}

static void write_all(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

/* Each file is made of a head and rows, one stretch each; both parts must be the head and their
 * rows, byte for byte, and every row is in one of them. */
typedef struct file_case {
    const char *name;
    const char *words;
    const char *head;
    const char *rows[8];
} file_case;

static const file_case FILES[] = {
    {"split-a.csv", "", "a,b,class\n", {"1,2,x\n", "2,3,y\n", "3,4,x\n", "4,5,y"}},
    {"split-b.csv",
     "comment=#",
     "# what\r\n\r\na,b,class\r\n# units\r\n",
     {"1,\"p\r\nq\",x\r\n\r\n", "2,\"p,\"\"q\",y\r\n# more\r\n", "3,r,x\r\n",
      "4,r,y\r\n\r\n# end"}},
    {"split-c.tsv", "", "", {"1\t\t3\tx\n", "2\t3\t\ty\n", "3\t4\t1\tx\n", "\t5\t2\ty\n"}},
    {"split-d.svm", "", "# head\n\n", {"x 1:1 3:2 # one\n", "  y 1:2\n#\n", "x 2:1\n", "y 3:1"}},
    {"split-e.arff",
     "",
     "% head\n@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n% rows\n\n",
     {"1,x\n", "  2,y % no\n\n", "3,x\n%\n", "4,y\n"}},
    {"split-f.csv",
     "skip-unlabelled=yes",
     "a,b,class\n",
     {"1,2,x\n", "2,3,y\n9,9,\n", "3,4,x\na,b,class\n", "4,5,y"}},
    {"split-g.data",
     "",
     "a  b  class\n",
     {"  1  2  x\n", " 2  3  y\n", "  3  4  x\n", "  4  5  y\n"}},
};

static void check_file(const file_case *c)
{
    char text[1000];
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_report *parts = NULL;
    pt_report *places = NULL;
    pt_params *params = small_params(c->words);
    snprintf(text, sizeof text, "%s", c->head);
    for (int i = 0; c->rows[i]; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s", c->rows[i]);
    write_all(c->name, text);
    small_must(pt_split_file(&data, &parts, c->name, 0.5, "split-train", "split-test.gz", params,
                             NULL, &err),
               &err, c->name);
    pt_dataset_free(data);
    pt_report_free(parts);
    small_must(
        pt_split_file(&data, &parts, c->name, 0.5, "split-train", "split-test", params, NULL, &err),
        &err, c->name);
    const char *const paths[2] = {"split-train", "split-test"};
    for (int p = 0; p < 2; p++) {
        char wanted[1000];
        size_t size = 0;
        snprintf(wanted, sizeof wanted, "%s", c->head);
        for (int64_t i = 0; c->rows[i]; i++)
            if (pt_report_integer_at(parts, "part", i, 0, 0) == p)
                snprintf(wanted + strlen(wanted), sizeof wanted - strlen(wanted), "%s", c->rows[i]);
        char *written = read_all(paths[p], &size);
        if (size != strlen(wanted) || memcmp(written, wanted, size) != 0)
            fail_msg("%s: part %d is\n%s\nand not\n%s", c->name, p, written, wanted);
        free(written);
        remove(paths[p]);
    }
    pt_dataset_free(data);
    pt_report_free(parts);

    small_must(pt_dataset_read_places(&data, &places, c->name, params, NULL, &err), &err, c->name);
    int64_t line = 1;
    for (const char *h = c->head; *h; h++)
        line += *h == '\n';
    for (int64_t i = 0; c->rows[i]; i++) {
        assert_int_equal(pt_report_integer_at(places, "line", i, 0, 0), line);
        for (const char *h = c->rows[i]; *h; h++)
            line += *h == '\n';
    }
    pt_dataset_free(data);
    pt_report_free(places);
    pt_params_free(params);
    remove("split-test.gz");
    remove(c->name);
}

static void test_split__files_keep_their_lines(void **state)
{
    (void)state;
    for (size_t f = 0; f < sizeof FILES / sizeof *FILES; f++)
        check_file(&FILES[f]);
}

static void test_split__writes_both_files_or_none(void **state)
{
    (void)state;
    pt_error err = PT_ERROR_INIT;
    pt_dataset *data = NULL;
    pt_report *parts = NULL;
    write_all("split-h.csv", "a,b,class\n1,2,x\n2,3,y\n3,4,x\n4,5,y\n");
    assert_int_equal(pt_split_file(&data, &parts, "split-h.csv", 0.5, "split-train",
                                   "no/such/folder", NULL, NULL, &err),
                     PT_EIO);
    assert_null(fopen("split-train", "rb"));
    assert_null(data);
    assert_null(parts);
    for (int64_t at = 1;; at++) { /* every allocation fails once */
        pt_alloc_fail_only(at);
        const pt_status status = pt_split_file(&data, &parts, "split-h.csv", 0.5, "split-train",
                                               "split-test", NULL, NULL, &err);
        const bool reached = pt_alloc_count() >= at;
        pt_alloc_fail_only(0);
        FILE *train = fopen("split-train", "rb");
        FILE *test = fopen("split-test", "rb");
        assert_int_equal(train != NULL, status == PT_OK);
        assert_int_equal(test != NULL, status == PT_OK);
        if (status == PT_OK) {
            fclose(train);
            fclose(test);
            remove("split-train");
            remove("split-test");
            pt_dataset_free(data);
            pt_report_free(parts);
            data = NULL;
            parts = NULL;
        } else {
            assert_int_equal(status, PT_ENOMEM);
        }
        if (!reached)
            break;
    }
    remove("split-h.csv");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split__each_class_gives_its_share),
        cmocka_unit_test(test_split__groups_and_folds_stay_whole),
        cmocka_unit_test(test_split__rows_in_no_fold_are_trained_on),
        cmocka_unit_test(test_split__by_time_the_last_rows),
        cmocka_unit_test(test_split__what_cannot_be_is_refused),
        cmocka_unit_test(test_split__files_keep_their_lines),
        cmocka_unit_test(test_split__writes_both_files_or_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
