/* `ssd grade`: points for exercises of the course, given by a script of the source tree. */
#include "base/memory.h"
#include "base/program.h"
#include "cli/cli.h"

#include <sys/stat.h>
#include <unistd.h>

#define GRADER "scripts/course/grade"

/* False: it is another one.  The script works on files of the current folder, so that has to be the tree. */
static bool grade_is_in(const char *tree)
{
	struct stat here, there;

	return !stat(".", &here) && !stat(tree, &there) && here.st_dev == there.st_dev &&
	       here.st_ino == there.st_ino;
}

int cli_grade(const struct options *o, struct fault *fault)
{
	char *tree = program_tree(), *script = tree ? cli_joined(tree, "/", GRADER) : NULL;

	if (script && !access(script, F_OK) && !grade_is_in(tree))
		fault_set(fault,
			"grade: works at the top of the source tree, %.250s: grade there, as ./ssd grade",
			tree);
	else
		cli_become(GRADER, o->typed, fault);
	memory_free(script);
	memory_free(tree);
	return STATUS_USER;
}
