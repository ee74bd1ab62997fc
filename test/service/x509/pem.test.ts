import { describe, expect, it } from 'vitest'
import { splitPem, writePem } from '../../../src/service/x509/pem.ts'
import { blocksOf, fixture, fixtures } from './support.ts'

const formatBlock = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`
const createBlock = (type: string, ...bytes: number[]) => ({ type, encrypted: false, der: Uint8Array.from(bytes) })

describe('splitting a PEM text (RFC 7468)', () => {
  it('reads all blocks and ignores the text around them', () => {
    const text = `subject=x\n${formatBlock('A', 'AAEC')}between\n\n${formatBlock('B C', 'AwQF')}end`
    expect(splitPem(text)).toEqual({ blocks: [createBlock('A', 0, 1, 2), createBlock('B C', 3, 4, 5)] })
  })

  it.each([
    ['CRLF line ends', formatBlock('A', 'AAEC\nAwQF').replaceAll('\n', '\r\n')],
    ['spaces at the ends of lines', formatBlock('A', 'AAEC\nAwQF').replaceAll('\n', ' \t\n')],
    ['indented base64', formatBlock('A', '  AAEC\n\tAwQF')],
    ['no line end after END', formatBlock('A', 'AAECAwQF').trimEnd()],
    ['blank lines inside', formatBlock('A', '\nAAEC\n\nAwQF\n')],
  ])('accepts %s', (_, text) => expect(splitPem(text)).toEqual({ blocks: [createBlock('A', 0, 1, 2, 3, 4, 5)] }))

  it('ignores the bits after the last byte', () => {
    expect(splitPem(formatBlock('A', 'AAECAx=='))).toEqual({ blocks: [createBlock('A', 0, 1, 2, 3)] })
    expect(splitPem(formatBlock('A', 'AAECA/8='))).toEqual({ blocks: [createBlock('A', 0, 1, 2, 3, 255)] })
  })

  it.each([
    ['Proc-Type: 4,ENCRYPTED\nDEK-Info: AES', true],
    ['Proc-Type: 4,MIC-ONLY', false],
    ['X-Proc-Type: 4,ENCRYPTED', false],
    ['DEK-Info: ENCRYPTED', false],
    ['Note: x', false],
  ])('recognises RFC 1421 headers and the encryption they announce: %s', (headers, encrypted) => {
    expect(splitPem(formatBlock('A', `${headers}\n\nAAEC`))).toEqual({
      blocks: [{ ...createBlock('A', 0, 1, 2), hasHeaders: true, encrypted }],
    })
  })

  it.each([
    ['', 'the block that starts at line 2 is empty'],
    [' \t\n\n', 'the block that starts at line 2 is empty'],
    ['AAECAAE', 'starts at line 2 has 7 characters'],
    ['A\nA E\n', 'starts at line 2 has 3 characters'],
    ['A', 'starts at line 2 has 1 character,'],
    ['AAEC\nAA=C', 'character 4 of line 4 comes after the "="'],
    ['AA==\nAAEC', 'character 1 of line 4 comes after the "="'],
    ['AAEC====', 'character 7 of line 3 is a third "="'],
    ['A===', 'character 4 of line 3 is a third "="'],
    ['%%%%', 'character 1 of line 3 is not base64'],
    ['AAEC\n\t AA$', 'character 5 of line 4 is not base64'],
    ['A \tAE$', 'character 6 of line 3 is not base64'],
    ['AAEC\n  AA-_', 'character 5 of line 4 is not base64'],
    ['AA~C', 'character 3 of line 3 is not base64'],
    ['AA!C', 'character 3 of line 3 is not base64'],
    ['AAÄC', 'character 3 of line 3 is U+00C4'],
    ['A\u{1F600}', 'character 2 of line 3 is U+1F600'],
    ['A\ud800', 'character 2 of line 3 is U+D800'],
    ['AA\0C', 'character 3 of line 3 is U+0000'],
    ['AA\u007fC', 'character 3 of line 3 is U+007F'],
    ['AAEC\u200b', 'character 5 of line 3 is U+200B'],
    ['\ufeffAAEC', 'character 1 of line 3 is a byte order mark (U+FEFF)'],
    ['AAEC\rAAEC', 'character 5 of line 3 is a carriage return (CR)'],
    ['Note: x\nAAEC', 'the block that starts at line 2 is empty'],
    ['Note: x\n\nAA$C', 'character 3 of line 5 is not base64'],
  ])('names the damage of the base64 %j: %s', (body, damage) => {
    const { blocks, problem } = splitPem(`text\n${formatBlock('A', body)}`)
    expect(blocks).toMatchObject([{ type: 'A', encrypted: false, damage: expect.stringContaining(damage) }])
    expect(problem).toBeUndefined()
  })
})

const CHAIN = fixture('chain-ed25519')
const [FIRST = '', SECOND = '', THIRD = ''] = blocksOf(CHAIN)
/** The number of the last line of the first certificate. */
const END = FIRST.split('\n').length - 1
const CARRIAGE_RETURN = 'a carriage return (CR) without a line feed (LF)'
const BEGINS = 'must have "-----BEGIN LABEL-----" and nothing else'
const ENDS = 'must have "-----END LABEL-----" and nothing else'
const NOT_A_MARK = 'is not a BEGIN or END line'
const OUTSIDE = 'has base64 outside a block'
const stripHeaders = (text: string) => text.replace(/-----.*\n|.*:.*\n/g, '')

describe('a block that cannot be read is a problem, which names the line (rules: pem#blocks)', () => {
  it.each<[string, number, string, string]>([
    ['no END', 1, '-----BEGIN A-----\nAAEC\n', 'the block that starts at line 1 has no END line'],
    [
      'another END',
      3,
      '-----BEGIN A-----\nAAEC\n-----END B-----\n',
      'ends a block of a different type than the one that starts at line 1',
    ],
    ['an END alone', END, `x\n${FIRST.slice(28)}`, 'ends a block that was never started'],
    ['a second END', END + 1, `${FIRST}-----END CERTIFICATE-----`, 'ends a block that was never started'],
    [
      'a BEGIN inside',
      3,
      `-----BEGIN A-----\nAAEC\n${formatBlock('B', 'AAEC')}`,
      'before the END line of the block that starts at line 1',
    ],
    ['an indented BEGIN', 2, `\n \t${FIRST}`, BEGINS],
    ['an indented END', END, FIRST.replace('-----END', '\t-----END'), ENDS],
    ['a byte order mark', 1, `\ufeff${CHAIN}`, 'has a byte order mark (U+FEFF) next to its "-----BEGIN"'],
    ['a form feed behind', END, FIRST.replace(/\n$/, '\f\n'), 'has U+000C next to its "-----END"'],
    ['a line separator', END, `${FIRST.trimEnd()}\u2028${SECOND}`, 'has U+2028 next to its "-----END"'],
    ['lone CRs', 1, CHAIN.replaceAll('\n', '\r'), `has ${CARRIAGE_RETURN} next to its "-----BEGIN"`],
    ['a quoted line with a CRLF', 1, `> ${FIRST.replaceAll('\n', '\r\n')}`, BEGINS],
    ['line breaks written out', 1, CHAIN.replaceAll('\n', '\\n'), '"\\n" or "\\r" written out'],
    ['no line breaks', 1, CHAIN.replaceAll('\n', ''), BEGINS],
    ['BEGIN glued to END', END, FIRST.trimEnd() + SECOND, ENDS],
    ['base64 glued to BEGIN', 1, CHAIN.replace('-----\n', '-----'), BEGINS],
    ['base64 glued to END', END - 1, CHAIN.replace('\n-----END', '-----END'), ENDS],
    ['six dashes', 1, `-${FIRST}`, BEGINS],
    ['four dashes behind', 1, FIRST.replace('E-----', 'E----'), BEGINS],
    ['a label in lower case', 1, '-----BEGIN a-----', BEGINS],
    ['two blanks before a label', 1, '-----BEGIN  A-----', BEGINS],
    ['no blank before a label', 1, '-----BEGINA-----', BEGINS],
    ['four dashes', 1, FIRST.slice(1), NOT_A_MARK],
    ['four dashes everywhere', END + 2, `${FIRST}\n${SECOND.replaceAll('-----', '----')}`, NOT_A_MARK],
    ['other dashes', END + 1, `${FIRST}${SECOND.replaceAll('-', '–')}`, NOT_A_MARK],
    ['lower case', END + 1, FIRST + SECOND.replace(/-----.*/g, (line) => line.toLowerCase()), NOT_A_MARK],
    ['a blank before the word', 1, '----- BEGIN A-----', NOT_A_MARK],
    ['a BEGIN torn apart', END + 3, FIRST + SECOND.replace('BEGIN', 'BE\nGIN').replace('END', 'E\u00a0ND'), OUTSIDE],
    ['no BEGIN and no END', END + 3, `${FIRST}\n\n${stripHeaders(SECOND)}${THIRD}`, OUTSIDE],
    ['a certificate in a header', 3, FIRST.replace('-----\n', `-----\nNote: x\n${stripHeaders(SECOND)}\n`), OUTSIDE],
  ])('%s', (_, line, text, problem) => {
    expect(splitPem(text).problem).toContain(problem)
    expect(splitPem(text).problem).toMatch(new RegExp(`\\bline ${line} `))
  })

  it('keeps the blocks before the problem', () => {
    expect(splitPem(`${formatBlock('A', 'AAEC')}${formatBlock('B', 'AAEC')}x-----END B-----`)).toEqual({
      blocks: [createBlock('A', 0, 1, 2), createBlock('B', 0, 1, 2)],
      problem: expect.stringContaining('line 7 '),
    })
  })

  it.each(fixtures('key-').concat(fixtures('leaf-'), 'odd-bare', 'bad-request', 'bad-public-key'))(
    'finds the content of %s outside of blocks, and after a good block',
    (name) => {
      const text = stripHeaders(blocksOf(fixture(name)).at(-1) ?? '')
      expect(splitPem(text).problem).toContain(OUTSIDE)
      expect(splitPem(FIRST + text).problem).toContain(OUTSIDE)
    },
  )

  it.each([
    ['dashes around the word', '--- end of the chain ---'],
    ['what openssl x509 -text prints', 'Certificate:\n    Data:\n        Serial Number: MIIB\n            00:b1:09'],
    ['what openssl pkcs12 prints', 'Bag Attributes\n    localKeyID: 54 69 6D 65 20\nKey Attributes: <No Attributes>'],
    ['what openssl s_client prints', '---\nServer certificate\n'],
    ['a digest', 'sha256//MIIxMAsd83nsf8MHcCAQ7hhSdfsdfMIGHAgEAhskdjh73hHD73h='],
    ['words', 'Front-end, week-end, MICHIGAN, MIND THE END - BEGINNING'],
    ['a line', '-----------------------------'],
  ])('ignores text outside of blocks: %s', (_, text) => {
    expect(splitPem(`${text}\n${FIRST}${text}\n${SECOND}${text}`)).toEqual(splitPem(FIRST + SECOND))
    expect(splitPem(FIRST + SECOND).blocks).toHaveLength(2)
  })

  it('takes linear time, whatever the text is', () => {
    const parts = [
      '-----BEGIN A-----\n',
      '-----BEGIN ',
      '-',
      ' ',
      ' \n',
      '-----END A-----\n',
      '\n',
      'A: b\n',
      '=',
      'MI',
    ]
    const texts = parts.map((part) => `-----BEGIN A-----\n${part.repeat(1_000_000 / part.length)}`)
    // With quadratic time the test would exceed its timeout.
    for (const text of texts) expect(splitPem(text).problem).toBeDefined()
  })
})

describe('writing PEM (rules: pem#writing)', () => {
  it('breaks base64 after 64 columns and ends with one line end', () => {
    const line = 'eHh4'.repeat(16)
    expect(writePem('A', new Uint8Array(49).fill(0x78))).toBe(formatBlock('A', `${line}\neA==`))
    expect(writePem('A', new Uint8Array(48).fill(0x78))).toBe(formatBlock('A', line))
  })

  it.each([...fixtures('leaf-'), ...fixtures('chain-'), ...fixtures('key-')])(
    'gives the same text as openssl: %s',
    (name) => {
      for (const text of blocksOf(fixture(name)).filter((each) => !each.includes('Proc-Type'))) {
        const [found] = splitPem(text).blocks
        expect(found?.der && writePem(found.type, found.der)).toBe(text)
      }
    },
  )
})
