"""What a user did wrong."""


class Mistake(Exception):
    """A mistake of the user: one line that says where, what is wrong and what would be right."""


class Undefined(Mistake):
    """An expression has no value for these numbers, as the logarithm of 0 has none."""


class NotRun(Mistake):
    """A number is needed at a place that no grid runs."""
