import { isObject } from '../schema/values.ts'
import { containerIn } from './exchange.ts'
import type { Replaced } from './har.ts'

export type Kind = Replaced['kind']

/** Fields, parameters and headers with secrets, in the spelling of any language. */
const SECRETS =
  /^(?!.*(?:type|_?id|uri|url)$)(?:value|csr|cert|certificate_pem|auth|key|.*(?:token|secret|passw|passphrase|pwd|private[_-]?key|public[_-]?key|api[_-]?key|access[_-]?key|credential|authorization|bearer|cookie|signature).*)$/i

/** Fields with names that people chose, and fields derived from such names. */
const NAMES =
  /^(description|metadata|name|domain|.*_name|.*namespace|subject_.*|issuer_.*|dns_names|created_by_name|labels?|upstream_url|forwards_to|acl|endpoint_selectors|url|public_url|hostport|addr|address|cname_target|.*_cname_target)$/

/** Texts that repeat names. */
const MESSAGES = ['msg', 'details', 'error', 'message']

/** A time, as answers have them. */
export const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Shorter values are in too many words. */
const SHORTEST = 4

/** A field with its value in a text that is no JSON: a query, a form, YAML, a page. */
const FIELD = /(?<![\w-])([\w-]{1,60})["']?[ \t]*[:=][ \t]*(?:Bearer |Basic )?["']?([^\s"',;&<>]+)/gi
/** The items of a list in YAML, with its name. */
const LISTED = /(?<![\w-])([\w-]{1,60}):[ \t]*\n((?:[ \t]*- *[^\n:]+(?::[^\n]*)?\n?)+)/g
/** A text in a filter, after the field that it is compared with. */
const COMPARED =
  /(?<!\w)(\w{1,60})\b(?:\.(?:startsWith|endsWith|contains|matches)\(|[^"'\w]+(?:in\W+)?)["']([^"']*)["']/g

/** A short word, which other texts have too. A secret of this form is replaced only in fields with names. */
const PLAIN_WORD = /^[a-z]{1,11}$/i

export function isPlainWord(text: string): boolean {
  return PLAIN_WORD.test(text)
}

function kindOf(name: string): 'secret' | 'name' | undefined {
  if (NAMES.test(name)) return 'name'
  return SECRETS.test(name) ? 'secret' : undefined
}

/** Returns whether the values of a field are names that a recording replaces. */
export function isNamed(name: string): boolean {
  return kindOf(name) !== undefined || MESSAGES.includes(name)
}

/** Returns the kind of the values of a field of an object. */
export function kindIn(owner: object, name: string): 'secret' | 'name' | undefined {
  // The value of a module is a policy, in which each field says what it is.
  return name === 'value' && 'enabled' in owner ? undefined : kindOf(name)
}

/** Common words of URLs, hosts, rules and texts, which are no names. */
const WORDS = new Set(
  'http https tcp tls com org net dev app example internal bind true false null localhost tunnel gateway test cname staging'.split(
    ' ',
  ),
)

/** The values of a recording that are replaced. */
export class Found {
  readonly kinds = new Map<string, Kind>()
  /** Domains of the service. */
  readonly #domains: readonly string[]

  constructor(domains: readonly string[]) {
    this.#domains = domains
  }

  add(kind: Kind, value: string): void {
    if (value.length < SHORTEST || this.kinds.get(value) === 'secret') return
    this.kinds.set(value, kind)
    if (kind === 'secret') for (const form of formsOf(value)) this.kinds.set(form, kind)
  }

  /** Adds the values of a body, or of a text in one. In a sentence, "token: missing" names no token. */
  addFromText(text: string, isSentence = false): void {
    const json = containerIn(text)
    if (json !== undefined) {
      this.addFrom(json)
      return
    }
    for (const [, name = '', value = ''] of text.matchAll(FIELD))
      if (kindOf(name) === 'secret' && !(isSentence && isPlainWord(value))) this.add('secret', value)
    for (const [, name = '', items = ''] of text.matchAll(LISTED))
      if (kindOf(name) === 'secret')
        for (const item of items.split('\n')) this.add('secret', item.replace(/^\s*- *["']?|["']\s*$/g, ''))
  }

  /** Adds the values of a query's parameters. */
  addFromQuery(path: string): void {
    for (const [name, value] of new URLSearchParams(path.split('?')[1] ?? '')) {
      if (kindOf(name) === 'secret') this.add('secret', value)
      if (name !== 'filter') continue
      for (const [, field = '', text = ''] of value.matchAll(COMPARED))
        if (kindOf(field) === 'name') this.#addNames(text)
    }
  }

  /** Adds the values of such fields in a JSON value. */
  addFrom(value: unknown, kind?: Kind): void {
    if (typeof value === 'string') this.#addValue(value, kind)
    if (Array.isArray(value)) for (const each of value) this.addFrom(each, kind)
    if (!isObject(value)) return
    for (const [name, each] of Object.entries(value)) {
      if (MESSAGES.includes(name)) this.#addFromSentences(each)
      // An object under a secret's name, such as `credential`, has fields of its own.
      else this.addFrom(each, kindIn(value, name) ?? (kind === 'name' ? kind : undefined))
    }
  }

  /** The details of an error are sentences, by the names of fields. */
  #addFromSentences(value: unknown): void {
    if (typeof value === 'string') this.addFromText(value, true)
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) this.#addFromSentences(each)
  }

  #addValue(text: string, kind: Kind | undefined): void {
    if (kind === 'secret') {
      // A time beside a certificate is no secret.
      if (!TIME.test(text)) this.add(kind, text)
      return
    }
    this.addFromText(text)
    if (kind !== undefined && !TIME.test(text)) this.#addNames(text)
  }

  /** A policy, an URL or a host is made of names: each word is one, so that parts of it are found elsewhere too. */
  #addNames(text: string): void {
    const suffix = this.#domains.find((domain) => text.endsWith(`.${domain}`))
    const own = suffix === undefined ? text : text.slice(0, -suffix.length - 1)
    const isOfService = (word: string) =>
      WORDS.has(word) || this.#domains.some((domain) => domain.split('.').includes(word))
    for (const word of own.match(/[\p{L}\p{N}_-]+/gu) ?? [])
      if (!isOfService(word.toLowerCase())) this.add('name', word)
  }
}

/** Other spellings of a secret: parts of `user:password`, in base64, and in a URL. */
function formsOf(secret: string): readonly string[] {
  const parts = secret.split(/[:\s]+/).filter((part) => part.length >= 8)
  const latin = [...secret].every((each) => each.charCodeAt(0) < 256)
  const forms = [...parts, encodeURIComponent(secret), ...(latin ? [btoa(secret)] : [])]
  return forms.filter((form) => form !== secret)
}
