/* Margin losses. */
#include "losses/loss.h"

#include "base/registry.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static double hinge(double z)
{
    return z < 1 ? 1 - z : 0;
}

static double exponential(double z)
{
    return exp(-z);
}

static double square(double z)
{
    return (1 - z) * (1 - z);
}

/* log(1 + e^-2z), the linear part split off where the exponential would overflow. */
static double logistic(double z)
{
    return z < 0 ? -2 * z + log1p(exp(2 * z)) : log1p(exp(-2 * z));
}

static double sigmoid(double z)
{
    return z < 0 ? 1 / (1 + exp(2 * z)) : exp(-2 * z) / (1 + exp(-2 * z));
}

static double hamming(double z)
{
    return (1 - (double)(z > 0) + (double)(z < 0)) / 2;
}

#define LN2 0.69314718055994530942

const pt_loss pt_loss_hinge = {"hinge", "max(0, 1 - z)", hinge, 1};
const pt_loss pt_loss_exp = {"exp", "exp(-z)", exponential, 1};
const pt_loss pt_loss_square = {"square", "(1 - z)^2", square, 1};
const pt_loss pt_loss_logistic = {"logistic", "log(1 + exp(-2z))", logistic, LN2};
const pt_loss pt_loss_sigmoid = {"sigmoid", "1/(1 + exp(2z))", sigmoid, 0.5};
const pt_loss pt_loss_hamming = {"hamming", "(1 - sign z)/2", hamming, 0.5};

const pt_loss *const pt_losses[] = {
    &pt_loss_hinge,   &pt_loss_exp, &pt_loss_square, &pt_loss_logistic, &pt_loss_sigmoid,
    &pt_loss_hamming, NULL};

PT_REGISTRY_FIND(pt_loss_find, pt_loss, pt_losses)
