import { readFileSync, writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { runToEnd } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'
import { listBlocksOf } from './blocks.ts'

const PAGE = 'docs/policy.md'
const blocks = listBlocksOf(PAGE)
const page = readFileSync(PAGE, 'utf8')

test('docs/policy.md shows what the commands print for its policy, and for its tests after the corrections', async () => {
  const codeOf = (file: string) => blocks.find((block) => block.file === file)?.code ?? ''
  const [check, tests] = blocks.filter(({ language }) => language === 'text').map(({ code }) => code)
  const [, call = '', rate = ''] =
    /^With `(inCidrRange\(.*?\))` and `(rate: \w+)`, the command finds no problems\.$/m.exec(page) ?? []
  enterNewFolder()

  writeFileSync('policy.yml', codeOf('policy.yml'))
  expect(await run('policy', 'check', 'policy.yml')).toEqual({ code: 1, printed: check })

  const corrected = codeOf('policy.yml')
    .replace(/\(conn\.client_ip\.matches\(.*?\)\)/, call)
    .replace(/rate: \w+/, rate)
  writeFileSync('policy.yml', corrected)
  expect((await run('policy', 'check', 'policy.yml')).code).toBe(0)

  writeFileSync('policy.test.yml', codeOf('policy.test.yml'))
  expect(await run('policy', 'test', 'policy.test.yml')).toEqual({ code: 1, printed: tests })
})

/** Runs the command, and returns what a terminal would show of it. */
async function run(...args: string[]) {
  const { code, stdout, stderr } = await runToEnd({}, ...args)
  return { code, printed: `$ npx fauxgate ${args.join(' ')}\n${stderr}${stdout}` }
}
