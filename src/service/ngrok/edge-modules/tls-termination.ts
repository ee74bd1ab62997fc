import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import * as parts from '../../parts/index.ts'
import { defineModule, EDGES, type Owner } from '../modules.ts'
import { refusedField } from '../shared.ts'

const VERSIONS = ['1.0', '1.1', '1.2', '1.3'] as const
const TERMINATION_POINTS = ['edge', 'upstream'] as const

const httpsTlsErrors = kit.declareErrors({
  https_edge_terminates_itself: kit.field(7109, 400, 'no terminate_at, because an HTTPS edge terminates TLS itself'),
})

/** The errors for edges and configurations that can leave TLS to the upstream. */
export const tlsErrors = kit.declareErrors({
  tls_version_of_upstream: kit.ofField(
    7032,
    400,
    '{field} is {received}, but terminate_at is "upstream", so the upstream decides the TLS version. Omit one of the two.',
  ),
})

/** The errors for values that are not allowed choices, shared by edges and endpoint configurations. */
export const choiceErrors = kit.declareErrors({
  tls_version_unsupported: kit.field(219, 400, VERSIONS.join(', ')),
  tls_termination_place_unsupported: kit.field(224, 400, TERMINATION_POINTS.join(' or ')),
})

type ChoiceError = (typeof choiceErrors)[keyof typeof choiceErrors]

/** Creates the schema of an optional string from a list of choices. An empty string counts as absent. */
function optionalChoice<const T extends readonly string[]>(texts: T, error: ChoiceError, sentence: string) {
  const read = v.pipe(
    v.picklist(texts),
    kit.refusedAs(error),
    parts.blankIsAbsent(),
    parts.facts({ json: { enum: [...texts, ''] } }),
  )
  return v.optional(kit.documented(read, sentence))
}

const min_version = optionalChoice(
  VERSIONS,
  choiceErrors.tls_version_unsupported,
  'The minimum TLS version that clients must use. Default: the service chooses.',
)

const tlsFields = v.object({
  enabled: parts.enabled,
  terminate_at: optionalChoice(
    TERMINATION_POINTS,
    choiceErrors.tls_termination_place_unsupported,
    'The place where TLS is terminated: `edge` or `upstream`. Default: `edge`.',
  ),
  min_version,
})

const tlsTermination = {
  segment: 'tls_termination',
  title: 'TlsTermination',
  what: 'TLS termination',
  shape: kit.named(
    v.object({
      enabled: v.unwrap(parts.enabled),
      terminate_at: kit.documented(
        v.picklist(TERMINATION_POINTS),
        'The place where TLS is terminated: the edge or the upstream.',
      ),
      min_version: kit.documented(v.nullable(v.string()), 'The minimum TLS version; null if not set.', {
        json: { listed: VERSIONS },
      }),
    }),
    'EdgeTlsTermination',
    'The TLS termination of an edge.',
  ),
}

/** The `tls_termination` module of HTTPS edges. */
export const httpsEdgeTlsTermination = defineModule(EDGES.https, {
  ...tlsTermination,
  errors: { ...httpsTlsErrors, ...choiceErrors },
  body: v.object({
    enabled: parts.enabled,
    min_version,
    terminate_at: refusedField(
      httpsTlsErrors.https_edge_terminates_itself,
      'Not accepted, because an HTTPS edge terminates TLS itself.',
      'edges#edges',
    ),
  }),
  example: { min_version: '1.3' },
  view: ({ enabled, min_version = null }) => ({ enabled, terminate_at: TERMINATION_POINTS[0], min_version }),
})

/** Creates the `tls_termination` module for edges and configurations that can leave TLS to the upstream. */
export const tlsTerminationModule = (owner: Owner) =>
  defineModule(owner, {
    ...tlsTermination,
    errors: { ...tlsErrors, ...choiceErrors },
    body: v.pipe(
      tlsFields,
      kit.ruleOnWhole<v.InferOutput<typeof tlsFields>, typeof tlsErrors.tls_version_of_upstream>(
        [tlsErrors.tls_version_of_upstream],
        ({ terminate_at, min_version }, report) => {
          const at = { path: ['min_version'], value: min_version }
          if (terminate_at === 'upstream' && min_version !== undefined)
            report(tlsErrors.tls_version_of_upstream, {}, at)
        },
      ),
    ),
    example: { terminate_at: 'upstream' },
    view: ({ enabled, terminate_at = TERMINATION_POINTS[0], min_version = null }) => ({
      enabled,
      terminate_at,
      min_version,
    }),
  })
