/* Sums of a block's entries by class. Both directions are elementwise over contiguous entries of a
 * column, so that a compiler can vectorise them without reordering a sum; the column sums keep
 * LANES partial sums, added in a fixed order: results do not depend on the instruction set.
 * Compiled once for each of them (PT_ISA).
 *
 * The partial sums multiply by 0 or 1: of `part += fold != own ? x : 0` over lanes gcc 12 makes
 * wrong code for v3 and v4 (a test runs all instruction sets). */
#include "validate/squares/class_sums.h"

enum { LANES = 16, CHUNK = 64 };

#define DEFINE_CLASS_SUMS(T, suffix)                                                               \
    static void sums_rows_##suffix(const T *C, int64_t ld, int64_t m, int64_t n,                   \
                                   const int32_t *fold_row, const int32_t *fold_column,            \
                                   const int32_t *class_of, T *sums, int64_t stride)               \
    {                                                                                              \
        for (int64_t j = 0; j < n; j++) {                                                          \
            const T *column = C + j * ld;                                                          \
            T *to = sums + class_of[j] * stride;                                                   \
            const int32_t own = fold_column[j];                                                    \
            for (int64_t i = 0; i < m; i++)                                                        \
                to[i] += fold_row[i] != own ? column[i] : (T)0;                                    \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static T sum_others_##suffix(const T *column, const int32_t *fold, int32_t own, int64_t count) \
    {                                                                                              \
        T part[LANES] = {0};                                                                       \
        int64_t i = 0;                                                                             \
        for (; i + LANES <= count; i += LANES)                                                     \
            for (int lane = 0; lane < LANES; lane++)                                               \
                part[lane] += column[i + lane] * (T)(fold[i + lane] != own);                       \
        T sum = 0;                                                                                 \
        for (; i < count; i++)                                                                     \
            sum += fold[i] != own ? column[i] : (T)0;                                              \
        for (int lane = 0; lane < LANES; lane++)                                                   \
            sum += part[lane];                                                                     \
        return sum;                                                                                \
    }                                                                                              \
                                                                                                   \
    static void sums_columns_##suffix(const T *C, int64_t ld, int64_t m, int64_t n,                \
                                      const int32_t *fold_row, const int32_t *fold_column,         \
                                      const int32_t *class_of, T *sums, int64_t stride)            \
    {                                                                                              \
        int64_t end = 0;                                                                           \
        for (int64_t i = 0; i < m; i = end) { /* rows i .. end have one class */                   \
            T *to = sums + class_of[i] * stride;                                                   \
            while (end < m && class_of[end] == class_of[i])                                        \
                end++;                                                                             \
            for (int64_t j = 0; j < n; j++)                                                        \
                to[j] +=                                                                           \
                    sum_others_##suffix(C + j * ld + i, fold_row + i, fold_column[j], end - i);    \
        }                                                                                          \
    }

#define DEFINE_OTHERS(T, suffix)                                                             \
    static void sums_others_##suffix(T *sums, int64_t stride, int64_t n_sets, int64_t count) \
    {                                                                                        \
        T after[PT_MOST_SETS][CHUNK];                                                        \
        for (int64_t i = 0; i < count && n_sets > 0; i += CHUNK) {                           \
            const int64_t rows = count - i < CHUNK ? count - i : CHUNK;                      \
            T before[CHUNK] = {0};                                                           \
            for (int64_t row = 0; row < rows; row++)                                         \
                after[n_sets - 1][row] = 0;                                                  \
            for (int64_t g = n_sets - 2; g >= 0; g--)                                        \
                for (int64_t row = 0; row < rows; row++)                                     \
                    after[g][row] = after[g + 1][row] + sums[(g + 1) * stride + i + row];    \
            for (int64_t g = 0; g < n_sets; g++)                                             \
                for (int64_t row = 0; row < rows; row++) {                                   \
                    const T own = sums[g * stride + i + row];                                \
                    sums[g * stride + i + row] = before[row] + after[g][row];                \
                    before[row] += own;                                                      \
                }                                                                            \
        }                                                                                    \
    }

DEFINE_OTHERS(float, f32)
DEFINE_OTHERS(double, f64)
DEFINE_CLASS_SUMS(float, f32)
DEFINE_CLASS_SUMS(double, f64)

#define NAME_OF(isa) pt_class_sums_##isa
#define NAME(isa) NAME_OF(isa)

extern const pt_class_sums_ops NAME(PT_ISA);
const pt_class_sums_ops NAME(PT_ISA) = {sums_rows_f32,    sums_rows_f64,   sums_columns_f32,
                                        sums_columns_f64, sums_others_f32, sums_others_f64};
