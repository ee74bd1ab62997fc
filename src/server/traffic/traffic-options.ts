import * as v from 'valibot'
import { duration, optionRow } from '../../core/schema/options.ts'
import { isUpstreamKey, UPSTREAM_KEYS } from '../../traffic/upstreams.ts'
import { nonEmptyText, port } from '../options/listen-schemas.ts'

const UPSTREAM_ALLOWED = `${UPSTREAM_KEYS}, then "=", then an http or https URL without a query`

/** The parts of an upstream such as `https://app.internal=http://127.0.0.1:3000`: its key, and the server that responds instead. */
export function splitUpstream(text: string): { readonly key: string; readonly server: URL } | undefined {
  const { key = '', server = '' } = /^(?<key>.+?)=(?<server>https?:\/\/[^?#]+)$/.exec(text)?.groups ?? {}
  return isUpstreamKey(key) && URL.canParse(server) ? { key, server: new URL(server) } : undefined
}

const upstream = v.pipe(
  v.string(UPSTREAM_ALLOWED),
  v.check((text) => splitUpstream(text) !== undefined, UPSTREAM_ALLOWED),
)

/** The options of the visitor ports. */
export const trafficRows = {
  traffic: optionRow(port, 'The TCP port for endpoint visitors; 0 for any free port.', { defaultText: 'none' }),
  trafficTls: optionRow(
    port,
    "The TCP port for endpoint visitors with TLS; 0 for any free port. Visitors receive the domains' own certificates.",
    {
      defaultText: 'none',
      flag: 'traffic-tls',
    },
  ),
  upstreams: optionRow(
    v.array(upstream, `an array of ${UPSTREAM_ALLOWED}`),
    'Local servers to use instead of upstreams, such as `https://app.internal=http://127.0.0.1:3000`.',
    { default: [], defaultText: 'none', flag: 'upstream', placeholder: 'URL=URL' },
  ),
  upstreamHosts: optionRow(
    v.array(nonEmptyText('a host name or an address'), 'an array of host names or addresses'),
    'Hosts other than this machine that `upstreams` and agent tunnels may use.',
    { default: [], defaultText: 'none', flag: 'upstream-host', placeholder: 'HOST' },
  ),
  trafficTimeout: optionRow(
    duration(1),
    'How long a visitor or an upstream may be silent, in real time, before the connection is closed or the ' +
      'response is 504 or 408.',
    { defaultText: '`5m`, as documented by the service', flag: 'traffic-timeout' },
  ),
}
