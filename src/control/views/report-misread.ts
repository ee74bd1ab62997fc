import { timestamp } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import { waitingRequests } from '../clock.ts'
import type { ControlHost } from '../control.ts'
import { faultsIn } from '../faults/fault.ts'
import { readItems } from './report-lists.ts'

/** Matches the message of an error of code that has read something else than it expected. */
const MISREAD = /undefined|\bnull\b|JSON|Cannot read|is not (?:iterable|a function)|KeyError/
/** Matches the message of an error of code that has parsed an empty text. */
const NO_BODY = /end of (?:JSON|data|file)|\bEOF\b/i
/** Matches the message of an error of code that has used a value which is null. */
const OF_NULL = /(?:of|object|is) null\b|^null is/m
/** Matches the message of an error of code that has used a field which there is not, or which is no list. */
const OF_UNDEFINED =
  /(?:of|is) undefined\b|^undefined is|is not iterable|[sS]pread syntax requires|\.(?:at|every|filter|find|flatMap|forEach|includes|join|map|reduce|slice|some|sort) is not a function/m
/** Matches the message of an assertion that got no value: of vitest, Jest and node:assert. A Python program reads a key. */
const NO_VALUE = /expected undefined to |Received: +undefined|^undefined !==|KeyError: '/m
/** Matches what such a message says of the field: `page.items is not iterable`. */
const FIELD = /\.(\w+) is not iterable|Cannot destructure property '(\w+)'|KeyError: '(\w+)'/

const MAX_NULLS = 5

/**
 * Describes the newest response if the message of a test says that code may have misread it: what a response with an error has,
 * or which fields another one has. An older response is not described, since nothing shows that the code still looked at it.
 */
export function describeMisread(host: ControlHost, message: string): readonly string[] {
  if (!MISREAD.test(message)) return []
  const { value: newest } = host.journal.newestFirst().next()
  if (!newest || !isReceived(host, newest)) return []
  const { method, path, status } = newest
  const text = describeBody(host, newest, message)
  return text === undefined ? [] : [`${method} ${path} → ${status} ${text}`]
}

/** Returns whether the client has received the response. */
function isReceived(host: ControlHost, { operationId, fault, cancelled }: JournalEntry): boolean {
  const isDropped = host.transact(faultsIn).some(({ id, drop }) => id === fault && drop)
  return !isDropped && !cancelled && waitingRequests(host).every((each) => each.operationId !== operationId)
}

function describeBody(host: ControlHost, { status, response }: JournalEntry, message: string): string | undefined {
  if (response === null || NO_BODY.test(message))
    return response === null && NO_BODY.test(message) ? 'has no body' : undefined
  if (status >= 400) return `has the body ${JSON.stringify(response)}`
  if (!isObject(response)) return undefined
  if (OF_NULL.test(message)) return describeNulls(host, response)
  if (!OF_UNDEFINED.test(message) && !NO_VALUE.test(message)) return undefined
  const field = FIELD.exec(message)
    ?.slice(1)
    .find((name) => name !== undefined)
  if (field !== undefined && field in response) return undefined
  const missing = field === undefined ? describeMissingValues(host, response) : [`not ${field}`]
  return [`has the fields ${Object.keys(response).join(', ')}`, ...missing].join('; ')
}

/** Says which lists of a response are empty, so that `items[0]` is undefined, and that there is no certificate yet, as for `certificate?.id`. */
function describeMissingValues(host: ControlHost, response: Readonly<Record<string, unknown>>): readonly string[] {
  const empty = Object.keys(response).filter((name) => isEmptyList(response[name]))
  const attempt = response.certificate === null ? findAttempt(host, response.id) : undefined
  return [
    ...empty.map((name) => `${name} is empty`),
    ...(attempt === undefined ? [] : [`certificate is null: the next attempt is at ${attempt}`]),
  ]
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/** Says which fields of a response, or of the items of a page, are null: of a domain whose attempt is pending, only the certificate. */
function describeNulls(host: ControlHost, response: Readonly<Record<string, unknown>>): string | undefined {
  const all = [response, ...readItems(response).filter(isObject)]
  const attempts = all
    .filter(({ certificate }) => certificate === null)
    .flatMap(({ id }) => findAttempt(host, id) ?? [])
  if (attempts[0] !== undefined) return `has null in certificate: the next attempt is at ${attempts[0]}`
  const names = new Set(all.flatMap((each) => Object.keys(each).filter((name) => each[name] === null)))
  return names.size === 0 ? undefined : `has null in ${[...names].slice(0, MAX_NULLS).join(', ')}`
}

/** Returns when the next attempt of a domain is that has no certificate yet. */
function findAttempt(host: ControlHost, id: unknown): string | undefined {
  const domain = typeof id === 'string' ? host.transact((tx) => tx.get(domains, id)) : undefined
  return domain?.job && domain.due && domain.certificate_id === null ? timestamp(domain.due.at) : undefined
}
