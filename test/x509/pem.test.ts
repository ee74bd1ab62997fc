import { describe, expect, it } from 'vitest'
import { bytesOf } from '../../src/x509/bytes.ts'
import { splitPem, writePem } from '../../src/x509/pem.ts'
import { leftOut } from '../../src/x509/pem-left-out.ts'
import { blocksOf, element, fixture, fixtures } from './support.ts'

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`

describe('splitting a PEM text (RFC 7468)', () => {
  it('reads all blocks and ignores the text around them', () => {
    const text = `subject=x\n${block('A', 'AAEC')}between\n\n${block('B C', 'AwQF')}end`
    expect(splitPem(text)).toEqual({
      blocks: [
        { type: 'A', encrypted: false, der: Uint8Array.of(0, 1, 2) },
        { type: 'B C', encrypted: false, der: Uint8Array.of(3, 4, 5) },
      ],
    })
  })

  it.each([
    ['CRLF line ends', block('A', 'AAEC\nAwQF').replaceAll('\n', '\r\n')],
    ['spaces at the ends of lines', block('A', 'AAEC\nAwQF').replaceAll('\n', ' \t\n')],
    ['indented base64', block('A', '  AAEC\n\tAwQF')],
    ['no line end after END', block('A', 'AAECAwQF').trimEnd()],
    ['blank lines inside', block('A', '\nAAEC\n\nAwQF\n')],
  ])('accepts %s', (_, text) => {
    expect(splitPem(text).blocks).toEqual([{ type: 'A', encrypted: false, der: Uint8Array.of(0, 1, 2, 3, 4, 5) }])
  })

  it('recognises RFC 1421 headers and the encryption they announce', () => {
    const { blocks } = splitPem(
      block('RSA PRIVATE KEY', 'Proc-Type: 4,ENCRYPTED\nDEK-Info: AES\n\nAAEC') + block('A', 'Note: x\n\nAAEC'),
    )
    expect(blocks.map(({ encrypted }) => encrypted)).toEqual([true, false])
    expect(blocks[1]?.der).toEqual(Uint8Array.of(0, 1, 2))
    for (const header of ['Proc-Type: 4,MIC-ONLY', 'X-Proc-Type: 4,ENCRYPTED', 'DEK-Info: ENCRYPTED']) {
      expect(splitPem(block('A', `${header}\n\nAAEC`)).blocks).toEqual([
        { type: 'A', encrypted: false, der: Uint8Array.of(0, 1, 2) },
      ])
    }
  })

  it('passes over the bits behind the last byte', () => {
    expect(splitPem(block('A', 'AAECAx==')).blocks[0]?.der).toEqual(Uint8Array.of(0, 1, 2, 3))
    expect(splitPem(block('A', 'AAECA/8=')).blocks[0]?.der).toEqual(Uint8Array.of(0, 1, 2, 3, 255))
  })

  it.each([
    ['', 'the block that line 2 begins is empty'],
    [' \t\n\n', 'the block that line 2 begins is empty'],
    ['AAECAAE', 'the base64 of the block that line 2 begins has 7 characters, not a multiple of four'],
    ['A\nA E\n', 'the base64 of the block that line 2 begins has 3 characters, not a multiple of four'],
    ['A', 'the base64 of the block that line 2 begins has 1 character, not a multiple of four'],
    ['AAEC\nAA=C', 'character 4 of line 4 stands behind the "=" that ends the base64'],
    ['AA==\nAAEC', 'character 1 of line 4 stands behind the "=" that ends the base64'],
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
    ['AA\fC', 'character 3 of line 3 is U+000C'],
    ['AA\u007fC', 'character 3 of line 3 is U+007F'],
    ['AA\u00a0C', 'character 3 of line 3 is U+00A0'],
    ['AAEC\u200b', 'character 5 of line 3 is U+200B'],
    ['\ufeffAAEC', 'character 1 of line 3 is a byte order mark (U+FEFF)'],
    ['AAEC\rAAEC', 'character 5 of line 3 is a carriage return (CR) without a line feed (LF)'],
    ['Note: x\nAAEC', 'the block that line 2 begins is empty'],
    ['Note: x\n\nAA$C', 'character 3 of line 5 is not base64'],
  ])('says of the base64 %j that %s', (body, damage) => {
    expect(splitPem(`text\n${block('A', body)}`)).toEqual({ blocks: [{ type: 'A', encrypted: false, damage }] })
  })
})

const CHAIN = fixture('chain-ed25519')
const [FIRST = '', SECOND = '', THIRD = ''] = blocksOf(CHAIN)
/** The number of the last line of the first certificate. */
const END = FIRST.split('\n').length - 1
const BEHIND = `behind its "-----END …-----"`

describe('a block that cannot be read is a problem, which says on which line (rules: pem#blocks)', () => {
  it.each<[string, string, string]>([
    ['no END', '-----BEGIN A-----\nAAEC\n', 'the block that line 1 begins has no END line'],
    [
      'another END',
      '-----BEGIN A-----\nAAEC\n-----END B-----\n',
      'line 3 ends a block of another type than line 1 begins',
    ],
    ['an END alone', `x\n${FIRST.slice(28)}`, `line ${END} ends a block that no line begins`],
    ['a second END', `${FIRST}-----END CERTIFICATE-----`, `line ${END + 1} ends a block that no line begins`],
    [
      'a BEGIN inside',
      `-----BEGIN A-----\nAAEC\n${block('B', 'AAEC')}`,
      'line 3 begins a block before the one that line 1 begins has its END line',
    ],
    [
      'two BEGIN lines',
      `-----BEGIN CERTIFICATE-----\n${FIRST}`,
      'line 2 begins a block before the one that line 1 begins has its END line',
    ],
    ['an indented BEGIN', `\n \t${FIRST}`, 'line 2 is indented: its "-----BEGIN" must come first'],
    [
      'an indented END',
      FIRST.replace('-----END', '\t-----END'),
      `line ${END} is indented: its "-----END" must come first`,
    ],
    ['a byte order mark', `\ufeff${CHAIN}`, 'line 1 has a byte order mark (U+FEFF) before its "-----BEGIN"'],
    [
      'a byte order mark between',
      `${FIRST}\ufeff${SECOND}`,
      `line ${END + 1} has a byte order mark (U+FEFF) before its "-----BEGIN"`,
    ],
    ['a form feed', `\f${CHAIN}`, 'line 1 has U+000C before its "-----BEGIN"'],
    ['a form feed behind', FIRST.replace(/\n$/, '\f\n'), `line ${END} has U+000C ${BEHIND}`],
    ['a line separator', `${FIRST.trimEnd()}\u2028${SECOND}`, `line ${END} has U+2028 ${BEHIND}`],
    ['a no-break space behind', FIRST.replace(/\n$/, ' \u00a0\n'), `line ${END} has U+00A0 ${BEHIND}`],
    [
      'lone carriage returns',
      CHAIN.replaceAll('\n', '\r'),
      'line 1 has a carriage return (CR) without a line feed (LF) behind its "-----BEGIN …-----"',
    ],
    [
      'a lone carriage return before',
      `text\r${FIRST}`,
      'line 1 has a carriage return (CR) without a line feed (LF) before its "-----BEGIN"',
    ],
    [
      'line breaks written out',
      CHAIN.replaceAll('\n', '\\n'),
      'line 1 has "\\n" or "\\r" written out, as two characters, in place of a line break',
    ],
    [
      'line breaks written out before',
      `text\\r${CHAIN}`,
      'line 1 has "\\n" or "\\r" written out, as two characters, in place of a line break',
    ],
    [
      'no line breaks',
      CHAIN.replaceAll('\n', ''),
      'line 1 has text behind its "-----BEGIN …-----", without a line break between',
    ],
    [
      'blanks for line breaks',
      CHAIN.replaceAll('\n', ' '),
      'line 1 has text behind its "-----BEGIN …-----", without a line break between',
    ],
    [
      'BEGIN glued to END',
      FIRST.trimEnd() + SECOND,
      `line ${END} has "-----BEGIN" ${BEHIND}, without a line break between`,
    ],
    [
      'BEGIN glued to BEGIN',
      `-----BEGIN CERTIFICATE-----${FIRST}`,
      'line 1 has "-----BEGIN" behind its "-----BEGIN …-----", without a line break between',
    ],
    [
      'base64 glued to BEGIN',
      CHAIN.replace('-----\n', '-----'),
      'line 1 has text behind its "-----BEGIN …-----", without a line break between',
    ],
    [
      'base64 glued to END',
      CHAIN.replace('\n-----END', '-----END'),
      `line ${END - 1} has text before its "-----END", without a line break between`,
    ],
    ['text behind END', `${FIRST.trimEnd()} text`, `line ${END} has text ${BEHIND}, without a line break between`],
    [
      'a line break written out further before',
      'a\\nb -----BEGIN A-----',
      'line 1 has text before its "-----BEGIN", without a line break between',
    ],
    [
      'a dash further before',
      '-x-----BEGIN A-----',
      'line 1 has text before its "-----BEGIN", without a line break between',
    ],
    [
      'text behind blanks',
      '-----BEGIN A-----  \ttext\\n',
      'line 1 has text behind its "-----BEGIN …-----", without a line break between',
    ],
    [
      'a good boundary behind one of four dashes',
      '-----BEGIN A---- -----END A-----',
      'line 1 has no five dashes behind the label of its "-----BEGIN"',
    ],
    ['quoted lines', `> ${FIRST}`, 'line 1 has text before its "-----BEGIN", without a line break between'],
    ['six dashes', `-${FIRST}`, 'line 1 has more than five dashes before its "BEGIN"'],
    [
      'four dashes behind',
      FIRST.replace('E-----', 'E----'),
      'line 1 has no five dashes behind the label of its "-----BEGIN"',
    ],
    [
      'a broken END',
      `-----BEGIN A-----\nAAEC\n-----END A--\n`,
      'line 3 has no five dashes behind the label of its "-----END"',
    ],
    ...['-----BEGIN a-----', '-----BEGIN -----', '-----BEGIN  A-----', '-----BEGIN A -----', '-----BEGINA-----'].map(
      (line): [string, string, string] => [
        line,
        line,
        'line 1 has a label that is not of capital letters and digits, with one blank before each word',
      ],
    ),
    ['four dashes', FIRST.slice(1), 'line 1 is not a BEGIN or END line: it does not start with five dashes (U+002D)'],
    [
      'four dashes everywhere',
      `${FIRST}\n${SECOND.replaceAll('-----', '----')}`,
      `line ${END + 2} is not a BEGIN or END line: it does not start with five dashes (U+002D)`,
    ],
    [
      'other dashes',
      `${FIRST}${SECOND.replaceAll('-', '–')}`,
      `line ${END + 1} is not a BEGIN or END line: it does not start with five dashes (U+002D)`,
    ],
    [
      'lower case',
      FIRST + SECOND.replace(/-----BEGIN.*|-----END.*/g, (line) => line.toLowerCase()),
      `line ${END + 1} is not a BEGIN or END line: it has other capitals or blanks`,
    ],
    [
      'lower case around nothing',
      '-----begin a-----',
      'line 1 is not a BEGIN or END line: it has other capitals or blanks',
    ],
    [
      'a blank before the word',
      '----- BEGIN A-----',
      'line 1 is not a BEGIN or END line: it has other capitals or blanks',
    ],
    [
      'BEGIN and END torn apart',
      FIRST + SECOND.replaceAll('BEGIN', 'BE\nGIN').replaceAll('END', 'E\u00a0ND'),
      `line ${END + 1} has a BEGIN or END line that is torn apart`,
    ],
    [
      'no BEGIN and no END',
      `${FIRST}\n\n${SECOND.replace(/-----.*\n/g, '')}${THIRD}`,
      `line ${END + 3} has base64 that stands in no block`,
    ],
    [
      'no BEGIN and no END, and blanks everywhere',
      `${FIRST}x\n${SECOND.replace(/-----.*\n/g, '').replace(/./g, '$& \u200b\n')}`,
      `line ${END + 2} has base64 that stands in no block`,
    ],
    [
      'a certificate among the headers of another',
      FIRST.replace('-----\n', `-----\nNote: x\n${SECOND.replace(/-----.*\n/g, '')}\n`),
      'line 3 has base64 that stands in no block',
    ],
  ])('%s', (_, text, problem) => expect(splitPem(text).problem).toBe(problem))

  it('keeps the blocks before the problem', () => {
    expect(splitPem(`${block('A', 'AAEC')}${block('B', 'AAEC')}x-----END B-----`)).toEqual({
      blocks: ['A', 'B'].map((type) => ({ type, encrypted: false, der: Uint8Array.of(0, 1, 2) })),
      problem: 'line 7 has text before its "-----END", without a line break between',
    })
  })

  it.each(fixtures('key-').concat(fixtures('leaf-'), 'odd-bare', 'bad-request', 'bad-public-key'))(
    'finds the content of %s outside of blocks, and after a good block',
    (name) => {
      const bare =
        blocksOf(fixture(name))
          .at(-1)
          ?.replace(/-----.*\n|.*:.*\n/g, '') ?? ''
      const seen =
        name.endsWith('1-encrypted') || name === 'key-rsa2048-encrypted'
          ? undefined
          : 'has base64 that stands in no block'
      expect(splitPem(bare).problem).toBe(seen && `line 1 ${seen}`)
      expect(splitPem(`${FIRST}${bare}`).problem).toBe(seen && `line ${END + 1} ${seen}`)
    },
  )

  it.each([
    ['dashes around the word', '--- end of the chain ---'],
    [
      'what openssl x509 -text prints',
      'Certificate:\n    Data:\n        Serial Number: MIIB\n            Modulus:\n                00:b1:09',
    ],
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
    const texts = ['-----BEGIN A-----\n', '-----BEGIN ', '-', ' ', ' \n', '-----END A-----\n', '\n', 'A: b\n', '='].map(
      (part) => `-----BEGIN A-----\n${part.repeat(1_000_000 / part.length)}`,
    )
    // Were it quadratic, the test would time out.
    for (const text of texts) expect(splitPem(text).problem).toBeDefined()
  })
})

describe('content that stands in no block', () => {
  const FOUND = 'line 1 has base64 that stands in no block'
  const base64 = (...parts: Uint8Array[]) =>
    Buffer.from(element(0x30, ...parts))
      .toString('base64')
      .replaceAll('=', '')
  const rest = (size: number) => element(0x04, new Uint8Array(size))
  const inner = (tag: number, size: number) => element(0x30, element(tag, new Uint8Array(size)), rest(60))

  it.each<[string, Uint8Array[], string | undefined]>([
    ['a key of version 0', [element(2, '\0'), rest(60)], FOUND],
    ['a key of version 1', [element(2, '\x01'), rest(60)], FOUND],
    ['a number of 2', [element(2, '\x02'), rest(60)], undefined],
    ['a number of two bytes', [element(2, '\x01\x01'), rest(60)], undefined],
    ['an explicit version', [inner(0xa0, 3), rest(30)], FOUND],
    ['an explicit version of other length', [inner(0xa0, 4), rest(30)], undefined],
    ['a serial number of 31 bytes', [inner(0x02, 31), rest(30)], FOUND],
    ['a serial number of 32 bytes', [inner(0x02, 32), rest(30)], undefined],
    ['an identifier', [inner(0x06, 9), rest(30)], FOUND],
    ['an algorithm', [inner(0x30, 13), rest(30)], FOUND],
    ['a text', [inner(0x0c, 3), rest(30)], undefined],
    ['a long text', [inner(0x0c, 3), rest(300)], undefined],
    ['a short one', [element(0x30, element(0x06, 'abc'), rest(20)), rest(4)], FOUND],
    ['a long one', [inner(0x02, 8), rest(300)], FOUND],
    ['a long one with an explicit version', [inner(0xa0, 3), rest(300)], FOUND],
  ])('%s', (_, parts, problem) => {
    expect(leftOut([base64(...parts)])).toBe(problem)
    // Whatever comes before shifts nothing, and lines and dashes change nothing.
    expect(leftOut([`x${base64(...parts)}`])).toBe(problem)
    expect(
      leftOut(
        base64(...parts)
          .match(/.{1,3}/g)
          ?.map((line) => `-${line}-`) ?? [],
      ),
    ).toBe(problem)
  })

  it('is found where it begins', () => {
    const key = base64(element(2, '\0'), rest(60))
    expect(leftOut(['', 'text', undefined, `  ${key.slice(0, 7)}`, key.slice(7)])).toBe(
      'line 4 has base64 that stands in no block',
    )
    expect(leftOut(['text -----BEG', 'IN A-----'])).toBe('line 1 has a BEGIN or END line that is torn apart')
  })

  it('is none where it is cut off or runs across a block', () => {
    const key = base64(element(2, '\0'), rest(60))
    expect(leftOut([key.slice(0, -1)])).toBeUndefined()
    expect(leftOut([key.slice(0, 10)])).toBeUndefined()
    expect(leftOut([key.slice(0, 8), undefined, key.slice(8)])).toBeUndefined()
    expect(leftOut(['-----BEG', undefined, 'IN A-----'])).toBeUndefined()
    expect(leftOut([])).toBeUndefined()
  })

  it('is none where what is inside is as long as what holds it', () => {
    const lying = (size: number) =>
      Buffer.from([0x30, 0x40, 0x30, size, 2, 1, 5, ...Array(80).fill(0)]).toString('base64')
    expect(leftOut([lying(0x3f)])).toBe(FOUND)
    expect(leftOut([lying(0x40)])).toBeUndefined()
  })
})

describe('writing PEM (rules: pem#writing)', () => {
  it('breaks base64 after 64 columns and ends with one line end', () => {
    const text = writePem('A', bytesOf('x'.repeat(49)))
    expect(text).toBe(`-----BEGIN A-----\n${'eHh4'.repeat(16)}\neA==\n-----END A-----\n`)
    expect(writePem('A', bytesOf('x'.repeat(48)))).toBe(`-----BEGIN A-----\n${'eHh4'.repeat(16)}\n-----END A-----\n`)
  })

  it('is byte-identical for what openssl wrote', () => {
    for (const name of [...fixtures('leaf-'), ...fixtures('chain-'), ...fixtures('key-')]) {
      for (const text of blocksOf(fixture(name)).filter((block) => !block.includes('Proc-Type'))) {
        const [read] = splitPem(text).blocks
        expect(read?.der && writePem(read.type, read.der)).toBe(text)
      }
    }
  })
})
