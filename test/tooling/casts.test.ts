import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'

const script = fileURLToPath(new URL('../../scripts/casts.mjs', import.meta.url))

/** What the check of casts says about a file. */
function checked(text: string) {
  const folder = mkdtempSync(join(tmpdir(), 'fauxgate-casts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'it.ts'), text)
  const { status, stderr } = spawnSync(process.execPath, [script, folder], { encoding: 'utf8' })
  return { status, problems: stderr.trim() }
}

test('A cast may give its reason on its line, right above it, or right above its statement; `as const` is none', () => {
  const fine = [
    'const a = b as string // It is one.',
    '// It is one.\nconst c = b as string',
    '// It is one.\nconst d = f(\n  1,\n  b as string,\n)',
    'const e = f(\n  1,\n  // It is one.\n  b as string,\n)',
    'const g = [1] as const',
  ]
  expect(checked(fine.join('\n\n'))).toEqual({ status: 0, problems: '' })
})

test('A cast that says nothing is refused, also below a docstring or another statement that has a comment', () => {
  const silent = [
    '/** A text. */',
    'const a = b as string',
    '// One.',
    'const c = 1',
    'const d = { e: [a as unknown] }',
  ]
  expect(checked(silent.join('\n'))).toEqual({
    status: 1,
    problems: 'it.ts:2 casts and does not say why.\nit.ts:5 casts and does not say why.',
  })
})
