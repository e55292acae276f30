/* Progress (a bar on a terminal, lines elsewhere), messages of the library, and Ctrl-C.
 *
 * The first Ctrl-C asks the task to stop; the library returns within a second and nothing half-made
 * is left. The second one leaves at once. */
#include <math.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli.h"

enum { BAR = 30 };
#define BAR_SECONDS 0.1      /* between two drawings of the bar */
#define BAR_AFTER 0.5        /* short work shows none */
#define LINE_SECONDS 5.0     /* between two lines with --verbose */
#define LINE_SECONDS_LONG 30 /* and without it: only long work says that it is alive, */
#define LINE_AFTER 10.0      /* after so long, */
#define LINE_STEP 0.1        /* or sooner where so much more is done */

/* A signal handler can only reach what is global. */
static pt_task *_Atomic signal_task;
static const char *_Atomic signal_temporary;
static volatile sig_atomic_t signals;

static struct {
    double started;
    double last;
    double fraction; /* that was shown */
    double reached;  /* that was heard of */
    bool terminal;
    bool drawn;
    struct { /* the part of the work that runs */
        double from;
        double until;
        double started;
        bool timed;
    } part;
} display;

double cli_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const char *cli_seconds_show(double seconds, char out[CLI_SECONDS_SHOWN])
{
    const int digits = seconds >= 0.0995 ? 2 : seconds >= 0.00995 ? 3 : 4;
    snprintf(out, CLI_SECONDS_SHOWN, "%.*f s", digits, fmax(seconds, 0.0001));
    return out;
}

void cli_progress_clear(void)
{
    if (display.drawn) {
        fputs("\r\033[K", stderr);
        fflush(stderr);
    }
    display.drawn = false;
}

static void draw_bar(const char *stage, double fraction, double left)
{
    char bar[BAR + 1];
    const int filled = (int)(fraction * BAR);
    for (int i = 0; i < BAR; i++)
        bar[i] = i < filled ? '#' : '.';
    bar[BAR] = '\0';
    fprintf(stderr, "\r\033[K%-20.20s [%s] %3.0f %%", stage, bar, 100 * fraction);
    if (left >= 1)
        fprintf(stderr, "  %.0f s left", left);
    fflush(stderr);
    display.drawn = true;
}

void cli_progress_part(const cli_context *context, double until, bool timed)
{
    display.part.from = display.reached;
    display.part.until = until;
    display.part.started = cli_seconds();
    display.part.timed = timed && isfinite(pt_task_seconds_left(context->task));
}

static void on_progress(const char *stage, double done, double total, void *user)
{
    const cli_context *context = user;
    const double now = cli_seconds();
    const double pause = display.terminal   ? BAR_SECONDS
                         : context->verbose ? LINE_SECONDS
                                            : LINE_SECONDS_LONG;
    const double spent = now - display.part.started;
    double left = pt_task_seconds_left(context->task);
    double share = total > 0 && done >= 0 ? (done < total ? done / total : 1) : 0;
    if (display.part.timed)
        share = spent / (spent + left);
    else
        left = share > 0.02 && display.part.until == 1 ? spent * (1 - share) / share : 0;
    const double here = display.part.from + (display.part.until - display.part.from) * share;
    display.reached = here > display.reached ? here : display.reached;
    const double fraction = display.reached;
    const bool step =
        !display.terminal && fraction >= display.fraction + LINE_STEP && now - display.last >= 1;
    if (context->quiet || (now - display.last < pause && !step) ||
        now - display.started < (display.terminal || context->verbose ? BAR_AFTER : LINE_AFTER))
        return;
    display.last = now;
    display.fraction = fraction;
    if (display.terminal)
        draw_bar(stage, fraction, left);
    else
        fprintf(stderr, "%s: %.0f %% after %.0f s\n", stage, 100 * fraction, now - display.started);
}

static void on_message(pt_level level, const char *kind, const char *text, void *user)
{
    cli_context *context = user;
    if (level == PT_WARNING) {
        context->unsaved = context->unsaved || strcmp(kind, "unsaved") == 0;
        cli_warn(context, kind, "%s", text);
        return;
    }
    const int wanted = level == PT_NOTICE ? 0 : level == PT_INFO ? 1 : 2;
    if (context->quiet || context->verbose < wanted)
        return;
    cli_progress_clear();
    cli_put_safe(stderr, text);
    putc('\n', stderr);
}

static void on_signal(int number)
{
    (void)number;
    pt_task *task = atomic_load(&signal_task);
    if (++signals == 1 && task) {
        pt_task_cancel(task);
        return;
    }
    cli_progress_leave(128 + SIGINT);
}

void cli_progress_leave(int code)
{
    const char *temporary = atomic_load(&signal_temporary);
    if (temporary)
        unlink(temporary);
    _exit(code);
}

void cli_progress_temporary(const char *path)
{
    atomic_store(&signal_temporary, path);
}

/* What was started with signals ignored (nohup, a script's background job) stays so. */
static void catch_signal(int number)
{
    struct sigaction action;
    if (sigaction(number, NULL, &action) != 0 || action.sa_handler == SIG_IGN)
        return;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal; /* without SA_RESTART: a read from a terminal ends */
    sigemptyset(&action.sa_mask);
    sigaction(number, &action, NULL);
}

void cli_progress_start(cli_context *context)
{
    if (!context) {
        atomic_store(&signal_task, (pt_task *)NULL);
        return;
    }
    display.terminal = isatty(STDERR_FILENO);
    display.started = cli_seconds();
    display.last = display.started;
    cli_progress_part(context, 1, false);
    pt_task_on_progress(context->task, on_progress, context);
    pt_task_on_message(context->task, on_message, context);
    atomic_store(&signal_task, context->task);
    catch_signal(SIGINT);
    catch_signal(SIGTERM);
}
