import { readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { type Expected, type Row, readStatements } from '../../scripts/generate/standard.ts'
import { createNgrok } from '../../src/gateway/ngrok.ts'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { type Answer, client } from '../support/client.ts'

const SECTIONS = readStatements('.')

describe.each(SECTIONS)('The service document: %s', (_name, rows) => {
  it.each(rows.map((row) => [row.says, row] as const))('%s', async (_says, row) => {
    const steps = [...row.steps]
    const gateway = startGateway(steps)
    const ids = new Map<string, string>()
    const insertIds = (text: string) => text.replace(/\{([a-z]\w*)\}/g, (_, name) => ids.get(name) ?? 'missing')
    const last = steps.pop()
    for (const each of [...steps, { ...row, step: String(last) }]) {
      const { step, ...expected } = typeof each === 'string' ? { step: each } : each
      if (applyControl(gateway, step)) continue
      const answer = await send(gateway, insertIds(step))
      compare(answer, expected, insertIds)
      collectIds(answer, ids)
    }
  })
})

test('Each error in the rows has its code', () => {
  const rows = SECTIONS.flatMap(([, each]) => each)
  const expected = rows.flatMap((row) => [row, ...row.steps.filter((step) => typeof step !== 'string')])
  const errors = expected.filter(({ status }) => status >= 400)
  expect(errors.filter(({ body }) => !/^ERR_GATEWAY_\d+$/.test(String(body?.error_code)))).toEqual([])
})

/** Returns a new gateway: the one that the first step names, which it removes, or that of the standard dialect. */
function startGateway(steps: Row['steps'][number][]): Gateway<ManualClock> {
  const options = { clock: manualClock('2026-01-01T00:00:00Z'), seed: 'document' }
  if (steps[0] !== 'createNgrok()') return createGateway(options)
  steps.shift()
  return createNgrok(options)
}

/** Compares a response. Without an expected status it must be a success. */
function compare(
  { status, text, headers, body }: Answer,
  { status: expected, body: fields = {} }: Partial<Expected>,
  insertIds: (text: string) => string,
): void {
  if (expected === undefined) expect(status, text).toBeLessThan(300)
  else expect(status, text).toBe(expected)
  if (status === 204) expect(text).toBe('')
  for (const [path, value] of Object.entries(fields)) {
    const [, header] = /^header (.+)$/.exec(path) ?? []
    const found = header ? headers.get(header) : readPath(body, path)
    expectValue(found, typeof value === 'string' ? expand(insertIds(value)) : value)
  }
}

/** Keeps the id of a resource or of the first one in a list, and the URL of the next page. */
function collectIds({ body }: Answer, ids: Map<string, string>): void {
  const first = Object.values(body ?? {}).find((value) => Array.isArray(value))?.[0]
  const id: string | undefined = body?.id ?? first?.id
  if (id) ids.set('id', id).set(id.replace(/_.*/, ''), id)
  if (body?.next_page_uri) ids.set('next_page_uri', body.next_page_uri)
}

/** Carries out a step that is not a request, and returns whether it was one. */
function applyControl({ clock, provisioning }: Gateway<ManualClock>, step: string): boolean {
  const [, seconds, outcome] = /^(?:advance (\d+)s|script (\w+))$/.exec(step) ?? []
  if (step === 'advance to next') clock.advanceToNext()
  else if (seconds) clock.advance(Number(seconds) * 1000)
  else if (outcome === 'DNS_ERROR' || outcome === 'INTERNAL_ERROR') provisioning.script([outcome])
  else return false
  return true
}

function send(gateway: Gateway, step: string): Promise<Answer> {
  const [method = '', path = '', ...rest] = step.split(' ')
  const [word, ...words] = rest
  const sent = rest.join(' ')
  if (word === 'without') return client(gateway)(method, path, { headers: { [words.join('')]: null } })
  if (/^\w+\/\w+$/.test(word ?? ''))
    return client(gateway)(method, path, { raw: '{}', headers: { 'content-type': sent } })
  return client(gateway)(method, path, sent === '' ? {} : { json: JSON.parse(sent, (_, value) => expand(value)) })
}

/** Replaces `<4096 letters>`, `<2048 é>` and `<leaf-p256.pem>`. */
function expand(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [, count, letters, file, order] = /^<(?:(\d+) (letters|é)|([\w-]+\.pem)( reversed)?)>$/.exec(value) ?? []
  if (count) return (letters === 'é' ? 'é' : 'x').repeat(Number(count))
  if (!file) return value
  const pem = readFileSync(`test/fixtures/x509/${file}`, 'utf8')
  return order ? (pem.match(/-----BEGIN[\s\S]+?-----END.+\n/g) ?? []).reverse().join('') : pem
}

// biome-ignore lint/suspicious/noExplicitAny: the body of a response
function readPath(body: any, path: string): unknown {
  const [, names = '', about] = /^(.*?)(?:\[(.+)\])?$/.exec(path) ?? []
  const value = names.split('.').reduce((part, name) => part?.[name], body)
  if (about === 'length') return typeof value === 'string' ? value.length : Object.keys(value).length
  if (about === 'unique id') return new Set(value.map(({ id }: { id: string }) => id)).size
  return value
}

function expectValue(value: unknown, expected: unknown): void {
  const pattern = typeof expected === 'string' && /^\/(.+)\/$/.exec(expected)?.[1]
  if (pattern) expect(value).toMatch(new RegExp(pattern))
  else expect(value).toEqual(expected === 'absent' ? undefined : expected)
}
