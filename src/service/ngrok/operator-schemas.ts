import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { csr, features, getExpiry, type OperatorRecord, selectors } from './operator-records.ts'
import { ACCOUNT_USER, descriptionAndMetadata, knownRegions, userField } from './shared.ts'

export const DEFAULT_REGION = 'global'

const FEATURES = 'The features of the operator, in lowercase.'
const REGION = 'The region to which the operator connects.'
const DEPLOYMENT = "The operator's deployment in its cluster."
const SELECTORS =
  'CEL expressions over `endpoint`. The operator binds each endpoint for which at least one expression is true.'
const BINDING = 'The settings for binding endpoints.'
const INGRESS = 'The address to which the operator forwards traffic.'

const text = (what: string) => v.optional(kit.documented(v.string(), `The ${what}.`))
const updatableFields = { name: text('name'), version: text('version of the operator') }
const deploymentFields = { ...updatableFields, namespace: text('namespace'), cluster_name: text('name of the cluster') }

const fields = {
  ...descriptionAndMetadata(),
  enabled_features: v.optional(kit.documented(features, FEATURES)),
  region: v.optional(
    kit.documented(
      v.pipe(v.string(), parts.blankIsAbsent()),
      `${REGION} Default: ${DEFAULT_REGION}.`,
      knownRegions(DEFAULT_REGION),
    ),
  ),
  binding: v.optional(
    kit.named(
      v.object({
        endpoint_selectors: v.optional(kit.documented(selectors, SELECTORS)),
        csr: v.optional(
          kit.documented(v.pipe(csr, parts.blankIsAbsent()), 'A certificate signing request: PKCS #10 in PEM.', {
            json: { examples: ['-----BEGIN CERTIFICATE REQUEST-----…'] },
          }),
        ),
        ingress_endpoint: v.optional(kit.documented(v.pipe(v.string(), parts.blankIsAbsent()), INGRESS)),
      }),
      'KubernetesOperatorBindingBody',
      BINDING,
    ),
  ),
}

export const operatorBodies = parts.defineBodies('KubernetesOperator', 'a Kubernetes operator', {
  create: {
    ...fields,
    deployment: v.optional(kit.named(v.object(deploymentFields), 'KubernetesOperatorDeploymentCreate', DEPLOYMENT)),
  },
  update: {
    ...fields,
    deployment: v.optional(kit.named(v.object(updatableFields), 'KubernetesOperatorDeploymentUpdate', DEPLOYMENT)),
  },
})

const NO_TIME = '0001-01-01T00:00:00Z'

const textField = (what: string) => kit.documented(v.string(), `The ${what}; "" if not sent.`)

export const operatorShape = kit.named(
  v.object({
    ...kit.resourceHead,
    updated_at: kit.documented(kit.time, 'The time of the last change.'),
    principal: userField('The user who created the operator.'),
    enabled_features: kit.documented(v.array(v.string()), FEATURES),
    region: kit.documented(v.string(), REGION, knownRegions(DEFAULT_REGION)),
    deployment: kit.named(
      v.object({
        name: textField('name'),
        namespace: textField('namespace'),
        version: textField('version of the operator'),
        cluster_name: textField('name of the cluster'),
      }),
      'KubernetesOperatorDeployment',
      DEPLOYMENT,
    ),
    binding: kit.named(
      v.object({
        endpoint_selectors: kit.documented(v.nullable(v.array(v.string())), `${SELECTORS} Null if none were sent.`),
        cert: kit.named(
          v.object({
            cert: kit.documented(v.string(), 'The certificate and its issuer: PEM. "" if no CSR was sent.'),
            not_before: kit.documented(
              kit.time,
              `The start of the certificate's validity period; ${NO_TIME} without a certificate.`,
            ),
            not_after: kit.documented(
              kit.time,
              `The end of the certificate's validity period; ${NO_TIME} without a certificate.`,
            ),
          }),
          'KubernetesOperatorCert',
          "The client certificate for the operator's most recent certificate signing request.",
        ),
        ingress_endpoint: v.exactOptional(kit.documented(v.string(), INGRESS)),
      }),
      'KubernetesOperatorBinding',
      BINDING,
    ),
  }),
  'KubernetesOperator',
  'An ngrok operator in a Kubernetes cluster.',
)

export const operatorView: kit.View<OperatorRecord, kit.Frozen<v.InferOutput<typeof operatorShape>>> = (
  operator,
  wire,
) => {
  const { order, ingress_endpoint } = operator
  const cert = order
    ? {
        cert: parts.issuing(wire.authority).issueForClient({ ...order, not_after: getExpiry(order) }),
        not_before: kit.timestamp(order.not_before),
        not_after: kit.timestamp(getExpiry(order)),
      }
    : { cert: '', not_before: NO_TIME, not_after: NO_TIME }
  return {
    ...kit.viewHead(operator, wire, '/kubernetes_operators'),
    updated_at: kit.timestamp(operator.updated_at),
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
