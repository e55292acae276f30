/* The best split of a node.
 *
 * A split sends a row in or out. Of a number: in, if it is at most a cut between two neighbours of
 * the node. Of a level: in, if it is in a set. Missing cells go to the side where the split is
 * better; and the split of the known cells from the missing ones is tried too.
 *
 * Sets of levels. Two classes, or a regression: levels are ordered by their share of the first
 * class (their mean), and the best set is a beginning of that order for every criterion that is
 * concave (Fisher; CART, Theorem 4.5), unless that would make a leaf too small. More classes, or
 * such leaves: of at most EXHAUSTIVE levels every set is tried; of more, the beginnings of one
 * order for each class that the node has, by that class's share, so that every split that sets one
 * class apart as well as possible is among them.
 *
 * Splits that are equally good, as many are in small nodes: the one with the widest gap between its
 * sides, counted in bins of the feature as a share of all of them, since that is where new rows are
 * the least likely to fall on the wrong side; then the lowest feature.
 *
 * A feature is searched in two steps. Rows are put into groups of one bin each, in order:
 *
 *   with a histogram      its bins that have rows
 *   without one           bins of rows are marked in a bitmap with a summary (a bit for each word
 *                         of it), which gives them in order in O(m + bins / 4096); rows are then
 *                         counted into place. No sorting, however many distinct values there are
 *
 * Then the sums of what would be in are written, split by split, as columns of a block, and the
 * block is judged at once (impurity_isa.c). Both ways form the same sums and judge in the same
 * order: where weights are whole numbers not a bit depends on which way was taken.
 *
 * Cost: O(m + groups * classes) a feature, classes being those that the node has. */
#include "trees/split_search.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/math.h"

enum { EXHAUSTIVE = 8, WORD = 64 };

struct pt_split_scratch {
    const pt_split_rules *rules;
    pt_split_node node;
    /* the classes that the node has */
    int64_t sums;         /* how many */
    int32_t *local;       /* class -> its number among them */
    double *total;        /* theirs */
    const int32_t *place; /* local, or NULL: all of them are taken, as they are */
    /* rows by bins */
    uint32_t *bin_of;  /* of each row */
    int32_t *sorted;   /* rows in the order of their bins */
    uint32_t *count;   /* by bin; zero between features */
    uint64_t *present; /* a bit for each bin */
    uint64_t *summary; /* a bit for each word of these */
    int64_t *group;    /* bins that have rows, ascending */
    int64_t *end;      /* where the rows of each end in `sorted` */
    int64_t n_groups;  /* that of missing cells not counted */
    /* splits to be judged */
    double *inside;          /* sums and number of rows of what is in */
    double *column;          /* sums x PT_JUDGED */
    int64_t rows[PT_JUDGED]; /* that are in */
    int64_t mark[PT_JUDGED]; /* which split it is: see save_split */
    int64_t judged;          /* columns in use */
    double *missing;         /* sums and number of rows */
    double *nothing;         /* zeros */
    /* where rows have a mass: */
    double *mass;                  /* by bin */
    double inside_mass;            /* of what is in */
    double column_mass[PT_JUDGED]; /* of each split to be judged */
    double all_mass;               /* of the node */
    double value[2][PT_JUDGED];
    /* levels */
    double *level_sum;      /* of groups: most_levels x (sums + 1) */
    pt_scored_level *level; /* groups in the order that is tried */
    bool exhaustive;        /* marks are sets of them, not beginnings */
    uint64_t *set;          /* of the split that was found */
    pt_found found;
    pt_arena arena; /* what has all of these */
};

/* ---- set-up ---------------------------------------------------------------------------------- */

pt_status pt_split_rules_init(pt_split_rules *rules, const pt_feature_table *table,
                              pt_criterion criterion, int64_t k, int64_t min_leaf, pt_error *err)
{
    *rules = (pt_split_rules){.table = table,
                              .criterion = criterion,
                              .judge = pt_impurity_loops_chosen()->judge[criterion],
                              .sums = criterion == PT_CRITERION_SQUARES ? 2 : k,
                              .min_leaf = min_leaf > 1 ? min_leaf : 1};
    PT_TRY(PT_NEW(rules->offset, table->d + 1, "a tree", err));
    rules->offset[0] = 0;
    for (int64_t f = 0; f < table->d; f++) {
        const int64_t bins = table->feature[f].bins + 1;
        const int64_t levels = table->feature[f].levels;
        rules->offset[f + 1] = rules->offset[f] + bins * (rules->sums + 1);
        rules->most_bins = pt_greater(rules->most_bins, bins);
        rules->most_levels = pt_greater(rules->most_levels, levels);
    }
    return PT_OK;
}

void pt_split_rules_free(pt_split_rules *rules)
{
    pt_free(rules->offset);
    *rules = (pt_split_rules){0};
}

void pt_split_scratch_free(pt_split_scratch *s)
{
    if (!s)
        return;
    pt_arena_free(&s->arena);
    pt_free(s);
}

double pt_split_scratch_bytes(int64_t n, int64_t most_bins, int64_t most_levels, int64_t sums)
{
    return 8.0 * (double)n + 20.2 * (double)most_bins +
           (double)sums * (8.0 * PT_JUDGED + 36 + 8 * (double)most_levels) +
           40 * (double)most_levels;
}

pt_status pt_split_scratch_new(pt_split_scratch **out, const pt_split_rules *rules, int64_t n,
                               pt_error *err)
{
    static const char what[] = "the search for splits";
    pt_split_scratch *s = NULL;
    PT_TRY(PT_NEW_ZERO(s, 1, what, err));
    const int64_t bins = rules->most_bins;
    const int64_t words = pt_forest_set_words(bins);
    const int64_t levels = rules->most_levels;
    const int64_t wide = rules->sums + 1;
    const pt_status status =
        PT_ARENA(&s->arena, what, err, PT_PIECE(s->local, wide), PT_PIECE(s->total, wide),
                 PT_PIECE(s->bin_of, n), PT_PIECE(s->sorted, n), PT_PIECE(s->count, bins),
                 PT_PIECE(s->present, words), PT_PIECE(s->summary, pt_forest_set_words(words)),
                 PT_PIECE(s->group, bins), PT_PIECE(s->end, bins), PT_PIECE(s->inside, wide),
                 PT_PIECE(s->column, wide * PT_JUDGED), PT_PIECE(s->missing, wide),
                 PT_PIECE(s->nothing, wide), PT_PIECE(s->mass, rules->by_mass ? bins : 0),
                 {(void *)&s->level_sum, levels, (size_t)wide * sizeof *s->level_sum},
                 PT_PIECE(s->level, levels), PT_PIECE(s->set, pt_forest_set_words(levels)));
    if (status != PT_OK) {
        pt_free(s);
        return status;
    }
    memset(s->count, 0, (size_t)bins * sizeof *s->count);
    memset(s->present, 0, (size_t)words * sizeof *s->present);
    memset(s->summary, 0, (size_t)pt_forest_set_words(words) * sizeof *s->summary);
    memset(s->column, 0, (size_t)(wide * PT_JUDGED) * sizeof *s->column);
    memset(s->nothing, 0, (size_t)wide * sizeof *s->nothing);
    s->rules = rules;
    *out = s;
    return PT_OK;
}

/* Without a histogram only the classes that the node has are looked at. */
void pt_split_begin(pt_split_scratch *s, const pt_split_rules *rules, const pt_split_node *node)
{
    s->rules = rules;
    s->node = *node;
    s->found = (pt_found){.value = INFINITY, .test = {.feature = INT64_MAX}};
    s->sums = rules->sums;
    s->place = NULL;
    memcpy(s->total, node->total, (size_t)rules->sums * sizeof *s->total);
    if (node->cells || rules->criterion == PT_CRITERION_SQUARES)
        return;
    s->sums = 0;
    for (int64_t c = 0; c < rules->sums; c++)
        if (node->total[c] > 0) {
            s->local[c] = (int32_t)s->sums;
            s->total[s->sums++] = node->total[c];
        }
    s->place = s->local;
}

const pt_found *pt_split_found(const pt_split_scratch *scratch)
{
    return &scratch->found;
}

bool pt_split_better(const pt_found *a, const pt_found *b)
{
    if (a->value != b->value)
        return a->value < b->value;
    return a->gap > b->gap || (a->gap == b->gap && a->test.feature < b->test.feature);
}

/* ---- judging --------------------------------------------------------------------------------- */

/* Levels that the node does not have, and missing cells where it has none, go to the larger side.
 */
static void save_set(pt_split_scratch *s, int64_t mark, bool in_larger)
{
    const int64_t levels = s->rules->table->feature[s->found.test.feature].levels;
    memset(s->set, in_larger ? 0xff : 0, (size_t)pt_forest_set_words(levels) * sizeof *s->set);
    if (levels % WORD) /* no bits behind the last level */
        s->set[levels / WORD] &= ((uint64_t)1 << levels % WORD) - 1;
    for (int64_t g = 0; g < s->n_groups; g++)
        pt_set_put(s->set, s->group[s->level[g].level], s->exhaustive ? mark >> g & 1 : g < mark);
    s->found.test.set = s->set;
}

/* What weighs split j on either side. */
static void weigh(const pt_split_scratch *s, int64_t j, const double *add, double *in, double *out)
{
    const int64_t sums = s->rules->criterion == PT_CRITERION_SQUARES ? 1 : s->sums;
    double all = 0;
    *in = 0;
    for (int64_t c = 0; c < sums; c++) {
        *in += s->column[c * PT_JUDGED + j] + add[c];
        all += s->total[c];
    }
    *out = all - *in;
}

static bool in_is_larger(const pt_split_scratch *s, int64_t j, const double *add)
{
    double in = 0;
    double out = 0;
    weigh(s, j, add, &in, &out);
    return in >= out;
}

static bool weighs_enough(const pt_split_scratch *s, int64_t j, const double *add, double missing)
{
    double in = 0;
    double out = 0;
    if (s->rules->by_mass) {
        in = s->column_mass[j] + missing;
        out = s->all_mass - in;
    } else if (s->rules->min_weight > 0) {
        weigh(s, j, add, &in, &out);
    }
    return in >= s->rules->min_weight && out >= s->rules->min_weight;
}

/* Marks: of numbers, the last group that is in; of levels, how many of `level` are in, or which. */
static void save_split(pt_split_scratch *s, const pt_found *this, int64_t j, bool missing_in)
{
    const bool nominal = s->rules->table->feature[this->test.feature].levels > 0;
    const bool some_missing = s->missing[s->rules->sums] > 0;
    const bool larger = in_is_larger(s, j, missing_in ? s->missing : s->nothing);
    const int64_t mark = s->mark[j];
    s->found = *this;
    s->found.missing_in = some_missing ? missing_in : larger;
    s->found.whole = some_missing && s->rows[j] + (int64_t)s->missing[s->rules->sums] == s->node.m;
    if (nominal) {
        save_set(s, mark, larger);
        return;
    }
    s->found.test.bin = s->group[mark];
    s->found.test.next = mark + 1 < s->n_groups ? s->group[mark + 1] : -1;
}

static double gap_at(const pt_split_scratch *s, int64_t feature, int64_t j)
{
    const pt_feature *of = &s->rules->table->feature[feature];
    const int64_t g = s->mark[j];
    if (of->levels > 0 || g + 1 >= s->n_groups)
        return 0;
    return (double)(s->group[g + 1] - s->group[g]) / (double)of->bins;
}

static void judge(pt_split_scratch *s, int64_t feature)
{
    const pt_split_rules *rules = s->rules;
    const int64_t n_missing = (int64_t)s->missing[rules->sums];
    const int variants = n_missing > 0 ? 2 : 1;
    const double *add[2] = {s->nothing, s->missing};
    const double mass[2] = {0, rules->by_mass ? s->mass[rules->table->feature[feature].bins] : 0};
    for (int v = 0; v < variants; v++)
        rules->judge(s->column, add[v], s->total, s->sums, s->judged, s->value[v]);
    for (int64_t j = 0; j < s->judged; j++)
        for (int v = 0; v < variants; v++) {
            const int64_t in = s->rows[j] + (v ? n_missing : 0);
            const pt_found this = {.value = s->value[v][j],
                                   .gap = gap_at(s, feature, j),
                                   .test = {.feature = feature}};
            if (in >= rules->min_leaf && s->node.m - in >= rules->min_leaf &&
                weighs_enough(s, j, add[v], mass[v]) && pt_split_better(&this, &s->found))
                save_split(s, &this, j, v);
        }
    s->judged = 0;
}

/* One more split: what is in has the sums `inside`. */
static void offer(pt_split_scratch *s, int64_t feature, int64_t mark)
{
    const int64_t j = s->judged;
    for (int64_t c = 0; c < s->sums; c++)
        s->column[c * PT_JUDGED + j] = s->inside[c];
    s->rows[j] = (int64_t)s->inside[s->rules->sums];
    s->column_mass[j] = s->inside_mass;
    s->mark[j] = mark;
    if (++s->judged == PT_JUDGED)
        judge(s, feature);
}

/* ---- groups ---------------------------------------------------------------------------------- */

/* Counts and marks the bins of the node's rows. 257 narrow bins are worth no summary. */
static inline void mark_bins(pt_split_scratch *s, const pt_feature *feature, bool wide)
{
    const pt_node_example *entry = s->node.entry;
    const int64_t m = s->node.m;
    for (int64_t i = 0; i < m; i++) {
        const uint32_t bin = wide ? feature->wide[entry[i].row] : feature->bin[entry[i].row];
        const uint32_t word = bin / WORD;
        s->bin_of[i] = bin;
        s->count[bin]++;
        s->present[word] |= (uint64_t)1 << bin % WORD;
        if (wide)
            s->summary[word / WORD] |= (uint64_t)1 << word % WORD;
    }
    if (!wide)
        s->summary[0] = ~(uint64_t)0 >> (WORD - 5);
}

/* Bins of one word, in order: counts become places, marks are taken away. */
static void list_word(pt_split_scratch *s, int64_t word)
{
    int64_t rows = s->n_groups > 0 ? s->end[s->n_groups - 1] : 0;
    for (uint64_t left = s->present[word]; left; left &= left - 1) {
        const int64_t bin = word * WORD + __builtin_ctzll(left);
        const uint32_t count = s->count[bin];
        s->count[bin] = (uint32_t)rows;
        rows += count;
        s->group[s->n_groups] = bin;
        s->end[s->n_groups++] = rows;
    }
    s->present[word] = 0;
}

static void list_bins(pt_split_scratch *s, int64_t bins)
{
    const int64_t words = pt_forest_set_words(bins);
    s->n_groups = 0;
    for (int64_t u = 0; u < pt_forest_set_words(words); u++) {
        for (uint64_t left = s->summary[u]; left; left &= left - 1) {
            const int64_t word = u * WORD + __builtin_ctzll(left);
            if (word < words)
                list_word(s, word);
        }
        s->summary[u] = 0;
    }
}

/* Rows in the order of their bins. */
static void order_rows(pt_split_scratch *s, const pt_feature *feature)
{
    if (feature->bin)
        mark_bins(s, feature, false);
    else
        mark_bins(s, feature, true);
    list_bins(s, feature->bins + 1);
    for (int64_t i = 0; i < s->node.m; i++)
        s->sorted[s->count[s->bin_of[i]]++] = (int32_t)i;
    for (int64_t g = 0; g < s->n_groups; g++)
        s->count[s->group[g]] = 0;
}

static void list_cells(pt_split_scratch *s, int64_t f)
{
    const int64_t wide = s->rules->sums + 1;
    const double *cells = s->node.cells + s->rules->offset[f];
    const int64_t bins = s->rules->table->feature[f].bins + 1;
    s->n_groups = 0;
    for (int64_t b = 0; b < bins; b++)
        if (cells[b * wide + wide - 1] > 0)
            s->group[s->n_groups++] = b;
}

/* sum += the sums and the number of rows of a group. */
static void add_group(const pt_split_scratch *s, int64_t f, int64_t g, double *restrict sum)
{
    const int64_t at_rows = s->rules->sums;
    if (s->node.cells) {
        const double *restrict cell =
            s->node.cells + s->rules->offset[f] + s->group[g] * (at_rows + 1);
        for (int64_t c = 0; c <= at_rows; c++)
            sum[c] += cell[c];
        return;
    }
    const int64_t first = g > 0 ? s->end[g - 1] : 0;
    for (int64_t at = first; at < s->end[g]; at++) {
        const pt_node_example *entry = &s->node.entry[s->sorted[at]];
        if (s->place) {
            sum[s->place[entry->class]] += entry->w;
        } else {
            sum[0] += entry->w;
            sum[1] += entry->wz;
        }
    }
    sum[at_rows] += (double)(s->end[g] - first);
}

/* The mass of the node's rows, by bins of the feature. */
static void weigh_bins(pt_split_scratch *s, const pt_feature *feature)
{
    memset(s->mass, 0, (size_t)(feature->bins + 1) * sizeof *s->mass);
    s->all_mass = 0;
    for (int64_t i = 0; i < s->node.m; i++) {
        const int64_t row = s->node.entry[i].row;
        const double mass = pt_weight(s->rules->mass, row);
        s->mass[pt_feature_bin(feature, row)] += mass;
        s->all_mass += mass;
    }
}

/* Groups of the feature; that of missing cells is taken apart. */
static void make_groups(pt_split_scratch *s, int64_t f)
{
    const pt_feature *feature = &s->rules->table->feature[f];
    const size_t wide = (size_t)(s->rules->sums + 1) * sizeof(double);
    if (s->node.cells)
        list_cells(s, f);
    else
        order_rows(s, feature);
    if (s->rules->by_mass)
        weigh_bins(s, feature);
    memset(s->missing, 0, wide);
    memset(s->inside, 0, wide);
    s->inside_mass = 0;
    if (s->n_groups > 0 && s->group[s->n_groups - 1] == feature->bins) {
        add_group(s, f, s->n_groups - 1, s->missing);
        s->n_groups--;
    }
}

/* ---- numbers --------------------------------------------------------------------------------- */

static void search_number(pt_split_scratch *s, int64_t f)
{
    const int64_t last = s->n_groups - (s->missing[s->rules->sums] > 0 ? 0 : 1);
    for (int64_t g = 0; g < last; g++) {
        add_group(s, f, g, s->inside);
        s->inside_mass += s->rules->by_mass ? s->mass[s->group[g]] : 0;
        offer(s, f, g);
    }
    judge(s, f);
}

/* ---- levels ---------------------------------------------------------------------------------- */

static const double *sums_of(const pt_split_scratch *s, int64_t g)
{
    return s->level_sum + g * (s->rules->sums + 1);
}

static void add_level(pt_split_scratch *s, int64_t g)
{
    const double *sum = sums_of(s, g);
    for (int64_t c = 0; c <= s->rules->sums; c++)
        s->inside[c] += sum[c];
    s->inside_mass += s->rules->by_mass ? s->mass[s->group[g]] : 0;
}

static void no_levels(pt_split_scratch *s)
{
    memset(s->inside, 0, (size_t)(s->rules->sums + 1) * sizeof(double));
    s->inside_mass = 0;
}

/* Every set that leaves the last level out, and all of them where cells are missing. */
static void try_every_set(pt_split_scratch *s, int64_t f)
{
    const int64_t all = ((int64_t)1 << s->n_groups) - 1;
    const bool some_missing = s->missing[s->rules->sums] > 0;
    for (int64_t set = 1; set <= all; set++) {
        if (set > all / 2 && !(set == all && some_missing))
            continue;
        no_levels(s);
        for (int64_t g = 0; g < s->n_groups; g++)
            if (set >> g & 1)
                add_level(s, g);
        offer(s, f, set);
    }
    judge(s, f);
}

/* The beginnings of the order. */
static void try_order(pt_split_scratch *s, int64_t f)
{
    const int64_t last = s->n_groups - (s->missing[s->rules->sums] > 0 ? 0 : 1);
    pt_levels_sort(s->level, s->n_groups);
    no_levels(s);
    for (int64_t g = 0; g < last; g++) {
        add_level(s, s->level[g].level);
        offer(s, f, g + 1);
    }
    judge(s, f);
}

/* By the share of sum c in the weight of each level, of a regression by its mean: the least first.
 */
static void set_shares(pt_split_scratch *s, int64_t c)
{
    for (int64_t g = 0; g < s->n_groups; g++) {
        const double *sum = sums_of(s, g);
        double weight = 0;
        for (int64_t b = 0; b < s->sums; b++)
            weight += sum[b];
        if (s->rules->criterion == PT_CRITERION_SQUARES)
            weight = sum[0];
        s->level[g] = (pt_scored_level){weight > 0 ? -(sum[c] / weight) : 0, g};
    }
}

static int64_t classes_there(const pt_split_scratch *s)
{
    int64_t count = 0;
    for (int64_t c = 0; c < s->sums; c++)
        count += s->total[c] > 0;
    return count;
}

static void search_levels(pt_split_scratch *s, int64_t f)
{
    const int64_t wide = s->rules->sums + 1;
    const bool squares = s->rules->criterion == PT_CRITERION_SQUARES;
    for (int64_t g = 0; g < s->n_groups; g++) {
        double *sum = s->level_sum + g * wide;
        memset(sum, 0, (size_t)wide * sizeof *sum);
        add_group(s, f, g, sum);
        s->level[g] = (pt_scored_level){0, g};
    }
    const bool one_order = squares || classes_there(s) <= 2;
    s->exhaustive = s->n_groups <= EXHAUSTIVE &&
                    (!one_order || s->rules->min_leaf > 1 || s->rules->min_weight > 0);
    if (s->exhaustive) {
        try_every_set(s, f);
        return;
    }
    for (int64_t c = squares, tried = 0; c < s->sums && !(one_order && tried); c++)
        if (squares || s->total[c] > 0) {
            set_shares(s, c);
            try_order(s, f);
            tried = 1;
        }
}

void pt_split_search(pt_split_scratch *s, int64_t f)
{
    make_groups(s, f);
    if (s->n_groups + (s->missing[s->rules->sums] > 0) < 2)
        return;
    if (s->rules->table->feature[f].levels > 0)
        search_levels(s, f);
    else
        search_number(s, f);
}

/* ---- histograms ------------------------------------------------------------------------------ */

/* One row after the other into the same few cells: each addition waits for the one before. Four
 * features at once wait together. */
static void fill_four(const pt_split_rules *rules, const pt_node_example *entry, int64_t m,
                      int64_t f, double *restrict cells)
{
    const pt_feature *feature = rules->table->feature + f;
    const int64_t wide = rules->sums + 1;
    const uint8_t *bins[PT_FILLED];
    double *at[PT_FILLED];
    for (int q = 0; q < PT_FILLED; q++) {
        bins[q] = feature[q].bin;
        at[q] = cells + rules->offset[f + q];
    }
    for (int64_t i = 0; i < m; i++) {
        const pt_node_example one = entry[i];
        for (int q = 0; q < PT_FILLED; q++) {
            double *cell = at[q] + bins[q][one.row] * wide;
            cell[one.class] += one.w;
            cell[wide - 1] += 1;
        }
    }
}

static void fill_one(const pt_split_rules *rules, const pt_node_example *entry, int64_t m,
                     int64_t f, double *restrict cells)
{
    const pt_feature *feature = &rules->table->feature[f];
    const int64_t wide = rules->sums + 1;
    double *at = cells + rules->offset[f];
    if (rules->criterion == PT_CRITERION_SQUARES)
        for (int64_t i = 0; i < m; i++) {
            double *cell = at + pt_feature_bin(feature, entry[i].row) * wide;
            cell[0] += entry[i].w;
            cell[1] += entry[i].wz;
            cell[2] += 1;
        }
    else
        for (int64_t i = 0; i < m; i++) {
            double *cell = at + pt_feature_bin(feature, entry[i].row) * wide;
            cell[entry[i].class] += entry[i].w;
            cell[wide - 1] += 1;
        }
}

void pt_cells_fill(const pt_split_rules *rules, const pt_node_example *entry, int64_t m,
                   int64_t first, int64_t count, double *cells)
{
    bool narrow = count == PT_FILLED && rules->criterion != PT_CRITERION_SQUARES;
    for (int64_t f = first; f < first + count; f++)
        narrow = narrow && rules->table->feature[f].bin;
    memset(cells + rules->offset[first], 0,
           (size_t)(rules->offset[first + count] - rules->offset[first]) * sizeof *cells);
    if (narrow)
        fill_four(rules, entry, m, first, cells);
    for (int64_t f = first; !narrow && f < first + count; f++)
        fill_one(rules, entry, m, f, cells);
}

void pt_cells_subtract(const pt_split_rules *rules, int64_t first, int64_t count,
                       double *restrict cells, const double *restrict others)
{
    for (int64_t c = rules->offset[first]; c < rules->offset[first + count]; c++)
        cells[c] -= others[c];
}
