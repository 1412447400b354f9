// node cli/lab-page/compare.js LAB.js SSD: what the runs of tests/same-bytes.runs print must be the bytes that the native
// program prints, and latencies must be known in their midst, not only at their end.
const { execFileSync } = require("child_process");
const { readFileSync } = require("fs");
const path = require("path");

const [module_, ssd] = process.argv.slice(2);

require(path.resolve(module_))().then(lab => {
	const open = lab.cwrap("lab_open", "number", ["string"]);
	const runs = readFileSync("tests/same-bytes.runs", "utf8").trim().split("\n").filter(run => !run.includes(" --")); // settings alone
	let different = 0;

	for (const run of runs) {
		const native = execFileSync(ssd, ["run", "--all", ...run.split(" ")], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
		const handle = open("run " + run);
		let fault = lab.UTF8ToString(lab._lab_fault(handle));

		while (!fault && lab._lab_step(handle, 1000) === 1000)
			if (![0, 1].some(type => lab._lab_latency(handle, type, 0.5) > 0))
				fault = "knows no latency in its midst";
		if (fault || lab.UTF8ToString(lab._lab_report(handle)) !== native) {
			console.error(`lab page: "${run}" ${fault || "prints other numbers"}`);
			different++;
		}
		lab._lab_close(handle);
	}
	console.log(`lab page under node: ${runs.length - different} of ${runs.length} runs print the native bytes`);
	process.exitCode = different ? 1 : 0;
});
