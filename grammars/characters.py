"""Sets of characters: ranges of code points merged, inverted and folded, and the names of Unicode's properties.

Nothing here knows how a dialect writes a set.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final, TypeAlias
from unicodedata import category

Ranges: TypeAlias = tuple[tuple[int, int], ...]

LAST: Final = 0x10FFFF

DIGIT: Final[Ranges] = ((0x30, 0x39),)
DIGIT_PROPERTIES: Final = ("Nd",)
"""With DIGIT, what `\\d` matches: any decimal digit of Unicode."""

WORD: Final[Ranges] = ((0x30, 0x39), (0x41, 0x5A), (0x5F, 0x5F), (0x61, 0x7A))
WORD_PROPERTIES: Final = ("L", "M", "N", "Pc")
"""With WORD, what `\\w` matches in Python or in Rust: the union of the two."""

SPACE: Final[Ranges] = (
    (0x09, 0x0D),
    (0x1C, 0x20),
    (0x85, 0x85),
    (0xA0, 0xA0),
    (0x1680, 0x1680),
    (0x2000, 0x200A),
    (0x2028, 0x2029),
    (0x202F, 0x202F),
    (0x205F, 0x205F),
    (0x3000, 0x3000),
)
"""What `\\s` matches."""

POSIX: Final[dict[str, Ranges]] = {
    "alnum": ((0x30, 0x39), (0x41, 0x5A), (0x61, 0x7A)),
    "alpha": ((0x41, 0x5A), (0x61, 0x7A)),
    "ascii": ((0x00, 0x7F),),
    "blank": ((0x09, 0x09), (0x20, 0x20)),
    "cntrl": ((0x00, 0x1F), (0x7F, 0x7F)),
    "digit": DIGIT,
    "graph": ((0x21, 0x7E),),
    "lower": ((0x61, 0x7A),),
    "print": ((0x20, 0x7E),),
    "punct": ((0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E)),
    "space": ((0x09, 0x0D), (0x20, 0x20)),
    "upper": ((0x41, 0x5A),),
    "word": WORD,
    "xdigit": ((0x30, 0x39), (0x41, 0x46), (0x61, 0x66)),
}
"""What `[:name:]` matches inside a class."""

_WORD_CATEGORIES: Final = ("Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc")
_CASED: Final = ("Lu", "Ll", "Lt")
_CONNECTORS: Final[Ranges] = (
    (0x5F, 0x5F),
    (0x203F, 0x2040),
    (0x2054, 0x2054),
    (0xFE33, 0xFE34),
    (0xFE4D, 0xFE4F),
    (0xFF3F, 0xFF3F),
)
"""Those of category Pc."""

_FOLDED_AT_MOST: Final = 4096
"""Characters of one range above ASCII whose other cases are looked for; larger ranges hold both cases anyway."""

_CATEGORIES: Final = {
    "letter": "L", "casedletter": "LC", "uppercaseletter": "Lu", "lowercaseletter": "Ll", "titlecaseletter": "Lt",
    "modifierletter": "Lm", "otherletter": "Lo", "mark": "M", "nonspacingmark": "Mn", "spacingmark": "Mc",
    "enclosingmark": "Me", "number": "N", "decimalnumber": "Nd", "letternumber": "Nl", "othernumber": "No",
    "punctuation": "P", "connectorpunctuation": "Pc", "dashpunctuation": "Pd", "openpunctuation": "Ps",
    "closepunctuation": "Pe", "initialpunctuation": "Pi", "finalpunctuation": "Pf", "otherpunctuation": "Po",
    "symbol": "S", "mathsymbol": "Sm", "currencysymbol": "Sc", "modifiersymbol": "Sk", "othersymbol": "So",
    "separator": "Z", "spaceseparator": "Zs", "lineseparator": "Zl", "paragraphseparator": "Zp", "other": "C",
    "control": "Cc", "format": "Cf", "surrogate": "Cs", "privateuse": "Co", "unassigned": "Cn",
}  # fmt: skip

_BINARY: Final = (
    "Alphabetic Any ASCII ASCII_Hex_Digit Assigned Cased Dash Diacritic Emoji Emoji_Component Emoji_Modifier "
    "Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic Extender Hex_Digit ID_Continue ID_Start Ideographic "
    "Lowercase Math Pattern_Syntax Pattern_White_Space Quotation_Mark Sentence_Terminal Terminal_Punctuation "
    "Unified_Ideograph Uppercase White_Space XID_Continue XID_Start"
)

_SCRIPTS: Final = (
    "Adlam Ahom Anatolian_Hieroglyphs Arabic Armenian Avestan Balinese Bamum Bassa_Vah Batak Bengali "
    "Bhaiksuki Bopomofo Brahmi Braille Buginese Buhid Canadian_Aboriginal Carian Caucasian_Albanian Chakma "
    "Cham Cherokee Chorasmian Common Coptic Cuneiform Cypriot Cypro_Minoan Cyrillic Deseret Devanagari "
    "Dives_Akuru Dogra Duployan Egyptian_Hieroglyphs Elbasan Elymaic Ethiopic Georgian Glagolitic Gothic "
    "Grantha Greek Gujarati Gunjala_Gondi Gurmukhi Han Hangul Hanifi_Rohingya Hanunoo Hatran Hebrew "
    "Hiragana Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Javanese Kaithi "
    "Kannada Katakana Kawi Kayah_Li Kharoshthi Khitan_Small_Script Khmer Khojki Khudawadi Lao Latin Lepcha "
    "Limbu Linear_A Linear_B Lisu Lycian Lydian Mahajani Makasar Malayalam Mandaic Manichaean Marchen "
    "Masaram_Gondi Medefaidrin Meetei_Mayek Mende_Kikakui Meroitic_Cursive Meroitic_Hieroglyphs Miao Modi "
    "Mongolian Mro Multani Myanmar Nabataean Nag_Mundari Nandinagari New_Tai_Lue Newa Nko Nushu "
    "Nyiakeng_Puachue_Hmong Ogham Ol_Chiki Old_Hungarian Old_Italic Old_North_Arabian Old_Permic "
    "Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Osage Osmanya Pahawh_Hmong "
    "Palmyrene Pau_Cin_Hau Phags_Pa Phoenician Psalter_Pahlavi Rejang Runic Samaritan Saurashtra Sharada "
    "Shavian Siddham SignWriting Sinhala Sogdian Sora_Sompeng Soyombo Sundanese Syloti_Nagri Syriac Tagalog "
    "Tagbanwa Tai_Le Tai_Tham Tai_Viet Takri Tamil Tangsa Tangut Telugu Thaana Thai Tibetan Tifinagh "
    "Tirhuta Toto Ugaritic Vai Vithkuqi Wancho Warang_Citi Yezidi Yi Zanabazar_Square"
)


def _loose(name: str) -> str:
    """As Unicode compares names (UAX 44, LM3): without case, blanks, underscores and hyphens."""
    return re.sub(r"[\s_-]", "", name).lower()


_PROPERTIES: Final = (
    {_loose(name): name for name in f"{_BINARY} {_SCRIPTS}".split()}
    | _CATEGORIES
    | {short.lower(): short for short in _CATEGORIES.values()}
    | {
        "alpha": "Alphabetic",
        "upper": "Uppercase",
        "lower": "Lowercase",
        "space": "White_Space",
        "zyyy": "Common",
    }
)


def property_name(written: str) -> str | None:
    """The canonical name of a Unicode property, "^" before it where the author negates it; None if there is none.

    Takes general categories, scripts and yes-no properties, as `L`, `Letter`, `Script=Han`, `gc=Lu` or Java's `IsHan`.
    """
    negation = "^" if written.startswith("^") else ""
    kind, equals, value = written.removeprefix("^").partition("=")
    if equals and _loose(kind) not in {"gc", "generalcategory", "sc", "script", "scx", "scriptextensions"}:
        return None
    loose = _loose(value if equals else kind)
    name = _PROPERTIES.get(loose) or _PROPERTIES.get(loose.removeprefix("is"))
    return name and negation + name


def merged(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The same characters in ranges that are in order and do not touch."""
    result: list[tuple[int, int]] = []
    for first, last in sorted(ranges):
        if result and first <= result[-1][1] + 1:
            result[-1] = (result[-1][0], max(result[-1][1], last))
        else:
            result.append((first, last))
    return tuple(result)


def inverted(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """Every character that is in none of the ranges."""
    result: list[tuple[int, int]] = []
    next_first = 0
    for first, last in merged(ranges):
        if first > next_first:
            result.append((next_first, first - 1))
        next_first = last + 1
    return (*result, (next_first, LAST)) if next_first <= LAST else tuple(result)


def folded(ranges: Iterable[tuple[int, int]]) -> Ranges:
    """The characters in the ranges, in upper and in lower case (simple case mappings only)."""
    result: list[tuple[int, int]] = []
    for first, last in ranges:
        result.append((first, last))
        if last - first < _FOLDED_AT_MOST:
            result.extend((other, other) for code in range(first, last + 1) for other in _other_cases(code))
    return merged(result)


def folded_properties(properties: Iterable[str]) -> tuple[str, ...]:
    """The properties, with those that hold one case made to hold both."""
    both = {"Lu": "LC", "Ll": "LC", "Lt": "LC", "Uppercase": "Cased", "Lowercase": "Cased"}
    return tuple(dict.fromkeys(both.get(name, name) for name in properties))


def word_without(ranges: Ranges, properties: Iterable[str]) -> tuple[Ranges, tuple[str, ...]] | None:
    """WORD and its properties without these characters; None where no union of ranges and properties is that."""
    left = dict.fromkeys(_WORD_CATEGORIES)
    for name in properties:
        if name not in _CATEGORIES.values():
            return None
        for gone in [one for one in left if one.startswith(name) or (name == "LC" and one in _CASED)]:
            del left[gone]
    if any(last - first >= _FOLDED_AT_MOST for first, last in ranges):
        return None
    taken = {code for first, last in ranges for code in range(first, last + 1)}
    if any(category(chr(code)) in left and category(chr(code)) != "Pc" for code in taken):
        return None
    single = [
        (code, code)
        for first, last in (*WORD, *_CONNECTORS)
        for code in range(first, last + 1)
        if code not in taken and category(chr(code)) in left
    ]
    if any(first <= code <= last for code in taken for first, last in _CONNECTORS):
        left.pop("Pc", None)
        return merged(single), _gathered(list(left))
    return merged(one for one in single if one[0] < 0x80), _gathered(list(left))


def has_case(text: str) -> bool:
    """Whether the text could be written in another case."""
    return text.lower() != text.upper()


def _gathered(categories: list[str]) -> tuple[str, ...]:
    """The categories, with those that make up a whole one by that one's name."""
    whole = [
        name
        for name in WORD_PROPERTIES
        if all(one in categories for one in _WORD_CATEGORIES if one.startswith(name))
    ]
    return (*whole, *(one for one in categories if not one.startswith(tuple(whole))))


def _other_cases(code: int) -> Iterable[int]:
    character = chr(code)
    return (ord(other) for other in (character.lower(), character.upper()) if len(other) == 1)
