import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import {
  managedFields,
  managementErrors,
  managementShape,
  policyBody,
  runDue,
  withSentPolicy,
} from './agent-ingress-certificates.ts'
import { defineUnique, descriptionAndMetadata, FILTERABLE } from './shared.ts'

const errors = kit.declareErrors({
  ingress_description_too_long: parts.tooLong(6700),
  ingress_metadata_too_long: parts.tooLong(6701),
  ingress_domain_invalid: kit.field(6704, 400, 'a domain name such as "connect.example.com"'),
  ingress_domain_of_service: kit.field(6705, 400, 'a domain of your own, not one of the service'),
  ingress_domain_taken: kit.ofField(
    6706,
    400,
    '{field} is that of {id} already. Send a domain that no other agent ingress has.',
  ),
  ingress_limit_none: kit.tooMany(6707),
})

const ingressTexts = descriptionAndMetadata({
  description: errors.ingress_description_too_long,
  metadata: errors.ingress_metadata_too_long,
})

const DOMAIN = 'The domain below which agents find the service. Its NS records must point to `ns_targets`.'

const domain = v.pipe(
  v.string(),
  v.trim(),
  v.toLowerCase(),
  kit.rule([errors.ingress_domain_invalid, errors.ingress_domain_of_service], (name, report, { dialect }) => {
    if (!parts.isDnsName(name) || name.startsWith('*.')) report(errors.ingress_domain_invalid, {})
    else if (parts.isServiceDomain(dialect, name)) report(errors.ingress_domain_of_service, {})
  }),
)

const record = v.object({ ...kit.recordHead('agin', ingressTexts), domain: v.string(), ...managedFields })

const ingresses = kit.collection<kit.Frozen<v.InferOutput<typeof record>>>({
  name: 'agent_ingresses',
  schema: record,
  indexes: { domain: ({ domain }) => domain },
  due: ({ due }) => due,
})

const unique = defineUnique(ingresses, 'domain', {
  field: 'domain',
  error: errors.ingress_domain_taken,
  allowed: 'a domain that no other agent ingress has',
})

const shape = kit.named(
  v.object({
    ...kit.resourceHead,
    uri: kit.documented(v.string(), 'The path of the resource, without the host of the service.', {
      rules: 'ngrok-families#agent-ingresses',
    }),
    domain: kit.documented(v.string(), DOMAIN),
    ns_targets: kit.documented(v.array(v.string()), 'The targets for the NS records of the domain.', {
      rules: 'ngrok-families#agent-ingresses',
    }),
    region_domains: kit.documented(v.array(v.string()), 'The names below the domain that agents connect to.'),
    ...managementShape,
  }),
  'AgentIngress',
  'A domain of your own by which agents connect to the service.',
)

/** Agent ingresses: domains by which agents connect. */
export const agentIngresses = kit.resource(
  {
    name: 'agent_ingresses',
    items: 'ingresses',
    prefix: 'agin',
    what: 'agent ingress',
    plural: 'agent ingresses',
    filterable: [...FILTERABLE, 'domain'],
    errors: { ...errors, ...managementErrors },
    limits: kit.accountLimits({
      agent_ingresses: { what: 'agent ingresses', none: errors.ingress_limit_none, plans: { free: 0, hobbyist: 0 } },
    }),
    collection: ingresses,
    shape,
    ...parts.defineBodies('AgentIngress', 'an agent ingress', {
      create: {
        ...ingressTexts,
        domain: kit.documented(v.optional(domain, ''), DOMAIN, { isRequired: true }),
        certificate_management_policy: policyBody,
      },
      update: { ...ingressTexts, certificate_management_policy: policyBody },
      examples: [{ description: 'acme devices', domain: 'connect.acme.com' }],
    }),
  },
  {
    view: (ingress, wire) => ({
      ...kit.viewHead(ingress, wire, '/agent_ingresses'),
      uri: `/agent_ingresses/${ingress.id}`,
      domain: ingress.domain,
      ns_targets: [1, 2, 3, 4].map((number) => `${number}.ns.agent-ingress.ngrok.com.`),
      region_domains: [`tunnel.us.${ingress.domain}`],
      ...parts.managementView(ingress),
    }),
    create: {
      errors: [errors.ingress_domain_taken],
      run(tx, { domain, certificate_management_policy, ...rest }) {
        const head = { ...kit.newHead(tx, 'agin', rest), domain, policy: null, renews_at: null, job: null, due: null }
        return tx.put(ingresses, withSentPolicy(tx, unique.requireUnique(tx, head), certificate_management_policy))
      },
    },
    update: {
      run(tx, before, { certificate_management_policy, ...rest }) {
        const after = { ...before, ...kit.described(rest, before) }
        return tx.put(ingresses, withSentPolicy(tx, after, certificate_management_policy))
      },
    },
    onDue: (tx, ingress) => void tx.put(ingresses, runDue(tx, ingress)),
    relations: unique.relations,
  },
)
