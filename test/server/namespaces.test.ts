import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, inject, it } from 'vitest'
import { titleWithRequirement } from '../support/requirements.ts'

const ip = (...args: string[]) => execFileSync('ip', args, { stdio: ['ignore', 'ignore', 'pipe'] })

/** Returns whether networks can be created: on Linux, as root, if nothing forbids it. */
function mayHaveNetworks(): boolean {
  if (process.platform !== 'linux') return false
  const name = `fauxgate-${process.pid}`
  const isMade = spawnSync('ip', ['netns', 'add', name], { stdio: 'ignore' }).status === 0
  return isMade && spawnSync('ip', ['netns', 'del', name], { stdio: 'ignore' }).status === 0
}

const isPossible = mayHaveNetworks()

describe.runIf(isPossible)(
  titleWithRequirement('In another network', isPossible, 'no network of its own can be made'),
  () => {
    it('only clients with the key can use the controls (rules: control-api#callers)', async () => {
      const [there, here] = [`fauxgate-a-${process.pid}`, `fauxgate-b-${process.pid}`]
      const own = Object.entries(process.env).filter(([name]) => !name.startsWith('FAUXGATE_'))
      const env = { ...Object.fromEntries(own), NO_PROXY: '*' }
      const inside = (network: string) => ['netns', 'exec', network, process.execPath, inject('command')]
      const ends: (() => unknown)[] = []
      try {
        for (const network of [there, here]) {
          ip('netns', 'add', network)
          ends.push(() => ip('netns', 'del', network))
        }
        ip('link', 'add', 'there', 'netns', there, 'type', 'veth', 'peer', 'name', 'here', 'netns', here)
        ip('-n', there, 'address', 'add', '10.99.0.1/24', 'dev', 'there')
        ip('-n', here, 'address', 'add', '10.99.0.2/24', 'dev', 'here')
        for (const [network, device] of [
          [there, 'there'],
          [here, 'here'],
          [there, 'lo'],
        ] as const) {
          ip('-n', network, 'link', 'set', device, 'up')
        }
        const options = ['--host', '0.0.0.0', '--clock', 'manual', '--start', '2026-01-01T00:00:00Z']
        const keyed = ['--control-key', 'open-sesame', '--allow-host', 'gateway']
        const server = spawn('ip', [...inside(there), 'serve', ...options, ...keyed], {
          env,
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        const ended = once(server, 'exit')
        ends.push(() => server.kill('SIGKILL') && ended)
        await once(server.stdout, 'data')
        const advance = (key: Record<string, string>) => {
          const args = [...inside(here), 'clock', 'advance', '1h', '--url', 'http://10.99.0.1:4747']
          const { status, stdout, stderr } = spawnSync('ip', args, { env: { ...env, ...key }, encoding: 'utf8' })
          return [status, stdout + stderr]
        }
        expect(advance({})).toEqual([1, expect.stringContaining('requires a key here')])
        expect(advance({ FAUXGATE_CONTROL_KEY: 'open-barley' })).toEqual([1, expect.stringContaining('_90402')])
        expect(advance({ FAUXGATE_CONTROL_KEY: 'open-sesame' })).toEqual([
          0,
          '2026-01-01T01:00:00Z\nfauxgate: at http://10.99.0.1:4747\n',
        ])
      } finally {
        for (const end of ends.reverse()) await end()
      }
    })
  },
)
