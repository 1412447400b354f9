# `make figures`: the tables and figures of "Re-aligning across-page requests for flash-based
# solid-state drives" (ICPP 2023).  How, and what the files mean: scripts/icpp23/README.md.
#
#   SCALE=quick    drive and traces 1/16 of the paper's (the default); SCALE=1: its own size; or SCALE=1/N
#   TRACES=FOLDER  the real traces of SYSTOR '17 in place of the generated workloads
#   RESULTS=FOLDER where results go; SSD=FILE the simulator to run
#
# A run is a target of its own: $(ICPP)/lun1-page-8k/statistics.txt; only what changed runs again.

SCALE   ?= quick
TRACES  ?=
RESULTS ?= results

ifeq ($(filter quick 1 1/%,$(SCALE)),)
$(error SCALE=$(SCALE): should be quick, 1 or 1/N, as in SCALE=1/4)
endif

ICPP         := $(RESULTS)/icpp23/$(subst /,-,$(SCALE))$(if $(TRACES),-traces)
ICPP_SCRIPTS := scripts/icpp23
ICPP_DIVISOR := $(if $(filter quick,$(SCALE)),16,$(SCALE:1/%=%))
ICPP_FTLS    ?= page mrsm across
ICPP_SIZES   := 4 8 16
ICPP_LUNS    := lun1 lun2 lun3 lun4 lun5 lun6

# What the paper calls lun1 ... lun6, all of the folder systor17-additional-01.
ICPP_lun1 := 2016021616-LUN1
ICPP_lun2 := 2016021614-LUN0
ICPP_lun3 := 2016021617-LUN2
ICPP_lun4 := 2016021618-LUN6
ICPP_lun5 := 2016021616-LUN4
ICPP_lun6 := 2016021718-LUN4

# The downloaded files, plain or compressed, anywhere below the folder.
ICPP_FILES := $(if $(TRACES),$(sort $(shell find -L $(TRACES) -type f -name '*20160217*-LUN*.csv*' -o \
                -type f -name '*20160216*-LUN*.csv*')))
icpp_file   = $(firstword $(foreach f,$(ICPP_FILES),$(if $(findstring $(ICPP_$(1)).csv,$(f)),$(f))))
icpp_stem   = $(firstword $(subst .csv, ,$(notdir $(1))))

ICPP_STATS := $(foreach w,$(ICPP_LUNS),$(ICPP)/traces/$(w).stat) \
              $(foreach f,$(ICPP_FILES),$(ICPP)/files/$(call icpp_stem,$(f)).stat)
ICPP_RUNS  := $(foreach w,$(ICPP_LUNS),$(foreach f,$(ICPP_FTLS),$(ICPP_SIZES:%=$(w)-$(f)-%k)))

# Figures that compare FTLs need at least two of them, Fig. 8 needs Across-FTL.
ICPP_FIGURES := fig02 fig04 fig13 $(if $(filter across,$(ICPP_FTLS)),fig08) \
                $(if $(word 2,$(ICPP_FTLS)),fig09 fig10 fig10_host fig11 fig12 fig14)

ICPP_AWK := awk -v ftls="$(ICPP_FTLS)" -v divisor=$(ICPP_DIVISOR) -v real="$(TRACES)" -f $(ICPP_SCRIPTS)/library.awk

.PHONY: figures figures-clean icpp23 icpp23-always

figures: ## the ICPP'23 paper's figures and report (SCALE=1: full size; TRACES=FOLDER)
	@scripts/deps figures
	@$(MAKE) --no-print-directory -j$(JOBS) $(SSD)
	@$(MAKE) -j$(JOBS) --no-print-directory icpp23 \
		ICPP_FTLS="$$($(ICPP_SCRIPTS)/known.sh $(SSD) $(ICPP_FTLS))"

figures-clean: ## remove the results of make figures, of all scales
	rm -rf $(RESULTS)/icpp23

icpp23: $(ICPP)/report.html $(ICPP_FIGURES:%=$(ICPP)/figures/%.png)
	@echo "  open  $(ICPP)/report.html"

# ---- workloads ----

# The name of a workload's source; changes when another folder of traces is given.
$(ICPP)/traces/%.source: icpp23-always
	@$(ICPP_SCRIPTS)/remember.sh $@ "$(if $(TRACES),$(call icpp_file,$*),traces/profiles/$*.cfg)"

define ICPP_TRACE
$(ICPP)/traces/$(1).ascii: $(ICPP)/traces/$(1).source $(if $(TRACES),$(call icpp_file,$(1)),traces/profiles/$(1).cfg) \
		$(ICPP_SCRIPTS)/workload.sh $(SSD)
	@echo "  trace $(1)"
	@$(ICPP_SCRIPTS)/workload.sh $(SSD) $(ICPP_DIVISOR) $$@ $(1) "$(ICPP_$(1))" "$(TRACES)" "$(call icpp_file,$(1))"
endef
$(foreach w,$(ICPP_LUNS),$(eval $(call ICPP_TRACE,$(w))))

# Of a real trace the whole file is measured, at every scale.
define ICPP_STAT
$(ICPP)/traces/$(1).stat: $(if $(TRACES),$(call icpp_file,$(1)) )$(ICPP)/traces/$(1).ascii
	@$(SSD) trace stat $$< >$$@ 2>$$@.log || { cat $$@.log >&2; exit 2; }
endef
$(foreach w,$(ICPP_LUNS),$(eval $(call ICPP_STAT,$(w))))

define ICPP_FILE
$(ICPP)/files/$(call icpp_stem,$(1)).stat: $(1) $(SSD)
	@mkdir -p $$(@D)
	@echo "  stat  $(notdir $(1))"
	@$(SSD) trace stat $(1) >$$@ 2>$$@.log || { cat $$@.log >&2; exit 2; }
endef
$(foreach f,$(ICPP_FILES),$(eval $(call ICPP_FILE,$(f))))

# ---- runs ----

define ICPP_RUN
$(ICPP)/$(1)-$(2)-$(3)k/statistics.txt: $(ICPP)/traces/$(1).ascii parameters/icpp23.cfg $(ICPP_SCRIPTS)/run.sh $(SSD)
	@echo "  run   $(1) $(2) $(3)k"
	@$(ICPP_SCRIPTS)/run.sh $(SSD) $(ICPP_DIVISOR) $$< $(2) $(3) $$(@D)
endef
$(foreach w,$(ICPP_LUNS),$(foreach f,$(ICPP_FTLS),$(foreach s,$(ICPP_SIZES),$(eval $(call ICPP_RUN,$(w),$(f),$(s))))))

# ---- tables and figures ----

$(ICPP)/values.txt: $(ICPP_RUNS:%=$(ICPP)/%/statistics.txt) $(ICPP_STATS) $(ICPP_SCRIPTS)/collect.awk
	@awk -f $(ICPP_SCRIPTS)/collect.awk $(filter-out %.awk,$^) >$@

$(ICPP)/data/done: $(ICPP)/values.txt $(ICPP_SCRIPTS)/library.awk $(ICPP_SCRIPTS)/figures.awk
	@mkdir -p $(@D)
	@$(ICPP_AWK) -v folder=$(@D) -f $(ICPP_SCRIPTS)/figures.awk $< && touch $@

$(ICPP)/figures/%.svg $(ICPP)/figures/%.png: $(ICPP)/data/done $(ICPP_SCRIPTS)/%.gp $(ICPP_SCRIPTS)/style.gp
	@mkdir -p $(@D)
	@echo "  plot  $*"
	@$(ICPP_SCRIPTS)/plot.sh $(ICPP_SCRIPTS) $(ICPP) $* "$(ICPP_FTLS)" $(ICPP_DIVISOR) "$(TRACES)"

$(ICPP)/numbers.txt: $(ICPP)/values.txt $(addprefix $(ICPP_SCRIPTS)/,library.awk numbers.awk paper.txt)
	@$(ICPP_AWK) -f $(ICPP_SCRIPTS)/numbers.awk $< $(ICPP_SCRIPTS)/paper.txt >$@

$(ICPP)/report.html: $(ICPP)/numbers.txt $(ICPP_FIGURES:%=$(ICPP)/figures/%.svg) \
		$(addprefix $(ICPP_SCRIPTS)/,report.awk report.css captions.txt)
	@$(ICPP_AWK) -v scripts=$(ICPP_SCRIPTS) -v results=$(ICPP) -v figures="$(ICPP_FIGURES)" \
		-f $(ICPP_SCRIPTS)/report.awk $(ICPP)/values.txt $< $(ICPP_SCRIPTS)/captions.txt >$@

# ---- sensitivity: headline numbers with each open choice varied alone ----

ICPP_VARIANTS        ?=
ICPP_OTHER_WORKLOADS ?=

.PHONY: figures-sensitivity icpp23-sensitivity

figures-sensitivity: ## how the report's numbers move with what the paper leaves open
	@scripts/deps figures
	@$(MAKE) --no-print-directory -j$(JOBS) $(SSD)
	@ftls="$$($(ICPP_SCRIPTS)/known.sh $(SSD) $(ICPP_FTLS))"; \
	$(MAKE) -j$(JOBS) --no-print-directory icpp23-sensitivity ICPP_FTLS="$$ftls" \
		ICPP_VARIANTS="$$($(ICPP_SCRIPTS)/variants.sh list "$$ftls" "$(TRACES)")" \
		ICPP_OTHER_WORKLOADS="$$($(ICPP_SCRIPTS)/variants.sh generated)"

icpp23-sensitivity: $(ICPP)/sensitivity.html
	@echo "  open  $<"

ICPP_CASES := $(foreach w,$(ICPP_LUNS),$(foreach f,$(ICPP_FTLS),$(w)-$(f)-8k))

# The settings of a variant; they change when its line of variants.txt does.
$(ICPP)/sensitivity/%/settings: icpp23-always
	@$(ICPP_SCRIPTS)/remember.sh $@ "$$($(ICPP_SCRIPTS)/variants.sh drive $* $(ICPP_DIVISOR); echo --; \
		$(ICPP_SCRIPTS)/variants.sh workload $* $(ICPP_DIVISOR))"

define ICPP_VARIANT_TRACE
$(ICPP)/sensitivity/$(1)/$(2).ascii: $(ICPP)/sensitivity/$(1)/settings traces/profiles/$(2).cfg $(ICPP_SCRIPTS)/workload.sh $(SSD)
	@$(ICPP_SCRIPTS)/workload.sh $(SSD) $(ICPP_DIVISOR) $$@ $(2) "$(ICPP_$(2))" "" "" \
		$$$$($(ICPP_SCRIPTS)/variants.sh workload $(1) $(ICPP_DIVISOR))
endef
$(foreach v,$(ICPP_OTHER_WORKLOADS),$(foreach w,$(ICPP_LUNS),$(eval $(call ICPP_VARIANT_TRACE,$(v),$(w)))))

# A variant has its own workload or that of all figures.
icpp_trace = $(if $(filter $(1),$(ICPP_OTHER_WORKLOADS)),$(ICPP)/sensitivity/$(1)/$(2).ascii,$(ICPP)/traces/$(2).ascii)

define ICPP_VARIANT_RUN
$(ICPP)/sensitivity/$(1)/$(2)-$(3)-8k/statistics.txt: $(call icpp_trace,$(1),$(2)) $(ICPP)/sensitivity/$(1)/settings \
		parameters/icpp23.cfg $(ICPP_SCRIPTS)/run.sh $(SSD)
	@echo "  run   $(1) $(2) $(3)"
	@$(ICPP_SCRIPTS)/run.sh $(SSD) $(ICPP_DIVISOR) $$< $(3) 8 $$(@D) \
		$$$$($(ICPP_SCRIPTS)/variants.sh drive $(1) $(ICPP_DIVISOR))
endef
$(foreach v,$(ICPP_VARIANTS),$(foreach w,$(ICPP_LUNS),$(foreach f,$(ICPP_FTLS),$(eval $(call ICPP_VARIANT_RUN,$(v),$(w),$(f))))))

$(ICPP)/sensitivity/values.txt: $(ICPP_CASES:%=$(ICPP)/%/statistics.txt) $(ICPP_SCRIPTS)/collect.awk \
		$(foreach v,$(ICPP_VARIANTS),$(ICPP_CASES:%=$(ICPP)/sensitivity/$(v)/%/statistics.txt))
	@awk -f $(ICPP_SCRIPTS)/collect.awk $(filter-out %.awk,$^) >$@

$(ICPP)/data/sensitivity.txt: $(ICPP)/sensitivity/values.txt $(addprefix $(ICPP_SCRIPTS)/,library.awk sensitivity.awk variants.txt)
	@mkdir -p $(@D)
	@$(ICPP_AWK) -v variants="$(ICPP_VARIANTS)" -f $(ICPP_SCRIPTS)/sensitivity.awk $< $(ICPP_SCRIPTS)/variants.txt >$@

$(ICPP)/figures/sensitivity.svg: $(ICPP)/data/sensitivity.txt $(ICPP_SCRIPTS)/sensitivity.gp $(ICPP_SCRIPTS)/style.gp
	@mkdir -p $(@D)
	@$(ICPP_SCRIPTS)/plot.sh $(ICPP_SCRIPTS) $(ICPP) sensitivity "$(ICPP_FTLS)" $(ICPP_DIVISOR) "$(TRACES)"

# Without Across-FTL there is nothing to draw, the table still has Fig. 4.
ICPP_DOTS := $(if $(filter across,$(ICPP_FTLS)),$(ICPP)/figures/sensitivity.svg)

$(ICPP)/sensitivity.html: $(ICPP)/data/sensitivity.txt $(ICPP_DOTS) $(ICPP_SCRIPTS)/sensitivity_page.awk $(ICPP_SCRIPTS)/report.css
	@awk -v scripts=$(ICPP_SCRIPTS) -v figure=$(ICPP_DOTS) -v divisor=$(ICPP_DIVISOR) -v real="$(TRACES)" \
		-f $(ICPP_SCRIPTS)/sensitivity_page.awk $< >$@
