from starlette.requests import HTTPConnection


def install() -> None:
    """Teach the pages their languages. `create_app()` calls it once; a second call changes nothing."""
    from app.core import rendering  # noqa: PLC0415 - scripts that only translate need no templates
    from app.i18n.language import get_language  # noqa: PLC0415
    from app.i18n.locales import Locale  # noqa: PLC0415

    rendering.install_languages(
        {locale.value: get_language(locale) for locale in Locale}, find_request_locale
    )


def find_request_locale(request: HTTPConnection) -> str:
    """The locale of a request: what the state says, else the path, else what the reader asks for."""
    from app.i18n.negotiation import REMEMBERED, find_locale, negotiate  # noqa: PLC0415

    for named in (request.scope.get("state", {}).get("locale"), request.path_params.get("locale")):
        locale = find_locale(named)
        if locale is not None:
            return locale.value
    first = request.url.path.split("/")[1:2]  # an error page of a path that matched no route
    locale = find_locale(first[0] if first else None)
    if locale is not None:
        return locale.value
    return negotiate(request.headers.get("accept-language", ""), request.cookies.get(REMEMBERED)).value
