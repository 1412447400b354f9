#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *file_open(const char *path, struct fault *reason)
{
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	struct stat status;
	FILE *file = NULL;

	if (descriptor < 0 || fstat(descriptor, &status))
		fault_set(reason, "%s", strerror(errno));
	else if (S_ISDIR(status.st_mode))
		fault_set(reason, "%s", strerror(EISDIR));
	else if (!S_ISREG(status.st_mode))
		fault_set(reason, "it is a pipe or a device, not a file");
	else if (!(file = fdopen(descriptor, "rb")))
		fault_set(reason, "%s", strerror(errno));
	if (descriptor >= 0 && !file)
		close(descriptor);
	return file;
}
