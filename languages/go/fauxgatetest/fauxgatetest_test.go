package fauxgatetest_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
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
			gateway := fauxgatetest.New(t, fauxgatetest.Options{AllowUnused: true})
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
			gateway.Script(fauxgatetest.OutcomeInternalError)
			gateway.Fault(fauxgatetest.Fault{Operation: "reserved_domains.list", Status: 503})
			gateway.Control("POST", "/snapshots", object{"name": "mine"})
		})
	}
}

func TestAllGatewaysOfATestBinaryAreOnOneServer(t *testing.T) {
	hosts := make(chan string, 16)
	t.Run("group", func(t *testing.T) {
		for range cap(hosts) {
			t.Run("parallel", func(t *testing.T) {
				t.Parallel()
				address, err := url.Parse(fauxgatetest.New(t).URL)
				if err != nil {
					t.Fatal(err)
				}
				hosts <- address.Host
			})
		}
	})
	for first := <-hosts; len(hosts) > 0; {
		if other := <-hosts; other != first {
			t.Fatal(first, other)
		}
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

func TestAGatewayCanHaveTheClockOfTheSystem(t *testing.T) {
	before := time.Now().Truncate(time.Second)
	at := fauxgatetest.New(t, fauxgatetest.Options{Clock: fauxgatetest.ClockSourceSystem}).Now()
	if at.Before(before) || at.After(time.Now()) {
		t.Fatal(at)
	}
}

// The check of the module sets FAUXGATE_CLOCK for a second run.
func TestAServerCanHaveTheClockOfTheEnvironment(t *testing.T) {
	if os.Getenv("FAUXGATE_CLOCK") != "system" {
		t.Skip("The server has a manual clock.")
	}
	before := time.Now().Truncate(time.Second)
	if at := fauxgatetest.New(t).Now(); at.Before(before) || at.After(time.Now()) {
		t.Fatal(at)
	}
}

func TestTheServerIsReachedWithoutTheProxyOfTheEnvironment(t *testing.T) {
	gateway := fauxgatetest.New(t)
	address, err := url.Parse(gateway.URL)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"NO_PROXY", "no_proxy"} {
		if hosts := strings.Split(os.Getenv(name), ","); !slices.Contains(hosts, address.Hostname()) {
			t.Fatal(name, hosts)
		}
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
	if job := gateway.Renew(name).CertificateManagementStatus.ProvisioningJob; !job.StartedAt.Equal(gateway.Now()) {
		t.Fatal(job)
	}
	if domain := gateway.Expire(name); domain.Domain != name {
		t.Fatal(domain)
	}
	gateway.Reset()
	if at := gateway.Now(); !at.Equal(start) {
		t.Fatal(at)
	}
}

// fatal is a test that remembers how it fails.
type fatal struct {
	testing.TB
	message string
}

func (f *fatal) Name() string                      { return "a test that fails" }
func (f *fatal) Helper()                           {}
func (f *fatal) Failed() bool                      { return false }
func (f *fatal) Cleanup(func())                    {}
func (f *fatal) Fatal(args ...any)                 { f.message = fmt.Sprint(args...); panic(f) }
func (f *fatal) Fatalf(format string, args ...any) { f.Fatal(fmt.Sprintf(format, args...)) }

// failsWith runs a part of a test that must fail, and returns its message.
func failsWith(run func(tb testing.TB)) (message string) {
	f := &fatal{}
	defer func() {
		_ = recover()
		message = f.message
	}()
	run(f)
	return ""
}

func TestDurationsAndTimesAreExact(t *testing.T) {
	gateway := fauxgatetest.New(t)
	start := gateway.Now()
	if at := gateway.AdvanceTo(start.Add(1500 * time.Millisecond)); at.Sub(start) != 1500*time.Millisecond {
		t.Fatal(at)
	}
	if at := gateway.Advance(250 * time.Millisecond); at.Sub(start) != 1750*time.Millisecond {
		t.Fatal(at)
	}
	other := gateway.Now().In(time.FixedZone("east", 3600)).Add(time.Second)
	if at := gateway.AdvanceTo(other); !at.Equal(other) {
		t.Fatal(at)
	}
	gateway.Control("POST", "/faults", object{"operation": "reserved_domains.list", "latency": 2 * time.Second, "times": 1})
	fault := gateway.Fault(fauxgatetest.Fault{Operation: "reserved_domains.create", Latency: 90 * time.Second, Times: 1})
	if fault.Latency != 90_000.0 || gateway.Faults()[0].Latency != 2000.0 {
		t.Fatal(gateway.Faults())
	}
	gateway.Control("DELETE", "/faults", nil)
}

func TestATimeThatIsNoWholeMillisecondFails(t *testing.T) {
	for _, move := range []func(*fauxgatetest.Gateway){
		func(g *fauxgatetest.Gateway) { g.Advance(500 * time.Microsecond) },
		func(g *fauxgatetest.Gateway) { g.AdvanceTo(g.Now().Add(500 * time.Microsecond)) },
		func(g *fauxgatetest.Gateway) { g.Fault(fauxgatetest.Fault{Latency: time.Nanosecond}) },
	} {
		message := failsWith(func(tb testing.TB) { move(fauxgatetest.New(tb)) })
		if !strings.Contains(message, "is not a whole number of milliseconds") {
			t.Fatal(message)
		}
	}
}

func TestAnUnusedFaultOrOutcomeFailsATest(t *testing.T) {
	for message, add := range map[string]func(*fauxgatetest.Gateway){
		"1 fault is still waiting for requests": func(g *fauxgatetest.Gateway) {
			g.Fault(fauxgatetest.Fault{Operation: "reserved_domains.list", Status: 503})
		},
		"1 fault is still waiting for requests.": func(g *fauxgatetest.Gateway) {
			other := fauxgatetest.New(t, fauxgatetest.Options{AllowUnused: true})
			other.Fault(fauxgatetest.Fault{Status: 503})
			var state fauxgatetest.Object
			if err := json.Unmarshal([]byte(other.Control("GET", "/state", nil)), &state); err != nil {
				t.Fatal(err)
			}
			g.Control("PUT", "/state", state)
		},
		"No attempt used these outcomes: DNS_ERROR":     func(g *fauxgatetest.Gateway) { g.Script(fauxgatetest.OutcomeDNSError) },
		"No attempt used these outcomes: obtain_failed": func(g *fauxgatetest.Gateway) { g.ScriptFor(name, fauxgatetest.CertificateErrorObtainFailed) },
	} {
		f := &failing{}
		add(fauxgatetest.New(f))
		f.end()
		if !strings.Contains(f.message, message) || !strings.Contains(f.message, "What happened in the gateway") {
			t.Fatal(f.message)
		}
	}
}

func TestTheReportSuggestsACallOfGo(t *testing.T) {
	f := &failing{}
	gateway := fauxgatetest.New(f)
	end := f.end // A client of the gateway adds its own.
	reserve(t, gateway)
	report := gateway.Report()
	f.hasFailed = true
	end()
	for _, text := range []string{report, f.message} {
		if !strings.Contains(text, "`gateway.AdvanceToNext()` goes there.") {
			t.Error(text)
		}
	}
}

// failing is a test that remembers its log and its end.
type failing struct {
	testing.TB
	message   string
	hasFailed bool
	end       func()
}

func (f *failing) Helper()            {}
func (f *failing) Failed() bool       { return f.hasFailed }
func (f *failing) Cleanup(end func()) { f.end = end }
func (f *failing) Log(args ...any)    { f.message += fmt.Sprint(args...) }
func (f *failing) Errorf(format string, args ...any) {
	f.hasFailed = true
	f.message += fmt.Sprintf(format, args...)
}

func TestARequestThatAFaultDelaysIsWaitedFor(t *testing.T) {
	gateway := fauxgatetest.New(t)
	gateway.Fault(fauxgatetest.Fault{Operation: "reserved_domains.create", Latency: 30 * time.Second, Times: 1})
	statuses := make(chan int)
	go func() { statuses <- reserve(t, gateway) }()
	if waiting := gateway.WaitForRequest(); waiting.OperationID == "" {
		t.Fatal(waiting)
	}
	gateway.Advance(30 * time.Second)
	if status := <-statuses; status != 201 {
		t.Fatal(status)
	}
}

func TestWaitingForARequestThatNeverComesEndsTheTest(t *testing.T) {
	if *fauxgatetest.WaitLimit != 10*time.Second {
		t.Fatal(*fauxgatetest.WaitLimit)
	}
	defer func() { *fauxgatetest.WaitLimit = 10 * time.Second }()
	*fauxgatetest.WaitLimit = time.Millisecond
	message := failsWith(func(tb testing.TB) { fauxgatetest.New(tb).WaitForRequest() })
	if message != "no request waited within 1ms: only a fault with Latency makes one wait" {
		t.Fatal(message)
	}
}

func TestTheHandleOfATestThatHasEndedChangesNoOther(t *testing.T) {
	var ended *fauxgatetest.Gateway
	t.Run("first", func(t *testing.T) { ended = fauxgatetest.New(t) })
	gateway := fauxgatetest.New(t)
	response, err := http.Post(ended.URL+"/_fauxgate/clock", "application/json", strings.NewReader(`{"advance": "1h"}`))
	if err != nil || response.StatusCode != 404 {
		t.Fatal(response, err)
	}
	if at := gateway.Now(); at.Hour() != 0 {
		t.Fatal(at)
	}
}

func TestTheHandleOfATestThatHasEndedNamesTheGatewayAndTheTest(t *testing.T) {
	var ended *fauxgatetest.Gateway
	t.Run("first", func(t *testing.T) { ended = fauxgatetest.New(t) })
	defer func() {
		message := fmt.Sprint(recover())
		expected := fmt.Sprintf("the gateway %s was deleted when its test, %s/first, ended", ended.URL, t.Name())
		if !strings.Contains(message, expected) {
			t.Fatal(message)
		}
	}()
	ended.Now()
}

func TestAStreamOfEventsIsRejected(t *testing.T) {
	message := failsWith(func(tb testing.TB) { fauxgatetest.New(tb).Control("GET", "/events", nil) })
	if !strings.HasPrefix(message, "GET /events is a stream of events without an end") {
		t.Fatal(message)
	}
}

func TestOutcomesOfAttempts(t *testing.T) {
	gateway := fauxgatetest.New(t, fauxgatetest.Options{AllowUnused: true})
	gateway.ScriptFor("other.example.com", fauxgatetest.OutcomeInternalError)
	gateway.Script(fauxgatetest.OutcomeDNSError)
	reserve(t, gateway)
	domain := gateway.Attempt(name)
	if job := domain.CertificateManagementStatus.ProvisioningJob; job.ErrorCode != "DNS_ERROR" || domain.Certificate != nil {
		t.Fatalf("%+v", domain)
	}
	if domain := gateway.Attempt(name); domain.Certificate == nil || !hasCertificate(t, gateway) {
		t.Fatal("the second attempt took the outcome of another domain")
	}
}

func TestAFailedAttemptHasAMessageAndATime(t *testing.T) {
	gateway := fauxgatetest.New(t)
	gateway.Script(fauxgatetest.FailedAttempt{
		Outcome:      fauxgatetest.OutcomeDNSError,
		Error:        fauxgatetest.CertificateErrorCAACheckBlocked,
		Message:      "no luck",
		RetriesAfter: 90 * time.Second,
	})
	reserve(t, gateway)
	job := gateway.Attempt(name).CertificateManagementStatus.ProvisioningJob
	if job.Msg != "no luck (ERR_NGROK_26014)" || !job.RetriesAt.Equal(gateway.Now().Add(90*time.Second)) {
		t.Fatalf("%+v", job)
	}
}

func TestOptionsOfATest(t *testing.T) {
	start := time.Date(2027, 1, 1, 2, 0, 0, 0, time.FixedZone("east", 7200))
	gateway := fauxgatetest.New(t, fauxgatetest.Options{DNS: fauxgatetest.DNSCheckSimulated, Start: start})
	if at := gateway.Now(); !at.Equal(start) {
		t.Fatal(at)
	}
	gateway.SetDNS(name, fauxgatetest.RecordTypeCNAME, "elsewhere.example.com")
	reserve(t, gateway)
	gateway.Advance(time.Minute)
	if hasCertificate(t, gateway) {
		t.Fatal("the record was not checked")
	}
	expected := fauxgatetest.DNSRecord{Name: name, Type: fauxgatetest.RecordTypeCNAME, Value: "elsewhere.example.com"}
	if records := gateway.DNS(); len(records) != 1 || records[0] != expected {
		t.Fatal(records)
	}
	gateway.RemoveDNS(name)
	if records := gateway.DNS(); len(records) != 0 {
		t.Fatal(records)
	}
}

func TestFaultsAndRequests(t *testing.T) {
	gateway := fauxgatetest.New(t)
	gateway.Fault(fauxgatetest.Fault{Operation: "reserved_domains.create", Times: 1, Status: 503})
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
	status, text := call(t, gateway, "POST", "/event_destinations", `{"format": "json", "target": {"datadog": {"api_key": "a key"}}}`)
	var destination object
	if err := json.Unmarshal([]byte(text), &destination); status != 201 || err != nil {
		t.Fatal(status, text, err)
	}
	subscription := `{"sources": [{"type": "vault_created.v0"}, {"type": "vault_deleted.v0"}], "destination_ids": ["` + destination["id"].(string) + `"]}`
	if status, text := call(t, gateway, "POST", "/event_subscriptions", subscription); status != 201 {
		t.Fatal(status, text)
	}
	if status, text := call(t, gateway, "POST", "/vaults", `{"name": "app"}`); status != 201 {
		t.Fatal(status, text)
	}
	all := gateway.SentEvents("vault_created.v0")
	if len(all) != 1 {
		t.Fatal(all)
	}
	event := all[0]
	if event.EventType != "vault_created.v0" || event.Destination != destination["id"] || event.Object["name"] != "app" {
		t.Fatalf("%+v", event)
	}
	if others := gateway.SentEvents("vault_deleted.v0"); len(others) != 0 {
		t.Fatal(others)
	}
	if every := gateway.SentEvents(""); len(every) != 1 {
		t.Fatal(every)
	}
}

func TestTrafficOfVisitors(t *testing.T) {
	gateway := fauxgatetest.New(t)
	endpoints := []*fauxgatetest.AgentEndpoint{{URL: "https://" + name, ForwardsTo: "http://localhost:80"}}
	session := fauxgatetest.TunnelSessionDeclaration{Region: "eu", Endpoints: endpoints}
	declared := gateway.Declare(fauxgatetest.Declaration{TunnelSession: &session})
	if declared.TunnelSession.Region != "eu" || declared.TunnelSession.Credential.ID == "" {
		t.Fatalf("%+v", declared.TunnelSession)
	}
	gateway.Upstream(fauxgatetest.Upstream{URL: "http://localhost:80", Status: 202, Body: "Hello"})
	response := gateway.Visit(fauxgatetest.Visit{URL: "https://" + name})
	if response.Status != 202 || response.Body != "Hello" {
		t.Fatal(response)
	}
}

func TestAFieldThatIsTrueByDefaultCanBeFalse(t *testing.T) {
	gateway := fauxgatetest.New(t)
	session := fauxgatetest.TunnelSessionDeclaration{Reachable: fauxgatetest.Ptr(false)}
	id := gateway.Declare(fauxgatetest.Declaration{TunnelSession: &session}).TunnelSession.ID
	if status, text := call(t, gateway, "POST", "/tunnel_sessions/"+id+"/stop", "{}"); status < 400 {
		t.Fatal(status, text)
	}
}

// The check of the module sets FAUXGATE_TLS for a second run.
func TestTheClientTrustsTheGateway(t *testing.T) {
	if os.Getenv("FAUXGATE_TLS") == "" {
		t.Skip("The server has no TLS.")
	}
	gateway := fauxgatetest.New(t)
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

func TestTheAgentsAPIIsBelowTheURL(t *testing.T) {
	for range 2 {
		t.Run("parallel", func(t *testing.T) {
			t.Parallel()
			gateway := fauxgatetest.New(t)
			status, text := call(t, gateway, "POST", "/api/tunnels", `{"name": "web", "addr": 80, "proto": "http"}`)
			if status != 201 {
				t.Fatal(status, text)
			}
		})
	}
}
