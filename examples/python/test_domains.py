from datetime import timedelta
from threading import Thread

import ngrok
import pytest
from domains import reserve, wait_for_certificate


@pytest.fixture
def client(fauxgate):
    return ngrok.Client("any key", fauxgate.url)


def test_waits_for_the_certificate(fauxgate, client):
    domain = reserve(client, "app.example.com")
    assert domain.certificate is None
    assert wait_for_certificate(client, domain.id, pause=lambda: fauxgate.advance("30s")).startswith("cert_")


def test_uses_a_domain_that_is_there(client):
    first = reserve(client, "app.example.com")
    assert reserve(client, "app.example.com").id == first.id


def test_continues_after_a_failed_attempt(fauxgate, client):
    fauxgate.script("DNS_ERROR", "success", domain="app.example.com")
    domain = reserve(client, "app.example.com")
    with pytest.raises(TimeoutError):
        wait_for_certificate(client, domain.id, pause=lambda: fauxgate.advance("30s"))
    assert wait_for_certificate(client, domain.id, pause=lambda: fauxgate.advance("1h"))


def test_reports_a_service_that_is_down(fauxgate, client):
    fauxgate.fault(operation="reserved_domains.create", times=1, status=503)
    with pytest.raises(RuntimeError, match="503"):
        reserve(client, "app.example.com")
    assert [request["status"] for request in fauxgate.requests()] == [503]


def test_waits_for_a_late_response(fauxgate, client):
    fauxgate.fault(operation="reserved_domains.create", latency=timedelta(seconds=30))
    thread = Thread(target=lambda: reserve(client, "app.example.com"))
    thread.start()
    fauxgate.wait_for_request()
    fauxgate.advance(timedelta(seconds=30))
    thread.join()
    assert [request["status"] for request in fauxgate.requests()] == [201]
