import type * as v from 'valibot'
import { innermostParts, isSchema } from '../../core/schema/schema-parts.ts'
import { toCamelCase, toSnakeCase } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { isObject } from '../../core/schema/values.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import { domains } from '../../service/resources/reserved-domains/records.ts'
import type { ControlHost } from '../control.ts'
import { faultsIn } from '../faults/fault.ts'
import { waitingRequests } from '../waiting-requests.ts'
import { readItems } from './report-lists.ts'

/** Matches the message of an error that a test or its code throws for a missing value. */
const NOTHING = /\bundefined\b|\bnull\b/
/** Matches the message of an error in code that called something that isn't a function, or set a field of nothing. No response causes these. */
const NO_RESPONSE = /undefined is not a function|Cannot set propert/
/** Matches the name that code read from a missing value: `(reading 'id')` or `(evaluating 'page.items.length')`. */
const READ_NAME = /\(reading '([^']+)'\)|\(evaluating '[^']*\.(\w+)[^']*'\)/
/** The names in the errors and envelopes of other APIs and clients. */
const COMMON_NAMES = ['code', 'data', 'error', 'errors', 'items', 'message', 'status']
/** The start of the user agent of ngrok's client in TypeScript, whose fields have names in camelCase. */
const TYPESCRIPT_CLIENT = 'ngrok-api-typescript/'
/** Matches the message of an error in code that parsed an empty string. */
const NO_BODY = /end of (?:JSON|data|file)|\bEOF\b/i
/** Matches the message of an error in code that used a null value. */
const OF_NULL = /(?:of|object|is) null\b|^null is/m
/** Matches the message of an error in code that used a field that doesn't exist or isn't a list. */
const OF_UNDEFINED =
  /(?:of|is) undefined\b|^undefined is not an object|is not iterable|[sS]pread syntax requires|\.(?:at|every|filter|find|flatMap|forEach|includes|join|map|reduce|slice|some|sort) is not a function/m
/**
 * Matches the message of a vitest, Jest, or node:assert assertion that received no value or a list or object without one, or of a Python
 * KeyError.
 */
const NO_VALUE =
  /expected [^\n]*\bundefined\b[^\n]* to |Received: +undefined|^\+ .*\bundefined,?$|^undefined !==|KeyError: '/m
/** Matches what such a message says about the field: `page.items is not iterable`. */
const FIELD = /\.(\w+) is not iterable|Cannot destructure property '(\w+)'|KeyError: '(\w+)'/

const MAX_NULLS = 5

/**
 * If a test's message suggests that code misread the newest response, describes that response: its content if it is an error, otherwise its
 * fields. Older responses are not described, because the code may no longer use them.
 */
export function describeMisread(host: ControlHost, message: string): readonly string[] {
  const newestFirst = host.journal.newestFirst()
  const { value: newest } = newestFirst.next()
  if (!newest || !isReceived(host, newest) || !isAbout(host, newest, message)) return []
  const text = describeBody(host, newest, withoutRefusal(message, newest))
  if (text === undefined) return []
  const { value: before } = newestFirst.next()
  const isIgnored = before?.fault === null && before.status >= 400 && newest.status < 400
  return [
    `${nameExchange(newest)} ${text}`,
    ...(isIgnored ? [`Before that: ${nameExchange(before)}. Did your code ignore that error?`] : []),
  ]
}

const nameExchange = ({ method, path, status }: JournalEntry) => `${method} ${path} → ${status}`

/** Returns whether the client received the response. */
function isReceived(host: ControlHost, { operationId, fault, cancelled }: JournalEntry): boolean {
  const isDropped = host.transact(faultsIn).some(({ id, drop }) => id === fault && drop)
  return !isDropped && !cancelled && waitingRequests(host).every((each) => each.operationId !== operationId)
}

/** Omits what code has read correctly: the message of an error response, which may mention undefined or null itself. */
function withoutRefusal(message: string, { response }: JournalEntry): string {
  const refusal = isObject(response) ? response.msg : undefined
  if (typeof refusal !== 'string' || refusal === '') return message
  return message.replaceAll(refusal, '').replaceAll(JSON.stringify(refusal).slice(1, -1), '')
}

/** Returns whether a message may be about a response: if it names what code read from a missing value, the API or the language has that name. */
function isAbout({ api }: ControlHost, { operation, response }: JournalEntry, message: string): boolean {
  if (NO_RESPONSE.test(message)) return false
  const name = READ_NAME.exec(message)
    ?.slice(1)
    .find((each) => each !== undefined)
  if (name === undefined || name.startsWith('Symbol(') || Number.isInteger(Number(name))) return true
  const { response: schema } = api.operations.find((each) => each.name === operation) ?? {}
  const fields = [...(schema ? listFieldNames(schema) : []), ...(isObject(response) ? Object.keys(response) : [])]
  return [...fields, ...COMMON_NAMES].includes(toSnakeCase(name)) || [[], '', 0].some((value) => name in Object(value))
}

function listFieldNames(schema: v.GenericSchema): readonly string[] {
  const { entries = {}, item, options = [] } = innermostParts(schema)
  const below = [...Object.values(entries), ...(item ? [item] : []), ...options.filter(isSchema)]
  return [...Object.keys(entries), ...below.flatMap(listFieldNames)]
}

/** Returns a response with the names of fields that its client gives to code. */
function readAsClient({ requestHeaders, response }: JournalEntry): unknown {
  const isCamelCase = requestHeaders['user-agent']?.startsWith(TYPESCRIPT_CLIENT)
  return isCamelCase ? inCamelCase(response) : response
}

function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [toCamelCase(name), inCamelCase(each)]))
}

function describeBody(host: ControlHost, entry: JournalEntry, message: string): string | undefined {
  const { status } = entry
  const response = status < 400 ? readAsClient(entry) : entry.response
  if (response === null || NO_BODY.test(message))
    return response === null && NO_BODY.test(message) ? 'has no body' : undefined
  const isOfUndefined = OF_UNDEFINED.test(message) || NO_VALUE.test(message)
  if (status >= 400)
    return isOfUndefined || NOTHING.test(message) ? `has the body ${JSON.stringify(response)}` : undefined
  if (!isObject(response)) return undefined
  if (OF_NULL.test(message)) return describeNulls(host, response)
  if (!isOfUndefined) return undefined
  const field = FIELD.exec(message)
    ?.slice(1)
    .find((name) => name !== undefined)
  if (field !== undefined && field in response) return undefined
  const missing = field === undefined ? describeMissingValues(host, response) : [`not ${field}`]
  return [`has the fields ${Object.keys(response).join(', ')}`, ...missing].join('; ')
}

/**
 * Notes which lists in a response are empty, so that `items[0]` is undefined, which fields the items of others have, and that there is no
 * certificate yet, as for `certificate?.id`.
 */
function describeMissingValues(host: ControlHost, response: Readonly<Record<string, unknown>>): readonly string[] {
  const empty = Object.keys(response).filter((name) => isEmptyList(response[name]))
  const attempt = response.certificate === null ? findAttempt(host, response.id) : undefined
  const items = Object.entries(response).flatMap(([name, value]) => {
    const [item] = Array.isArray(value) ? value : []
    return isObject(item) ? [`the first of ${name} has ${Object.keys(item).join(', ')}`] : []
  })
  return [
    ...empty.map((name) => `${name} is empty`),
    ...items,
    ...(attempt === undefined ? [] : [`certificate is null: the next attempt is at ${attempt}`]),
  ]
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}

/**
 * Notes which fields of a response, or of the items on a page, are null. For a domain with a pending attempt, notes only the certificate.
 */
function describeNulls(host: ControlHost, response: Readonly<Record<string, unknown>>): string | undefined {
  const all = [response, ...readItems(response).filter(isObject)]
  const attempts = all
    .filter(({ certificate }) => certificate === null)
    .flatMap(({ id }) => findAttempt(host, id) ?? [])
  if (attempts[0] !== undefined) return `has null in certificate: the next attempt is at ${attempts[0]}`
  const names = new Set(all.flatMap((each) => Object.keys(each).filter((name) => each[name] === null)))
  return names.size === 0 ? undefined : `has null in ${[...names].slice(0, MAX_NULLS).join(', ')}`
}

/** Returns when the next attempt of a domain without a certificate is due. */
function findAttempt(host: ControlHost, id: unknown): string | undefined {
  const domain = typeof id === 'string' ? host.transact((tx) => tx.get(domains, id)) : undefined
  return domain?.job && domain.due && domain.certificate_id === null ? timestamp(domain.due.at) : undefined
}
