package fauxgatetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
)

// Control makes any call of the control API, such as Control("GET", "/overview", nil), and returns its text. See
// https://github.com/fauxgate/fauxgate/blob/main/docs/control-api.md.
func (g *Gateway) Control(method, path string, body any) string {
	if g.hasEnded.Load() { // A call of g.tb would panic without the reason.
		panic(fmt.Sprintf("fauxgatetest: the gateway %s was deleted when its test, %s, ended; call New in each test", g.URL, g.tb.Name()))
	}
	g.tb.Helper()
	text, err := g.server.send(g.URL, method, path, body)
	if err != nil {
		g.tb.Fatal(err)
	}
	if strings.Contains("POST /faults; POST /provisioning/script; PUT /state; POST /snapshots/restore; POST /undo;", method+" "+path+";") {
		g.mayLeaveUnused.Store(true)
	}
	return text
}

// control makes a call whose response is JSON, or empty.
func control[T any](g *Gateway, method, path string, body any) (result T) {
	g.tb.Helper()
	text := g.Control(method, path, body)
	if err := json.Unmarshal([]byte(text), &result); err != nil && text != "" {
		g.tb.Fatalf("%s %s: %v in %s", method, path, err, text)
	}
	return result
}

// send makes a call of the control API of the gateway at a URL.
func (s *server) send(url, method, path string, body any) (string, error) {
	content, err := encode(body)
	if err != nil {
		return "", err
	}
	request, err := http.NewRequest(method, url+"/_fauxgate"+path, bytes.NewReader(content))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Fauxgate-Control-Key", os.Getenv("FAUXGATE_CONTROL_KEY"))
	response, err := s.client.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if strings.HasPrefix(response.Header.Get("Content-Type"), "text/event-stream") {
		return "", fmt.Errorf("%s %s is a stream of events without an end, and a control returns a whole response: "+
			"call Requests, or read the stream with a client for server-sent events", method, path)
	}
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode < 400 {
		return string(text), err
	}
	refusal := struct{ Msg, Error_code string }{string(text), response.Status}
	_ = json.Unmarshal(text, &refusal)
	return "", fmt.Errorf("%s %s: %s (%s)", method, path, refusal.Msg, refusal.Error_code)
}
