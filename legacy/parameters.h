/*
 * SSDsim's parameter file (page.parameters): its grammar, its defaults, and the limits
 * inside which a run makes sense.  Independent of the simulation.
 */
#ifndef LEGACY_PARAMETERS_H
#define LEGACY_PARAMETERS_H

#include "base/fault.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LEGACY_CHANNELS 100 /* slots of `chip number[i]` */

/* Bits of `advanced command`.  The others have no effect in SSDsim. */
enum legacy_command {
	COMMAND_COPY_BACK = 2,
	COMMAND_TWO_PLANE = 4,
	COMMAND_INTERLEAVE = 8,
};

/* Contents of the file; every number is 0 unless given, except queue_length = 5. */
struct legacy_parameters {
	int32_t chip_number;            /* all chips: sizes the map, not the medium */
	int32_t chips[LEGACY_CHANNELS]; /* per channel */
	int32_t channels, dies, planes, blocks, pages;
	int32_t sectors_per_page;                              /* `subpage page` */
	int32_t sector_bytes;                                  /* `subpage capacity` */
	int32_t dram_bytes;                                    /* 0: no buffer */
	int32_t t_prog, t_dbsy, t_bers, t_wc, t_r, t_wb, t_rc; /* ns */
	int32_t allocation;                                    /* 0 dynamic, 1 static */
	int32_t static_allocation;                             /* 0..5: order of striping */
	int32_t dynamic_allocation;         /* 0 everything, 1 channel fixed by the address */
	int32_t advanced_command;           /* enum legacy_command bits */
	int32_t advanced_command_priority2; /* 0: the number of writes per command is gated */
	int32_t greed_copy_back, greed_multi_plane;
	int32_t aged;
	int32_t queue_length; /* requests */
	int32_t active_write; /* 0: writes below the threshold request a collection */
	float overprovide, gc_hard_threshold, aged_ratio;

	char *text; /* the file itself, for the echo in the results */
	size_t text_bytes;
	unsigned unknown_keys; /* lines whose key SSDsim does not know */
	char unknown_key[64];  /* the first of them */
};

/* Striping by `static_allocation` 0 to 5, fastest first: channel, way (chip), die, plane. */
extern const char *const legacy_striping[6];

/* Reads a file into *p.  On failure nothing needs freeing. */
bool legacy_parameters_read(struct legacy_parameters *p, const char *path, struct fault *);

/* The same from memory; `name` is for messages.  The text is copied. */
bool legacy_parameters_parse(
	struct legacy_parameters *p, const char *text, size_t bytes, const char *name, struct fault *);

/* Refuses values no run can start with. */
bool legacy_parameters_check(const struct legacy_parameters *p, const char *name, struct fault *);

void legacy_parameters_free(struct legacy_parameters *p);

#endif
