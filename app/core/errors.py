from collections.abc import Mapping


class AppError(Exception):
    """An error that a person sees: a status and a message that gettext translates.

    `message` is a msgid with `{named}` fields; `values` fills them after translation.
    One handler draws it, as a page or as a fragment.
    """

    status = 500

    def __init__(self, message: str, *, values: Mapping[str, object] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.values = dict(values or {})


class BadRequestError(AppError):
    """The request cannot be read: a field is missing, malformed or out of bounds."""

    status = 400


class ForbiddenError(AppError):
    """The request is readable, and not allowed: a missing or wrong CSRF token, for one."""

    status = 403


class NotFoundError(AppError):
    """There is no such thing, or it is not yours: the two look the same from outside."""

    status = 404


class ConflictError(AppError):
    """The thing has moved on: an attempt that ended, a text that someone else saved first."""

    status = 409


class TooManyRequestsError(AppError):
    """A rate limit was met."""

    status = 429


class UnavailableError(AppError):
    """Something that this needs does not answer now."""

    status = 503
