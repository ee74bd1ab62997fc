import * as v from 'valibot'
import {
  blankIsAbsent,
  declareErrors,
  documented,
  edgeModule,
  enabled,
  facts,
  field,
  named,
  ofField,
  ruleOnWhole,
} from '../kit/index.ts'
import { HTTPS_EDGES, TLS_EDGES } from './edge-places.ts'
import { refusedField } from './shared.ts'

const VERSIONS = ['1.0', '1.1', '1.2', '1.3'] as const
const PLACES = ['edge', 'upstream'] as const

const errors = declareErrors({
  tls_version_of_upstream: ofField(
    7032,
    400,
    (it) => `${it.field} is ${it.received}, but terminate_at is "upstream", which decides for itself. Leave one out.`,
  ),
})

const httpsErrors = declareErrors({
  https_edge_terminates_itself: field(7109, 400, () => 'no terminate_at: an HTTPS edge terminates TLS itself'),
})

const min_version = v.optional(
  documented(
    v.pipe(v.picklist(VERSIONS), blankIsAbsent(), facts({ json: { enum: [...VERSIONS, ''] } })),
    'The oldest version of TLS that clients may use. Default: the service chooses.',
  ),
)

const shape = named(
  v.object({
    enabled: v.unwrap(enabled),
    terminate_at: documented(v.picklist(PLACES), 'The place where TLS ends: at the edge, or at the upstream.'),
    min_version: documented(v.nullable(v.picklist(VERSIONS)), 'The oldest version of TLS; null if none was set.'),
  }),
  'EdgeTlsTermination',
  'The TLS termination of an edge.',
)

/** The module `tls_termination` of HTTPS edges. */
export const httpsEdgeTlsTermination = edgeModule(HTTPS_EDGES, {
  name: 'https_edge_tls_termination',
  segment: 'tls_termination',
  what: 'TLS termination',
  errors: httpsErrors,
  body: named(
    v.object({
      enabled,
      min_version,
      terminate_at: refusedField(
        httpsErrors.https_edge_terminates_itself,
        'no terminate_at',
        'Refused: an HTTPS edge terminates TLS itself.',
        'edges#edges',
      ),
    }),
    'HttpsEdgeTlsTerminationBody',
    'The new TLS termination.',
    { json: { examples: [{ min_version: '1.3' }] } },
  ),
  shape,
  view: ({ enabled, min_version = null }) => ({ enabled, terminate_at: PLACES[0], min_version }),
})

const fields = v.object({
  enabled,
  terminate_at: v.optional(
    documented(
      v.pipe(v.picklist(PLACES), blankIsAbsent(), facts({ json: { enum: [...PLACES, ''] } })),
      'The place where TLS ends: `edge` or `upstream`. Default: `edge`.',
    ),
  ),
  min_version,
})

const consistent = ruleOnWhole<v.InferOutput<typeof fields>, typeof errors.tls_version_of_upstream>(
  [errors.tls_version_of_upstream],
  ({ terminate_at, min_version }, report) => {
    const at = { path: ['min_version'], value: min_version }
    if (terminate_at === 'upstream' && min_version !== undefined) report(errors.tls_version_of_upstream, {}, at)
  },
)

/** The module `tls_termination` of TLS edges. */
export const tlsEdgeTlsTermination = edgeModule(TLS_EDGES, {
  name: 'tls_edge_tls_termination',
  segment: 'tls_termination',
  what: 'TLS termination',
  errors,
  body: named(v.pipe(fields, consistent), 'TlsEdgeTlsTerminationBody', 'The new TLS termination.', {
    json: { examples: [{ terminate_at: 'upstream' }] },
  }),
  shape,
  view: ({ enabled, terminate_at = 'edge', min_version = null }) => ({ enabled, terminate_at, min_version }),
})
