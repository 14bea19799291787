import re

from .bundle import BUNDLED, PAGE, page_script


def test_the_script_is_what_its_modules_make() -> None:
    assert BUNDLED.read_bytes() == page_script(), "`make report-page` bundles it again"


def test_text_becomes_no_markup_and_no_code() -> None:
    for file in PAGE.glob("*.js"):
        text = file.read_text("utf-8")
        assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc", text), (
            file.name
        )
        assert not re.findall(r"\beval\b|\bFunction\s*\(|\bimport\s*\(", text), file.name
        assert not re.findall(r"from \"(?!\.)", text), f"{file.name} needs a library"


def test_the_script_does_not_end_its_element() -> None:
    text = BUNDLED.read_text("utf-8").lower()
    assert "</script" not in text
    assert "<!--" not in text
