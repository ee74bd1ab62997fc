import { isSecretHeader } from '../schema/secret-texts.ts'
import { isObject } from '../schema/values.ts'
import type { RecordedExchange, Replaced } from './har.ts'
import { changedPath, escapedForPattern } from './texts.ts'

/** Fields with secrets. */
const SECRETS = /^(.*token|.*secret|.*password|value|.*private_key(_pem)?|csr|certificate_pem|cert|.*api_key)$/i
/** Fields with names that people gave, and what follows from these. */
const NAMES =
  /^(description|metadata|name|domain|.*_name|.*namespace|subject_.*|issuer_.*|dns_names|created_by_name|labels?|upstream_url|forwards_to|acl|endpoint_selectors|url|public_url|hostport|addr|address|cname_target|.*_cname_target)$/

/** Texts that repeat names. */
const MESSAGES = ['msg', 'details', 'error', 'message']

const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Shorter values are in too many words. */
const SHORTEST = 4

const ID = '[a-z][a-z0-9]*_[0-9A-Za-z]{20,64}'
const EMAIL = '[\\w.+-]+@[\\w-]+(?:\\.[\\w-]+)+'
const IPV4 = '(?:\\d{1,3}\\.){3}\\d{1,3}(?:/\\d{1,2})?'
const IPV6 = '(?:[0-9a-f]{1,4}:){2,7}(?::[0-9a-f]{0,4}|[0-9a-f]{1,4})+(?:/\\d{1,3})?'

/** Addresses that documents use, and those of no machine. */
const HARMLESS = /^(192\.0\.2\.|198\.51\.100\.|203\.0\.113\.|0\.0\.0\.0|127\.|2001:db8:)/

/** What of a recording is not replaced: words of the service, and the names that `verify` gives. */
export interface Kept {
  /** Domains of the service. */
  readonly domains: readonly string[]
}

/**
 * Replaces secrets, ids, names and addresses in a recording, each by the same placeholder wherever it is. A placeholder has
 * the length and the shape of what it replaces: letters stay letters, digits digits, and all else unchanged.
 */
export function sanitized(
  exchanges: readonly RecordedExchange[],
  keys: readonly string[],
  kept: Kept,
): { readonly exchanges: readonly RecordedExchange[]; readonly replaced: readonly Replaced[] } {
  const found = new Found(kept)
  for (const key of keys) found.add('secret', key)
  for (const { request, response } of exchanges) {
    for (const [name, value] of Object.entries(request.headers ?? {}))
      if (isSecretHeader(name) && value) found.add('secret', value.replace(/^Bearer /i, ''))
    found.addFrom(jsonOf(request.body ?? ''))
    found.addFrom(response.body)
  }
  const replacing = found.replacing()
  const clean = exchanges.map(({ at, request, response }): RecordedExchange => {
    const text = replacing.body(response.text)
    const headers = Object.entries(request.headers ?? {}).map(([name, value]) => [
      name,
      value && replacing.header(value),
    ])
    return {
      at,
      request: {
        method: request.method,
        path: replacing.path(request.path),
        headers: Object.fromEntries(headers),
        ...(request.body !== undefined && { body: replacing.body(request.body) }),
      },
      response: {
        status: response.status,
        headers: Object.fromEntries(
          Object.entries(response.headers)
            .filter(([name]) => !isSecretHeader(name))
            .map(([name, value]) => [name, replacing.header(value)]),
        ),
        text,
        body: jsonOf(text),
      },
    }
  })
  return { exchanges: clean, replaced: replacing.replaced }
}

type Kind = Replaced['kind']

/** The values of a recording that are replaced. */
class Found {
  readonly #kinds = new Map<string, Kind>()
  readonly #kept: Kept

  constructor(kept: Kept) {
    this.#kept = kept
  }

  add(kind: Kind, value: string): void {
    if (value.length < SHORTEST || this.#kinds.get(value) === 'secret') return
    this.#kinds.set(value, kind)
  }

  /** Adds what a JSON value has in fields with such names. */
  addFrom(value: unknown, kind?: Kind): void {
    if (typeof value === 'string' && kind) this.#addText(value, kind)
    if (Array.isArray(value)) for (const each of value) this.addFrom(each, kind)
    if (!isObject(value)) return
    // The details of an error are sentences, by the names of fields.
    for (const [name, each] of Object.entries(value))
      if (!MESSAGES.includes(name)) this.addFrom(each, kindOf(name) ?? kind)
  }

  #addText(text: string, kind: Kind): void {
    // A time beside a certificate is neither.
    if (TIME.test(text)) return
    if (kind === 'secret') {
      this.add(kind, text)
      return
    }
    // A policy, an URL or a host is made of names: each word is one, so that parts of it are found elsewhere too.
    const { domains } = this.#kept
    const suffix = domains.find((domain) => text.endsWith(`.${domain}`))
    const own = suffix === undefined ? text : text.slice(0, -suffix.length - 1)
    const isOfService = (word: string) => WORDS.has(word) || domains.some((domain) => domain.split('.').includes(word))
    for (const word of own.match(/[\p{L}\p{N}_-]+/gu) ?? []) if (!isOfService(word.toLowerCase())) this.add(kind, word)
  }

  replacing(): Replacing {
    return new Replacing(this.#kinds)
  }
}

/** Words of URLs, hosts, rules and texts that name nobody. */
const WORDS = new Set(
  'http https tcp tls com org net dev app example internal bind true false null localhost tunnel gateway test cname staging'.split(
    ' ',
  ),
)

function kindOf(name: string): Kind | undefined {
  if (SECRETS.test(name)) return 'secret'
  return NAMES.test(name) ? 'name' : undefined
}

/** Replaces values by placeholders. */
class Replacing {
  readonly #kinds: ReadonlyMap<string, Kind>
  /** What is replaced wherever it is, and that with names: where names are. Elsewhere, words are those of the service. */
  readonly #anywhere: RegExp
  readonly #named: RegExp
  readonly #placeholders = new Map<string, { readonly kind: Kind; readonly placeholder: string; times: number }>()
  readonly #used = new Set<string>()

  constructor(kinds: ReadonlyMap<string, Kind>) {
    this.#kinds = kinds
    const of = (isSecret: boolean) =>
      [...kinds]
        .filter(([, kind]) => (kind === 'secret') === isSecret)
        .map(([value]) => escapedForPattern(value))
        .sort((a, b) => b.length - a.length)
    const [secrets, names] = [of(true), of(false)]
    const forms = [
      ...secrets,
      `(?<![0-9A-Za-z_])(?:${ID}|${EMAIL})(?![0-9A-Za-z_])`,
      `(?<![\\w.:])(?:${IPV4}|${IPV6})(?![\\w:])`,
    ]
    this.#anywhere = new RegExp(forms.join('|'), 'g')
    const words = names.length > 0 ? [`(?<![\\p{L}\\p{N}])(?:${names.join('|')})(?![\\p{L}\\p{N}])`] : []
    this.#named = new RegExp([...forms, ...words].join('|'), 'gu')
  }

  get replaced(): readonly Replaced[] {
    return [...this.#placeholders.values()]
  }

  /** Replaces in the text of a body: in the values of its JSON, or everywhere if it is none. */
  body(text: string): string {
    const json = jsonOf(text)
    return json === undefined ? this.#text(text, true) : JSON.stringify(this.#value(json, false))
  }

  header(text: string): string {
    return this.#text(text, true)
  }

  #value(value: unknown, isName: boolean): unknown {
    if (typeof value === 'string') return this.#text(value, isName)
    if (Array.isArray(value)) return value.map((each) => this.#value(each, isName))
    if (!isObject(value)) return value
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [
        this.#text(name, isName),
        this.#value(each, isName || kindOf(name) !== undefined || MESSAGES.includes(name)),
      ]),
    )
  }

  #text(text: string, isName: boolean): string {
    return text.replaceAll(isName ? this.#named : this.#anywhere, (value) => this.#placeholderOf(value))
  }

  path(path: string): string {
    return changedPath(path, (text, isValue) => this.#text(text, isValue))
  }

  #placeholderOf(value: string): string {
    if (HARMLESS.test(value)) return value
    const known = this.#placeholders.get(value)
    if (known) {
      known.times++
      return known.placeholder
    }
    const kind = this.#kinds.get(value) ?? (new RegExp(`^${ID}$`).test(value) ? 'id' : 'address')
    const placeholder = this.#fresh(value, kind)
    this.#used.add(placeholder)
    this.#placeholders.set(value, { kind, placeholder, times: 1 })
    return placeholder
  }

  #fresh(value: string, kind: Kind): string {
    const from = kind === 'id' ? value.indexOf('_') + 1 : 0
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

/** A text with the same kinds of characters: the digits of a number, from its end. */
function shape(text: string, number: number): string {
  let rest = number
  const take = (size: number) => {
    const digit = rest % size
    rest = Math.floor(rest / size)
    return digit
  }
  const characters = [...text].reverse().map((each) => {
    if (/[a-z]/.test(each)) return String.fromCharCode(97 + ((take(26) + 23) % 26))
    if (/[A-Z]/.test(each)) return String.fromCharCode(65 + ((take(26) + 23) % 26))
    if (/\d/.test(each)) return String(take(10))
    return /\p{L}/u.test(each) ? 'x' : each
  })
  return characters.reverse().join('')
}

/** An address of the same form: the bits that a mask leaves to the host stay. */
function address(text: string, number: number, isCidr: boolean): string {
  const [host = '', mask = ''] = text.split('/')
  const isOld = host.includes('.')
  const parts = host.split(isOld ? '.' : ':')
  const whole = isCidr ? Math.floor(Number(mask) / (isOld ? 8 : 16)) : parts.length
  const changed = parts.map((part, index) => {
    if (part === '' || part === '0' || index >= whole) return part
    if (!isOld)
      return part.replaceAll(/[0-9a-f]/g, (digit, at: number) => (at === 0 ? 'a' : /\d/.test(digit) ? '1' : 'b'))
    const [least, size] = part.length === 1 ? [1, 9] : part.length === 2 ? [10, 90] : [100, 100]
    return String(least + ((number * (index + 1)) % size))
  })
  return changed.join(isOld ? '.' : ':') + (isCidr ? `/${mask}` : '')
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
