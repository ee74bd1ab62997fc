package fauxgatetest

import (
	"net/url"
	"time"
)

// Object is a JSON object.
type Object = map[string]any

// Reset returns to the initial state, with the clock at its start.
func (g *Gateway) Reset() { g.tb.Helper(); g.Control("POST", "/reset", nil) }

type clock struct{ Now time.Time }

// Now returns the gateway's time.
func (g *Gateway) Now() time.Time { g.tb.Helper(); return control[clock](g, "GET", "/clock", nil).Now }

// Advance advances the clock, runs everything that falls due, and returns the new time.
func (g *Gateway) Advance(duration time.Duration) time.Time {
	g.tb.Helper()
	return control[clock](g, "POST", "/clock", Object{"advance": duration.Milliseconds()}).Now
}

// AdvanceTo advances the clock to a time.
func (g *Gateway) AdvanceTo(to time.Time) time.Time {
	g.tb.Helper()
	return control[clock](g, "POST", "/clock", Object{"to": to.UTC().Format(time.RFC3339)}).Now
}

// AdvanceToNext advances the clock to the next event, such as an attempt to get a certificate, and returns its time.
func (g *Gateway) AdvanceToNext() time.Time {
	g.tb.Helper()
	return control[clock](g, "POST", "/clock", Object{"next": true}).Now
}

// Script sets the outcomes of the next attempts to get a certificate: Script("DNS_ERROR", "success").
func (g *Gateway) Script(outcomes ...string) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/script", Object{"outcomes": outcomes})
}

// ScriptFor does the same for one domain, by its name or its id.
func (g *Gateway) ScriptFor(domain string, outcomes ...string) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/script", Object{"outcomes": outcomes, "domain": domain})
}

// Attempt runs the attempt of a domain's job now, by the domain's name or its id.
func (g *Gateway) Attempt(domain string) { g.tb.Helper(); g.provision("attempt", domain) }

// Renew advances the clock to the renewal of the domain's certificate.
func (g *Gateway) Renew(domain string) { g.tb.Helper(); g.provision("renew", domain) }

// Expire advances the clock to the first second after the expiry of the domain's certificate.
func (g *Gateway) Expire(domain string) { g.tb.Helper(); g.provision("expire", domain) }

func (g *Gateway) provision(call, domain string) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/"+call, Object{"id": domain})
}

// SetDNS sets a record of the simulated zone, which needs the option "--dns", "simulated": SetDNS("app.example.com",
// "CNAME", "…"). The types are CNAME, A, CAA, PROXY, SERVFAIL and TIMEOUT.
func (g *Gateway) SetDNS(name, kind, value string) {
	g.tb.Helper()
	g.Control("PUT", "/dns", Object{"name": name, "type": kind, "value": value})
}

// RemoveDNS removes the records of a name.
func (g *Gateway) RemoveDNS(name string) {
	g.tb.Helper()
	g.Control("DELETE", "/dns?name="+url.QueryEscape(name), nil)
}

// Fault makes matching requests fail, such as {"operation": "reserved_domains.create", "times": 1, "status": 503}.
func (g *Gateway) Fault(fault Object) { g.tb.Helper(); g.Control("POST", "/faults", fault) }

// Declare declares what no operation creates, such as the agent {"tunnel_session": {}}, and returns it.
func (g *Gateway) Declare(declaration Object) Object {
	g.tb.Helper()
	return control[Object](g, "POST", "/declare", declaration)
}

// Visit sends a request through the gateway as a visitor would, such as {"url": "https://app.example.com"}, and returns the
// response with the rules that it passed.
func (g *Gateway) Visit(request Object) Object {
	g.tb.Helper()
	return control[Object](g, "POST", "/traffic", request)
}

// Upstream sets the response of an upstream, such as {"url": "http://localhost:80", "status": 200, "body": "Hello"}.
func (g *Gateway) Upstream(response Object) {
	g.tb.Helper()
	g.Control("PUT", "/traffic/upstreams", response)
}

// Request is a request that the gateway received, with its response, without secrets. Operation is a name such as
// reserved_domains.create, and the bodies Request and Response are usually an Object.
type Request struct {
	Operation, Method, Path, Query, Fault string
	At                                    time.Time
	Status                                int
	RequestHeaders, ResponseHeaders       map[string]string
	Request, Response                     any
}

// Requests returns the last requests, oldest first.
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

// SentEvents returns the events that the account has told its event destinations, oldest first: those of a type such as
// ip_policy_created.v0, or all for "".
func (g *Gateway) SentEvents(kind string) []Object {
	g.tb.Helper()
	path := "/sent-events"
	if kind != "" {
		path += "?type=" + url.QueryEscape(kind)
	}
	return control[[]Object](g, "GET", path, nil)
}

// Report returns a text for people about what happened.
func (g *Gateway) Report() string { g.tb.Helper(); return g.Control("GET", "/report", nil) }

// RootCertificate returns the root certificate of the gateway's authority, as PEM.
func (g *Gateway) RootCertificate() string {
	g.tb.Helper()
	return g.Control("GET", "/authority.pem", nil)
}
