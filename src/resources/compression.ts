import * as v from 'valibot'
import { enabled } from '../contract/schema.ts'
import { routeModule } from './route-module.ts'

/** The compression module: service document, "HTTPS edge route modules". */
export const compression = routeModule({
  name: 'compression',
  segment: 'compression',
  what: 'compression',
  body: v.object({ enabled }),
  shape: v.object({ enabled: v.unwrap(enabled) }),
  settle: (body) => body,
})
