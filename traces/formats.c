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

/* Versions are 1 and 2; other tables of five numbers seldom begin so. */
static bool cloudphysics_typical(const char *begin, const char *end)
{
	return end - begin > 2 && (*begin == '1' || *begin == '2') && begin[1] == ',';
}

#define BLANKS(names, ...) { names, SEPARATED_BY_BLANKS, __VA_ARGS__ }, columns_read
/* The first line of iosnoop, above its heading. */
#define IOSNOOP_ABOVE "Tracing block I/O"

#define COMMAS(names, ...) { names, SEPARATED_BY_COMMAS, __VA_ARGS__ }, columns_read

#define SSDSIM_COLUMNS "time_ns,device_number,offset_sectors=first sector,size_sectors,operation"
#define SSDSIM_LAYOUT  "time[ns] device first-sector sectors 1=read|0=write|4=write with FUA|2=FLUSH"

#define BLKPARSE_LAYOUT "device CPU sequence time[s] pid action type sector + sectors [process]"

#define FTRACE_LAYOUT                                                                                        \
	"... time[s]: block_bio_queue|block_rq_issue|block_rq_complete: major,minor type [bytes ()] "        \
	"sector + sectors [process]"

#define MICROSECONDS 1000
#define MILLISECONDS 1000000
#define SECONDS      1000000000

/* A new format of plain columns needs one row only. */
const struct format trace_formats[] = {
	{ "ssdsim", "SSDsim ASCII, also read by MQSim", SSDSIM_LAYOUT, BLANKS(SSDSIM_COLUMNS),
		.tolerate = ssdsim_tolerate, .write = ssdsim_write, .writes_flushes = true,
		.writes_fua = true, .write_step_ns = 1 },

	{ "mqsim", "the same, under MQSim's name", SSDSIM_LAYOUT, BLANKS(SSDSIM_COLUMNS),
		.yields_to = "ssdsim", .write = ssdsim_write, .writes_flushes = true, .writes_fua = true,
		.write_step_ns = 1 },

	{ "disksim", "DiskSim ASCII", "time[ms] device first-block blocks flags(odd=read)",
		BLANKS("time_ms,device_number,offset_sectors=first block,size_sectors,disksim_flags"),
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

	{ "fiu-s", "the same with times in seconds",
		"time[s] pid process first-sector sectors R|W major minor hash",
		BLANKS("time_s,number=process number,words=process,offset_sectors=first sector,size_sectors,"
		       "R|W,device_part=major device number,device_part=minor device number",
			.more = true),
		.typical = disksim_typical },

	/* Phothilimthana et al., "Thesios"; a file is a device */
	{ "thesios", "Thesios, Google's storage servers (CSV)",
		"file,offset[bytes],application,inode-time,zone,redundancy,READ|WRITE,class,cached,hit,"
		"request[bytes],disk[bytes],response[bytes],start[s],...",
		COMMAS("device=file,offset_bytes,-,-,-,-,Read|Write,-,-,-,size_bytes,-,-,time_s",
			.more = true,
			.heading = "filename,file_offset,application,c_time,io_zone,redundancy_type,op_type,"
				   "service_class,from_flash_cache,cache_hit,request_io_size_bytes,"
				   "disk_io_size_bytes,response_io_size_bytes,start_time") },

	/* vscsi records as text */
	{ "cloudphysics", "CloudPhysics as text (CSV)", "version,time[s],SCSI-command,size[bytes],LBA",
		COMMAS("number=version,time_s,scsi_opcode=command,size_bytes,offset_sectors=LBA"),
		.typical = cloudphysics_typical },

	{ "diskmon", "DiskMon (Sysinternals)",
		"number time[s] duration[s] disk Read|Write first-sector sectors",
		BLANKS("number,time_s,response=duration,device_number=disk,Read|Write,"
		       "offset_sectors=first sector,size_sectors") },

	{ "xperf", "disk I/O of Windows as xperf prints it (CSV)",
		"DiskRead|DiskWrite,time[us],process,thread,packet,offset[hex bytes],size[hex bytes],"
		"elapsed[us],disk,...",
		COMMAS("event,time_us,-=process,-=thread,-=packet,hex_offset,hex_size,"
		       "response_us=elapsed time,device_number=disk",
			.more = true, .heading = "BeginHeader") },

	{ "biosnoop", "biosnoop of bcc", "time[s] command pid disk type sector bytes latency[ms]",
		BLANKS("time_s,words=command,number=process number,device=disk,rwbs,offset_sectors=sector,"
		       "size_bytes,response_ms=latency",
			.heading = "TIME(s) COMM PID DISK T SECTOR BYTES") },
	{ "biosnoop-q", "biosnoop of bcc, with the time in queues (-Q)",
		"time[s] command pid disk type sector bytes queued[ms] latency[ms]",
		BLANKS("time_s,words=command,number=process number,device=disk,rwbs,offset_sectors=sector,"
		       "size_bytes,-=queued,response_ms=latency",
			.heading = "TIME(s) COMM PID DISK T SECTOR BYTES") },
	{ "iosnoop", "iosnoop of perf-tools, with times of begin and end (-ts)",
		"start[s] end[s] command pid type major,minor sector bytes latency[ms]",
		BLANKS("time_s,-=end,words=command,number=process number,rwbs,device_pair,"
		       "offset_sectors=sector,size_bytes,response_ms=latency",
			.heading = "STARTs ENDs COMM PID TYPE DEV BLOCK BYTES", .above = IOSNOOP_ABOVE) },
	{ "iosnoop-s", "iosnoop of perf-tools, with times of the begin (-s)",
		"start[s] command pid type major,minor sector bytes latency[ms]",
		BLANKS("time_s,words=command,number=process number,rwbs,device_pair,"
		       "offset_sectors=sector,size_bytes,response_ms=latency",
			.heading = "STARTs COMM PID TYPE DEV BLOCK BYTES", .above = IOSNOOP_ABOVE) },

	{ "blkparse", "blkparse text, requests as they are queued (Q)", BLKPARSE_LAYOUT, { 0 },
		blkparse_parse_queued, SECONDS, .write = blkparse_write, .writes_trims = true,
		.writes_flushes = true, .writes_fua = true, .write_step_ns = 1 },
	{ "blkparse-d", "blkparse text, requests as they are issued (D)", BLKPARSE_LAYOUT, { 0 },
		blkparse_parse_issued, SECONDS, .yields_to = "blkparse" },
	{ "blkparse-c", "blkparse text, requests as they complete (C)", BLKPARSE_LAYOUT, { 0 },
		blkparse_parse_completed, SECONDS, .yields_to = "blkparse-d" },

	{ "ftrace", "block events of ftrace, trace-cmd, perf script, as they are queued", FTRACE_LAYOUT,
		{ 0 }, ftrace_parse_queued, SECONDS },
	{ "ftrace-d", "the same, as they are issued (block_rq_issue)", FTRACE_LAYOUT, { 0 },
		ftrace_parse_issued, SECONDS, .yields_to = "ftrace" },
	{ "ftrace-c", "the same, as they complete (block_rq_complete)", FTRACE_LAYOUT, { 0 },
		ftrace_parse_completed, SECONDS, .yields_to = "ftrace-d" },
	{ "perf-trace", "block events of perf trace, as they are issued",
		"time[ms] process block:block_rq_issue:major,minor type bytes () sector + sectors [process], "
		"or ...(dev: number, sector: sector, nr_sector: sectors, ..., rwbs: \"type\", ...)",
		{ 0 }, perf_trace_parse, MILLISECONDS },
	{ "nvme", "NVMe commands of ftrace, trace-cmd, perf script (nvme_setup_cmd)",
		"... time[s]: nvme_setup_cmd: controller: disk=name, ..., cmd=(nvme_cmd_read|nvme_cmd_write "
		"slba=block, len=blocks-1, ...)",
		{ 0 }, nvme_parse, SECONDS },

	{ "fio", "fio I/O log, version 3", "time[us] file action [offset[bytes] length[bytes]]",
		{ .heading = FIO_HEADING_V3 }, fio_parse, MICROSECONDS, .write = fio_write,
		.introduce = fio_introduce, .writes_trims = true, .writes_flushes = true,
		.writes_heading = true, .write_step_ns = 1000 },
	{ "fio2", "fio I/O log, version 2", "file action [offset[bytes] length[bytes]]",
		{ .heading = FIO_HEADING_V2 }, fio2_parse, MICROSECONDS },

	{ "vscsi1", "CloudPhysics vscsi, version 1 (binary)",
		"number u32, bytes u32, segments u32, command u16, version u16, block u64, time[us] u64",
		{ 0 }, vscsi1_parse, MICROSECONDS, .record_bytes = 32 },
	{ "vscsi2", "CloudPhysics vscsi, version 2 (binary)",
		"command u16, version u16, number u32, bytes u32, segments u32, block u64, time[us] u64, "
		"response[us] u64",
		{ 0 }, vscsi2_parse, MICROSECONDS, .record_bytes = 40 },

	{ "oracleGeneral", "libCacheSim (binary); no types: all are reads",
		"time[s] u32, first sector u64, bytes u32, next request i64", { 0 }, objects_parse, SECONDS,
		.record_bytes = 24, .yields_to = "any", .writes_objects = true, .write_step_ns = 1000000000 },

	{ "list", "requests by hand, like those of -L",
		"r|w|t page[.sector][+length], f; with = before it at the same moment as the one before; or "
		"gc",
		{ 0 }, list_parse, 1 },

	{ "csv", "columns named in the first line or with --columns (trace.columns)",
		"the columns named, between commas or blanks; more may follow",
		{ .heading = "time_ns,op,offset_bytes,size_bytes,device" }, columns_read, 1,
		.write = csv_write, .writes_trims = true, .writes_flushes = true, .writes_fua = true,
		.writes_hints = true, .writes_heading = true, .write_step_ns = 1 },
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
