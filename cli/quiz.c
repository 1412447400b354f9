/* `ssd quiz`: questions about what a drive does next, answered by the drive. */
#include "cli/cli.h"
#include "cli/watch/quiz.h"
#include "cli/watch/terminal.h"

#define QUESTIONS_USUAL 5u

int cli_quiz(const struct options *o, struct fault *fault)
{
	uint32_t columns = terminal_text_columns(), lines = 0;
	struct settings settings;
	struct quiz quiz = { .settings = &settings,
		.questions = o->questions ? o->questions : QUESTIONS_USUAL,
		.form = o->answers ? QUIZ_ANSWERS
			: o->paper ? QUIZ_PAPER
				   : QUIZ_ASKED,
		.shape = { .rows = o->rows ? (uint32_t)o->rows : 16, .planes = 8 },
		.in = stdin,
		.out = stdout };
	bool done = cli_settings(&settings, o, fault);

	cli_listing();
	if (quiz.form == QUIZ_ASKED && terminal_there())
		terminal_size(&columns, &lines);
	quiz.lines = o->rows ? 0 : lines;
	quiz.shape.columns = o->columns ? (uint32_t)o->columns : columns;
	done = done && quiz_run(&quiz, fault);
	settings_release(&settings);
	return cli_status(done);
}
