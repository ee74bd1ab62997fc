import { isSecretHeader } from '../core/schema/secret-texts.ts'
import { isObject } from '../core/schema/values.ts'
import { type DialectName, dialects } from '../service/resources/dialects.ts'
import { parseObjectOrArray } from './exchange.ts'
import { harText, type RecordedExchange, type RecordingInfo, type Replaced } from './har.ts'
import { placeholderAddress, placeholderText } from './placeholder.ts'
import { hasNames, isPlainWord, kindOfField, SensitiveValues, type ValueKind } from './sensitive-values.ts'
import { mapPath, TIME } from './texts.ts'
import { replaceSpans, type TextRange, ValueSearch } from './value-search.ts'

/** Response headers that are relevant to the API. */
const API_HEADERS = /^(content-type|content-length|date|allow|retry-after|.*operation-id|(x-)?ratelimit.*)$/

const ID = '[a-z][a-z0-9]*_[0-9A-Za-z]{20,64}'
const EMAIL = '[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+'
const IPV4 = '(?:\\d{1,3}\\.){3}\\d{1,3}(?:/\\d{1,2})?'
/** Seven colons, or two in a row. Neither occurs in a time of day. */
const IPV6 = '(?=[0-9A-Fa-f:]*::|(?:[0-9A-Fa-f]{1,4}:){7})(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:/\\d{1,3})?'
const PEM = '-----BEGIN [^-]+-----[^-]*(?:-----END [^-]+-----)?'
const JWT = '(?=[\\w-]*eyJ[\\w-]{8})[\\w-]+\\.[\\w-]+(?:\\.[\\w-]*)?'
/** A string that was not written by a person: mixed-case letters with digits, or a long hexadecimal number. */
const RANDOM = '(?=[\\w+-]*[a-z])(?=[\\w+-]*[A-Z])(?=[\\w+-]*\\d)[\\w+-]{16,}'
const HEX = '(?=[0-9a-f-]*\\d)(?=[0-9a-f-]*[a-f])[0-9a-f-]{20,}'

/**
 * The prefix shared by all public keys of a kind: the kind, the exponent, and the length. A placeholder keeps it so that it can still be
 * parsed.
 */
const PUBLIC_KEY = /^ssh-(ed25519 \S{26}|rsa \S{32})/

/** The query's values are encoded, so an ID after `%22` would be part of a longer word. */
const URL_WITH_QUERY = /^(https?:\/\/[^\s?]+)(\?\S+)$/

/** Addresses used in documentation, and addresses that do not belong to any machine. */
const HARMLESS = /^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|0\.0\.0\.0|127\.|2001:db8:|::1$)/i

/**
 * Matches values by their form. Each part matches only at the start of its run of characters, so a string with many dots is read only once.
 */
const FORMS = new RegExp(
  [
    PEM,
    `(?<![\\w-])${JWT}`,
    `(?<![0-9A-Za-z_])${ID}(?![0-9A-Za-z_])`,
    `(?<![\\w.+-])${EMAIL}(?![0-9A-Za-z_])`,
    `(?<![\\w.:])(?:${IPV4}|${IPV6})(?![\\w:])`,
    `(?<![\\w+-])(?:${RANDOM}|${HEX}|AKIA[0-9A-Z]{16})(?![\\w+-])`,
  ].join('|'),
  'g',
)

const LETTER_BEFORE = /[\p{L}\p{N}]$/u
const LETTER_AFTER = /^[\p{L}\p{N}]/u

/** Returns whether part of a string consists of whole words, that is, whether no letter or digit is next to it. */
function isWordAt(text: string, from: number, to: number): boolean {
  return !LETTER_BEFORE.test(text.slice(Math.max(0, from - 2), from)) && !LETTER_AFTER.test(text.slice(to, to + 2))
}

/** Returns whether part of a string is the value of a field, such as in `password: swordfish`. */
function isFieldValueAt(text: string, from: number, to: number): boolean {
  return /[:=] ?["']?$/.test(text.slice(Math.max(0, from - 3), from)) && !/^\w/.test(text.slice(to, to + 1))
}

/** Returns the kind of a value based on its form alone. */
function kindByForm(value: string): ValueKind {
  if (new RegExp(`^${ID}$`).test(value)) return 'id'
  return new RegExp(`^(?:${EMAIL}|${IPV4}|${IPV6})$`).test(value) ? 'address' : 'secret'
}

/**
 * Formats exchanges as a recording in which each secret, ID, name, and address is replaced with the same placeholder everywhere. A
 * placeholder has the length and shape of the value that it replaces: letters are replaced with letters and digits with digits; everything
 * else is unchanged. The service's domains are not replaced.
 */
export function recordingText(
  exchanges: readonly RecordedExchange[],
  keys: readonly string[],
  info: Pick<RecordingInfo, 'client' | 'version' | 'url'> & { readonly dialect: DialectName },
): string {
  const { serviceDomains, cnameTargetBase, acmeChallengeTargetBase } = dialects[info.dialect]
  const own = [...serviceDomains, cnameTargetBase, acmeChallengeTargetBase ?? cnameTargetBase]
  const sensitive = new SensitiveValues([...own, 'example.com', 'example'])
  for (const key of keys) sensitive.add('secret', key)
  for (const { request, response } of exchanges) {
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (isSecretHeader(name) && value) sensitive.add('secret', value.replace(/^(Bearer|Basic) /i, ''))
    sensitive.addFromQuery(request.path)
    sensitive.addFromText(request.body ?? '')
    sensitive.addFromText(response.text)
  }
  const replacer = new Replacer(sensitive.kinds)
  const clean = exchanges.map((each) => replacer.replaceInExchange(each))
  return harText({ info: { format: 1, ...info, replaced: replacer.replaced }, exchanges: clean })
}

/** Replaces values with placeholders. */
class Replacer {
  readonly #kinds: ReadonlyMap<string, ValueKind>
  readonly #search: ValueSearch
  readonly #placeholders = new Map<string, { readonly kind: ValueKind; readonly placeholder: string; times: number }>()
  readonly #used = new Set<string>()

  constructor(kinds: ReadonlyMap<string, ValueKind>) {
    this.#kinds = kinds
    this.#search = new ValueSearch(kinds.keys())
  }

  get replaced(): readonly Replaced[] {
    return [...this.#placeholders.values()]
  }

  replaceInExchange({ at, request, response }: RecordedExchange): RecordedExchange {
    const text = this.#replaceInBody(response.text)
    const apiHeaders = Object.entries(response.headers).filter(([name]) => API_HEADERS.test(name))
    return {
      at,
      request: {
        ...request,
        path: this.#replaceInPath(request.path),
        headers: this.#replaceInHeaders(Object.entries(request.headers ?? {})),
        body: request.body && this.#replaceInBody(request.body),
      },
      response: { ...response, headers: this.#replaceInHeaders(apiHeaders), text, body: parseObjectOrArray(text) },
    }
  }

  #replaceInHeaders<Text extends string | null>(
    headers: readonly (readonly [string, Text])[],
  ): Record<string, string | Text> {
    return Object.fromEntries(headers.map(([name, text]) => [name, text && this.#replaceInText(text, true)]))
  }

  /** Replaces values in the text of a body: in its JSON values, or everywhere if it is not JSON. */
  #replaceInBody(text: string): string {
    const json = parseObjectOrArray(text)
    return json === undefined
      ? this.#replaceInText(text, true)
      : JSON.stringify(this.#replaceInValue(json, false, undefined))
  }

  #replaceInValue(value: unknown, isName: boolean, kind: ValueKind | undefined): unknown {
    if (typeof value === 'string') return this.#replaceInString(value, isName, kind)
    if (Array.isArray(value)) return value.map((each) => this.#replaceInValue(each, isName, kind))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        this.#replaceInText(name, isName),
        this.#replaceInValue(each, isName || hasNames(name), kindOfField(value, name)),
      ]),
    )
  }

  #replaceInString(text: string, isName: boolean, kind: ValueKind | undefined): string {
    if (kind === 'secret' && text !== '' && !TIME.test(text)) return this.#placeholderOf(text, kind)
    // A policy keeps its form, so it stays valid.
    const json = kind === undefined ? parseObjectOrArray(text) : undefined
    if (isObject(json)) return JSON.stringify(this.#replaceInValue(json, false, undefined))
    const [, url, query] = URL_WITH_QUERY.exec(text) ?? []
    return url ? this.#replaceInText(url, isName) + this.#replaceInPath(query ?? '') : this.#replaceInText(text, isName)
  }

  #replaceInText(text: string, isName: boolean): string {
    const forms = [...text.matchAll(FORMS)].map(({ 0: value, index }): TextRange => [index, index + value.length])
    const values = this.#search.findIn(text, (value, at) => this.#isReplacedAt(value, text, at, isName))
    return replaceSpans(text, [...forms, ...values], (value) => this.#placeholderOf(value))
  }

  /** A secret is replaced everywhere. A name is replaced only in fields for names, because elsewhere such a word comes from the service. */
  #isReplacedAt(value: string, text: string, at: number, isName: boolean): boolean {
    const isSecret = this.#kinds.get(value) === 'secret'
    if (isSecret && !isPlainWord(value)) return true
    const end = at + value.length
    return (isName && isWordAt(text, at, end)) || (isSecret && isFieldValueAt(text, at, end))
  }

  #replaceInPath(path: string): string {
    return mapPath(path, (text, isValue) => this.#replaceInText(text, isValue))
  }

  #placeholderOf(value: string, knownKind?: ValueKind): string {
    if (HARMLESS.test(value)) return value
    const known = this.#placeholders.get(value)
    if (known) {
      known.times++
      return known.placeholder
    }
    const kind = knownKind ?? this.#kinds.get(value) ?? kindByForm(value)
    const placeholder = this.#newPlaceholder(value, kind)
    this.#used.add(placeholder)
    this.#placeholders.set(value, { kind, placeholder, times: 1 })
    return placeholder
  }

  #newPlaceholder(value: string, kind: ValueKind): string {
    const lower = value.toLowerCase()
    // Spellings of a name that differ only in case share a placeholder.
    if (kind === 'name' && lower !== value) return inCapitalsOf(value, this.#placeholderOf(lower, kind))
    const from = kind === 'id' ? value.indexOf('_') + 1 : (PUBLIC_KEY.exec(value)?.[0].length ?? 0)
    const isCidr = kind === 'address' && value.includes('/')
    for (let number = this.#placeholders.size + 1; ; number++) {
      const placeholder =
        value.slice(0, from) +
        (kind === 'address' && !value.includes('@')
          ? placeholderAddress(value, number, isCidr)
          : placeholderText(value.slice(from), number))
      const isFree = placeholder !== value && !this.#used.has(placeholder)
      if (isFree || number > this.#placeholders.size + MAX_TRIES) return placeholder
    }
  }
}

/** Returns a string with uppercase letters wherever another string of the same length has them. */
function inCapitalsOf(text: string, other: string): string {
  const isCapital = (letter = '') => letter !== letter.toLowerCase()
  const letters = [...text]
  return [...other].map((letter, index) => (isCapital(letters[index]) ? letter.toUpperCase() : letter)).join('')
}

/**
 * The maximum number of attempts to find a placeholder that differs from the value and from all other placeholders. Short strings have few
 * possible placeholders.
 */
const MAX_TRIES = 1000
