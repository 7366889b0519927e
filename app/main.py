"""The web application: settings, middleware, one router a feature; nothing else. Never imports torch."""

import asyncio
import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI
from sqlalchemy.orm import Session
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware

from app import i18n
from app.attempts import answering
from app.attempts.routes import router as attempts
from app.banks.content import QuizCache
from app.banks.queries import list_quizzes, list_wanted_measurements
from app.banks.routes import router as banks
from app.banks.search_routes import router as search
from app.banks.site_routes import router as site
from app.core import errorpages
from app.core.assets import static_app
from app.core.db import Reader, Writer, make_engine, write_engine
from app.core.health import router as health
from app.core.security import RequestGuard, SecurityHeaders, VisitorCookie
from app.core.settings import Settings
from app.demos.engine import DemoEngine
from app.demos.lab_routes import router as lab
from app.demos.routes import router as demos
from app.demos.service import keep_measured
from app.i18n.remember import RememberLocale
from app.i18n.routes import router as languages


def create_app(settings: Settings | None = None) -> FastAPI:
    """The application for these settings; what it opens is closed when it stops."""
    settings = settings or Settings()
    i18n.install()
    app = FastAPI(
        title="Rematch",
        docs_url=None,
        redoc_url=None,
        openapi_url=None,
        telemetry={
            "tracing": False,
            "metrics": False,
            "logs": False,
        },  # asking whether costs as much as a query
        lifespan=_lifespan,
        middleware=[
            Middleware(GZipMiddleware, minimum_size=1500, compresslevel=1),  # level 6 costs 2.5 times the CPU
            Middleware(SecurityHeaders),
            Middleware(RequestGuard, public_url=settings.public_url),
            Middleware(VisitorCookie, secret=settings.secret),
            Middleware(RememberLocale),
            Middleware(errorpages.LastResort),
        ],
    )
    app.state.settings = settings
    app.state.engine = make_engine(settings.app_database_url)
    app.state.write_engine = write_engine(app.state.engine)
    app.state.writer = Writer(app.state.engine)
    app.state.reader = Reader(app.state.engine)
    app.state.quizzes = QuizCache()
    app.state.demo_engine = DemoEngine(settings)
    app.add_route(answering.PATH, answering.post_response, methods=["POST"])  # first, and without FastAPI
    app.mount("/static", static_app(), name="static")
    for router in (
        attempts,
        banks,
        demos,
        lab,
        search,
        languages,
        site,
        health,
    ):  # what is asked for most comes first
        app.include_router(router)
    errorpages.install(app)
    return app


@contextlib.asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    state = app.state
    with Session(state.engine) as session:
        wanted = list_wanted_measurements(list_quizzes(session, state.quizzes))
    stopping = asyncio.Event()
    measuring = asyncio.create_task(keep_measured(state.engine, state.demo_engine, wanted, stopping))
    try:
        yield
    finally:
        stopping.set()
        await measuring
        state.writer.close()
        state.reader.close()
        state.demo_engine.close()
        state.engine.dispose()
