// `node tools/lint/sentences.mjs`, a part of `npm run lint`: no sentence that people read has more than 35 words.
// Generated documents have the sentences of their sources. And no comment begins with a clause that has no verb, such
// as "What it has."
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { importSource } from '../../scripts/import-source.mjs'

const { publicTexts, sentencesIn, wordsIn } = await importSource('tools/lint/public-texts.ts')

const MAX_WORDS = 35
const GENERATED = /^docs\/(api|reference)\//
const CODE = /=>|\bconst \w+ =/
const HEADLESS = /\/\*\*\s+(?:\* )?((?:How|What|Where|Whether|Which|Whose|Why) [^\n*]*)/g

function report(file, line, problem, text) {
  console.error(`${file}:${line}: ${problem}:\n  ${text}`)
  process.exitCode = 1
}

for (const { file, line, text } of publicTexts()) {
  if (GENERATED.test(file) || CODE.test(text)) continue
  for (const sentence of sentencesIn(text)) {
    const words = wordsIn(sentence)
    if (words > MAX_WORDS) report(file, line, `a sentence of ${words} words, above ${MAX_WORDS}. Split it`, sentence)
  }
}

const sources = execFileSync(
  'git',
  ['ls-files', '-co', '--exclude-standard', 'src', 'scripts', 'tools', 'lint', 'bench', 'test'],
  { encoding: 'utf8' },
)
for (const file of sources.match(/.+\.(ts|mjs)$/gm).filter(existsSync)) {
  const text = readFileSync(file, 'utf8')
  for (const { index, 1: comment } of text.matchAll(HEADLESS)) {
    const line = text.slice(0, index).split('\n').length
    report(file, line, 'a clause without a verb. Begin with a noun, or with a verb such as "Returns"', comment)
  }
}
