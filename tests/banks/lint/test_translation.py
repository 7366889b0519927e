"""Each rule of translation finds its fault, in each language, and leaves right texts alone."""

import pytest

from app.banks.lint import ItemDraft, ItemText, OptionText, lint_item
from tests.banks.lint.drafts import EN, HI, OWN, STEM, VI, explained, findings_of, rules_of

RIGHT = [
    # What stands in the source stands in the translations, however it is put.
    {
        EN: "Call `f(x)` 3 times.",
        HI: "`f(x)` को 3 बार कॉल करें।",
        VI: "Hãy gọi `f(x)` 3 lần.",
    },
    {EN: "About 20–30% more.", HI: "करीब 20–30% ज़्यादा।", VI: "Nhiều hơn khoảng 20–30%."},
    {EN: "It needs 16 GiB.", HI: "इसे 16\u00a0GiB चाहिए।", VI: "Nó cần 16 GiB."},
    {EN: "It grows as √N with N.", HI: "N के साथ यह √N की तरह बढ़ता है।", VI: "Nó tăng theo √N khi N tăng."},
    {
        EN: "Offloading pays in time.",
        HI: "ऑफ़लोडिंग समय में चुकाती है।",
        VI: "Chuyển sang CPU/NVMe (offload) trả bằng thời gian.",
    },
    {EN: "The GPUs wait.", HI: "GPU इंतज़ार करते हैं।", VI: "Các GPU phải chờ."},
    {
        EN: "[The paper](https://arxiv.org/abs/1604.06174) says so.",
        HI: "[शोध-पत्र](https://arxiv.org/abs/1604.06174) ऐसा कहता है।",
        VI: "[Bài báo](https://arxiv.org/abs/1604.06174) nói vậy.",
    },
    {
        EN: "The slope is $k + N/k$, e.g. on a log axis.",
        HI: "लघुगणकीय अक्ष पर ढाल $k + N/k$ है।",
        VI: "Hệ số góc là $k + N/k$ trên trục logarit.",
    },
    {EN: "$\\text{memory} = k$", HI: "$\\text{मेमोरी} = k$", VI: "$\\text{bộ nhớ} = k$"},
    {EN: "`x`", HI: "`x`", VI: "`x`"},  # code alone has nothing to translate
    {EN: "Adam", HI: "Adam", VI: "Adam"},
    {EN: "A hard question.", HI: "क्ष\u200dण क\u094d\u200c है।", VI: "Một câu khó."},  # joiners of Devanagari
    {
        EN: "Each activation is freed.",
        HI: "हर एक्टिवेशन (सक्रियण) मुक्त होता है।",
        VI: "Mỗi giá trị kích hoạt được giải phóng.",
    },
    {
        EN: "2 * 3 * 4 is 24, and a_b too.",
        HI: "2 * 3 * 4 = 24 और a_b भी।",
        VI: "2 * 3 * 4 là 24, a_b cũng vậy.",
    },
]


@pytest.mark.parametrize("texts", RIGHT, ids=[texts[EN][:24] for texts in RIGHT])
def test_right_texts_have_no_finding(texts: dict) -> None:
    assert rules_of(explained(texts)) == set()


WRONG = [
    ("text-missing", HI, "It runs.", " \u200b\ufeff"),
    ("text-missing", VI, "It runs.", "…"),
    ("text-missing", VI, "It runs.", "\u3164"),
    ("code-differs", HI, "Call `f(x)`.", "`f(y)` कॉल करें।"),
    ("code-differs", VI, "Call `f` and `f`.", "Hãy gọi `f`."),
    ("math-differs", HI, "Here $k + N/k$.", "यहाँ $k + N$।"),
    ("math-differs", VI, "Here $$x^2$$.", "Ở đây là x bình phương."),
    ("placeholder-differs", HI, "It took {{a.b}}.", "इसमें {{a.c}} लगे।"),
    ("placeholder-differs", VI, "It took {{a.b}}, then {{a.b}}.", "Nó chiếm {{a.b}}."),
    ("url-differs", HI, "See https://a.org/x.", "https://a.org/hi/x देखें।"),
    ("url-differs", VI, "See [this](https://a.org/x).", "Xem [đây](https://a.org/y)."),
    ("identifier-differs", HI, "Use torch.utils.checkpoint now.", "अब torch.utils इस्तेमाल करें।"),
    ("identifier-differs", VI, "BatchNorm moves.", "Lớp chuẩn hóa theo lô dịch chuyển."),
    ("identifier-differs", HI, "On the GPU it waits.", "जीपीयू पर यह रुकता है।"),
    ("identifier-transliterated", HI, "Use `torch.utils.checkpoint`.", "मशाल.उपयोग.चेकप्वाइंट लगाएँ।"),
    ("identifier-transliterated", VI, "Use `empty_cache`.", "Hãy dùng bộ_nhớ_trống."),
    ("number-differs", HI, "It ran 16 layers.", "18 लेयरें चलीं।"),
    ("number-differs", VI, "It took 2.5 steps.", "Nó mất 2,5 bước."),
    ("number-differs", VI, "Version 2.13 says so.", "Phiên bản nói vậy."),
    ("unit-differs", VI, "About 20–30% more.", "Nhiều hơn khoảng 20-30%."),
    ("unit-differs", HI, "It needs 16 GiB.", "इसे 16 GB चाहिए।"),
    ("native-digits", HI, "It ran 16 layers.", "१६ लेयरें चलीं।"),
    ("symbol-differs", VI, "It grows as √N.", "Nó tăng theo căn bậc hai."),
    ("term-banned", VI, "The gradient is equal.", "Độ dốc bằng nhau."),
    ("term-banned", HI, "Each activation stays.", "हर सक्रियण बना रहता है।"),
    ("term-banned", VI, "Offloading helps.", "Giảm tải thì có lợi."),
    ("term-banned", HI, "The torch package.", "मशाल का पैकेज।"),
    ("term-missing", VI, "Mixed precision helps.", "Độ chính xác thấp thì có lợi."),
    ("term-missing", HI, "The optimizer state stays.", "वह हाल बना रहता है।"),
    ("untranslated", HI, "The blocks run again.", "The blocks run again."),
    ("untranslated", VI, "The blocks run again.", "the blocks run again!"),
    ("untranslated", HI, "Nothing is kept.", "कुछ नहीं रखा जाता, but the backward pass needs it all again."),
    ("untranslated", VI, "Nothing is kept.", "Không giữ gì, but the backward pass needs it all again."),
    ("wrong-script", HI, "It runs again.", "phir chalta"),
    ("wrong-script", VI, "It runs again.", "Nó chạy l\u0430i lần nữa."),  # a Cyrillic letter
    ("wrong-script", VI, "It runs again.", "Nó चलता lần nữa."),
    ("zero-width", VI, "It runs again.", "Nó chạy\u200b lại."),
    ("zero-width", HI, "It runs again.", "यह फिर\ufeff चलता है।"),
    ("zero-width", VI, "It runs again.", "Nó ch\u200day lại."),  # a joiner between Latin letters
    ("bidi-control", HI, "It runs again.", "यह \u202eफिर\u202c चलता है।"),
    ("markdown-unbalanced", HI, "It `runs` again.", "यह `runs फिर चलता है।"),
    ("markdown-unbalanced", VI, "It **runs** again.", "Nó **chạy lại."),
    ("markdown-unbalanced", VI, "It runs again.", "Nó [chạy](https://a.org lại."),
    ("markdown-unbalanced", HI, "It took {{a.b}}.", "इसमें {{a.b} लगे।"),
    ("markdown-unbalanced", VI, "Run it.", "Chạy nó:\n\n```python\nx = 1\n"),
]


@pytest.mark.parametrize(("rule", "locale", "source", "text"), WRONG)
def test_a_fault_is_found_where_it_stands(rule: str, locale: str, source: str, text: str) -> None:
    draft = explained({EN: source, locale: text}, metrics=["a.b", "a.c"])
    found = [finding for finding in findings_of(draft, rule) if finding.locale == locale]
    assert found, rules_of(draft)
    assert found[0].place == ("explanation",)
    assert "{" not in found[0].why(str).replace("{{", "").replace("{a", "")
    assert found[0].how(str)


def test_decomposed_letters_are_told_of_and_refused_by_nothing() -> None:
    """NFC splits the precomposed nukta letters, so both ways of writing them are right."""
    for text in ("ग\u095eतर", "ग\u092b\u093cतर", "Vi\u00eat", "Vie\u0302t nam la\u0300 n\u01b0\u01a1\u0301c"):
        locale = HI if "\u0917" in text else VI
        draft = explained({EN: "A word.", locale: text})
        assert rules_of(draft) <= {"not-normalised"}
        assert not any(finding.is_error for finding in lint_item(draft, OWN))


def test_a_decomposed_term_is_the_term() -> None:
    decomposed = "gia\u0301 tri\u0323 ki\u0301ch hoa\u0323t đươ\u0323c gia\u0309i pho\u0301ng"
    assert rules_of(explained({EN: "The activation is freed.", VI: decomposed})) == {"not-normalised"}
    precomposed = "ऑ\u095eलोडिंग समय लेती है।"
    assert rules_of(explained({EN: "Offloading takes time.", HI: precomposed})) == {"not-normalised"}


def test_a_banned_word_is_right_where_the_source_means_something_else() -> None:
    assert rules_of(explained({EN: "The slope is steep.", VI: "Độ dốc lớn."})) == set()
    assert rules_of(explained({EN: "The gradient is large.", VI: "Độ dốc lớn."})) >= {"term-banned"}


def test_options_must_be_those_of_the_source_in_its_order() -> None:
    def item(ids: str) -> ItemText:
        return ItemText(STEM[EN], tuple(OptionText(each, f"cách số một {each}") for each in ids))

    source = ItemText(STEM[EN], tuple(OptionText(each, f"way one {each}") for each in "abc"))
    for ids, is_right in (("abc", True), ("acb", False), ("ab", False), ("abcd", False)):
        draft = ItemDraft(frozenset("a"), {EN: source, VI: item(ids)})
        assert ("options-differ" not in rules_of(draft)) is is_right


def test_a_measured_number_needs_a_demo_that_measures_it_and_a_place_after_the_answer() -> None:
    texts = {EN: "It took {{plain.bytes}}."}
    assert rules_of(explained(texts, metrics=["plain.bytes"])) == set()
    assert rules_of(explained(texts, metrics=["other"])) == {"placeholder-unknown"}
    assert rules_of(explained(texts, metrics=None)) == {"placeholder-without-demo"}
    stem = ItemText("Is it {{plain.bytes}}?", (OptionText("0", "it is"), OptionText("1", "it is not so")))
    early = ItemDraft(frozenset("0"), {EN: stem}, ["plain.bytes"])
    assert "placeholder-before-answer" in rules_of(early)


def test_a_text_without_a_source_is_judged_by_itself() -> None:
    assert rules_of(explained({HI: "मशाल.कुडा.खाली_कैश"})) == {"identifier-transliterated"}
    assert rules_of(explained({HI: "The blocks run again."})) == {"untranslated"}
    assert rules_of(explained({VI: "Turning off backpropagation"})) == {"untranslated"}
    assert rules_of(explained({VI: "gradient trung gian"})) == set()  # two words of Vietnamese without a mark
    assert rules_of(explained({VI: "Attention hay transformer"})) == set()
    assert rules_of(explained({VI: "Tính độ dốc"})) == {"term-banned"}
