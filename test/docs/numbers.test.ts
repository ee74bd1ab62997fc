import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { openApi } from '../../src/gateway/openapi/openapi.ts'
import { ngrok } from '../../src/index.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import { documents } from './blocks.ts'

const read = (path: string) => readFileSync(path, 'utf8')

const pages = [
  ...documents,
  'CONTRIBUTING.md',
  'ARCHITECTURE.md',
  '.github/SECURITY.md',
  '.ci/run',
  ...readdirSync('languages').map((name) => `languages/${name}/README.md`),
]

/** Returns the pages that a pattern finds, each with what the groups of the pattern match. */
const find = (pattern: RegExp) =>
  pages.flatMap((page) => [...read(page).matchAll(pattern)].map(([, ...found]) => ({ page, found })))

/** Returns how many times as fast as MSW a request is in the measurements. */
const ratioOf = (method: string) =>
  Number(new RegExp(`^${method}: gateway\\.fetch over MSW 2 +([\\d.]+) `, 'm').exec(read('tools/bench/README.md'))?.[1])

const setupLines = [...read('docs/from-msw.md').matchAll(/^(\d+) lines of setup/gm)].map(([, count = '']) => count)

const operations = Object.values(openApi(ngrok, { families: ngrokFamilies }).paths).flatMap(Object.keys)

describe('Each page that names a number has that of its source:', () => {
  test.each<[string, RegExp, readonly string[], string[]]>([
    [
      'the operations of ngrok',
      /\b(\d{3}) operations\b/g,
      [String(operations.length)],
      ['README.md', 'docs/confidence.md', 'docs/differences.md'],
    ],
    // Later features need a later version, such as Node 22.13.
    [
      'the oldest Node, in package.json',
      /\bNode(?:\.js)?\s(20\.\d+)/g,
      [JSON.parse(read('package.json')).engines.node.replace('>=', '')],
      ['README.md', 'llms.txt', 'CONTRIBUTING.md', '.ci/run', 'languages/python/README.md'],
    ],
    [
      'the lines of setup in docs/from-msw.md',
      /\[(\d+) non-blank lines of setup with Mock Service Worker, and (\d+) with fauxgate\]/g,
      setupLines,
      ['README.md'],
    ],
    [
      'the measured ratio to MSW',
      /\b(\d+)–(\d+)× MSW's throughput/g,
      [ratioOf('POST'), ratioOf('GET')].map((ratio) => String(Math.floor(ratio))),
      ['README.md'],
    ],
  ])('%s', (_what, pattern, numbers, expected) => {
    const found = find(pattern)
    expect(found.filter((each) => each.found.join() !== numbers.join())).toEqual([])
    expect(found.map(({ page }) => page)).toEqual(expect.arrayContaining(expected))
  })
})
