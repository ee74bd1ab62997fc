import * as v from 'valibot'
import * as kit from '../../kit/index.ts'
import * as parts from '../../parts/index.ts'
import { backendId } from '../backends.ts'
import { defineModule, type Owner } from '../modules.ts'
import { refField } from '../shared.ts'

const backendShape = kit.named(
  v.object({ enabled: v.unwrap(parts.enabled), backend: refField('The backend.') }),
  'EdgeBackend',
  'The backend that receives the traffic of an edge or a route.',
)

/** The last path segments of backends, by ID prefix. */
const BACKENDS: Readonly<Record<string, string>> = {
  bkdtg: 'tunnel_group',
  bkdfo: 'failover',
  bkdhr: 'http_response',
  bkdsc: 'static',
  bkdwd: 'weighted',
}

function backendRef(wire: kit.Wire, id: string) {
  const kind = parts.lookUp(BACKENDS, id.slice(0, id.indexOf('_')))
  return kit.refTo(wire, kind === undefined ? '/backends' : `/backends/${kind}`, id)
}

/** Creates the `backend` module (rules: edges#backends). */
export function backendModule<Ids extends parts.PathIds>(owner: Owner<Ids>) {
  return defineModule(owner, {
    segment: 'backend',
    title: 'Backend',
    what: 'backend',
    errors: parts.backendErrors,
    body: v.object({
      enabled: parts.enabled,
      backend_id: kit.documented(backendId, 'The ID of the backend that receives the traffic.', {
        rules: 'edges#backends',
      }),
    }),
    example: { backend_id: 'bkdtg_1' },
    shape: backendShape,
    view: ({ enabled, backend_id }, wire) => ({ enabled, backend: backendRef(wire, backend_id) }),
    references: [
      {
        sent: 'backend_id',
        shown: 'backend',
        to: parts.backendTarget,
        ids: ({ backend_id }) => [backend_id],
        missing: parts.backendErrors.child_backend_not_found,
        deletion: 'dangles',
        rules: 'edges#backends',
      },
    ],
    check(tx, { backend_id }, before) {
      if (backend_id !== before?.backend_id) parts.requireBackend(tx, 'backend_id', backend_id)
    },
  })
}
