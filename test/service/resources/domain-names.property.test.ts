import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { refusalKey } from '../../support/client.ts'
import { open } from '../../support/gateway.ts'
import { check } from '../../support/property.ts'
import { encodePunycode, listCodePoints } from '../../support/punycode.ts'

/** Returns whether the grammar allows a name, independently of src (rules: domain-names#grammar). */
function isName(name: string): boolean {
  if (!/^[a-z\d.*-]{1,253}$/i.test(name)) return false
  const labels = name.toLowerCase().split('.')
  const plain = labels[0] === '*' ? labels.slice(1) : labels
  return plain.length >= 2 && plain.every(isLabel) && !/^(\d+|localhost)$/.test(plain.at(-1) as string)
}

function isLabel(label: string): boolean {
  if (!/^(?!-)[a-z\d-]{1,63}(?<!-)$/.test(label)) return false
  if (!/^..--/.test(label)) return true
  const points = label.startsWith('xn--') && listCodePoints(label.slice(4))
  if (!points) return false
  const isText = points.some((each) => each > 127) && points.every((each) => each < 0xd800 || each > 0xdfff)
  return isText && `xn--${encodePunycode(...points)}` === label
}

const letters = fc.oneof(
  fc.integer({ min: 0x80, max: 0x10ffff }),
  fc.integer({ min: 0x61, max: 0x7a }),
  fc.constantFrom(0xd7ff, 0xd800, 0xdfff, 0xe000, 0x10ffff, 0x110000, 0xfc, 0x1f600),
)
const encoded = fc.array(letters, { minLength: 1, maxLength: 4 }).map((points) => `xn--${encodePunycode(...points)}`)
const usual = fc.oneof(fc.stringMatching(/^[a-z0-9]{1,6}$/), fc.constantFrom('com', 'example', 'uk', '0', '127', 'A'))
const odd = fc.oneof(
  fc.constantFrom('', ...'* ** a* localhost LOCALHOST -a a- - a_b ab--c a--b ü \u212A'.split(' ')),
  fc.constantFrom('a'.repeat(62), 'a'.repeat(63), 'a'.repeat(64), 'a b', 'a\n', 'XN--MNCHEN-3YA', 'xn--', '1.2'),
  fc.stringMatching(/^[a-zA-Z0-9-]{1,8}$/),
  fc.stringMatching(/^xn--[a-z0-9-]{1,10}$/),
  fc.string({ maxLength: 4 }),
)
const labels = fc.oneof(
  { weight: 6, arbitrary: usual },
  { weight: 2, arbitrary: encoded },
  { weight: 2, arbitrary: odd },
)
const names = fc.oneof(
  { weight: 6, arbitrary: fc.array(labels, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.')) },
  { weight: 3, arbitrary: fc.array(labels, { minLength: 1, maxLength: 3 }).map((parts) => ['*', ...parts].join('.')) },
  // Names near the maximum length have 4 labels, of which the last varies.
  fc.integer({ min: 50, max: 64 }).map((last) => [63, 63, 63, last].map((size) => 'a'.repeat(size)).join('.')),
)

describe('Any name (rules: domain-names#grammar)', () => {
  test('can be reserved only if the grammar allows it, and is stored in lower case', () => {
    const counts = { reserved: 0, refused: 0 }
    const gateway = open()
    check(
      fc.property(names, (domain) => {
        gateway.reset()
        if (isName(domain)) {
          counts.reserved++
          expect(gateway.reservedDomains.create({ domain }).domain).toBe(domain.toLowerCase())
        } else {
          counts.refused++
          expect(refusalKey(() => gateway.reservedDomains.create({ domain }))).toMatch(/^domain_/)
        }
      }),
      { numRuns: 500 },
    )
    expect(Math.min(counts.reserved, counts.refused)).toBeGreaterThan(100)
  })

  test('of Punycode decodes to the text that it was encoded from, and to no other', () => {
    check(
      fc.property(fc.array(letters, { minLength: 1, maxLength: 5 }), (points) => {
        const isText = points.every((each) => each <= 0x10ffff && (each < 0xd800 || each > 0xdfff))
        const isForeign = points.some((each) => each > 0x7f)
        const reserved = refusalKey(() =>
          open().reservedDomains.create({ domain: `xn--${encodePunycode(...points)}.example.com` }),
        )
        expect(reserved === 'ok').toBe(isText && isForeign)
      }),
      { numRuns: 500 },
    )
  })
})
