package fauxgatetest

import (
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// step is what an exploration asks for next.
type step struct {
	Do, Copy, URL, Report string
	Run, Life             int
	Survives              bool
}

// Survives calls a function once for each way that each request can fail, each time with the URL of a fresh gateway. The test fails
// with the smallest story if a failure breaks the function: it leaves different resources, leaves some after an error, or
// does not end. The function reports errors with its own t, as a test does.
//
//	fauxgatetest.Survives(t, func(t *testing.T, url string) {
//		if err := onboard(url); err != nil {
//			t.Fatal(err)
//		}
//	})
//
// Settings are those of POST /_fauxgate/explorations, such as SurvivalSettings{Faults: 2, Restart: true}. With Copies, the
// function runs in several goroutines. A crash ends the goroutine at its request, if that goes through
// http.DefaultTransport, and else breaks all of its requests.
func Survives(t *testing.T, code func(t *testing.T, url string), settings ...SurvivalSettings) {
	t.Helper()
	g := New(t)
	g.isExploring = true
	name := runtime.FuncForPC(reflect.ValueOf(code).Pointer()).Name()
	var given SurvivalSettings
	for _, more := range settings {
		setFields(&given, more)
	}
	all := SurvivalSettings{Name: name[strings.LastIndex(name, "/")+1:], Timeout: 30}
	setFields(&all, given)
	fields, err := fieldsOf(reflect.ValueOf(all))
	if err != nil {
		t.Fatal(err)
	}
	fields["replayCall"], fields["for"] = formatReplay(given), "go"
	id := control[struct{ ID string }](g, "POST", "/explorations", fields).ID
	dead := &deadURLs{next: http.DefaultTransport, urls: map[string]bool{}}
	http.DefaultTransport = dead
	defer func() { http.DefaultTransport = dead.next }()
	for {
		next := control[step](g, "POST", "/explorations/next", Object{"id": id})
		switch next.Do {
		case "start":
			dead.set(next.URL, false)
			go g.callOnce(id, next, code)
		case "kill":
			dead.set(next.URL, true)
		case "finish":
			if !next.Survives {
				t.Fatal(next.Report)
			}
			t.Log(next.Report)
			return
		}
	}
}

// formatReplay returns the code that replays one schedule, with the settings of the search.
func formatReplay(settings SurvivalSettings) string {
	again := []string{"Replay: REPLAY"}
	for index, value := 0, reflect.ValueOf(settings); index < value.NumField(); index++ {
		name := value.Type().Field(index).Name
		if !value.Field(index).IsZero() && name != "Replay" {
			again = append(again, fmt.Sprintf("%s: %#v", name, value.Field(index)))
		}
	}
	return "fauxgatetest.Survives(t, code, fauxgatetest.SurvivalSettings{" + strings.Join(again, ", ") + "})"
}

// callOnce calls the code, and reports its end.
func (g *Gateway) callOnce(id string, of step, code func(t *testing.T, url string)) {
	inner := new(testing.T) // A subtest that fails would fail the test.
	end := Object{"id": id, "run": of.Run, "copy": of.Copy, "life": of.Life, "error": "the end of its goroutine"}
	defer func() {
		if cause := recover(); cause != nil {
			end["error"] = fmt.Sprintf("panic: %v", cause)
		} else if inner.Failed() {
			end["error"] = "a failed test"
		}
		_, _ = g.server.send(g.URL, "POST", "/explorations/ended", end)
	}()
	code(inner, of.URL)
	delete(end, "error")
}

// deadURLs is a transport that ends goroutines whose copy has crashed.
type deadURLs struct {
	next http.RoundTripper
	lock sync.Mutex
	urls map[string]bool
}

func (d *deadURLs) set(url string, isDead bool) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.urls[url] = isDead
}

func (d *deadURLs) isDead(url string) bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	for base, isDead := range d.urls {
		if isDead && strings.HasPrefix(url, base+"/") {
			return true
		}
	}
	return false
}

// RoundTrip sends a request. If the copy crashes at it, the goroutine ends.
func (d *deadURLs) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := d.next.RoundTrip(request)
	if d.isDead(request.URL.String()) {
		runtime.Goexit()
	}
	return response, err
}
