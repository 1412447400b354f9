/*
 * How fast traces are read, per format and per packing, beside the floor: the same file, its lines
 * counted (as by wc -l) and its bytes copied to memory, nothing understood.
 */
#ifndef BENCH_READING_H
#define BENCH_READING_H

/* Prints a table; ends the program if a file cannot be written or read. */
void bench_reading(void);

#endif
