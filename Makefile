# ssdlab: `make help` lists what can be made.

CC   ?= cc
JOBS ?= $(shell nproc 2>/dev/null || sysctl -n hw.ncpu 2>/dev/null || echo 2)
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
ROOMS    := base stats observe flash pagemap gc ftl buffer host drive parameters traces legacy cli library
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
# override: added to those of `make CFLAGS=...`.  _DARWIN_C_SOURCE: macOS hides lockf() from POSIX programs.
override CFLAGS  += -std=c11 -D_POSIX_C_SOURCE=200809L -D_DARWIN_C_SOURCE -D_FILE_OFFSET_BITS=64 -I. \
            -ffp-contract=off -ffile-prefix-map=$(CURDIR)=. -fPIC -fvisibility=hidden \
            $(OPTIMISE) $(LTO) $(WARN) $(SANITIZE) $(PACKAGE_CFLAGS)
override LDFLAGS += $(SANITIZE)
override LDLIBS  += $(PACKAGE_LIBS) -lm

SOURCES := $(foreach room,$(filter-out library,$(ROOMS)),$(wildcard $(room)/*.c $(room)/*/*.c))
SOURCES := $(filter-out cli/lab-page/%,$(SOURCES))
LIBRARY_C := $(wildcard library/*.c)
PRODUCT := ssd.c types.h $(foreach room,$(ROOMS),$(wildcard $(room)/*.[ch] $(room)/*/*.[ch]))
OBJECTS := $(SOURCES:%.c=$(BUILD)/%.o) $(BUILD)/traces/built_in.o $(BUILD)/drive/built_in.o \
	$(BUILD)/drive/run/timeline_page.o $(BUILD)/toolbox.o
TESTS   := $(patsubst tests/%.c,$(BUILD)/tests/%,$(wildcard tests/test_*.c))

# Names of these letters are no files: no rule makes one.
INCLUDED := $(addprefix scripts/,parts.mk soak.mk experiments.mk course.mk packages.mk)
.PHONY: always $(filter-out ssd figures-%,$(shell sed -n 's/^\([a-z][a-z-]*\):.*/\1/p' Makefile $(INCLUDED)))
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

# Tests link from it only what they need; a test's own definitions take precedence.
$(BUILD)/rooms.a: $(OBJECTS) $(LIBRARY_C:%.c=$(BUILD)/%.o)
	@rm -f $@ && $(AR) rcs $@ $^

$(BUILD)/tests/%: $(BUILD)/tests/%.o $(BUILD)/rooms.a
	@$(CC) $(CFLAGS) $(LDFLAGS) -o $@ $(filter %.o,$^) $(filter %.a,$^) $(LDLIBS) -lcmocka

$(BUILD)/tests/test_ftl: $(BUILD)/tests/own_ftls.o $(BUILD)/tests/undeclared.o
$(BUILD)/tests/test_legacy_random: $(BUILD)/tests/legacy_model.o

# Tests of the command line and figures run this one.
SSD ?= $(if $(filter build,$(BUILD)),./ssd,$(BUILD)/ssd)

# ---- tests in four tiers: unit, test, check, soak ----

# The tests are made in build/dev, if no other folder is named; they run the program in it.
DEV      := $(if $(filter build,$(BUILD)),build/dev,$(BUILD))
PY_TESTS := $(wildcard tests/test_*.py)
ALL_RUNS := $(TESTS:%=%.run) $(PY_TESTS:%=%.run)

# Programs that run neither the simulator nor a workload, and that `make test` does not shorten.
HEAVY     := (program|run|load|random)_fixture|amount|shorter|is_for_[a-z]*
UNIT      := $(shell grep -LwE '$(HEAVY)' tests/test_*.c)
UNIT_RUNS := $(filter $(ALL_RUNS),$(UNIT:%.c=$(BUILD)/%.run) tests/test_state.py.run)
# Others come first, so that none of them is left to run alone at the end.
IN_ORDER  := $(filter-out $(UNIT_RUNS),$(filter %.py.run,$(ALL_RUNS)) $(TESTS:%=%.run)) $(UNIT_RUNS)

# On all cores, unless -j says how many.
ON_CORES = $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(JOBS))
unit: ## programs that run no workload: seconds
	@scripts/deps unit
	@$(MAKE) $(ON_CORES) BUILD=$(DEV) run-unit

test: ## every test program, long ones shortened: a minute on two cores; LONG=1: as `make check`
	@scripts/deps test
	@$(MAKE) $(ON_CORES) BUILD=$(DEV) run-tests

.PHONY: $(ALL_RUNS)
run-unit: $(filter $(TESTS),$(UNIT_RUNS:%.run=%)) $(SSD)
	@$(MAKE) --keep-going --output-sync=target $(UNIT_RUNS)

run-tests: $(TESTS) $(SSD)
	@$(MAKE) --keep-going --output-sync=target $(IN_ORDER)

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
python-library:
	@$(MAKE) -s BUILD=build/dev build/dev/libssdlab.so build/dev/toolbox.a
endif

check: ## what a change must pass: lint, gcc, clang, analysis, tests plain and sanitized, Valgrind, ...
	@scripts/deps check
	@$(MAKE) check-style
	@$(MAKE) -j$(JOBS) check-gcc
	@$(MAKE) -j$(JOBS) check-clang
	@$(MAKE) -j$(JOBS) analyse
	@$(MAKE) -j$(JOBS) check-sanitized
	@$(MAKE) check-rest
	@echo "check: all passed"

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

# gcc with warnings as errors: the program as users build it, which the tests run, and the tests, which run
# more than in `make test` (LONG=1: tests/tier.h).
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

check-rest:
	@$(MAKE) -j$(JOBS) --output-sync=target check-valgrind check-extend check-install check-bare \
		check-counts check-instructions
	@$(MAKE) check-grade

check-valgrind: ssd
	@echo "== valgrind"
	@valgrind -q --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite \
		./ssd run --verify --quiet -s trace.limit=3000 -s buffer=lru parameters/tiny.cfg mixed

check-extend:
	@echo "== adding an FTL and a buffer as the README says"
	@tests/extend.sh

check-install: ssd
	@echo "== installing, using and removing what was installed"
	@tests/install.sh ./ssd

check-bare:
	@echo "== README's commands on a machine without the tools of the tests"
	@tests/bare.sh

# tests/test_zns.c reads the table of zones alone.  Rows whose trace may not be redistributed are compared
# only if TRACES names a folder that has it.
check-counts: ssd ## counts beside those of independent reference models
	@echo "== counts of reference models"
	@tests/counts -j $(JOBS) $(TRACES) \
		$(filter-out %/zns-counts.tsv,$(wildcard tests/golden/*-counts.tsv))

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

include $(INCLUDED)
-include $(OBJECTS:.o=.d) $(LIBRARY_C:%.c=$(BUILD)/%.d) $(BUILD)/ssd.d \
	$(wildcard $(BUILD)/tests/*.d $(BUILD)/tests/*/*.d $(COURSE)/*.d $(COURSE)/*/*.d)
