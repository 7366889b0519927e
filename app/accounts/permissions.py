"""What each role may do. A route names one permission; a query then keeps to what is the person's own."""

from enum import StrEnum

from app.accounts.models import Role


class Permission(StrEnum):
    """One thing that a route lets a person do."""

    READ = "read"  # quizzes, guides, the lab, search
    TAKE_QUIZZES = "take-quizzes"  # and read one's own attempts
    MEASURE = "measure"  # ask for a run, within limits
    SIGN_IN = "sign-in"  # and all that comes before it
    KEEP_ACCOUNT = "keep-account"  # one's own: sessions, password, export, deletion
    AUTHOR = "author"  # banks, items, quizzes that are one's own or shared
    TEACH = "teach"  # classes of one's own
    REVIEW = "review"  # score reports of one's own quizzes and classes
    MANAGE_PEOPLE = "manage-people"
    MANAGE_SITE = "manage-site"  # runs, workers, settings in force
    READ_AUDIT = "read-audit"


ANYONE = frozenset({Permission.READ, Permission.TAKE_QUIZZES, Permission.MEASURE, Permission.SIGN_IN})
_LEARNER = ANYONE | {Permission.KEEP_ACCOUNT}
_INSTRUCTOR = _LEARNER | {Permission.AUTHOR, Permission.TEACH, Permission.REVIEW}
_GRANTED = {
    Role.LEARNER: _LEARNER,
    Role.INSTRUCTOR: _INSTRUCTOR,
    Role.ADMIN: frozenset(Permission),
}


def granted(role: Role | None) -> frozenset[Permission]:
    """What a role may do; without one, what anyone may."""
    return ANYONE if role is None else _GRANTED[role]
