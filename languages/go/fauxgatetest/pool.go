package fauxgatetest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"sync/atomic"
)

// pool has the servers without options that no test uses.
var pool struct {
	sync.Mutex
	idle []*server
}

// acquire returns a server without any state, and a function for the end of the test.
func acquire(test string, options []string) (*server, func(), error) {
	if url := strings.TrimRight(os.Getenv("FAUXGATE_URL"), "/"); url != "" {
		return acquireShared(test, url, options)
	}
	if len(options) > 0 {
		s, err := start(options)
		return s, func() { s.stop() }, err
	}
	for s := takeIdle(); s != nil; s = takeIdle() {
		if s.reset() == nil {
			return s, func() { giveBack(s) }, nil
		}
		s.stop()
	}
	s, err := start(nil)
	return s, func() { giveBack(s) }, err
}

func takeIdle() (s *server) {
	pool.Lock()
	defer pool.Unlock()
	if last := len(pool.idle) - 1; last >= 0 {
		s, pool.idle = pool.idle[last], pool.idle[:last]
	}
	return s
}

func giveBack(s *server) {
	pool.Lock()
	defer pool.Unlock()
	pool.idle = append(pool.idle, s)
}

// The test that uses the server of FAUXGATE_URL holds turn, and holder is its name.
var (
	turn   sync.Mutex
	holder atomic.Value
)

func acquireShared(test, url string, options []string) (*server, func(), error) {
	if name, _ := holder.Load().(string); name != "" && strings.HasPrefix(test+"/", name+"/") {
		return nil, nil, fmt.Errorf("%s already uses the one server of FAUXGATE_URL: unset FAUXGATE_URL for a second one", name)
	}
	if len(options) > 0 {
		return nil, nil, fmt.Errorf("the server of FAUXGATE_URL cannot take the options %q: unset FAUXGATE_URL", options)
	}
	turn.Lock()
	holder.Store(test)
	release := func() { holder.Store(""); turn.Unlock() }
	s := &server{url: url, client: newClient("")}
	err := s.reset()
	if err != nil {
		release()
		err = fmt.Errorf("the server of FAUXGATE_URL cannot be reset: %w", err)
	}
	return s, release, err
}

// reset also removes the saved snapshots, which the control /reset keeps.
func (s *server) reset() error {
	_, err := s.send("POST", "/reset", nil)
	if err == nil {
		_, err = s.send("DELETE", "/snapshots", nil)
	}
	return err
}
