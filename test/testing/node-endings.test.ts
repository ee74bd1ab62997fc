import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { bundle } from '../support/bundle.ts'
import { newFolder } from '../support/folder.ts'

const HEAD = `import { test as base } from 'node:test'
import { testWithGateway } from './testing.mjs'

const test = testWithGateway(base, { globals: true })
`

const HANGS = `${HEAD.replace(', { globals: true }', '')}
  test('hangs', { timeout: 50 }, async ({ gateway }) => {
    await gateway.fetch(gateway.url + '/reserved_domains')
    gateway.clock.advance('1m')
    await new Promise((resolve) => setTimeout(resolve, 500))
  })
`

/** Nothing but the clock keeps the process alive, so that Node up to 22 ends the test without its hooks. */
const WAITS = `${HEAD}
test('waits', { timeout: 1_000 }, async () => {
  await new Promise((resolve) => setTimeout(resolve, 60_000))
})
`

/** A server keeps the process alive, and the failing test doesn't reach the line that closes its server. */
const SERVES = `import assert from 'node:assert/strict'
import { serve } from './testing.mjs'
${HEAD}
test('serves', async ({ gateway }) => {
  const server = await serve(gateway)
  assert.equal(server.url, 'another URL')
  await server.close()
})
test('times out', { timeout: 50 }, async ({ gateway }) => {
  await serve(gateway)
  await new Promise(() => undefined)
})
`

async function run(program: string): Promise<string> {
  const folder = newFolder()
  const entry = "export * from './src/testing/testing.ts'; export { serve } from './src/server/node.ts'"
  await bundle(entry, join(folder, 'testing.mjs'), 'esm')
  const spec = join(folder, 'hangs.test.mjs')
  writeFileSync(spec, program)
  return await new Promise((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env
    execFile(process.execPath, ['--test-reporter=spec', spec], { env, timeout: 20_000 }, (_error, stdout) =>
      resolve(stdout),
    )
  })
}

test('node:test shows the report and the line of a test that times out', async () => {
  const output = await run(HANGS)
  expect(output).toContain('The test runner ended this test before the test function finished.')
  expect(output).toMatch(/The gateway at 2026-01-01T00:01:00Z:\n.*requests:\n.* GET \/reserved_domains → 401/)
  expect(output).toContain(
    'No request came after 2026-01-01T00:00:00Z, although the clock advanced to 2026-01-01T00:01:00Z.',
  )
  expect(output).toMatch(/test at .*hangs\.test\.mjs:6:3\n/)
})

test("node:test shows which timer of a test waits for the gateway's clock", async () => {
  const output = await run(WAITS)
  expect(output.split('The test runner ended this test before the test function finished.')).toHaveLength(2)
  expect(output).toMatch(
    /finished\.\n.*\n.* 1 timer is waiting for the gateway's clock\. It is due at 2026-01-01T00:01:00Z\. /,
  )
})

test('node:test ends after failing tests that did not close their servers', async () => {
  const output = await run(SERVES)
  expect(output).toContain('another URL')
  expect(output).toContain('fail 1')
})
