/*
 * Everything a user can set, in one struct: the settings of every room, and the groups of
 * rows that describe them.  Plug-ins bring their own groups, named like themselves.
 */
#ifndef DRIVE_SETTINGS_H
#define DRIVE_SETTINGS_H

#include "base/fault.h"
#include "base/param.h"
#include "buffer/buffer.h"
#include "drive/striped.h"
#include "flash/geometry.h"
#include "flash/retry.h"
#include "ftl/ftl.h"
#include "host/host.h"
#include "parameters/params.h"
#include "stats/table.h"
#include "gc/upkeep.h"

struct top_settings {
	int ftl, buffer; /* indices into ftls and buffers */
	uint64_t seed;
};

struct dram_settings {
	uint64_t access_ns, buffer_bytes;
};

enum precondition_mode {
	PRECONDITION_NONE,
	PRECONDITION_AGED,
	PRECONDITION_SYNTHETIC,
	PRECONDITION_FILL,
	PRECONDITION_TRACE
};
enum precondition_premap { PREMAP_NONE, PREMAP_PAGES, PREMAP_SECTORS, PREMAP_REQUESTS };
enum precondition_layout { LAYOUT_MIXED, LAYOUT_APART };

struct precondition_settings {
	int mode, layout, premap;
	bool beneath;
	double used, valid; /* shares of the physical pages */
	char *trace;
	uint64_t passes, fill_run;
};

struct toolbox; /* base/toolbox.h */

/* The user's own plug-ins: an FTL in a file, and those that a program hands over, which are always chosen. */
struct settings_brought {
	const struct ftl_ops *ftl;
	const char *path; /* of its file, as in ftl=./mine.so; NULL: it was handed over */
	void *ftl_file;
	bool ftl_chosen; /* it was handed over */
	const struct buffer_ops *buffer;
	const void *buffer_own; /* settings of that buffer */
	int ftl_choice, buffer_choice, policy_choice;
	int ftl_name_choice; /* its name, beside the path of its file */
	void *memory[10];    /* rows and choices of the parameters that name them, and `path` */
	size_t used;
};

struct settings {
	struct top_settings top;
	struct flash_settings flash;
	struct ftl_settings ftl;
	struct dram_settings dram;
	struct retry_settings retry;
	struct upkeep_settings upkeep;
	struct host_settings host;
	struct trace_settings trace;
	struct precondition_settings precondition;
	struct stat_settings stats;
	struct striped_settings *striped; /* a device model that takes the drive's place in `ssd measure` */
	void **ftl_own, **buffer_own, **host_own; /* per plug-in its settings, NULL if it has none */
	struct settings_brought brought;

	struct param_group *group;  /* all of the above, for parameters/ */
	size_t groups, core_groups; /* all; those before the plug-ins' */
};

/* Settings at their defaults. */
bool settings_init(struct settings *, struct fault *);
void settings_release(struct settings *);

/* Hands over a plug-in with its own settings.  Call before the settings are read: this plug-in is chosen
 * whatever else they say, and they are printed with its name. */
bool settings_bring_ftl(
	struct settings *, const struct ftl_ops *, const struct toolbox *of_ftl, struct fault *);
void settings_bring_policy(struct settings *, const struct gc_policy_ops *, const void *own);
void settings_bring_buffer(struct settings *, const struct buffer_ops *, const void *own);

/* The file of an FTL that the assignment chooses; NULL: none. */
const char *settings_ftl_file(const char *assignment);

/* Reads the file (NULL: none), then each "key=value"; "workload.KEY=VALUE" is a setting of the workload's
 * profile, "workload.N.KEY=VALUE" of that of tenant N.  "ftl=FOLDER/NAME.so" brings an FTL (drive/plugin.h),
 * which is known by NAME, too; a parameter file cannot bring one.  The texts must outlive the settings. */
bool settings_read(struct settings *, const char *path, char *const assignments[], size_t n, struct fault *);

/* Each of several workloads is that of one tenant: sets host.tenants to their number.  False and a fault: it
 * was set to another number, or there are too many. */
bool settings_have_workloads(struct settings *, size_t workloads, struct fault *);

/* The FTL and the buffer that are chosen. */
const struct ftl_ops *settings_ftl(const struct settings *);
const struct buffer_ops *settings_buffer(const struct settings *, const void **own);
/* The geometry of the drive, with the logical size and the zones that its FTL gives it. */
bool settings_geometry(const struct settings *, struct geometry *, struct fault *);

/* Visits every parameter; those of plug-ins that are not chosen are left out. */
void settings_echo(const struct settings *, param_visitor *, void *context);

#endif
