import { type DialectName, dialects } from '../resources/dialects.ts'
import { isSecretHeader } from '../schema/secret-texts.ts'
import { isObject } from '../schema/values.ts'
import { containerIn } from './exchange.ts'
import { Found, isNamed, isPlainWord, type Kind, kindIn, TIME } from './found.ts'
import { harText, type RecordedExchange, type RecordingFacts, type Replaced } from './har.ts'
import { address, shape } from './placeholder.ts'
import { changedPath, escapedForPattern } from './texts.ts'

/** Headers of answers that say something about the API. */
const API_HEADERS = /^(content-type|content-length|date|allow|retry-after|.*operation-id|(x-)?ratelimit.*)$/

const ID = '[a-z][a-z0-9]*_[0-9A-Za-z]{20,64}'
const EMAIL = '[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+'
const IPV4 = '(?:\\d{1,3}\\.){3}\\d{1,3}(?:/\\d{1,2})?'
/** Seven colons, or two together: a time of day has neither. */
const IPV6 = '(?=[0-9A-Fa-f:]*::|(?:[0-9A-Fa-f]{1,4}:){7})(?:[0-9A-Fa-f]{0,4}:){2,7}[0-9A-Fa-f]{0,4}(?:/\\d{1,3})?'
const PEM = '-----BEGIN [^-]+-----[^-]*(?:-----END [^-]+-----)?'
const JWT = 'eyJ[\\w-]{8,}\\.[\\w-]+(?:\\.[\\w-]*)?'
/** A text that no person wrote: letters of both cases with digits, or a long number in hexadecimal. */
const RANDOM = '(?=[\\w+-]*[a-z])(?=[\\w+-]*[A-Z])(?=[\\w+-]*\\d)[\\w+-]{16,}'
const HEX = '(?=[0-9a-f-]*\\d)(?=[0-9a-f-]*[a-f])[0-9a-f-]{20,}'

/**
 * The beginning that all public keys of a kind share: the kind, the exponent, the length. A placeholder keeps it, so
 * that it still parses.
 */
const PUBLIC_KEY = /^ssh-(ed25519 \S{26}|rsa \S{32})/

/** Its values are encoded: an id after `%22` would be part of a longer word. */
const URL_WITH_QUERY = /^(https?:\/\/[^\s?]+)(\?\S+)$/

/** Addresses that documents use, and those of no machine. */
const HARMLESS = /^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|0\.0\.0\.0|127\.|2001:db8:|::1$)/i

/** Returns the kind of a value, by its form alone. */
function formOf(value: string): Kind {
  if (new RegExp(`^${ID}$`).test(value)) return 'id'
  return new RegExp(`^(?:${EMAIL}|${IPV4}|${IPV6})$`).test(value) ? 'address' : 'secret'
}

/**
 * Writes exchanges as a recording in which secrets, ids, names and addresses are replaced, each by the same placeholder
 * wherever it is. A placeholder has the length and the shape of what it replaces: letters stay letters, digits digits, and
 * all else unchanged. Domains of the service are not replaced.
 */
export function recordingText(
  exchanges: readonly RecordedExchange[],
  keys: readonly string[],
  facts: Pick<RecordingFacts, 'client' | 'version' | 'url'> & { readonly dialect: DialectName },
): string {
  const { serviceDomains, cnameTargetBase } = dialects[facts.dialect]
  const found = new Found([...serviceDomains, cnameTargetBase, 'example.com', 'example'])
  for (const key of keys) found.add('secret', key)
  for (const { request, response } of exchanges) {
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (isSecretHeader(name) && value) found.add('secret', value.replace(/^(Bearer|Basic) /i, ''))
    found.addFromQuery(request.path)
    found.addFromText(request.body ?? '')
    found.addFromText(response.text)
  }
  const replacing = new Replacing(found.kinds)
  const clean = exchanges.map((each) => replacing.exchange(each))
  return harText({ facts: { format: 1, ...facts, replaced: replacing.replaced }, exchanges: clean })
}

/** Replaces values by placeholders. */
class Replacing {
  readonly #kinds: ReadonlyMap<string, Kind>
  /**
   * The values that are replaced everywhere, and with `#named` those that are replaced only in fields with names:
   * elsewhere, such a word is the service's.
   */
  readonly #anywhere: RegExp
  readonly #named: RegExp
  readonly #placeholders = new Map<string, { readonly kind: Kind; readonly placeholder: string; times: number }>()
  readonly #used = new Set<string>()

  constructor(kinds: ReadonlyMap<string, Kind>) {
    this.#kinds = kinds
    const of = (isThis: (value: string, kind: Kind) => boolean) =>
      [...kinds]
        .filter(([value, kind]) => isThis(value, kind))
        .map(([value]) => escapedForPattern(value))
        .sort((a, b) => b.length - a.length)
    const secrets = of((value, kind) => kind === 'secret' && !isPlainWord(value))
    const plain = of((value, kind) => kind === 'secret' && isPlainWord(value))
    const names = [...of((_, kind) => kind !== 'secret'), ...plain]
    const forms = [
      PEM,
      ...secrets,
      JWT,
      ...(plain.length > 0 ? [`(?<=[:=] ?["']?)(?:${plain.join('|')})(?!\\w)`] : []),
      `(?<![0-9A-Za-z_])(?:${ID}|${EMAIL})(?![0-9A-Za-z_])`,
      `(?<![\\w.:])(?:${IPV4}|${IPV6})(?![\\w:])`,
      `(?<![\\w+-])(?:${RANDOM}|${HEX}|AKIA[0-9A-Z]{16})(?![\\w+-])`,
    ]
    this.#anywhere = new RegExp(forms.join('|'), 'g')
    const words = names.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${names.join('|')})(?![\\p{L}\\p{N}])`] : []
    this.#named = new RegExp([...forms, ...words].join('|'), 'gu')
  }

  get replaced(): readonly Replaced[] {
    return [...this.#placeholders.values()]
  }

  exchange({ at, request, response }: RecordedExchange): RecordedExchange {
    const text = this.#body(response.text)
    const kept = Object.entries(response.headers).filter(([name]) => API_HEADERS.test(name))
    return {
      at,
      request: {
        ...request,
        path: this.#path(request.path),
        headers: this.#headers(Object.entries(request.headers ?? {})),
        body: request.body && this.#body(request.body),
      },
      response: { ...response, headers: this.#headers(kept), text, body: containerIn(text) },
    }
  }

  #headers<Text extends string | null>(headers: readonly (readonly [string, Text])[]): Record<string, string | Text> {
    return Object.fromEntries(headers.map(([name, text]) => [name, text && this.#text(text, true)]))
  }

  /** Replaces in the text of a body: in the values of its JSON, or everywhere if it is none. */
  #body(text: string): string {
    const json = containerIn(text)
    return json === undefined ? this.#text(text, true) : JSON.stringify(this.#value(json, false, undefined))
  }

  #value(value: unknown, isName: boolean, kind: Kind | undefined): unknown {
    if (typeof value === 'string') return this.#textOf(value, isName, kind)
    if (Array.isArray(value)) return value.map((each) => this.#value(each, isName, kind))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        this.#text(name, isName),
        this.#value(each, isName || isNamed(name), kindIn(value, name)),
      ]),
    )
  }

  #textOf(text: string, isName: boolean, kind: Kind | undefined): string {
    if (kind === 'secret' && text !== '' && !TIME.test(text)) return this.#placeholderOf(text, kind)
    // A policy keeps its form, so that it stays valid.
    const json = kind === undefined ? containerIn(text) : undefined
    if (isObject(json)) return JSON.stringify(this.#value(json, false, undefined))
    const [, url, query] = URL_WITH_QUERY.exec(text) ?? []
    return url ? this.#text(url, isName) + this.#path(query ?? '') : this.#text(text, isName)
  }

  #text(text: string, isName: boolean): string {
    return text.replaceAll(isName ? this.#named : this.#anywhere, (value) => this.#placeholderOf(value))
  }

  #path(path: string): string {
    return changedPath(path, (text, isValue) => this.#text(text, isValue))
  }

  #placeholderOf(value: string, given?: Kind): string {
    if (HARMLESS.test(value)) return value
    const known = this.#placeholders.get(value)
    if (known) {
      known.times++
      return known.placeholder
    }
    const kind = given ?? this.#kinds.get(value) ?? formOf(value)
    const placeholder = this.#fresh(value, kind)
    this.#used.add(placeholder)
    this.#placeholders.set(value, { kind, placeholder, times: 1 })
    return placeholder
  }

  #fresh(value: string, kind: Kind): string {
    const from = kind === 'id' ? value.indexOf('_') + 1 : (PUBLIC_KEY.exec(value)?.[0].length ?? 0)
    const isCidr = kind === 'address' && value.includes('/')
    for (let number = this.#placeholders.size + 1; ; number++) {
      const shaped =
        value.slice(0, from) +
        (kind === 'address' && !value.includes('@') ? address(value, number, isCidr) : shape(value.slice(from), number))
      if (!this.#used.has(shaped) || number > this.#placeholders.size + MOST_TRIED) return shaped
    }
  }
}

/** The numbers that are tried for a placeholder that no other value has. Short texts have few shapes. */
const MOST_TRIED = 1000
