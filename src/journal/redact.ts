import type { Operation } from '../operation/operation.ts'
import { MAX_BODY_BYTES } from '../schema/body.ts'
import type { CommonDialect } from '../schema/dialect.ts'
import { partsOf } from '../schema/documentation.ts'
import {
  type Hidden,
  NO_NAMES,
  redacted,
  type SecretNames,
  secretsIn,
  withoutSecretTexts,
} from '../schema/secret-fields.ts'
import {
  isSecretHeader,
  keysInHeader,
  keysInHeaders,
  REDACTED,
  type SecretTexts,
  secretTexts,
  withoutSecrets,
} from '../schema/secret-texts.ts'
import { counted } from '../schema/text.ts'
import { timestamp } from '../schema/time.ts'
import type { JournalEntry } from './entry.ts'
import type { Exchange } from './exchange.ts'

export interface Secrets {
  readonly dialect: CommonDialect
  readonly secretNames: SecretNames
  readonly ownKeys: readonly string[]
}

/** The secrets of a journal's entries, with those of all its requests. */
type SharedSecrets = Omit<Secrets, 'ownKeys'> & { readonly shared: SecretTexts }

export function entryOf(exchange: Exchange, { dialect, secretNames, shared }: SharedSecrets): JournalEntry {
  const { operationId, operation, now, status, requestHeaders, responseHeaders, commit, fault } = exchange
  const names = secretNames.of(operation)
  const sent = secretTexts(secretsSent(exchange, names))
  const values: SecretTexts = (text) => sent(shared(text))
  const hidden = { names, values }
  // The gateway's own errors have no secrets; their `details` have fields named like some.
  const isError = status >= 400 && fault === null
  return {
    operationId,
    operation: operation?.name ?? null,
    method: withoutSecrets(exchange.method, hidden.values),
    path: withoutSecrets(exchange.path, hidden.values),
    query: redactedQuery(exchange.query, parametersOf(operation, dialect), hidden),
    at: timestamp(now),
    requestHeaders: redactedHeaders(requestHeaders, hidden),
    request: redactedBody(exchange.request, hidden),
    status,
    responseHeaders: redactedHeaders(Object.entries(responseHeaders).flat(), hidden),
    response: redactedBody(exchange.response, isError ? { ...hidden, names: NO_NAMES } : hidden),
    // `redacted` has hidden the secret fields already.
    commit: commit && withoutSecretTexts(commit.redacted(), values),
    fault,
  }
}

/** Finds the secrets of a request: its keys, and the values that its query and its body have under secret names. */
export function secretsSent(
  {
    authorization,
    requestHeaders,
    query,
    request,
  }: Pick<Exchange, 'authorization' | 'requestHeaders' | 'query' | 'request'>,
  names: Hidden['names'],
): string[] {
  const named = [...new URLSearchParams(query)].filter(([name]) => names.has(name))
  const keys = [...keysInHeader(authorization), ...keysInHeaders(requestHeaders)]
  return [...keys, ...named.map(([, value]) => value), ...secretsIn(jsonValueOf(request), names)]
}

function jsonValueOf(body: Exchange['request' | 'response']): unknown {
  if (typeof body !== 'string') return undefined
  try {
    return JSON.parse(body)
  } catch {
    return undefined
  }
}

const UNREAD = {
  body_too_large: `[a body of more than ${MAX_BODY_BYTES} bytes]`,
  body_unreadable: '[a body that could not be read to its end]',
  'not UTF-8': '[a body that is not UTF-8]',
  refused: '[a body that was not read, since the head of the request was refused]',
} as const

/** Hides the secrets of a body. Replaces a text that is not JSON by a description, because its secrets cannot be found. */
function redactedBody(body: Exchange['request' | 'response'], hidden: Hidden): unknown {
  if (body === null || body === '') return null
  if (typeof body === 'object') return UNREAD[body.unread]
  const value = jsonValueOf(body)
  return value === undefined
    ? `[a text of ${counted(body.length, 'character')} that is not JSON]`
    : redacted(value, hidden)
}

function parametersOf(operation: Operation | null, { queryAliases }: CommonDialect): string[] {
  if (!operation?.query) return []
  const { entries = {} } = partsOf(operation.query)
  return [...Object.keys(entries), ...Object.keys(queryAliases)]
}

/** Hides the secrets of a query: texts that are secret anywhere, and the values of unknown parameters named like a secret. */
function redactedQuery(query: string, known: readonly string[], { names, values }: Hidden): string {
  const parameters = query.split('&').map((parameter) => {
    const [name = '', ...rest] = parameter.split('=')
    const isSecret = !known.includes(name) && (isSecretHeader(name) || names.has(name))
    if (rest.length === 0 || !isSecret) return withoutSecrets(parameter, values)
    return `${withoutSecrets(name, values)}=${rest.join('=') && REDACTED}`
  })
  return parameters.join('&')
}

/** Maps the names of headers in lower case to values without secrets. Values of the same name are joined. */
function redactedHeaders(headers: readonly string[], { names, values }: Hidden): Record<string, string> {
  const shown = new Map<string, string>()
  for (let at = 0; at < headers.length; at += 2) {
    const [name = '', value = ''] = headers.slice(at, at + 2)
    const isSecret = isSecretHeader(name) || names.has(name)
    const key = withoutSecrets(name.toLowerCase(), values)
    const text = isSecret ? REDACTED : withoutSecrets(value, values)
    const before = shown.get(key)
    shown.set(key, before === undefined ? text : `${before}, ${text}`)
  }
  return Object.fromEntries(shown)
}
