/* Numbers as people write them: 1.234,5 and 1,234.5, 1 234 and 1'234, $12.30, 12,30 EUR, (5), 45%,
 * 12.3 kg.
 * Which sign is the decimal one is a matter of the whole column: a text only says what it allows.
 */
#ifndef PT_DATA_JUDGE_CELL_NUMBER_H
#define PT_DATA_JUDGE_CELL_NUMBER_H

#include <stdbool.h>
#include <stddef.h>

/* What a text that is a number says about the signs in it. 1,5 is sure of its comma and 1.5 of its
 * point; 1,234 and 1.234 may be read both ways, and only one of the four is set. None: no sign. */
typedef struct pt_number_signs {
    bool point;        /* the decimal sign is a point */
    bool comma;        /* ... a comma */
    bool either_comma; /* there is one comma, which may part thousands or be the decimal sign */
    bool either_point; /* the same with a point */
    char thousands;    /* what surely parts thousands, 0: nothing */
    bool currency;
    bool percent;
    const char *unit;   /* behind the number, or the name of its currency; borrowed */
    size_t unit_length; /* 0: none */
} pt_number_signs;

/* False: it is no number in any style. */
bool pt_number_signs_of(const char *text, size_t length, pt_number_signs *signs);

/* The number, if `decimal` ('.' or ',') is the decimal sign; the other signs may part thousands.
 * Beside it may stand `unit` and no other; "": none, or any currency. */
bool pt_number_styled(const char *text, size_t length, char decimal, const char *unit,
                      double *value);

#endif
