# ssdlab: `make help` lists what can be made.

CC   ?= cc
JOBS ?= 2
MAKEFLAGS += --no-print-directory

# A folder for each way of compiling: build/ holds the program that users get, build/dev what the tests link
# and daily work; build/sanitized has address and undefined-behaviour checks, build/fuzz is for
# clang's libFuzzer.  A file in one of them is made with its flags: make build/sanitized/tests/test_ftl
FOLDERS := build/dev build/sanitized build/fuzz build/toolbox
NAMED   := $(foreach folder,$(FOLDERS),$(if $(filter $(folder)/%,$(MAKECMDGOALS)),$(folder)))
BUILD   ?= $(firstword $(NAMED) build)

# Only the program is optimised by the linker: with the 60 test programs that would take 7 minutes.
ifeq ($(BUILD),build/dev)
OPTIMISE ?= -O2 -g
LTO      ?=
else ifeq ($(BUILD),build/toolbox)
LTO      ?=
else ifeq ($(BUILD),build/sanitized)
OPTIMISE ?= -O1 -g
SANITIZE ?= -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
LTO      ?=
else ifeq ($(BUILD),build/fuzz)
CC       := clang
OPTIMISE ?= -O1 -g
SANITIZE ?= -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=all
LTO      ?=
endif

# What the program and the library are made of.  The program needs no library/.
ROOMS    := base stats observe flash pagemap gc ftl buffer host drive
ROOMS    += parameters traces legacy cli library
PACKAGES := libconfig libarchive zlib

# -O3: the simulator is the product; -g: every abort can be debugged.
OPTIMISE ?= -O3 -g
# The request path crosses rooms (drive, FTL, collector, medium); the linker may inline across them.
LTO      ?= -flto=auto
# -Wno-missing-field-initializers: rows of tables end early on purpose, the rest is zero.
WARN     := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla \
            -Wno-missing-field-initializers
# -ffile-prefix-map: the same program comes out in every folder.  The folder that objects
# record for the linker's optimiser does not follow it, but follows PWD if that names the current folder.
HERE := PWD=/proc/self/cwd
# -fPIC -fvisibility=hidden: the same objects make the library; the program is the same to the byte without.
# -ffp-contract=off: the same bytes come out on machines with and without fused multiply-add.
PACKAGE_CFLAGS := $(shell pkg-config --cflags $(PACKAGES) 2>/dev/null)
PACKAGE_LIBS   := $(shell pkg-config --libs $(PACKAGES) 2>/dev/null)
ifeq ($(origin PACKAGE_LIBS) $(PACKAGE_LIBS),file )
ifneq ($(if $(MAKECMDGOALS),$(filter all ssd install library %/libssdlab.so,$(MAKECMDGOALS)),all),)
$(error missing:$(shell for p in $(PACKAGES); do pkg-config --exists $$p || printf ' %s' $$p; done 2>&1); \
	scripts/deps installs what is missing)
endif
endif
# override: these flags are added to those of `make CFLAGS=...`.
# _DARWIN_C_SOURCE: macOS hides lockf() from programs that ask for POSIX alone.
override CFLAGS  += -std=c11 -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE -D_FILE_OFFSET_BITS=64 -I. \
            -ffp-contract=off -ffile-prefix-map=$(CURDIR)=. -fPIC -fvisibility=hidden \
            $(OPTIMISE) $(LTO) $(WARN) $(SANITIZE) $(PACKAGE_CFLAGS)
override LDFLAGS += $(SANITIZE)
override LDLIBS  += $(PACKAGE_LIBS) -lm

SOURCES := $(filter-out cli/lab-page/% library/%,\
	$(foreach room,$(ROOMS),$(wildcard $(room)/*.c $(room)/*/*.c)))
LIBRARY_C := $(wildcard library/*.c)
PRODUCT := $(foreach room,$(ROOMS),$(wildcard $(room)/*.[ch] $(room)/*/*.[ch])) ssd.c types.h
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/traces/built_in.o $(BUILD)/drive/built_in.o \
	$(BUILD)/drive/run/timeline_page.o $(BUILD)/toolbox.o
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))

.PHONY: all always help install install-program install-library uninstall format clean lines
.PHONY: library toolbox plugin check-plugin reference wheel python-test
.PHONY: new-ftl new-buffer new-policy new-tool check-ftl check-buffer check-policy check-tool quick
.PHONY: grade-objects check-grade course-student lab-page check-lab-page
.PHONY: unit test check soak check-style check-gcc check-clang check-sanitized check-valgrind check-extend \
	check-bare bare-test
.PHONY: check-install check-counts check-instructions
.PHONY: models analyse validate mutants fuzz kill-test edges configurations
.PHONY: bench tricks growth pgo
.DELETE_ON_ERROR:
# Objects of tests are kept, too: only what changed is compiled again.
.SECONDARY:

all: ssd ## the simulator ./ssd (default)

# The program is copied into this folder; that of another BUILD stays in BUILD.
ifeq ($(BUILD),build)
ssd: $(BUILD)/ssd
	@cp $< $@
else
.PHONY: ssd
ssd: $(BUILD)/ssd
endif

$(BUILD)/ssd: $(BUILD)/ssd.o $(BUILD)/commit.o $(OBJECTS)
	@echo "  link  $@"
	@$(HERE) $(CC) $(CFLAGS) $(LDFLAGS) -o $@ $^ $(LDLIBS)

$(BUILD)/%.o: %.c
	@mkdir -p $(@D)
	@echo "  cc    $<"
	@$(HERE) $(CC) $(CFLAGS) -MMD -MP -c -o $@ $<

VERSION := $(shell sed -n 's/.*SSD_VERSION  *"\(.*\)"/\1/p' base/version.h)

# The profiles as they are now, built into the program.
PROFILES := $(wildcard traces/profiles/*.cfg)

$(BUILD)/traces/built_in.c: scripts/built-in $(PROFILES)
	@mkdir -p $(@D)
	@scripts/built-in built_in_profiles $(PROFILES) > $@

# Drives, too.
DRIVES := $(wildcard parameters/*.cfg parameters/drives/*.cfg) docs/course/paper.cfg

$(BUILD)/drive/built_in.c: scripts/built-in $(DRIVES)
	@mkdir -p $(@D)
	@scripts/built-in built_in_drives $(DRIVES) > $@

# The commit it is made from; the file changes only when that does.
$(BUILD)/commit.c: always
	@mkdir -p $(@D)
	@new=$$(mktemp $@.XXXXXX) && scripts/commit >$$new && \
		if cmp -s $$new $@; then rm $$new; else mv $$new $@; fi

$(BUILD)/traces/built_in.o $(BUILD)/drive/built_in.o $(BUILD)/commit.o $(BUILD)/toolbox.o: %.o: %.c
	@$(HERE) $(CC) $(CFLAGS) -c -o $@ $<

# The rooms that an FTL uses, for one in a shared object: base/toolbox.h.  It must be made from these sources.
TOOLBOX   := base stats observe flash pagemap gc ftl
TOOLBOX_C := types.h $(foreach room,$(TOOLBOX),$(wildcard $(room)/*.[ch] $(room)/*/*.[ch]))

$(BUILD)/toolbox.c: $(TOOLBOX_C) base/version.h
	@mkdir -p $(@D)
	@printf '#include "base/toolbox.h"\n%s %s { TOOLBOX_MARK "%s", %s };\n' \
		'__attribute__((visibility("default")))' 'const struct toolbox ssd_toolbox =' \
		'$(VERSION) '"$$(cat $(sort $(TOOLBOX_C)) | cksum)" \
		'guard_here, guard_share' > $@

$(BUILD)/toolbox.a: $(filter $(foreach room,$(TOOLBOX),$(BUILD)/$(room)/%),$(OBJECTS)) $(BUILD)/toolbox.o
	@rm -f $@ && $(AR) rcs $@ $^

TOOLBOX_IN ?= build/toolbox

toolbox: ## what a program needs that hands an FTL of its own to the library: build/toolbox/toolbox.a
	@$(MAKE) -s BUILD=$(TOOLBOX_IN) LTO= $(TOOLBOX_IN)/toolbox.a

plugin: ## an FTL of your own, FTL=mine.c, as a shared object: ./ssd run --plugin ./mine.so ...
	@$(MAKE) -s toolbox
	@$(CC) $(filter-out $(LTO) -fvisibility=hidden,$(CFLAGS)) -shared -o $(FTL:.c=.so) $(FTL) \
		-Wl,-u,ssd_toolbox $(TOOLBOX_IN)/toolbox.a -lm
	@echo "$(FTL:.c=.so): ./ssd run --plugin $(if $(findstring /,$(FTL)),,./)$(FTL:.c=.so) ..."

# Runs the conformance suite with this FTL in the list, like any other.  MINE: its name.
MINE = $(basename $(notdir $(FTL)))

check-plugin: plugin ## is it right?  FTL=mine.c: its cases of the conformance suite, and verified runs
	@$(MAKE) BUILD=$(DEV) -s -j$(JOBS) $(DEV)/ssd $(DEV)/tests/test_ftl
	@mkdir -p $(DEV)/own/ftl && { cat ftl/list.h; echo 'FTL($(MINE))'; } >$(DEV)/own/ftl/list.h
	@$(CC) -I$(DEV)/own $(filter-out $(LTO),$(CFLAGS)) -o $(DEV)/own/test_ftl tests/test_ftl.c $(FTL) \
		$(DEV)/tests/own_ftls.o $(DEV)/tests/undeclared.o $(DEV)/rooms.a $(LDLIBS) -lcmocka
	@options=$$($(DEV)/own/test_ftl --options $(MINE)) || exit 1; for workload in mixed uniform; do \
		$(DEV)/ssd run --verify --quiet -s trace.limit=5000 -s ftl=$(abspath $(FTL:.c=.so)) \
		$$options parameters/tiny.cfg $$workload || exit 1; done
	@$(DEV)/own/test_ftl ':$(MINE)+' >$(DEV)/conformance.txt 2>&1 || \
		{ grep -vE '^\[ +(RUN|OK) ' $(DEV)/conformance.txt; exit 1; }
	@echo "$(MINE): $$(grep -c '^\[ *OK .*:' $(DEV)/conformance.txt) cases of the conformance suite" \
		"and two verified runs"

# The page of a timeline.
$(BUILD)/drive/run/timeline_page.c: scripts/as-c drive/run/timeline.html
	@mkdir -p $(@D)
	@scripts/as-c drive/run/timeline_page.h timeline_page drive/run/timeline.html > $@

$(BUILD)/drive/run/timeline_page.o: $(BUILD)/drive/run/timeline_page.c
	@$(HERE) $(CC) $(CFLAGS) -c -o $@ $<

# The library: those rooms that a caller needs, behind library/ssdlab.h.  Only what that declares is exported.
# The archive is one object, whose other symbols cannot clash with those of a program.
ABI             := $(shell sed -n 's/^.define SSDLAB_ABI //p' library/ssdlab.h)
LIBRARY_OBJECTS := $(LIBRARY_C:%.c=$(BUILD)/%.o) \
	$(filter-out $(foreach room,cli legacy,$(BUILD)/$(room)/%),$(OBJECTS))

library: $(BUILD)/libssdlab.so $(BUILD)/libssdlab.a ## libssdlab.so and .a, for programs in C: docs/library.md

$(BUILD)/libssdlab.so: $(LIBRARY_OBJECTS) library/exported
	@echo "  link  $@"
	@PWD=/proc/self/cwd $(CC) $(CFLAGS) $(LDFLAGS) -shared -Wl,-soname,libssdlab.so.$(ABI) \
		-Wl,--version-script=library/exported -Wl,-z,defs -o $@ $(LIBRARY_OBJECTS) $(LDLIBS)

$(BUILD)/libssdlab.a: $(LIBRARY_OBJECTS)
	@echo "  link  $@"
	@PWD=/proc/self/cwd $(CC) $(CFLAGS) $(if $(LTO),-flinker-output=nolto-rel) -r -o $(@:.a=.o) $^
	@objcopy --wildcard --keep-global-symbol="ssdlab_*" $(@:.a=.o)
	@rm -f $@ && $(AR) rcs $@ $(@:.a=.o)

# Tests link from an archive only what they need; a test's own definitions take precedence.
$(BUILD)/rooms.a: $(OBJECTS) $(LIBRARY_C:%.c=$(BUILD)/%.o)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/rooms.a
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -lcmocka

$(BUILD)/tests/test_ftl: $(BUILD)/tests/own_ftls.o $(BUILD)/tests/undeclared.o
$(BUILD)/tests/test_legacy_random: $(BUILD)/tests/legacy_model.o

# The binary that tests of the command line and figures run.
SSD ?= $(if $(filter build,$(BUILD)),./ssd,$(BUILD)/ssd)

# ---- tests in four tiers: unit, test, check, soak ----

# The tests are made in build/dev, if no other folder is named; they run the program in it.
DEV      := $(if $(filter build,$(BUILD)),build/dev,$(BUILD))
PY_TESTS := $(wildcard tests/test_*.py)
ALL_RUNS := $(TESTS:%=%.run) $(PY_TESTS:%=%.run)

# LONG=1: what a change must pass (tests/tier.h).  In `make check` the plain tests run so, the sanitized ones
# as in `make test`.

# Programs that take less than half a second each.
UNIT := arbiter base buffer explain flash fuzz host host_indirect journal judge legacy_parameters \
        legacy_quirks log map_cache mmap observers oracle order params space state state_file stats time \
        trace_formats windows
UNIT_RUNS := $(filter $(ALL_RUNS),$(UNIT:%=$(BUILD)/tests/test_%.run) tests/test_state.py.run)

# These take longest and start first, so that none of them is left to run alone at the end.
LONGEST := cli ftl docs allocation random resume legacy_random
FIRST   := tests/test_lab.py.run $(filter $(ALL_RUNS),$(LONGEST:%=$(BUILD)/tests/test_%.run))

unit: ## programs that take less than half a second each: seconds
	@scripts/deps unit
	@$(MAKE) BUILD=$(DEV) run-unit

test: ## every test program, long ones shortened: a minute with -j2; LONG=1: as `make check`
	@scripts/deps test
	@$(MAKE) BUILD=$(DEV) run-tests

.PHONY: run-unit run-tests $(ALL_RUNS)
run-unit: $(filter $(TESTS),$(UNIT_RUNS:%.run=%)) $(SSD)
	@$(MAKE) --keep-going --output-sync=target $(UNIT_RUNS)

run-tests: $(TESTS) $(SSD)
	@$(MAKE) --keep-going --output-sync=target $(FIRST) $(filter-out $(FIRST),$(ALL_RUNS))

# Each uses a temporary folder of its own.
$(TESTS:%=%.run): %.run: % $(SSD)
	@SSD=$(SSD) tests/run $<
$(PY_TESTS:%=%.run): %.run: % $(SSD)
	@SSD=$(SSD) SSDLAB_LIBRARY=$(CURDIR)/build/dev/libssdlab.so tests/run $<

# Python is not built with sanitizers, so the library that it loads is not, either.
PY_OF_LIBRARY := $(patsubst %,tests/test_%.py.run,python plugin misuse)
ifeq ($(BUILD),build/dev)
$(PY_OF_LIBRARY): build/dev/libssdlab.so build/dev/toolbox.a
else
$(PY_OF_LIBRARY): python-library
.PHONY: python-library
python-library:
	@$(MAKE) BUILD=build/dev build/dev/libssdlab.so build/dev/toolbox.a
endif

check: ## what a change must pass: lint, gcc, clang, analysis, tests plain and sanitized, Valgrind, ...
	@scripts/deps check
	@$(MAKE) check-style
	@$(MAKE) -j$(JOBS) check-gcc
	@$(MAKE) -j$(JOBS) check-clang
	@$(MAKE) -j$(JOBS) analyse
	@$(MAKE) -j$(JOBS) check-sanitized
	@$(MAKE) -j$(JOBS) --output-sync=target check-valgrind check-extend check-install check-bare \
		check-counts check-instructions
	@$(MAKE) check-grade
	@echo "check: all passed"

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

# House rules and layout come first: they take seconds.
check-style:
	@echo "== lint"
	@scripts/lint
	@echo "== format"
	@scripts/format --check
	@echo "== Python"
	@scripts/python-style
	@echo "== planted bugs find their places"
	@tests/mutants/run --places

# gcc with warnings as errors: the program as users build it, which the tests run, and the tests.
check-gcc:
	@$(MAKE) WARN='$(WARN) -Werror' ssd
	@LONG=1 $(MAKE) WARN='$(WARN) -Werror' SSD=build/ssd test
	@scripts/lint --objects build/dev

# clang sees other warnings than gcc.  It generates no code here; `make fuzz` and every Mac have it do so.
check-clang:
	@echo "== clang -Werror"
	@printf '%s\n' ssd.c $(SOURCES) $(LIBRARY_C) \
		$(wildcard library/*/*.c tests/*.c tests/*/*.c scripts/course/*.c) | \
		xargs -P$(JOBS) -n12 clang $(filter-out $(LTO),$(CFLAGS)) -Ilibrary -Werror -fsyntax-only

analyse: ## static analysis: cppcheck and clang-tidy; NODES=225000: clang's analyser looks further
	@JOBS=$(JOBS) NODES=$(NODES) scripts/analyse

# Every test again with address and undefined-behaviour checks.  libconfig leaks a string on some syntax
# errors.
check-sanitized:
	@LSAN_OPTIONS=suppressions=tests/leaks-of-libraries:print_suppressions=0 \
		$(MAKE) BUILD=build/sanitized WARN='$(WARN) -Werror' test

check-valgrind:
	@echo "== valgrind"
	@valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
		./ssd run --verify --quiet -s trace.limit=3000 -s buffer=lru parameters/tiny.cfg mixed

check-instructions: ssd ## instructions of a request beside those of tests/bench/instructions.tsv
	@echo "== instructions of a request"
	@tests/bench/instructions ./ssd

check-extend:
	@echo "== adding an FTL and a buffer as the README says"
	@tests/extend.sh

new-ftl: ## an FTL of your own, NAME=mine: a copy of the skeleton to change, and its line in the list
new-buffer: ## the same with a write buffer, a copy of LRU
new-policy: ## the same with a collection policy, a copy of FIFO
new-tool: ## the same with a feature of the drive, a tool of the store: a copy of gc/tools/skeleton.c
new-ftl new-buffer new-policy new-tool: new-%:
	@scripts/new $* "$(NAME)"

check-ftl: RUN = ftl=$(NAME)
check-ftl: OPTIONS = $(DEV)/tests/test_ftl --options $(NAME)
check-ftl: CASES = :$(NAME)+
check-buffer: RUN = buffer=$(NAME) -s dram.buffer_bytes=64K
check-buffer: CASES = +$(NAME)+
check-policy: RUN = gc.policy=$(NAME)
check-policy: CASES = /$(NAME)
check-tool: SET ?= $(NAME).on=true
check-tool: RUN = $(SET)
check-tool: CASES = :page+
check-tool: export SETTINGS = $(SET)
check-ftl: ## is it right?  NAME=mine: its cases of the conformance suite, and runs with both judges
check-buffer: ## the same with a write buffer
check-policy: ## the same with a collection policy
check-tool: ## the same with a tool of the store, which SET (NAME.on=true) switches on
check-ftl check-buffer check-policy check-tool:
	@$(MAKE) BUILD=$(DEV) -s -j$(JOBS) $(DEV)/ssd $(DEV)/tests/test_ftl
	@options=$$($(OPTIONS)) || exit 1; for workload in mixed uniform; do \
		run="$(DEV)/ssd run --verify --quiet -s trace.limit=5000 -s $(RUN)$$options"; \
		run="$$run parameters/tiny.cfg $$workload"; \
		$$run || { echo "repeat it with  $$run" >&2; exit 1; }; done
	@$(DEV)/tests/test_ftl '$(CASES)' >$(DEV)/conformance.txt 2>&1 || \
		{ grep -vE '^\[ +(RUN|OK) ' $(DEV)/conformance.txt | sed '/^\[  FAILED/q'; \
		failed=$$(grep '^\[  FAILED  \] .*:' $(DEV)/conformance.txt | sort -u | grep -c .); \
		echo "$(NAME): $$failed cases of the conformance suite fail, the first as above;" \
		"all: $(DEV)/conformance.txt"; exit 1; }
	@echo "$(NAME): $$(grep -c '^\[ *OK .*:' $(DEV)/conformance.txt) cases of the conformance suite" \
		"and two verified runs"

quick: ## build/dev/ssd, for work on the code: a changed file is compiled and linked in seconds
	@$(MAKE) BUILD=$(DEV) -s -j$(JOBS) $(DEV)/ssd

check-install: ssd
	@echo "== installing, using and removing what was installed"
	@tests/install.sh ./ssd

# Where the tools of the tests are missing.
check-bare:
	@echo "== README's commands on a machine without the tools of the tests"
	@tests/bare.sh

bare-test: ## README's commands on a new Debian, from packages to tests (as root)
	@scripts/deps bare
	@tests/bare.sh fresh

# Rows whose trace may not be redistributed are compared only if TRACES names a folder that has it.
check-counts: ssd ## counts beside those of independent reference models
	@echo "== counts of reference models"
	@tests/counts tests/golden/ftl-counts.tsv $(TRACES)
	@tests/counts tests/golden/mapping-counts.tsv $(TRACES)
	@tests/counts tests/golden/leaftl-counts.tsv $(TRACES)
	@tests/counts tests/golden/classes-counts.tsv $(TRACES)
	@tests/counts --only "ftl " tests/golden/buffer-counts.tsv $(TRACES)
	@tests/counts tests/golden/minipage-counts.tsv $(TRACES)
	@tests/counts tests/golden/time-counts.tsv
	@tests/counts tests/golden/retention-counts.tsv
	@tests/counts tests/golden/memory-counts.tsv
	@tests/counts tests/golden/zoned-counts.tsv $(TRACES)
	@tests/counts tests/golden/space-counts.tsv
	@tests/counts tests/golden/parity-counts.tsv
	@tests/counts --only "host indirect" tests/golden/buffer-counts.tsv $(TRACES)
	@tests/counts --only "buffer " tests/golden/buffer-counts.tsv $(TRACES)

models: ## golden tables beside the models of tests/models: some minutes
	@for model in $(shell find tests/models -name '*.py' -perm -u+x | sort); do \
		echo "== $$model"; $$model --check || exit 1; done

mutants: ## do the tests find bugs?  plants those of tests/mutants/bugs/ one by one; ONLY=words: these
	@JOBS=$(JOBS) tests/mutants/run $(ONLY)

# Experiments (docs/experiments.md).  SCALE=1: the paper's size; each experiment has a default of its own.
# TRACES=FOLDER: the real traces, for `figures` (ICPP'23), `figures-sftl`, `figures-msac`, `figures-pmftl` and
# `legacy-study`; WITHOUT=NAME,NAME: without these, for all but the last.  The others refuse both.
# RESULTS=FOLDER.
RESULTS ?= results
LAB     := SSD=$(SSD) RESULTS=$(RESULTS) scripts/lab report -j $(JOBS)
NUMBERS := $(if $(SCALE),scale=$(SCALE:1/%=%)) $(if $(TRACES),traces=$(TRACES)) \
	$(if $(WITHOUT),without=$(WITHOUT))

.PHONY: figures figures-sensitivity tables check-tables figures-msac figures-sftl figures-pmftl
.PHONY: figures-chardin log-block figures-drives figures-zones figures-slc figures-fdp
.PHONY: figures-retention figures-parity
.PHONY: workloads legacy-study slurm-test replay-test pandas-test lab-ready dist dist-test deb deb-test

lab-ready:
	@scripts/deps figures
	@$(MAKE) -j$(JOBS) $(SSD)

figures: lab-ready ## the ICPP'23 paper's figures and report (SCALE=1: full size; TRACES=FOLDER)
	@$(LAB) scripts/icpp23 $(NUMBERS)

figures-sensitivity: lab-ready ## how the report's numbers move with what the paper leaves open
	@$(LAB) scripts/icpp23 sensitivity sizes $(NUMBERS)

workloads: lab-ready ## generated workloads beside published statistics: results/workloads/default/report.html
	@$(LAB) scripts/workloads

legacy-study: lab-ready ## what each defect of SSDsim 2.1 does to its results: docs/legacy.md
	@scripts/legacy/study $(SSD) $(RESULTS)/legacy/cases $(TRACES)
	@$(LAB) scripts/legacy cases=$(RESULTS)/legacy/cases
	@in=$(RESULTS)/legacy/cases-cases; scripts/legacy/compare $$in/results.tsv >$$in/table.md

tables: ## the tables of docs/icpp23.md, mrsm.md and workloads.md (lun1 to lun6), from runs: half an hour
check-tables: ## are these tables what comes out?
tables check-tables: lab-ready
	@$(LAB) scripts/icpp23 sensitivity sizes
	@$(LAB) scripts/icpp23 seeds=yes
	@$(LAB) scripts/icpp23 scale=1
	@$(LAB) scripts/workloads
	@scripts/tables $(if $(filter check-%,$@),--check) $(RESULTS)

figures-msac: lab-ready ## the MSAC paper's figures, and a search over what it leaves open (SCALE=8; TRACES)
	@$(LAB) scripts/msac open sizes loads readings whole seeds $(NUMBERS)

figures-sftl: lab-ready ## the S-FTL paper's figures (SCALE=1: all requests; TRACES=FOLDER)
	@$(LAB) scripts/sftl caches ranges order $(NUMBERS)

figures-pmftl: lab-ready ## the PM-FTL slides' figures (all requests; SCALE=16: a look; TRACES)
	@$(LAB) scripts/pmftl budgets packing buffers cooperation $(NUMBERS)

figures-chardin: lab-ready ## the figures of a layer that makes random writes sequential, and of its devices
	@$(LAB) scripts/chardin slack $(NUMBERS)

figures-zones: lab-ready ## what a host pays that writes zones: results/zones/
	@$(LAB) scripts/zones held streams $(NUMBERS)

figures-slc: lab-ready ## drives with an SLC cache being filled, beside reviews of them: docs/slc.md
	@$(LAB) scripts/slc fill passes

figures-fdp: lab-ready ## what placement handles gain, for two tenants and for caches: docs/placement.md
	@$(LAB) scripts/fdp unit cachelib lmcache $(NUMBERS)

figures-retention: lab-ready ## reads over erases and age, with history and refresh: docs/flash.md
	@$(LAB) scripts/retention age period senses published law $(NUMBERS)
figures-parity: lab-ready ## what parity over dies costs, and a die that fails: docs/parity.md
	@$(LAB) scripts/parity failed reads $(NUMBERS)

log-block: lab-ready ## FTLs with log blocks on five kinds of writes: results/log-block/scale-16/report.html
	@$(LAB) scripts/log-block $(NUMBERS)

figures-tenants: lab-ready ## a reader beside a writer, and what helps; shares of tenants: docs/tenants.md
	@$(LAB) scripts/tenants depth shares idle $(NUMBERS)

figures-drives: lab-ready ## drives one can buy beside what is published of them: docs/drives.md
	@$(LAB) scripts/drives fill steady

# Any other paper: figures-NAME.
figures-%: lab-ready
	@$(LAB) scripts/$* $(NUMBERS)

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

# `ssd grade` compiles a student's program in a sandbox, with what is in the folder kit and no other files of
# the tree: headers, objects, the judge, and the names of the cases that the conformance suite has for an FTL.
# Lists of FTLs and of policies have an entry more, handed_in.
COURSE := $(BUILD)/scripts/course
KIT    := $(BUILD)/kit
KIT_O  := $(addprefix $(BUILD)/,ssd.o commit.o rooms.a tests/own_ftls.o tests/undeclared.o) \
	$(addprefix $(COURSE)/,recorder.o ftl/ftls.o ftl/test_ftl.o gc/settings.o gc/policies.o)

# A program may call these rooms, except what prints reports and what survives a bug (base/guard.h).
CALLED := base/ flash/ gc/space/ pagemap/ gc/ ftl/ observe/oracle stats/table stats/histogram

$(COURSE)/ftl/ftl/list.h: ftl/list.h
	@mkdir -p $(@D) && { cat $<; echo 'FTL(handed_in)'; } >$@

$(COURSE)/gc/gc/list.h: gc/list.h
	@mkdir -p $(@D) && { cat $<; echo 'GC_POLICY(handed_in)'; } >$@

LINK_JUDGE = $(CC) $(CFLAGS) $(LDFLAGS) -Wl,--wrap=drive_check -o $@ $^ $(LDLIBS)
WITH_LIST  = $(HERE) $(CC) -I$(@D) $(CFLAGS) -MMD -MP -c -o $@ $<

$(COURSE)/ftl/%.o: ftl/%.c $(COURSE)/ftl/ftl/list.h
	@$(WITH_LIST)

$(COURSE)/ftl/%.o: tests/%.c $(COURSE)/ftl/ftl/list.h
	@$(WITH_LIST)

$(COURSE)/gc/%.o: gc/%.c $(COURSE)/gc/gc/list.h
	@$(WITH_LIST)

$(COURSE)/judge: $(BUILD)/ssd.o $(BUILD)/commit.o $(COURSE)/ftl/ftls.o $(COURSE)/player.o $(BUILD)/rooms.a
	@$(LINK_JUDGE)

$(COURSE)/cases: $(addprefix $(COURSE)/,ftl/test_ftl.o player.o) \
		$(addprefix $(BUILD)/,tests/own_ftls.o tests/undeclared.o rooms.a)
	@$(LINK_JUDGE) -lcmocka

$(KIT)/cases.txt: $(KIT_O) $(COURSE)/judge $(COURSE)/cases $(TOOLBOX_C)
	@rm -rf $(KIT) && mkdir -p $(KIT)
	@tar -c $(filter %.h,$(TOOLBOX_C)) | tar -x -C $(KIT)
	@for object in $(KIT_O); do objcopy -g $$object $(KIT)/$${object##*/} || exit; done
	@nm -g --defined-only $(filter $(CALLED:%=$(BUILD)/%%.o),$(OBJECTS)) | \
		awk 'NF == 3 && $$3 !~ /^guard_/ { print $$3 }' >$(KIT)/names
	@strip -o $(KIT)/judge $(COURSE)/judge
	@printf '%s\n' 'CC=$(CC)' 'CFLAGS=$(CFLAGS)' 'LDLIBS=$(LDLIBS)' >$(KIT)/compiler
	@$(COURSE)/cases :handed_in+ -n </dev/null >$@

grade-objects: $(BUILD)/ssd $(KIT)/cases.txt

course-student: ## the tree for students, without what says what is right: build/course-student, or FOLDER=...
	@rm -rf build/course-student
	@scripts/course/student-tree $(or $(FOLDER),build/course-student)

check-grade: ssd
	@echo "== grading solutions and wrong ones"
	@SSD=$(SSD) PYTHONPATH=scripts/course tests/grade.py

# Not part of `check`: a compiler and a browser of a gigabyte, and a full build, are too much for every
# change.
lab-page: ## the simulator in a browser, without a network: one file, lab-page.html
	@scripts/deps lab-page
	@JOBS=$(JOBS) cli/lab-page/build build/lab-page lab-page.html

check-lab-page: lab-page $(SSD) ## its numbers are the native ones, under node and in a headless browser
	@node cli/lab-page/compare.js build/lab-page/lab.js $(SSD)
	@tests/lab_page.py $(SSD)

# A distribution's package is made with DESTDIR; PREFIX is where it will be installed.
PREFIX ?= /usr/local
# In quotes a shell leaves ~ as it is.
PLACE   = $(subst ^,,$(subst ^~/,$(HOME)/,^$(PREFIX)))
TO      = $(DESTDIR)$(PLACE)
MAN     = $(TO)/share/man/man1
BASH    = $(TO)/share/bash-completion/completions
ZSH     = $(TO)/share/zsh/site-functions
SHARED  = $(TO)/share/ssdlab

# LIBRARY=no: the program alone.
ifneq ($(or $(filter-out Linux,$(shell uname)),$(filter no,$(LIBRARY))),)
install: install-program
else
install: install-program install-library ## program, manual, completion, library (PREFIX=/usr/local, DESTDIR=)
endif

# In quotes, as folders may have blanks in their names.
install-library: library
	@install -d "$(TO)/lib/pkgconfig" "$(TO)/include"
	@install -m 644 library/ssdlab.h "$(TO)/include/ssdlab.h"
	@install -m 644 $(BUILD)/libssdlab.a "$(TO)/lib/libssdlab.a"
	@install -m 755 $(BUILD)/libssdlab.so "$(TO)/lib/libssdlab.so.$(ABI)"
	@ln -sf libssdlab.so.$(ABI) "$(TO)/lib/libssdlab.so"
	@prefix="$(PLACE)" && case "$$prefix" in /*) ;; *) prefix="$$PWD/$$prefix" ;; esac && \
		sed "s|@PREFIX@|$$prefix|; s|@VERSION@|$(VERSION)|; s|@PACKAGES@|$(PACKAGES)|" \
		library/ssdlab.pc >"$(TO)/lib/pkgconfig/ssdlab.pc"
	@echo "installed $(TO)/lib/libssdlab.so; pkg-config --cflags --libs ssdlab"

install-program: $(SSD)
	@rm -rf $(BUILD)/man && $(SSD) help --man $(BUILD)/man
	@install -d "$(TO)/bin" "$(MAN)" "$(BASH)" "$(ZSH)" "$(SHARED)/parameters/drives"
	@install -m 755 $(SSD) "$(TO)/bin/ssd"
	@install -m 644 $(BUILD)/man/*.1 "$(MAN)"
	@install -m 644 scripts/completion/ssd.bash "$(BASH)/ssd"
	@install -m 644 scripts/completion/_ssd "$(ZSH)/_ssd"
	@install -m 644 parameters/*.cfg "$(SHARED)/parameters"
	@install -m 644 parameters/drives/*.cfg "$(SHARED)/parameters/drives"
	@echo "installed $(TO)/bin/ssd; parameter files: $(SHARED)/parameters"

# Folders that install made go, too, if nothing else is left in them; those of the system stay.
uninstall: $(SSD) ## removes what install put there
	@rm -rf $(BUILD)/man && $(SSD) help --man $(BUILD)/man
	@for page in $(BUILD)/man/*.1; do rm -f "$(MAN)/$${page##*/}"; done
	@rm -f "$(TO)/bin/ssd" "$(BASH)/ssd" "$(ZSH)/_ssd"
	@rm -f "$(TO)/include/ssdlab.h" "$(TO)"/lib/libssdlab.* "$(TO)/lib/pkgconfig/ssdlab.pc"
	@rm -rf "$(SHARED)"
	@case "$(TO)" in /usr | /usr/local) ;; *) for folder in lib/pkgconfig lib include bin \
		share/man/man1 share/man share/bash-completion/completions share/bash-completion \
		share/zsh/site-functions share/zsh share ""; do \
		rmdir "$(TO)/$$folder" 2>/dev/null || :; done ;; esac

dist: ## the last commit as an archive: build/ssdlab-VERSION.tar.gz
	@mkdir -p $(BUILD)
	@git archive --prefix=ssdlab-$(VERSION)/ HEAD | gzip -9n >$(BUILD)/ssdlab-$(VERSION).tar.gz
	@echo "$(BUILD)/ssdlab-$(VERSION).tar.gz"

deb: $(SSD) ## a package for Debian and Ubuntu, for this machine: build/ssdlab_VERSION-1_ARCHITECTURE.deb
	@scripts/deps deb
	@scripts/deb $(VERSION) $(BUILD)

deb-test: deb ## lintian has nothing against it, and the program in it runs
	@tests/deb.sh $(BUILD)/ssdlab_$(VERSION)-1_$$(dpkg --print-architecture).deb

dist-test: dist ## the archive builds outside git, in any folder, to the same program
	@tests/dist.sh $(BUILD)/ssdlab-$(VERSION).tar.gz

reference: ## the reference of the library, from its header: build/reference/html/index.html
	@scripts/deps reference
	@mkdir -p build/reference && doxygen library/Doxyfile
	@echo build/reference/html/index.html

wheel: ## the Python package for any Linux of this machine's age and newer: build/wheels
	@scripts/deps wheel
	@scripts/wheel build/wheels

python-test: ## the Python package in an environment of its own, with numpy and pandas (from PyPI)
	@scripts/deps wheel
	@tests/python.sh

lines: ## lines of the product: by room and in total
	@for room in $(ROOMS); do \
		printf '%7d  %s/\n' $$(cat $$(find $$room -name '*.[ch]') | wc -l) $$room; done
	@printf '%7d  ssd.c, types.h\n' $$(cat ssd.c types.h | wc -l)
	@printf '%7d  in total\n' $$(cat $(PRODUCT) | wc -l)

format: ## lay out every source file: C by .clang-format, Python by ruff
	@scripts/format

clean: ## remove everything that was made
	rm -rf $(BUILD) ssd lab-page.html results

help: ## this list
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  make %-20s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

-include $(OBJECTS:.o=.d) $(LIBRARY_C:%.c=$(BUILD)/%.d) $(BUILD)/ssd.d
-include $(wildcard $(BUILD)/tests/*.d $(BUILD)/tests/fuzz/*.d $(BUILD)/tests/bench/*.d)
-include $(wildcard $(COURSE)/*.d $(COURSE)/*/*.d)
