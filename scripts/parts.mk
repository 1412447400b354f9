# Parts of your own: an FTL, a buffer, a policy, a tool, a plug-in.  Included by the Makefile.

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
