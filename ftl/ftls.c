#include "ftl/ftl.h"

#define FTL(name) extern const struct ftl_ops ftl_##name;
#include "ftl/list.h"
#undef FTL

const char *const ftl_names[] = {
#define FTL(name) #name,
#include "ftl/list.h"
#undef FTL
	NULL,
};

const struct ftl_ops *const ftls[] = {
#define FTL(name) &ftl_##name,
#include "ftl/list.h"
#undef FTL
	NULL,
};
