import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { decodeYaml, listFiles } from '../../src/server/policy/read-files.ts'
import { FORMATS } from '../../src/server/policy/render.ts'

test.each(['utf-8', 'utf-16le', 'utf-16be', 'utf-16', 'utf-32le', 'utf-32be', 'utf-32'])(
  'a file in %s is read',
  (encoding) => {
    const text = '{"on_http_request": [] } # Grüße 🙂'
    const bytes = execFileSync('iconv', ['-f', 'utf-8', '-t', encoding], { input: text })
    expect(decodeYaml(bytes, 'policy.yaml')).toBe(text)
  },
)

test('bytes that are no text are rejected by the name of their file', () => {
  expect(() => decodeYaml(Uint8Array.of(0xc3, 0x28), 'policy.yaml')).toThrow('policy.yaml is not valid UTF-8')
})

describe('the names of files', () => {
  let folder = ''
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'fauxgate-policy-'))
    mkdirSync(join(folder, 'sub/node_modules'), { recursive: true })
    for (const name of ['a.yaml', 'b{1}.json', 'c.txt', 'g.tf', 'sub/d.yml', 'sub/node_modules/e.yaml', '.f.yaml'])
      writeFileSync(join(folder, name), '')
  })
  afterEach(() => rmSync(folder, { recursive: true }))
  const listed = async (word: string) =>
    (await listFiles([`${folder}/${word}`])).map((file) => file.slice(folder.length + 1))

  test.each([
    ['*.yaml', ['a.yaml']],
    ['**/*.{yaml,yml}', ['a.yaml', 'sub/d.yml']],
    ['[!b]*.*', ['a.yaml', 'c.txt', 'g.tf']],
    ['b{1}.json', ['b{1}.json']],
    ['', ['a.yaml', 'b{1}.json', 'g.tf', 'sub/d.yml']],
  ])('%j means %j', async (word, expected) => {
    expect(await listed(word)).toEqual(expected)
  })

  test('a glob without files is rejected', async () => {
    await expect(listed('*.toml')).rejects.toThrow('matches no file')
  })
})

describe('the output', () => {
  const problem = {
    severity: 'error',
    number: 2203,
    path: ['on_http_request', 0],
    message: 'The field "x" is unknown: 100%.',
    hint: 'Did you mean y?',
    policy: '',
    source: '\t x: 1',
    ...{ line: 2, column: 3, endLine: 2, endColumn: 4 },
  } as const
  const files = [{ file: 'a.yaml', policies: [''], problems: [problem], computedLines: [] }]
  const render = (format: keyof typeof FORMATS) => FORMATS[format](files, (_style, text) => text)

  test('text has the place, the line, a caret and the hint', () => {
    expect(render('text')).toBe(`a.yaml:2:3: error: The field "x" is unknown: 100%. [ERR_NGROK_2203]
2 | \t x: 1
  | \t ^
  hint: Did you mean y?

1 error in 1 policy of 1 file.
`)
  })

  test('JSON has the numbers and the problems', () => {
    expect(JSON.parse(render('json'))).toMatchObject({
      ...{ files: 1, policies: 1, errors: 1, warnings: 0 },
      problems: [{ file: 'a.yaml', code: 'ERR_NGROK_2203', line: 2, hint: 'Did you mean y?' }],
    })
  })

  test('JUnit and GitHub escape the message', () => {
    expect(render('junit')).toContain('message="The field &quot;x&quot; is unknown: 100%."')
    expect(render('github')).toBe(
      '::error file=a.yaml,line=2,endLine=2,col=3,endColumn=4,title=ERR_NGROK_2203::The field "x" is unknown: 100%25.%0ADid you mean y?\n',
    )
  })
})
