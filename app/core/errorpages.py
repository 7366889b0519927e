"""Every error as a page or a fragment, in the reader's language."""

import logging

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.core.errors import AppError, BadRequestError, NotFoundError, UnavailableError
from app.core.marking import N_
from app.core.rendering import render

logger = logging.getLogger(__name__)

_BY_STATUS = {
    404: N_("There is no such page."),
    405: N_("This address cannot be used in that way."),
    413: N_("What was sent is too large."),
}


def install(app: FastAPI) -> None:
    """Draw every error that reaches the application's edge."""
    app.add_exception_handler(AppError, _app_error)
    app.add_exception_handler(HTTPException, _http_error)
    app.add_exception_handler(RequestValidationError, _invalid_request)
    app.add_exception_handler(OperationalError, _database_error)


def draw(request: Request, error: AppError) -> Response:
    """The error's page, or for htmx its part, shown beside what was there: the page stays as it is."""
    response = render(
        request, "shared/error.html", part="shared/_error.html", status=error.status, error=error
    )
    if "HX-Request" in request.headers:
        response.headers["HX-Retarget"] = "#notice"
        response.headers["HX-Reswap"] = "innerHTML"
    return response


async def _app_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, AppError):
        raise error
    return draw(request, error)


async def _http_error(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    shown = AppError(_BY_STATUS.get(error.status_code, N_("The request could not be answered.")))
    shown.status = error.status_code
    response = draw(request, shown)
    response.headers.update(error.headers or {})
    return response


async def _invalid_request(request: Request, error: Exception) -> Response:
    """A path that names nothing is 404; a field or a query that cannot be read is 400."""
    if not isinstance(error, RequestValidationError):
        raise error
    if any(each["loc"][0] == "path" for each in error.errors()):
        return draw(request, NotFoundError(_BY_STATUS[404]))
    names = ", ".join(sorted({str(each["loc"][-1])[:40] for each in error.errors()}))
    message = N_("A field is missing or cannot be read: {names}.")
    return draw(request, BadRequestError(message, values={"names": names}))


async def _database_error(request: Request, error: Exception) -> Response:
    logger.error("the database did not answer %s", request.url.path, exc_info=error)
    message = N_("The database does not answer now. Nothing was lost: try again in a moment.")
    return draw(request, UnavailableError(message))


class LastResort:
    """Draws what no handler expected, inside the other middleware, so that its page has their headers too."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one ASGI connection."""
        has_started = False

        async def send_and_note(message: Message) -> None:
            nonlocal has_started
            has_started = True
            await send(message)

        try:
            await self.app(scope, receive, send_and_note)
        except Exception:
            if scope["type"] != "http" or has_started:
                raise  # half an answer cannot be taken back: the server cuts the connection
            logger.exception("an error reached the edge at %s", scope["path"])
            message = N_("Something went wrong here. It was noted; nothing of yours was lost.")
            await draw(Request(scope, receive), AppError(message))(scope, receive, send)
