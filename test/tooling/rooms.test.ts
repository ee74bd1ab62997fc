import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/rooms.mjs', import.meta.url))

/** What the check of imports says about a folder with these files. */
function checked(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-rooms-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  return { status, problems: stderr.split('\n').filter((line) => line !== '') }
}

test('Imports of lower rooms, of the own room and of packages are fine', () => {
  expect(
    checked({
      'schema/ids.ts': `import * as v from 'valibot'\nexport const id = v.string()`,
      'resources/list.ts': `import { id } from '../schema/ids.ts'\nimport { one } from './one.ts'`,
      'resources/one.ts': 'export const one = 1',
      'gateway/gateway.ts': `import '../resources/list.ts'`,
      'server/node.ts': `import { readFileSync } from 'node:fs'\nimport '../gateway/gateway.ts'`,
    }),
  ).toEqual({ status: 0, problems: [] })
})

test('An import of a higher room is refused, of a type and in a function too', () => {
  const { status, problems } = checked({
    'schema/ids.ts': `import type { Table } from '../engine/table.ts'`,
    'engine/table.ts': `export type { Gateway } from '../gateway/gateway.ts'`,
    'resources/list.ts': `export const load = () => import('../http/handler.ts')`,
    'http/handler.ts': `export type Row = import('../direct/api.ts').Row`,
    'gateway/gateway.ts': `import '../testing/clock.ts'`,
  })
  expect(status).toBe(1)
  expect(problems.slice(0, 5)).toEqual([
    expect.stringMatching(/^engine\/table\.ts imports gateway\/gateway\.ts: the room engine may import /),
    expect.stringMatching(/^gateway\/gateway\.ts imports testing\/clock\.ts: /),
    expect.stringMatching(/^http\/handler\.ts imports direct\/api\.ts: /),
    expect.stringMatching(/^resources\/list\.ts imports http\/handler\.ts: /),
    'schema/ids.ts imports engine/table.ts: the room schema may import nothing else of ours.',
  ])
})

test('Files that import one another are refused, and the way around is named once', () => {
  const { status, problems } = checked({
    'engine/a.ts': `import './b.ts'`,
    'engine/b.ts': `import type { C } from './c.ts'`,
    'engine/c.ts': `import './b.ts'\nimport './d.ts'`,
    'engine/d.ts': '',
  })
  expect({ status, problems }).toEqual({
    status: 1,
    problems: ['A circle: engine/b.ts imports engine/c.ts imports engine/b.ts.'],
  })
})

test('Node’s own modules, with and without "node:", are for the server alone', () => {
  const { problems } = checked({
    'testing/vitest.ts': `import { tmpdir } from 'node:os'`,
    'x509/hashes.ts': `import { createHash } from 'crypto'`,
  })
  expect(problems).toEqual([
    "testing/vitest.ts imports node:os: of Node's own modules only these rooms may import: server.",
    "x509/hashes.ts imports crypto: of Node's own modules only these rooms may import: server.",
  ])
})

test('A new room has to be put into the table', () => {
  const { problems } = checked({ 'attic/box.ts': `import '../schema/ids.ts'` })
  expect(problems).toEqual(['attic/box.ts: the room attic does not stand in scripts/rooms.mjs.'])
})
