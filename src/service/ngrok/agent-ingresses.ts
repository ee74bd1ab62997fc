import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { managementColumns, managementErrors, runDue, withSentPolicy } from './agent-ingress-certificates.ts'
import { defineUnique, descriptionAndMetadata, FILTERABLE } from './shared.ts'

const errors = kit.declareErrors({
  ingress_description_too_long: parts.tooLong(6700),
  ingress_metadata_too_long: parts.tooLong(6701),
  ingress_domain_invalid: kit.field(
    6704,
    400,
    (it: { readonly punycode?: string | undefined }) =>
      `a domain name such as "${it.punycode ?? 'connect.example.com'}"`,
  ),
  ingress_domain_of_service: kit.field(6705, 400, 'your own domain, not one that belongs to the service'),
  ingress_domain_taken: kit.ofField(
    6706,
    400,
    '{field} is already the domain of {id}. Send a domain that no other agent ingress has.',
  ),
  ingress_limit_none: kit.tooMany(6707),
})

const DOMAIN = 'The domain to whose subdomains agents connect. Its NS records must point to `ns_targets`.'

const domain = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  kit.rule([errors.ingress_domain_invalid, errors.ingress_domain_of_service], (name, report, { dialect }) => {
    if (!parts.isDnsName(name) || name.startsWith('*.')) report(errors.ingress_domain_invalid, parts.nameFacts(name))
    else if (parts.isServiceDomain(dialect, name)) report(errors.ingress_domain_of_service, {})
  }),
)

const table = parts.columns(
  {
    name: 'agent_ingresses',
    items: 'ingresses',
    prefix: 'agin',
    what: 'agent ingress',
    tableFields: ['domain'],
    plural: 'agent ingresses',
    filterable: [...FILTERABLE, 'domain'],
    errors: { ...errors, ...managementErrors },
    limit: { none: errors.ingress_limit_none, plans: { free: 0, hobbyist: 0 } },
    texts: descriptionAndMetadata({
      description: errors.ingress_description_too_long,
      metadata: errors.ingress_metadata_too_long,
    }),
    title: 'AgentIngress',
    sentence: 'Your own domain, which agents use to connect to the service.',
    examples: [{ description: 'acme devices', domain: 'connect.acme.com' }],
  },
  {
    uri: parts.column({
      shown: kit.documented(v.string(), "The path of the resource, without the service's host.", {
        rules: 'ngrok-families#agent-ingresses',
      }),
    }),
    domain: parts.column({
      create: kit.documented(v.optional(domain, ''), DOMAIN, { isRequired: true }),
      kept: v.string(),
      shown: kit.documented(v.string(), DOMAIN),
    }),
    ns_targets: parts.column({
      shown: kit.documented(v.array(v.string()), "The name servers for the domain's NS records.", {
        rules: 'ngrok-families#agent-ingresses',
      }),
    }),
    region_domains: parts.column({
      shown: kit.documented(v.array(v.string()), 'The subdomains to which agents connect.'),
    }),
    ...managementColumns,
  },
  { indexes: { domain: ({ domain }) => domain }, due: ({ due }) => due },
)

const ingresses = table.records

const unique = defineUnique(ingresses, 'domain', {
  field: 'domain',
  error: errors.ingress_domain_taken,
  allowed: 'a domain that no other agent ingress has',
})

/** Agent ingresses: domains to which agents connect. */
export const agentIngresses = kit.resource(table.kind, {
  view: (ingress, wire) => ({
    ...table.rules.view(ingress, wire),
    uri: `/agent_ingresses/${ingress.id}`,
    ns_targets: [1, 2, 3, 4].map((number) => `${number}.ns.agent-ingress.ngrok.com.`),
    region_domains: [`tunnel.us.${ingress.domain}`],
    ...parts.managementView(ingress),
  }),
  create: {
    errors: [errors.ingress_domain_taken],
    run(tx, body) {
      const ingress = unique.requireUnique(tx, table.newRecord(tx, body))
      return tx.put(ingresses, withSentPolicy(tx, ingress, body.certificate_management_policy))
    },
  },
  update: {
    run: (tx, before, body) =>
      tx.put(ingresses, withSentPolicy(tx, table.changed(before, body), body.certificate_management_policy)),
  },
  onDue: (tx, ingress) => void tx.put(ingresses, runDue(tx, ingress)),
  relations: unique.relations,
})
