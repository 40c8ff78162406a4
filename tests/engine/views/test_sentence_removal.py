"""Removing the sentence of a number leaves the rest of the Markdown unchanged."""

import pytest

from engine.views.sentence_removal import without_sentence

KEPT = [
    ("East made 1. West made 99. North made 3.", "East made 1. North made 3."),
    ("West made 99. North made 3.", "North made 3."),
    ("East made 1. West made 99.", "East made 1."),
    ("East made 1.\n\nWest made 99.\n\nNorth made 3.", "East made 1.\n\nNorth made 3."),
    ("- East: 1\n- West: 99\n- North: 3", "- East: 1\n- North: 3"),
    ("- West made 99. It is first.\n- North: 3", "- It is first.\n- North: 3"),
    ("1. East is first. West made 99.\n2. North", "1. East is first.\n2. North"),
    ("1. West made 99.\n2. East made 1.\n   More.\n\n3. North", "1. East made 1.\n   More.\n\n2. North"),
    ("1. East\n2. West made 99.\n3. North\n\nThen.\n\n3. Else", "1. East\n2. North\n\nThen.\n\n3. Else"),
    ("1. West made 99.\n1. East", "1. East"),
    ("**West** made 99. *North* made 3.", "*North* made 3."),
    ("> West made 99. North made 3.", "> North made 3."),
    ("| a | b |\n|---|---|\n| West | 99 |\n", None),
    ("**West made 99. North made 3.**", None),
    ("West made 99.", None),
    ("Total was 99\nin the North overall. Next here.", None),
    ("The shop's total\nwas 99. Next here.", None),
    ("East made 1.\nWest made 99.\nNorth made 3.", "East made 1.\nNorth made 3."),
    ("East made 1.\\\nWest made 99.\\\nNorth made 3.", "East made 1.\\\nNorth made 3."),
    ("East made 1\\\nSouth 2. West made 99\\\nNorth 3", "East made 1\\\nSouth 2.\\\nNorth 3"),
    ("East made 1.\\\nWest made 99.", None),
    ("East: 1  \nWest: 99  \nNorth: 3", "East: 1  \nNorth: 3"),
    ("East made 1 vs.\n99 in the West. Next here.", None),
    ("- North made 99\n  and it grew 7%. Good.\n- South 3", None),
    ("- North made 99.\n  It grew.\n- South 3", None),
    ("- South 3\n- North made 99.\n  - Q1: 2\n- East 4", None),
    ("- South 3\n  - North made 99.\n- East 4", "- South 3\n- East 4"),
    ("• South 3\n• West made 99. It is first.\n• East 4", "• South 3\n• It is first.\n• East 4"),
    ("• South 3\n• West made 99\n• East 4", "• South 3\n• East 4"),
    ("> West made 99.\n> South made 4.", "> South made 4."),
    ("*West made 99. It grew 7.*", None),
    ("[West made 99. It grew](https://example.org) 7. End.", None),
    ("[West made 99. It grew][ref] 7. End.\n\n[ref]: https://example.org", None),
    ("[West][ref] made 99. End.\n\n[ref]: https://example.org", "End.\n\n[ref]: https://example.org"),
    ("~~West made 99. It grew~~ 7. End.", None),
    ("<b>West made 99. It</b> grew 7.", None),
    ("East grew (West made 99. It fell). End.", None),
    ('She said "West made 99. It fell." End.', None),
    ("West made 99\n---\nThe rest.", None),
    ("```\nWest made 99. It fell.\n```\nEnd.", None),
    ("See `a*b` here. *West* made `99`. End *here*.", "See `a*b` here. End *here*."),
    ("2 * 3 is 6. West made 99. So 3 * 3.", "2 * 3 is 6. So 3 * 3."),
]


@pytest.mark.parametrize(("text", "kept"), KEPT)
def test_the_sentence_is_removed_and_the_rest_stays(text: str, kept: str | None) -> None:
    assert without_sentence(text, text.index("99")) == kept
