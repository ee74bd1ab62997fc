"""The controls, by the fixture."""

import json
import threading
import typing
import urllib.error
import urllib.request
from datetime import datetime, timedelta, timezone

import pytest
from fauxgate import Gateway, GatewayError, types

POLICY = {"authority": "letsencrypt"}
START = "2026-01-01T00:00:00Z"


def send(gateway: Gateway, method: str, path: str, body=None):
    """Sends a request of the API, as an application would."""
    headers = {"content-type": "application/json", "ngrok-version": "2", "authorization": "Bearer any"}
    content = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(gateway.url + path, content, headers, method=method)
    with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request) as answer:
        return json.load(answer)


def reserve(gateway: Gateway):
    body = {"domain": "app.example.com", "certificate_management_policy": POLICY}
    return send(gateway, "POST", "/reserved_domains", body)["id"]


def test_the_clock_moves_by_a_duration_to_a_time_and_to_the_next_event(fauxgate):
    assert fauxgate.now() == START
    assert fauxgate.advance("90s") == "2026-01-01T00:01:30Z"
    assert fauxgate.advance(30_000) == "2026-01-01T00:02:00Z"
    assert fauxgate.advance_to("2026-01-02T00:00:00Z") == fauxgate.now()
    reserve(fauxgate)
    assert fauxgate.advance_to_next() == "2026-01-02T00:00:30Z"


def test_the_time_has_its_milliseconds_so_that_the_clock_can_be_advanced_to_it(fauxgate):
    assert fauxgate.advance(1050) == "2026-01-01T00:00:01.050Z"
    assert fauxgate.advance_to(fauxgate.now()) == fauxgate.now() == "2026-01-01T00:00:01.050Z"


def test_durations_and_times_of_python_are_exact(fauxgate, fauxgate_server):
    start = datetime(2026, 1, 1, tzinfo=timezone.utc)
    assert fauxgate.advance_to(start + timedelta(milliseconds=1500)) == "2026-01-01T00:00:01.500Z"
    with fauxgate_server.create(start=start + timedelta(days=1)) as later:
        assert later.now() == "2026-01-02T00:00:00Z"
    assert fauxgate.advance(timedelta(milliseconds=500)) == "2026-01-01T00:00:02Z"
    east = timezone(timedelta(hours=2))
    assert fauxgate.advance_to(datetime(2026, 1, 1, 3, tzinfo=east)) == "2026-01-01T01:00:00Z"
    fault = fauxgate.fault(operation="reserved_domains.list", latency=timedelta(minutes=1), times=1)
    assert fault["latency"] == 60_000
    fauxgate.clear_faults()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (timedelta(microseconds=500), "is not a whole number of milliseconds"),
        (datetime(2026, 2, 1), "has no time zone. Add one"),
        (datetime(2026, 2, 1, microsecond=500, tzinfo=timezone.utc), "is not a whole number of milliseconds"),
    ],
)
def test_a_time_that_no_gateway_has_is_rejected(fauxgate, value, message):
    with pytest.raises(ValueError, match=message):
        fauxgate.control("POST", "/clock", {"advance": value})
    assert fauxgate.now() == START


def test_a_request_that_a_fault_delays_is_waited_for(fauxgate):
    fauxgate.fault(operation="reserved_domains.create", latency="30s", times=1)
    request = threading.Thread(target=reserve, args=[fauxgate])
    request.start()
    assert fauxgate.wait_for_request()["until"] == "2026-01-01T00:00:30Z"
    fauxgate.advance("30s")
    request.join(10)
    assert not request.is_alive()


def test_waiting_for_a_request_that_never_comes_ends_with_the_report(fauxgate):
    with pytest.raises(GatewayError, match=r"(?s)No request waited within 0.02 s.*The gateway at 2026"):
        fauxgate.wait_for_request(timeout=0.02)


def test_each_gateway_has_an_agent_below_its_url(fauxgate, fauxgate_server):
    body = {"name": "web", "addr": 80, "proto": "http"}
    with fauxgate_server.create() as other:
        for gateway in (fauxgate, other):
            assert send(gateway, "POST", "/api/tunnels", body)["name"] == "web"
            assert gateway.agent_url == gateway.url


def test_scripted_outcomes_apply_to_their_domain(fauxgate):
    fauxgate.script("DNS_ERROR", domain="app.example.com")
    fauxgate.script("INTERNAL_ERROR", domain="other.example.com")
    fauxgate.clear_script(domain="other.example.com")
    reserve(fauxgate)
    assert fauxgate.attempt("app.example.com")["certificate"] is None
    assert fauxgate.attempt("app.example.com")["certificate"]
    steps = [each["transition"] for each in fauxgate.timeline("app.example.com")]
    assert steps == ["started", "failed", "retried", "issued"]


def test_the_report_suggests_a_call_of_python(fauxgate):
    reserve(fauxgate)
    assert "`fauxgate.advance_to_next()` goes there." in fauxgate.report()


def test_certificates_are_renewed_and_expire(fauxgate):
    reserve(fauxgate)
    first = fauxgate.attempt("app.example.com")["certificate"]
    assert fauxgate.renew("app.example.com")["certificate"] == first
    fauxgate.script(always="DNS_ERROR")
    assert fauxgate.expire("app.example.com")["certificate"] == first


def test_faults_are_added_listed_and_removed(fauxgate):
    fault = fauxgate.fault(operation="reserved_domains.list", status=503, retryAfter="2s")
    with pytest.raises(urllib.error.HTTPError) as refused:
        send(fauxgate, "GET", "/reserved_domains")
    assert (refused.value.code, refused.value.headers["retry-after"]) == (503, "2")
    assert [each["hits"] for each in fauxgate.faults()] == [1]
    fauxgate.clear_faults(id=fault["id"])
    assert fauxgate.faults() == []
    fauxgate.fault(status=500)
    fauxgate.clear_faults()
    assert send(fauxgate, "GET", "/reserved_domains")["reserved_domains"] == []


def test_requests_are_listed_by_their_fields(fauxgate):
    assert fauxgate.last_request() is None
    id = reserve(fauxgate)
    send(fauxgate, "GET", f"/reserved_domains/{id}")
    assert [each["status"] for each in fauxgate.requests()] == [201, 200]
    assert [each["path"] for each in fauxgate.requests(method="POST", status=201)] == ["/reserved_domains"]
    assert fauxgate.last_request()["operation"] == "reserved_domains.get"
    assert fauxgate.last_request(operation="reserved_domains.create")["response"]["id"] == id
    with pytest.raises(TypeError, match="operatoin is not a field of a request. Did you mean operation?"):
        fauxgate.requests(operatoin="reserved_domains.get")


@pytest.mark.parametrize(
    ("filter", "message"),
    [
        ({"operation": "reserved_domain.get"}, 'operation is "reserved_domain.get". Allowed: .*reserved_domains.get'),
        ({"method": "post"}, 'method is "post". Allowed: one of GET'),
        ({"status": "2O1"}, 'status is "2O1". Allowed'),
        ({"path": "reserved_domains"}, 'path is "reserved_domains". Allowed: a path'),
    ],
)
def test_a_filter_that_no_request_can_match_is_rejected(fauxgate, filter, message):
    with pytest.raises(GatewayError, match=message):
        fauxgate.last_request(**filter)


def test_fields_that_can_be_null_have_types_with_none(fauxgate):
    id = reserve(fauxgate)
    hints = typing.get_type_hints(types.ReservedDomain)
    nulls = [name for name, value in send(fauxgate, "GET", f"/reserved_domains/{id}").items() if value is None]
    assert "certificate" in nulls
    assert [name for name in nulls if type(None) not in typing.get_args(hints[name])] == []


def test_sent_events_are_listed_by_their_type(fauxgate):
    target = {"datadog": {"api_key": "a key"}}
    destination = send(fauxgate, "POST", "/event_destinations", {"format": "json", "target": target})
    sources = [{"type": "vault_created.v0"}, {"type": "ip_policy_created.v0"}]
    subscription = {"sources": sources, "destination_ids": [destination["id"]]}
    send(fauxgate, "POST", "/event_subscriptions", subscription)
    vault = send(fauxgate, "POST", "/vaults", {"name": "app"})
    send(fauxgate, "POST", "/ip_policies", {})
    assert len(fauxgate.sent_events()) == 2
    assert [each["object"] for each in fauxgate.sent_events(type="vault_created.v0")] == [vault]


def test_dns_records_are_set_and_removed(fauxgate):
    fauxgate.set_dns("app.example.com", "CNAME", value="x.example.com", after="2m")
    fauxgate.set_dns("other.example.com", "TIMEOUT")
    assert [each["name"] for each in fauxgate.dns()] == ["app.example.com", "other.example.com"]
    fauxgate.clear_dns(name="app.example.com")
    assert [each["type"] for each in fauxgate.dns()] == ["TIMEOUT"]
    fauxgate.clear_dns()
    assert fauxgate.dns() == []


def test_a_visitor_reaches_the_upstream_of_a_declared_agent(fauxgate):
    session = fauxgate.declare(tunnel_session={"endpoints": [{"url": "https://app.example.com"}]})["tunnel_session"]
    fauxgate.upstream("https://app.example.com", status=201, body="hello")
    response = fauxgate.visit("https://app.example.com/x", method="POST", body="hi")
    assert (response["status"], response["body"]) == (201, "hello")
    fauxgate.end(session["id"])
    assert fauxgate.visit("https://app.example.com/x")["status"] == 404


def test_declaring_without_a_response_returns_an_empty_object(fauxgate):
    assert fauxgate.declare(endpoint_configuration="ec_1") == {}


def test_a_snapshot_restores_the_state(fauxgate):
    empty = fauxgate.snapshot()
    reserve(fauxgate)
    fauxgate.restore(empty)
    assert send(fauxgate, "GET", "/reserved_domains")["reserved_domains"] == []


def test_the_report_is_a_text(fauxgate):
    send(fauxgate, "GET", "/reserved_domains")
    assert "GET /reserved_domains → 200" in fauxgate.report()


def test_any_other_call_goes_by_its_path(fauxgate):
    assert fauxgate.control("POST", "/snapshots", {"name": "before"})["name"] == "before"
    fauxgate.control("DELETE", "/snapshots", name="before")
    assert fauxgate.control("GET", "/authority.pem").startswith("-----BEGIN CERTIFICATE-----")


@pytest.mark.parametrize("place", ["first", "second"])
def test_a_test_sees_neither_snapshots_nor_undo_of_another(fauxgate, place):
    assert fauxgate.control("GET", "/snapshots") == []
    with pytest.raises(GatewayError):
        fauxgate.control("POST", "/undo")
    assert send(fauxgate, "GET", "/reserved_domains")["reserved_domains"] == []
    reserve(fauxgate)
    fauxgate.control("POST", "/snapshots", {"name": "mine"})
    fauxgate.control("POST", "/clock", {"advance": "1h", "remember": True})


@pytest.mark.fauxgate(plan="free", start="2027-01-01T00:00:00Z")
class TestOptions:
    def test_the_marker_of_a_class_applies(self, fauxgate):
        assert fauxgate.now() == "2027-01-01T00:00:00Z"
        assert fauxgate.control("GET", "/controls")["options"]["account"] == {"plan": "free"}

    @pytest.mark.fauxgate(clock="system")
    def test_the_marker_of_a_test_wins(self, fauxgate_server):
        with fauxgate_server.create(clock="system") as gateway:
            assert gateway.control("GET", "/clock")["manual"] is False


IDS = pytest.StashKey[str]()


@pytest.mark.fauxgate(strict=False)
@pytest.mark.parametrize("place", ["first", "second"])
def test_each_test_begins_empty_with_the_same_ids(fauxgate, place, request):
    assert fauxgate.now() == START
    assert fauxgate.requests() == []
    id = reserve(fauxgate)
    fauxgate.advance("1h")
    fauxgate.fault(status=503)
    assert request.config.stash.setdefault(IDS, id) == id


def test_a_refused_call_has_the_message_of_the_server(fauxgate):
    with pytest.raises(GatewayError, match='^advance is "soon". Allowed: a number of ms') as refused:
        fauxgate.advance("soon")
    assert refused.value.status == 400
    assert refused.value.body["error_code"] == "ERR_NGROK_215"


def test_a_variable_without_a_value_is_refused(fauxgate):
    for call in (fauxgate.script, fauxgate.fault, fauxgate.requests, fauxgate.clear_faults, fauxgate.clear_dns):
        with pytest.raises(TypeError, match="domain is None. Give it a value, or omit it."):
            call(domain=None)


def test_a_stream_of_events_is_refused(fauxgate):
    with pytest.raises(GatewayError, match=r"^GET /g/\w+/_fauxgate/events is a stream of events without an end.* Call requests\(\)"):
        fauxgate.control("GET", "/events")


def test_a_call_without_a_server_is_refused():
    with pytest.raises(GatewayError, match="^No gateway responds at http://127.0.0.1:1: "):
        Gateway("http://127.0.0.1:1").reset()
