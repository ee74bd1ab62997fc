// Reads the agent as programs in Go do: with the types that they declare, which allow no other field.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
	"time"
)

type times struct {
	Count                int64
	Rate1, Rate5, Rate15 float64
	P50, P90, P95, P99   float64
}

type tunnel struct {
	Name      string `json:"name"`
	ID        string `json:"ID"`
	URI       string `json:"uri"`
	PublicURL string `json:"public_url"`
	Proto     string `json:"proto"`
	Config    struct {
		Addr    string `json:"addr"`
		Inspect bool   `json:"inspect"`
	} `json:"config"`
	Metrics struct {
		Conns struct {
			times
			Gauge int64
		} `json:"conns"`
		HTTP times `json:"http"`
	} `json:"metrics"`
}

var api = "http://" + os.Getenv("FAUXGATE_AGENT")

func call(method, path, body string, result any) int {
	request, err := http.NewRequest(method, api+path, strings.NewReader(body))
	if err != nil {
		log.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if result != nil {
		decoder := json.NewDecoder(response.Body)
		decoder.DisallowUnknownFields()
		if err := decoder.Decode(result); err != nil {
			log.Fatal(method, " ", path, ": ", err)
		}
	}
	return response.StatusCode
}

func expect(is bool, what any) {
	if !is {
		log.Fatalf("unexpected: %+v", what)
	}
}

func main() {
	var started tunnel
	status := call("POST", "/api/tunnels", `{"name":"web","addr":"8000","proto":"http"}`, &started)
	expect(status == http.StatusCreated && len(started.ID) == 32, started)
	var list struct {
		Tunnels []tunnel `json:"tunnels"`
		URI     string   `json:"uri"`
	}
	for range 50 {
		call("GET", "/api/tunnels", "", &list)
		if len(list.Tunnels) > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	expect(len(list.Tunnels) == 1 && list.Tunnels[0] == started && list.URI == "/api/tunnels", list)
	var fault struct {
		ErrorCode  int               `json:"error_code"`
		StatusCode int               `json:"status_code"`
		Msg        string            `json:"msg"`
		Details    map[string]string `json:"details"`
	}
	status = call("GET", "/api/tunnels/none", "", &fault)
	expect(status == http.StatusNotFound && fault.StatusCode == status && fault.Details["path"] != "", fault)
	expect(call("DELETE", started.URI, "", nil) == http.StatusNoContent, started.URI)
}
