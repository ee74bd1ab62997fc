import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { endpoints as endpointRecords } from './endpoint-records.ts'
import { endpointShape, endpointView } from './endpoint-view.ts'
import { endpoints } from './endpoints.ts'
import { DAY, getExpiry, type Order, operatorErrors, operators } from './operator-records.ts'
import { DEFAULT_REGION, operatorBodies, operatorShape, operatorView } from './operator-schemas.ts'
import { putIfChanged } from './shared.ts'

const RENEWAL = 30 * DAY
const INGRESS_ENDPOINT = 'connect.ngrok-endpoints.com:443'
const NO_DEPLOYMENT = { name: '', namespace: '', version: '', cluster_name: '' }

// Both lists of endpoints share the page schema.
const { response } = endpoints.operations.list

const boundEndpoints = kit.listOperation({
  name: 'kubernetes_operators.bound_endpoints',
  path: '/kubernetes_operators/{id}/bound_endpoints',
  summary: 'List the endpoints that a Kubernetes operator binds, newest first',
  ids: { id: 'k8sop' },
  prefix: 'ep',
  item: endpointShape,
  filterable: [],
  matching: { url: 'url' },
  errors: [kit.general.not_found],
  ...(response && { response }),
  run(tx, query, { id }) {
    const { enabled_features, endpoint_selectors } = kit.required(tx, operators, id, 'Kubernetes operator')
    const sources = enabled_features.includes('bindings') ? (endpoint_selectors ?? []) : []
    const compiled = sources.map((source) => parts.compileSelector(source, endpointShape, 'endpoint'))
    return kit.pageAt(tx, query, {
      collection: endpointRecords,
      has: (each) =>
        each.binding === 'kubernetes' &&
        compiled.some((matches) => !('problem' in matches) && matches(tx.show(endpointView, each), tx.now)),
      view: endpointView,
      path: `/kubernetes_operators/${id}/bound_endpoints`,
      items: 'endpoints',
    })
  },
})

/** Kubernetes operators. The gateway's certificate authority signs certificates for the CSRs of operators. */
export const kubernetesOperators = kit.resource(
  {
    name: 'kubernetes_operators',
    items: 'operators',
    prefix: 'k8sop',
    what: 'Kubernetes operator',
    tableFields: ['id', 'deployment', 'enabled_features', 'region'],
    filterable: [],
    errors: operatorErrors,
    collection: operators,
    shape: operatorShape,
    ...operatorBodies,
    more: { boundEndpoints },
  },
  {
    view: operatorView,
    create: {
      run(tx, { enabled_features = [], region = DEFAULT_REGION, deployment, binding = {}, ...rest }) {
        const { endpoint_selectors = null, csr, ingress_endpoint } = binding
        const defaultIngress = enabled_features.includes('bindings') ? INGRESS_ENDPOINT : null
        return tx.put(operators, {
          ...kit.newHead(tx, 'k8sop', rest),
          updated_at: tx.now,
          enabled_features,
          region,
          deployment: mergeSent(NO_DEPLOYMENT, deployment),
          endpoint_selectors,
          order: placeOrder(tx, csr, null),
          ingress_endpoint: ingress_endpoint ?? defaultIngress,
        })
      },
    },
    update: {
      run(tx, before, body) {
        if (Object.keys(body).length === 0) return before
        const { enabled_features = before.enabled_features, region = before.region, binding = {} } = body
        const { endpoint_selectors = before.endpoint_selectors, csr, ingress_endpoint } = binding
        return putIfChanged(tx, operators, before, {
          ...before,
          ...kit.described(body, before),
          enabled_features,
          region,
          deployment: mergeSent(before.deployment, body.deployment),
          endpoint_selectors,
          order: placeOrder(tx, csr, before.order),
          // The service shows the operator's address after the first change.
          ingress_endpoint: ingress_endpoint ?? before.ingress_endpoint ?? INGRESS_ENDPOINT,
        })
      },
    },
  },
)

/** Orders a certificate for a CSR. Keeps the order for the same CSR until its renewal is near. */
function placeOrder(tx: kit.Transaction, csr: string | undefined, before: Order | null): Order | null {
  const isKept = before?.csr === csr && before && tx.now < getExpiry(before) - RENEWAL
  if (csr === undefined || isKept) return before
  return { csr, not_before: Math.floor(tx.now / 1000) * 1000, number: tx.nextOrder() }
}

/** Returns fields with the values that were sent, or else the given ones. */
function mergeSent<T extends object>(fields: T, sent: { readonly [K in keyof T]?: T[K] | undefined } = {}): T {
  return { ...fields, ...Object.fromEntries(Object.entries(sent).filter(([, value]) => value !== undefined)) }
}
