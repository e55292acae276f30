/* The table of learners, and what all of them share. */
#include "learners/learner.h"

#include "base/math.h"
#include "base/registry.h"
#include "learners/learner_custom.h"

const pt_learner_ops *const pt_learners[] = {
#define PT_ENTRY(entry, name) &pt_learner_##entry,
#include "registry/learners.def"
#undef PT_ENTRY
    NULL};

PT_REGISTRY_FIND(pt_learner_find, pt_learner_ops, pt_learners)

pt_learner_ops pt_learner_of(const pt_params *params)
{
    const pt_learner_ops *known = pt_learner_find(pt_params_text(params, PT_P_LEARNER));
    if (pt_params_learner(params))
        return pt_learner_custom(pt_params_learner(params));
    return known ? *known : (pt_learner_ops){.name = NULL};
}

const pt_loss *pt_learner_loss(const pt_learner_ops *learner, const pt_params *params)
{
    return learner->loss_of ? learner->loss_of(params) : learner->loss;
}

int pt_columns_sign(const pt_columns *columns, int64_t g, int64_t s)
{
    if (!columns->pairs)
        return columns->sign[g * columns->ell + s];
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(columns->groups, s, &p, &q);
    return (g == p) - (g == q);
}

int64_t pt_columns_slot(const pt_columns *columns, int64_t g, int64_t s)
{
    if (!columns->pairs)
        return s;
    int64_t p = 0;
    int64_t q = 0;
    pt_pairs_at(columns->groups, s, &p, &q);
    return g == p ? q : p;
}

pt_status pt_columns_warn(const double *reached, int64_t ell, const char *limit, double asked,
                          pt_texts *warnings, pt_error *err)
{
    int64_t count = 0;
    double worst = 0;
    for (int64_t s = 0; s < ell; s++) {
        count += reached[s] > 0;
        worst = reached[s] > worst ? reached[s] : worst;
    }
    return count ? pt_texts_add(warnings, err,
                                "%lld of %lld columns reached the limit of %s %g, the worst at "
                                "%.2g; scale the data or lower --C",
                                (long long)count, (long long)ell, limit, asked, worst)
                 : PT_OK;
}
