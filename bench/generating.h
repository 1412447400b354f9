/* How fast the generator is, beside the rest of the bench. */
#ifndef BENCH_GENERATING_H
#define BENCH_GENERATING_H

/* Prints a table of requests per second for profiles of each sort; ends the program if one is missing. */
void bench_generating(void);

#endif
