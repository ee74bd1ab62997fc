import { expect, test } from 'vitest'
import { controls } from '../../src/control/index.ts'

test('Every control has a path of its own below /_fauxgate, and says in a few words what it does', () => {
  for (const { method, path, summary, from } of controls) {
    expect(['body', 'query', 'nothing']).toContain(from)
    expect(['GET', 'POST', 'PUT', 'DELETE']).toContain(method)
    expect(path).toMatch(/^\/[a-z][a-z./-]+$/)
    expect(summary, `${method} ${path}`).toMatch(/^[A-Z][^.]{7,80}$/)
  }
  expect(new Set(controls.map(({ method, path }) => `${method} ${path}`)).size).toBe(controls.length)
  expect(new Set(controls.map(({ summary }) => summary)).size).toBe(controls.length)
})
