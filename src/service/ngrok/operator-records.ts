import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { descriptionAndMetadata } from './shared.ts'

const FEATURES = ['bindings', 'ingress', 'gateway'] as const
const ALLOWED_FEATURES = FEATURES.join(', ')

export const operatorErrors = kit.declareErrors({
  operator_csr_invalid: kit.field(19001, 400, 'a certificate signing request (PKCS #10) in PEM; {problem}'),
  operator_feature_invalid: kit.field(19002, 400),
  operator_selector_invalid: kit.field(19003, 400, 'a CEL expression; {problem}'),
})

// With a picklist, the documents could not tell that any case is allowed.
const feature = kit.documented(
  v.pipe(
    v.string(ALLOWED_FEATURES),
    v.toLowerCase(),
    v.custom<(typeof FEATURES)[number]>((text) => FEATURES.some((each) => each === text), ALLOWED_FEATURES),
    kit.refusedAs(operatorErrors.operator_feature_invalid),
  ),
  `One of ${ALLOWED_FEATURES}, in any case.`,
  { json: { type: 'string', examples: FEATURES } },
)

export const features = v.pipe(
  v.array(feature, `a list of ${ALLOWED_FEATURES}`),
  kit.refusedAs(operatorErrors.operator_feature_invalid),
)

export const csr = v.pipe(
  v.string(),
  kit.rule([operatorErrors.operator_csr_invalid], (pem, report) => {
    const problem = pem === '' ? undefined : parts.requestProblem(pem)
    if (problem !== undefined) report(operatorErrors.operator_csr_invalid, { problem })
  }),
)

export const selectors = v.array(
  v.pipe(
    v.string(),
    kit.rule([operatorErrors.operator_selector_invalid], (source, report) => {
      const compiled = parts.compileSelector(source, v.object({}), 'endpoint')
      if ('problem' in compiled) report(operatorErrors.operator_selector_invalid, compiled)
    }),
  ),
)

const order = v.object({ csr, not_before: parts.scheduledTime, number: parts.made(kit.count) })

const record = v.object({
  ...kit.recordHead('k8sop', descriptionAndMetadata()),
  updated_at: parts.instant,
  enabled_features: v.array(parts.oneOfThese(FEATURES)),
  region: v.string(),
  deployment: v.object({ name: v.string(), namespace: v.string(), version: v.string(), cluster_name: v.string() }),
  endpoint_selectors: v.nullable(selectors),
  order: v.nullable(order),
  ingress_endpoint: v.nullable(v.string()),
})

export type OperatorRecord = kit.Frozen<v.InferOutput<typeof record>>

export const operators = kit.collection<OperatorRecord>({
  name: 'kubernetes_operators',
  schema: record,
})

/** An order for a certificate from a CSR. */
export type Order = NonNullable<OperatorRecord['order']>

export const DAY = 86_400_000
const LIFETIME = 365 * DAY

/** Returns the time at which the certificate of an order expires. */
export function getExpiry({ not_before }: Order): number {
  return not_before + LIFETIME
}
