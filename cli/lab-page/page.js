// The lab page: choices make a command line, the command line a run, the run a picture for each frame.
"use strict";

const DRIVE = "-s flash.blocks=64 -s flash.pages=16 -s gc.threshold=0.01 -s precondition.mode=fill -s host.mode=closed -s host.queue_depth=8";
const PRESET = { ftl: "page", buffer: "none", gc: "greedy", workload: "uniform", op: "20", requests: "20000", speed: "4" };
const SPEEDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const SHARES = [0.5, 0.9, 0.99, 0.999, 0.9999];
const POINTS = [10, 12, 15, 20, 25, 30, 40, 50]; // % over-provisioning, of the curve
const POINT_REQUESTS = 20000;
const $ = id => document.getElementById(id);

// What can be put into the address behind "#": the experiment.
let chosen = { ...PRESET };

function readAddress()
{
	chosen = { ...PRESET };
	for (const [key, value] of new URLSearchParams(location.hash.slice(1)))
		if (key in PRESET)
			chosen[key] = value;
}

function writeAddress()
{
	history.replaceState(null, "", "#" + new URLSearchParams(chosen));
}

function commandFor(c)
{
	const buffer = c.buffer === "none" ? "" : " -s dram.buffer_bytes=64K";

	return `run -s ftl=${c.ftl} -s buffer=${c.buffer}${buffer} -s gc.policy=${c.gc} -s flash.over_provisioning=${c.op / 100} ` +
		`${DRIVE} -s trace.limit=${c.requests} parameters/tiny.cfg ${c.workload}`;
}

// ---- the simulator ----

class Run {
	constructor(lab, line)
	{
		this.lab = lab;
		this.line = line;
		this.handle = lab.cwrap("lab_open", "number", ["string"])(line);
		this.fault = lab.UTF8ToString(lab._lab_fault(this.handle));
		this.over = this.fault !== "";
	}
	step(n)
	{
		if (!this.over)
			this.over = this.lab._lab_step(this.handle, n) < n;
	}
	number(what) { return this.lab._lab_number(this.handle, what); }
	latency(type, share) { return this.lab._lab_latency(this.handle, type, share); }
	size(what) { return this.lab._lab_size(this.handle, what); }
	pages()
	{
		const at = this.lab._lab_pages(this.handle);

		return this.lab.HEAPU8.subarray(at, at + this.size(0) * this.size(1));
	}
	report() { return this.lab.UTF8ToString(this.lab._lab_report(this.handle)); }
	close() { this.lab._lab_close(this.handle); }
}

// ---- the picture of the drive ----

const CELL = 4, GAP = 1, APART = 6; // pixels of the canvas

function colours()
{
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;

	return dark ? { free: [33, 43, 54], dead: [82, 92, 104], live: [56, 118, 205], fresh: [255, 205, 90], erased: [245, 120, 90] }
		: { free: [232, 236, 241], dead: [176, 184, 194], live: [72, 132, 222], fresh: [255, 179, 0], erased: [240, 110, 80] };
}

class Picture {
	constructor(canvas, run)
	{
		// On a wide page the blocks of a plane stand in two columns.
		const each = canvas.clientWidth > 600 ? 2 : 1, columns = run.size(2) * each;

		$("k-shape").textContent = `a row is a block of 16 pages; four planes, side by side${each > 1 ? ", in two columns each" : ""}`;
		this.pages = run.size(1);
		this.rows = Math.ceil(run.size(0) / columns);
		canvas.width = columns * (this.pages * CELL + APART) - APART;
		canvas.height = this.rows * CELL;
		this.context = canvas.getContext("2d");
		this.image = this.context.createImageData(canvas.width, canvas.height);
		this.before = new Uint8Array(run.size(0) * this.pages);
		this.glow = new Float32Array(this.before.length); // above 0: programmed lately, below: erased
		this.colours = colours();
	}
	draw(look)
	{
		for (let page = 0; page < look.length; page++) {
			let glow = this.glow[page] * 0.86;

			if (look[page] === 0 && this.before[page] !== 0)
				glow = -1;
			else if (look[page] === 2 && this.before[page] !== 2)
				glow = 1;
			this.glow[page] = Math.abs(glow) < 0.02 ? 0 : glow;
			this.cell(page, look[page], this.glow[page]);
		}
		this.before.set(look);
		this.context.putImageData(this.image, 0, 0);
	}
	cell(page, look, glow)
	{
		const block = Math.floor(page / this.pages), column = Math.floor(block / this.rows);
		const base = [this.colours.free, this.colours.dead, this.colours.live][look];
		const light = glow < 0 ? this.colours.erased : this.colours.fresh, share = Math.abs(glow);
		const x = column * (this.pages * CELL + APART) + page % this.pages * CELL, y = block % this.rows * CELL;
		const red = base[0] + (light[0] - base[0]) * share, green = base[1] + (light[1] - base[1]) * share;
		const blue = base[2] + (light[2] - base[2]) * share, bytes = this.image.data;

		for (let row = 0; row < CELL - GAP; row++) {
			let at = ((y + row) * this.image.width + x) * 4;

			for (let column = 0; column < CELL - GAP; column++, at += 4) {
				bytes[at] = red;
				bytes[at + 1] = green;
				bytes[at + 2] = blue;
				bytes[at + 3] = 255;
			}
		}
	}
}

// ---- charts ----

const LEFT = 44, RIGHT = 450, TOP = 10, BOTTOM = 236;

function axes(xs, ys, xAxis, unit)
{
	let svg = "";

	for (const [y, text] of ys)
		svg += `<line class="axis" x1="${LEFT}" x2="${RIGHT}" y1="${y}" y2="${y}"/><text x="${LEFT - 5}" y="${y + 4}" text-anchor="end">${text}</text>`;
	for (const [x, text] of xs)
		svg += `<text x="${x}" y="${BOTTOM + 15}" text-anchor="middle">${text}</text>`;
	return svg + `<text x="${(LEFT + RIGHT) / 2}" y="${BOTTOM + 31}" text-anchor="middle">${xAxis}</text>` +
		`<text x="${RIGHT}" y="${TOP + 12}" text-anchor="end">${unit}</text>`;
}

const line = (name, points) => points.length ? `<polyline class="${name}" points="${points.map(p => p.map(v => v.toFixed(1)).join()).join(" ")}"/>` : "";

// The branch of Lambert's W between -1 and 0, by Newton's method.
function lambert(x)
{
	let w = x * Math.E + 1 > 0.3 ? x : -1 + Math.sqrt(2 * (x * Math.E + 1));

	for (let i = 0; i < 40; i++)
		w -= (w * Math.exp(w) - x) / (Math.exp(w) * (w + 1));
	return w;
}

function theory(share)
{
	const a = 1 / (1 - share);

	return a / (a + lambert(-a * Math.exp(-a)));
}

// The end of an axis: the first of these that holds everything.
const roundUp = (most, ends) => ends.find(end => end >= most) || most;

function drawWaf(points, now)
{
	const most = roundUp(Math.max(now[1], ...points.map(p => p[1])), [8, 16, 32, 64, 128, 256]);
	const x = op => LEFT + (op - 8) / 44 * (RIGHT - LEFT), y = waf => BOTTOM - Math.min(waf, most) / most * (BOTTOM - TOP);
	const curve = [];

	for (let op = 8; op <= 52; op++)
		curve.push([x(op), y(theory(op / 100))]);
	$("waf-chart").innerHTML = axes([10, 20, 30, 40, 50].map(op => [x(op), op + " %"]), [0, 1, 2, 3, 4].map(i => [y(i * most / 4), i * most / 4]),
		"hidden from the host", "pages programmed for a page of the host") + line("theory", curve) +
		line("measured", points.map(([op, waf]) => [x(op), y(waf)])) +
		points.map(([op, waf]) => `<circle cx="${x(op)}" cy="${y(waf)}" r="3"><title>${op} %: ${waf.toFixed(3)}, theory ${theory(op / 100).toFixed(3)}</title></circle>`).join("") +
		(now[1] > 0 ? `<circle class="now" cx="${x(now[0])}" cy="${y(now[1])}" r="5"><title>now: ${now[1].toFixed(3)}</title></circle>` : "");
}

const inUnits = power => power < 6 ? 10 ** (power - 3) + " us" : power < 9 ? 10 ** (power - 6) + " ms" : 10 ** (power - 9) + " s";

function drawLatency(run)
{
	const all = [0, 1].map(type => SHARES.map(share => run.latency(type, share)));
	const most = Math.max(8, Math.ceil(Math.log10(Math.max(...all.flat(), 1))));
	const x = i => LEFT + 30 + i / (SHARES.length - 1) * (RIGHT - LEFT - 60);
	const y = ns => BOTTOM - (Math.log10(Math.max(ns, 1e3)) - 3) / (most - 3) * (BOTTOM - TOP);
	const of = type => all[type].map((ns, i) => [x(i), ns]).filter(p => p[1] > 0).map(p => [p[0], y(p[1])]);
	const powers = Array.from({ length: most - 2 }, (_, i) => i + 3);

	$("latency-chart").innerHTML = axes(SHARES.map((s, i) => [x(i), +(s * 100).toFixed(2) + " %"]),
		powers.map(power => [y(10 ** power), inUnits(power)]), "share of the requests", "") +
		line("reads", of(0)) + line("measured", of(1));
}

// ---- the page ----

let lab, run, picture, playing = true, curve = [], pending = null, shown = false;
const times = []; // ms that each of the last pictures took, with its requests

function fill(name, rows)
{
	$(name).innerHTML = rows.map(([, value, brief]) => `<option value="${value}" title="${brief.replace(/"/g, "")}">${value}</option>`).join("");
}

function showChoices()
{
	for (const name of Object.keys(PRESET))
		$(name).value = name === "speed" ? chosen.speed : chosen[name];
	$("op-shown").textContent = chosen.op + " %";
	$("speed-shown").textContent = SPEEDS[chosen.speed];
}

// What to expect of the drive beside the theory.
function noteOnTheory(c)
{
	const differs = [c.workload !== "uniform" && "the writes are those of " + c.workload, c.gc !== "fifo" && "the block is chosen by " + c.gc,
		c.ftl !== "page" && "the FTL is " + c.ftl, c.buffer !== "none" && "there is a write buffer"].filter(Boolean);

	return differs.length ? `Here ${differs.join(", ").replace(/, (?=[^,]*$)/, " and ")}.`
		: "So small a drive lies above it: the blocks that wait to be filled are a notable part of what is hidden.";
}

function restart(newCurve)
{
	if (run)
		run.close();
	writeAddress();
	showChoices();
	run = new Run(lab, commandFor(chosen));
	shown = false;
	document.body.dataset.state = "running";
	$("fault").textContent = run.fault;
	$("command").textContent = "ssd " + run.line;
	$("waf-note").textContent = noteOnTheory(chosen);
	$("statistics").textContent = "";
	if (!run.fault)
		picture = new Picture($("pages"), run);
	if (newCurve) {
		curve = [];
		if (pending)
			pending.run.close();
		pending = null;
	}
	if (run.fault)
		document.body.dataset.state = "refused";
}

// The curve grows while nothing else is to be done, or a bit with each picture.
function workOnCurve()
{
	if (curve.length === POINTS.length)
		return;
	if (!pending) {
		const op = POINTS[curve.length];

		pending = { op, run: new Run(lab, commandFor({ ...chosen, op, requests: POINT_REQUESTS })) };
	}
	pending.run.step(run.over ? 2000 : 200);
	if (pending.run.over) {
		curve.push([pending.op, pending.run.fault ? NaN : pending.run.number(0)]);
		pending.run.close();
		pending = null;
	}
}

function showNumbers()
{
	const waf = run.number(0);

	$("n-waf").textContent = waf > 0 ? waf.toFixed(3) : "-";
	$("n-requests").textContent = run.number(6).toLocaleString("en");
	["n-host", "n-gc", "n-erase", "n-free"].forEach((id, i) => $(id).textContent = run.number(i + 1).toLocaleString("en"));
	drawWaf(curve.filter(p => p[1] > 0), [+chosen.op, waf]);
	drawLatency(run);
}

function finish()
{
	if (!run.over || shown || run.fault)
		return;
	shown = true;
	$("statistics").textContent = run.report();
	document.body.dataset.state = "done";
}

function frame()
{
	const start = performance.now();

	if (!run.fault) {
		if (playing)
			run.step(SPEEDS[chosen.speed]);
		picture.draw(run.pages());
		finish();
		workOnCurve();
		showNumbers();
		times.push(performance.now() - start);
		times.splice(0, times.length - 120);
	}
	$("go").textContent = !playing ? "Run" : run.over ? "Done" : "Pause";
	requestAnimationFrame(frame);
}

function showKey()
{
	const c = colours();

	for (const [id, rgb] of [["k-live", c.live], ["k-new", c.fresh], ["k-dead", c.dead], ["k-erased", c.erased], ["k-free", c.free]])
		$(id).style.background = `rgb(${rgb})`;
	if (picture)
		picture.colours = c;
}

// For tests: what a command line prints, and how long pictures take.
window.reportOf = words => {
	const other = new Run(lab, words);

	while (!other.over)
		other.step(1000);
	const text = other.fault || other.report();

	other.close();
	return text;
};
window.pictureTimes = () => times;

ssdlab().then(module_ => {
	const rows = module_.UTF8ToString(module_._lab_choices()).trim().split("\n").map(row => row.split("\t"));

	lab = module_;
	for (const name of ["ftl", "buffer", "gc", "workload"])
		fill(name, rows.filter(row => row[0] === name));
	readAddress();
	showKey();
	matchMedia("(prefers-color-scheme: dark)").addEventListener("change", showKey);
	for (const name of ["ftl", "buffer", "gc", "workload", "op", "requests"])
		$(name).addEventListener("input", () => {
			chosen[name] = $(name).value;
			restart(name !== "op" && name !== "requests");
		});
	$("speed").addEventListener("input", () => {
		chosen.speed = $("speed").value;
		writeAddress();
		showChoices();
	});
	$("go").addEventListener("click", () => playing = !playing);
	$("step").addEventListener("click", () => {
		playing = false;
		run.step(1);
	});
	$("again").addEventListener("click", () => {
		playing = true;
		restart(false);
	});
	addEventListener("hashchange", () => {
		readAddress();
		restart(true);
	});
	restart(true);
	frame();
});
