// Package fauxgatetest gives each test its own gateway: an emulator of ngrok's API with a clock that the test controls.
//
//	gateway := fauxgatetest.New(t)
//	config := ngrok.NewClientConfig("any key", ngrok.WithBaseURL(gateway.URL), ngrok.WithHTTPClient(gateway.Client()))
//
// The package uses only the standard library. The gateway needs Node.js 20.19 or newer.
package fauxgatetest

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
)

// Version is the version of fauxgate that npx starts, if it is installed and no folder above the tests has it.
const Version = "0.1.0"

// Gateway is the gateway of one test, with its controls. If a control fails, the test ends with the server's message.
type Gateway struct {
	// URL is the base URL of the API. It is also the URL of the local API of ngrok's agent, which programs expect at
	// http://127.0.0.1:4040.
	URL         string
	tb          testing.TB
	server      *server
	allowUnused bool
	// mayLeaveUnused is true once the test has added a fault or scripted an outcome.
	mayLeaveUnused atomic.Bool
	// isExploring is true if other gateways have the requests, and the story tells about these.
	isExploring bool
	// hasEnded is true once the test has ended, and its gateway is deleted.
	hasEnded atomic.Bool
}

// New returns a gateway without resources, faults or requests, at the start of its clock: 2026-01-01T00:00:00Z. It has its own
// state, so tests can run in parallel, and is removed at the end of the test. If the test fails, its log has the gateway's
// report. A test that passes but leaves a fault or a scripted outcome unused fails.
//
// All gateways of a test binary share one server. It stops when the binary ends, even if the binary is killed. If
// FAUXGATE_URL names a server, the gateways are there.
func New(tb testing.TB, options ...Options) *Gateway {
	tb.Helper()
	s, err := connect()
	if err != nil {
		tb.Fatal(err)
	}
	all := s.defaults
	for _, each := range options {
		all = each.over(all)
	}
	text, err := s.send(s.url, "POST", "/gateways", all)
	if err != nil {
		tb.Fatal(err)
	}
	g := &Gateway{tb: tb, server: s, allowUnused: all.AllowUnused}
	_ = json.Unmarshal([]byte(text), &struct{ URL *string }{&g.URL})
	tb.Cleanup(g.end)
	return g
}

// over returns the options of o, and those of base that o leaves out.
func (o Options) over(base Options) Options {
	merged := base
	setFields(&merged, o)
	if o.Clock == "system" {
		merged.Start = o.Start
	}
	return merged
}

// end fails a test that left something unused, logs the report of a failed one, and removes the gateway.
func (g *Gateway) end() {
	var unused []string
	if g.mayLeaveUnused.Load() && !g.tb.Failed() && !g.allowUnused {
		text, _ := g.server.send(g.URL, "GET", "/unused", nil)
		_ = json.Unmarshal([]byte(text), &unused)
	}
	if len(unused) > 0 {
		g.tb.Errorf("%s\nTo allow this, use the option AllowUnused.", strings.Join(unused, "\n"))
	}
	if g.tb.Failed() && !g.isExploring {
		report, err := g.server.send(g.URL, "GET", "/report?for=go", nil)
		if err != nil {
			report = err.Error()
		}
		g.tb.Log("What happened in the gateway:\n" + report)
	}
	name := g.URL[strings.LastIndex(g.URL, "/")+1:]
	g.hasEnded.Store(true)
	_, _ = g.server.send(g.server.url, "DELETE", "/gateways?name="+url.QueryEscape(name), nil)
}

// Client returns a client that trusts the root certificates of the gateway and of its server in addition to those of the
// system, and uses no proxy. Its requests to the server without the path of [Gateway.URL] go to this gateway: ngrok's own
// client replaces the path of its base URL.
func (g *Gateway) Client() *http.Client {
	g.tb.Helper()
	client := newClient(g.server.root + "\n" + g.RootCertificate())
	g.tb.Cleanup(client.CloseIdleConnections)
	if base, err := url.Parse(g.URL); err == nil {
		client.Transport = prefixed{base, client.Transport}
	}
	return client
}

// prefixed sends requests for the host of base below its path.
type prefixed struct {
	base *url.URL
	next http.RoundTripper
}

func (p prefixed) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Host == p.base.Host && !strings.HasPrefix(request.URL.Path, p.base.Path+"/") {
		request = request.Clone(request.Context())
		request.URL.Path = p.base.Path + request.URL.Path
		if request.URL.RawPath != "" {
			request.URL.RawPath = p.base.Path + request.URL.RawPath
		}
	}
	return p.next.RoundTrip(request)
}

func (p prefixed) CloseIdleConnections() {
	if transport, ok := p.next.(*http.Transport); ok {
		transport.CloseIdleConnections()
	}
}
