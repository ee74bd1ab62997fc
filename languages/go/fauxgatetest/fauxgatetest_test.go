package fauxgatetest_test

import (
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
)

type object = fauxgatetest.Object

const name = "app.example.com"

// call makes a call of the API, and returns the status and the body.
func call(t *testing.T, gateway *fauxgatetest.Gateway, method, path, body string) (int, string) {
	t.Helper()
	request, err := http.NewRequest(method, gateway.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer any key")
	request.Header.Set("Ngrok-Version", "2")
	request.Header.Set("Content-Type", "application/json")
	response, err := gateway.Client().Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// reserve reserves a domain with an automatic certificate, and returns the status.
func reserve(t *testing.T, gateway *fauxgatetest.Gateway) int {
	t.Helper()
	policy := `{"authority": "letsencrypt", "private_key_type": "ecdsa"}`
	status, _ := call(t, gateway, "POST", "/reserved_domains", `{"domain": "`+name+`", "certificate_management_policy": `+policy+`}`)
	return status
}

func hasCertificate(t *testing.T, gateway *fauxgatetest.Gateway) bool {
	t.Helper()
	_, text := call(t, gateway, "GET", "/reserved_domains", "")
	return strings.Contains(text, `"certificate":{"id":"cert_`)
}

func TestATestDoesNotSeeWhatAnotherHasLeft(t *testing.T) {
	for range 2 {
		t.Run("in turn", func(t *testing.T) {
			gateway := fauxgatetest.New(t)
			if at := gateway.Now(); !at.Equal(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)) {
				t.Fatal(at)
			}
			for _, path := range []string{"/requests", "/faults", "/snapshots", "/provisioning/script"} {
				if text := gateway.Control("GET", path, nil); text != "[]" {
					t.Fatal(path, text)
				}
			}
			if status := reserve(t, gateway); status != 201 {
				t.Fatal(status)
			}
			gateway.Advance(time.Hour)
			gateway.Script("INTERNAL_ERROR")
			gateway.Fault(object{"operation": "reserved_domains.list", "status": 503})
			gateway.Control("POST", "/snapshots", object{"name": "mine"})
		})
	}
}

func TestTestsAtTheSameTimeHaveTheirOwnGateways(t *testing.T) {
	for range 4 {
		t.Run("parallel", func(t *testing.T) {
			t.Parallel()
			gateway, other := fauxgatetest.New(t), fauxgatetest.New(t)
			if reserve(t, gateway) != 201 || reserve(t, other) != 201 {
				t.Fatal("another test has reserved the domain")
			}
			gateway.Advance(time.Minute)
			if !hasCertificate(t, gateway) || hasCertificate(t, other) {
				t.Fatal("the clock of another gateway was advanced")
			}
		})
	}
}

func TestTheClock(t *testing.T) {
	gateway := fauxgatetest.New(t)
	start := gateway.Now()
	if at := gateway.Advance(90 * time.Second); at.Sub(start) != 90*time.Second {
		t.Fatal(at)
	}
	if at := gateway.AdvanceTo(start.Add(time.Hour)); at.Sub(start) != time.Hour {
		t.Fatal(at)
	}
	reserve(t, gateway)
	gateway.AdvanceToNext()
	if !hasCertificate(t, gateway) {
		t.Fatal("the next event was not the certificate")
	}
	gateway.Renew(name)
	gateway.Expire(name)
	gateway.Reset()
	if at := gateway.Now(); !at.Equal(start) {
		t.Fatal(at)
	}
}

func TestOutcomesOfAttempts(t *testing.T) {
	gateway := fauxgatetest.New(t)
	gateway.ScriptFor("other.example.com", "INTERNAL_ERROR")
	gateway.Script("DNS_ERROR")
	reserve(t, gateway)
	gateway.Attempt(name)
	if hasCertificate(t, gateway) {
		t.Fatal("there is a certificate after a failed attempt")
	}
	gateway.Attempt(name)
	if !hasCertificate(t, gateway) {
		t.Fatal("the second attempt took the outcome of another domain")
	}
}

func TestDNSWithAnOptionOfTheServer(t *testing.T) {
	gateway := fauxgatetest.New(t, "--dns", "simulated", "--start", "2027-01-01T00:00:00Z")
	if at := gateway.Now(); at.Year() != 2027 {
		t.Fatal(at)
	}
	gateway.SetDNS(name, "CNAME", "elsewhere.example.com")
	reserve(t, gateway)
	gateway.Advance(time.Minute)
	if hasCertificate(t, gateway) {
		t.Fatal("the record was not checked")
	}
	gateway.RemoveDNS(name)
	if records := gateway.Control("GET", "/dns", nil); records != "[]" {
		t.Fatal(records)
	}
}

func TestFaultsAndRequests(t *testing.T) {
	gateway := fauxgatetest.New(t)
	gateway.Fault(object{"operation": "reserved_domains.create", "times": 1, "status": 503})
	first, second := reserve(t, gateway), reserve(t, gateway)
	if first != 503 || second != 201 {
		t.Fatal(first, second)
	}
	statuses := []int{}
	for _, each := range gateway.Requests() {
		statuses = append(statuses, each.Status)
	}
	if !slices.Equal(statuses, []int{503, 201}) {
		t.Fatal(statuses)
	}
	last := gateway.LastRequest()
	if last.Operation != "reserved_domains.create" || last.Method != "POST" || last.Request.(object)["domain"] != name {
		t.Fatalf("%+v", last)
	}
	if report := gateway.Report(); !strings.Contains(report, "POST /reserved_domains") {
		t.Fatal(report)
	}
}

func TestSentEvents(t *testing.T) {
	gateway := fauxgatetest.New(t)
	if all := gateway.SentEvents("vault_created.v0"); len(all) != 0 {
		t.Fatal(all)
	}
}

func TestTrafficOfVisitors(t *testing.T) {
	gateway := fauxgatetest.New(t)
	endpoint := object{"url": "https://" + name, "forwards_to": "http://localhost:80"}
	declared := gateway.Declare(object{"tunnel_session": object{"endpoints": []object{endpoint}}})
	if _, isThere := declared["tunnel_session"]; !isThere {
		t.Fatal(declared)
	}
	gateway.Upstream(object{"url": "http://localhost:80", "status": 202, "body": "Hello"})
	response := gateway.Visit(object{"url": "https://" + name})
	if response["status"] != 202.0 || response["body"] != "Hello" {
		t.Fatal(response)
	}
}

func TestTheClientTrustsTheGateway(t *testing.T) {
	gateway := fauxgatetest.New(t, "--tls")
	if !strings.HasPrefix(gateway.URL, "https:") {
		t.Fatal(gateway.URL)
	}
	if status := reserve(t, gateway); status != 201 {
		t.Fatal(status)
	}
	if _, err := http.Get(gateway.URL); err == nil {
		t.Fatal("a client without the root certificate trusts the gateway")
	}
}
