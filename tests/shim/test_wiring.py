"""How each agent is told of the proxy."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from statetape.shim.codex_options import codex_base
from statetape.shim.wiring import AGENTS, Found, agent_named, wired

BASE = "http://127.0.0.1:1/_statetape/as/t"


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (["claude", "-p", "codex"], ("claude-code", 0)),
        (["/opt/bin/claude"], ("claude-code", 0)),
        (["npx", "-y", "@anthropic-ai/claude-code@2.1.0"], ("claude-code", 2)),
        (["npx", "@openai/codex@latest", "exec"], ("codex", 1)),
        (["env", "A=1", "opencode", "run"], ("opencode", 2)),
        (["uvx", "mini-swe-agent"], ("mini-swe-agent", 1)),
        (["mini"], ("mini-swe-agent", 0)),
        (["python", "-m", "openhands"], ("openhands", 2)),
        (["make", "agent"], None),
        ([], None),
        (["@"], None),
    ],
)
def test_an_agent_is_told_from_its_command(
    command: list[str], named: tuple[str, int] | None
) -> None:
    assert agent_named(command) == named


def test_claude_code_is_told_by_its_environment() -> None:
    wiring = wired("claude-code", ["claude", "-p", "x"], {}, BASE, Found())
    assert wiring.command == ("claude", "-p", "x")
    assert wiring.environment == {"ANTHROPIC_BASE_URL": BASE, "ENABLE_TOOL_SEARCH": "true"}
    assert wiring.upstreams == ()


def test_a_base_url_of_before_becomes_the_upstream_and_its_path_is_kept() -> None:
    before = {"ANTHROPIC_BASE_URL": "https://gateway.example:8443/a/b/"}
    wiring = wired("claude-code", ["claude"], before, BASE, Found())
    assert wiring.environment == {"ANTHROPIC_BASE_URL": f"{BASE}/a/b"}
    assert wiring.upstreams == ("anthropic=https://gateway.example:8443",)


def test_claude_code_is_told_by_settings_too_where_its_own_go_before_the_environment() -> None:
    found = Found(claude={"ANTHROPIC_BASE_URL": "https://s.example/x"})
    environment = {"ANTHROPIC_BASE_URL": "https://e.example"}
    wiring = wired("claude-code", ["env", "A=1", "claude", "-c"], environment, BASE, found)
    settings = json.dumps({"env": {"ANTHROPIC_BASE_URL": f"{BASE}/x"}})
    assert wiring.command == ("env", "A=1", "claude", "--settings", settings, "-c")
    assert wiring.upstreams == ("anthropic=https://s.example",)
    for command in (("claude", "--settings", "f"), ("claude", "--settings=f")):
        assert wired("claude-code", command, {}, BASE, found).command == command


def test_codex_is_told_by_overrides_behind_its_name() -> None:
    wiring = wired("codex", ["npx", "@openai/codex", "exec", "--json", "hi"], {}, BASE, Found())
    ours = ("-c", f'openai_base_url="{BASE}/v1"')
    assert wiring.command == ("npx", "@openai/codex", *ours, "exec", "--json", "hi")
    assert (wiring.environment, wiring.upstreams) == ({}, ())


GATEWAY = {"name": "G", "base_url": "https://g.example/openai/v1"}
CONFIG: dict[str, Any] = {
    "model_provider": "g",
    "model_providers": {"g": GATEWAY, "h": {"base_url": "http://h.example"}},
    "profiles": {"plain": {"model_provider": "openai"}, "other": {"model_provider": "h"}},
    "openai_base_url": "https://o.example/v1",
}


@pytest.mark.parametrize(
    ("arguments", "provider", "base"),
    [
        ([], "g", "https://g.example/openai/v1"),
        (["-p", "plain"], "openai", "https://o.example/v1"),
        (["exec", "--profile", "other"], "h", "http://h.example"),
        (["-c", 'profile="other"'], "h", "http://h.example"),
        (["-c", "model_provider=h"], "h", "http://h.example"),
        (["-c", 'model_providers.g.base_url="http://x/y"'], "g", "http://x/y"),
        (["--config", 'model_providers.g={base_url="http://z"}'], "g", "http://z"),
        (["-c", "model_provider=nobody"], "nobody", None),
        (["-c"], "g", "https://g.example/openai/v1"),
    ],
)
def test_codex_keeps_the_provider_that_its_settings_name(
    arguments: list[str], provider: str, base: str | None
) -> None:
    assert codex_base(arguments, CONFIG) == (provider, base)


def test_codex_gets_ours_after_each_override_that_would_undo_it() -> None:
    table = "model_providers.g={base_url='http://u'}"
    command = ["codex", "exec", "-c", table, "-c", "model='m'", "hi"]
    wiring = wired("codex", command, {}, BASE, Found(codex=CONFIG))
    ours = ["-c", f'model_providers.g.base_url="{BASE}"']
    assert wiring.command == ("codex", *ours, *command[1:4], *ours, *command[4:])
    assert wired("codex", ["codex"], {}, BASE, Found(codex=CONFIG)) == (
        ("codex", "-c", f'model_providers.g.base_url="{BASE}/openai/v1"'),
        {},
        ("https://g.example",),
    )


def test_opencode_is_told_beside_what_it_was_told_already() -> None:
    before = {"provider": {"openai": {"options": {"baseURL": "http://a.example/x", "k": 1}}}}
    environment = {"OPENCODE_CONFIG_CONTENT": json.dumps({"theme": "t", **before})}
    config = {"provider": {"anthropic": {"options": {"baseURL": "https://b.example/v1"}}}}
    wiring = wired("opencode", ["opencode"], environment, BASE, Found(opencode=config))
    assert json.loads(wiring.environment["OPENCODE_CONFIG_CONTENT"]) == {
        "theme": "t",
        "provider": {
            "anthropic": {"options": {"baseURL": f"{BASE}/v1"}},
            "openai": {"options": {"baseURL": f"{BASE}/x", "k": 1}},
        },
    }
    assert wiring.upstreams == ("anthropic=https://b.example", "openai=http://a.example")


def test_mini_swe_agent_is_told_for_both_apis() -> None:
    before = {"OPENAI_BASE_URL": "http://o.example/v1"}
    wiring = wired("mini-swe-agent", ["mini"], before, BASE, Found())
    assert wiring.environment == {
        "ANTHROPIC_API_BASE": BASE,
        "ANTHROPIC_BASE_URL": BASE,
        "OPENAI_API_BASE": f"{BASE}/v1",
        "OPENAI_BASE_URL": f"{BASE}/v1",
    }
    assert wiring.upstreams == ("openai=http://o.example",)


@pytest.mark.parametrize(
    ("environment", "base"),
    [
        ({}, f"{BASE}/v1"),
        ({"LLM_MODEL": "openai/gpt"}, f"{BASE}/v1"),
        ({"LLM_MODEL": "anthropic/claude"}, BASE),
        ({"LLM_BASE_URL": "http://x.example/y"}, f"{BASE}/y"),
    ],
)
def test_openhands_is_told_by_its_model(environment: dict[str, str], base: str) -> None:
    wiring = wired("openhands", ["openhands"], environment, BASE, Found())
    assert wiring.environment == {"LLM_BASE_URL": base}


def test_a_proxy_of_the_environment_is_not_between_the_agent_and_us() -> None:
    for before, after in (({}, "127.0.0.1"), ({"no_proxy": "a.example"}, "a.example,127.0.0.1")):
        environment = {"HTTPS_PROXY": "http://p.example", **before}
        told = wired("codex", ["codex"], environment, BASE, Found()).environment
        assert told == {"NO_PROXY": after, "no_proxy": after}
    everything = {"HTTPS_PROXY": "http://p.example", "NO_PROXY": "*"}
    assert wired("codex", ["codex"], everything, BASE, Found()).environment == {}


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["provider", "openai", "options", "baseURL", "profiles", "model_providers",
                         "model_provider", "profile", "g", "base_url"]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip
TABLE = st.dictionaries(st.sampled_from(["provider", "model_provider", "profile", "g"]), JSON)
WORD = st.sampled_from(["-c", "-p", "codex", "exec", "model_provider=g", "profile=[1"]) | st.text()


@given(
    agent=st.sampled_from(list(AGENTS)),
    command=st.lists(WORD, min_size=1, max_size=6),
    content=JSON,
    config=TABLE,
)
def test_no_configuration_is_too_odd(
    agent: str, command: list[str], content: Any, config: dict[str, Any]
) -> None:
    environment = {"OPENCODE_CONFIG_CONTENT": json.dumps(content)}
    wiring = wired(agent, command, environment, BASE, Found(config, config, config))
    assert [word for word in command if word not in wiring.command] == []
