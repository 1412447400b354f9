/*
 * Prefetching: speed only, results never depend on it.  Compiled with -DNO_PREFETCH there is none, to measure
 * its worth.
 */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

/* For a look-up soon: first the entry in a table; then, once that is in the cache, the data it refers to. */
enum prefetch_stage { PREFETCH_ENTRY, PREFETCH_TARGET };

/* The empty asm keeps the call: gcc considers a function that only prefetches as pure and drops its calls. */
static inline void prefetch(const void *address)
{
#ifdef NO_PREFETCH
	(void)address;
#else
	__builtin_prefetch(address, 1);
	__asm__ volatile("");
#endif
}

#endif
