/* What theory says of a machine, in JSON: for the metadata of a model. */
#ifndef PT_MODEL_MODEL_THEORY_H
#define PT_MODEL_MODEL_THEORY_H

#include "base/json.h"
#include "theory/margin_theory.h"
#include "theory/pair_theory.h"

/* A new object, or NULL with PT_ENOMEM in err. What does not follow is "not applicable". */
json_t *pt_margin_theory_json(const pt_margin_theory *theory, const pt_texts *classes,
                              pt_error *err);
json_t *pt_pair_theory_json(const pt_pair_theory *theory, pt_error *err);

#endif
