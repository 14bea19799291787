import re

from toolcast.analysis.report.page import page_script
from toolcast.package_files import PACKAGE

PAGE = PACKAGE / "analysis" / "report" / "page"


def test_the_script_has_each_module_once_and_joins_them() -> None:
    script = page_script()
    for file in PAGE.glob("*.js"):
        assert script.count(f'modules["{file.name}"] = ') == 1, file.name
    assert not re.findall(r"^\s*(?:import|export)\b", script, re.MULTILINE)


def test_text_becomes_no_markup_and_no_code() -> None:
    for file in PAGE.glob("*.js"):
        text = file.read_text("utf-8")
        assert not re.findall(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc", text), (
            file.name
        )
        assert not re.findall(r"\beval\b|\bFunction\s*\(|\bimport\s*\(", text), file.name
        assert not re.findall(r"from \"(?!\.)", text), f"{file.name} needs a library"


def test_the_script_does_not_end_its_element() -> None:
    text = page_script().lower()
    assert "</script" not in text
    assert "<!--" not in text
