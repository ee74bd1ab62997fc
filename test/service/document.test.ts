import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, it } from 'vitest'
import { createGateway, type Gateway, type ManualClock, manualClock } from '../../src/index.ts'
import { type Answer, client } from '../support/client.ts'

/** A statement of the service document, with the requests that show it. The file describes its form. */
interface Row {
  readonly says: string
  readonly steps: readonly string[]
  readonly status: number
  readonly body?: Readonly<Record<string, unknown>>
}

const SECTIONS = load(readFileSync('tools/evidence/service-document.yaml', 'utf8')) as Record<string, Row[]>

describe.each(Object.entries(SECTIONS))('The service document: %s', (_name, rows) => {
  it.each(rows.map((row) => [row.says, row] as const))('%s', async (_says, { steps, status, body = {} }) => {
    const answers = await run(steps)
    for (const answer of answers.slice(0, -1)) expect(answer.status, answer.text).toBeLessThan(300)
    const last = answers.at(-1)
    expect(last?.status, last?.text).toBe(status)
    if (status === 204) expect(last?.text).toBe('')
    for (const [path, expected] of Object.entries(body)) expectValue(readPath(last?.body, path), expected)
  })
})

/** Returns the responses of a new gateway. */
async function run(steps: readonly string[]): Promise<Answer[]> {
  const gateway = createGateway({ clock: manualClock('2026-01-01T00:00:00Z'), seed: 'document' })
  const ids = new Map<string, string>()
  const answers: Answer[] = []
  for (const step of steps) {
    if (applyControl(gateway, step)) continue
    const answer = await send(
      gateway,
      step.replace(/\{(\w+)\}/g, (_, name) => ids.get(name) ?? 'missing'),
    )
    if (answer.body?.id) {
      ids.set('id', answer.body.id)
      ids.set(answer.body.id.split('_')[0], answer.body.id)
    }
    answers.push(answer)
  }
  return answers
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

/** Replaces `<4096 letters>` and `<leaf-p256.pem>`. */
function expand(value: unknown): unknown {
  if (typeof value !== 'string') return value
  const [, letters, file, order] = /^<(?:(\d+) letters|([\w-]+\.pem)( reversed)?)>$/.exec(value) ?? []
  if (letters) return 'x'.repeat(Number(letters))
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
