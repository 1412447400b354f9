/* `ssd grade`: points for exercises of the course, given by a script of the source tree. */
#include "cli/cli.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define GRADER "scripts/course/grade"

int cli_grade(const struct options *o, struct fault *fault)
{
	execv(GRADER, o->typed);
	return cli_status(fault_set(fault,
		"grade: " GRADER ": %s; the course is in the source tree: grade there, as ./ssd grade",
		strerror(errno)));
}
