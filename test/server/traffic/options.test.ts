import { expect, test } from 'vitest'
import { runToEnd } from '../../support/command.ts'

// rules: traffic#ports

test('The help of serve has the options of the ports', async () => {
  const { stdout } = await runToEnd({}, 'serve', '--help')
  const [, options] = /\s(--traffic N .*?)\s+--watch /s.exec(stdout) ?? []
  expect(options?.split(/\s+(?=--)/).map((each) => each.replace(/\s+/g, ' '))).toEqual([
    '--traffic N The TCP port for visitors of the endpoints; 0 for any free one. Default: none.',
    '--traffic-tls N The TCP port for visitors with TLS; 0 for any free one. Domains have their own certificates there. Default: none.',
    '--upstream URL=URL … The servers of this machine that answer for upstreams, such as https://app.internal=http://127.0.0.1:3000. Default: none.',
    '--upstream-host HOST … Hosts other than this machine that upstreams may name. Default: none.',
    '--traffic-timeout D How long a visitor or an upstream may be silent, in real time. Then the connection ends, or the response is 504. Default: 5m, as at the service.',
  ])
})

test.each([
  [
    ['--upstream', 'nonsense'],
    '--upstream is "nonsense". Allowed: a URL such as "https://app.internal", or the id of ',
  ],
  [['--upstream', 'https://app.internal=ftp://localhost'], '--upstream is "https://app.internal=ftp://localhost". '],
  [['--upstream', 'bkdsc=http://localhost:1'], '--upstream is "bkdsc=http://localhost:1". '],
  [['--traffic-timeout', '0'], '--traffic-timeout is "0"'],
])('serve %j is an error that says what is allowed', async (flags, message) => {
  const { code, stderr } = await runToEnd({}, 'serve', '--port', '0', ...flags)
  expect([code, stderr]).toEqual([2, expect.stringContaining(`fauxgate: ${message}`)])
  expect(stderr).toContain('Allowed: ')
})
