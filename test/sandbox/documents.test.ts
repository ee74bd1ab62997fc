import { execFile } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { listBlocksOf } from '../docs/blocks.ts'
import { newFolder } from '../support/folder.ts'
import { ACCOUNT_KEY, useSandboxes } from './support/sandboxes.ts'

const sandboxes = useSandboxes()

it('The program in docs/sandbox.md creates a sandbox, and prints its URL and keys', async () => {
  const { code = '' } = listBlocksOf('docs/sandbox.md').find(({ file }) => file === 'create.mjs') ?? {}
  const cwd = newFolder()
  mkdirSync(join(cwd, 'fauxgate-sandboxes'))
  writeFileSync(join(cwd, 'fauxgate-sandboxes/account-key'), `${ACCOUNT_KEY}\n`)
  writeFileSync(join(cwd, 'create.mjs'), code.replace('http://127.0.0.1:8787', sandboxes.url))
  const runProgram = async () => (await promisify(execFile)(process.execPath, ['create.mjs'], { cwd })).stdout
  const first = await runProgram()
  expect(first).toMatch(/^201 /)
  for (const fact of [/\burl: '\S+\/s\/checkout'/, /\bapi_key: '/, /\bcontrol_key: '/]) expect(first).toMatch(fact)
  expect(await runProgram()).toMatch(/^409 /)
})
