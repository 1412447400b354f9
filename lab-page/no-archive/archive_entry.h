#include <archive.h>
