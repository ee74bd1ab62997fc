import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it, test } from 'vitest'
import { publicTexts, sentencesIn, textsOfDocument, textsOfSource, wordsIn } from '../../tools/lint/public-texts.ts'

/** Words that readers had to read twice, with the words to write instead. */
const WORDS: readonly (readonly [written: RegExp, instead: string])[] = [
  [/\bclocks? to turn\b|\bturn(s|ed|ing)? (the|its|a) clock\b|\bmov(e|es|ed|ing) the time\b/i, 'advance the clock'],
  [/\bon order\b|\border(s|ed)? (its )?(outcome|fault|failure)s?\b/i, 'injected failures, scripted outcomes'],
  [
    /\bmeets? a fault\b|\brequests? (that )?meets?\b|\b(fault|outcome)s? (is|are|that nothing) met\b|\bis met\b/i,
    'a fault applies',
  ],
  [/\bwhat they get\b/i, 'the response'],
  [/\bways? in\b(?! which)/i, 'an entry point, how to connect'],
  [/\bleft over\b/i, 'leftover resources'],
  [/\bthat there (is|are) (not|none)\b/i, 'an unknown option'],
  [/\b(it is|they are) rejected\b/i, 'it throws; the server answers 400'],
  [/\b(?<!own |other |second |first )hand(ed|s|ing)\b|\bhand over\b/i, 'passed, passes'],
  [/\bstands\b|\bstand(ing)? (in|below|beside|at|under|above|behind|before|there|here)\b/i, 'is'],
  [/\bbehind (it|them|the command)\b|\bbehind \S+ comes\b/i, 'after it, takes'],
  [/\b(is|are|was|were|be|been|being) (told|asked)\b/i, 'receives, is called with'],
  [/\b(has|have|had|having) to\b/i, 'must'],
  [/\bby hand\b/i, 'without the fixture, manually'],
  [/(?<!soon )\bas (it is|they are)\b/i, 'unchanged, verbatim'],
  [/\b(go|goes|went|going|gone) on\b/i, 'continues, resumes'],
  [/\bbegun\b|\banew\b/i, 'started, recreates'],
  [/\b(Keeper|Keeping|KeptBeside)\b/, 'persistence terms'],
  [/\bmend(s|ed|ing)?\b/i, 'fixed'],
  // The name of a page of the decisions is "answers".
  [/\banswer(s|ed|ing)?\b(?!#)/i, 'respond, response'],
  [/\b(refuses|refusing|refusals?)\b/, 'rejects'],
  [/(?<!\bone )\bof (its|his|their|your) own\b(?! famil)/i, 'its own gateway'],
  [/\bin place of\b|\bother than that\b/i, 'instead of, apart from that'],
  [/\bat (your|the) (desk|door)\b|\b(doors?|floors?|desks?|rooms|the house|on the way)\b/i, 'locally: no pictures'],
  [/\b(version 2 of ngrok|surely|nobody has (asked|checked)|the file that they make)\b/i, 'the words of the field'],
  [/\bas many a second\b|\bthe words and a picture\b|\bHow far is the way\b/i, 'throughput, overview'],
]

const texts = publicTexts()

describe('The public texts', () => {
  it('include documents, docstrings, messages, help and the inspector', () => {
    const files = new Set(texts.map(({ file }) => file))
    for (const file of [
      'README.md',
      'docs/getting-started.md',
      'src/core/schema/general-errors.ts',
      'src/gateway/options.ts',
      'src/server/commands/help.ts',
      'src/inspector/tabs/now.tsx',
    ])
      expect(files).toContain(file)
    expect(texts.length).toBeGreaterThan(5000)
  })

  it.each(WORDS)('never use %s, but: %s', (written) => {
    const found = texts.filter(({ text }) => written.test(text))
    expect(found.map(({ file, line, text }) => `${file}:${line}: ${text.slice(0, 200)}`)).toEqual([])
  })
})

test('Headings are nouns or imperatives: none is a question, or a clause with a question word', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { encoding: 'utf8' }).trim().split('\n').filter(existsSync)
  const headings = pages.flatMap((page) =>
    (
      readFileSync(page, 'utf8')
        .replace(/^```[\s\S]*?^```/gm, '')
        .match(/^#+ .*$/gm) ?? []
    ).map((heading) => `${page}: ${heading}`),
  )
  expect(headings.length).toBeGreaterThan(500)
  const question = /\?$|: #+ (?:how|what|when|where|which|who|whose|why|do|does|is|are|can|should)\b/i
  expect(headings.filter((heading) => question.test(heading))).toEqual([])
})

describe('The search for public texts', () => {
  it('finds prose in a document, without its code', () => {
    const document =
      '# The title\n\nSee `code`, and\n[a link](to/it).\n\n```ts\nconst it = 1\n```\n- one\n- two\n\n| a cell | b |\n\n[another][it].\n\n[it]: to/it.md\n'
    expect(textsOfDocument('it.md', document)).toEqual([
      { file: 'it.md', line: 1, text: 'The title.' },
      { file: 'it.md', line: 3, text: 'See X, and a link.' },
      { file: 'it.md', line: 9, text: 'one' },
      { file: 'it.md', line: 10, text: 'two' },
      { file: 'it.md', line: 12, text: 'a cell' },
      { file: 'it.md', line: 12, text: 'b' },
      { file: 'it.md', line: 14, text: 'another.' },
    ])
  })

  it('finds docstrings, messages and JSX in a source', () => {
    const message = 'const it = `one $'.concat("{two} three` + ' and four'")
    const source = `/** Returns it.\n * @throws Error if it is bad. */\n${message}\nconst page = <p>Five six</p>\n`
    expect(textsOfSource('it.tsx', source).map(({ line, text }) => `${line} ${text}`)).toEqual([
      '1 Returns it.',
      '1 Error if it is bad.',
      '3 one X three and four',
      '4 Five six',
    ])
  })

  it('counts the words of each sentence, and a list of names as one', () => {
    expect(sentencesIn('One two. "Three" four! 5 six? e.g. seven').map(wordsIn)).toEqual([2, 2, 4])
    expect(wordsIn('Allowed: one, two, three, four, five, six.')).toBe(1)
  })
})
