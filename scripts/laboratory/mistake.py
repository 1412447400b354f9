"""What a user did wrong."""


class Mistake(Exception):
    """The user's: one line that says where, what is wrong and what would be right."""


class NotRun(Mistake):
    """A number is asked for of a place that no grid runs."""
