/*
 * Prefetching: speed only, results never depend on it.  Compiled with -DNO_PREFETCH there is none, which
 * measures what it is worth.
 */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

/* What will be looked up soon: its entry in a table; then, once that is in the cache, what the entry leads
 * to. */
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
