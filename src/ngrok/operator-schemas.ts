import * as v from 'valibot'
import {
  blankIsAbsent,
  documented,
  type Frozen,
  issuing,
  named,
  resourceHead,
  time,
  timestamp,
  type View,
  viewHead,
} from '../kit/index.ts'
import { csr, endOf, features, type OperatorRecord, selectors } from './operator-records.ts'
import { ACCOUNT_USER, bodiesOf, knownRegions, texts, userField } from './shared.ts'

export const DEFAULT_REGION = 'global'

const FEATURES = 'The features of the operator, in lower case.'
const REGION = 'The region of its connections.'
const DEPLOYMENT = 'The deployment of the operator in its cluster.'
const SELECTORS = 'Expressions in CEL over `endpoint`. The operator binds each endpoint for which one is true.'
const BINDING = 'The settings by which the operator binds endpoints.'
const INGRESS = 'The address that the operator forwards to.'

const text = (what: string) => v.optional(documented(v.string(), `The ${what}.`))
const deployed = { name: text('name'), version: text('version of the operator') }
const placed = { ...deployed, namespace: text('namespace'), cluster_name: text('name of the cluster') }

const fields = {
  ...texts(),
  enabled_features: v.optional(documented(features, FEATURES)),
  region: v.optional(
    documented(
      v.pipe(v.string(), blankIsAbsent()),
      `${REGION} Default: ${DEFAULT_REGION}.`,
      knownRegions(DEFAULT_REGION),
    ),
  ),
  binding: v.optional(
    named(
      v.object({
        endpoint_selectors: v.optional(documented(selectors, SELECTORS)),
        csr: v.optional(
          documented(v.pipe(csr, blankIsAbsent()), 'A request for a certificate: PKCS #10 in PEM.', {
            json: { examples: ['-----BEGIN CERTIFICATE REQUEST-----…'] },
          }),
        ),
        ingress_endpoint: v.optional(documented(v.pipe(v.string(), blankIsAbsent()), INGRESS)),
      }),
      'KubernetesOperatorBindingBody',
      BINDING,
    ),
  ),
}

export const operatorBodies = bodiesOf('KubernetesOperator', 'a Kubernetes operator', {
  create: {
    ...fields,
    deployment: v.optional(named(v.object(placed), 'KubernetesOperatorDeploymentCreate', DEPLOYMENT)),
  },
  update: {
    ...fields,
    deployment: v.optional(named(v.object(deployed), 'KubernetesOperatorDeploymentUpdate', DEPLOYMENT)),
  },
})

const NO_TIME = '0001-01-01T00:00:00Z'

const textField = (what: string) => documented(v.string(), `The ${what}; "" if it was not sent.`)

export const operatorShape = named(
  v.object({
    ...resourceHead,
    updated_at: documented(time, 'The time of the last change.'),
    principal: userField('The user who created the operator.'),
    enabled_features: documented(v.array(v.string()), FEATURES),
    region: documented(v.string(), REGION, knownRegions(DEFAULT_REGION)),
    deployment: named(
      v.object({
        name: textField('name'),
        namespace: textField('namespace'),
        version: textField('version of the operator'),
        cluster_name: textField('name of the cluster'),
      }),
      'KubernetesOperatorDeployment',
      DEPLOYMENT,
    ),
    binding: named(
      v.object({
        endpoint_selectors: documented(v.nullable(v.array(v.string())), `${SELECTORS} Null if none were sent.`),
        cert: named(
          v.object({
            cert: documented(v.string(), 'The certificate and its issuer: PEM. "" if no request was sent.'),
            not_before: documented(time, `The start of its validity; ${NO_TIME} without a certificate.`),
            not_after: documented(time, `The end of its validity; ${NO_TIME} without a certificate.`),
          }),
          'KubernetesOperatorCert',
          "The client certificate for the key of the operator's last request.",
        ),
        ingress_endpoint: v.exactOptional(documented(v.string(), INGRESS)),
      }),
      'KubernetesOperatorBinding',
      BINDING,
    ),
  }),
  'KubernetesOperator',
  'An operator of a Kubernetes cluster.',
)

export const operatorView: View<OperatorRecord, Frozen<v.InferOutput<typeof operatorShape>>> = (operator, wire) => {
  const { order, ingress_endpoint } = operator
  const cert = order
    ? {
        cert: issuing(wire.authority).issueForClient({ ...order, not_after: endOf(order) }),
        not_before: timestamp(order.not_before),
        not_after: timestamp(endOf(order)),
      }
    : { cert: '', not_before: NO_TIME, not_after: NO_TIME }
  return {
    ...viewHead(operator, wire, '/kubernetes_operators'),
    updated_at: timestamp(operator.updated_at),
    principal: { id: ACCOUNT_USER, uri: '' },
    enabled_features: operator.enabled_features,
    region: operator.region,
    deployment: operator.deployment,
    binding: {
      endpoint_selectors: operator.endpoint_selectors,
      cert,
      ...(ingress_endpoint !== null && { ingress_endpoint }),
    },
  }
}
