package fauxgatetest

import (
	"net/url"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// Reset returns to the initial state, with the clock at its start.
func (g *Gateway) Reset() { g.tb.Helper(); g.Control("POST", "/reset", nil) }

type clock struct {
	Ms      int64
	Waiting []WaitingRequest
}

func (c clock) time() time.Time { return time.UnixMilli(c.Ms).UTC() }

// Now returns the gateway's time.
func (g *Gateway) Now() time.Time {
	g.tb.Helper()
	return control[clock](g, "GET", "/clock", nil).time()
}

// Advance advances the clock by whole milliseconds, runs everything that falls due, and returns the new time.
func (g *Gateway) Advance(duration time.Duration) time.Time {
	g.tb.Helper()
	return control[clock](g, "POST", "/clock", Object{"advance": duration}).time()
}

// AdvanceTo advances the clock to a time.
func (g *Gateway) AdvanceTo(to time.Time) time.Time {
	g.tb.Helper()
	return control[clock](g, "POST", "/clock", Object{"to": to}).time()
}

// AdvanceToNext advances the clock to the next event, such as an attempt to get a certificate, and returns its time.
func (g *Gateway) AdvanceToNext() time.Time {
	g.tb.Helper()
	return control[clock](g, "POST", "/clock", Object{"next": true}).time()
}

var waitLimit = 10 * time.Second

// WaitForRequest waits until a fault's latency delays a request, and returns that request. Call it before Advance when the
// request comes from another goroutine: until it has arrived, advancing the clock does not help it. After 10 real seconds the
// test ends.
func (g *Gateway) WaitForRequest() WaitingRequest {
	g.tb.Helper()
	for end := time.Now().Add(waitLimit); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if waiting := control[clock](g, "GET", "/clock", nil).Waiting; len(waiting) > 0 {
			return waiting[0]
		}
	}
	g.tb.Fatalf("no request waited within %v: only a fault with Latency makes one wait", waitLimit)
	return WaitingRequest{}
}

// Script sets the outcomes of the next attempts to get a certificate: Script(OutcomeDNSError, OutcomeSuccess).
func (g *Gateway) Script(outcomes ...Outcome) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/script", Object{"outcomes": outcomes})
}

// ScriptFor does the same for one domain, by its name or its id.
func (g *Gateway) ScriptFor(domain string, outcomes ...Outcome) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/script", Object{"outcomes": outcomes, "domain": domain})
}

// Attempt runs the attempt of a domain's job now, by the domain's name or its id, and returns the domain.
func (g *Gateway) Attempt(domain string) ReservedDomain {
	g.tb.Helper()
	return g.provision("attempt", domain)
}

// Renew advances the clock to the renewal of the domain's certificate, and returns the domain.
func (g *Gateway) Renew(domain string) ReservedDomain {
	g.tb.Helper()
	return g.provision("renew", domain)
}

// Expire advances the clock to the first second after the expiry of the domain's certificate, and returns the domain.
func (g *Gateway) Expire(domain string) ReservedDomain {
	g.tb.Helper()
	return g.provision("expire", domain)
}

func (g *Gateway) provision(call, domain string) ReservedDomain {
	g.tb.Helper()
	return control[ReservedDomain](g, "POST", "/provisioning/"+call, Object{"id": domain})
}

// DNS lists the records of the simulated zone. Attempts check them with the option DNSCheckSimulated.
func (g *Gateway) DNS() []DNSRecord {
	g.tb.Helper()
	return control[[]DNSRecord](g, "GET", "/dns", nil)
}

// SetDNS sets a record of the simulated zone: SetDNS("app.example.com", RecordTypeCNAME, "…").
func (g *Gateway) SetDNS(name string, kind RecordType, value string) {
	g.tb.Helper()
	g.Control("PUT", "/dns", Object{"name": name, "type": kind, "value": value})
}

// RemoveDNS removes the records of a name.
func (g *Gateway) RemoveDNS(name string) {
	g.tb.Helper()
	g.Control("DELETE", "/dns?name="+url.QueryEscape(name), nil)
}

// Fault makes matching requests fail, such as Fault{Operation: "reserved_domains.create", Times: 1, Status: 503}.
func (g *Gateway) Fault(fault Fault) ListedFault {
	g.tb.Helper()
	return control[ListedFault](g, "POST", "/faults", fault)
}

// Faults lists the faults. Missed of a pending fault says why it did not apply.
func (g *Gateway) Faults() []ListedFault {
	g.tb.Helper()
	return control[[]ListedFault](g, "GET", "/faults", nil)
}

// Declare declares what no operation creates, such as Declaration{TunnelSession: &TunnelSessionDeclaration{}}, and returns it.
func (g *Gateway) Declare(declaration Declaration) Declared {
	g.tb.Helper()
	return control[Declared](g, "POST", "/declare", declaration)
}

// Visit sends a request through the gateway as a visitor would, such as Visit{URL: "https://app.example.com"}, and returns the
// response with the rules that it passed.
func (g *Gateway) Visit(request Visit) TrafficOutcome {
	g.tb.Helper()
	return control[TrafficOutcome](g, "POST", "/traffic", request)
}

// Upstream sets the response of an upstream, such as Upstream{URL: "http://localhost:80", Status: 200, Body: "Hello"}.
func (g *Gateway) Upstream(response Upstream) {
	g.tb.Helper()
	g.Control("PUT", "/traffic/upstreams", response)
}

// Requests returns the most recent requests, oldest first.
func (g *Gateway) Requests() []Request {
	g.tb.Helper()
	return control[[]Request](g, "GET", "/requests", nil)
}

// LastRequest returns the last request. If there is none, the test ends.
func (g *Gateway) LastRequest() Request {
	g.tb.Helper()
	all := g.Requests()
	if len(all) == 0 {
		g.tb.Fatal("the gateway has received no request")
	}
	return all[len(all)-1]
}

// SentEvents returns the events that the account has sent to its event destinations, oldest first: those of a type such as
// ip_policy_created.v0, or all for "".
func (g *Gateway) SentEvents(kind string) []SentEvent {
	g.tb.Helper()
	path := "/sent-events"
	if kind != "" {
		path += "?type=" + url.QueryEscape(kind)
	}
	return control[[]SentEvent](g, "GET", path, nil)
}

// Report returns a human-readable report of what happened.
func (g *Gateway) Report() string { g.tb.Helper(); return g.Control("GET", "/report?for=go", nil) }

// RootCertificate returns the root certificate of the gateway's authority, as PEM.
func (g *Gateway) RootCertificate() string {
	g.tb.Helper()
	return g.Control("GET", "/authority.pem", nil)
}
