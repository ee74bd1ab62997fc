// Package fauxgatetest gives each test its own gateway. It uses only the standard library.
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

// Gateway is a served gateway, with its controls. If a control fails, the test ends with the reason.
type Gateway struct {
	URL string
	tb  testing.TB
}

// Start serves a gateway on a free port until the test ends, and logs its report if the test fails. Its clock does not move
// until Advance. FAUXGATE can name another command than npx fauxgate.
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
		// To the whole group, because npx forwards no signals.
		_ = syscall.Kill(-command.Process.Pid, syscall.SIGTERM)
		_ = command.Wait()
	})
	lines := bufio.NewReader(output)
	line, _ := lines.ReadString('\n')
	url := regexp.MustCompile(`http://\S+`).FindString(line)
	if url == "" {
		tb.Fatalf("fauxgate did not start; it printed %q", line)
	}
	// Read its later output too, or the pipe fills up.
	go func() { _, _ = io.Copy(io.Discard, lines) }()
	gateway := &Gateway{URL: url, tb: tb}
	tb.Cleanup(func() {
		if tb.Failed() {
			tb.Log(gateway.Report())
		}
	})
	return gateway
}

// Advance advances the clock: Advance("30s").
func (g *Gateway) Advance(duration string) {
	g.tb.Helper()
	g.Control("POST", "/clock", map[string]any{"advance": duration})
}

// Script scripts the outcomes of the next attempts: Script("DNS_ERROR", "success").
func (g *Gateway) Script(outcomes ...string) {
	g.tb.Helper()
	g.Control("POST", "/provisioning/script", map[string]any{"outcomes": outcomes})
}

// Fault adds a fault, such as {"operation": "reserved_domains.create", "times": 1, "status": 503}.
func (g *Gateway) Fault(fault map[string]any) {
	g.tb.Helper()
	g.Control("POST", "/faults", fault)
}

// Reset returns to the initial state, for tests that share a gateway.
func (g *Gateway) Reset() {
	g.tb.Helper()
	g.Control("POST", "/reset", nil)
}

// Report returns a text for people about what happened.
func (g *Gateway) Report() string {
	g.tb.Helper()
	return g.Control("GET", "/report", nil)
}

// direct calls the gateway without a proxy, because it is on this machine.
var direct = &http.Client{Transport: &http.Transport{}}

// Control makes any call of the control API, such as Control("GET", "/requests", nil), and returns its text.
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
