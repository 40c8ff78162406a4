"""Links to files in an answer."""

from time import process_time

import pytest

from tests.support.long_cases import mostly_long
from ui.widgets.file_links import Links


def test_a_link_to_a_file_shows_the_name_of_the_file() -> None:
    assert Links(["a.csv"], "k").marked('See [the data](a.csv "it") and [x](b.csv).') == (
        "See **the data** and x (there is no file `b.csv`)."
    )


@pytest.mark.parametrize("part", mostly_long(["[", "[a](", "[a](b ", '[a](b "', "[a]( ", "a"], quick=(0, 1)))
def test_a_text_with_many_brackets_is_read_in_linear_time(part: str) -> None:
    began = process_time()
    Links([], "k").marked(part * (200_000 // len(part)))
    assert process_time() - began < 3


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        (
            "[the report](https://evil.example/x?d=1)",
            "[the report (evil.example)](https://evil.example/x?d=1)",
        ),
        (
            "[https://good.example](https://evil.example/)",
            "[https://good.example (evil.example)](https://evil.example/)",
        ),
        (
            "[good.example.evil](https://evil.example)",
            "[good.example.evil (evil.example)](https://evil.example)",
        ),
        ("[see evil.example](https://evil.example/y)", "[see evil.example](https://evil.example/y)"),
        ("[mail](mailto:a@b.example)", "[mail](mailto:a@b.example)"),
        ("[odd](https://[x/)", "[odd](https://[x/)"),
    ],
)
def test_a_link_to_another_site_shows_its_host(written: str, shown: str) -> None:
    assert Links([], "k").marked(written) == shown
