"""Every rule with its two sentences: why it matters, how to mend it; and the source that it rests on.

What the sources say of a rule stands in the docstring of the function that checks it:
Haladyna & Downing (1993), How many options is enough for a multiple-choice test item?, Educational and
Psychological Measurement 53; Haladyna, Downing & Rodriguez (2002), A review of multiple-choice item-writing
guidelines for classroom assessment, Applied Measurement in Education 15(3); Attali & Bar-Hillel (2003), Guess
where: the position of correct answers in multiple-choice test items as a psychometric variable, Journal of
Educational Measurement 40(2).
"""

from app.banks.lint.findings import Rule, Severity
from app.core.marking import N_

HDR_2002 = "Haladyna, Downing & Rodriguez (2002)"
AB_2003 = "Attali & Bar-Hillel (2003)"
HD_1993 = "Haladyna & Downing (1993)"

ERROR, WARNING, INFO = Severity.ERROR, Severity.WARNING, Severity.INFO

# ── Translation ─────────────────────────────────────────────────────────────────────────────────

MISSING = Rule(
    "text-missing",
    ERROR,
    N_("The text in «{locale}» is missing."),
    N_("Write it: spaces and invisible characters alone show nothing."),
)
OPTIONS = Rule(
    "options-differ",
    ERROR,
    N_("The options of «{locale}» are not those of the source, in its order: {found} and not {wanted}."),
    N_("Give every language the same options in the same order: answers are counted by option, not by text."),
)
CODE = Rule(
    "code-differs",
    ERROR,
    N_("The code `{token}` does not stand here as in the source."),
    N_("Copy it from the source: code is the same in every language, letter for letter."),
)
MATH = Rule(
    "math-differs",
    ERROR,
    N_("The formula {token} does not stand here as in the source."),
    N_("Copy it from the source; only words inside \\text may be translated."),
)
PLACEHOLDER = Rule(
    "placeholder-differs",
    ERROR,
    N_("The measured number {token} does not stand here as in the source."),
    N_("Place the same measured numbers as the source, each as often as there."),
)
PLACEHOLDER_UNKNOWN = Rule(
    "placeholder-unknown",
    ERROR,
    N_("The demo does not measure {token}."),
    N_("Use a metric that the demo declares, or name another demo."),
)
PLACEHOLDER_HOMELESS = Rule(
    "placeholder-without-demo",
    ERROR,
    N_("The item names no demo that could measure {token}."),
    N_("Name a demo under evidence, or leave the number out."),
)
PLACEHOLDER_EARLY = Rule(
    "placeholder-before-answer",
    ERROR,
    N_("A measured number would give the answer away here: {token}."),
    N_("Place it in the explanation or in feedback."),
)
URL = Rule(
    "url-differs",
    ERROR,
    N_("The address {token} does not stand here as in the source."),
    N_("Copy the address from the source."),
)
IDENTIFIER = Rule(
    "identifier-differs",
    ERROR,
    N_("The name {token} of the source does not stand here."),
    N_("Write it in Latin letters as the source does: learners look for it in the documentation."),
)
TRANSLITERATED = Rule(
    "identifier-transliterated",
    ERROR,
    N_("{token} looks like a name of code in another script."),
    N_("Write the name as it stands in the code, as a code span."),
)
NUMBER = Rule(
    "number-differs",
    ERROR,
    N_("The number {token} is not the same here and in the source."),
    N_(
        "Write it as the source does, digits, separators and dash; a measured number is better a placeholder."
    ),
)
UNIT = Rule(
    "unit-differs",
    ERROR,
    N_("The quantity {token} is not the same here and in the source."),
    N_("Write number and unit as the source does, or place the measured number."),
)
DIGITS = Rule(
    "native-digits",
    ERROR,
    N_("{token} is written in digits other than 0 to 9."),
    N_("Write it with the digits 0 to 9: numbers are the same in every language."),
)
SYMBOL = Rule(
    "symbol-differs",
    ERROR,
    N_("The symbol {token} of the source does not stand here."),
    N_("Keep the source's letters for quantities."),
)
TERM_BANNED = Rule(
    "term-banned",
    ERROR,
    N_("«{found}» is not the word for «{term}»."),
    N_("The glossary has: {wanted}."),
)
TERM_MISSING = Rule(
    "term-missing",
    WARNING,
    N_("The source says «{term}», and the glossary's word for it does not stand here."),
    N_("The glossary has: {wanted}."),
)
UNTRANSLATED = Rule(
    "untranslated",
    ERROR,
    N_("The text is still in the language of the source: «{found}»."),
    N_("Translate it; put what is code into a code span."),
)
SCRIPT = Rule(
    "wrong-script",
    ERROR,
    N_("«{found}» is in a script that «{locale}» is not written in."),
    N_("Type it anew on the language's own keyboard: letters that look alike are different letters."),
)
NOT_NFC = Rule(
    "not-normalised",
    INFO,
    N_("The text is not in the form NFC."),
    N_("Nothing need be done: texts are compared in NFC and kept as they were typed."),
)
ZERO_WIDTH = Rule(
    "zero-width",
    ERROR,
    N_("An invisible character stands in the text: {code}."),
    N_("Delete it; between Devanagari letters the two joiners may stay."),
)
BIDI = Rule(
    "bidi-control",
    ERROR,
    N_("A character that reorders what is read stands in the text: {code}."),
    N_("Delete it: the text would look other than it is."),
)
MARKDOWN = Rule(
    "markdown-unbalanced",
    ERROR,
    N_("The mark {token} is opened and not closed, or closed and not opened."),
    N_("Close it, or write a backslash before it where it is meant as itself."),
)
SECTIONS = Rule(
    "sections-differ",
    ERROR,
    N_("The sections of «{locale}» are not those of the source, in its order: {found} and not {wanted}."),
    N_("Give every language the same sections with the same ids in the same order."),
)
UNSOURCED = Rule(
    "number-without-source",
    WARNING,
    N_("The quantity {token} is neither measured here nor quoted from a source."),
    N_("Place a measured number, or link the paper or page that says it in the same paragraph."),
)

# ── Item writing ────────────────────────────────────────────────────────────────────────────────

KEY_LONGEST = Rule(
    "key-longest",
    WARNING,
    N_("The right option is the longest by far, {length} characters to {next}: who knows nothing takes it."),
    N_("Make the options about equally long: shorten the key, or say more in the wrong options."),
    HDR_2002,
)
KEY_QUALIFIED = Rule(
    "only-key-qualified",
    WARNING,
    N_("Only the right option is qualified: «{found}»."),
    N_("Build the options alike: drop the qualification, or give the wrong options the same."),
    HDR_2002,
)
KEY_PUNCTUATED = Rule(
    "only-key-punctuated",
    WARNING,
    N_("Only the right option ends with «{found}», or only it does not."),
    N_("End all options alike."),
    HDR_2002,
)
ABSOLUTE = Rule(
    "absolute-in-distractors",
    WARNING,
    N_("«{found}» stands in a wrong option alone: readers know that what is so absolute is seldom right."),
    N_("Say it without the absolute word, as somebody who holds it would."),
    HDR_2002,
)
ABOVE = Rule(
    "all-or-none-of-the-above",
    ERROR,
    N_("«{found}» means nothing here: options are shown in a different order to each learner."),
    N_("Write an option that stands by itself."),
    HDR_2002,
)
DUPLICATE = Rule(
    "options-duplicate",
    ERROR,
    N_("This option says the same as option {other}."),
    N_("Write a different option, or leave it out."),
    HDR_2002,
)
OVERLAP = Rule(
    "options-overlap",
    WARNING,
    N_("This option and option {other} overlap: {found}. Both can be true at once."),
    N_("Make the options exclude each other."),
    HDR_2002,
)
NEGATION = Rule(
    "negation-unmarked",
    WARNING,
    N_("The question turns on «{found}», which is easily read over."),
    N_("Ask it positively, or set the word in **bold**."),
    HDR_2002,
)
CLANG = Rule(
    "stem-word-in-key",
    WARNING,
    N_("«{found}» stands in the question and, of the options, in the right one alone."),
    N_("Use another word in the right option, or the same word in a wrong one too."),
    HDR_2002,
)
PATTERN = Rule(
    "keys-in-pattern",
    WARNING,
    N_("The keys of the quiz run in a pattern: {found}."),
    N_("Put the right options in places without an order."),
    AB_2003,
)
ONE_PLACE = Rule(
    "keys-in-one-place",
    WARNING,
    N_("Of {items} keys {count} stand at place {found}: that is hardly chance."),
    N_("Spread the right options over all places."),
    AB_2003,
)
OFTEN_LONGEST = Rule(
    "keys-often-longest",
    WARNING,
    N_(
        "Of {items} questions the right option is the longest in {count}: «take the longest» is a good guess."
    ),
    N_("Shorten some keys, or lengthen some wrong options."),
    HDR_2002,
)
IMPLAUSIBLE = Rule(
    "distractor-implausible",
    WARNING,
    N_("Of {n} learners {count} chose this option: fewer than one in twenty would ever take it."),
    N_("Replace it by a mistake that people really make."),
    HD_1993,
)

RULES = {each.id: each for each in list(globals().values()) if isinstance(each, Rule)}
