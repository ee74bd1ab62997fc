import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { type Block, listBlocks } from './blocks.ts'
import { modules, running, surroundings } from './surroundings.ts'

/** A line whose comment has its value: a literal, with "…" for any text, and maybe words. */
const LINE = /^(?:const (\w+) = )?(\S.*?) +\/\/ (['"[{\d-].*|true|false|null|undefined)(?:,.*)?$/
const THROWS = /^(\S.*?) +\/\/ throws (\w+)$/

/** The longest beginning of a comment that is a literal, as an expression in which "…" is any text; else undefined. */
function expectedOf(comment: string): string | undefined {
  const ends = [...comment.matchAll(/,|$/g)].map(({ index }) => index).reverse()
  for (const end of ends) {
    const literal = comment.slice(0, end)
    try {
      new Function(`return [${literal}]`)
    } catch {
      continue
    }
    const loosened = literal.replace(/'([^']*…[^']*)'/g, (_text, pattern: string) => {
      const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return `expect.stringMatching(${JSON.stringify(`^${parts.join('[\\s\\S]*')}$`)})`
    })
    return loosened.startsWith('{') ? `expect.objectContaining(${loosened})` : loosened
  }
  return undefined
}

/** A line of a block with the assertion that its comment makes, if any. */
function assertedLine(line: string): string {
  const [, throwing, key] = THROWS.exec(line) ?? []
  if (throwing) return `expect(() => ${throwing}).toThrow(expect.objectContaining({ key: '${key}' }))`
  const [, name, work, comment] = LINE.exec(line) ?? []
  const expected = work && comment && expectedOf(comment)
  if (!expected) return line
  return name ? `const ${name} = ${work}; expect(${name}).toEqual(${expected})` : `expect(${work}).toEqual(${expected})`
}

/** Runs a block, with the assertions of its comments: a fragment among its surroundings, another as it stands. */
async function runBlock({ code, isFragment }: Block): Promise<void> {
  const asserted = code
    .replace(/^import type .*$|^export default .*$/gm, '')
    .replace(/^import \* as (\w+) from '(.*)'$/gm, "const $1 = modules['$2']")
    .replace(/^import \{([^}]*)\} from '(.*)'$/gm, (_line, names: string, from: string) => {
      const values = names.split(',').filter((name) => name.trim() !== '' && !name.trim().startsWith('type '))
      return `const {${values.join(',').replaceAll(' as ', ': ')}} = modules['${from}']`
    })
    .split('\n')
    .map(assertedLine)
    .join('\n')
  const { code: script } = await transform(`async () => { ${asserted} }`, { loader: 'ts', target: 'es2022' })
  const scope = isFragment ? { ...surroundings(code), modules } : { expect, modules }
  await new Function(...Object.keys(scope), `return (${script.trim().replace(/;$/, '')})()`)(...Object.values(scope))
  await Promise.all(running.splice(0))
}

// Those that name a file run with it: files.test.ts.
const blocks = listBlocks('ts', 'js').filter(({ file }) => file === undefined)

describe('The code in', () => {
  it.each(blocks)('$document runs from line $line on, and asserts something', async (block) => {
    expect.hasAssertions()
    await runBlock(block)
  })

  it('README.md and the guides is found', () => {
    const found = new Set(blocks.map(({ document }) => document))
    expect([...found]).toEqual(expect.arrayContaining(['README.md', 'docs/recipes.md', 'docs/provisioning.md']))
  })
})
