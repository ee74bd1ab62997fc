/** Matches the escape sequences of colors. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: a color begins with an escape character.
const COLOR = /\u001b\[\d*m/g
const TIME = /\b\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?/g
const NUMBER = /-?\b\d+(?:\.\d+)?/g

/** Matches the values in the messages of chai, node:assert, and Jest: `expected 3 to be 4`, `3 !== 4`, `Expected: 4` and `Received: 3`. */
const VALUES = [
  /expected (.+) to (?:be|(?:deeply |strictly )?equal|match object) (.+?)(?: \/\/.*)?$/gm,
  /^(\S+) !==? (\S+)$/gm,
  /Expected: (.+)\nReceived: (.+)/g,
]

/** The smallest number that may be a time in ms, in 2001. */
const MIN_TIME = 1e12

/** The maximum number of times in a text to compare, and of lines that differ. */
const MAX_COMPARED = 30
/** The maximum length of a text to read. */
const MAX_LENGTH = 10_000

/** Replaces times with ms. A time without a zone counts as UTC. */
function readText(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replace(COLOR, '')
    .replace(TIME, (time) => {
      const hasZone = time.length === 'yyyy-mm-dd'.length || /(?:Z|[+-]\d\d:?\d\d)$/.test(time)
      return String(Date.parse(hasZone ? time : `${time.replace(' ', 'T')}Z`))
    })
}

const numbersOf = (text: string) => (text.match(NUMBER) ?? []).map(Number)

/** Returns the differences between the values that a failed assertion expected and received, without a sign. Times are in ms. */
export function listDifferences(message: string): readonly number[] {
  const text = readText(message)
  const lines = [...text.matchAll(/^ *([-+]) (.*)$/gm)]
  const [expected = [], received = []] = ['-', '+'].map((sign) =>
    lines.flatMap(([, own, line = '']) => (own === sign ? line : [])).slice(0, MAX_COMPARED),
  )
  const pairs = [
    ...VALUES.flatMap((pattern) =>
      [...text.matchAll(pattern)].map(([, one = '', other = '']) => [one, other] as const),
    ),
    ...expected.flatMap((one) => received.map((other) => [one, other] as const)),
  ]
  return pairs.flatMap(([one, other]) => {
    if (one.replace(NUMBER, '#') !== other.replace(NUMBER, '#')) return []
    const others = numbersOf(other)
    return numbersOf(one).map((number, place) => Math.abs(number - (others[place] ?? number)))
  })
}

/** Returns whether a text contains two times that differ by a number of ms. */
export function hasTimesApart(message: string, ms: number): boolean {
  const times = numbersOf(readText(message))
    .filter((number) => number >= MIN_TIME)
    .slice(0, MAX_COMPARED)
  return times.some((one) => times.some((other) => one - other === ms))
}
