#include "gc/policy.h"

#define GC_POLICY(name) extern const struct gc_policy_ops gc_##name;
#include "gc/list.h"
#undef GC_POLICY

const struct gc_policy_ops *const gc_policies[] = {
#define GC_POLICY(name) &gc_##name,
#include "gc/list.h"
#undef GC_POLICY
	NULL,
};
