#include "legacy/quirks.h"

#include "base/suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct quirk_row rows[QUIRKS] = {
	[Q1_READ_PAST_TABLE] = { "Q1", QUIRK_SURVIVED, true,
		"the table of a read's wanted sectors is too short: garbage is read, odd page sizes lose "
		"pages",
		"what lies beyond it counts as 0, or with --fix the table is whole" },
	[Q2_FREE_COLLECTION] = { "Q2", QUIRK_KEPT, true,
		"with copy-back (the default) garbage collection takes no time",
		"moves and the erase occupy channel and chip" },
	[Q3_READ_CURSOR] = { "Q3", QUIRK_KEPT, true,
		"the buffer tests a read's pages with a stale sector cursor and never hits sectors 5 and up",
		"each sector of the read is tested once" },
	[Q4_TIME_GOES_BACK] = { "Q4", QUIRK_KEPT, true,
		"the clock returns to a request's arrival after the queue was full past it",
		"a late request starts when it is let in" },
	[Q5_QUEUE_LIMIT_IGNORED] = { "Q5", QUIRK_KEPT, true,
		"without a pending event the queue limit is ignored and work sleeps until the next arrival",
		"waiting work goes on, and a full queue stays closed" },
	[Q6_UPDATE_READ_TWICE] = { "Q6", QUIRK_KEPT, true,
		"an update read counts as two reads and transfers the new sectors, too",
		"one read of the sectors the write does not bring" },
	[Q7_END_OF_TRACE] = { "Q7", QUIRK_KEPT, true,
		"an unterminated last line is dropped, a newline at the end is sector 0, a busy drive hangs",
		"every line is simulated (a busy drive finishes its work in any case)" },
	[Q8_PAGE_64] = { "Q8", QUIRK_SURVIVED, false,
		"with more than 64 pages a block it spins for ever at page 64", "blocks of any length work" },
	[Q9_NO_FREE_PAGE] = { "Q9", QUIRK_SURVIVED, false,
		"a plane without a free page loses the write or crashes",
		"lost writes are counted; where SSDsim crashes the run ends" },
	[Q10_COLLECTION_BLOCKS_CHANNEL] = { "Q10", QUIRK_KEPT, true,
		"a waiting collection takes the channel even when its chip is busy",
		"the channel serves requests when no collection can start" },
	[Q11_COLLECTION_STARVES] = { "Q11", QUIRK_KEPT, true,
		"static and fixed-channel allocation collect only while nothing is queued on the channel",
		"collection goes first, as with dynamic allocation" },
	[Q12_FIRST_ISSUE_GATE] = { "Q12", QUIRK_KEPT, true,
		"the first write goes out alone; channels take turns by the program count",
		"waiting writes are shared evenly by channels in strict rotation" },
	[Q13_ONE_PLANE_LIVELOCK] = { "Q13", QUIRK_SURVIVED, true,
		"two-plane commands without interleave on one-plane dies: writes are never issued",
		"the run ends, or with --fix single pages are programmed" },
	[Q14_FREE_PAGES_OVERCOUNTED] = { "Q14", QUIRK_KEPT, true,
		"erasing a partly free block adds its free pages again",
		"only pages that were in use are added" },
	[Q15_BUFFER_COUNT_WRAPS] = { "Q15", QUIRK_KEPT, true,
		"static allocation evicts by the merged size: the buffer's count wraps, the buffer grows",
		"the sectors that were buffered are subtracted" },
	[Q16_PAGE_OF_32] = { "Q16", QUIRK_SURVIVED, false,
		"with 32 sectors a page the full-page mask becomes 0", "masks are right" },
	[Q17_SINGLE_PRECISION] = { "Q17", QUIRK_KEPT, true,
		"capacity, threshold and mean sizes are in single precision, means weighted by completions",
		"exact sums in double precision" },
	[Q18_UNEQUAL_CHIPS] = { "Q18", QUIRK_SURVIVED, false,
		"channels with different numbers of chips corrupt memory", "refused" },
	[Q19_FREE_DUPLICATE_READ] = { "Q19", QUIRK_KEPT, true,
		"a read of a page already queued completes in 1000 ns; an unmapped page is read from page 0",
		"it completes with the queued read; an unmapped page needs no flash" },
	[Q20_COPY_BACK_PARITY] = { "Q20", QUIRK_SURVIVED, false,
		"greedy copy-back crashes when no page of the right parity follows", "the run ends" },
	[Q21_AGED_OVERRUN] = { "Q21", QUIRK_SURVIVED, false,
		"an aged ratio above (P-1)/P writes past the block", "refused" },
	[Q22_CHIP_0_STATISTICS] = { "Q22", QUIRK_KEPT, true,
		"erase statistics show chip 0 only, with shifted labels",
		"every plane is shown under its own numbers" },
	[Q23_EMPTY_AVERAGE] = { "Q23", QUIRK_SURVIVED, false,
		"a trace without reads or without writes divides by zero", "the average is 0" },
	[Q24_STATIC_MODE_6] = { "Q24", QUIRK_SURVIVED, false,
		"static allocation 6 is documented and does not exist", "refused" },
	[Q25_TINY_BUFFER] = { "Q25", QUIRK_SURVIVED, false,
		"a buffer too small for a page and its neighbour crashes", "the run ends" },
	[Q26_SIZE_0] = { "Q26", QUIRK_SURVIVED, false,
		"requests of size 0 loop for ages or leave empty pages in the buffer", "refused" },
	[Q27_FILE_NAMES] = { "Q27", QUIRK_SURVIVED, false,
		"trace names beyond 29 bytes and missing files crash",
		"any name works, a missing file is reported" },
	[Q28_CAPACITY_OVERFLOW] = { "Q28", QUIRK_SURVIVED, false,
		"from 2^31 sectors on the capacity has two values, at 2^32 it is 0",
		"one capacity; refused from 2^32 sectors on" },
	[Q29_REQUEST_NOT_WRAPPED] = { "Q29", QUIRK_KEPT, true,
		"a request that crosses the end of the capacity runs on beyond it",
		"it continues at page 0" },
	[Q30_MASK_OF_LAST_WRITE] = { "Q30", QUIRK_KEPT, true,
		"a page's valid mask holds only the sectors of the last write, so collection moves fewer",
		"the page holds what the map says" },
	[Q31_WAITS_FOR_A_KEY] = { "Q31", QUIRK_SURVIVED, false, "warnings wait for a key", "nothing waits" },
	[Q32_DIE_SKEW] = { "Q32", QUIRK_KEPT, true,
		"die and chip tokens move twice per write, so that half of the dies stay nearly empty",
		"they move once" },
	[Q33_REQUEST_PER_PAGE] = { "Q33", QUIRK_KEPT, true,
		"each page written below the threshold queues one collection, and each costs the channel a "
		"turn",
		"one collection waits per plane, and a free one costs no turn" },
	[Q34_ONE_PASS_PER_EVENT] = { "Q34", QUIRK_KEPT, true,
		"work is issued once per event or arrival, whatever could still start",
		"work is issued until nothing more can start" },
	[Q35_PLANE_PAST_THE_LAST] = { "Q35", QUIRK_SURVIVED, true,
		"two-plane commands without interleave on dies of 3, 5 ... planes pair the last with one "
		"behind it",
		"the run ends, or with --fix the first plane follows the last" },
};

const struct quirk_row *quirk_row(enum quirk quirk)
{
	BUG_ON(quirk < 1 || quirk >= QUIRKS, "no quirk %d", (int)quirk);
	return &rows[quirk];
}

quirk_set quirk_set_all(void)
{
	quirk_set set = 0;

	for (enum quirk q = 1; q < QUIRKS; q++)
		if (rows[q].repairable)
			set |= QUIRK_BIT(q);
	return set;
}

/* Reads one item, "Q2", "2" or "all", into the set it stands for; 0 if it is none. */
static quirk_set parse_item(const char *item, size_t bytes)
{
	const char *digits = item + (bytes > 1 && toupper((unsigned char)*item) == 'Q');
	char *end;
	unsigned long number;

	if (bytes == 3 && !memcmp(item, "all", 3))
		return quirk_set_all();
	if (!isdigit((unsigned char)*digits))
		return 0;
	number = strtoul(digits, &end, 10);
	if (end != item + bytes || number < 1 || number >= QUIRKS)
		return 0;
	return QUIRK_BIT(number);
}

/* The fault about an item that is no quirk, with the nearest that --fix takes. */
static bool refuse_item(const char *list, const char *item, size_t bytes, struct fault *fault)
{
	char word[16];
	struct suggestion s = { .word = word };

	snprintf(word, sizeof word, "%.*s", (int)bytes, item);
	suggestion_offer(&s, "all");
	for (enum quirk q = 1; q < QUIRKS; q++)
		if (rows[q].repairable)
			suggestion_offer(&s, rows[q].name);
	if (s.nearest)
		return fault_set(fault,
			"--fix %s: '%.*s' is no quirk; did you mean %s? --list-quirks shows all", list,
			(int)bytes, item, s.nearest);
	return fault_set(fault, "--fix %s: '%.*s' is no quirk; Q1 to Q%d or all, see --list-quirks", list,
		(int)bytes, item, QUIRKS - 1);
}

bool quirk_set_parse(quirk_set *set, const char *list, struct fault *fault)
{
	*set = 0;
	for (const char *item = list;; item++) {
		bool without = *item == '-';
		const char *name = item + without;
		size_t bytes = strcspn(name, ",");
		quirk_set bits = parse_item(name, bytes);

		if (!bits)
			return refuse_item(list, name, bytes, fault);
		if (!(bits & quirk_set_all()))
			return fault_set(fault, "--fix %s: %.*s has nothing to repair: %s", list, (int)bytes,
				name, rows[__builtin_ctzll(bits)].instead);
		*set = without ? *set & ~bits : *set | bits;
		item = name + bytes;
		if (!*item)
			return true;
	}
}
