import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { AnyControl } from '../../src/control/control.ts'
import { controlCalls, controls } from '../../src/control/controls.ts'
import { createGateway } from '../../src/index.ts'

const documentation = readFileSync(new URL('../../docs/control-api.md', import.meta.url), 'utf8')

test('Every call of a control has a unique method and path below /_fauxgate, and a short summary', () => {
  for (const { method, path, summary, from } of controlCalls) {
    expect(['body', 'query', 'nothing']).toContain(from)
    expect(['GET', 'POST', 'PUT', 'DELETE']).toContain(method)
    expect(path).toMatch(/^\/[a-z][a-z./-]+$/)
    expect(summary, `${method} ${path}`).toMatch(/^[A-Z][^.]{7,80}$/)
  }
  expect(new Set(controlCalls.map(({ method, path }) => `${method} ${path}`)).size).toBe(controlCalls.length)
  expect(new Set(controlCalls.map(({ summary }) => summary)).size).toBe(controlCalls.length)
})

test('docs/control-api.md has one row for every call of a control, and no other row', () => {
  const rows = [...documentation.matchAll(/^\| `([A-Z]+ \/_fauxgate\/[^`?]+)/gm)].map(([, row]) => row)
  const calls = controlCalls.map(({ method, path }) => `${method} /_fauxgate${path}`)
  expect(rows.sort(), 'rows of docs/control-api.md').toEqual(calls.sort())
})

test('Every control has calls over HTTP, and no two controls add the same member', () => {
  const gateway = createGateway()
  const host = new Proxy({}, { get: () => () => undefined })
  const names = controls.flatMap(({ calls, members }: AnyControl) => {
    expect(Object.keys(typeof calls === 'function' ? calls({}) : calls)).not.toEqual([])
    // A proxy is enough as a host: the test looks only at the names of the members.
    return Object.keys(members?.(host as never) ?? {})
  })
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(gateway).toHaveProperty(name)
})
