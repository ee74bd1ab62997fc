package fauxgatetest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"
)

// step is what an exploration asks for next.
type step struct {
	Do, Copy, URL, Report string
	Run, Life             int
	Survives              bool
}

// Survives calls a function once for each way that each request can fail, each time with the URL of a fresh gateway. The test fails
// with the smallest story if a failure breaks the function: it leaves different resources, leaves some after an error, or
// does not end. The function reports errors with its own t, as a test does. Allow is compared with the texts of its errors.
//
//	fauxgatetest.Survives(t, func(t testing.TB, url string) {
//		if err := onboard(url); err != nil {
//			t.Fatal(err)
//		}
//	})
//
// Settings are those of POST /_fauxgate/explorations, such as SurvivalSettings{Faults: 2, Restart: true}. With Copies, the
// function runs in several goroutines. A crash ends the goroutine at its request, if that goes by
// http through http.DefaultTransport, and else breaks all of its requests.
func Survives(t *testing.T, code func(t testing.TB, url string), settings ...SurvivalSettings) {
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
	watchDefaultTransport()
	for {
		next := control[step](g, "POST", "/explorations/next", Object{"id": id})
		switch next.Do {
		case "start":
			dead.Delete(next.URL)
			go g.callOnce(id, next, code)
		case "kill":
			dead.Store(next.URL, true)
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
			text := fmt.Sprintf("%#v", value.Field(index))
			if duration, ok := value.Field(index).Interface().(time.Duration); ok {
				text = formatDuration(duration)
			}
			again = append(again, name+": "+text)
		}
	}
	return "fauxgatetest.Survives(t, code, fauxgatetest.SurvivalSettings{" + strings.Join(again, ", ") + "})"
}

// formatDuration returns a duration as Go code.
func formatDuration(duration time.Duration) string {
	if duration%time.Minute == 0 {
		return fmt.Sprintf("%d * time.Minute", duration/time.Minute)
	}
	return fmt.Sprintf("%d * time.Millisecond", duration.Milliseconds())
}

// callOnce calls the code, and reports its end.
func (g *Gateway) callOnce(id string, of step, code func(t testing.TB, url string)) {
	inner := &callTB{TB: g.tb}
	end := Object{"id": id, "run": of.Run, "copy": of.Copy, "life": of.Life, "error": "the end of its goroutine"}
	defer func() {
		if cause := recover(); cause != nil {
			end["error"] = fmt.Sprintf("panic: %v", cause)
		} else if inner.Failed() {
			end["error"] = cmp.Or(strings.Join(inner.texts, "; "), "a failed test")
		}
		_, _ = g.server.send(g.URL, "POST", "/explorations/ended", end)
	}()
	code(inner, of.URL)
	delete(end, "error")
}

// dead has the URLs of copies that have crashed.
var dead sync.Map

// watchDefaultTransport lets the default transport end the goroutines whose copy has crashed. It stays the same transport, because
// other tests read it at the same time.
var watchDefaultTransport = sync.OnceFunc(func() {
	if transport, ok := http.DefaultTransport.(*http.Transport); ok {
		transport.RegisterProtocol("http", watched{transport})
	}
})

type watched struct{ next http.RoundTripper }

// RoundTrip sends a request. If the copy crashes at it, the goroutine ends.
func (w watched) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.Context().Value(w) != nil {
		return nil, http.ErrSkipAltProtocol
	}
	response, err := w.next.RoundTrip(request.WithContext(context.WithValue(request.Context(), w, true)))
	dead.Range(func(url, _ any) bool {
		if strings.HasPrefix(request.URL.String(), url.(string)+"/") {
			runtime.Goexit()
		}
		return true
	})
	return response, err
}
