/*
 * Processes of our own that do a part of the work.
 */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <errno.h>
#include <sys/wait.h>

/* Waits for its end, whatever signals come meanwhile, and says how it ended, as waitpid() does.  -1, the status of no
 * end: nobody can know, as this process ignores SIGCHLD. */
static inline int child_end(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

#endif
