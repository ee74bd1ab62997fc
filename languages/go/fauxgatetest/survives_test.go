package fauxgatetest_test

import (
	"encoding/json"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fauxgate/fauxgate/languages/go/fauxgatetest"
)

func send(method, url, body string) (*http.Response, error) {
	request, err := http.NewRequest(method, url+"/reserved_addrs", strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header = http.Header{"Authorization": {"Bearer key"}, "Ngrok-Version": {"2"}, "Content-Type": {"application/json"}}
	return http.DefaultClient.Do(request)
}

// onboard creates an address, and tries again after an error. If it looks, it first looks for the address.
func onboard(t testing.TB, url string, looks bool) {
	for tries := 0; tries < 5; tries++ {
		if looks {
			response, err := send("GET", url, "")
			if err != nil {
				continue
			}
			var list struct {
				ReservedAddrs []any `json:"reserved_addrs"`
			}
			err = json.NewDecoder(response.Body).Decode(&list)
			response.Body.Close()
			if err != nil || response.StatusCode != 200 {
				continue
			}
			if len(list.ReservedAddrs) > 0 {
				return
			}
		}
		response, err := send("POST", url, `{"description":"app"}`)
		if err == nil && response.StatusCode == 201 {
			response.Body.Close()
			return
		}
	}
	t.Fatal("it gives up")
}

func TestFunctionsThatLookFirstSurviveFailuresAndCrashesAtTheSameTime(t *testing.T) {
	for range 2 {
		t.Run("parallel", func(t *testing.T) {
			t.Parallel()
			var crashes atomic.Int32
			fauxgatetest.Survives(t, func(t testing.TB, url string) {
				hasReturned := false
				defer func() {
					if !hasReturned && !t.Failed() { // Neither its end nor t.Fatal, which ends the goroutine as well.
						crashes.Add(1)
					}
				}()
				if _, ok := http.DefaultTransport.(*http.Transport); !ok {
					t.Fatalf("the default transport is %T", http.DefaultTransport)
				}
				onboard(t, url, true)
				hasReturned = true
			}, fauxgatetest.SurvivalSettings{Silence: 0.1, Restart: true})
			if count := crashes.Load(); count != 2 {
				t.Fatalf("%d crashes ended a call, but there is one at each of 2 requests", count)
			}
		})
	}
}

func TestTheTextOfAnErrorIsAllowed(t *testing.T) {
	fauxgatetest.Survives(t, func(t testing.TB, url string) {
		response, err := send("GET", url, "")
		if err != nil || response.StatusCode != 200 {
			t.Errorf("the list has no end: %v", err)
		}
	}, fauxgatetest.SurvivalSettings{Silence: 0.1, Allow: "^the list has no end"})
}

// A failing call of Survives fails its test, so these tests run in a process of their own.
func TestBrokenFunctions(t *testing.T) {
	if os.Getenv("BROKEN") != "" {
		settings := fauxgatetest.SurvivalSettings{Silence: 0.1}
		switch os.Getenv("BROKEN") {
		case "copies":
			settings.Copies = 2
		case "settings":
			settings.Kinds, settings.Within = []fauxgatetest.FailureKind{fauxgatetest.FailureKindLost}, time.Minute
		case "family":
			settings.MayLeave = []string{"reserved_addr"}
		}
		looks := os.Getenv("BROKEN") == "copies"
		fauxgatetest.Survives(t, func(t testing.TB, url string) {
			if os.Getenv("BROKEN") == "always" {
				t.Fatal("it is broken")
			}
			onboard(t, url, looks)
		}, settings)
		return
	}
	for kind, stories := range map[string][]string{
		"look": {
			"does not survive one fault: 2 reserved_addrs, expected 1",
			`Replay: fauxgatetest.Survives(t, code, fauxgatetest.SurvivalSettings{Replay: "POST /reserved_addrs#1 lost-after", Silence: 0.1})`,
		},
		"always": {
			"fails without any fault: it rejects with it is broken.",
			"The gateway received no request.",
		},
		"copies": {
			"Two concurrent copies end differently than copies that run one after the other",
			`Replay: fauxgatetest.Survives(t, code, fauxgatetest.SurvivalSettings{Replay: "A1 B A", Copies: 2, Silence: 0.1})`,
		},
		"settings": {
			`fauxgatetest.SurvivalSettings{Replay: "POST /reserved_addrs#1 lost-after", ` +
				`Within: 1 * time.Minute, Kinds: []fauxgatetest.FailureKind{"lost"}, Silence: 0.1})`,
		},
		"family": {
			`mayLeave contains "reserved_addr", which is not a family. Did you mean reserved_addrs?`,
		},
	} {
		command := exec.Command(os.Args[0], "-test.run", "^TestBrokenFunctions$")
		command.Env = append(os.Environ(), "BROKEN="+kind)
		output, err := command.CombinedOutput()
		if strings.Contains(string(output), "What happened in the gateway") {
			t.Errorf("%s: the report of a gateway without requests is in %s", kind, output)
		}
		for _, story := range stories {
			if err == nil || !strings.Contains(string(output), story) {
				t.Errorf("%s: %v in %s", kind, err, output)
			}
		}
	}
}
