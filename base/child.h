/* Child processes. */
#ifndef BASE_CHILD_H
#define BASE_CHILD_H

#include <errno.h>
#include <sys/wait.h>

/* Waits until the child has ended, whatever signals arrive meanwhile.  Returns its status as waitpid() stores
 * it; -1, which is never a status, if the system keeps none because this process ignores SIGCHLD. */
static inline int child_end(pid_t child)
{
	int status = -1;

	while (waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

#endif
