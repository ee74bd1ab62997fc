package main

import (
	"reflect"
	"slices"

	"github.com/ngrok/ngrok-api-go/v7"
)

type domainSpec struct {
	name, description string
	resolvesTo        []ngrok.ReservedDomainResolvesToEntry
}

func (o *operator) reconcileDomain(spec domainSpec, id string) (*ngrok.ReservedDomain, error) {
	if id == "" {
		isSame := func(each *ngrok.ReservedDomain) bool { return each.Domain == spec.name }
		if found := find(o.domains.List(&ngrok.Paging{}), isSame); found != nil {
			return found, nil
		}
		return o.domains.Create(ctx, &ngrok.ReservedDomainCreate{
			Domain: spec.name, Description: spec.description, Metadata: metadata, ResolvesTo: spec.resolvesTo,
		})
	}
	found, err := o.domains.Get(ctx, id)
	if err != nil {
		return nil, err
	}
	isSame := found.Description == spec.description && found.Metadata == metadata
	if isSame && reflect.DeepEqual(found.ResolvesTo, spec.resolvesTo) {
		return found, nil
	}
	return o.domains.Update(ctx, &ngrok.ReservedDomainUpdate{
		ID: id, Description: &spec.description, Metadata: ngrok.String(metadata), ResolvesTo: spec.resolvesTo,
	})
}

type ruleSpec struct{ cidr, action, description string }

func (o *operator) reconcilePolicy(description string, rules []ruleSpec, id string) (string, error) {
	if id == "" {
		created, err := o.policies.Create(ctx, &ngrok.IPPolicyCreate{Description: description, Metadata: metadata})
		if err != nil {
			return "", err
		}
		return created.ID, o.reconcileRules(created.ID, rules)
	}
	found, err := o.policies.Get(ctx, id)
	if err != nil {
		return "", err
	}
	if found.Description != description || found.Metadata != metadata {
		must(o.policies.Update(ctx, &ngrok.IPPolicyUpdate{
			ID: id, Description: &description, Metadata: ngrok.String(metadata),
		}))
	}
	return id, o.reconcileRules(id, rules)
}

// reconcileRules denies before it allows, so that no address is allowed meanwhile that should not be.
func (o *operator) reconcileRules(policy string, wanted []ruleSpec) error {
	remote := map[string]*ngrok.IPPolicyRule{}
	for _, each := range collect(o.rules.List(&ngrok.Paging{})) {
		if each.IPPolicy.ID == policy {
			remote[each.CIDR] = each
		}
	}
	for _, step := range []struct {
		action string
		flips  bool
	}{{"deny", false}, {"deny", true}, {"allow", true}, {"allow", false}} {
		for _, rule := range wanted {
			old := remote[rule.cidr]
			if rule.action != step.action || (old != nil) != step.flips || (old != nil && old.Action == rule.action) {
				continue
			}
			if err := o.replaceRule(policy, old, rule); err != nil {
				return err
			}
		}
	}
	for cidr, old := range remote {
		if !slices.ContainsFunc(wanted, func(each ruleSpec) bool { return each.cidr == cidr }) {
			expect(o.rules.Delete(ctx, old.ID) == nil, "%s was not deleted", old.ID)
		}
	}
	for _, rule := range wanted {
		old := remote[rule.cidr]
		isKept := old != nil && old.Action == rule.action
		if isKept && (old.Description != rule.description || old.Metadata != metadata) {
			must(o.rules.Update(ctx, &ngrok.IPPolicyRuleUpdate{
				ID: old.ID, CIDR: &rule.cidr, Description: &rule.description, Metadata: ngrok.String(metadata),
			}))
		}
	}
	return nil
}

func (o *operator) replaceRule(policy string, old *ngrok.IPPolicyRule, rule ruleSpec) error {
	if old != nil {
		expect(o.rules.Delete(ctx, old.ID) == nil, "%s was not deleted", old.ID)
	}
	_, err := o.rules.Create(ctx, &ngrok.IPPolicyRuleCreate{
		IPPolicyID: policy, CIDR: rule.cidr, Action: &rule.action, Description: rule.description, Metadata: metadata,
	})
	return err
}

type endpointSpec struct {
	url, description, policy string
	bindings                 []string
	pooled                   *bool
}

func (o *operator) createEndpoint(spec endpointSpec) (*ngrok.Endpoint, error) {
	return o.endpoints.Create(ctx, &ngrok.EndpointCreate{
		Type: "cloud", URL: spec.url, Description: &spec.description, Metadata: ngrok.String(metadata),
		TrafficPolicy: spec.policy, Bindings: spec.bindings, PoolingEnabled: spec.pooled,
	})
}

func (o *operator) updateEndpoint(spec endpointSpec, id string) (*ngrok.Endpoint, error) {
	found, err := o.endpoints.Get(ctx, id)
	if ngrok.IsNotFound(err) {
		o.expectError(err, 404, 0, "retry")
		return o.createEndpoint(spec)
	}
	if err != nil {
		return nil, err
	}
	isSame := found.URL == spec.url && found.Description == spec.description && found.Metadata == metadata
	isSame = isSame && found.TrafficPolicy == spec.policy && slices.Equal(found.Bindings, spec.bindings)
	if isSame && (spec.pooled == nil || found.PoolingEnabled == *spec.pooled) {
		return found, nil
	}
	return o.endpoints.Update(ctx, &ngrok.EndpointUpdate{
		ID: id, Url: &spec.url, Description: &spec.description, Metadata: ngrok.String(metadata),
		TrafficPolicy: &spec.policy, Bindings: spec.bindings, PoolingEnabled: spec.pooled,
	})
}
