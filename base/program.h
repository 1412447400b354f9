/* Where the program lies, so that what belongs to it is not taken from the current folder. */
#ifndef BASE_PROGRAM_H
#define BASE_PROGRAM_H

/* The folder of the program that runs, to be freed; NULL: it is not known. */
char *program_folder(void);

/* The top of the source tree that it was built in, if it is still there: its folder, or that above build/ or
 * build/NAME/.  To be freed; NULL: it is not known. */
char *program_tree(void);

#endif
