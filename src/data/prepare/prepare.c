/* The state of a preparation: its columns and outputs, and what others may know of them. How it is
 * fitted: prepare_fit.c; how it is applied: prepare_apply.c. */
#include "data/prepare/prepare.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "data/prepare/prepare_state.h"

const char *const pt_missing_names[PT_N_MISSING] = {"error", "mean", "zero", "indicator", "keep"};
const char *const pt_scale_names[PT_N_SCALES] = {"none", "range", "standard"};

/* ---- the state ------------------------------------------------------------------------------- */

void pt_prepare_free(pt_prepare *prepare)
{
    if (!prepare)
        return;
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        pt_texts_free(&prepare->fitted[f].levels);
    pt_free(prepare->fitted);
    pt_free(prepare->levels);
    pt_texts_free(&prepare->names);
    pt_free(prepare);
}

int64_t pt_prepare_n_inputs(const pt_prepare *prepare)
{
    return prepare->d;
}

const pt_texts *pt_prepare_input_names(const pt_prepare *prepare)
{
    return prepare->names.count > 0 ? &prepare->names : NULL;
}

int64_t pt_prepare_n_outputs(const pt_prepare *prepare)
{
    return prepare->n_outputs;
}

pt_status pt_prepare_numeric_inputs(const pt_prepare *prepare, bool **numeric, pt_error *err)
{
    *numeric = NULL;
    if (prepare->sparse)
        return PT_OK;
    bool *flags = pt_alloc(prepare->d, sizeof *flags, "kinds of columns", err);
    if (!flags)
        return PT_ENOMEM;
    for (int64_t j = 0; j < prepare->d; j++)
        flags[j] = !prepare->fitted[j].nominal && prepare->fitted[j].text_bits == 0;
    *numeric = flags;
    return PT_OK;
}

/* How many outputs an input has, its indicator not counted. */
static int64_t outputs_of(const pt_fitted *fitted)
{
    if (fitted->text_bits > 0)
        return (int64_t)1 << fitted->text_bits;
    return fitted->spread ? fitted->levels.count : 1;
}

/* The fitted column that output j belongs to; NULL: sparse data, not listed. */
static const pt_fitted *fitted_of(const pt_prepare *prepare, int64_t j)
{
    int64_t low = 0; /* of dense data outputs are in the order of the columns */
    int64_t high = prepare->sparse ? 0 : prepare->n_fitted;
    while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        if (prepare->fitted[middle].first <= j)
            low = middle;
        else
            high = middle;
    }
    if (high > 0 && j - prepare->fitted[low].first < outputs_of(&prepare->fitted[low]))
        return &prepare->fitted[low];
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        if (j == fitted->indicator ||
            (j >= fitted->first && j < fitted->first + outputs_of(fitted)))
            return fitted;
    }
    return NULL;
}

bool pt_prepare_hashes(const pt_prepare *prepare)
{
    return prepare->hash.bits > 0;
}

/* What column j of prepared rows is where the cell of the data is the fill. */
static double filled(const pt_prepare *prepare, const pt_fitted *fitted, int64_t j)
{
    static const double NEITHER = 0.5; /* as in prepare_apply.c */
    if (!fitted || j == fitted->indicator || fitted->text_bits > 0)
        return 0;
    if (!fitted->nominal)
        return (fitted->fill - fitted->center) * fitted->factor;
    if (prepare->raw && !prepare->sparse)
        return fitted->fill >= 0 ? fitted->fill : NAN;
    if (fitted->spread)
        return fitted->fill == (double)(j - fitted->first);
    return fitted->fill >= 0 ? fitted->fill : NEITHER;
}

pt_output pt_prepare_output(const pt_prepare *prepare, int64_t j)
{
    const pt_fitted *fitted = fitted_of(prepare, j);
    pt_output output = {.input = fitted ? fitted->column : j,
                        .factor = fitted ? fitted->factor : prepare->unlisted,
                        .center = fitted ? fitted->center : 0,
                        .may_be_missing = prepare->raw && prepare->missing == PT_MISSING_KEEP};
    output.fill = filled(prepare, fitted, j);
    output.name = pt_texts_get(&prepare->names, output.input);
    output.indicator = fitted && j == fitted->indicator;
    output.word = fitted && fitted->text_bits > 0 && !output.indicator ? j - fitted->first : -1;
    if (!fitted || !fitted->nominal || output.indicator)
        return output;
    const bool numbered = prepare->raw && !prepare->sparse;
    const int64_t level = fitted->spread ? j - fitted->first : fitted->levels.count - 1;
    output.levels = numbered ? &fitted->levels : NULL;
    output.level = numbered ? NULL : pt_texts_get(&fitted->levels, level);
    return output;
}

static pt_status take_outputs(int64_t *next, int64_t count, pt_error *err)
{
    if (count > INT64_MAX / 2 - *next)
        return pt_fail(err, PT_ELIMIT, "preparation would make too many columns to be addressed");
    *next += count;
    return PT_OK;
}

/* Numbers of levels that float32 holds exactly. */
static const int64_t MOST_LEVELS = (int64_t)1 << FLT_MANT_DIG;
/* Outputs of words beside nominal columns: a file of a few bytes may ask for any number. */
static const int64_t MOST_WORDS = (int64_t)1 << 26;

/* The levels of what comes out, where some column there is nominal. */
static pt_status list_levels(pt_prepare *prepare, pt_error *err)
{
    int64_t most = -1;
    int64_t words = 0;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        if (fitted->nominal && fitted->levels.count > most)
            most = fitted->levels.count;
        words += fitted->text_bits > 0 ? (int64_t)1 << fitted->text_bits : 0;
    }
    if (!prepare->raw || prepare->sparse || most < 0)
        return PT_OK;
    if (most > MOST_LEVELS)
        return pt_fail(err, PT_ELIMIT,
                       "a nominal column has %lld levels; at most %lld can be told apart: leave it "
                       "out with `ignore`",
                       (long long)most, (long long)MOST_LEVELS);
    if (words > MOST_WORDS)
        return pt_fail(err, PT_ELIMIT, "words of texts have %lld places; lower `text-bits`",
                       (long long)words);
    PT_TRY(PT_NEW_ZERO(prepare->levels, prepare->n_outputs, "levels of columns", err));
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal)
            prepare->levels[prepare->fitted[f].first] = prepare->fitted[f].levels.count;
    return PT_OK;
}

/* Whether a column has an output for each of its levels. Sparse rows have no numbers of levels:
 * those of trees are spread, too. */
static bool is_spread(const pt_prepare *prepare, const pt_fitted *fitted)
{
    const int64_t count = fitted->levels.count;
    if (!fitted->nominal)
        return false;
    return prepare->sparse ? count > 2 : !prepare->raw && (count != 2 || prepare->two_hot);
}

pt_status pt_prepare_layout(pt_prepare *prepare, pt_error *err)
{
    int64_t next = prepare->sparse ? prepare->d : 0;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        fitted->spread = is_spread(prepare, fitted);
        const bool own = prepare->sparse && !fitted->spread;
        fitted->first = own ? fitted->column : next;
        if (!own)
            PT_TRY(take_outputs(&next, outputs_of(fitted), err));
    }
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        pt_fitted *fitted = &prepare->fitted[f];
        fitted->indicator = fitted->flagged ? next : -1;
        if (fitted->flagged)
            PT_TRY(take_outputs(&next, 1, err));
    }
    prepare->n_outputs = next;
    if (next == 0)
        return pt_fail(err, PT_EFORMAT, "no column has a value; there is nothing to learn from");
    return list_levels(prepare, err);
}

const pt_fitted *pt_prepare_find(const pt_prepare *prepare, int64_t column)
{
    int64_t low = 0;
    int64_t high = prepare->n_fitted;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (prepare->fitted[middle].column < column)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < prepare->n_fitted && prepare->fitted[low].column == column)
        return &prepare->fitted[low];
    return NULL;
}

const char *pt_prepare_column_text(const pt_prepare *prepare, int64_t column,
                                   char text[PT_COLUMN_WORDS])
{
    const char *name = pt_texts_get(&prepare->names, column);
    if (name)
        snprintf(text, PT_COLUMN_WORDS, "column '%.60s'", name);
    else
        snprintf(text, PT_COLUMN_WORDS, "column %lld", (long long)column + 1);
    return text;
}
/* ---- as others see it ------------------------------------------------------------------------ */

pt_status pt_prepare_nominal(const pt_prepare *prepare, pt_texts *words, pt_error *err)
{
    enum { NAMED = 50 };
    char text[PT_COLUMN_WORDS];
    int64_t count = 0;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        if (!fitted->nominal || ++count > NAMED)
            continue;
        const long long levels = (long long)fitted->levels.count;
        PT_TRY(pt_texts_add(words, err, "%s (%lld level%s%s)",
                            pt_prepare_column_text(prepare, fitted->column, text), levels,
                            levels == 1 ? "" : "s",
                            fitted->grouped ? " with the rare ones as one" : ""));
    }
    return count <= NAMED ? PT_OK
                          : pt_texts_add(words, err, "and %lld more", (long long)(count - NAMED));
}

pt_status pt_prepare_remarks(const pt_prepare *prepare, pt_warnings *warnings, pt_error *err)
{
    enum { NAMED = 3 };
    char names[NAMED * (PT_COLUMN_WORDS + 2) + 8] = "";
    char text[PT_COLUMN_WORDS];
    size_t used = 0;
    int64_t count = 0;
    for (int64_t f = 0; f < prepare->n_fitted; f++) {
        const pt_fitted *fitted = &prepare->fitted[f];
        if (fitted->grouped && ++count <= NAMED)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", count > 1 ? ", " : "",
                                 pt_prepare_column_text(prepare, fitted->column, text));
    }
    char more[48] = "";
    if (count > NAMED)
        snprintf(more, sizeof more, " and %lld more", (long long)(count - NAMED));
    return count == 0 ? PT_OK
                      : pt_warn(warnings, err, PT_KIND_DATA,
                                "%s%s: more than %lld levels; the rarest became one level, "
                                "`max-levels` says how many are told apart",
                                names, more, (long long)prepare->max_levels);
}

pt_status pt_prepare_only_scales(const pt_prepare *prepare, const char *who, pt_error *err)
{
    char text[PT_COLUMN_WORDS];
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal && !prepare->fitted[f].spread)
            return pt_fail(err, PT_ENOSUPPORT, "%s holds names, which %s does not know",
                           pt_prepare_column_text(prepare, prepare->fitted[f].column, text), who);
    for (int64_t f = 0; f < prepare->n_fitted; f++)
        if (prepare->fitted[f].nominal || prepare->fitted[f].flagged ||
            prepare->fitted[f].text_bits > 0)
            return pt_fail(err, PT_ENOSUPPORT,
                           "%s became several in training (%s), which %s does not know; encode the "
                           "data first and train on that",
                           pt_prepare_column_text(prepare, prepare->fitted[f].column, text),
                           prepare->fitted[f].nominal || !prepare->fitted[f].flagged
                               ? "it holds names"
                               : "it has an indicator of missing cells",
                           who);
    return PT_OK;
}

bool pt_prepare_scales(const pt_prepare *prepare)
{
    return prepare->scale != PT_SCALE_NONE;
}

bool pt_prepare_scaling(const pt_prepare *prepare, int64_t s, pt_scaling *scaling)
{
    if (!pt_prepare_scales(prepare) || s >= prepare->n_fitted)
        return false;
    const pt_fitted *fitted = &prepare->fitted[s];
    *scaling = (pt_scaling){fitted->column, fitted->center, fitted->factor};
    return true;
}

pt_status pt_prepare_hashed(pt_prepare **out, const pt_feature_hash *hash, pt_error *err)
{
    PT_TRY(pt_prepare_plain(out, (int64_t)1 << hash->bits, NULL, err));
    (*out)->hash = *hash;
    return PT_OK;
}

pt_status pt_prepare_scaled(pt_prepare **out, int64_t d, const pt_texts *names,
                            const pt_scaling *scaling, pt_error *err)
{
    PT_FREED_BY(pt_prepare_free_at) pt_prepare *prepare = NULL;
    PT_TRY(pt_prepare_plain(&prepare, d, names, err));
    prepare->sparse = false;
    prepare->scale = PT_SCALE_RANGE;
    PT_TRY(PT_NEW_ZERO(prepare->fitted, d, "fitted columns", err));
    prepare->n_fitted = d;
    for (int64_t j = 0; j < prepare->n_fitted; j++) {
        prepare->fitted[j].column = j;
        prepare->fitted[j].center = scaling[j].center;
        prepare->fitted[j].factor = scaling[j].factor;
    }
    PT_TRY(pt_prepare_layout(prepare, err));
    *out = pt_keep(&prepare);
    return PT_OK;
}

pt_status pt_prepare_plain(pt_prepare **out, int64_t d, const pt_texts *names, pt_error *err)
{
    PT_FREED_BY(pt_prepare_free_at)
    pt_prepare *prepare = pt_alloc_zero(1, sizeof *prepare, "a preparation", err);
    if (!prepare)
        return PT_ENOMEM;
    prepare->sparse = true;
    prepare->missing = PT_MISSING_ERROR;
    prepare->d = d;
    prepare->n_outputs = d;
    prepare->unlisted = 1;
    for (int64_t j = 0; names && j < names->count; j++) {
        PT_TRY(pt_texts_add_n(&prepare->names, names->items[j], strlen(names->items[j]), err));
    }
    *out = pt_keep(&prepare);
    return PT_OK;
}
