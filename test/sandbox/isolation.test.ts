import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { checkAsync } from '../support/property.ts'
import { type SandboxClient, useSandboxes } from './support/sandboxes.ts'

const SECRET = 'only-in-the-victim'

const sandboxes = useSandboxes({ WILDCARD_HOST: 'boxes.example.com' })
let victim: SandboxClient
let attacker: SandboxClient
beforeAll(async () => {
  victim = await sandboxes.create('victim')
  attacker = await sandboxes.create('attacker')
  await victim.send('POST', '/reserved_addrs', { description: SECRET })
})

/** Returns an arbitrary spelling of a name. Each letter is unchanged, in the other case, or percent-encoded. */
function arbitrarySpelling(name: string): fc.Arbitrary<string> {
  const letter = (text: string) => {
    const hex = text.charCodeAt(0).toString(16)
    return fc.constantFrom(text, text, text, text.toUpperCase(), `%${hex}`, `%25${hex}`, `${text}%00`, `${text}.`)
  }
  return fc.tuple(...[...name].map(letter)).map((letters) => letters.join(''))
}

const dots = fc.constantFrom('', './/', '../', '%2e%2e/', '..%2f', '//', '\\', '%5c', ';/', '@', ':', '%2F')
const addDots = (name: fc.Arbitrary<string>) =>
  fc
    .tuple(dots, name, dots, fc.constantFrom('', 's/', 's/victim/', '../victim/', '%2e%2e/victim/', '..;/victim/'))
    .map((parts) => parts.join(''))

const names = fc.oneof(
  addDots(arbitrarySpelling('victim')),
  addDots(arbitrarySpelling('attacker')),
  addDots(fc.string({ unit: 'binary-ascii', maxLength: 20 }).map((text) => encodeURIComponent(text))),
)

describe('A sandbox', () => {
  it('cannot be reached with the keys of another sandbox, however its name is spelled', async () => {
    await checkAsync(
      fc.asyncProperty(names, async (name) => {
        const headers = { ...attacker.headers, 'fauxgate-control-key': attacker.created.control_key }
        for (const path of [`/s/${name}/reserved_addrs`, `/s/${name}/_fauxgate/state`]) {
          const { text } = await sandboxes.sendExactly('GET', path, headers)
          expect(text).not.toContain(SECRET)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('cannot be reached by its host name with the keys of another sandbox', async () => {
    const hosts = fc
      .tuple(
        fc.constantFrom('', 'victim.', 'attacker.', 'VICTIM.', 'a.victim.', 'victim..', '.', 'xn--victim.'),
        fc.constantFrom(
          'boxes.example.com',
          'BOXES.example.com',
          'boxes.example.com.',
          'boxes.example.com:80',
          'other',
        ),
      )
      .map((parts) => parts.join(''))
    await checkAsync(
      fc.asyncProperty(hosts, fc.constantFrom('', '/s/victim', '/s/attacker'), async (host, before) => {
        const { text } = await sandboxes.sendExactly('GET', `${before}/reserved_addrs`, { ...attacker.headers, host })
        expect(text).not.toContain(SECRET)
      }),
      { numRuns: 80 },
    )
  })

  it('answers at its own host name, which all URIs then contain', async () => {
    const headers = { ...victim.headers, host: 'victim.boxes.example.com' }
    const { status, text } = await sandboxes.sendExactly('GET', '/reserved_addrs', headers)
    expect(status).toBe(200)
    expect(JSON.parse(text).uri).toBe('http://victim.boxes.example.com/reserved_addrs')
    const other = await sandboxes.sendExactly('GET', '/reserved_addrs', {
      ...headers,
      host: 'attacker.boxes.example.com',
    })
    expect(other.status).toBe(401)
  })

  it('can only be created with one lower-case DNS label as its name', async () => {
    const label = /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom('a', 'Z', '0', '-', '.', '_', '%61', 'ä', ' '), minLength: 1, maxLength: 50 }),
      fc.string({ minLength: 1, maxLength: 50 }),
    )
    await checkAsync(
      fc.asyncProperty(
        texts.filter((text) => !label.test(text) && !/[/?#\\]|^\.+$/.test(text)),
        async (text) => {
          const name = text.includes('%61') ? text : encodeURIComponent(text)
          const { status, text: answer } = await sandboxes.callAccount('PUT', `/s/${name}`, {})
          expect([status, answer]).toEqual([400, expect.stringContaining('ERR_GATEWAY_90610')])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('does not accept the digest of a key as a key', async () => {
    const digest = async (text: string) => {
      const bytes = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
      return Buffer.from(bytes).toString('hex')
    }
    const { api_key, control_key } = victim.created
    const headers = {
      authorization: `Bearer ${await digest(api_key)}`,
      'service-version': '2',
      'fauxgate-control-key': await digest(control_key),
    }
    const { url } = victim.created
    expect((await sandboxes.send('GET', `${url}/reserved_addrs`, { headers })).status).toBe(401)
    expect((await sandboxes.send('GET', `${url}/_fauxgate/state`, { headers })).status).toBe(401)
  })
})
