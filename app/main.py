"""The web application: settings, middleware, one router a feature; nothing else. Never imports torch."""

import contextlib
from collections.abc import AsyncIterator

from fastapi import FastAPI
from starlette.middleware import Middleware

from app import attempts, banks, demos, i18n
from app.banks.content import QuizCache
from app.core import errorpages, health
from app.core.assets import static_app
from app.core.db import Writer, make_engine, write_engine
from app.core.security import RequestGuard, SecurityHeaders, VisitorCookie
from app.core.settings import Settings
from app.demos.engine import DemoEngine
