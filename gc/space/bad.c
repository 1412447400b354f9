#include "gc/space/bad.h"

const struct bad_blocks bad_none = { 0 };
