import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { newFolder } from '../support/folder.ts'

const SPEC = `import { test as base } from 'node:test'
import { testWithGateway } from './testing.mjs'

const test = testWithGateway(base)

  test('hangs', { timeout: 50 }, async ({ gateway }) => {
    await gateway.fetch(gateway.url + '/reserved_domains')
    gateway.clock.advance('1m')
    await new Promise((resolve) => setTimeout(resolve, 500))
  })
`

test('node:test shows the report and the line of a test that times out', async () => {
  const folder = newFolder()
  await bundle("export * from './src/testing/testing.ts'", join(folder, 'testing.mjs'), 'esm')
  const spec = join(folder, 'hangs.test.mjs')
  writeFileSync(spec, SPEC)
  const output = await new Promise<string>((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env
    execFile(process.execPath, ['--test-reporter=spec', spec], { env }, (_error, stdout) => resolve(stdout))
  })
  expect(output).toContain('The runner ended this test before its function did.')
  expect(output).toMatch(/The gateway at 2026-01-01T00:01:00Z:\n.*requests:\n.* GET \/reserved_domains → 401/)
  expect(output).toContain(
    'No request came after 2026-01-01T00:00:00Z, although the clock moved to 2026-01-01T00:01:00Z.',
  )
  expect(output).toMatch(/test at .*hangs\.test\.mjs:6:3\n/)
})
