// The calls of a generated client that together make each control. They have bodies and queries only where the control
// demands them. The order is that of the document, with removals after the others.

import { certificatePair } from '../../dist/testing.js'
import { operationsOf } from '../../scripts/operations.mjs'

/** The domain that the gateway has. */
export const DOMAIN = 'controls.example.com'
const UPSTREAM = 'http://localhost:8080'
const SESSION = 'ts_2AbCdEfGhIjKlMnOpQrStUvWxYz'
const GATEWAY = 'gw_2AbCdEfGhIjKlMnOpQrStUvWxYz'
const EXPLORATION = 'ex_2AbCdEfGhIjKlMnOpQrStUvWxYz'

/** The ids above that a response gives, by the control that sends it. */
const GIVEN = { 'post /gateways': GATEWAY, 'post /explorations': EXPLORATION }

/** The body or the query of each control that needs one, by the method and the path. */
const INPUTS = {
  'post /clock': { advance: '1s' },
  'post /declare': { tunnel_session: {} },
  'delete /declare': { id: SESSION },
  // The attempts of further controls leave one outcome, which is a trouble.
  'post /provisioning/script': { outcomes: Array(5).fill('success') },
  'post /provisioning/attempt': { id: DOMAIN },
  'post /provisioning/renew': { id: DOMAIN },
  'post /provisioning/expire': { id: DOMAIN },
  'get /provisioning/timeline': { id: DOMAIN },
  'put /dns': { name: DOMAIN, type: 'A', value: '192.0.2.1' },
  'post /faults': { operation: 'vaults.list', status: 503 },
  'put /agent': { down: false },
  'post /agent/restart': { new_urls: false },
  'post /agent/tunnels': { addr: 80, name: 'of-a-control' },
  'post /traffic': { url: `https://${DOMAIN}/` },
  'put /traffic/upstreams': { url: UPSTREAM },
  'delete /traffic/upstreams': { url: UPSTREAM },
  'post /policy/check': { policy: '{}' },
  'post /snapshots': { name: 'first' },
  'post /snapshots/restore': { name: 'first' },
  'get /snapshots/difference': { from: 'first' },
  'post /troubles/fix': { id: 'outcomes for any domain' },
  // Without a body, the client in Go sends null.
  'post /gateways': {},
  'post /explorations': {},
  'delete /gateways': { name: GATEWAY },
  'post /explorations/next': { id: EXPLORATION },
  'post /explorations/ended': { id: EXPLORATION, run: 1, copy: 'a', life: 1 },
  'post /certificates': { certificate_pem: certificatePair().certificate_pem },
}

/** Returns the turn of a call. Removals of a part come before that of the whole, and the reset comes last. */
function rank({ method, path }) {
  if (path.endsWith('/reset')) return 0
  return method === 'delete' ? -path.length : -Infinity
}

/** Creates the calls that make each control of a gateway. */
export function createControlCalls(document, gateway) {
  const inputs = { ...INPUTS, 'put /state': gateway.snapshot() }
  return operationsOf(document)
    .sort((a, b) => rank(a) - rank(b) || 0)
    .map(({ operationId, method, path, requestBody }) => {
      const control = `${method} ${path.replace('/_fauxgate', '')}`
      const input = inputs[control]
      const sent = input && { [requestBody ? 'body' : 'named']: input }
      return { operation: operationId, id: GIVEN[control], ids: [], named: {}, ...sent }
    })
}
