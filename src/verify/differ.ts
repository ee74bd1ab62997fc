import { isObject } from '../core/schema/values.ts'
import { type ApiResponse, BYTE_ORDER_MARK, errorOf, mediaTypeOf } from './exchange.ts'
import { ID_IN_TEXT, type IdMap, idsIn, pairIds } from './ids.ts'
import { GENERATED_FIELDS, timeShape } from './shapes.ts'
import { TIME, valueText } from './texts.ts'

/** A difference between two responses to the same request. */
export interface Difference {
  /** The location, such as `status`, `header content-type`, or `body.ip_policies[0].action`. */
  readonly at: string
  /** The kind of difference. */
  readonly kind: 'status' | 'header' | 'missing' | 'extra' | 'type' | 'value' | 'format' | 'order'
  /** fauxgate's response at this location, as human-readable text. */
  readonly expected: string
  /** The actual response, as human-readable text. */
  readonly received: string
}

/** The IDs, the URL, and the header that a comparison uses to match both sides. */
export interface ComparisonContext {
  /** The pairs of IDs that identify the same resource. Each comparison adds pairs. */
  readonly ids: IdMap
  /** The base URL of both sides, without a trailing slash. */
  readonly base: string
  /** The lowercase name of the header that carries the request ID. */
  readonly operationIdHeader: string
  /** Returns true for the resources to ignore when comparing lists, such as resources that existed before the first request. */
  readonly isIgnored: (id: string) => boolean
  /** Returns true for a time that a request contained: the service returns it as sent. */
  readonly isSentTime?: (time: string) => boolean
  /** True if resources may have been ignored in the list, so there may be another page. */
  readonly hasIgnored: boolean
}

/**
 * Compares two responses to the same request: status, error code, fields, types, nullability, formats, values, and list order. For times,
 * IDs, messages, and generated names, only the shape is compared.
 */
export function differencesOf(
  expected: ApiResponse,
  received: ApiResponse,
  context: ComparisonContext,
): readonly Difference[] {
  const comparison = new Comparison(context)
  comparison.compareResponses(expected, received)
  return comparison.differences
}

/** Returns a difference as human-readable text. `of` says where the other response comes from. */
export function differenceText({ at, expected, received }: Difference, of = 'received'): string {
  return `${at}: fauxgate ${expected} | ${of} ${received}`
}

function statusText(response: ApiResponse): string {
  const { error_code } = errorOf(response)
  return error_code === undefined ? String(response.status) : `${response.status} ${String(error_code)}`
}

const bodyOf = ({ text }: ApiResponse) => (text === '' ? 'no body' : `a body: ${valueText(text.slice(0, 80))}`)

type Json = Readonly<Record<string, unknown>>

/** Times that do not change after creation. */
const FIXED_TIMES = ['created_at', 'started_at', 'issued_at']

const DAY_MS = 86_400_000

/** The error field with additional facts. They depend on the service, except for the operation ID. */
const DETAILS = 'details'

/** Fields of a managed domain that change over time. One side may be further along than the other. */
const PROGRESS_FIELDS = ['certificate', 'certificate_management_status']

class Comparison {
  readonly differences: Difference[] = []
  readonly #context: ComparisonContext

  constructor(context: ComparisonContext) {
    this.#context = context
  }

  #add(at: string, kind: Difference['kind'], expected: string, received: string): void {
    this.differences.push({ at, kind, expected, received })
  }

  compareResponses(expected: ApiResponse, received: ApiResponse): void {
    if (expected.status !== received.status) {
      // If the status differs, so do the fields. Only the error code adds information.
      this.#add('status', 'status', statusText(expected), statusText(received))
      return
    }
    this.#compareHeaders(expected, received)
    if (expected.text === '' || received.text === '') {
      if (expected.text !== received.text)
        this.#add('body', expected.text === '' ? 'extra' : 'missing', bodyOf(expected), bodyOf(received))
    } else if (received.body === undefined && expected.body !== undefined) {
      this.#add('body', 'type', 'JSON', `text that is not JSON: ${valueText(received.text.slice(0, 80))}`)
    } else {
      if (received.text.startsWith(BYTE_ORDER_MARK))
        this.#add('body', 'format', 'JSON', 'a byte order mark before the JSON')
      this.compareValues('body', expected.body, received.body)
    }
  }

  #compareHeaders(expected: ApiResponse, received: ApiResponse): void {
    const { operationIdHeader, ids } = this.#context
    const [type, other] = [mediaTypeOf(expected), mediaTypeOf(received)]
    if (type !== other) this.#add('header content-type', 'header', type || 'none', other || 'none')
    const own = expected.headers[operationIdHeader]
    if (own === undefined) return
    const id = received.headers[operationIdHeader]
    const isNew = id !== undefined && /^op_[0-9A-Za-z]+$/.test(id) && ids.link(own, id)
    if (!isNew) this.#add(`header ${operationIdHeader}`, 'header', 'a new ID op_…', valueText(id))
  }

  compareValues(at: string, expected: unknown, received: unknown, field = '', owner?: string): void {
    const [type, other] = [typeOf(expected), typeOf(received)]
    if (type !== other) {
      if (this.#isLastPage(field, expected, received)) return
      this.#add(at, 'type', `${type} ${valueText(expected)}`, `${other} ${valueText(received)}`)
    } else if (typeof expected === 'string' && typeof received === 'string') {
      this.#compareTexts(at, expected, received, field, owner)
    } else if (Array.isArray(expected) && Array.isArray(received)) {
      this.#compareLists(at, expected, received)
    } else if (isObject(expected) && isObject(received)) {
      this.#compareObjects(at, expected, received, field)
    } else if (expected !== received) {
      this.#add(at, 'value', valueText(expected), valueText(received))
    }
  }

  /** True if a list with older resources may have another page while fauxgate's list does not. */
  #isLastPage(field: string, expected: unknown, received: unknown): boolean {
    return field === 'next_page_uri' && expected === null && typeof received === 'string' && this.#context.hasIgnored
  }

  #compareObjects(at: string, expected: Json, received: Json, field: string): void {
    const owner = typeof received.id === 'string' ? received.id : undefined
    const isManaged = isObject(expected.certificate_management_policy)
    const { ids } = this.#context
    for (const [ours, value] of Object.entries(expected)) {
      // The keys of a map may be ids.
      const name = ids.receivedFor(ours) ?? ours
      const place = `${at}.${name}`
      if (field === DETAILS && name !== 'operation_id') continue
      if (!Object.hasOwn(received, name)) this.#add(place, 'missing', valueText(value), 'no such field')
      else if (isManaged && PROGRESS_FIELDS.includes(name)) this.#compareProgress(place, received[name])
      else this.compareValues(place, value, received[name], name, owner)
    }
    if (field === DETAILS) return
    for (const [name, value] of Object.entries(received)) {
      const ours = ids.expectedFor(name) ?? name
      if (!Object.hasOwn(expected, ours)) this.#add(`${at}.${name}`, 'extra', 'no such field', valueText(value))
    }
    const { created_at: created, updated_at: updated } = received
    const isLater = typeof created === 'string' && ids.noteTime(created) > created
    if (isLater && updated === created && wasChanged(expected))
      this.#add(`${at}.updated_at`, 'value', 'a later time than created_at', valueText(updated))
  }

  #compareProgress(at: string, received: unknown): void {
    if (received !== null && !isObject(received)) this.#add(at, 'type', 'null or an object', valueText(received))
  }

  #compareTexts(at: string, expected: string, received: string, field: string, owner: string | undefined): void {
    const shape = GENERATED_FIELDS[field]
    if (shape) {
      if (shape(expected) !== shape(received)) this.#add(at, 'format', shape(expected), shape(received))
      else if (field === 'token' && !this.#context.ids.link(expected, received))
        this.#add(at, 'value', 'its own token', 'an ID that appeared before')
    } else if (TIME.test(expected)) {
      this.#compareTimes(at, expected, received, field, owner)
    } else {
      this.#compareWords(at, expected, received)
    }
  }

  #compareTimes(at: string, expected: string, received: string, field: string, owner: string | undefined): void {
    const [shape, other] = [timeShape(expected), timeShape(received)]
    if (shape !== other || Number.isNaN(Date.parse(received))) {
      this.#add(at, 'format', `a time such as ${expected}`, valueText(received))
    } else if (this.#context.isSentTime?.(expected) && expected !== received) {
      this.#add(at, 'value', expected, received)
    } else if (Math.abs(Date.parse(expected) - Date.parse(received)) > DAY_MS) {
      this.#add(at, 'value', `a time near ${expected}`, received)
    } else if (owner !== undefined && FIXED_TIMES.includes(field)) {
      const first = this.#context.ids.keepFirst(owner, field, received)
      if (first !== received) this.#add(at, 'value', `still ${first}`, received)
    }
  }

  /** Compares strings in which IDs and base URLs may occur. */
  #compareWords(at: string, expected: string, received: string): void {
    const { ids, base } = this.#context
    const pairs = pairIds(withoutBase(expected, base), withoutBase(received, base))
    if (!pairs) {
      this.#add(at, 'value', valueText(expected), valueText(received))
      return
    }
    for (const [id, theirs] of pairs) {
      if (theirs.length !== id.length) {
        this.#add(at, 'format', `an ID of ${id.length} characters`, `one of ${theirs.length}: ${theirs}`)
      } else if (!id.startsWith('op_') && !ids.link(id, theirs)) {
        this.#add(at, 'value', ids.receivedFor(id) ?? 'the ID of something else', theirs)
      }
    }
  }

  #compareLists(at: string, expected: readonly unknown[], listed: readonly unknown[]): void {
    const received = listed.filter((each) => {
      const id = idOf(each)
      return id === undefined || !this.#context.isIgnored(id)
    })
    const pairs = this.#pairItems(at, expected, received)
    for (const [index, [one, other]] of pairs.entries()) this.compareValues(`${at}[${index}]`, one, other)
  }

  /** Pairs the items of two lists, by ID if all have one, and adds the missing, extra, and moved items as differences. */
  #pairItems(at: string, expected: readonly unknown[], received: readonly unknown[]): [unknown, unknown][] {
    const keys = expected.map((each) => this.#keyOf(each))
    const others = received.map((each) => idOf(each) ?? (isObject(each) ? undefined : JSON.stringify(each)))
    const isKeyed = [...keys, ...others].every((key) => key !== undefined) && new Set(keys).size === keys.length
    if (!isKeyed) {
      if (expected.length !== received.length)
        this.#add(at, 'value', `${expected.length} items`, `${received.length} items`)
      return expected.slice(0, received.length).map((each, index) => [each, received[index]])
    }
    const missing = keys.filter((key) => !others.includes(key))
    const extra = others.filter((key, index) => !keys.includes(key) || others.indexOf(key) !== index)
    // Resources that both sides created but that were never compared cannot be told apart.
    if (missing.length > 0) this.#add(at, 'missing', `${expected.length} items, with ${missing.join(', ')}`, 'without')
    if (extra.length > 0) this.#add(at, 'extra', `${expected.length} items`, `also ${extra.join(', ')}`)
    const common = others.filter((key, index) => keys.includes(key) && others.indexOf(key) === index)
    const inOrder = keys.filter((key) => common.includes(key))
    if (inOrder.join() !== common.join()) this.#add(at, 'order', inOrder.join(', '), common.join(', '))
    return inOrder.map((key) => [expected[keys.indexOf(key)], received[others.indexOf(key)]])
  }

  /** Returns the ID on the received side that corresponds to an expected item, or the item's value. */
  #keyOf(item: unknown): string | undefined {
    const id = idOf(item)
    if (id !== undefined) return this.#context.ids.receivedFor(id)
    if (isObject(item)) return undefined
    const json = JSON.stringify(item)
    const isKnown = idsIn(json).every((each) => this.#context.ids.receivedFor(each) !== undefined)
    return isKnown ? json.replaceAll(ID_IN_TEXT, (each) => this.#context.ids.receivedFor(each) ?? each) : undefined
  }
}

/** Returns whether a resource was changed long enough after its creation that its times show the change on both sides. */
function wasChanged({ created_at: created, updated_at: updated }: Json): boolean {
  return Date.parse(String(updated)) - Date.parse(String(created)) >= 2000
}

function idOf(item: unknown): string | undefined {
  return isObject(item) && typeof item.id === 'string' ? item.id : undefined
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}

/** Replaces the base URL, and decodes the parameters of a URL below it, in a fixed order. */
function withoutBase(text: string, base: string): string {
  const replaced = text.replaceAll(base, (same, from: number) =>
    /^[/?#]?$/.test(text.charAt(from + same.length)) ? '{base}' : same,
  )
  if (!replaced.startsWith('{base}') || !replaced.includes('?')) return replaced
  const [path = '', query = ''] = replaced.split(/\?(.*)/s)
  const parameters = [...new URLSearchParams(query)].map(([name, value]) => `${name}=${value}`)
  return `${path}?${parameters.sort().join('&')}`
}
