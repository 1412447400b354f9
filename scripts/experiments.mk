# Experiments and papers: included by the Makefile, which `make help` describes.

# Experiments (docs/experiments.md).  SCALE=1: the paper's size; each experiment has a default of its own.
# TRACES=FOLDER: the real traces, for `figures` (ICPP'23), `figures-sftl`, `figures-msac`, `figures-pmftl` and
# `legacy-study`; WITHOUT=NAME,NAME: without these, for all but the last.  The others refuse both.
# RESULTS=FOLDER.
RESULTS ?= results
LAB     := SSD=$(SSD) RESULTS=$(RESULTS) scripts/lab
NUMBERS := $(if $(SCALE),scale=$(SCALE:1/%=%)) $(if $(TRACES),traces=$(TRACES)) \
	$(if $(WITHOUT),without=$(WITHOUT))

lab-ready:
	@scripts/deps figures
	@$(MAKE) -j$(JOBS) $(SSD)

figures: lab-ready ## the ICPP'23 paper's figures and report (SCALE=1: full size; TRACES=FOLDER)
	@$(LAB) report -j $(JOBS) scripts/icpp23 $(NUMBERS)

figures-sensitivity: lab-ready ## how the report's numbers move with what the paper leaves open
	@$(LAB) report -j $(JOBS) scripts/icpp23 sensitivity sizes $(NUMBERS)

workloads: lab-ready ## generated workloads beside published statistics: results/workloads/default/report.html
	@$(LAB) report -j $(JOBS) scripts/workloads

legacy-study: lab-ready ## what each defect of SSDsim 2.1 does to its results: docs/legacy.md
	@scripts/legacy/study $(SSD) $(RESULTS)/legacy/cases $(TRACES)
	@$(LAB) report -j $(JOBS) scripts/legacy cases=$(RESULTS)/legacy/cases
	@in=$(RESULTS)/legacy/cases-cases; scripts/legacy/compare $$in/results.tsv >$$in/table.md

tables: ## the tables of docs/icpp23.md, mrsm.md and workloads.md (lun1 to lun6), from runs: half an hour
check-tables: ## are these tables what comes out?
tables check-tables: lab-ready
	@$(LAB) report -j $(JOBS) scripts/icpp23 sensitivity sizes
	@$(LAB) report -j $(JOBS) scripts/icpp23 seeds=yes
	@$(LAB) report -j $(JOBS) scripts/icpp23 scale=1
	@$(LAB) report -j $(JOBS) scripts/workloads
	@scripts/tables $(if $(filter check-%,$@),--check) $(RESULTS)

pictures: lab-ready ## those of documents, from runs: docs/pictures/
	@$(LAB) report -j $(JOBS) docs/course/over-provisioning.ini
	@cp $(RESULTS)/over-provisioning/default/figures/waf.svg docs/pictures/over-provisioning.svg

log-block: lab-ready ## FTLs with log blocks on five kinds of writes: results/log-block/scale-16/report.html
	@$(LAB) report -j $(JOBS) scripts/log-block $(NUMBERS)

# figures-NAME: scripts/NAME with the grids that its experiment.ini names for it.
figures-%: lab-ready
	@$(LAB) figures -j $(JOBS) scripts/$* $(NUMBERS)

# What these show, for `make help`.
figures-msac: ## the MSAC paper's figures, and a search over what it leaves open (SCALE=8; TRACES)
figures-sftl: ## the S-FTL paper's figures (SCALE=1: all requests; TRACES)
figures-pmftl: ## the PM-FTL slides' figures (all requests; SCALE=16; TRACES)
figures-chardin: ## the figures of a layer that makes random writes sequential, and of its devices
figures-zones: ## what a host pays that writes zones: results/zones/
figures-slc: ## drives with an SLC cache being filled, beside reviews of them: docs/slc.md
figures-fdp: ## what placement handles gain, for two tenants and for caches: docs/placement.md
figures-retention: ## reads over erases and age, with history and refresh: docs/flash.md
figures-parity: ## what parity over dies costs, and a die that fails: docs/parity.md
figures-tenants: ## a reader beside a writer, and what helps; shares of tenants: docs/tenants.md
figures-drives: ## drives one can buy beside what is published of them: docs/drives.md
