#include "traces/format.h"

#include <string.h>

/* DiskSim and SSDsim have the same five columns, but only DiskSim's times have decimals. */
static bool disksim_typical(const char *begin, const char *end)
{
	while (begin < end && scan_is_blank(*begin))
		begin++;
	while (begin < end && scan_is_digit(*begin))
		begin++;
	return begin < end && *begin == '.';
}

#define BLANKS(names, ...) { names, SEPARATED_BY_BLANKS, __VA_ARGS__ }, columns_read
#define COMMAS(names, ...) { names, SEPARATED_BY_COMMAS, __VA_ARGS__ }, columns_read

#define SSDSIM_COLUMNS "time_ns,device_number,offset_sectors=first sector,size_sectors,read=operation"
#define SSDSIM_LAYOUT  "time[ns] device first-sector sectors 1=read|0=write"

#define BLKPARSE_LAYOUT "device CPU sequence time[s] pid action type sector + sectors [process]"

#define MICROSECONDS 1000
#define SECONDS      1000000000

/* A new format of plain columns needs one row only. */
const struct format trace_formats[] = {
	{ "ssdsim", "SSDsim ASCII, also read by MQSim", SSDSIM_LAYOUT, BLANKS(SSDSIM_COLUMNS),
		.tolerate = ssdsim_tolerate, .write = ssdsim_write, .write_step_ns = 1 },

	{ "mqsim", "the same, under MQSim's name", SSDSIM_LAYOUT, BLANKS(SSDSIM_COLUMNS),
		.yields_to = "ssdsim", .write = ssdsim_write, .write_step_ns = 1 },

	{ "disksim", "DiskSim ASCII", "time[ms] device first-block blocks flags(odd=read)",
		BLANKS("time_ms,device_number,offset_sectors=first block,size_sectors,flags"),
		.typical = disksim_typical, .write = disksim_write, .write_step_ns = 1 },

	/* UMass: Financial, WebSearch */
	{ "spc", "SPC, as the UMass Financial and WebSearch traces (CSV)",
		"ASU,LBA[512 bytes],size[bytes],R|W,time[s]",
		COMMAS("device_number=ASU,offset_sectors=LBA,size_bytes,R|W,time_s", .more = true),
		.write = spc_write, .write_step_ns = 1 },

	/* times and response times in 100 ns since 1601 (Windows FILETIME); a host's disks are devices */
	{ "msr", "MSR Cambridge (CSV)",
		"time[100ns],host,disk,Read|Write,offset[bytes],size[bytes],response[100ns]",
		COMMAS("time_100ns,device=host,device=disk,Read|Write,offset_bytes,size_bytes,response_100ns",
			.heading = "Timestamp,Hostname,DiskNumber,Type,Offset,Size,ResponseTime"),
		.write = msr_write, .write_step_ns = 100 },

	/* as distributed with some simulators; a spreadsheet has rounded large offsets */
	{ "casotxt", "MSR Cambridge cut to four columns", "time[100ns] Read|Write offset[bytes] size[bytes]",
		BLANKS("time_100ns,Read|Write,offset_bytes~,size_bytes") },

	/* Lee et al., "Understanding storage traffic characteristics on enterprise virtual desktop
	 * infrastructure"; in order of completion.  A line without a type: the response was not captured; not
	 * a request. */
	{ "systor", "SYSTOR '17 enterprise VDI traces (CSV)",
		"time[s],response[s],R|W,LUN,offset[bytes],size[bytes]",
		COMMAS("time_s,response?,R|W?,device_number=LUN,offset_bytes,size_bytes",
			.heading = "Timestamp,Response,IOType,LUN,Offset,Size"),
		.write = systor_write, .writes_heading = true, .write_step_ns = 1 },

	/* Li et al., "An in-depth analysis of cloud block storage workloads" */
	{ "alibaba", "Alibaba cloud block storage (CSV)", "device,R|W,offset[bytes],size[bytes],time[us]",
		COMMAS("device_number,R|W,offset_bytes,size_bytes,time_us",
			.heading = "device_id,opcode,offset,length,timestamp") },

	/* Zhang et al., "OSCA" */
	{ "tencent", "Tencent cloud block storage (CSV)",
		"time[s],offset[sectors],size[sectors],0=read|1=write,volume",
		COMMAS("time_s,offset_sectors,size_sectors,write,device_number=volume",
			.heading = "Timestamp,Offset,Size,IOType,VolumeID") },

	/* Koller and Rangaswami, "I/O deduplication"; a hash of the content follows */
	{ "fiu", "FIU home directories, mail and web servers",
		"time[ns] pid process first-sector sectors R|W major minor hash",
		BLANKS("time_ns,number=process number,words=process,offset_sectors=first sector,size_sectors,"
		       "R|W,device_part=major device number,device_part=minor device number",
			.more = true) },

	{ "diskmon", "DiskMon (Sysinternals)",
		"number time[s] duration[s] disk Read|Write first-sector sectors",
		BLANKS("number,time_s,response=duration,device_number=disk,Read|Write,"
		       "offset_sectors=first sector,size_sectors") },

	{ "blkparse", "blkparse text, requests as they are queued (Q)", BLKPARSE_LAYOUT, { 0 },
		blkparse_parse_queued, SECONDS },
	{ "blkparse-d", "blkparse text, requests as they are issued (D)", BLKPARSE_LAYOUT, { 0 },
		blkparse_parse_issued, SECONDS, .yields_to = "blkparse" },
	{ "blkparse-c", "blkparse text, requests as they complete (C)", BLKPARSE_LAYOUT, { 0 },
		blkparse_parse_completed, SECONDS, .yields_to = "blkparse-d" },

	{ "fio", "fio I/O log, version 3", "time[us] file action [offset[bytes] length[bytes]]",
		{ .heading = FIO_HEADING_V3 }, fio_parse, MICROSECONDS, .write = fio_write,
		.introduce = fio_introduce, .writes_trims = true, .writes_heading = true,
		.write_step_ns = 1000 },
	{ "fio2", "fio I/O log, version 2", "file action [offset[bytes] length[bytes]]",
		{ .heading = FIO_HEADING_V2 }, fio2_parse, MICROSECONDS },

	{ "vscsi1", "CloudPhysics vscsi, version 1 (binary)",
		"number u32, bytes u32, segments u32, command u16, version u16, block u64, time[us] u64",
		{ 0 }, vscsi1_parse, MICROSECONDS, .record_bytes = 32 },
	{ "vscsi2", "CloudPhysics vscsi, version 2 (binary)",
		"command u16, version u16, number u32, bytes u32, segments u32, block u64, time[us] u64, "
		"response[us] u64",
		{ 0 }, vscsi2_parse, MICROSECONDS, .record_bytes = 40 },

	{ "list", "requests by hand, like those of -L",
		"r|w|t page[.sector][+length], with = before it at the same moment as the one before; or gc",
		{ 0 }, list_parse, 1 },

	{ "csv", "columns named in the first line or with --columns (trace.columns)",
		"the columns named, between commas or blanks; more may follow", { 0 }, columns_read, 1 },
	{ "json", "JSON lines, with keys that name columns, or with --columns for those of the first line",
		"objects with keys for time, type, offset and size", { 0 }, json_parse, 1 },
	{ NULL },
};

const struct format *trace_format_named(const char *name)
{
	for (const struct format *f = trace_formats; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

void format_begin(const struct format *f, struct columns *columns, struct scan *s)
{
	s->unit_ns = f->time_unit_ns;
	s->columns = NULL;
	if (!f->columns.names)
		return;
	columns_of_format(columns, &f->columns);
	s->columns = columns;
	s->unit_ns = columns->time_unit_ns;
}
