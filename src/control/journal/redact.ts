import type { Commit } from '../../core/operation/collection.ts'
import type { Operation } from '../../core/operation/operation.ts'
import { MAX_BODY_BYTES } from '../../core/schema/body.ts'
import type { CommonDialect } from '../../core/schema/dialect.ts'
import { partsOf } from '../../core/schema/schema-parts.ts'
import { findSecrets, NO_NAMES, type Redaction, redact, type SecretNames } from '../../core/schema/secret-fields.ts'
import {
  createRedactor,
  findKeysInHeader,
  findKeysInHeaders,
  isSecretHeader,
  REDACTED,
  type Redactor,
  redactText,
} from '../../core/schema/secret-texts.ts'
import { formatCount } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import type { JournalEntry } from '../../generated/controls.ts'
import type { JournaledExchange } from './exchange.ts'

export interface Secrets {
  readonly dialect: CommonDialect
  readonly secretNames: SecretNames
  readonly ownKeys: readonly string[]
}

/** The secrets to redact in an entry. `shared` redacts the keys of the gateway and of all requests in the journal. */
type SharedSecrets = Omit<Secrets, 'ownKeys'> & { readonly shared: Redactor }

/** Creates the entry of an exchange, without secrets. */
export function createEntry(
  exchange: JournaledExchange,
  { dialect, secretNames, shared }: SharedSecrets,
): JournalEntry {
  const { operationId, operation, now, status, requestHeaders, responseHeaders, commit, fault } = exchange
  const names = secretNames.of(operation)
  const records = commit?.changes.flatMap(({ before, after }) => [before, after])
  const redactSent = createRedactor([...findSentSecrets(exchange, names), ...findSecrets(records, secretNames)])
  const redactor: Redactor = (text) => redactSent(shared(text))
  const redaction = { names, redactor }
  // The gateway's own errors don't contain secrets, but fields in their `details` may be named like secret fields.
  const isError = status >= 400 && fault === null
  return {
    operationId,
    operation: operation?.name ?? null,
    method: redactText(exchange.method, redactor),
    path: redactText(exchange.path, redactor),
    query: redactQuery(exchange.query, listParameters(operation, dialect), redaction),
    at: timestamp(now),
    requestHeaders: redactHeaders(requestHeaders, redaction),
    request: redactBody(exchange.request, redaction),
    status,
    responseHeaders: redactHeaders(Object.entries(responseHeaders).flat(), redaction),
    response: redactBody(exchange.response, isError ? { ...redaction, names: NO_NAMES } : redaction),
    commit: commit && redactCommit(commit.toPublic(), { names: secretNames, redactor }),
    fault,
    ...(exchange.problem !== undefined && { problem: redactText(exchange.problem, redactor) }),
  }
}

/** Redacts the records of a commit by name as well, because a record can contain values that no schema describes. */
function redactCommit({ operation, at, changes }: Commit, redaction: Redaction): Commit {
  const redactSide = (record: object | undefined) => record && redact(record, redaction)
  return {
    operation,
    at,
    changes: changes.map(({ collection, key, before, after }) => ({
      collection,
      key: redactText(key, redaction.redactor),
      before: redactSide(before),
      after: redactSide(after),
    })),
  }
}

/** Redacts a request as text: a head, optionally followed by a space and a JSON object. */
export function redactRequestText(text: string, redaction: Redaction): string {
  const [head = '', body = ''] = text.split(/ (?=\{)(.*)/s)
  const value = parseJson(body)
  const redacted = redact(value, redaction)
  // The client's JSON is kept verbatim unless it contains something to hide.
  return redacted === value ? text : `${head} ${JSON.stringify(redacted)}`
}

/** Returns the secrets of a request: its keys, and the values under secret names in its query and its body. */
export function findSentSecrets(
  {
    authorization,
    requestHeaders,
    query,
    request,
  }: Pick<JournaledExchange, 'authorization' | 'requestHeaders' | 'query' | 'request'>,
  names: Redaction['names'],
): string[] {
  const named = [...new URLSearchParams(query)].filter(([name]) => names.has(name))
  const keys = [...findKeysInHeader(authorization), ...findKeysInHeaders(requestHeaders)]
  return [...keys, ...named.map(([, value]) => value), ...findSecrets(parseJson(request), names)]
}

/** Returns the value of a JSON body, or undefined for any other body. */
export function parseJson(body: JournaledExchange['request' | 'response']): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const UNREAD_BODY = {
  body_too_large: `[a body of more than ${MAX_BODY_BYTES} bytes]`,
  body_unreadable: '[a body that could not be read completely]',
  'not UTF-8': '[a body that is not UTF-8]',
  refused: '[a body that was not read, because the head of the request was rejected]',
} as const

/** Redacts a body. A description replaces a string that is not JSON, because its secrets cannot be found. */
function redactBody(body: JournaledExchange['request' | 'response'], redaction: Redaction): unknown {
  if (body === null || body === '') return null
  if (typeof body === 'object') return UNREAD_BODY[body.unread]
  const value = parseJson(body)
  return value === undefined
    ? `[${formatCount(body.length, 'character')} of text that is not JSON]`
    : redact(value, redaction)
}

function listParameters(operation: Operation | null, { queryAliases }: CommonDialect): string[] {
  if (!operation?.query) return []
  const { entries = {} } = partsOf(operation.query)
  return [...Object.keys(entries), ...Object.keys(queryAliases)]
}

/** Redacts a query: secret strings, and the values of unknown parameters with secret names. */
export function redactQuery(query: string, known: readonly string[], { names, redactor }: Redaction): string {
  const parameters = query.split('&').map((parameter) => {
    const [name = '', ...rest] = parameter.split('=')
    const isSecret = !known.includes(name) && (isSecretHeader(name) || names.has(name))
    if (rest.length === 0 || !isSecret) return redactText(parameter, redactor)
    return `${redactText(name, redactor)}=${rest.join('=') && REDACTED}`
  })
  return parameters.join('&')
}

/** Returns whether a header is shown although its name suggests a secret. */
export const isShown = (name: string, { shown = [] }: Pick<Redaction, 'shown'>) => shown.includes(name.toLowerCase())

/** Returns the redacted headers by lowercase name. Joins multiple values of the same name. */
export function redactHeaders(headers: readonly string[], redaction: Redaction): Record<string, string> {
  const { names, redactor } = redaction
  const redacted = new Map<string, string>()
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2)
    const isSecret = (isSecretHeader(name) || names.has(name)) && !isShown(name, redaction)
    const key = redactText(name.toLowerCase(), redactor)
    const text = isSecret ? REDACTED : redactText(value, redactor)
    const before = redacted.get(key)
    redacted.set(key, before === undefined ? text : `${before}, ${text}`)
  }
  return Object.fromEntries(redacted)
}
