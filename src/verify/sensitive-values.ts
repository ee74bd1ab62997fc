import { isObject } from '../core/schema/values.ts'
import { parseObjectOrArray } from './exchange.ts'
import type { Replaced } from './har.ts'
import { TIME } from './texts.ts'
import { MIN_VALUE_LENGTH } from './value-search.ts'

export type ValueKind = Replaced['kind']

/** Secret fields, parameters, and headers, in the spelling of any language. */
const SECRET_FIELD =
  /^(?!.*(?:type|_?id|uri|url)$)(?:value|csr|cert|certificate_pem|auth|key|.*(?:token|secret|passw|passphrase|pwd|private[_-]?key|public[_-]?key|api[_-]?key|access[_-]?key|credential|authorization|bearer|cookie|signature).*)$/i

/** Fields with names chosen by people, and fields whose values are derived from such names. */
const NAME_FIELD =
  /^(description|metadata|name|domain|.*_name|.*namespace|subject_.*|issuer_.*|dns_names|created_by_name|labels?|upstream_url|forwards_to|acl|endpoint_selectors|url|public_url|hostport|addr|address|cname_target|.*_cname_target)$/

/** Fields that contain sentences. Sentences may repeat names. */
const MESSAGE_FIELDS = ['msg', 'details', 'error', 'message']

/** A field and its value in a string that is not JSON, such as a query, a form, YAML, or a page. */
const FIELD_IN_TEXT = /(?<![\w-])([\w-]{1,60})["']?[ \t]*[:=][ \t]*(?:Bearer |Basic )?["']?([^\s"',;&<>]+)/gi
/** A YAML list: its name and its items. */
const YAML_LIST = /(?<![\w-])([\w-]{1,60}):[ \t]*\n((?:[ \t]*- *[^\n:]+(?::[^\n]*)?\n?)+)/g
/** A comparison in a filter: a field and a string. */
const FILTER_COMPARISON =
  /(?<!\w)(\w{1,60})\b(?:\.(?:startsWith|endsWith|contains|matches)\(|[^"'\w]+(?:in\W+)?)["']([^"']*)["']/g

/** A short word that also occurs in other strings. A secret of this form is replaced only in fields for names. */
const PLAIN_WORD = /^[a-z]{1,11}$/i

export function isPlainWord(text: string): boolean {
  return PLAIN_WORD.test(text)
}

function kindOfName(name: string): 'secret' | 'name' | undefined {
  if (NAME_FIELD.test(name)) return 'name'
  return SECRET_FIELD.test(name) ? 'secret' : undefined
}

/** Returns whether the values of a field are names that a recording replaces. */
export function hasNames(name: string): boolean {
  return kindOfName(name) !== undefined || MESSAGE_FIELDS.includes(name)
}

/** Returns the kind of the values of an object's field. */
export function kindOfField(owner: object, name: string): 'secret' | 'name' | undefined {
  // The value of a module is a policy, whose fields have their own kinds.
  return name === 'value' && 'enabled' in owner ? undefined : kindOfName(name)
}

/** Words in URLs, hosts, rules, and strings that are not names. */
const COMMON_WORDS = new Set(
  'http https tcp tls com org net dev app example internal bind true false null localhost tunnel gateway test cname staging'.split(
    ' ',
  ),
)

/** The values in a recording that are replaced. */
export class SensitiveValues {
  readonly kinds = new Map<string, ValueKind>()
  /** The service's domains. */
  readonly #domains: readonly string[]

  constructor(domains: readonly string[]) {
    this.#domains = domains
  }

  add(kind: ValueKind, value: string): void {
    if (value.length < MIN_VALUE_LENGTH || this.kinds.get(value) === 'secret') return
    this.kinds.set(value, kind)
    if (kind === 'secret') for (const spelling of otherSpellings(value)) this.kinds.set(spelling, kind)
  }

  /** Adds the values in a body, or in a string in a body. In a sentence, "token: missing" does not contain a token. */
  addFromText(text: string, isSentence = false): void {
    const json = parseObjectOrArray(text)
    if (json !== undefined) {
      this.addFromJson(json)
      return
    }
    for (const [, name = '', value = ''] of text.matchAll(FIELD_IN_TEXT))
      if (kindOfName(name) === 'secret' && !(isSentence && isPlainWord(value))) this.add('secret', value)
    for (const [, name = '', items = ''] of text.matchAll(YAML_LIST))
      if (kindOfName(name) === 'secret')
        for (const item of items.split('\n')) this.add('secret', item.replace(/^\s*- *["']?|["']\s*$/g, ''))
  }

  /** Adds the values of query parameters. */
  addFromQuery(path: string): void {
    for (const [name, value] of new URLSearchParams(path.split('?')[1] ?? '')) {
      if (kindOfName(name) === 'secret') this.add('secret', value)
      if (name !== 'filter') continue
      for (const [, field = '', text = ''] of value.matchAll(FILTER_COMPARISON))
        if (kindOfName(field) === 'name') this.#addNames(text)
    }
  }

  /** Adds the values of the fields in a JSON value. */
  addFromJson(value: unknown, kind?: ValueKind): void {
    if (typeof value === 'string') this.#addValue(value, kind)
    if (Array.isArray(value)) for (const each of value) this.addFromJson(each, kind)
    if (!isObject(value)) return
    for (const [name, each] of Object.entries(value)) {
      if (MESSAGE_FIELDS.includes(name)) this.#addFromSentences(each)
      // An object under a secret's name, such as `credential`, has its own fields.
      else this.addFromJson(each, kindOfField(value, name) ?? (kind === 'name' ? kind : undefined))
    }
  }

  /** Adds values from sentences, in a message or in the details of an error, by field name. */
  #addFromSentences(value: unknown): void {
    if (typeof value === 'string') this.addFromText(value, true)
    else if (typeof value === 'object' && value !== null)
      for (const each of Object.values(value)) this.#addFromSentences(each)
  }

  #addValue(text: string, kind: ValueKind | undefined): void {
    if (kind === 'secret') {
      // A time next to a certificate is not a secret.
      if (!TIME.test(text)) this.add(kind, text)
      return
    }
    this.addFromText(text)
    if (kind !== undefined && !TIME.test(text)) this.#addNames(text)
  }

  /** Adds each word of a policy, a URL, or a host as a name, so its parts are found elsewhere too. */
  #addNames(text: string): void {
    const suffix = this.#domains.find((domain) => text.endsWith(`.${domain}`))
    const own = suffix === undefined ? text : text.slice(0, -suffix.length - 1)
    const isOfService = (word: string) =>
      COMMON_WORDS.has(word) || this.#domains.some((domain) => domain.split('.').includes(word))
    for (const word of own.match(/[\p{L}\p{N}_-]+/gu) ?? [])
      if (!isOfService(word.toLowerCase())) this.add('name', word)
  }
}

/** Returns other spellings of a secret: the parts of `user:password`, base64, and the URL-encoded form. */
function otherSpellings(secret: string): readonly string[] {
  const parts = secret.split(/[:\s]+/).filter((part) => part.length >= 8)
  const isLatin = [...secret].every((each) => each.charCodeAt(0) < 256)
  const spellings = [...parts, encodeURIComponent(secret), ...(isLatin ? [btoa(secret)] : [])]
  return spellings.filter((each) => each !== secret)
}
