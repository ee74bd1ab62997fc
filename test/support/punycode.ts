const BASE = 36
const T_MIN = 1
const T_MAX = 26
const DIGITS = 'abcdefghijklmnopqrstuvwxyz0123456789'

/**
 * Encodes code points as Punycode by RFC 3492, section 6.3, independently of any library. It also encodes numbers that are no
 * characters, such as surrogates and those beyond U+10FFFF.
 */
export function encodePunycode(...codePoints: readonly number[]): string {
  const basic = codePoints.filter((each) => each < 128)
  let encoded = String.fromCharCode(...basic) + (basic.length > 0 ? '-' : '')
  let [n, delta, bias, handled] = [128, 0, 72, basic.length]
  while (handled < codePoints.length) {
    const next = Math.min(...codePoints.filter((each) => each >= n))
    delta += (next - n) * (handled + 1)
    n = next
    for (const each of codePoints) {
      if (each < n) delta++
      if (each !== n) continue
      encoded += variableLength(delta, bias)
      bias = adaptBias(delta, handled + 1, handled === basic.length)
      delta = 0
      handled++
    }
    delta++
    n++
  }
  return encoded
}

/** Encodes a number of variable length (RFC 3492, section 3.3). */
function variableLength(value: number, bias: number): string {
  let text = ''
  let rest = value
  for (let k = BASE; ; k += BASE) {
    const threshold = Math.min(Math.max(k - bias, T_MIN), T_MAX)
    if (rest < threshold) return text + DIGITS[rest]
    text += DIGITS[threshold + ((rest - threshold) % (BASE - threshold))]
    rest = Math.floor((rest - threshold) / (BASE - threshold))
  }
}

/** Adapts the bias by RFC 3492, section 6.1. */
function adaptBias(delta: number, points: number, isFirst: boolean): number {
  let rest = Math.floor(delta / (isFirst ? 700 : 2))
  rest += Math.floor(rest / points)
  let k = 0
  for (; rest > ((BASE - T_MIN) * T_MAX) / 2; k += BASE) rest = Math.floor(rest / (BASE - T_MIN))
  return k + Math.floor(((BASE - T_MIN + 1) * rest) / (rest + 38))
}

/** Decodes Punycode by RFC 3492, section 6.2. Returns undefined for a text that is no Punycode. */
export function listCodePoints(encoded: string): number[] | undefined {
  const delimiter = encoded.lastIndexOf('-')
  const points = [...encoded.slice(0, Math.max(delimiter, 0))].map((letter) => letter.charCodeAt(0))
  let digits = [...encoded.slice(delimiter > 0 ? delimiter + 1 : 0)].map((digit) => DIGITS.indexOf(digit))
  let [n, i, bias, isFirst] = [128, 0, 72, true]
  while (digits.length > 0) {
    const [delta, rest] = numberAt(digits, bias) ?? [0, undefined]
    if (!rest) return undefined
    digits = rest
    i += delta
    bias = adaptBias(delta, points.length + 1, isFirst)
    isFirst = false
    n += Math.floor(i / (points.length + 1))
    i %= points.length + 1
    if (n > 0x10ffff) return undefined
    points.splice(i++, 0, n)
  }
  return points
}

/** Reads a number of variable length. Returns the number and the remaining digits. */
function numberAt(digits: readonly number[], bias: number): [value: number, rest: number[]] | undefined {
  let [value, weight] = [0, 1]
  for (const [place, digit] of digits.entries()) {
    if (digit === -1) return undefined
    value += digit * weight
    const threshold = Math.min(Math.max(BASE * (place + 1) - bias, T_MIN), T_MAX)
    if (digit < threshold) return [value, digits.slice(place + 1)]
    weight *= BASE - threshold
  }
  return undefined
}
