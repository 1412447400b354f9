#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

FILE *file_open_given(const char *path, struct fault *reason)
{
	FILE *file;

	if (strncmp(path, "/dev/", 5) != 0)
		return file_open(path, reason);
	file = fopen(path, "rb");
	if (!file)
		fault_set(reason, "%s", strerror(errno));
	return file;
}

static bool file_is_plain(int descriptor, struct fault *reason)
{
	struct stat status;

	if (fstat(descriptor, &status))
		return fault_set(reason, "%s", strerror(errno));
	if (S_ISDIR(status.st_mode))
		return fault_set(reason, "%s", strerror(EISDIR));
	return S_ISREG(status.st_mode) || fault_set(reason, "it is a pipe or a device, not a file");
}

FILE *file_open(const char *path, struct fault *reason)
{
	int descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	FILE *file;

	if (descriptor < 0) {
		fault_set(reason, "%s", strerror(errno));
		return NULL;
	}
	if (!file_is_plain(descriptor, reason)) {
		close(descriptor);
		return NULL;
	}
	file = fdopen(descriptor, "rb");
	if (file)
		return file;
	fault_set(reason, "%s", strerror(errno));
	close(descriptor);
	return NULL;
}
