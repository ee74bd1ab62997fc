import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Refusal } from '../../../src/core/schema/errors.ts'
import { readChain, readKey } from '../../../src/service/x509/uploads.ts'
import { check } from '../../support/property.ts'
import { blocksOf, fixture } from './support.ts'

/** Certificates of all sizes, each signed by the next. */
const CHAINS = ['chain-ed25519', 'chain-rsa-sha256', 'chain-mixed', 'chain-ec-sha512'].map((name) =>
  blocksOf(fixture(name)),
)
const KEYS = ['key-ed25519', 'key-p256', 'key-p256-sec1', 'key-rsa2048', 'key-rsa2048-pkcs1'].map(fixture)
/** Texts between lines, including those that copying, mailing or conversion inserts. */
const BETWEEN = [
  ...'\n\r \t\f\v\0\u00a0\u0085\u2028\u2029\ufeff\u200b\u00ad\u3000-',
  ...['\r\n', '\n\r', '\r\r\n', '\n\n', '\\n', '\\r\\n', '\n> ', '\n ', '', ' \n', '\n-', '\n# ', '\n|'],
]
/** Damage of the lines that begin and end a block. */
const DAMAGES: readonly ((line: string) => string)[] = [
  (line) => line.toLowerCase(),
  (line) => line.slice(1),
  (line) => line.slice(0, -1),
  (line) => line.replaceAll('-', '–'),
  (line) => line.replaceAll('-----', '---'),
  (line) => line.replace(' ', '  '),
  (line) => line.replace(' ', ''),
  (line) => `"${line}"`,
]

const between = fc.constantFrom(...BETWEEN)

/** A change of a text that removes only blanks and line breaks, or damages its boundaries. */
const change: fc.Arbitrary<(text: string) => string> = fc.oneof(
  fc.tuple(fc.nat(), between).map(([at, added]) => (text: string) => {
    const place = at % (text.length + 1)
    return text.slice(0, place) + added + text.slice(place)
  }),
  fc.tuple(fc.nat(), between).map(([which, other]) => (text: string) => {
    const lines = text.split('\n')
    const place = which % lines.length
    return lines.slice(0, place + 1).join('\n') + other + lines.slice(place + 1).join('\n')
  }),
  fc.tuple(fc.nat(), between).map(([which, other]) => (text: string) => {
    const boundaries = [...text.matchAll(/\n?-----[A-Z ]+-----\n?/g)]
    const { 0: found = '', index = 0 } = boundaries[which % Math.max(1, boundaries.length)] ?? {}
    return text.slice(0, index) + found.replaceAll('\n', other) + text.slice(index + found.length)
  }),
  fc.tuple(fc.nat(), fc.constantFrom(...DAMAGES), fc.boolean()).map(([which, damage, isPair]) => (text: string) => {
    const boundaries = [...text.matchAll(/-----[A-Z ]+-----/g)].map(({ 0: { length }, index }) => [index, length])
    const first = which % Math.max(1, boundaries.length)
    const chosen = boundaries.slice(first, first + (isPair ? 2 : 1)).reverse()
    return chosen.reduce(
      (damaged, [at = 0, length = 0]) =>
        damaged.slice(0, at) + damage(damaged.slice(at, at + length)) + damaged.slice(at + length),
      text,
    )
  }),
  between.map((other) => (text: string) => text.replaceAll('\n', other)),
  between.map((added) => (text: string) => text.replace(/^/gm, added)),
)

const changeTexts = (texts: fc.Arbitrary<string>) =>
  fc.tuple(texts, fc.array(change, { minLength: 1, maxLength: 4 })).map(([text, changes]) => ({
    text,
    damaged: changes.reduce((each, apply) => apply(each), text),
  }))

/** Returns the result of a reader, or the key of its error. Throws any other error. */
function readOutcome<T>(read: () => T): T | string {
  try {
    return read()
  } catch (error) {
    if (error instanceof Refusal) return error.problems[0].error.key
    throw error
  }
}

describe('blanks, line ends and boundaries in any state (rules: pem#blocks)', () => {
  it('never drop a certificate: all are read, or the chain is rejected', () => {
    const chains = fc
      .tuple(fc.constantFrom(...CHAINS), fc.nat(2))
      .map(([chain, root]) => chain.slice(0, root + 1).join(''))
    check(
      fc.property(changeTexts(chains), ({ text, damaged }) => {
        const read = readOutcome(() => readChain(damaged).certificate_pem)
        const refusals = ['certificate_not_pem', 'certificate_unparsable', 'certificate_missing', 'pem_wrong_type']
        expect([text, ...refusals]).toContain(read)
      }),
      { numRuns: 400 },
    )
  })

  it('never drop a key: it is read, or the text is rejected', () => {
    check(
      fc.property(changeTexts(fc.constantFrom(...KEYS)), ({ text, damaged }) => {
        const read = readOutcome(() => readKey(damaged).private_key_pem)
        expect([text, 'key_unsupported', 'key_missing', 'pem_wrong_type']).toContain(read)
      }),
      { numRuns: 400 },
    )
  })

  it('never put content into a message', () => {
    check(
      fc.property(
        changeTexts(fc.constantFrom(...KEYS)),
        fc.constantFrom(readChain, readKey),
        ({ text, damaged }, read) => {
          const lines = text.split('\n').filter((line) => !line.startsWith('-----') && line !== '')
          try {
            read(damaged)
          } catch (error) {
            for (const line of lines) expect((error as Error).message).not.toContain(line.slice(0, 8))
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
