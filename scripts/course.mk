# The course: what `ssd grade` needs, and the tree for students.  Included by the Makefile.

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
