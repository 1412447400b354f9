/*
 * Data placement by class: page mapping in DRAM whose pages are divided into six classes, by how soon they
 * are expected to be written again.  Each class has a stream of its own, so that the pages of a block tend to
 * die together.  A page enters a class when the host writes it, and may change to another one when a
 * collection moves it.
 *
 * A scheme chooses the class: ftl/class/dac.c is the shortest.  The state of an FTL begins with struct
 * classes.
 */
#ifndef FTL_CLASS_CLASS_H
#define FTL_CLASS_CLASS_H

#include "ftl/page/page.h"

#define DATA_CLASSES 6u

struct class_scheme {
	/* of_written(): the class of a page that the host is going to write, one of the first
	 * `host_classes`. */
	unsigned host_classes;
	bool mixes; /* moved pages enter the same classes, else others, at most 4 */
	unsigned (*of_written)(const struct ftl *, lpn_t);
	/* The class of a live page, if it were moved out of a block of class `from`. */
	unsigned (*of_moved)(const struct ftl *, lpn_t, unsigned from);

	/* These three are optional.  The page was written, and the map is up to date; the page was moved; the
	 * block, of class `of`, has no live page left and will be erased. */
	void (*written)(struct ftl *, lpn_t);
	void (*moved)(struct ftl *, lpn_t);
	void (*emptied)(struct ftl *, struct io *, block_t, unsigned of);
	/* For explanations: why of_written() chooses that class, as part of a sentence. */
	void (*say_why)(const struct ftl *, lpn_t, char *text, size_t bytes);
};

struct class_count {
	uint64_t host_pages, gc_pages, victims;
};

struct classes {
	struct page_map map;
	const struct class_scheme *scheme;
	uint32_t moved[DATA_CLASSES]; /* pages of the victim so far, by the class they were moved to */
	struct class_count count[DATA_CLASSES];
};

/* Operations. */
extern const struct state_row class_state[];
bool class_init(struct ftl *, const struct class_scheme *, struct fault *);
unsigned class_of_written(struct ftl *, struct io *, lpn_t);
void class_write(struct ftl *, struct io *, const struct extent *, size_t n);
void class_print_state(const struct ftl *, FILE *);
void class_statistics(struct ftl *, struct stat_list *);

/* Operations that all these FTLs share, among them those of page mapping. */
#define CLASS_OPERATIONS                                                                                     \
	.read = page_read, .write = class_write, .trim = page_trim, .map_in_dram = true, .pads = true,       \
	.stream_of = class_of_written, .hints = &class_hints
extern const struct ftl_hints class_hints;

#endif
