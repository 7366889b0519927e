"""What the rules of item writing look for, language by language."""

import re
from dataclasses import dataclass

from app.banks.lint.glossary import folded
from app.i18n.locales import Locale

_BEFORE, _AFTER = r"(?<![\w\u0900-\u0963])", r"(?![\w\u0900-\u0963])"


@dataclass(frozen=True, slots=True)
class Words:
    """One language's words for the rules; `is_syllabic` where a word is written as several syllables."""

    absolute: re.Pattern[str]
    hedge: re.Pattern[str]
    coordination: re.Pattern[str]
    above: re.Pattern[str]
    negation: re.Pattern[str]
    stop: frozenset[str]
    is_syllabic: bool = False


def _any(*lines: str) -> re.Pattern[str]:
    """Any of the words, which a comma and a space separate, as a word of its own in a `folded` text."""
    words = folded("|".join(word for line in lines for word in line.split(", ")))
    return re.compile(f"{_BEFORE}(?:{words}){_AFTER}")


def _stop(words: str) -> frozenset[str]:
    return frozenset(folded(words).split())


EN = Words(
    absolute=_any(
        "always, never, only, every, exactly, all, none, completely, entirely, absolutely, totally",
        "permanently, guarantees?",
    ),
    hedge=_any(
        "usually, often, sometimes, generally, typically, mostly, mainly, may, might, can, could, likely",
        "depending on, depends on, tends? to",
    ),
    coordination=_any("and"),
    above=_any(
        "(?:all|none|any|both|neither|some) of (?:the above|these|the (?:other )?(?:options|answers)|them)",
        "both [a-d] and [a-d], all (?:answers|options) are (?:right|correct)",
    ),
    negation=_any("not, except, cannot, never, least, incorrect, false, wrong", "\\w+n['\u2019]t"),
    stop=_stop("""
        a an the of and or to in on at by for from with without as is are was were be been being it its this
        that these those which what why how when where who does do did can could may might must should will
        would not no than then there their they them one more most much many other another so if but into out
        over under about during between each per has have had using used use usually normally often
    """),
)

HI = Words(
    absolute=_any(
        r"हमेशा, सदा, सदैव, कभी\s+(?:भी\s+)?(?:[^।]{0,30}\s)?नहीं, सिर्फ़, सिर्फ, केवल, मात्र, हर, प्रत्येक, सभी, सब",
        "सारे, सारी, सारा, बिल्कुल, बिलकुल, ठीक-ठीक, पूरी तरह, पूर्णतः, पूर्णतया, हरगिज़",
    ),
    hedge=_any(
        "आमतौर पर, आम तौर पर, अक्सर, अकसर, कभी-कभी, प्रायः, शायद, ज़्यादातर, संभवतः, सामान्यतः, सामान्यतया",
        "पर निर्भर, हो सकता है, हो सकती है, हो सकते हैं",
    ),
    coordination=_any("और, तथा, एवं"),
    above=_any(
        "(?:उपरोक्त|उपर्युक्त|ऊपर के|ऊपर दिए गए|इनमें से) (?:सभी|सब|सारे|दोनों|कोई (?:भी )?नहीं)",
        "(?:उपरोक्त|उपर्युक्त|ऊपर) में से (?:सभी|सब|कोई (?:भी )?नहीं), ये सभी, क और ख दोनों",
    ),
    negation=_any("नहीं, न, मत, सिवाय, छोड़कर, अलावा, गलत, असत्य"),
    stop=_stop("""
        का की के को से में पर ने है हैं था थे थी हो होता होती होते करना करने करती करता करते किया किए किस कौन कौन-सा
        कौन-सी क्या क्यों कैसे कब कहाँ और या तथा एवं यह वह ये वे इस उस इन उन जो जिस जिन अपना अपने अपनी एक लिए साथ बाद
        पहले दौरान भी ही तो तक जब तब यानी इसलिए क्योंकि गया गए गई जाता जाती जाते जाना जाने रहे रहा रही रखने रखना रखे
        सकता सकती सकते चाहिए मुख्य रूप आमतौर अक्सर अधिक कम ज्यादा उपयोग इस्तेमाल अलग-अलग अलग पीछे उसे उन्हें वही चीज बात
    """),
)

VI = Words(
    absolute=_any(
        "luôn, luôn luôn, không bao giờ, chỉ, mọi, tất cả, (?<!độ )(?<!tính )chính xác, hoàn toàn, tuyệt đối",
        "bất kỳ, bất kì, bất cứ, vĩnh viễn, đảm bảo, toàn bộ",
    ),
    hedge=_any(
        "thường, thường thì, đôi khi, có thể, có lẽ, phần lớn, hầu hết, nói chung, nhìn chung, tùy, tùy theo",
        "tuỳ, phụ thuộc vào",
    ),
    coordination=_any("và"),
    above=_any(
        "tất cả (?:các )?(?:đáp án|phương án|câu|ý|lựa chọn)(?: ở)? trên, tất cả đều (?:đúng|sai)",
        "không (?:có )?(?:đáp án|phương án|câu|ý|lựa chọn) nào(?: ở trên| trên| đúng)?, cả [a-d] và [a-d]",
        "cả (?:hai|ba|bốn) (?:đáp án|phương án|ý|câu)(?: trên)?",
    ),
    negation=_any(
        "không phải, không đúng, không thuộc, không thể, không được, ngoại trừ, trừ, chưa đúng, sai",
        r"(?<!có )(?<!hay )(?<!bằng )(?<!số )không(?!\s*(?:[?.,)]|$))",
    ),
    stop=_stop("""
        và hoặc hay là của cho với từ đến ở trong ngoài trên dưới khi thì mà để vì do bởi nên nếu như
        theo về vào ra lên xuống các những một mỗi mọi cái con này kia đó ấy nào gì sao đâu ai thế vậy
        bao có không được bị phải đã đang sẽ còn chỉ cũng rất hơn nhất nhiều ít lại nữa thêm giữa qua
        bằng điều việc cách cần nó chúng họ tại thường chủ yếu ta bạn
    """),
    is_syllabic=True,
)

WORDS = {Locale.EN: EN, Locale.HI: HI, Locale.VI: VI}
