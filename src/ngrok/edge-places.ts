import type { ModuleOwner } from '../kit/index.ts'

/** An owner of modules with one id in its path. */
type EdgeOwner = ModuleOwner<{ readonly id: string }>

/** HTTPS edges: what has their modules. */
export const HTTPS_EDGES: EdgeOwner = {
  path: '/edges/https/{id}',
  ids: { id: 'edghts' },
  what: 'HTTPS edge',
  article: 'an',
}

/** TCP edges. */
export const TCP_EDGES: EdgeOwner = { path: '/edges/tcp/{id}', ids: { id: 'edgtcp' }, what: 'TCP edge' }

/** TLS edges. */
export const TLS_EDGES: EdgeOwner = { path: '/edges/tls/{id}', ids: { id: 'edgtls' }, what: 'TLS edge' }
