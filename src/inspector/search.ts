import type { JournalEntry } from '../core/generated/controls.ts'

type Test = (entry: JournalEntry) => boolean

/** The words that search in one field, such as `status:4xx`. Any other word searches in the whole entry. */
const WORDS: Readonly<Record<string, (entry: JournalEntry, value: string) => boolean>> = {
  status: ({ status, cancelled }, value) =>
    !cancelled && [...value].every((digit, at) => digit === 'x' || digit === `${status}`[at]),
  method: ({ method }, value) => method.toLowerCase() === value,
  code: (entry, value) => getErrorCode(entry).toLowerCase().endsWith(value),
  path: ({ path, query }, value) => `${path}?${query}`.toLowerCase().includes(value),
  op: ({ operation }, value) => (operation ?? 'none').includes(value),
  fault: ({ fault }, value) => (value === 'yes' && fault !== null) || (fault ?? 'no').toLowerCase() === value,
  changed: ({ commit }, value) => (commit !== null) === (value !== 'no'),
  domain: (entry, value) => getSearchText(entry).includes(value),
}

/** The values that the words take which do not take any text. */
const VALUES: Readonly<Record<string, readonly [pattern: RegExp, example: string]>> = {
  status: [/^[1-5x][\dx]{0,2}$/, 'digits, such as status:4xx or status:503'],
  method: [/^(get|head|post|put|patch|delete|options)$/, 'a method, such as method:POST'],
  changed: [/^(yes|no)$/, 'yes or no'],
  fault: [/^(yes|no|fault_\w+)$/, 'yes, no or the id of a fault'],
}

const texts = new WeakMap<JournalEntry, string>()

/** Returns an entry as JSON in lower case. It is made once for each entry. */
function getSearchText(entry: JournalEntry): string {
  const text = texts.get(entry) ?? JSON.stringify(entry).toLowerCase()
  texts.set(entry, text)
  return text
}

/** Returns the code of an entry's error, or an empty text. */
export function getErrorCode({ response }: Pick<JournalEntry, 'response'>): string {
  return String(Object(response).error_code ?? '')
}

/** Returns a test for entries that match all words of a search. A minus before a word excludes it. */
export function compileSearch(search: string): Test {
  const tests = parse(search).map(({ minus, name, value }) => {
    const word = WORDS[name ?? '']
    const whole = name && !word ? `${name}:${value}` : value
    const test: Test = (entry) => (word ? word(entry, value) : getSearchText(entry).includes(whole))
    return minus ? (entry: JournalEntry) => !test(entry) : test
  })
  return (entry) => tests.every((test) => test(entry))
}

function parse(search: string) {
  return [...search.toLowerCase().matchAll(/(-?)(?:(\w+):)?("[^"]*"|\S+)/g)].map(([, minus, name, quoted = '']) => {
    return { minus, name, value: quoted.replaceAll('"', '') }
  })
}

/** Returns the likely mistake in a search that finds nothing, or an empty text. */
export function findHint(search: string): string {
  const hints = parse(search).map(({ name = '', value }) => {
    const [pattern, allowed] = VALUES[name] ?? []
    if (pattern?.test(value) === false) return `${name}: takes ${allowed}, not "${value}".`
    if (name === '' || WORDS[name]) return ''
    const near = Object.keys(WORDS).find((word) => name.startsWith(word.slice(0, 3)))
    return `"${name}:" is no word of the search${near ? `. Did you mean ${near}:${value}?` : `: there are ${Object.keys(WORDS).join(', ')}.`}`
  })
  return hints.find(Boolean) ?? ''
}

function splitWords(search: string): string[] {
  return search.split(/\s+/).filter(Boolean)
}

export function hasWord(search: string, word: string): boolean {
  return splitWords(search).includes(word)
}

/** Returns the search with a word added or, if it is there already, without it. */
export function toggleWord(search: string, word: string): string {
  const words = splitWords(search)
  const [name] = word.split(':', 1)
  const others = words.filter((each) => !each.startsWith(`${name}:`))
  return [...others, ...(words.includes(word) ? [] : [word])].join(' ')
}
