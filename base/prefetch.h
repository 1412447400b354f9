/*
 * Helpers that only fetch ahead.  The optimiser takes a function whose only effect is a prefetch for one without
 * effect and drops the calls, unless it is inlined before it is looked at.
 */
#ifndef BASE_PREFETCH_H
#define BASE_PREFETCH_H

#define PREFETCHING static inline __attribute__((always_inline))

#endif
