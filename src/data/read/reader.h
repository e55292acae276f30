/* Readers and writers: one table entry per format. */
#ifndef PT_DATA_READ_READER_H
#define PT_DATA_READ_READER_H

#include <stddef.h>

#include "base/budget.h"
#include "base/error.h"
#include "base/task.h"
#include "data/dataset.h"
#include "data/read/lines.h"
#include "data/read/source.h"
#include "params/params.h"

/* Memory that one reading leaves to the next, for the blocks of a stream: fresh pages cost as much
 * as reading into them. Zero-initialise; free it always. */
typedef struct pt_read_room {
    int64_t memory; /* what pt_task_memory said, which asks the system; 0: not asked yet */
    int64_t rows;   /* that `start` has room for */
    int64_t cells;  /* that `value` and, of sparse rows, `index` have room for */
    int64_t *start;
    int64_t *index;
    double *value;
} pt_read_room;

/* Takes the arrays of a data set that was read with this room, and frees the rest of it. */
void pt_read_room_take(pt_read_room *room, pt_dataset *data);
void pt_read_room_free(pt_read_room *room);

/* Cells and rows that are not as in training, over the blocks of a stream. Zero-initialise; free it
 * always. */
typedef struct pt_misfits {
    int64_t n; /* columns of the file */
    int64_t *cells;
    char *told;    /* the warning by now; NULL: there is none */
    int64_t shown; /* of the cells: the column of one, from 1, and what it says; 0: there is none */
    char example[PT_CELL_SHOWN];
    int64_t blank_rows;
    int64_t totals_rows;
} pt_misfits;

void pt_misfits_free(pt_misfits *misfits);

/* Rows to predict that have no cell, and lines of totals: every line but a header that comes again
 * has its prediction, so that lines can be counted. Nothing is said where there are none. */
pt_status pt_warn_of_no_rows(pt_warnings *warnings, int64_t blank_rows, int64_t totals_rows,
                             pt_error *err);

/* Where the rows of a text are. Zero-initialise; free it always. */
typedef struct pt_places {
    int64_t n;   /* rows; 0: the file is no text */
    int64_t *at; /* offset of each in the text, expanded */
} pt_places;

void pt_places_free(pt_places *places);

/* What a reader is asked for. */
typedef struct pt_read_options {
    const char *source;     /* file name, for errors */
    const char *header;     /* "auto" "yes" "no" */
    const char *label;      /* column name or pattern, "" : find it; "none": there is none */
    const char *labels;     /* kind: "class" "set" "ranking" "pairs" */
    bool labels_said;       /* the kind is asked for, and not just the default */
    const char *ranks;      /* pattern of several columns of ranks, "": none */
    const char *labels_xml; /* ARFF: Mulan's file that names the labels, "": none is named */
    const char *nominal;    /* pattern or "all" or "" */
    const char *ignore;     /* pattern or "" */
    bool keep_text;         /* columns of free text are features */
    const char *weight;     /* column of example weights, name or number from 1, or "" */
    const char *group;      /* column of groups, as weight */
    const char *fold;       /* pattern of columns of folds, or "" */
    const char *time;       /* column of times, as weight */
    const char *na;         /* words for missing cells separated by commas, "": the usual ones */
    const char *types;      /* COLUMN=KIND,... or "" */
    const char *separator;  /* "auto", a character or its name */
    const char *decimal;    /* "auto" "point" "comma" */
    const char *comment;    /* what lines to be skipped begin with, "": nothing */
    bool skip_unlabelled;   /* rows without label are left out, and no error */
    bool row_names;         /* the first column names the rows: no feature */
    int64_t tail;         /* columns from here on have no name and no cell: no features; 0: none */
    int index_base;       /* LIBSVM: 0 or 1 */
    bool row_numbers;     /* LIBSVM, precomputed kernels: index 0 has the number of the row */
    int64_t label_column; /* prediction: the label's column in training from 1, 0: unknown */
    bool label_optional;  /* prediction: a file without label column is fine */
    bool groups_wanted;   /* ... and the column of groups is read, for intervals, if it is there */
    const pt_label_columns *label_columns; /* prediction: those of training where they were several,
                                              NULL: one or none */
    const pt_texts *features; /* prediction: names of the model's columns, NULL: unknown */
    int64_t n_features;       /* prediction: number of the model's columns, -1: unknown */
    /* prediction: which of them hold numbers, so that a text is an error with its place; NULL:
     * unknown */
    const bool *numeric_features;
    const pt_judged_columns *judged; /* prediction: how the training file was read, NULL: unknown */
    bool part;          /* of a stream for training: numbers only, none of them missing */
    bool block;         /* of a larger text: LIBSVM without any feature is fine, others tell how far
                           reading is, and what was counted in it alone is not told */
    pt_read_room *room; /* of a stream, NULL: none */
    pt_misfits *misfits;  /* of a stream, NULL: each reading warns of its own */
    pt_places *places;    /* where the rows are, in a whole file; NULL: nobody asks */
    struct pt_kept *kept; /* CSV and TSV: cells that are kept (kept.h), with places; NULL: none */
    pt_budget *budget;    /* what is read is taken from it; NULL: nobody counts */
    bool mapped;          /* the bytes are a mapped file: pages that were read may go */
    const pt_task *task;
} pt_read_options;

/* Takes the next bytes of a file that is being written. */
typedef pt_status (*pt_sink_fn)(void *context, const char *bytes, size_t size, pt_error *err);
struct pt_writer; /* write.h */

/* A format. `detect` looks at the first bytes (at most 64 KB) and says how sure it is, 0..100. */
typedef struct pt_format {
    const char *name;
    const char *summary;
    const char *extensions; /* ".csv,.tsv" */
    int (*detect)(const char *bytes, size_t size);
    pt_status (*read)(pt_dataset **out, const char *bytes, size_t size,
                      const pt_read_options *options, pt_error *err);
    /* NULL: cannot be written. `continues`: other rows of the same columns stand before these in
     * the file, which has its header then. */
    pt_status (*write)(const pt_dataset *data, bool continues, struct pt_writer *writer,
                       pt_error *err);
} pt_format;

/* The registry, ended by NULL. */
/* Every format there is: a line of registry/formats.def each. */
#define PT_ENTRY(entry, name) extern const pt_format pt_format_##entry;
#include "registry/formats.def"
#undef PT_ENTRY
extern const pt_format *const pt_formats[];

/* Fills options from parameters (NULL: defaults). */
void pt_read_options_init(pt_read_options *options, const pt_params *params);
/* Reads with options; format "auto" or a name. */
pt_status pt_read_path(pt_dataset **out, const char *path, const char *format,
                       const pt_read_options *options, pt_error *err);
pt_status pt_read_bytes(pt_dataset **out, const void *bytes, size_t size, const char *format,
                        const pt_read_options *options, pt_error *err);
/* Reads what is open, within the memory that the task allows; an expanded text is a part of it. */
pt_status pt_read_source(pt_dataset **out, const pt_source *source, const char *format,
                         const pt_read_options *options, pt_error *err);
/* Writes to a file, or standard output for "-"; gzip or zstd by the ending of the name. */
pt_status pt_write_path(const pt_dataset *data, const char *path, const char *format,
                        const pt_task *task, pt_error *err);

/* For formats that are text: room for the places of n rows, where they are asked for. */
pt_status pt_places_new(int64_t n, const pt_read_options *options, pt_error *err);

/* For formats. Refuses n x d cells of `size` bytes that the task's memory cannot hold; they are
 * taken from the budget. */
pt_status pt_reader_check_size(int64_t n, int64_t d, size_t size, const pt_read_options *options,
                               pt_error *err);
/* The same for what goes with the cells, where there is a budget. */
pt_status pt_reader_take(size_t bytes, const pt_read_options *options, pt_error *err);
/* For formats that are text: *begin is behind a byte order mark; refuses what is not text (zero
 * bytes near the beginning, UTF-16, lines that end with CR alone). */
pt_status pt_reader_check_text(const char *bytes, size_t size, size_t *begin, const char *source,
                               pt_error *err);

/* The format of data: by its name, or for NULL and "auto" by that of the file, then by its first
 * bytes. */
pt_status pt_format_find(const pt_format **found, const char *format, const char *source,
                         const char *bytes, size_t size, pt_error *err);

/* The format to write a file in: by name ("csv"), or NULL: by the file's name; "-" is CSV. */
pt_status pt_write_format(const char *path, const char *format, const pt_format **found,
                          pt_error *err);

/* Files that people have and that are not read: named for what they are, by their first bytes. */

/* PT_EFORMAT with what the file is and what to do, whatever its name ends with; PT_OK: it is not
 * known, so it may be data. `bytes` are expanded already; the first ones suffice. */
pt_status pt_refuse_known(const char *bytes, size_t size, const char *name, pt_error *err);

#endif
