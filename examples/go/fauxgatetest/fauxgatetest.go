// Package fauxgatetest gives a test a gateway of its own. It needs the standard library alone.
package fauxgatetest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// Gateway is a served gateway, with its controls. What they refuse ends the test and says why.
type Gateway struct {
	URL string
	tb  testing.TB
}

// Start serves a gateway on a free port until the test ends; one that failed says what happened there. Its clock stands
// still until Advance. FAUXGATE says with which command it is served, where that is not npx.
func Start(tb testing.TB, options ...string) *Gateway {
	tb.Helper()
	words := strings.Fields(os.Getenv("FAUXGATE"))
	if len(words) == 0 {
		words = []string{"npx", "--yes", "fauxgate"}
	}
	words = append(words, "serve", "--port", "0", "--clock", "manual", "--start", "2026-01-01T00:00:00Z")
	command := exec.Command(words[0], append(words[1:], options...)...)
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	output, err := command.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := command.Start(); err != nil {
		tb.Fatalf("fauxgate did not start: %v", err)
	}
	tb.Cleanup(func() {
		// To the whole group, since npx passes no signal on.
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		_ = command.Wait()
	})
	lines := bufio.NewReader(output)
	said, _ := lines.ReadString('\n')
	url := regexp.MustCompile(`http://\S+`).FindString(said)
	if url == "" {
		tb.Fatalf("fauxgate did not start; it said %q", said)
	}
	// What it says afterwards has to go somewhere, or the pipe is full some day.
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	gateway := &Gateway{URL: url, tb: tb}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log(gateway.Report())
		}
	})
	return gateway
}

// Advance lets time pass: Advance("30s").
func (g *Gateway) Advance(duration string) {
	g.tb.Helper()
	g.Control("POST", "/clock", map[string]any{"advance": duration})
}

// Script orders the outcomes of the next attempts: Script("DNS_ERROR", "success").
func (g *Gateway) Script(outcomes ...string) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/script", map[string]any{"outcomes": outcomes})
}

// Fault arms a fault, such as {"operation": "reserved_domains.create", "times": 1, "status": 503}.
func (g *Gateway) Fault(fault map[string]any) {
	g.tb.Helper()
	g.Control("POST", "/faults", fault)
}

// Reset goes back to the beginning, for tests that share a gateway.
func (g *Gateway) Reset() {
	g.tb.Helper()
	g.Control("POST", "/reset", nil)
}

// Report says what happened, as a text for people.
func (g *Gateway) Report() string {
	g.tb.Helper()
	return g.Control("GET", "/report", nil)
}

// direct asks the gateway itself: no proxy stands between a test and this machine.
var direct = &http.Client{Transport: &http.Transport{}}

// Control makes any call of the control API, such as Control("GET", "/requests", nil), and answers its text.
func (g *Gateway) Control(method, path string, body any) string {
	g.tb.Helper()
	content, err := json.Marshal(body)
	if err != nil {
		g.tb.Fatal(err)
	}
	if body == nil {
		content = nil
	}
	request, err := http.NewRequest(method, g.URL+"/_fauxgate"+path, bytes.NewReader(content))
	if err != nil {
		g.tb.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	answer, err := direct.Do(request)
	if err != nil {
		g.tb.Fatal(err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		g.tb.Fatal(err)
	}
	if answer.StatusCode >= 400 {
		g.tb.Fatalf("%s %s answers %s: %s", method, path, answer.Status, text)
	}
	return string(text)
}
