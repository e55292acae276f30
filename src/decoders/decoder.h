/* Decoders: from outputs to one score per class, the larger the better; one file and one table
 * entry each. Ties go to the class with the lowest index, always. */
#ifndef PT_DECODERS_DECODER_H
#define PT_DECODERS_DECODER_H

#include "base/task.h"
#include "codes/code.h"
#include "codes/vectors/label_space.h"

/* Rows that are decoded together: loops over them become vectors. */
enum { PT_DECODE_ROWS = 64 };

/* What a column's outputs f (PT_DECODE_ROWS of them) say: for a loss L,
 *
 *     both    plus = L(0) - L(f), minus = L(0) - L(-f): over a class that takes no part
 *     between plus = L(-f) - L(f): for + over -, computed as one, where every class takes part
 */
typedef struct pt_column_gains {
    void (*both)(const double *f, double *plus, double *minus);
    void (*between)(const double *f, double *plus);
} pt_column_gains;
extern const pt_column_gains pt_logistic_gains;

typedef struct pt_code_decoder pt_code_decoder;

/* At least one of the functions is there; all get n rows, row-major. */
typedef struct pt_decoder {
    const char *name;
    const char *summary;
    bool one_per_class; /* needs one output for each class: ell = k; of codes, one-vs-all */
    /* In place: M_r . f(x), n x k, on entry (where all classes are alike up to a term that they
     * share), scores on exit. It serves kernels on the labels too, where f itself is not known. */
    void (*from_products)(const pt_label_space *space, int64_t n, double *scores);
    /* scores (n x k) <- outputs f (n x ell) */
    void (*from_outputs)(const pt_label_space *space, int64_t n, const double *outputs,
                         double *scores);

    /* Codes of signs (ASS): either a sum over the columns, or a function that gets a few rows. */
    const pt_column_gains *columns;
    /* scores (n x k) <- outputs f (n x ell), n <= PT_DECODE_ROWS. work: what work_size says. */
    void (*from_code)(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                      const double *outputs, double *scores, double *work);
    int64_t (*work_size)(const pt_code *code); /* in numbers; NULL: 0 */
    /* Of classes whose scores are within `blur` ell of the largest, or of its size: whether r is
     * better than q. NULL: scores are the decision. */
    bool (*better)(const pt_code *code, const double *f, int64_t r, int64_t q, double *work);
    double blur;
    bool pairs_only;    /* serves all pairs alone */
    bool probabilities; /* the scores are probabilities */
} pt_decoder;

/* A decoder of codes with what the parameters say to it. */
struct pt_code_decoder {
    const pt_decoder *ops;
    double slope; /* of pair probabilities: coupling */
};

/* Every decoder there is: a line of registry/decoders.def each. */
#define PT_ENTRY(entry, name) extern const pt_decoder pt_decoder_##entry;
#include "registry/decoders.def"
#undef PT_ENTRY
extern const pt_decoder *const pt_decoders[]; /* ended by NULL */
const pt_decoder *pt_decoder_find(const char *name);
/* Whether --decode, as a machine that uses it has resolved it, makes scores that are
 * probabilities. */
bool pt_decoder_gives_probabilities(const pt_params *params);

/* Whether the decoder of that name serves label vectors: of which the outputs f(x) are known, or
 * inner products alone; as many of them as there are classes, or not. */
bool pt_decoder_suits_vectors(const char *name, bool outputs, bool one_for_each);
/* The decoder of the parameters, refused where it cannot serve the label space. */
pt_status pt_decoder_for(const pt_decoder **out, const pt_params *params,
                         const pt_label_space *space, pt_error *err);

/* Class outputs g (n x k, in `scores`), with f = M^T g, become scores. work: k + ell numbers. */
void pt_decode_class_outputs(const pt_decoder *decoder, const pt_label_space *space, int64_t n,
                             double *scores, double *work);

/* Whether the decoder of that name serves codes: all pairs, one-vs-all, or (neither) any other. */
bool pt_decoder_suits(const char *name, bool pairs, bool one_vs_all);
/* The decoder of the parameters, refused where it cannot serve the code. */
pt_status pt_decoder_for_code(pt_code_decoder *out, const pt_params *params, const pt_code *code,
                              pt_error *err);
/* scores (n x k) <- outputs f (n x ell) of a code of signs; parallel over rows. Scores are finite;
 * what all classes of a row share may be left out of them. */
pt_status pt_decode_code(const pt_code_decoder *decoder, const pt_code *code, int64_t n,
                         const double *outputs, double *scores, const pt_task *task, pt_error *err);

/* Classes that had no rows in training come after all that had some, whatever a machine makes of
 * them. scores: k of one row; class_rows (k): rows of each class, or NULL: nothing is changed;
 * given: the scores are probabilities. */
void pt_lower_absent(double *scores, const double *class_rows, int64_t k, bool given);

#endif
