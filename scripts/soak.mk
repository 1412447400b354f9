# Longer tests, and speed: included by the Makefile.

# With SOAK=1, the tests run in full what `make test` runs in part.  .github/workflows/soak.yml runs the
# parts side by side, every week.
SOAK_PARTS := tests sanitized random bugs documents
.PHONY: $(SOAK_PARTS:%=soak-%)
$(SOAK_PARTS:%=soak-%): export SOAK = 1

soak: ## everything at full length, for hours: long tests, mutants, fuzz, kills, edges, tables, lab page
	@for part in $(SOAK_PARTS); do $(MAKE) soak-$$part || exit 1; done
	@echo "soak: all passed"

soak-tests:
	@scripts/deps check
	@$(MAKE) -j$(JOBS) ssd
	@$(MAKE) -j$(JOBS) SSD=./ssd test
	@$(MAKE) analyse NODES=225000

soak-sanitized:
	@scripts/deps check
	@$(MAKE) -j$(JOBS) check-sanitized

soak-random:
	@scripts/deps check
	@$(MAKE) -j$(JOBS) ssd
	@$(MAKE) configurations N=2000
	@$(MAKE) kill-test
	@$(MAKE) edges
	@$(MAKE) fuzz MINUTES=10

soak-bugs:
	@scripts/deps check
	@$(MAKE) mutants

soak-documents:
	@$(MAKE) check-tables
	@$(MAKE) models
	@$(MAKE) check-lab-page
	@$(MAKE) slurm-test
	@$(MAKE) replay-test
	@$(MAKE) dist-test
	@$(MAKE) deb-test
	@$(MAKE) pandas-test
	@$(MAKE) bare-test
	@$(MAKE) python-test

bare-test: ## README's commands on a new Debian, from packages to tests (as root)
	@scripts/deps bare
	@tests/bare.sh fresh

models: ## golden tables beside the models of tests/models: some minutes
	@for model in $(shell find tests/models -name '*.py' -perm -u+x | sort); do \
		echo "== $$model"; $$model --check || exit 1; done

mutants: ## do the tests find bugs?  plants those of tests/mutants/bugs/ one by one; ONLY=words: these
	@JOBS=$(JOBS) tests/mutants/run $(ONLY)

slurm-test: $(SSD) ## a sweep through a real Slurm, set up for it on this machine (as root)
	@scripts/deps slurm
	@SSD=$(SSD) tests/slurm.sh

replay-test: $(SSD) ## fio replays a converted trace
	@scripts/deps replay
	@SSD=$(SSD) tests/replay.sh

pandas-test: $(SSD) ## pandas (from PyPI) reads a log and a series, which add up to the statistics
	@SSD=$(SSD) tests/pandas.sh

# clang's libFuzzer; $(BUILD) is that of the fuzzed objects.
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,build/fuzz/fuzz/%,$(wildcard tests/fuzz/*.c))

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/rooms.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

MINUTES ?= 1
fuzz: ## every target of tests/fuzz for MINUTES (1) with clang's libFuzzer: runs, coverage, findings
	@scripts/deps fuzz
	@$(MAKE) -j$(JOBS) BUILD=build/fuzz $(FUZZ_TARGETS)
	@JOBS=$(JOBS) tests/fuzz/run $(MINUTES) $(FUZZ_TARGETS)

N ?= 200
R ?= 40
kill-test: $(SSD) ## N (200) runs are killed at random moments, R (40) resumed: whole files, same results
	@SSD=$(SSD) tests/kill $(N) $(R)

configurations: ## N (200) random runs under the judges; HOW=deep: long queues; WITH='slc units' FTL=dac
	@$(MAKE) BUILD=$(DEV) -s -j$(JOBS) $(DEV)/tests/configurations
	@WITH='$(WITH)' FTL='$(FTL)' $(DEV)/tests/configurations $(N) 2000 $(or $(SEED),1) $(HOW)

VALIDATED = queueing mqsim published durable

validate: ## beside theory and MQSim, number by number: docs/validation.md
	@$(MAKE) BUILD=$(DEV) -s -j$(JOBS) $(addprefix $(DEV)/tests/test_,$(VALIDATED))
	@for test in $(VALIDATED); do SOAK=1 $(DEV)/tests/test_$$test || exit; done

edges: $(SSD) ## every command where memory or disk runs out: one line says so, no file is half written
	@SSD=$(SSD) tests/edges

bench: $(BUILD)/tests/bench/bench ## speed, memory; PART=loads, pairs, generating, legacy, reading: only that
	@$< $(PART)

$(BUILD)/tests/bench/bench: $(patsubst %.c,$(BUILD)/%.o,$(wildcard tests/bench/*.c)) $(OBJECTS)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

tricks: ## what each trick of tests/bench/TRICKS.md is worth: built with and without it; TRICK=NAME: that one
	@tests/bench/tricks $(TRICK)

growth: $(SSD) ## how time and memory grow with dies, queue, pages a block, size and requests; AXES=huge: 8 TB
	@SSD=$(SSD) tests/bench/growth $(AXES)

# Trained on typical runs; gcc only.
TRAINED := page across mrsm sftl
pgo: ## build/pgo/ssd, compiled with a profile of usual runs; build/pgo/tests/bench/bench measures it
	@rm -rf build/pgo
	@$(MAKE) BUILD=build/pgo OPTIMISE='$(OPTIMISE) -fprofile-generate' build/pgo/ssd
	@for ftl in $(TRAINED); do build/pgo/ssd run --quiet -s ftl=$$ftl -s flash.blocks=128 \
		-s trace.limit=200000 -s flash.over_provisioning=0.2 parameters/icpp23.cfg lun1 || exit; done
	@find build/pgo -name '*.o' -delete
	@$(MAKE) BUILD=build/pgo build/pgo/ssd build/pgo/tests/bench/bench \
		OPTIMISE='$(OPTIMISE) -fprofile-use -fprofile-partial-training -Wno-missing-profile'

check-instructions: ssd ## instructions of a request beside those of tests/bench/instructions.tsv
	@echo "== instructions of a request"
	@tests/bench/instructions ./ssd
