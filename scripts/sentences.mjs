// `node scripts/sentences.mjs`, a part of `npm run lint`: no sentence that people read has more than 35 words. Generated
// documents have the sentences of their sources.
import { publicTexts, sentencesIn, wordsIn } from './public-texts.mjs'

const MOST_WORDS = 35
const GENERATED = /^docs\/(api|reference)\//
const CODE = /=>|\bconst \w+ =/

for (const { file, line, text } of publicTexts()) {
  if (GENERATED.test(file) || CODE.test(text)) continue
  for (const sentence of sentencesIn(text)) {
    const words = wordsIn(sentence)
    if (words <= MOST_WORDS) continue
    console.error(`${file}:${line}: a sentence of ${words} words, above ${MOST_WORDS}. Split it:\n  ${sentence}`)
    process.exitCode = 1
  }
}
