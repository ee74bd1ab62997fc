import * as v from 'valibot'
import { blankIsAbsent, documented, named } from '../kit/index.ts'
import { csr, features, selectors } from './operator-records.ts'
import { bodiesOf, knownRegions, texts } from './shared.ts'

export const DEFAULT_REGION = 'global'

export const FEATURES = 'The features of the operator, in lower case.'
export const REGION = 'The region of its connections.'
export const DEPLOYMENT = 'The deployment of the operator in its cluster.'
export const SELECTORS = 'Expressions in CEL over `endpoint`. The operator binds each endpoint for which one is true.'
export const BINDING = 'The settings by which the operator binds endpoints.'
export const INGRESS = 'The address that the operator forwards to.'

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
