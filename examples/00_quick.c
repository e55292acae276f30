/* 00: one call. Reads a data file, trains a machine with the defaults, writes the model.
 *
 *     00_quick data/iris.csv iris.model
 */
#include <polytomy/polytomy.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    if (argc != 3) {
        fprintf(stderr, "usage: %s DATA MODEL\n", argv[0]);
        return 2;
    }

    pt_error err = PT_ERROR_INIT;
    if (pt_train_file(argv[1], NULL, argv[2], &err) != PT_OK) {
        char message[PT_ERROR_MESSAGE]; /* what, where, what to do */
        fprintf(stderr, "%s\n", pt_error_message(&err, message, sizeof message));
        return 1;
    }
    printf("%s is trained; look inside with: polytomy info %s\n", argv[2], argv[2]);
    return 0;
}
