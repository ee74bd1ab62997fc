import { expect, test } from 'vitest'
import { parseOptions } from '../../../src/server/options/parsed-options.ts'
import { runToEnd } from '../../support/command.ts'

// rules: traffic#ports

test('The help of serve has the options of the ports', async () => {
  const { stdout } = await runToEnd({}, 'serve', '--help')
  const [, options] = /\s(--traffic N .*?)\s+--watch /s.exec(stdout) ?? []
  expect(options?.split(/\s+(?=--)/).map((each) => each.replace(/\s+/g, ' '))).toEqual([
    '--traffic N The TCP port for endpoint visitors; 0 for any free port.',
    "--traffic-tls N The TCP port for endpoint visitors with TLS; 0 for any free port. Visitors receive the domains' own certificates.",
    '--upstream URL=URL … Local servers to use instead of upstreams, such as https://app.internal=http://127.0.0.1:3000.',
    '--upstream-host HOST … Hosts other than this machine that upstreams and agent tunnels may use.',
    '--traffic-timeout D How long a visitor or an upstream may be silent, in real time, before the connection is closed or the response is 504 or 408. (default: 5m, as documented by the service)',
  ])
})

test.each([
  [
    ['--upstream', 'nonsense'],
    '--upstream is "nonsense". Allowed: an http or https URL such as "https://app.internal", or the ID of ',
  ],
  [
    ['--traffic', '0', '--upstream', 'https://app.internal=http://example.com:80'],
    '--upstream contains "http://example.com/". Allowed: servers on this machine',
  ],
  [['--upstream', 'https://app.internal=ftp://localhost'], '--upstream is "https://app.internal=ftp://localhost". '],
  [['--upstream', 'bkdsc=http://localhost:1'], '--upstream is "bkdsc=http://localhost:1". '],
  [['--traffic-timeout', '0'], '--traffic-timeout is "0"'],
])('serve %j is an error that says what is allowed', async (flags, message) => {
  const { code, stderr } = await runToEnd({}, 'serve', '--port', '0', ...flags)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`fauxgate: ${message}`)])
  expect(stderr).toContain('Allowed: ')
})

const readConfig = (config: object) =>
  parseOptions({ flags: new Map(), words: [] }, {}, { file: 'fauxgate.config.json', config: { ...config } }).config

test.each([
  'https://app.internal=http://127.0.0.1:3000',
  'https://app.internal=https://localhost/path',
  'bkdhr_1=http://localhost:1',
])('A config file may have the upstream %j', (upstream) => {
  expect(readConfig({ upstreams: [upstream] })).toEqual({ upstreams: [upstream] })
})

test.each([
  'nonsense',
  '=http://localhost:1',
  'https://app.internal=',
  'https://app.internal=localhost:1',
  'https://app.internal=ws://localhost:1',
  'https://app.internal=http://localhost:1?a=b',
  'https://app.internal=http://localhost:1#a',
  'https://app.internal=http://localhost:port',
  'app.internal=http://localhost:1',
])('A config file cannot have the upstream %j', (upstream) => {
  expect(() => readConfig({ upstreams: [upstream] })).toThrow(
    `"upstreams.0" in fauxgate.config.json is "${upstream}". Allowed: an http or https URL such as "https://app.internal", or the ID of ` +
      'a backend, then "=", then an http or https URL without a query.',
  )
})

test.each([
  [{ upstreams: 'https://a=http://b' }, 'an array of an http or https URL such as'],
  [{ upstreams: [1] }, 'then an http or https URL without a query'],
  [{ upstreamHosts: [''] }, 'a host name or an address'],
  [{ upstreamHosts: 'a' }, 'an array of host names or addresses'],
  [{ traffic: 65_536 }, 'Allowed: '],
  [{ trafficTls: -1 }, 'Allowed: '],
  [{ trafficTimeout: 0 }, 'Allowed: '],
  [{ trafficTimeout: 'soon' }, 'Allowed: '],
])('A config file with %j is rejected, with what is allowed', (config, allowed) => {
  expect(() => readConfig(config)).toThrow(allowed)
})
