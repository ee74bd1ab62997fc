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
  const tests = [...search.toLowerCase().matchAll(/(-?)(?:(\w+):)?("[^"]*"|\S+)/g)].map(([, minus, name, quoted]) => {
    const value = (quoted ?? '').replaceAll('"', '')
    const word = WORDS[name ?? '']
    const whole = name && !word ? `${name}:${value}` : value
    const test: Test = (entry) => (word ? word(entry, value) : getSearchText(entry).includes(whole))
    return minus ? (entry: JournalEntry) => !test(entry) : test
  })
  return (entry) => tests.every((test) => test(entry))
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
