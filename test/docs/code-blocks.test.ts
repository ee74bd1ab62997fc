import { readdirSync, readFileSync } from 'node:fs'
import { Ngrok } from '@ngrok/ngrok-api'
import { transform } from 'esbuild'
import { setupServer } from 'msw/node'
import { afterEach, describe, expect, it, vi } from 'vitest'
import * as main from '../../src/index.ts'
import * as kit from '../../src/kit/index.ts'
import * as node from '../../src/server/node.ts'
import * as clock from '../../src/testing/clock.ts'
import * as msw from '../../src/testing/msw.ts'
import * as testing from '../../src/testing/testing.ts'

const root = new URL('../../', import.meta.url)
const guides = readdirSync(new URL('docs/', root)).filter((name) => name.endsWith('.md'))
const files = ['README.md', ...guides.map((name) => `docs/${name}`)]

/** The code blocks of a document, with the lines they start at. */
function blocksOf(file: string) {
  const text = readFileSync(new URL(file, root), 'utf8')
  return [...text.matchAll(/^```(?:ts|js)\n([\s\S]*?)^```/gm)].map((match) => ({
    line: text.slice(0, match.index).split('\n').length,
    code: match[1] as string,
  }))
}

const undo: (() => void)[] = []
afterEach(() => {
  for (const each of undo.splice(0)) each()
})

/** What the tests of a block come to. */
const running: unknown[] = []

/** A test runner that runs at once what it is handed, for the blocks that show how to set one up. */
const runner = () => {
  const test = (_name: string, work: (fixtures: object) => unknown) =>
    void running.push(work({ gateway: main.createGateway() }))
  return Object.assign(test, { override: () => undefined, extend: () => test })
}

const modules: Record<string, object> = {
  fauxgate: main,
  'fauxgate/clock': clock,
  'fauxgate/kit': kit,
  'fauxgate/msw': msw,
  'fauxgate/node': node,
  'fauxgate/testing': testing,
  'fauxgate/vitest': { test: runner(), testOnSystemClock: runner() },
  vitest: {
    expect,
    vi,
    describe: (_name: string, work: () => unknown) => work(),
    afterEach: (work: () => void) => void undo.push(work),
  },
}

/** What stands around a block: a gateway, and domains on it where the block speaks of them. */
function surroundings(code: string) {
  const gateway = main.createGateway({ clock: main.manualClock('2026-01-01T00:00:00Z'), seed: 'docs' })
  const reserve = (domain: string) =>
    gateway.reservedDomains.create({ domain, certificate_management_policy: { authority: 'letsencrypt' } })
  let domain = /\bdomain\./.test(code) ? reserve('app.example.com') : undefined
  if (domain && code.includes('domain.certificate.')) {
    gateway.clock.advance('30s')
    domain = gateway.reservedDomains.get(domain.id)
  }
  return {
    ...main,
    ...clock,
    ...msw,
    gateway,
    domain,
    wildcard: code.includes('wildcard.') ? reserve('*.example.com') : undefined,
    modules,
    expect,
    Ngrok,
    yourOwnHandlers: [],
    beforeEach: (work: () => unknown) => work(),
    afterEach: () => undefined,
    test: runner(),
    provision: async () => Promise.reject(new Error('rolled back')),
    reuse: () => undefined,
    setupServer(...handlers: Parameters<typeof setupServer>) {
      const server = setupServer(...handlers)
      undo.push(() => server.close())
      return server
    },
    async provisionDomain(name: string, { fetch, baseUrl }: { fetch: main.Fetch; baseUrl: string }) {
      const headers = { authorization: 'Bearer k', 'service-version': '2', 'content-type': 'application/json' }
      const answer = await fetch(`${baseUrl}/reserved_domains`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ domain: name }),
      })
      if (answer.status !== 201) throw new Error(`The domain was not reserved: ${answer.status}.`)
    },
  }
}

/** What a comment at the end of a line says that the line comes to: a literal, with "…" for any text, and maybe words. */
const LINE = /^(?:const (\w+) = )?(\S.*?) +\/\/ (['"[{\d-].*|true|false|null|undefined)(?:,.*)?$/
const THROWS = /^(\S.*?) +\/\/ throws (\w+)$/

/** The longest beginning of a comment that is a literal, as an expression in which "…" is any text; else undefined. */
function expectedOf(comment: string): string | undefined {
  const ends = [...comment.matchAll(/,|$/g)].map(({ index }) => index).reverse()
  for (const end of ends) {
    const literal = comment.slice(0, end)
    try {
      new Function(`return [${literal}]`)
    } catch {
      continue
    }
    const loosened = literal.replace(/'([^']*…[^']*)'/g, (_text, pattern: string) => {
      const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return `expect.stringMatching(${JSON.stringify(`^${parts.join('[\\s\\S]*')}$`)})`
    })
    return loosened.startsWith('{') ? `expect.objectContaining(${loosened})` : loosened
  }
  return undefined
}

/** A line of a block with the assertion that its comment makes, if any. */
function assertedLine(line: string): string {
  const [, throwing, key] = THROWS.exec(line) ?? []
  if (throwing) return `expect(() => ${throwing}).toThrow(expect.objectContaining({ key: '${key}' }))`
  const [, name, work, comment] = LINE.exec(line) ?? []
  const expected = work && comment && expectedOf(comment)
  if (!expected) return line
  return name ? `const ${name} = ${work}; expect(${name}).toEqual(${expected})` : `expect(${work}).toEqual(${expected})`
}

/** Runs a block, with the assertions of its comments. */
async function runBlock(code: string): Promise<void> {
  const asserted = code
    .replace(/^import \{(.*)\} from '(.*)'$/gm, (_line, names: string, from: string) => {
      const values = names.split(',').filter((name) => !name.trim().startsWith('type '))
      return `const {${values.join(',').replaceAll(' as ', ': ')}} = modules['${from}']`
    })
    .split('\n')
    .map(assertedLine)
    .join('\n')
  const { code: script } = await transform(`async () => { ${asserted} }`, { loader: 'ts', target: 'es2022' })
  const scope = surroundings(code)
  await new Function(...Object.keys(scope), `return (${script.trim().replace(/;$/, '')})()`)(...Object.values(scope))
  await Promise.all(running.splice(0))
}

for (const file of files) {
  describe(`The code in ${file}`, () => {
    for (const { line, code } of blocksOf(file)) {
      it(`runs from line ${line} on, and asserts something`, async () => {
        expect.hasAssertions()
        await runBlock(code)
      })
    }
    it('is there, or the document has none', () => {
      expect(blocksOf(file).length).toBeGreaterThanOrEqual(/control-api|options/.test(file) ? 0 : 1)
    })
  })
}
