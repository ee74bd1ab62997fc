import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../tools/lint/casts.mjs', import.meta.url))

const FINE = [
  'const a = b as string // It is one.',
  '// It is one.\nconst c = b as string',
  '// It is one.\nconst d = f(\n  1,\n  b as string,\n)',
  'const e = f(\n  1,\n  // It is one.\n  b as string,\n)',
  'const g = [1] as const',
]
const SILENT = [
  '/** A text. */',
  'const a = b as string',
  '// One.',
  'const c = <T>(e: T) => e',
  'const d = { e: [a as unknown] }',
]

test('A cast gives its reason on its line, right above it, or right above its statement; `as const` needs none', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-casts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'fine.ts'), FINE.join('\n\n'))
  writeFileSync(join(folder, 'silent.ts'), SILENT.join('\n'))
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  expect(status).toBe(1)
  expect(stderr.match(/^\w+\.ts:\d+/gm)).toEqual(['silent.ts:2', 'silent.ts:5'])
})
