# ssdlab: `make help` lists what can be made.

BUILD  ?= build
CC     ?= cc
JOBS   ?= 2

ROOMS   := base stats observe flash space pagemap gc ftl buffer host drive parameters traces prepare run watch legacy cli
PACKAGES := libconfig libarchive zlib

# -O3: the simulator is the product; -g: every abort can be looked into.
OPTIMISE ?= -O3 -g
# The request path crosses rooms (drive, FTL, collector, medium); the linker may inline across them.
LTO      ?= -flto=auto
# -Wno-missing-field-initializers: rows of tables end early on purpose, the rest is zero.
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla -Wno-missing-field-initializers
# -ffp-contract=off: the same bytes come out on machines with and without fused multiply-add.
PACKAGE_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PACKAGE_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
# _DARWIN_C_SOURCE: macOS hides lockf() from programs that ask for POSIX alone.
CFLAGS   += -std=c11 -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE -D_FILE_OFFSET_BITS=64 -I. -ffp-contract=off \
            $(OPTIMISE) $(LTO) $(WARN) $(SANITIZE) $(PACKAGE_CFLAGS)
LDFLAGS  += $(SANITIZE)
LDLIBS   += $(PACKAGE_LIBS) -lm

SOURCES := $(foreach room,$(ROOMS),$(wildcard $(room)/*.c $(room)/*/*.c))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/traces/built_in.o $(BUILD)/run/timeline_page.o
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))

.PHONY: all always help install uninstall format clean
.PHONY: new-ftl new-buffer check-ftl check-buffer grade-objects check-grade lab-page check-lab-page
.PHONY: test validate check check-gcc check-clang check-sanitized check-valgrind check-extend check-install check-counts
.PHONY: mutants fuzz kill-test edges configurations bench growth pgo
.DELETE_ON_ERROR:
# Objects of tests are kept, too: only what changed is compiled again.
.SECONDARY:

all: ssd ## the simulator ./ssd (default)

# The program lies in this folder; that of another BUILD stays there.
ifeq ($(BUILD),build)
ssd: $(BUILD)/ssd
	@cp $< $@
else
.PHONY: ssd
ssd: $(BUILD)/ssd
endif

$(BUILD)/ssd: $(BUILD)/ssd.o $(BUILD)/commit.o $(OBJECTS)
	@echo "  link  $@"
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

# The profiles as they are now, for a program that finds them wherever it is copied.
PROFILES := $(wildcard traces/profiles/*.cfg)

$(BUILD)/traces/built_in.c: scripts/built-in $(PROFILES)
	@mkdir -p $(@D)
	@scripts/built-in $(PROFILES) > $@

# The commit it is made from; the file changes only when that does.
$(BUILD)/commit.c: always
	@mkdir -p $(@D)
	@scripts/commit > $@.new && cmp -s $@.new $@ && rm $@.new || mv $@.new $@

$(BUILD)/traces/built_in.o $(BUILD)/commit.o: %.o: %.c
	@$(CC) $(CFLAGS) -c -o $@ $<

# The page of a timeline.
$(BUILD)/run/timeline_page.c: scripts/as-c run/timeline.html
	@mkdir -p $(@D)
	@scripts/as-c run/timeline_page.h timeline_page run/timeline.html > $@

$(BUILD)/run/timeline_page.o: $(BUILD)/run/timeline_page.c
	@$(CC) $(CFLAGS) -c -o $@ $<

# Tests take from an archive what they need; what a test defines itself comes first.
$(BUILD)/rooms.a: $(OBJECTS)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/rooms.a
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -lcmocka

$(BUILD)/tests/test_ftl: $(BUILD)/tests/own_ftls.o $(BUILD)/tests/undeclared.o
$(BUILD)/tests/test_legacy_random: $(BUILD)/tests/legacy_model.o

# The binary that tests of the command line and figures run.
SSD ?= $(if $(filter build,$(BUILD)),./ssd,$(BUILD)/ssd)

# These take longest and start first, so that none of them is left to run alone at the end.
LONGEST   := random generate allocation mrsm ftl gc cli
LAB_RUN   := $(BUILD)/tests/test_lab.run
LONG_RUNS := $(filter $(TESTS:%=%.run),$(LONGEST:%=$(BUILD)/tests/test_%.run))
TEST_RUNS := $(LONG_RUNS) $(LAB_RUN) $(filter-out $(LONG_RUNS),$(TESTS:%=%.run))

test: $(TESTS) $(SSD) ## every test program; with -j2 two at a time
	@$(MAKE) --no-print-directory --keep-going --output-sync=target $(TEST_RUNS)

# Each uses a temporary folder of its own; what it prints stays together.
.PHONY: $(TEST_RUNS)
$(LAB_RUN): $(SSD)
	@echo "== tests/test_lab.py"; SSD=$(SSD) timeout 1800 python3 tests/test_lab.py -q
$(filter-out $(LAB_RUN),$(TEST_RUNS)): $(BUILD)/tests/%.run: $(BUILD)/tests/% $(SSD)
	@echo "== $<"; SSD=$(SSD) timeout 1800 $< || { echo "repeat: SSD=$(SSD) $<"; exit 1; }

validate: $(BUILD)/tests/test_queueing $(BUILD)/tests/test_mqsim ## beside theory and MQSim, number by number: docs/validation.md
	@$(BUILD)/tests/test_queueing && $(BUILD)/tests/test_mqsim

check: ## everything a change must pass: installs what is missing, builds, tests, sanitizers, Valgrind, lint
	@scripts/deps check
	@$(MAKE) --no-print-directory -j$(JOBS) check-gcc
	@$(MAKE) --no-print-directory -j$(JOBS) check-clang
	@$(MAKE) --no-print-directory -j$(JOBS) check-sanitized
	@$(MAKE) --no-print-directory -j$(JOBS) --output-sync=target check-valgrind check-extend check-install check-counts
	@$(MAKE) --no-print-directory BUILD=build/gcc LTO= check-grade
	@echo "check: all passed"

# gcc with warnings as errors: the program as users build it, the tests without the linker's optimisation.
check-gcc:
	@$(MAKE) --no-print-directory WARN='$(WARN) -Werror' ssd
	@$(MAKE) --no-print-directory BUILD=build/gcc LTO= SSD=build/ssd WARN='$(WARN) -Werror' test

# clang sees other warnings; its plain objects, at fixed addresses, show state outside structs.
check-clang:
	@$(MAKE) --no-print-directory BUILD=build/clang CC=clang LTO= OPTIMISE='-O2 -g -fno-pie' LDFLAGS=-no-pie \
		WARN='$(WARN) -Werror' build/clang/ssd
	@scripts/lint build/clang

# Every test again with address and undefined-behaviour checks.  libconfig loses a string on some syntax errors.
check-sanitized:
	@LSAN_OPTIONS=suppressions=tests/leaks-of-libraries:print_suppressions=0 $(MAKE) --no-print-directory \
		BUILD=build/sanitized LTO= OPTIMISE='-O1 -g' WARN='$(WARN) -Werror' \
		SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer' test

check-valgrind:
	@echo "== valgrind"
	@valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
		./ssd run --verify --quiet -s trace.limit=3000 -s buffer=lru parameters/tiny.cfg mixed

check-extend:
	@echo "== adding an FTL and a buffer as the README says"
	@tests/extend.sh

# OPERATIONS: requests of a case; the suite of `make test` has eight times as many.
new-ftl: ## an FTL of your own, NAME=mine: a copy of the skeleton to change, and its line in the list
new-buffer: ## the same with a write buffer, a copy of LRU
new-ftl new-buffer: new-%:
	@scripts/new $* "$(NAME)"

check-ftl: RUN = ftl=$(NAME)
check-ftl: CASES = :$(NAME)+
check-buffer: RUN = buffer=$(NAME) -s dram.buffer_bytes=64K
check-buffer: CASES = +$(NAME)+
check-ftl: ## is it right?  NAME=mine: its cases of the conformance suite, and runs with both judges
check-buffer: ## the same with a write buffer
# What is tried again and again has objects of its own, which are linked in a second.
check-ftl check-buffer:
	@$(MAKE) --no-print-directory -s -j$(JOBS) BUILD=build/quick LTO= OPTIMISE=-O1 build/quick/ssd build/quick/tests/test_ftl
	@for workload in mixed uniform; do \
		build/quick/ssd run --verify --quiet -s trace.limit=5000 -s $(RUN) parameters/tiny.cfg $$workload || exit 1; done
	@OPERATIONS=$${OPERATIONS:-500} build/quick/tests/test_ftl '$(CASES)' >build/quick/conformance.txt 2>&1 || \
		{ grep -vE '^\[ +(RUN|OK) ' build/quick/conformance.txt; exit 1; }
	@echo "$(NAME): $$(grep -c '^\[ *OK .*:' build/quick/conformance.txt) cases of the conformance suite and two verified runs"

check-install: ssd
	@echo "== installing, using and removing what was installed"
	@tests/install.sh ./ssd

# Rows whose trace may not be passed on are compared where TRACES names a folder that has it.
check-counts: ssd ## counts beside those of independent reference models
	@echo "== counts of reference models"
	@tests/counts tests/golden/ftl-counts.tsv $(TRACES)
	@tests/counts --only "ftl " tests/golden/buffer-counts.tsv $(TRACES)
	@tests/counts tests/golden/minipage-counts.tsv $(TRACES)
	@tests/counts --only "host indirect" tests/golden/buffer-counts.tsv $(TRACES)
	@tests/counts --only "buffer " tests/golden/buffer-counts.tsv $(TRACES)

mutants: ## do the tests find mistakes?  plants bugs (tests/mutants/bugs/) one by one; ONLY=words: those that match
	@JOBS=$(JOBS) tests/mutants/run $(ONLY)

# Experiments (docs/experiments.md).  SCALE=1: the paper's size, default 1/16; TRACES=FOLDER: the real traces; RESULTS=FOLDER.
RESULTS ?= results
LAB     := SSD=$(SSD) RESULTS=$(RESULTS) scripts/lab report -j $(JOBS)
NUMBERS := $(if $(SCALE),scale=$(SCALE:1/%=%)) $(if $(TRACES),traces=$(TRACES))

.PHONY: figures figures-sensitivity tables check-tables figures-sftl figures-pmftl log-block workloads legacy-study slurm-test pandas-test lab-ready

lab-ready:
	@scripts/deps figures
	@$(MAKE) --no-print-directory -j$(JOBS) $(SSD)

figures: lab-ready ## the ICPP'23 paper's figures and report (SCALE=1: full size; TRACES=FOLDER)
	@$(LAB) scripts/icpp23 $(NUMBERS)

figures-sensitivity: lab-ready ## how the report's numbers move with what the paper leaves open
	@$(LAB) scripts/icpp23 sensitivity sizes $(NUMBERS)

workloads: lab-ready ## generated workloads beside published statistics: results/workloads/default/report.html
	@$(LAB) scripts/workloads

legacy-study: lab-ready ## what each defect of SSDsim 2.1 does to its results (docs/legacy.md; TRACES=FOLDER: real traces, too)
	@scripts/legacy/study $(SSD) $(RESULTS)/legacy/cases $(TRACES)
	@$(LAB) scripts/legacy cases=$(RESULTS)/legacy/cases
	@scripts/legacy/compare $(RESULTS)/legacy/cases-cases/results.tsv >$(RESULTS)/legacy/cases-cases/table.md

tables: ## the tables of docs/icpp23.md, mrsm.md and of lun1 to lun6 in workloads.md, written from runs (half an hour)
check-tables: ## are these tables what comes out?
tables check-tables: lab-ready
	@$(LAB) scripts/icpp23 sensitivity sizes
	@$(LAB) scripts/icpp23 seeds=yes
	@$(LAB) scripts/icpp23 scale=1
	@$(LAB) scripts/workloads
	@scripts/icpp23/tables $(if $(filter check-%,$@),--check) $(RESULTS)

figures-sftl: lab-ready ## the S-FTL paper's figures (SCALE=1: all requests)
	@$(LAB) scripts/sftl caches ranges $(NUMBERS)

figures-pmftl: lab-ready ## the PM-FTL slides' figures (all requests; SCALE=16: a look)
	@$(LAB) scripts/pmftl budgets buffers cooperation $(NUMBERS)

log-block: lab-ready ## FTLs with log blocks on five kinds of writes: results/log-block/scale-16/report.html
	@$(LAB) scripts/log-block $(NUMBERS)

# Any other paper: figures-NAME.
figures-%: lab-ready
	@$(LAB) scripts/$* $(NUMBERS)

slurm-test: $(SSD) ## a sweep through a real Slurm, set up for it on this machine (as root)
	@scripts/deps slurm
	@SSD=$(SSD) tests/slurm.sh

pandas-test: $(SSD) ## pandas reads a log and a series, which add up to the statistics (pandas from PyPI, not kept)
	@SSD=$(SSD) tests/pandas.sh

# clang's libFuzzer; $(BUILD) is that of the fuzzed objects.
FUZZ_TARGETS := $(patsubst tests/fuzz/%.c,build/fuzz/fuzz/%,$(wildcard tests/fuzz/*.c))

$(BUILD)/fuzz/%: $(BUILD)/tests/fuzz/%.o $(BUILD)/rooms.a
	@mkdir -p $(@D)
	@$(CC) $(CFLAGS) $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LDLIBS)

MINUTES ?= 1
fuzz: ## every target of tests/fuzz for MINUTES (1) with clang's libFuzzer: runs, coverage, findings
	@$(MAKE) --no-print-directory BUILD=build/fuzz CC=clang LTO= OPTIMISE='-O1 -g' \
		SANITIZE='-fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all' $(FUZZ_TARGETS)
	@JOBS=$(JOBS) tests/fuzz/run $(MINUTES) $(FUZZ_TARGETS)

N ?= 200
R ?= 40
kill-test: $(SSD) ## N (200) runs killed at random moments and R (40) resumed: files are whole, results the same
	@SSD=$(SSD) tests/kill $(N) $(R)

configurations: $(BUILD)/tests/configurations ## N (200) runs of random configurations under the judges, counted; SEED (1)
	@$< $(N) 2000 $(or $(SEED),1)

edges: $(SSD) ## every command where memory or disk runs out: one line says so, no file is half written
	@SSD=$(SSD) tests/edges

bench: $(BUILD)/bench/bench ## speed and memory: drives of 8 GB to 1 TB beside a floor, two runs at once, generating, SSDsim, reading; PART=pairs: that
	@$< $(PART)

$(BUILD)/bench/bench: $(patsubst %.c,$(BUILD)/%.o,$(wildcard bench/*.c)) $(OBJECTS)
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

growth: $(SSD) ## how time and memory grow with dies, queue, pages a block, size and requests; AXES=huge: 8 TB
	@SSD=$(SSD) bench/growth $(AXES)

# Trained on runs that most experiments are like; gcc.
TRAINED := page across mrsm sftl
pgo: ## build/pgo/ssd: the simulator compiled once more for what most runs do; build/pgo/bench/bench measures it
	@rm -rf build/pgo
	@$(MAKE) --no-print-directory BUILD=build/pgo OPTIMISE='$(OPTIMISE) -fprofile-generate' build/pgo/ssd
	@for ftl in $(TRAINED); do build/pgo/ssd run --quiet -s ftl=$$ftl -s flash.blocks=128 -s trace.limit=200000 \
		-s flash.over_provisioning=0.2 parameters/icpp23.cfg lun1 || exit 1; done
	@find build/pgo -name '*.o' -delete
	@$(MAKE) --no-print-directory BUILD=build/pgo OPTIMISE='$(OPTIMISE) -fprofile-use -fprofile-partial-training -Wno-missing-profile' \
		build/pgo/ssd build/pgo/bench/bench

# `ssd grade` links a student's program with these, and reads how they were compiled.
grade-objects: $(BUILD)/ssd $(BUILD)/tests/test_ftl
	@printf '%s\n' 'CC=$(CC)' 'CFLAGS=$(CFLAGS)' 'LDLIBS=$(LDLIBS)' >$(BUILD)/compiler

check-grade: $(SSD)
	@echo "== grading solutions and wrong ones"
	@SSD=$(SSD) BUILD=$(filter-out build,$(BUILD)) tests/grade.py

# Not part of `check`: a compiler and a browser of a gigabyte, and their build of everything, are much for every change.
lab-page: ## the simulator in a browser, without a network: one file, lab-page.html
	@scripts/deps lab-page
	@JOBS=$(JOBS) lab-page/build build/lab-page lab-page.html

check-lab-page: lab-page $(SSD) ## its numbers beside the native ones, under node and in a headless browser that drags its slider
	@node lab-page/compare.js build/lab-page/lab.js $(SSD)
	@tests/lab_page.py $(SSD)

# A distribution's package is made with DESTDIR; PREFIX says where it will lie.
PREFIX ?= /usr/local
TO      = $(DESTDIR)$(PREFIX)
MAN     = $(TO)/share/man/man1
BASH    = $(TO)/share/bash-completion/completions
ZSH     = $(TO)/share/zsh/site-functions
SHARED  = $(TO)/share/ssdlab

install: $(SSD) ## program, manual, completion, parameter files (PREFIX=/usr/local, DESTDIR=)
	@rm -rf $(BUILD)/man && $(SSD) help --man $(BUILD)/man
	@install -d $(TO)/bin $(MAN) $(BASH) $(ZSH) $(SHARED)/parameters
	@install -m 755 $(SSD) $(TO)/bin/ssd
	@install -m 644 $(BUILD)/man/*.1 $(MAN)
	@install -m 644 scripts/completion/ssd.bash $(BASH)/ssd
	@install -m 644 scripts/completion/_ssd $(ZSH)/_ssd
	@install -m 644 parameters/*.cfg $(SHARED)/parameters
	@echo "installed $(TO)/bin/ssd; parameter files: $(SHARED)/parameters"

uninstall: $(SSD) ## removes what install put there
	@rm -rf $(BUILD)/man && $(SSD) help --man $(BUILD)/man
	@cd $(BUILD)/man && for page in *.1; do rm -f "$(abspath $(MAN))/$$page"; done
	@rm -f $(TO)/bin/ssd $(BASH)/ssd $(ZSH)/_ssd
	@rm -rf $(SHARED)

format: ## lay out every source file by .clang-format
	@clang-format -i $(wildcard *.[ch] $(foreach room,$(ROOMS) bench tests tests/fuzz,$(room)/*.[ch] $(room)/*/*.[ch]))

clean: ## remove everything that was made
	rm -rf $(BUILD) ssd lab-page.html results

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(shell find $(BUILD) -type f -name '*.d' 2>/dev/null)
