/* Philox4x32-10 (Salmon et al. 2011): random numbers keyed by (seed, purpose, task), so that any
 * task's stream can be made anywhere, in any order, on any number of threads. */
#ifndef PT_BASE_RANDOM_H
#define PT_BASE_RANDOM_H

#include <stdint.h>

/* One constant per use, so that streams never meet. Add at the end; never renumber. */
typedef enum pt_purpose {
    PT_RANDOM_TEST = 0,
    PT_RANDOM_FOLDS = 1,
    PT_RANDOM_PAIRS = 2, /* median distance for --sigma auto */
    PT_RANDOM_SAMPLE = 3,
    PT_RANDOM_SYNTH = 4,
    PT_RANDOM_HIDDEN = 5,     /* nodes of elm */
    PT_RANDOM_CODE = 6,       /* draws of a random code, keyed by their number */
    PT_RANDOM_DESCENT = 7,    /* orders of coordinate descent */
    PT_RANDOM_DISCRETE = 8,   /* starts and kicks of discrete design, keyed by the start */
    PT_RANDOM_CLASS_TREE = 9, /* first splits of a tree of classes, keyed by the node */
    PT_RANDOM_ONLINE = 10,    /* orders of examples, keyed by the epoch */
    PT_RANDOM_DRAWS = 11,     /* rows for intervals, keyed by the draw */
    PT_RANDOM_PERMUTED = 12   /* orders of rows for importance, keyed by the permutation */
} pt_purpose;

typedef struct pt_random {
    uint32_t key[2];
    uint32_t counter[4];
    uint32_t block[4];
    int used; /* words of block already handed out */
} pt_random;

/* One block: ten rounds of Philox on `counter` under `key`. */
void pt_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

void pt_random_init(pt_random *random, uint64_t seed, pt_purpose purpose, uint64_t task);
uint32_t pt_random_u32(pt_random *random);
uint64_t pt_random_u64(pt_random *random);
double pt_random_uniform(pt_random *random);           /* [0, 1), 53 bits */
double pt_random_normal(pt_random *random);            /* N(0, 1) */
int64_t pt_random_below(pt_random *random, int64_t n); /* 0 .. n-1, without bias; n > 0 */
void pt_random_shuffle(pt_random *random, int64_t *items, int64_t n);

#endif
