package main

import (
	"strings"
	"time"

	"github.com/ngrok/ngrok-api-go/v7"
)

const (
	deny    = `{"on_http_request":[{"actions":[{"type":"deny"}]}]}`
	forward = `{"on_tcp_connect":[{"actions":[{"type":"forward-internal","config":{"url":"tcp://db.internal:5432"}}]}]}`
)

func resolvesTo(values ...string) (entries []ngrok.ReservedDomainResolvesToEntry) {
	for _, each := range values {
		entries = append(entries, ngrok.ReservedDomainResolvesToEntry{Value: each})
	}
	return entries
}

func checkDomains(o *operator) {
	// The list has the oldest domain on its second page.
	old := ask("domains", facts{"many": 120})
	spec := domainSpec{"shop0.ngrok.app", description, nil}
	o.expectReads(func() {
		found := must(o.reconcileDomain(spec, ""))
		expect(found.ID == old["id"], "%s was found, and not %s", found.ID, old["id"])
	})
	adopted := must(o.reconcileDomain(spec, old["id"].(string)))
	expect(adopted.Description == description && adopted.Metadata == metadata, "an adopted domain was not changed")

	managed := domainSpec{"shop.ngrok.app", description, nil}
	ready := must(o.reconcileDomain(managed, ""))
	expect(ready.CertificateManagementPolicy == nil, "a domain of the service is managed by a policy")
	o.expectReads(func() { must(o.reconcileDomain(managed, ready.ID)) })
	o.expectGone(o.domains.Delete, ready.ID)

	spec = domainSpec{"shop.example.com", description, resolvesTo("us")}
	ask("fault", facts{"operation": "reserved_domains.create", "error": "ERR_NGROK_511"})
	_, err := o.reconcileDomain(spec, "")
	o.expectError(err, 400, 511, "retry", 446, 511)
	created := must(o.reconcileDomain(spec, ""))
	expect(created.CNAMETarget != nil, "a domain has no target for its record")
	expect(created.ACMEChallengeCNAMETarget == nil, "a domain has the target of a wildcard")
	expect(created.CertificateManagementPolicy != nil && created.Certificate == nil, "a domain is ready at once")

	awaitDomain(o, spec, created)
	changeDomain(o, spec, created.ID)
}

// awaitDomain reads a domain until it is ready. Its record has a mistake at first.
func awaitDomain(o *operator, spec domainSpec, created *ngrok.ReservedDomain) {
	reconcile := func() *ngrok.ReservedDomain { return must(o.reconcileDomain(spec, created.ID)) }
	o.expectReads(func() {
		ask("cname", facts{"name": spec.name, "target": "elsewhere.example.com"})
		ask("advance", facts{"by": "10m"})
		job := reconcile().CertificateManagementStatus.ProvisioningJob
		isFailed := job != nil && job.ErrorCode != nil && *job.ErrorCode == "DNS_ERROR" && job.Msg != ""
		expect(isFailed, "a wrong record is no DNS_ERROR")
		started := must(time.Parse(time.RFC3339, job.StartedAt))
		retries := must(time.Parse(time.RFC3339, *job.RetriesAt))
		expect(retries.After(started), "the next attempt is before the first one")

		ask("cname", facts{"name": spec.name, "target": *created.CNAMETarget})
		polls := 0
		for ; reconcile().Certificate == nil; polls++ {
			expect(polls < 20, "the domain was not ready after %d polls", polls)
			ask("advance", facts{"by": "10m"})
		}
		expect(polls > 1, "the domain was ready before the next attempt")
		renewed := must(time.Parse(time.RFC3339, *reconcile().CertificateManagementStatus.RenewsAt))
		expect(renewed.After(retries), "the renewal is not after the attempts")
	})
}

func changeDomain(o *operator, spec domainSpec, id string) {
	for _, each := range []struct {
		status int
		next   string
	}{{429, "wait a minute"}, {503, "retry"}} {
		ask("fault", facts{"operation": "reserved_domains.get", "status": each.status})
		_, err := o.reconcileDomain(spec, id)
		o.expectError(err, each.status, 0, each.next)
	}
	spec = domainSpec{spec.name, "changed", resolvesTo("eu")}
	changed := must(o.reconcileDomain(spec, id))
	expect(changed.Description == "changed" && changed.ResolvesTo[0].Value == "eu", "the domain was not changed")
	o.expectReads(func() { must(o.reconcileDomain(spec, id)) })

	ask("remove", facts{"family": "reservedDomains", "id": id})
	_, err := o.reconcileDomain(spec, id)
	o.expectError(err, 404, 0, "retry")
	again := must(o.reconcileDomain(spec, ""))
	expect(again.ID != id, "a deleted domain was found")
}

func checkPolicies(o *operator) {
	ask("rules", facts{"many": 120})
	office, home, school := "192.0.2.0/24", "2001:db8::/32", "198.51.100.0/24"
	rules := []ruleSpec{{office, "allow", description}, {home, "deny", description}, {school, "allow", description}}
	_, err := o.reconcilePolicy("office", append(rules, ruleSpec{"192.0.2.300/32", "allow", ""}), "")
	o.expectError(err, 400, 1406, "stop")
	id := findPolicy(o, "office")
	for _, wanted := range [][]ruleSpec{
		rules,
		{{office, "deny", description}, {home, "allow", "changed"}, {school, "allow", "changed"}},
		{{school, "deny", description}, {"10.0.0.0/8", "deny", description}},
		{},
	} {
		must(o.reconcilePolicy("office", wanted, id))
		o.expectRules(id, wanted)
		o.expectReads(func() { must(o.reconcilePolicy("office", wanted, id)) })
	}
	must(o.reconcilePolicy("offices", rules, id))
	expect(must(o.policies.Get(ctx, id)).Description == "offices", "the policy was not changed")
	ask("remove", facts{"family": "ipPolicies", "id": id})
	_, err = o.reconcilePolicy("offices", rules, id)
	o.expectError(err, 404, 0, "retry")
	again := must(o.reconcilePolicy("offices", rules, ""))
	o.expectRules(again, rules)
	o.expectGone(o.policies.Delete, again)
	o.expectRules(again, nil)
}

// findPolicy returns the id of a policy that was created before an error of its rules. An operator has it in its status.
func findPolicy(o *operator, description string) string {
	isSame := func(each *ngrok.IPPolicy) bool { return each.Description == description }
	return find(o.policies.List(&ngrok.Paging{}), isSame).ID
}

func (o *operator) expectRules(policy string, wanted []ruleSpec) {
	found := map[string]string{}
	for _, each := range collect(o.rules.List(&ngrok.Paging{})) {
		if each.IPPolicy.ID == policy {
			found[each.CIDR] = each.Action + " " + each.Description
		}
	}
	expect(len(found) == len(wanted), "%v was expected, and not %v", wanted, found)
	for _, each := range wanted {
		expect(found[each.cidr] == each.action+" "+each.description, "%v was expected, and not %v", each, found)
	}
}

func checkEndpoints(o *operator) {
	domain := must(o.reconcileDomain(domainSpec{"shop.example.com", "changed", resolvesTo("eu")}, ""))
	spec := endpointSpec{"https://shop.example.com", "Created by the ngrok-operator", deny, []string{"public"}, nil}
	// An agent has the URL. It leaves after the first attempt, as in a change from an agent's endpoint to a cloud endpoint.
	for _, each := range []struct {
		isPooled bool
		number   int
	}{{true, 18017}, {false, 18016}} {
		agent := ask("agent", facts{"url": spec.url, "pooling_enabled": each.isPooled})
		spec.pooled = ngrok.Bool(!each.isPooled)
		_, err := o.createEndpoint(spec)
		o.expectError(err, 400, each.number, "retry", 18016, 18017)
		ask("end", agent)
	}
	created := must(o.createEndpoint(spec))
	expect(created.URL == spec.url && created.TrafficPolicy == deny, "the endpoint is not as it was sent")
	o.expectReads(func() { must(o.updateEndpoint(spec, created.ID)) })

	spec.description, spec.policy = "changed", strings.Replace(deny, `"deny"`, `"deny","config":{"status_code":404}`, 1)
	changed := must(o.updateEndpoint(spec, created.ID))
	expect(changed.TrafficPolicy == spec.policy && changed.Description == "changed", "the endpoint was not changed")
	o.expectReads(func() { must(o.updateEndpoint(spec, created.ID)) })
	bad := spec
	bad.policy = strings.Replace(deny, `"deny"`, `"denied"`, 1)
	_, err := o.updateEndpoint(bad, created.ID)
	o.expectError(err, 400, 0, "stop")
	isOfPolicy := strings.Contains(err.Error(), "policy") || strings.Contains(err.Error(), "ERR_NGROK_2201")
	expect(isOfPolicy, "%v is no error of a policy for the operator", err)

	o.expectError(o.domains.Delete(ctx, domain.ID), 400, 446, "retry", 446, 511)
	ask("remove", facts{"family": "endpoints", "id": created.ID})
	again := must(o.updateEndpoint(spec, created.ID))
	expect(again.ID != created.ID, "a deleted endpoint was changed")
	pooled := must(o.createEndpoint(spec))
	o.expectGone(o.endpoints.Delete, pooled.ID)
	o.expectGone(o.endpoints.Delete, again.ID)
	o.expectGone(o.domains.Delete, domain.ID)
}

// checkAgents makes the pair of endpoints of a workload: a public one in the cloud, and the internal one of an agent.
func checkAgents(o *operator) {
	policy := `{"on_http_request":[{"actions":[{"type":"forward-internal","config":{"url":"https://app.internal"}}]}]}`
	agent := ask("agent", facts{"url": "https://app.internal", "pooling_enabled": true, "description": description})
	isInternal := func(each *ngrok.Endpoint) bool { return each.URL == "https://app.internal" }
	found := find(o.endpoints.List(&ngrok.Paging{}), isInternal)
	expect(found != nil && found.Type == "ephemeral" && found.PoolingEnabled, "%v is not the endpoint of an agent", found)
	expect(found.Bindings[0] == "internal" && found.Description == description, "%v", found)
	cloud := must(o.createEndpoint(endpointSpec{"https://public.internal", description, policy, []string{"internal"}, nil}))
	o.expectGone(o.endpoints.Delete, cloud.ID)
	ask("end", agent)
	_, err := o.endpoints.Get(ctx, found.ID)
	o.expectError(err, 404, 0, "retry")
}

// checkServices reserves an address for a service of the type LoadBalancer, which looks it up at each reconciliation.
func checkServices(o *operator) {
	reserve := func() *ngrok.ReservedAddr {
		return must(o.addrs.Create(ctx, &ngrok.ReservedAddrCreate{
			Description: "Reserved for shop/db", Metadata: `{"namespace":"shop","name":"db"}`,
		}))
	}
	addr := reserve()
	isReserved := func() bool {
		isSame := func(each *ngrok.ReservedAddr) bool { return each.Addr == addr.Addr }
		return find(o.addrs.List(&ngrok.Paging{}), isSame) != nil
	}
	expect(isReserved(), "a reserved address is not in the list")
	ask("remove", facts{"family": "reservedAddrs", "id": addr.ID})
	expect(!isReserved(), "a deleted address is in the list")
	addr = reserve()
	created := must(o.createEndpoint(endpointSpec{"tcp://" + addr.Addr, description, forward, nil, nil}))
	expect(created.URL == "tcp://"+addr.Addr, "%s has the URL %s", addr.Addr, created.URL)
	o.expectGone(o.endpoints.Delete, created.ID)
}
