// Makes the calls of the reconcilers of ngrok's operator for Kubernetes, in their order and with their bodies, through
// the official client. operator.mjs starts it and does on request what happens outside of an operator: the program
// writes `{"ask": "advance", "by": "1h"}`, and reads the answer as a line of JSON.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"runtime/debug"

	"github.com/ngrok/ngrok-api-go/v7"
	"github.com/ngrok/ngrok-api-go/v7/api_keys"
	"github.com/ngrok/ngrok-api-go/v7/endpoints"
	"github.com/ngrok/ngrok-api-go/v7/ip_policies"
	"github.com/ngrok/ngrok-api-go/v7/ip_policy_rules"
	"github.com/ngrok/ngrok-api-go/v7/kubernetes_operators"
	"github.com/ngrok/ngrok-api-go/v7/reserved_addrs"
	"github.com/ngrok/ngrok-api-go/v7/reserved_domains"
)

const (
	description = "Created by ngrok-operator"
	metadata    = `{"owned-by":"ngrok-operator"}`
)

var (
	ctx   = context.Background()
	input = bufio.NewReader(os.Stdin)
)

type facts = map[string]any

// ask writes a line and returns the answer to it.
func ask(what string, more facts) facts {
	line := facts{"ask": what}
	for name, value := range more {
		line[name] = value
	}
	write(line)
	return read()
}

func write(line facts) {
	fmt.Println(string(must(json.Marshal(line))))
}

func read() (line facts) {
	text := must(input.ReadBytes('\n'))
	expect(json.Unmarshal(text, &line) == nil, "%q is no JSON", text)
	return line
}

func expect(isTrue bool, format string, values ...any) {
	if !isTrue {
		panic(fmt.Sprintf(format, values...))
	}
}

func must[T any](value T, err error) T {
	expect(err == nil, "%v", err)
	return value
}

// collect reads all pages of a list.
func collect[T any](list ngrok.Iter[T]) (all []T) {
	for list.Next(ctx) {
		all = append(all, list.Item())
	}
	expect(list.Err() == nil, "%v", list.Err())
	return all
}

func find[T any](list ngrok.Iter[*T], matches func(*T) bool) *T {
	for list.Next(ctx) {
		if matches(list.Item()) {
			return list.Item()
		}
	}
	expect(list.Err() == nil, "%v", list.Err())
	return nil
}

type operator struct {
	domains   *reserved_domains.Client
	endpoints *endpoints.Client
	policies  *ip_policies.Client
	rules     *ip_policy_rules.Client
	operators *kubernetes_operators.Client
	addrs     *reserved_addrs.Client

	calls, writes, errors int
}

// RoundTrip counts the requests, and those of them that change something.
func (o *operator) RoundTrip(request *http.Request) (*http.Response, error) {
	o.calls++
	if request.Method != http.MethodGet {
		o.writes++
	}
	return http.DefaultTransport.RoundTrip(request)
}

func (o *operator) connect(url, key string) error {
	config := ngrok.NewClientConfig(key, ngrok.WithBaseURL(url), ngrok.WithHTTPClient(&http.Client{Transport: o}))
	o.domains, o.endpoints = reserved_domains.NewClient(config), endpoints.NewClient(config)
	o.policies, o.rules = ip_policies.NewClient(config), ip_policy_rules.NewClient(config)
	o.operators, o.addrs = kubernetes_operators.NewClient(config), reserved_addrs.NewClient(config)
	keys := api_keys.NewClient(config).List(&ngrok.Paging{Limit: ngrok.String("1")})
	keys.Next(ctx)
	return keys.Err()
}

// expectError checks the status of an error, its number unless 0, and that it leads to what the operator does next.
func (o *operator) expectError(err error, status int, number int, next string, retried ...int) {
	refused, isRefused := err.(*ngrok.Error)
	expect(isRefused, "%d was expected, and not %v", status, err)
	expect(int(refused.StatusCode) == status, "%d was expected, and not %v", status, err)
	expect(number == 0 || ngrok.IsErrorCode(err, number), "%d was expected, and not %v", number, err)
	expect(refused.OperationID() != "", "the error names no request: %v", err)
	reaction := "stop"
	switch {
	case ngrok.IsErrorCode(err, retried...), ngrok.IsNotFound(err), refused.StatusCode >= 500:
		reaction = "retry"
	case refused.StatusCode == http.StatusTooManyRequests:
		reaction = "wait a minute"
	}
	expect(reaction == next, "%v leads to %q, and not to %q", err, reaction, next)
	o.errors++
}

// expectGone deletes a resource twice: the operator takes the second answer, 404, for a success.
func (o *operator) expectGone(remove func(context.Context, string) error, id string) {
	expect(remove(ctx, id) == nil, "%s was not deleted", id)
	o.expectError(remove(ctx, id), 404, 0, "retry")
}

// expectReads checks that a reconciliation finds nothing to change.
func (o *operator) expectReads(reconcile func()) {
	writes := o.writes
	reconcile()
	expect(o.writes == writes, "the same specification was written again")
}

func main() {
	defer func() {
		if problem := recover(); problem != nil {
			write(facts{"failure": fmt.Sprintf("%v\n%s", problem, debug.Stack())})
		}
	}()
	o := &operator{}
	start := read()
	o.expectError(o.connect(start["url"].(string), "another"), 403, 202, "stop")
	expect(o.connect(start["url"].(string), start["key"].(string)) == nil, "the key was refused")
	reconcilers := []func(*operator){
		checkDomains, checkPolicies, checkEndpoints, checkAgents, checkServices, checkRegistration, checkBound,
	}
	for _, reconcile := range reconcilers {
		reconcile(o)
	}
	write(facts{"calls": o.calls, "reconcilers": len(reconcilers), "errors": o.errors})
}
