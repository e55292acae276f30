/* polytomy train --online. */
#ifndef POLYTOMY_CLI_TRAIN_ONLINE_H
#define POLYTOMY_CLI_TRAIN_ONLINE_H

#include "cli.h"

int cli_train_online(cli_context *context, const char *path);

#endif
