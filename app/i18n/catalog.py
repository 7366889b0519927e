"""`./rematch messages`: the catalogues brought up to the code, and the check that they are.

`python -m app.i18n.catalog` extracts and updates; with `--check` it writes nothing and exits 1 on a fault.
"""

import argparse
import re
import sys
from io import BytesIO
from typing import Any

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.frontend import parse_mapping_cfg
from babel.messages.pofile import write_po

from app.core.settings import ROOT
from app.i18n.locales import SOURCE_LOCALE, Locale
from app.i18n.translations import CATALOGUES, catalogue_path, read_catalogue

# By how many arguments a call has: `language.gettext(msgid)`, `gettext(locale, msgid)`, and so for plurals.
KEYWORDS: dict[str, Any] = {
    "_": None,
    "N_": None,
    "gettext": {1: (1,), 2: (2,)},
    "ngettext": {3: (1, 2), 4: (2, 3)},
}
FIELD = re.compile(r"\{\{?\s*[\w.-]+\s*\}?\}|`[^`]+`")  # what a translation keeps as it is: fields and code


def extract_messages() -> Catalog:
    """Every msgid of the code and the templates, with the files that use it."""
    catalogue = Catalog(project="rematch", charset="utf-8")
    with (ROOT / "app/i18n/babel.cfg").open(encoding="utf-8") as file:
        methods, options = parse_mapping_cfg(file)  # type: ignore[no-untyped-call]
    for filename, _line, message, comments, context in extract_from_dir(
        str(ROOT),
        method_map=methods,
        options_map=options,
        keywords=KEYWORDS,
        directory_filter=lambda path: not path.rsplit("/", 1)[-1].startswith((".", "_", "node_modules")),
    ):
        catalogue.add(message, None, [(filename, 0)], auto_comments=comments, context=context)
    return catalogue


def update_catalogues() -> list[str]:
    """Write each language's catalogue with new msgids empty, gone ones left out; say what is missing."""
    template = extract_messages()
    CATALOGUES.mkdir(exist_ok=True)
    for locale in _translated():
        catalogue = read_catalogue(locale)
        catalogue.update(template, no_fuzzy_matching=True)
        catalogue_path(locale).write_bytes(_written(catalogue))
    return check_catalogues(template)


def check_catalogues(template: Catalog | None = None) -> list[str]:
    """A line for each msgid that is missing, fuzzy, stale or loses a field or code in translation."""
    wanted = {_key(message): message for message in template or extract_messages() if message.id}
    faults = []
    for locale in _translated():
        found = {_key(message): message for message in read_catalogue(locale) if message.id}
        name = catalogue_path(locale).name
        faults += [f"{name}: missing: {key}" for key in wanted if key not in found]
        faults += [f"{name}: stale: {key}" for key in found if key not in wanted]
        for key, message in found.items():
            faults += [f"{name}: {fault}: {key}" for fault in _faults(message)]
    return faults


def main() -> int:
    """The task's entry: 0 when every language is complete."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; fail where a catalogue is not complete"
    )
    faults = check_catalogues() if parser.parse_args().check else update_catalogues()
    for fault in faults:
        sys.stdout.write(f"{fault}\n")
    return 1 if faults else 0


def _translated() -> list[Locale]:
    return [locale for locale in Locale if locale is not SOURCE_LOCALE]


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def _faults(message: Message) -> list[str]:
    forms = [message.string] if isinstance(message.string, str) else list(message.string or ())
    if not forms or not all(forms):
        return ["untranslated"]
    source = message.id if isinstance(message.id, str) else message.id[-1]
    expected = sorted(FIELD.findall(source))
    faults = ["fuzzy"] if message.fuzzy else []
    faults += [
        f"fields and code differ ({form})" for form in forms if sorted(FIELD.findall(form)) != expected
    ]
    return faults


def _written(catalogue: Catalog) -> bytes:
    """Sorted, without line numbers or dates: a diff shows words only."""
    buffer = BytesIO()
    catalogue.obsolete.clear()
    write_po(buffer, catalogue, sort_output=True, include_lineno=False, omit_header=False, width=100)
    text = buffer.getvalue().decode()
    return re.sub(
        r'^"(POT-Creation-Date|PO-Revision-Date|Generated-By):.*\n', "", text, flags=re.MULTILINE
    ).encode()


if __name__ == "__main__":
    sys.exit(main())
