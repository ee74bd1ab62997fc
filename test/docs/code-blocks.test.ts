import { transform } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { type Block, listBlocks } from './blocks.ts'
import { modules, testPromises } from './modules.ts'
import { surroundings } from './surroundings.ts'

/** A line with its value in a comment: a literal, in which "…" matches any text, and maybe words. */
const LINE = /^(?:const (\w+) = )?(\S.*?) +\/\/ (['"[{\d-].*|true|false|null|undefined)(?:,.*)?$/
const THROWS = /^(\S.*?) +\/\/ throws (\w+)$/

/** Returns the longest literal at the start of a comment, as an expression in which "…" matches any text. */
function parseExpected(comment: string): string | undefined {
  const ends = [...comment.matchAll(/,|$/g)].map(({ index }) => index).reverse()
  for (const end of ends) {
    const literal = comment.slice(0, end)
    try {
      new Function(`return [${literal}]`)
    } catch {
      continue
    }
    const expression = literal.replace(/'([^']*…[^']*)'/g, (_text, pattern: string) => {
      const parts = pattern.split('…').map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
      return `expect.stringMatching(${JSON.stringify(`^${parts.join('[\\s\\S]*')}$`)})`
    })
    return expression.startsWith('{') ? `expect.objectContaining(${expression})` : expression
  }
  return undefined
}

/** Returns a line of a block, with the assertion that its comment makes, if any. */
function addAssertion(line: string): string {
  const [, call, key] = THROWS.exec(line) ?? []
  if (call) return `expect(() => ${call}).toThrow(expect.objectContaining({ key: '${key}' }))`
  const [, name, work, comment] = LINE.exec(line) ?? []
  const expected = work && comment && parseExpected(comment)
  if (!expected) return line
  return name ? `const ${name} = ${work}; expect(${name}).toEqual(${expected})` : `expect(${work}).toEqual(${expected})`
}

/** Runs a block, with the assertions of its comments. A fragment can use the names of its surroundings. */
async function runBlock({ code, isFragment }: Block): Promise<void> {
  const body = code
    .replace(/^import type .*$|^import '.*$|^export default .*$/gm, '')
    .replace(/^import \* as (\w+) from '(.*)'$/gm, "const $1 = modules['$2']")
    .replace(/^import \{([^}]*)\} from '(.*)'$/gm, (_line, names: string, from: string) => {
      const values = names.split(',').filter((name) => name.trim() !== '' && !name.trim().startsWith('type '))
      return `const {${values.join(',').replaceAll(' as ', ': ')}} = modules['${from}']`
    })
    .split('\n')
    .map(addAssertion)
    .join('\n')
  const { code: script } = await transform(`async () => { ${body} }`, { loader: 'ts', target: 'es2022' })
  const scope = isFragment ? { ...surroundings(), modules } : { expect, modules }
  await new Function(...Object.keys(scope), `return (${script.trim().replace(/;$/, '')})()`)(...Object.values(scope))
  await Promise.all(testPromises.splice(0))
}

// files.test.ts checks the blocks that name a file.
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
