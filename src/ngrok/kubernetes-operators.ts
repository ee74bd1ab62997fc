import * as v from 'valibot'
import {
  blankIsAbsent,
  compileSelector,
  described,
  descriptionOf,
  documented,
  type Frozen,
  general,
  issuing,
  listOperation,
  named,
  pageAt,
  required,
  resource,
  resourceHead,
  type Transaction,
  time,
  timestamp,
  type View,
} from '../kit/index.ts'
import { endpoints as endpointRecords } from './endpoint-records.ts'
import { endpointShape, endpointView } from './endpoint-view.ts'
import { endpoints } from './endpoints.ts'
import { csr, features, type OperatorRecord, operatorErrors, operators, selectors } from './operator-records.ts'
import { ACCOUNT_USER, changed, texts, userField } from './shared.ts'

const DAY = 86_400_000
const LIFETIME = 365 * DAY
const RENEWAL = 30 * DAY
const NO_TIME = '0001-01-01T00:00:00Z'
const INGRESS_ENDPOINT = 'connect.ngrok-endpoints.com:443'
const DEFAULT_REGION = 'global'

const FEATURES = 'What the operator does, in lower case.'
const REGION = 'The region of its connections.'
const DEPLOYMENT = 'The deployment of the operator in its cluster.'
const SELECTORS = 'Expressions in CEL over `endpoint`. The operator binds each endpoint for which one is true.'
const BINDING = 'How the operator binds endpoints.'
const INGRESS = 'The address that the operator forwards to.'

const text = (what: string) => v.optional(documented(v.string(), `The ${what}.`))
const deployed = { name: text('name'), version: text('version of the operator') }
const placed = { ...deployed, namespace: text('namespace'), cluster_name: text('name of the cluster') }
const UNPLACED = { name: '', namespace: '', version: '', cluster_name: '' }

const fields = {
  ...texts(),
  enabled_features: v.optional(documented(features, FEATURES)),
  region: v.optional(documented(v.pipe(v.string(), blankIsAbsent()), `${REGION} Default: ${DEFAULT_REGION}.`)),
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

const createBody = named(
  v.object({
    ...fields,
    deployment: v.optional(named(v.object(placed), 'KubernetesOperatorDeploymentCreate', DEPLOYMENT)),
  }),
  'KubernetesOperatorCreate',
  'The body that creates a Kubernetes operator.',
)

const updateBody = named(
  v.object({
    ...fields,
    deployment: v.optional(named(v.object(deployed), 'KubernetesOperatorDeploymentUpdate', DEPLOYMENT)),
  }),
  'KubernetesOperatorUpdate',
  'The changes of a Kubernetes operator.',
)

const shown = (what: string) => documented(v.string(), `The ${what}; "" if it was not sent.`)

const shape = named(
  v.object({
    ...resourceHead,
    updated_at: documented(time, 'The time of the last change.'),
    principal: userField('The user who created the operator.'),
    enabled_features: documented(v.array(v.string()), FEATURES),
    region: documented(v.string(), REGION),
    deployment: named(
      v.object({
        name: shown('name'),
        namespace: shown('namespace'),
        version: shown('version of the operator'),
        cluster_name: shown('name of the cluster'),
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

const view: View<OperatorRecord, Frozen<v.InferOutput<typeof shape>>> = (operator, wire) => {
  const { order, ingress_endpoint } = operator
  const cert = order
    ? {
        cert: issuing(wire.authority).issueForClient({ ...order, not_after: endOf(order) }),
        not_before: timestamp(order.not_before),
        not_after: timestamp(endOf(order)),
      }
    : { cert: '', not_before: NO_TIME, not_after: NO_TIME }
  return {
    id: operator.id,
    uri: `${wire.url}/kubernetes_operators/${operator.id}`,
    created_at: timestamp(operator.created_at),
    ...descriptionOf(operator),
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

type Order = NonNullable<OperatorRecord['order']>

// The page of both lists of endpoints has one name.
const { response } = endpoints.operations.list

const boundEndpoints = listOperation({
  name: 'kubernetes_operators.bound_endpoints',
  path: '/kubernetes_operators/{id}/bound_endpoints',
  summary: 'List the endpoints that a Kubernetes operator binds, newest first',
  ids: { id: 'k8sop' },
  prefix: 'ep',
  item: endpointShape,
  filterable: [],
  matching: { url: 'url' },
  errors: [general.not_found],
  ...(response && { response }),
  run(tx, query, { id }) {
    const { enabled_features, endpoint_selectors } = required(tx, operators, id, 'Kubernetes operator')
    const sources = enabled_features.includes('bindings') ? (endpoint_selectors ?? []) : []
    const compiled = sources.map((source) => compileSelector(source, endpointShape, 'endpoint'))
    return pageAt(tx, query, {
      collection: endpointRecords,
      has: (each) =>
        each.binding === 'kubernetes' &&
        compiled.some((holds) => !('problem' in holds) && holds(tx.show(endpointView, each), tx.now)),
      view: endpointView,
      path: `/kubernetes_operators/${id}/bound_endpoints`,
      items: 'endpoints',
    })
  },
})

/** Kubernetes operators. The gateway's authority signs the certificate for an operator's request. */
export const kubernetesOperators = resource(
  {
    name: 'kubernetes_operators',
    path: '/kubernetes_operators',
    items: 'operators',
    prefix: 'k8sop',
    what: 'Kubernetes operator',
    filterable: [],
    errors: operatorErrors,
    collection: operators,
    shape,
    createBody,
    updateBody,
    more: { boundEndpoints },
  },
  {
    view,
    create: {
      run(tx, { enabled_features = [], region = DEFAULT_REGION, deployment, binding = {}, ...rest }) {
        const { endpoint_selectors = null, csr, ingress_endpoint } = binding
        const ofBindings = enabled_features.includes('bindings') ? INGRESS_ENDPOINT : null
        return tx.put(operators, {
          id: tx.newId('k8sop'),
          created_at: tx.now,
          ...described(rest),
          updated_at: tx.now,
          enabled_features,
          region,
          deployment: withSent(UNPLACED, deployment),
          endpoint_selectors,
          order: orderFor(tx, csr, null),
          ingress_endpoint: ingress_endpoint ?? ofBindings,
        })
      },
    },
    update: {
      run(tx, before, body) {
        if (Object.keys(body).length === 0) return before
        const { enabled_features = before.enabled_features, region = before.region, binding = {} } = body
        const { endpoint_selectors = before.endpoint_selectors, csr, ingress_endpoint } = binding
        return changed(tx, operators, before, {
          ...before,
          ...described(body, before),
          enabled_features,
          region,
          deployment: withSent(before.deployment, body.deployment),
          endpoint_selectors,
          order: orderFor(tx, csr, before.order),
          // The service names its address from the first change on.
          ingress_endpoint: ingress_endpoint ?? before.ingress_endpoint ?? INGRESS_ENDPOINT,
        })
      },
    },
  },
)

/** Orders a certificate for a request. The one for the same request stays until its renewal is near. */
function orderFor(tx: Transaction, csr: string | undefined, before: Order | null): Order | null {
  const isKept = before?.csr === csr && before && tx.now < endOf(before) - RENEWAL
  if (csr === undefined || isKept) return before
  return { csr, not_before: Math.floor(tx.now / 1000) * 1000, number: tx.nextOrder() }
}

function endOf({ not_before }: Order): number {
  return not_before + LIFETIME
}

/** Returns fields with those that were sent in their place. */
function withSent<T extends object>(fields: T, sent: { readonly [K in keyof T]?: T[K] | undefined } = {}): T {
  return { ...fields, ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) }
}
