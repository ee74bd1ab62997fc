// Package fauxgatetest gives each test a gateway of its own: an emulator of ngrok's API with a clock that the test controls.
//
//	gateway := fauxgatetest.New(t)
//	config := ngrok.NewClientConfig("any key", ngrok.WithBaseURL(gateway.URL))
//
// The package uses only the standard library. The gateway needs Node.js 20.19 or newer.
package fauxgatetest

import (
	"net/http"
	"testing"
)

// Version is the version of fauxgate that npx installs if no folder above the tests has it.
const Version = "0.1.0"

// Gateway is the gateway of one test, with its controls. If a control fails, the test ends with the server's message.
type Gateway struct {
	// URL is the base URL of the API.
	URL    string
	tb     testing.TB
	server *server
}

// New returns a gateway without resources, faults or requests, at the start of its clock: 2026-01-01T00:00:00Z. No other
// test uses it until this test and its subtests have ended, so tests can run in parallel. If the test fails, its log has
// the gateway's report.
//
// The server of a test that has ended is reset for the next test. With options, which are flags of fauxgate serve such as
// "--dns", "simulated", the server ends with the test. All servers end with the test binary, even if it is killed.
//
// If FAUXGATE_URL names a server, the tests take turns with it. Call t.Parallel before New then, and run the packages one
// by one, with go test -p 1.
func New(tb testing.TB, options ...string) *Gateway {
	tb.Helper()
	server, release, err := acquire(tb.Name(), options)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if tb.Failed() {
			report, err := server.send("GET", "/report", nil)
			if err != nil {
				report = err.Error()
			}
			tb.Log("What happened at the gateway:\n" + report)
		}
		server.client.CloseIdleConnections()
		release()
	})
	return &Gateway{URL: server.url, tb: tb, server: server}
}

// Client returns a client that trusts the gateway's root certificate beside those of the system, and uses no proxy.
func (g *Gateway) Client() *http.Client {
	g.tb.Helper()
	client := newClient(g.RootCertificate())
	g.tb.Cleanup(client.CloseIdleConnections)
	return client
}
