/* Words for cells that are missing: some everywhere, some only among numbers and dates, where a
 * dash cannot be anything else. */
#ifndef PT_DATA_JUDGE_MISSING_H
#define PT_DATA_JUDGE_MISSING_H

#include <stdbool.h>
#include <stddef.h>

/* na: words separated by commas that take the place of the usual ones, or behind a + stand beside
 * them; NULL or "": the usual ones. An empty cell is missing always. The text is trimmed. */
bool pt_is_missing_word(const char *na, const char *text, size_t length);

/* Whether the usual words hold beside those of the list, and the list without its +. */
bool pt_na_adds(const char *na);
const char *pt_na_list(const char *na);

/* In place of a list where only an empty cell is missing, as in a column of labels. */
#define PT_LABEL_MISSING ","

/* Whether a text begins a row of totals or means below a table, in some languages. */
bool pt_is_totals_word(const char *text, size_t length);

/* Whether a word stands for a missing cell where the other cells are numbers or dates. */
bool pt_is_gap_word(const char *na, const char *text, size_t length);

#endif
