import { describe, expect, it } from 'vitest'
import { splitPem, writePem } from '../../src/x509/pem.ts'
import { blocksOf, element, fixture, fixtures } from './support.ts'

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`
const read = (type: string, ...bytes: number[]) => ({ type, encrypted: false, der: Uint8Array.from(bytes) })

describe('splitting a PEM text (RFC 7468)', () => {
  it('reads all blocks and ignores the text around them', () => {
    const text = `subject=x\n${block('A', 'AAEC')}between\n\n${block('B C', 'AwQF')}end`
    expect(splitPem(text)).toEqual({ blocks: [read('A', 0, 1, 2), read('B C', 3, 4, 5)] })
  })

  it.each([
    ['CRLF line ends', block('A', 'AAEC\nAwQF').replaceAll('\n', '\r\n')],
    ['spaces at the ends of lines', block('A', 'AAEC\nAwQF').replaceAll('\n', ' \t\n')],
    ['indented base64', block('A', '  AAEC\n\tAwQF')],
    ['no line end after END', block('A', 'AAECAwQF').trimEnd()],
    ['blank lines inside', block('A', '\nAAEC\n\nAwQF\n')],
  ])('accepts %s', (_, text) => expect(splitPem(text)).toEqual({ blocks: [read('A', 0, 1, 2, 3, 4, 5)] }))

  it('passes over the bits behind the last byte', () => {
    expect(splitPem(block('A', 'AAECAx=='))).toEqual({ blocks: [read('A', 0, 1, 2, 3)] })
    expect(splitPem(block('A', 'AAECA/8='))).toEqual({ blocks: [read('A', 0, 1, 2, 3, 255)] })
  })

  it.each([
    ['Proc-Type: 4,ENCRYPTED\nDEK-Info: AES', true],
    ['Proc-Type: 4,MIC-ONLY', false],
    ['X-Proc-Type: 4,ENCRYPTED', false],
    ['DEK-Info: ENCRYPTED', false],
    ['Note: x', false],
  ])('recognises RFC 1421 headers and the encryption they announce: %s', (headers, encrypted) => {
    expect(splitPem(block('A', `${headers}\n\nAAEC`))).toEqual({
      blocks: [{ ...read('A', 0, 1, 2), hasHeaders: true, encrypted }],
    })
  })

  it.each([
    ['', 'the block that line 2 begins is empty'],
    [' \t\n\n', 'the block that line 2 begins is empty'],
    ['AAECAAE', 'line 2 begins has 7 characters'],
    ['A\nA E\n', 'line 2 begins has 3 characters'],
    ['A', 'line 2 begins has 1 character,'],
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
    ['Note: x\nAAEC', 'the block that line 2 begins is empty'],
    ['Note: x\n\nAA$C', 'character 3 of line 5 is not base64'],
  ])('says of the base64 %j that %s', (body, damage) => {
    const { blocks, problem } = splitPem(`text\n${block('A', body)}`)
    expect(blocks).toMatchObject([{ type: 'A', encrypted: false, damage: expect.stringContaining(damage) }])
    expect(problem).toBeUndefined()
  })
})

const CHAIN = fixture('chain-ed25519')
const [FIRST = '', SECOND = '', THIRD = ''] = blocksOf(CHAIN)
/** The number of the last line of the first certificate. */
const END = FIRST.split('\n').length - 1
const CARRIAGE_RETURN = 'a carriage return (CR) without a line feed (LF)'
const WRITTEN_OUT = '"\\n" or "\\r" written out'
const LABEL = 'has a label that is not of capital letters'
const DASHES = 'does not start with five dashes'
const CAPITALS = 'has other capitals or blanks'
const LOST = 'has base64 outside a block'
const bare = (text: string) => text.replace(/-----.*\n|.*:.*\n/g, '')

describe('a block that cannot be read is a problem, which says on which line (rules: pem#blocks)', () => {
  it.each<[string, number, string, string]>([
    ['no END', 1, '-----BEGIN A-----\nAAEC\n', 'begins has no END line'],
    ['another END', 3, '-----BEGIN A-----\nAAEC\n-----END B-----\n', 'ends a block of another type than line 1'],
    ['an END alone', END, `x\n${FIRST.slice(28)}`, 'ends a block that no line begins'],
    ['a second END', END + 1, `${FIRST}-----END CERTIFICATE-----`, 'ends a block that no line begins'],
    ['a BEGIN inside', 3, `-----BEGIN A-----\nAAEC\n${block('B', 'AAEC')}`, 'before the one that line 1 begins'],
    ['two BEGIN lines', 2, `-----BEGIN CERTIFICATE-----\n${FIRST}`, 'before the one that line 1 begins'],
    ['an indented BEGIN', 2, `\n \t${FIRST}`, 'is indented: its "-----BEGIN"'],
    ['an indented END', END, FIRST.replace('-----END', '\t-----END'), 'is indented: its "-----END"'],
    ['a byte order mark', 1, `\ufeff${CHAIN}`, 'has a byte order mark (U+FEFF) before its "-----BEGIN"'],
    ['one between', END + 1, `${FIRST}\ufeff${SECOND}`, 'has a byte order mark (U+FEFF) before its "-----BEGIN"'],
    ['a form feed', 1, `\f${CHAIN}`, 'has U+000C before its "-----BEGIN"'],
    ['a form feed behind', END, FIRST.replace(/\n$/, '\f\n'), 'has U+000C behind its "-----END …-----"'],
    ['a line separator', END, `${FIRST.trimEnd()}\u2028${SECOND}`, 'has U+2028 behind its "-----END …-----"'],
    ['a no-break space behind', END, FIRST.replace(/\n$/, ' \u00a0\n'), 'has U+00A0 behind its "-----END …-----"'],
    ['lone CRs', 1, CHAIN.replaceAll('\n', '\r'), `has ${CARRIAGE_RETURN} behind its "-----BEGIN …-----"`],
    ['a lone CR before', 1, `text\r${FIRST}`, `has ${CARRIAGE_RETURN} before its "-----BEGIN"`],
    ['line breaks written out', 1, CHAIN.replaceAll('\n', '\\n'), WRITTEN_OUT],
    ['one written out before', 1, `text\\r${CHAIN}`, WRITTEN_OUT],
    ['no line breaks', 1, CHAIN.replaceAll('\n', ''), 'has text behind its "-----BEGIN …-----"'],
    ['blanks for line breaks', 1, CHAIN.replaceAll('\n', ' '), 'has text behind its "-----BEGIN …-----"'],
    ['BEGIN glued to END', END, FIRST.trimEnd() + SECOND, 'has "-----BEGIN" behind its "-----END …-----"'],
    ['BEGIN glued to BEGIN', 1, `-----BEGIN A-----${FIRST}`, 'has "-----BEGIN" behind its "-----BEGIN …-----"'],
    ['base64 glued to BEGIN', 1, CHAIN.replace('-----\n', '-----'), 'has text behind its "-----BEGIN …-----"'],
    ['base64 glued to END', END - 1, CHAIN.replace('\n-----END', '-----END'), 'has text before its "-----END"'],
    ['text behind END', END, `${FIRST.trimEnd()} text`, 'has text behind its "-----END …-----"'],
    ['"\\n" further before', 1, 'a\\nb -----BEGIN A-----', 'has text before its "-----BEGIN"'],
    ['a dash further before', 1, '-x-----BEGIN A-----', 'has text before its "-----BEGIN"'],
    ['text behind blanks', 1, '-----BEGIN A-----  \ttext\\n', 'has text behind its "-----BEGIN …-----"'],
    ['a good boundary later', 1, '-----BEGIN A---- -----END A-----', 'has no five dashes behind the label'],
    ['quoted lines', 1, `> ${FIRST}`, 'has text before its "-----BEGIN"'],
    ['six dashes', 1, `-${FIRST}`, 'has more than five dashes before its "BEGIN"'],
    ['four dashes behind', 1, FIRST.replace('E-----', 'E----'), 'has no five dashes behind the label'],
    ['a broken END', 3, `-----BEGIN A-----\nAAEC\n-----END A--\n`, 'has no five dashes behind the label'],
    ['a label in lower case', 1, '-----BEGIN a-----', LABEL],
    ['no label', 1, '-----BEGIN -----', LABEL],
    ['two blanks before a label', 1, '-----BEGIN  A-----', LABEL],
    ['a blank behind a label', 1, '-----BEGIN A -----', LABEL],
    ['no blank before a label', 1, '-----BEGINA-----', LABEL],
    ['four dashes', 1, FIRST.slice(1), DASHES],
    ['four dashes everywhere', END + 2, `${FIRST}\n${SECOND.replaceAll('-----', '----')}`, DASHES],
    ['other dashes', END + 1, `${FIRST}${SECOND.replaceAll('-', '–')}`, DASHES],
    ['lower case', END + 1, FIRST + SECOND.replace(/-----.*/g, (line) => line.toLowerCase()), CAPITALS],
    ['lower case around nothing', 1, '-----begin a-----', CAPITALS],
    ['a blank before the word', 1, '----- BEGIN A-----', CAPITALS],
    [
      'a BEGIN torn apart',
      END + 1,
      FIRST + SECOND.replace('BEGIN', 'BE\nGIN').replace('END', 'E\u00a0ND'),
      'torn apart',
    ],
    ['no BEGIN and no END', END + 3, `${FIRST}\n\n${bare(SECOND)}${THIRD}`, LOST],
    ['the same and blanks', END + 2, `${FIRST}x\n${bare(SECOND).replace(/./g, '$& \u200b\n')}`, LOST],
    ['a certificate in a header', 3, FIRST.replace('-----\n', `-----\nNote: x\n${bare(SECOND)}\n`), LOST],
  ])('%s', (_, line, text, problem) => {
    expect(splitPem(text).problem).toContain(problem)
    expect(splitPem(text).problem).toMatch(new RegExp(`\\bline ${line} `))
  })

  it('keeps the blocks before the problem', () => {
    expect(splitPem(`${block('A', 'AAEC')}${block('B', 'AAEC')}x-----END B-----`)).toEqual({
      blocks: [read('A', 0, 1, 2), read('B', 0, 1, 2)],
      problem: expect.stringContaining('line 7 '),
    })
  })

  it.each(fixtures('key-').concat(fixtures('leaf-'), 'odd-bare', 'bad-request', 'bad-public-key'))(
    'finds the content of %s outside of blocks, and after a good block',
    (name) => {
      const text = bare(blocksOf(fixture(name)).at(-1) ?? '')
      // What RFC 1421 encrypts is no DER.
      const isDer = !fixture(name).includes('Proc-Type')
      expect(splitPem(text).problem).toBe(isDer ? `line 1 ${LOST}` : undefined)
      expect(splitPem(FIRST + text).problem).toBe(isDer ? `line ${END + 1} ${LOST}` : undefined)
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
    // Were it quadratic, the test would time out.
    for (const text of texts) expect(splitPem(text).problem).toBeDefined()
  })
})

describe('content that stands in no block', () => {
  const base64 = (...parts: Uint8Array[]) =>
    Buffer.from(element(0x30, ...parts))
      .toString('base64')
      .replaceAll('=', '')
  const rest = (size: number) => element(0x04, new Uint8Array(size))
  const inner = (tag: number, size: number) => element(0x30, element(tag, new Uint8Array(size)), rest(60))
  const key = base64(element(2, '\0'), rest(60))

  it.each<[string, Uint8Array[], boolean]>([
    ['a key of version 0', [element(2, '\0'), rest(60)], true],
    ['a key of version 1', [element(2, '\x01'), rest(60)], true],
    ['a number of 2', [element(2, '\x02'), rest(60)], false],
    ['a number of two bytes', [element(2, '\x01\x01'), rest(60)], false],
    ['an explicit version', [inner(0xa0, 3), rest(30)], true],
    ['an explicit version of other length', [inner(0xa0, 4), rest(30)], false],
    ['a serial number of 31 bytes', [inner(0x02, 31), rest(30)], true],
    ['a serial number of 32 bytes', [inner(0x02, 32), rest(30)], false],
    ['an identifier', [inner(0x06, 9), rest(30)], true],
    ['an algorithm', [inner(0x30, 13), rest(30)], true],
    ['a text', [inner(0x0c, 3), rest(30)], false],
    ['a long text', [inner(0x0c, 3), rest(300)], false],
    ['a short one', [element(0x30, element(0x06, 'abc'), rest(20)), rest(4)], true],
    ['a long one', [inner(0x02, 8), rest(300)], true],
    ['a long one with an explicit version', [inner(0xa0, 3), rest(300)], true],
  ])('%s', (_, parts, isFound) => {
    const text = base64(...parts)
    // Whatever comes before shifts nothing, and lines and dashes change nothing.
    for (const each of [text, `x${text}`, text.replace(/.{1,3}/g, '-$&-\n')]) {
      expect(splitPem(each).problem).toBe(isFound ? `line 1 ${LOST}` : undefined)
    }
  })

  it.each([
    ['it begins', `\ntext\n${block('A', 'AAEC')}  ${key.slice(0, 7)}\n${key.slice(7)}`, `line 6 ${LOST}`],
    ['a boundary begins', 'text -----BEG\nIN A-----', 'line 1 has a BEGIN or END line that is torn apart'],
    ['nothing is, since it is cut off', key.slice(0, -1), undefined],
    ['nothing is, since hardly anything is left', key.slice(0, 10), undefined],
    ['nothing is, across a block', `${key.slice(0, 8)}\n${block('A', 'AAEC')}${key.slice(8)}`, undefined],
    ['no boundary is, across a block', `-----BEG\n${block('A', 'AAEC')}IN A-----`, undefined],
    ['nothing is', '', undefined],
  ])('is found where %s', (_, text, problem) => expect(splitPem(text).problem).toBe(problem))

  it('is none where what is inside is as long as what holds it', () => {
    const lying = (size: number) => Buffer.from([0x30, 0x40, 0x30, size, 2, 1, 5, ...Array(80).fill(0)])
    expect(splitPem(lying(0x3f).toString('base64')).problem).toBe(`line 1 ${LOST}`)
    expect(splitPem(lying(0x40).toString('base64')).problem).toBeUndefined()
  })
})

describe('writing PEM (rules: pem#writing)', () => {
  it('breaks base64 after 64 columns and ends with one line end', () => {
    const line = 'eHh4'.repeat(16)
    expect(writePem('A', new Uint8Array(49).fill(0x78))).toBe(block('A', `${line}\neA==`))
    expect(writePem('A', new Uint8Array(48).fill(0x78))).toBe(block('A', line))
  })

  it.each([...fixtures('leaf-'), ...fixtures('chain-'), ...fixtures('key-')])('is what openssl wrote: %s', (name) => {
    for (const text of blocksOf(fixture(name)).filter((each) => !each.includes('Proc-Type'))) {
      const [found] = splitPem(text).blocks
      expect(found?.der && writePem(found.type, found.der)).toBe(text)
    }
  })
})
