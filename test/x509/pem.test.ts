import { describe, expect, it } from 'vitest'
import { bytesOf } from '../../src/x509/bytes.ts'
import { splitPem, writePem } from '../../src/x509/pem.ts'
import { blocksOf, fixture, fixtures } from './support.ts'

const block = (type: string, body: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----\n`

describe('splitting a PEM text (RFC 7468)', () => {
  it('reads all blocks and ignores the text around them', () => {
    const text = `subject=x\n${block('A', 'AAEC')}between\n\n${block('B C', 'AwQF')}end`
    expect(splitPem(text)).toEqual({
      blocks: [
        { type: 'A', encrypted: false, der: Uint8Array.of(0, 1, 2) },
        { type: 'B C', encrypted: false, der: Uint8Array.of(3, 4, 5) },
      ],
      stray: false,
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
  })

  it.each(['', 'AA=C', 'AAE', 'A', 'ÄÄÄÄ', 'AAEC====', '%%%%', 'AA-_'])('has no content for the base64 %j', (body) => {
    expect(splitPem(block('A', body)).blocks).toEqual([{ type: 'A', encrypted: false, der: undefined }])
  })

  it.each([
    ['no END', '-----BEGIN A-----\nAAEC\n'],
    ['another END', '-----BEGIN A-----\nAAEC\n-----END B-----\n'],
    ['a broken END', '-----BEGIN A-----\nAAEC\n-----END A--\n'],
    ['a BEGIN inside', `-----BEGIN A-----\nAAEC\n${block('B', 'AAEC')}`],
  ])('tells a block with %s', (_, text) => expect(splitPem(text)).toEqual({ blocks: [], stray: false, unended: 'A' }))

  it.each([
    ['an indented BEGIN', `  ${block('A', 'AAEC')}`],
    ['line breaks lost', block('A', 'AAEC').replaceAll('\n', ' ')],
    ['line breaks written as \\n', block('A', 'AAEC').replaceAll('\n', '\\n')],
    ['a label in lower case', block('a', 'AAEC')],
    ['an empty label', '-----BEGIN -----\nAAEC\n-----END -----\n'],
  ])('has no block but knows that there was one with %s', (_, text) => {
    expect(splitPem(text)).toEqual({ blocks: [], stray: true })
  })

  it('takes linear time, whatever the text is', () => {
    const texts = ['-----BEGIN A-----\n', '-----BEGIN ', '-', ' ', ' \n', '-----END A-----\n', '\n', 'A: b\n', '='].map(
      (part) => `-----BEGIN A-----\n${part.repeat(1_000_000 / part.length)}`,
    )
    const start = performance.now()
    for (const text of texts) splitPem(text)
    expect(performance.now() - start).toBeLessThan(3000)
  })
})

describe('writing PEM (decisions, "TLS certificates")', () => {
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
