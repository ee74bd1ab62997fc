"""`survives` for functions in Python, and its marker."""

import json
import urllib.request
from typing import Any

import pytest

from fauxgate import Gateway, GatewayError, SurvivalError

HEADERS = {"authorization": "Bearer key", "ngrok-version": "2", "content-type": "application/json"}


def call(url: str, body: Any = None) -> Any:
    data = None if body is None else json.dumps(body).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{url}/reserved_addrs", data, HEADERS)) as response:
        return json.load(response)


def onboard(url: str, has_look: bool = True) -> None:
    for tries in range(5):
        try:
            if not has_look or not call(url)["reserved_addrs"]:
                call(url, {"description": "app"})
            return
        except (OSError, ValueError):
            if tries == 4:
                raise


def test_a_retry_without_a_look_creates_a_second_address(fauxgate: Gateway) -> None:
    def careless(url: str) -> None:
        onboard(url, has_look=False)

    with pytest.raises(SurvivalError, match="careless does not survive one fault: 2 reserved_addrs") as found:
        fauxgate.survives(careless, silence=0.1)
    assert found.value.replay == "POST /reserved_addrs#1 lost-after"
    assert 'fauxgate.survives(careless, replay="POST /reserved_addrs#1 lost-after", silence=0.1)' in str(found.value)


def test_a_function_that_looks_first_survives_failures_and_crashes(fauxgate: Gateway) -> None:
    assert fauxgate.survives(onboard, silence=0.1, restart=True) == "15 of 15 schedules with up to 1 fault; 0 fail"


def test_a_crash_is_an_exception_that_no_handler_of_errors_catches(fauxgate: Gateway) -> None:
    lives: list[str] = []

    def saves_late(url: str) -> None:
        try:
            call(url, {"description": "app"})
        except Exception as error:
            lives.append(str(error))
        lives.append("saved")

    with pytest.raises(SurvivalError, match="the code crashes before the response"):
        fauxgate.survives(saves_late, restart=True, kinds=["crash"])
    assert lives == ["saved"] * 3


def test_copies_in_threads_are_a_race(fauxgate: Gateway) -> None:
    race = "Two concurrent copies end differently than copies that run one after the other"
    with pytest.raises(SurvivalError, match=race) as found:
        fauxgate.survives(onboard, copies=2)
    assert 'Replay: fauxgate.survives(onboard, replay="A1 B A", copies=2)' in str(found.value)
    with pytest.raises(SurvivalError, match=race):
        fauxgate.survives(onboard, replay="A1 B A", copies=2)


def test_a_setup_prepares_each_gateway(fauxgate: Gateway) -> None:
    summary = fauxgate.survives(onboard, setup=lambda url: call(url, {"description": "app"}), silence=0.1)
    assert summary == "5 of 5 schedules with up to 1 fault; 0 fail"


def test_the_marker_runs_a_test_once_for_each_failure(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import json, urllib.request
        import pytest

        @pytest.mark.survives(silence=0.1, kinds=["lost"])
        def test_onboard(fauxgate):
            headers = {"authorization": "Bearer key", "ngrok-version": "2", "content-type": "application/json"}
            for tries in range(3):
                try:
                    request = urllib.request.Request(f"{fauxgate.url}/reserved_addrs", b"{}", headers)
                    return urllib.request.urlopen(request).close()
                except OSError:
                    pass
        """
    )
    result = pytester.runpytest_subprocess()
    result.assert_outcomes(failed=1)
    story = "*test_onboard does not survive one fault: 2 reserved_addrs, expected 1.*"
    result.stdout.fnmatch_lines([story, '*Replay: @pytest.mark.survives(replay="POST /reserved_addrs#1 lost-after", silence=0.1, kinds=*'])
    result.stdout.no_fnmatch_line("During handling of*")
    result.stdout.no_fnmatch_line("*What happened in the gateway*")


def test_a_wrong_setting_of_the_marker_is_one_line(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("import pytest\n@pytest.mark.survives(fault=2)\ndef test_onboard(fauxgate): pass")
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*fault is not a field of this operation.*"])
    result.stdout.no_fnmatch_line("*plugin.py*")


def test_a_story_is_told_without_the_report_of_a_gateway_that_had_no_requests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import urllib.request

        def test_onboard(fauxgate):
            headers = {"authorization": "Bearer key", "ngrok-version": "2"}
            look = lambda url: urllib.request.urlopen(urllib.request.Request(f"{url}/reserved_addrs", None, headers)).close()
            fauxgate.survives(look, setup=lambda url: None, silence=0.1, kinds=["lost"], allow="^$")
        """
    )
    result = pytester.runpytest_subprocess()
    result.stdout.fnmatch_lines(["*Replay: fauxgate.survives(function, replay=*, setup=setup)*"])
    result.stdout.no_fnmatch_line("*What happened in the gateway*")


def test_a_replay_has_the_settings_that_change_the_verdict(fauxgate: Gateway) -> None:
    def leaves(url: str) -> None:
        call(url, {"description": "app"})

    settings: dict[str, Any] = {"kinds": ["5xx"], "mayLeave": ["reserved_addrs"], "allow": "no quota", "silence": 0.1}
    with pytest.raises(SurvivalError, match="which `allow` does not accept") as found:
        fauxgate.survives(leaves, **settings)
    replay = str(found.value).partition("Replay: ")[2].splitlines()[0]
    with pytest.raises(SurvivalError, match="which `allow` does not accept"):
        eval(replay, {"fauxgate": fauxgate, "leaves": leaves})


def test_a_family_that_does_not_exist_is_found_before_the_function_is_called(fauxgate: Gateway) -> None:
    with pytest.raises(GatewayError, match='mayLeave contains "reserved_addr", which is not a family. Did you mean reserved_addrs?'):
        fauxgate.survives(lambda url: pytest.fail("it was called"), mayLeave=["reserved_addr"])
