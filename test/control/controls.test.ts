import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import type { AnyControl, ControlCall } from '../../src/control/control.ts'
import { controlCalls, controls } from '../../src/control/controls.ts'
import { createGateway } from '../../src/index.ts'

const documentation = readFileSync(new URL('../../docs/control-api.md', import.meta.url), 'utf8')

const callsOf = ({ calls }: AnyControl) => (typeof calls === 'function' ? calls({}) : calls)

/** Returns the members of a control or a call. A proxy is enough as a host: the tests look only at the names of the members. */
function membersOf({ members }: Pick<AnyControl, 'members'> | ControlCall): object {
  const host = new Proxy({}, { get: () => () => undefined })
  return Object(members?.(host as never) ?? {})
}

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
  const names = controls.flatMap((control: AnyControl) => {
    expect(callsOf(control)).not.toEqual([])
    return Object.keys(membersOf(control))
  })
  expect(new Set(names).size).toBe(names.length)
  for (const name of names) expect(gateway).toHaveProperty(name)
})

test('The members of a call are members of the gateway, or of the member that its control adds', () => {
  for (const control of controls) {
    const added = Object.entries(membersOf(control))
    const names = added.flatMap(([name, member]) => [name, ...Object.keys(member)])
    for (const call of callsOf(control)) expect(names).toEqual(expect.arrayContaining(Object.keys(membersOf(call))))
  }
})
