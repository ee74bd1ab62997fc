import * as v from 'valibot'
import { named } from '../../core/schema/documentation.ts'
import { enabled } from '../../core/schema/schema.ts'
import { edgeModule, HTTPS_ROUTES } from './route-module.ts'

/** The compression module, for its owners (rules: route-modules#compression). */
export const compressionModule = {
  segment: 'compression',
  what: 'compression',
  body: named(v.object({ enabled }), 'CompressionBody', 'The new compression settings.', {
    json: { examples: [{ enabled: true }] },
  }),
  shape: named(
    v.object({ enabled: v.unwrap(enabled) }),
    'Compression',
    'Compresses responses on their way to clients.',
  ),
}

/** The compression module of an HTTPS edge route. */
export const compression = edgeModule(HTTPS_ROUTES, { name: 'compression', ...compressionModule })
