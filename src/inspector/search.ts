/** A search term for one field, such as `status:4xx`. */
interface Word<T> {
  readonly finds: (row: T, value: string) => boolean
  /** The values that the term accepts, and a sentence about them. Default: any value. */
  readonly allowed?: readonly [pattern: RegExp, sentence: string]
}

/** The search terms for one field, by name. Any other word searches the whole row. */
export type Words<T> = Readonly<Record<string, Word<T>>>

const isLike = (status: string, pattern: string) =>
  [...pattern].every((digit, at) => digit === 'x' || digit === status[at])

/** The search terms common to client requests and visitor requests. */
export const COMMON_WORDS: Words<{
  readonly method: string
  readonly status: number | null
  readonly cancelled?: true
}> = {
  status: {
    finds: ({ status, cancelled }, value) => !cancelled && isLike(String(status), value),
    allowed: [/^[1-5x][\dx]{0,2}$/, 'digits, such as status:4xx or status:503'],
  },
  method: {
    finds: ({ method }, value) => method.toLowerCase() === value,
    allowed: [/^(get|head|post|put|patch|delete|options)$/, 'a method, such as method:POST'],
  },
}

const texts = new WeakMap<object, string>()

/** Returns a row as lowercase JSON, computed once per row. */
export function getSearchText(row: object): string {
  const text = texts.get(row) ?? JSON.stringify(row).toLowerCase()
  texts.set(row, text)
  return text
}

/** Returns the code of an error response, or an empty string. */
export function getErrorCode({ response }: { readonly response: unknown }): string {
  return String(Object(response).error_code ?? '')
}

/** Returns a function that tests whether a row matches all terms of a search. A minus sign before a term excludes it. */
export function compileSearch<T extends object>(search: string, words: Words<T> = {}): (row: T) => boolean {
  const tests = parse(search).map(({ minus, name, value }) => {
    const word = findWord(words, name)
    const whole = name && !word ? `${name}:${value}` : value
    const test = (row: T) => (word ? word.finds(row, value) : getSearchText(row).includes(whole))
    return minus ? (row: T) => !test(row) : test
  })
  return (row) => tests.every((test) => test(row))
}

/** Returns a search term by name. Ignores names such as `constructor`, which every object has. */
const findWord = <T>(words: Words<T>, name: string) => (Object.hasOwn(words, name) ? words[name] : undefined)

function parse(search: string) {
  return [...search.toLowerCase().matchAll(/(-?)(?:(\w+):)?("[^"]*"|\S+)/g)].map(
    ([, minus, name = '', quoted = '']) => ({ minus, name, value: quoted.replaceAll('"', '') }),
  )
}

/** Returns the likely mistake in a search without results, or an empty string. */
export function findHint<T>(search: string, words: Words<T>): string {
  const hints = parse(search).map(({ name, value }) => {
    const [pattern, allowed] = findWord(words, name)?.allowed ?? []
    if (pattern?.test(value) === false) return `${name}: takes ${allowed}, not "${value}".`
    if (name === '' || findWord(words, name)) return ''
    const near = Object.keys(words).find((word) => name.startsWith(word.slice(0, 3)))
    const help = near ? `. Did you mean ${near}:${value}?` : `: there are ${Object.keys(words).join(', ')}.`
    return `"${name}:" is not a search keyword${help}`
  })
  return hints.find(Boolean) ?? ''
}

export function hasWord(search: string, word: string): boolean {
  return search.split(/\s+/).includes(word)
}

/** Returns the search with a term added or, if it is already there, removed. */
export function toggleWord(search: string, word: string): string {
  const [name] = word.split(':', 1)
  const others = search.split(/\s+/).filter((each) => each && !each.startsWith(`${name}:`))
  return [...others, ...(hasWord(search, word) ? [] : [word])].join(' ')
}
