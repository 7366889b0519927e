"""Each rule of item writing finds its fault, in each language, and leaves sound questions alone."""

import pytest

from app.banks.lint import ItemDraft, ItemText, OptionText
from app.banks.lint.characters import OWN_SCRIPT, SCRIPTS
from app.banks.lint.words import WORDS
from app.i18n.locales import Locale
from tests.banks.lint.drafts import EN, HI, PLAIN, VI, findings_of, one_language, rules_of

LONG = {
    EN: "the one that was drawn first of all by hand",
    HI: "वह जो सबसे पहले हाथ से बनाया गया था और फिर रंगा गया",
    VI: "cái được vẽ bằng tay trước hết rồi mới tô",
}


def test_every_language_of_the_site_has_its_words_and_its_scripts() -> None:
    assert set(WORDS) == set(SCRIPTS) == set(OWN_SCRIPT) == set(Locale)


@pytest.mark.parametrize("locale", Locale)
def test_plain_options_have_no_finding(locale: Locale) -> None:
    for key in range(3):
        assert rules_of(one_language(locale, key=key)) == set()


@pytest.mark.parametrize("locale", Locale)
def test_a_key_that_is_the_longest_by_far_is_found_and_a_long_distractor_is_not(locale: Locale) -> None:
    options = [LONG[locale], *PLAIN[locale][1:]]
    assert "key-longest" in rules_of(one_language(locale, options))
    assert "key-longest" not in rules_of(one_language(locale, options, key=1))


def test_how_long_a_name_of_code_is_tells_nothing() -> None:
    assert rules_of(one_language(EN, ["`torch.utils.checkpoint`", "`torch.mm`", "`torch.add`"])) == set()


QUALIFIED = [
    (EN, "usually the red one"),
    (EN, "the red and the pink"),
    (EN, "the red (or so)"),
    (EN, "red, pink, plum"),
    (HI, "आमतौर पर लाल वाला"),
    (HI, "लाल और गुलाबी"),
    (HI, "लाल (यानी गहरा)"),
    (VI, "thường là màu đỏ"),
    (VI, "màu đỏ và hồng"),
    (VI, "màu đỏ (hay hồng đậm)"),
]


@pytest.mark.parametrize(("locale", "key"), QUALIFIED)
def test_a_key_that_alone_is_qualified_is_found(locale: Locale, key: str) -> None:
    first, second = PLAIN[locale][1:]
    assert "only-key-qualified" in rules_of(one_language(locale, [key, first, second]))
    assert "only-key-qualified" not in rules_of(one_language(locale, [first, key, second]))
    assert "only-key-qualified" not in rules_of(one_language(locale, [key, key.replace("o", "e"), second]))


def test_a_gloss_in_the_words_of_the_source_is_no_qualification() -> None:
    assert rules_of(one_language(VI, ["đoạn (segment)", "màu lam", "màu lục"])) == set()
    assert rules_of(one_language(HI, ["खंड (segment)", "नीला वाला", "हरा वाला"])) == set()


def test_a_key_that_alone_ends_with_a_full_stop_is_found() -> None:
    for locale, stop in ((EN, "."), (HI, "।"), (VI, ".")):
        first, *others = PLAIN[locale]
        assert rules_of(one_language(locale, [first + stop, *others])) == {"only-key-punctuated"}
        assert rules_of(one_language(locale, [first, *(each + stop for each in others)])) == {
            "only-key-punctuated"
        }
        assert rules_of(one_language(locale, [first, others[0] + stop, others[1]])) == set()


ABSOLUTE = [
    *((EN, f"{word} the red") for word in ("always", "never", "only", "every bit of", "exactly", "all of")),
    *((HI, f"{word} लाल") for word in ("हमेशा", "सिर्फ़", "सिर्फ", "केवल", "हर", "प्रत्येक", "सभी", "बिल्कुल")),
    (HI, "लाल कभी भी नहीं"),
    *((VI, f"{word} màu đỏ") for word in ("luôn", "không bao giờ", "chỉ", "mọi", "tất cả", "chính xác")),
]


@pytest.mark.parametrize(("locale", "text"), ABSOLUTE)
def test_an_absolute_word_in_distractors_alone_is_found(locale: Locale, text: str) -> None:
    key, other, _ = PLAIN[locale]
    [found] = findings_of(one_language(locale, [key, other, text]), "absolute-in-distractors")
    assert found.place == ("options", 2, "text")
    assert "absolute-in-distractors" not in rules_of(one_language(locale, [text, other, f"{text} {key}"]))


def test_accuracy_in_vietnamese_is_no_absolute_word() -> None:
    assert "absolute-in-distractors" not in rules_of(one_language(VI, ["cái này", "độ chính xác", "cái kia"]))


ABOVE = [
    (EN, "all of the above"),
    (EN, "None of these"),
    (EN, "both A and B"),
    (HI, "उपरोक्त सभी"),
    (HI, "इनमें से कोई नहीं"),
    (VI, "Tất cả các đáp án trên"),
    (VI, "Không có đáp án nào đúng"),
]


@pytest.mark.parametrize(("locale", "text"), ABOVE)
def test_all_and_none_of_the_above_are_errors(locale: Locale, text: str) -> None:
    [found] = findings_of(one_language(locale, [*PLAIN[locale][:2], text]), "all-or-none-of-the-above")
    assert found.is_error


def test_options_that_say_the_same_are_an_error_and_overlapping_ones_a_warning() -> None:
    same = one_language(EN, ["the blue one", "The  blue one.", "the red"])
    assert "options-duplicate" in rules_of(same)
    assert "options-overlap" in rules_of(one_language(EN, ["the blue", "it is the blue one", "a red"]))
    assert "options-overlap" in rules_of(one_language(EN, ["about 10–20% more", "about 15–30% more", "less"]))
    assert rules_of(one_language(EN, ["about 10–20% more", "about 20–30% more", "less of it"])) == set()
    assert rules_of(one_language(EN, ["`O(N)` for it", "`O(1)` for it", "`O(N)` for that"])) == set()


NEGATED = [
    (EN, "Which one is not red?", "Which one is **not** red?"),
    (EN, "All but one fit. Which doesn't?", "It does not fit. Which one is red?"),
    (EN, "Each is red except which?", "Each is red EXCEPT which?"),
    (HI, "कौन-सा लाल नहीं है?", "कौन-सा लाल **नहीं** है?"),
    (HI, "कौन-सा कथन गलत है?", "यह लाल नहीं है। कौन-सा नीला है?"),
    (VI, "Cái nào không phải hình tròn?", "Cái nào **không phải** hình tròn?"),
    (VI, "Phát biểu nào sau đây sai?", "Ý tưởng (không đầy đủ) này là gì?"),
    (VI, "Cái nào không thể dùng?", "Có nên dùng cái này hay không?"),
]


@pytest.mark.parametrize(("locale", "wrong", "right"), NEGATED)
def test_a_negative_question_must_be_marked(locale: Locale, wrong: str, right: str) -> None:
    assert rules_of(one_language(locale, stem=wrong)) == {"negation-unmarked"}
    assert rules_of(one_language(locale, stem=right)) == set()


CLANG = [
    (EN, "Which schedules are even?", "the even schedule", "the even tempo"),
    (HI, "लेयरों का क्रम कौन-सा है?", "सही क्रम वाला", "सही ढंग वाला"),
    (VI, "Tính toán lại là gì?", "làm tính toán ấy", "làm phép toán ấy"),
]


@pytest.mark.parametrize(("locale", "stem", "key", "other"), CLANG)
def test_a_word_of_the_stem_in_the_key_alone_is_found(
    locale: Locale, stem: str, key: str, other: str
) -> None:
    options = [key, *PLAIN[locale][1:]]
    assert "stem-word-in-key" in rules_of(one_language(locale, options, stem=stem))
    assert "stem-word-in-key" not in rules_of(one_language(locale, options, stem=stem, key=1))
    assert "stem-word-in-key" not in rules_of(
        one_language(locale, [key, *options[1:], f"{key}, {other}"], stem=stem)
    )


def test_a_question_not_yet_translated_is_judged_by_the_words_of_its_own_language() -> None:
    options = ["Only the weights are kept", "The blocks are run again", "The labels are removed"]
    draft = one_language(HI, options, stem="What happens to the blocks that are dropped?", key=1)
    assert {"untranslated", "absolute-in-distractors"} <= rules_of(draft)


def test_a_question_with_several_right_options_is_not_judged_by_one_of_them() -> None:
    options = (OptionText("a", LONG[EN]), OptionText("b", "the red"), OptionText("c", "the blue"))
    draft = ItemDraft(frozenset("ab"), {EN: ItemText("Which are drawn?", options)})
    assert rules_of(draft) == set()


def test_every_rule_of_item_writing_names_its_source_in_its_why() -> None:
    [found] = findings_of(one_language(EN, [LONG[EN], *PLAIN[EN][1:]]), "key-longest")
    assert found.why(str).endswith("(Haladyna, Downing & Rodriguez (2002))")
