"""A sweep on a cluster: an array of tasks, each doing every n-th run, and then a job for the report."""

from __future__ import annotations

import os
import shlex
import subprocess

from laboratory.mistake import Mistake

MOST_TASKS = 500  # clusters limit the size of an array, 1001 by default


def submit(command: list[str], runs: int, log_folder: str) -> str:
    """`command`: this program, its description and options, without `run`.  Returns what to tell the
    user.  Partition, time and account come from the environment: SBATCH_PARTITION, SBATCH_TIMELIMIT, ..."""
    os.makedirs(log_folder, exist_ok=True)
    tasks = min(runs, MOST_TASKS)
    run = shlex.join([*command[:1], "run", *command[1:], "-j", "1"])
    array = sbatch(
        [f"--array=0-{tasks - 1}", f"--output={log_folder}/%a.txt"],
        f"{run} --task $SLURM_ARRAY_TASK_ID --of {tasks}",
    )
    report = sbatch(
        [f"--dependency=afterany:{array}", f"--output={log_folder}/report.txt"],
        shlex.join([*command[:1], "report", *command[1:]]),
    )
    return (
        f"array {array} of {tasks} tasks for {runs} runs, report {report} behind it\n"
        f"  watch:  squeue -j {array},{report}; tail -f {log_folder}/report.txt\n"
        f"  stop:   scancel {array} {report}"
    )


def sbatch(options: list[str], wrapped: str) -> str:
    try:
        command = ["sbatch", "--parsable", *options, "--wrap", wrapped]
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        raise Mistake("there is no sbatch here: --slurm is for a cluster with Slurm") from None
    if done.returncode:
        raise Mistake(f"sbatch: {done.stderr.strip()}")
    return done.stdout.strip().split(";")[0]
