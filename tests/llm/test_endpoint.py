"""Where a model is, and whose key it gets."""

import pytest

from statetape.errors import BadInput
from statetape.llm.endpoint import Endpoint, credential, endpoint

KEYS = {"ANTHROPIC_API_KEY": "a", "OPENAI_API_KEY": "o"}


@pytest.mark.parametrize(
    ("model", "url", "expected", "key"),
    [
        ("claude-haiku-4-5", None, ("anthropic", "https://api.anthropic.com"), "a"),
        ("gpt-5.4-nano", None, ("openai", "https://api.openai.com/v1"), "o"),
        ("claude-haiku-4-5", "http://127.0.0.1:1/v1/", ("openai", "http://127.0.0.1:1/v1"), None),
        ("m", "anthropic=http://[::1]:9", ("anthropic", "http://[::1]:9"), None),
        ("m", "https://api.anthropic.com", ("anthropic", "https://api.anthropic.com"), "a"),
        ("m", "openai=https://api.anthropic.com.evil.org",
         ("openai", "https://api.anthropic.com.evil.org"), None),
    ],
)  # fmt: skip
def test_a_vendors_key_goes_to_that_vendor_alone(
    model: str, url: str | None, expected: tuple[str, str], key: str | None
) -> None:
    place = endpoint(model, url, KEYS)
    assert place == Endpoint(*expected, model)  # type: ignore[arg-type]
    assert credential(place, KEYS) == key
    assert credential(place, KEYS | {"STATETAPE_MANAGER_KEY": "own"}) == "own"


def test_the_environment_may_say_where() -> None:
    place = endpoint("m", None, {"STATETAPE_MANAGER_URL": "http://h/v1"})
    assert place.url == "http://h/v1"
    assert (
        endpoint("m", "http://i/v1", {"STATETAPE_MANAGER_URL": "http://h/v1"}).url == "http://i/v1"
    )


@pytest.mark.parametrize(
    "url",
    ["h", "ftp://h", "http://", "http://h:x", "http://h:99999999", "http://h/a b", "http://h\n",
     "http://u:secret@h", "http://h?x=1", "http://h#x", "http://[", "anthropic=", "h\0", "http://ä"],
)  # fmt: skip
def test_what_is_no_url_is_said_in_one_line_without_what_is_secret(url: str) -> None:
    if url == "anthropic=":
        assert endpoint("m", url, {}).url == "https://api.anthropic.com"
        return
    with pytest.raises(BadInput) as caught:
        endpoint("m", url, {})
    assert "\n" not in str(caught.value)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("key", ["a\nb", "ä", "a\0"])
def test_a_key_that_no_header_carries_is_not_shown(key: str) -> None:
    with pytest.raises(BadInput, match="printable") as caught:
        credential(Endpoint("openai", "http://h", "m"), {"STATETAPE_MANAGER_KEY": key})
    assert key not in str(caught.value)
