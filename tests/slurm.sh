#!/bin/sh
# `make slurm-test`: a sweep of 40 runs through a real Slurm, one task of it killed, must leave the table that
# a local run leaves, to the byte.  The cluster is this machine alone, with all its files in a temporary
# folder; needs root.
set -eu
ssd=${SSD:-./ssd}
work=$(mktemp -d)
host=$(hostname -s)
export SLURM_CONF="$work/slurm.conf"

stop() {
	for pid in slurmd slurmctld munged; do
		[ -f "$work/$pid.pid" ] || continue
		number=$(cat "$work/$pid.pid")
		kill "$number" 2>/dev/null || continue
		while kill -0 "$number" 2>/dev/null; do sleep 0.1; done
	done
	rm -rf "$work"
}
trap stop EXIT
fail() {
	echo "slurm-test: $*" >&2
	tail -n 3 "$work"/*.log >&2
	exit 1
}

# wait_for SECONDS COMMAND...: until the command succeeds.
wait_for() {
	left=$(($1 * 5))
	shift
	until "$@"; do
		[ $((left -= 1)) -gt 0 ] || fail "still waiting for: $*"
		sleep 0.2
	done
}

mkdir "$work/state" "$work/spool"
dd if=/dev/urandom of="$work/key" bs=128 count=1 status=none
chmod 700 "$work"
chmod 400 "$work/key"
cat >"$SLURM_CONF" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=17817
SlurmdPort=17818
SlurmUser=root
SlurmdUser=root
AuthInfo=socket=$work/munge.socket
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc)
PartitionName=all Nodes=ALL Default=YES
END
munged --force --key-file="$work/key" --socket="$work/munge.socket" --pid-file="$work/munged.pid" \
	--log-file="$work/munged.log" --seed-file="$work/seed"
slurmctld -f "$SLURM_CONF"
slurmd -f "$SLURM_CONF"
node_is_idle() { sinfo -h 2>/dev/null | grep -q idle; }
wait_for 20 node_is_idle

cat >"$work/sweep.ini" <<'END'
[experiment]
drive = parameters/tiny.cfg
[axis workload]
mixed zipf = * requests=60000
[axis ftl]
across mrsm = ftl=*
[axis cache]
1K 4K = map.cache_bytes=*
[axis seed]
1..5 = seed=*
END
# The program, but tasks from 5 on wait on the cluster for the file "go", so that one of them is still running
# when it is killed.
cat >"$work/ssd" <<END
#!/bin/sh
while [ "\${SLURM_ARRAY_TASK_ID:-0}" -gt 4 ] && [ -d "$work" ] && [ ! -e "$work/go" ]; do sleep 0.1; done
exec "$(realpath "$ssd")" "\$@"
END
chmod +x "$work/ssd"
lab() { scripts/lab "$@" --ssd "$work/ssd"; }
lab run "$work/sweep.ini" --results "$work/local" 2>/dev/null
lab run "$work/sweep.ini" --results "$work/cluster" --slurm >"$work/said" || fail "nothing submitted"
cat "$work/said"
job=$(awk '{ print $2; exit }' "$work/said")

one_waits() {
	for running in $(squeue -h -t R -o %i -j "$job"); do
		[ "${running##*_}" -gt 4 ] && return
	done
	return 1
}
wait_for 300 one_waits
scancel "$running"
echo "killed $running"
touch "$work/go"
queue_is_empty() { [ -z "$(squeue -h)" ]; }
wait_for 300 queue_is_empty
cmp "$work/local/sweep/default/results.tsv" "$work/cluster/sweep/default/results.tsv" ||
	fail "the tables differ"
[ -s "$work/cluster/sweep/default/report.html" ] || fail "there is no report"
[ "$(find "$work/cluster" -path '*/runs/*.json' | wc -l)" = 40 ] || fail "runs are missing"
echo "slurm-test: 40 runs, the same table"
