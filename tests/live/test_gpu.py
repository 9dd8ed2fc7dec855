"""Characters on a GPU: packing and tables everywhere, kernels against the CPU's through a plain C++ compiler, and the
same on a GPU where there is one."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from host_machine import COMPILER, HostMachine

from footfall.core.errors import FootfallError, ParameterError, ReadError, UnknownName
from footfall.graph.build.open_graph import graph
from footfall.live.controller import Controllers
from footfall.live.crowd import Crowd
from footfall.live.decisions import Decider
from footfall.live.gpu.characters import DeviceCharacters, step_numbers
from footfall.live.gpu.crowd import GpuCrowd
from footfall.live.gpu.layout import from_device_order, row_fields, rows_of, table_arrays, to_device_order
from footfall.live.gpu.packed_graph import load_packed, pack_graph, save_packed
from footfall.live.gpu.source import source
from footfall.live.playable_graph import playable_graph
from footfall.live.rows import CharacterRows
from footfall_lab.gpu_streams import DT, commands, roots

needs_compiler = pytest.mark.skipif(COMPILER is None, reason="no C++ compiler here to build the device's kernels with")


def gpu_missing() -> str:
    """Why there is no GPU here; empty where there is one."""
    from footfall.live.gpu.cuda import cuda_torch

    try:
        cuda_torch()
    except FootfallError as reason:
        return str(reason)
    return ""


needs_gpu = pytest.mark.skipif(bool(gpu_missing()), reason=f"needs a GPU: {gpu_missing()}")


@pytest.fixture(scope="session")
def packed(small):
    return pack_graph(small)


@pytest.fixture(scope="session")
def host(packed, tmp_path_factory):
    return HostMachine(packed, tmp_path_factory.mktemp("kernels"))


# --- packing ----------------------------------------------------------------------------------------------------------


def test_a_packed_graph_and_its_rows_come_back_from_one_file(packed, tmp_path):
    rows = rows_of(packed, 3)._asdict()
    rows["root"][:] = np.arange(9).reshape(3, 3)
    save_packed(packed, tmp_path / "hero.npz", rows)
    again, found = load_packed(tmp_path / "hero.npz")
    assert (again.names, again.home, again.joints, again.edge_names) == (
        packed.names, packed.home, packed.joints, packed.edge_names)  # fmt: skip
    assert again.arrays.keys() == packed.arrays.keys()
    for name, values in packed.arrays.items():
        assert values.dtype == again[name].dtype
        np.testing.assert_array_equal(values, again[name])
    for name, values in rows.items():
        np.testing.assert_array_equal(values, found[name])


def test_a_file_that_is_no_packed_graph_is_refused_in_one_sentence(tmp_path):
    (tmp_path / "no.npz").write_bytes(b"PK nothing")
    with pytest.raises(ReadError, match="expected a packed graph"):
        load_packed(tmp_path / "no.npz")


def test_a_packed_graph_is_read_without_numba_scipy_and_torch(packed, tmp_path):
    save_packed(packed, tmp_path / "hero.npz")
    code = (
        "import sys\n"
        "for name in ('numba', 'scipy', 'torch', 'click'): sys.modules[name] = None\n"
        "from footfall.live.gpu import cuda\n"
        "from footfall.live.gpu.packed_graph import load_packed\n"
        "from footfall.live.gpu.source import source\n"
        f"packed, _ = load_packed({str(tmp_path / 'hero.npz')!r})\n"
        "print(len(source(packed)) > 10000)\n"
        "try: cuda.cuda_torch()\n"
        "except Exception as error: print(error)\n"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.splitlines()
    assert told == ["True", "this needs torch: pip install 'footfall[gpu]'"]


def test_rows_go_to_the_devices_order_and_back(packed):
    rng = np.random.default_rng(0)
    for field, one in zip(row_fields(packed, 5), rows_of(packed, 5), strict=False):
        values = rng.integers(0, 2, one.shape).astype(one.dtype)
        there = to_device_order(field.name, values)
        assert there.shape == field.shape
        assert there.dtype == field.dtype
        np.testing.assert_array_equal(from_device_order(field.name, there), values)
    assert [f.name for f in row_fields(packed, 5)] == [*CharacterRows._fields, "act"]


def test_tables_of_weights_begin_on_borders_of_sixteen_bytes(packed):
    tables = table_arrays(packed)
    assert (tables["w_first"] % 4 == 0).all()
    for k in range(len(packed["m.count"])):
        if packed["w.kind"][k]:
            first, size = int(packed["w.first"][k]), 4 * int(packed["w.width"][k])
            np.testing.assert_array_equal(
                tables["w_values"][tables["w_first"][k] :][:size], packed["w.values"][first:][:size]
            )


# --- decisions --------------------------------------------------------------------------------------------------------


def test_decision_tables_say_what_the_graph_does(small, packed):
    of = playable_graph(small)
    nodes = len(of.names)
    for a in range(nodes):
        assert bool(packed["d.is_action"][a]) == of.is_action[a]
        into = packed["d.into"][packed["d.into_first"][a] : packed["d.into_first"][a + 1]].tolist()
        assert into == [e for (_, after), ways in of.ways.items() if after == a for e in ways]
        for b in range(nodes):
            assert packed["d.next_step"][a, b] == of.next_step[a][b]
            first, last = packed["d.way_first"][a * nodes + b : a * nodes + b + 2]
            assert tuple(packed["d.way"][first:last].tolist()) == of.ways.get((a, b), ())


# --- kernels, built by a plain compiler -------------------------------------------------------------------------------


def told(decider: Decider, names: tuple[str, ...], live, given) -> None:
    """What a stream asks for, told to the CPU's characters."""
    rows = live.rows
    asks = ~np.isnan(given.speed)
    rows.asked[asks, 0], rows.asked[asks, 1] = given.speed[asks], given.turn[asks]
    rows.asked[:, 2] = 0.0
    for n in np.flatnonzero((given.type >= 0) & ((given.type != rows.type) | (given.urgent > 0))).tolist():
        decider.request(n, names[given.type[n]], bool(given.urgent[n]))
    for n in np.flatnonzero(np.abs(given.shove).sum(axis=1)).tolist():
        decider.shove(n, float(given.shove[n, 0]), float(given.shove[n, 1]))


def compare(of, packed, machine, count: int, steps: int, seed: int) -> dict[str, float]:
    """The same stream on both: how far poses are apart where no decision has tipped, and how many decisions agree."""
    cpu = Controllers(of, roots(seed, count))
    live, names = cpu._live, cpu.types
    device = DeviceCharacters(packed, count, machine)
    machine.put(device.rows["root"], roots(seed, count).T.copy())
    where, there = np.zeros((2, steps, count), int)
    clean, place, turn = np.ones(count, bool), 0.0, 0.0
    for k in range(steps):
        given = commands(seed, k, count)
        told(live.decider, names, live, given)
        shown = live.step(DT, fresh=True)
        device.ask(
            type=given.type, urgent=given.urgent, speed=given.speed, turn=given.turn, side=0.0, shove=given.shove
        )
        device.step(DT)
        state = [machine.get(device.rows[name]).astype(int) for name in ("node", "edge", "phase")]
        where[k] = live.rows.node * 1000 + live.rows.edge * 10 + live.rows.phase
        there[k] = state[0] * 1000 + state[1] * 10 + state[2]
        clean &= (where[k] == there[k]) & (live.rows.hold == machine.get(device.rows["hold"]).T).all(axis=1)
        at = (machine.get(device.work["o_place"]) + machine.get(device.work["o_joints"])[0]).T
        rot = machine.get(device.work["o_rot"])
        far = np.linalg.norm(rot - np.sign((rot * shown.rot).sum(-1, keepdims=True)) * shown.rot, axis=-1).max(axis=1)
        place = max(place, np.linalg.norm(at - shown.root_pos, axis=1)[clean].max(initial=0.0))
        turn = max(turn, 2.0 * far[clean].max(initial=0.0))
    events = [(k, n) for k, n in zip(*np.nonzero(np.diff(where, axis=0)), strict=True)]
    same = sum(
        any(0 <= j < steps - 1 and there[j + 1, n] == where[k + 1, n] for j in (k - 1, k, k + 1)) for k, n in events
    )
    now = sum((there[k : k + 2, n] == where[k : k + 2, n]).all() for k, n in events)
    return {"place_m": place, "turn_rad": turn, "events": len(events), "same": same / max(len(events), 1),
            "now": now / max(len(events), 1), "clean": float(clean.mean())}  # fmt: skip


@needs_compiler
def test_characters_of_a_device_begin_as_those_of_the_cpu(packed, host):
    begun = DeviceCharacters(packed, 3, host).read_rows()
    own = {"node", "type", "want", "motion", "p", "goal", "weights", "wanted", "cover", "share"}  # of the home
    for name, expected in zip(CharacterRows._fields, rows_of(packed, 3), strict=True):
        if name not in own:
            np.testing.assert_array_equal(begun[name], expected, err_msg=name)


@needs_compiler
def test_the_devices_kernels_do_what_the_cpus_do(tmp_path):
    builtin = graph("builtin")  # all there is: actions of both sides, side steps, turns
    packed = pack_graph(builtin)
    found = compare(builtin, packed, HostMachine(packed, tmp_path), 100, 300, seed=5)
    assert found["place_m"] < 1e-3
    assert found["turn_rad"] < 1e-3
    assert found["events"] > 400
    assert found["now"] >= 0.999  # in the very frame
    assert found["clean"] > 0.8


@needs_compiler
def test_an_action_is_done_once_and_then_what_was_asked_for_goes_on(tmp_path):
    packed = pack_graph(graph("builtin"))
    device = DeviceCharacters(packed, 2, HostMachine(packed, tmp_path))
    wave, seen = packed.names.index("wave"), []
    device.ask(type=np.array([wave, -1], np.int32))
    for _ in range(500):
        device.step(DT)
        seen.append(device.rows["node"].copy())
    first = np.array(seen)[:, 0]
    assert set(first.tolist()) == {packed.home, wave}
    assert (np.abs(np.diff(first)) > 0).sum() <= 2
    assert first[-1] == packed.home
    assert (np.array(seen)[:, 1] == packed.home).all()


@needs_compiler
def test_nothing_asked_nothing_changes_and_the_same_again_is_the_same(packed, host):
    found = []
    for _ in range(2):
        device = DeviceCharacters(packed, 3, host)
        device.ask(type="walk", speed=1.2, turn=np.array([0.0, 20.0, -20.0], np.float32))
        for _ in range(60):
            device.step(DT)
        found.append(device.read_rows())
    for name, values in found[0].items():
        np.testing.assert_array_equal(values, found[1][name])
    assert (found[0]["type"] == packed.names.index("walk")).all()
    assert np.isfinite(found[0]["root"]).all()


@needs_compiler
def test_rows_that_were_saved_go_on_as_if_never_stopped(packed, host, tmp_path):
    whole = DeviceCharacters(packed, 3, host)
    whole.ask(type="walk", speed=1.4, turn=10.0)
    for _ in range(40):
        whole.step(DT)
    save_packed(packed, tmp_path / "half.npz", whole.read_rows())
    again, rows = load_packed(tmp_path / "half.npz")
    rest = DeviceCharacters(again, 3, host, rows=rows)
    for _ in range(40):
        whole.step(DT)
        rest.step(DT)
    for name, values in whole.read_rows().items():
        np.testing.assert_array_equal(values, rest.read_rows()[name])


def test_constants_of_the_kernels_are_the_cpus(packed, monkeypatch):
    from footfall.live import clock

    assert f"#define PACE_S {clock.PACE_S!r}" in source(packed)
    monkeypatch.setattr(clock, "PACE_S", 0.125)
    assert "#define PACE_S 0.125" in source(packed)


def test_what_cannot_be_is_refused(packed, host):
    with pytest.raises(ParameterError, match="1 to"):
        DeviceCharacters(packed, 0, host)
    with pytest.raises(ParameterError, match="lasts 0 to"):
        step_numbers(1.0, True)
    with pytest.raises(UnknownName, match="type of motion"):
        DeviceCharacters(packed, 1, host).ask(type="fly")


def test_a_packed_graph_of_twice_the_examples_moves_the_same(packed, host, tmp_path):
    from footfall_lab.bench.gpu import widened

    wide = widened(packed, examples=8, joints=24)
    found = []
    for of, machine in ((packed, host), (wide, HostMachine(wide, tmp_path))):
        device = DeviceCharacters(of, 4, machine)
        device.ask(type="walk", speed=1.3, turn=np.array([-30.0, 0.0, 10.0, 30.0], np.float32))
        for _ in range(90):
            device.step(DT)
        found.append((device.rows["root"].copy(), device.work["o_rot"].copy()))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-5)
    joints = found[0][1].shape[1]
    np.testing.assert_allclose(found[0][1], found[1][1][:, :joints], atol=1e-4)
    assert replace(wide).dimensions == packed.dimensions


@needs_compiler
def test_a_crowd_on_a_device_goes_to_its_goals(packed, host):
    crowd = GpuCrowd(packed, 9, seed=2, side_m=12.0, goals=[(4.0, 4.0), (-4.0, -4.0)], machine=host)
    for _ in range(1500):
        shown = crowd.step(1 / 30)
    assert (crowd.characters.work["g_reached"] >= 2).all()
    assert np.isfinite(shown.root_pos).all()
    assert shown.rot.shape == (9, len(packed.joints), 4)
    stays = crowd.state("edge") < 0  # the last steps of a change from run to walk may lead back into a walk
    assert set(crowd.state("node")[stays].tolist()) <= {packed.names.index("stand"), packed.names.index("walk")}


@needs_compiler
def test_a_crowd_takes_commands_and_goes_on_from_its_file(packed, host, tmp_path):
    crowd = GpuCrowd(packed, 4, seed=1, machine=host)
    for _ in range(30):
        crowd.step(DT, type=np.array([0, 1, 1, 2], np.int32), speed=np.array([0, 1, 1.4, 3], np.float32), turn=5.0)
    crowd.save(tmp_path / "crowd.npz")
    again = GpuCrowd(tmp_path / "crowd.npz", 4, machine=host)
    for of in (crowd, again):
        of.step(DT, shove=(0.5, 0.0))
    np.testing.assert_array_equal(crowd.shown.root_pos, again.shown.root_pos)
    assert crowd.types[int(crowd.state("type")[3])] == "run"


def test_a_crowd_on_a_gpu_that_is_not_there_says_so_in_one_sentence(small):
    if not gpu_missing():
        pytest.skip("there is a GPU here")
    with pytest.raises(FootfallError) as told:
        Crowd(small, 4, device="cuda")
    assert "\n" not in str(told.value)
    assert "torch" in str(told.value)


# --- on a GPU ---------------------------------------------------------------------------------------------------------


@needs_gpu
def test_the_gpu_does_what_the_cpu_does(small, packed):
    from footfall.live.gpu.cuda import CudaMachine

    found = compare(small, packed, CudaMachine(packed), 512, 300, seed=5)
    assert found["place_m"] < 1e-3
    assert found["turn_rad"] < 1e-3
    assert found["same"] >= 0.999


@needs_gpu
def test_a_replayed_graph_gives_the_same_bytes(packed):
    from footfall.live.gpu.cuda import CudaMachine

    found = []
    for _ in range(2):
        machine = CudaMachine(packed)
        device = DeviceCharacters(packed, 1000, machine)
        device.ask(type="walk", speed=1.3)
        for _ in range(100):
            device.step(DT)
        found.append(device.read_rows())
    for name, values in found[0].items():
        np.testing.assert_array_equal(values, found[1][name])
