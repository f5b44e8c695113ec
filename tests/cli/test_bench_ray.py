"""The same run on a Ray cluster of two nodes on loopback."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.cli.test_bench_run import made, reported, run

ray = pytest.importorskip("ray", reason="Ray is not installed: pip install 'statetape[ray]'")

pytestmark = pytest.mark.filterwarnings("ignore")  # Ray's own


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    from ray.cluster_utils import Cluster

    root = Path(__file__).parents[2]
    monkeypatch.setenv("PYTHONPATH", f"{root / 'src'}:{root}")
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "0")
    found = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    found.add_node(num_cpus=1)
    found.wait_for_nodes()
    ray.init(address=found.address, log_to_driver=False)
    try:
        yield found
    finally:
        ray.shutdown()
        found.shutdown()


@pytest.mark.usefixtures("cluster")
def test_a_cluster_finds_what_this_machine_does(tmp_path: Path) -> None:
    assert sum(node["Alive"] for node in ray.nodes()) == 2
    here, there = made(tmp_path / "here", 4), made(tmp_path / "there", 4)
    run(here, "--jobs", 1)
    assert "72 cells run" in run(there, "--engine", "ray")
    assert reported(here) == reported(there)
