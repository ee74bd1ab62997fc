import * as v from 'valibot'
import {
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
import { BINDING, DEFAULT_REGION, DEPLOYMENT, FEATURES, INGRESS, REGION, SELECTORS } from './operator-bodies.ts'
import { endOf, type OperatorRecord } from './operator-records.ts'
import { ACCOUNT_USER, knownRegions, userField } from './shared.ts'

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
