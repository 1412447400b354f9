/*
 * Tenants send requests to the drive.  The device of a request, from 0, is the number of its tenant.  With
 * one tenant, the default, all requests are its own, whatever their device.
 *
 * Settings for single tenants are comma-separated lists with an entry for each; with an empty list all have
 * the common setting.  With one tenant lists have no effect.
 */
#ifndef HOST_TENANTS_H
#define HOST_TENANTS_H

#include "base/fault.h"
#include "base/param.h"
#include "types.h"

#define TENANTS_MOST 64u

enum arbitration { ARBITRATION_FIFO, ARBITRATION_ROUND_ROBIN, ARBITRATION_WEIGHTED, ARBITRATION_PRIORITY };

/* Urgent, high, medium, low. */
enum tenant_class { TENANT_URGENT, TENANT_HIGH, TENANT_MEDIUM, TENANT_LOW, TENANT_CLASSES };

/* Requests arrive until every tenant has sent its last one, or until the first tenant has. */
enum tenant_end { END_LAST, END_FIRST };

/* Part of the group "host". */
struct tenant_settings {
	uint64_t tenants, burst, slots;
	int arbitration, end;
	char *classes, *weights, *modes, *depths, *time_scales, *ranges, *seeds, *alone;
};

struct tenant {
	bool is_open; /* its requests arrive at the times of the trace; else depth of them are always there */
	uint64_t depth;    /* at least 1 */
	double time_scale; /* of an open one */
	uint64_t seed;     /* added to that of its profile */
	enum tenant_class rank;
	struct extent range; /* sectors that it addresses, of those that the host sees */
	bool is_absent;      /* its requests are left out */
};

struct tenants {
	uint32_t count; /* 1..TENANTS_MOST */
	struct tenant of[TENANTS_MOST];
	uint64_t weight[TENANT_CLASSES]; /* commands in a turn of the class; urgent: without meaning */
};

struct host_settings;

/*
 * Reads the tenants of a host that sees `sectors`.  Ranges begin and end at multiples of `unit` sectors.
 * False and a fault: a list is wrong.
 */
bool tenants_read(
	struct tenants *, const struct host_settings *, sector_t sectors, sector_t unit, struct fault *);

#endif
