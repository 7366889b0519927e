from typing import Annotated

from fastapi import Depends, Request

from app.banks.content import QuizCache


async def quiz_cache(request: Request) -> QuizCache:
    """The process's cache of quiz revisions."""
    cache: QuizCache = request.app.state.quizzes
    return cache


Quizzes = Annotated[QuizCache, Depends(quiz_cache)]
