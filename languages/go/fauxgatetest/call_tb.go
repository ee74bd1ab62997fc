package fauxgatetest

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
)

// callTB is the t of one call of the code that must survive. It collects errors: those of the test itself would fail the test.
type callTB struct {
	testing.TB
	lock   sync.Mutex
	failed bool
	texts  []string
}

func (c *callTB) fail(text string) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.failed = true
	if text = strings.TrimSpace(text); text != "" {
		c.texts = append(c.texts, text)
	}
}

func (c *callTB) Failed() bool {
	c.lock.Lock()
	defer c.lock.Unlock()
	return c.failed
}

func (c *callTB) Fail()                           { c.fail("") }
func (c *callTB) FailNow()                        { c.fail(""); runtime.Goexit() }
func (c *callTB) Error(args ...any)               { c.fail(fmt.Sprintln(args...)) }
func (c *callTB) Errorf(text string, args ...any) { c.fail(fmt.Sprintf(text, args...)) }
func (c *callTB) Fatal(args ...any)               { c.fail(fmt.Sprintln(args...)); runtime.Goexit() }
func (c *callTB) Fatalf(text string, args ...any) {
	c.fail(fmt.Sprintf(text, args...))
	runtime.Goexit()
}
func (c *callTB) SkipNow()             { runtime.Goexit() }
func (c *callTB) Skip(...any)          { runtime.Goexit() }
func (c *callTB) Skipf(string, ...any) { runtime.Goexit() }
func (c *callTB) Log(...any)           {}
func (c *callTB) Logf(string, ...any)  {}
