import * as v from 'valibot'
import { bodyReader, requireJsonObject } from '../core/schema/body.ts'
import { documented } from '../core/schema/documentation.ts'
import { refuse } from '../core/schema/errors.ts'
import { general } from '../core/schema/general-errors.ts'
import type { RuleContext } from '../core/schema/rule.ts'
import { quote } from '../core/schema/text.ts'
import { createJsonResponse, type HttpResponse } from '../gateway/http/messages.ts'
import { dialects, standard } from '../service/resources/dialects.ts'
import { AUDIT_PATH, METRICS_PATH, SANDBOXES_PATH } from './address.ts'
import { archiveResponse, restoreAll } from './archives.ts'
import { readTtl } from './environment.ts'
import { errors } from './errors.ts'
import { metricsResponse } from './metrics.ts'
import { isSandboxName } from './names.ts'
import { getObject, type SandboxList, type Stub } from './objects.ts'
import { forkOptions, keyOptions, sandboxOptions } from './options.ts'
import type { Sandbox } from './sandbox.ts'
import type { WorkerEnvironment } from './worker-environment.ts'

/** A call as received by the Worker. */
export interface AccountRequest {
  readonly env: WorkerEnvironment
  readonly urlOf: (name: string) => string
  readonly body: ReadableStream<Uint8Array> | null
  /** The names of the sandbox and of the key in the path, or empty strings if there are none. */
  readonly name: string
  readonly key: string
}

type Run<Input> = (request: AccountRequest, input: Input) => Promise<HttpResponse | Response>

export interface AccountCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly from?: 'body' | 'query'
  /** `state` allows a body as large as a whole state. With `stream`, the call reads the body itself. */
  readonly body?: 'state' | 'stream'
  /** The name of the call in the audit log. Calls without a name are not logged. */
  readonly audit?: string | ((sent: object) => string)
  readonly run: Run<object>
}

/** The context for reading bodies. The account doesn't have a gateway, so this is the context of a default gateway. */
const CONTEXT: RuleContext = { dialect: standard, options: {}, catalogue: new Map() }

type Definition<S extends v.GenericSchema> = Omit<AccountCall, 'run'> & {
  readonly schema: S
  readonly run: Run<v.InferOutput<S>>
}

function defineCall<S extends v.GenericSchema>({ schema, run, ...definition }: Definition<S>): AccountCall {
  const read = bodyReader(schema)
  return { ...definition, run: async (request, sent) => run(request, read(requireJsonObject(sent), {}, CONTEXT)) }
}

const MAX_PAGE_SIZE = 1000
const ALLOWED_LIMIT = `a whole number from 1 to ${MAX_PAGE_SIZE}`

const limit = v.optional(
  documented(
    v.pipe(
      v.string(ALLOWED_LIMIT),
      v.regex(/^[1-9]\d{0,3}$/, ALLOWED_LIMIT),
      v.transform(Number),
      v.maxValue(MAX_PAGE_SIZE, ALLOWED_LIMIT),
    ),
    'The maximum number of sandboxes or audit log entries in a response.',
  ),
  '100',
)
const after = v.optional(documented(v.string(), 'Only sandboxes whose names come after this one.'), '')

const ALLOWED_PREFIX = 'a name prefix: 1 to 40 lowercase letters, digits, and hyphens, such as "branch-"'
const prefix = documented(
  v.pipe(v.string(ALLOWED_PREFIX), v.regex(/^[a-z0-9][a-z0-9-]{0,39}$/, ALLOWED_PREFIX)),
  'All sandboxes whose names begin with this text.',
)

const existingPolicy = v.optional(v.picklist(['refuse', 'keep', 'replace'], 'refuse, keep, or replace'), 'refuse')

/** The maximum number of sandboxes that one request removes. */
const MAX_REMOVED = 100

const noInput = v.object({})
const SANDBOX_PATH = `${SANDBOXES_PATH}/{name}`

/** Returns the object of a registered sandbox. Rejects other names, because the platform creates a file for each object that is called. */
async function requireSandbox({ env, name }: AccountRequest): Promise<Stub<Sandbox>> {
  const registered = await getObject(env.ACCOUNTS, 'account').find(name)
  return registered ? getObject(env.SANDBOXES, name) : refuse(errors.sandbox_not_found, { name })
}

export function requireName(received: string): string {
  return isSandboxName(received) ? received : refuse(errors.sandbox_name_invalid, { received: quote(received) })
}

type SandboxRun = (sandbox: Stub<Sandbox>, request: AccountRequest) => Promise<HttpResponse>

/** Returns a call without input that is handled by the object of one sandbox. */
function defineSandboxCall(method: AccountCall['method'], path: string, run: SandboxRun, audit?: string): AccountCall {
  const runCall = async (request: AccountRequest) => run(await requireSandbox(request), request)
  return defineCall({ method, path, schema: noInput, run: runCall, ...(audit && { audit }) })
}

export const accountCalls: readonly AccountCall[] = [
  defineCall({
    method: 'GET',
    path: SANDBOXES_PATH,
    from: 'query',
    schema: v.object({ limit, after }),
    async run({ env, urlOf }, { limit, after }) {
      const found = await getObject(env.ACCOUNTS, 'account').list(after, limit + 1)
      const sandboxes = found.slice(0, limit).map((each) => ({ ...each, url: urlOf(each.name) }))
      const last = found.length > limit ? sandboxes.at(-1)?.name : undefined
      const list: SandboxList = { sandboxes, next_after: last ?? null, dialects: Object.keys(dialects) }
      return createJsonResponse(200, list)
    },
  }),
  defineCall({
    method: 'PUT',
    path: SANDBOX_PATH,
    from: 'body',
    body: 'state',
    audit: 'create',
    schema: sandboxOptions,
    async run({ env, urlOf, name }, { ttl, ...options }) {
      if (options.start !== undefined && options.clock !== 'manual') {
        refuse(errors.sandbox_options_invalid, { why: 'start needs "clock": "manual".' })
      }
      return getObject(env.SANDBOXES, name).create(name, urlOf(name), { options, ttl: readTtl(env, ttl) })
    },
  }),
  defineCall({
    method: 'DELETE',
    path: SANDBOXES_PATH,
    from: 'query',
    audit: 'remove_all',
    schema: v.object({ prefix }),
    async run({ env }, { prefix }) {
      const account = getObject(env.ACCOUNTS, 'account')
      const found = await account.list('', MAX_REMOVED, prefix)
      const responses = await Promise.all(found.map(({ name }) => getObject(env.SANDBOXES, name).remove(name)))
      const removed = responses.filter(({ status }) => status === 204).length
      return createJsonResponse(200, { removed, left: await account.count(prefix) })
    },
  }),
  defineCall({
    method: 'GET',
    path: AUDIT_PATH,
    from: 'query',
    schema: v.object({ limit }),
    async run({ env }, { limit }) {
      const account = getObject(env.ACCOUNTS, 'account')
      const { counts } = await account.getTotals()
      return createJsonResponse(200, {
        entries: await account.listAuditEntries(limit),
        wrong_account_keys: counts.wrong_keys ?? 0,
      })
    },
  }),
  defineCall({
    method: 'GET',
    path: METRICS_PATH,
    schema: noInput,
    run: async ({ env }) => metricsResponse(await getObject(env.ACCOUNTS, 'account').getTotals()),
  }),
  defineCall({
    method: 'GET',
    path: '/backup',
    from: 'query',
    audit: 'backup',
    schema: v.object({ after }),
    run: async ({ env }, { after }) => archiveResponse(env, after),
  }),
  defineCall({
    method: 'POST',
    path: '/restore',
    from: 'query',
    body: 'stream',
    audit: 'restore',
    schema: v.object({ existing: existingPolicy }),
    run: ({ env, body }, { existing }) => restoreAll(env, body, existing),
  }),
  defineSandboxCall('GET', SANDBOX_PATH, (sandbox, { name, urlOf }) => sandbox.describe(name, urlOf(name))),
  defineSandboxCall('DELETE', SANDBOX_PATH, (sandbox, { name }) => sandbox.remove(name), 'remove'),
  defineCall({
    method: 'POST',
    path: `${SANDBOX_PATH}/fork`,
    from: 'body',
    audit: 'fork',
    schema: forkOptions,
    async run(request, { name: fork, ttl: requestedTtl }) {
      const { env, urlOf, name } = request
      requireName(fork)
      const ttl = readTtl(env, requestedTtl)
      const copy = await (await requireSandbox(request)).copy(name)
      if ('refused' in copy) return copy.refused
      return getObject(env.SANDBOXES, fork).create(fork, urlOf(fork), { ...copy, ttl })
    },
  }),
  defineSandboxCall('GET', `${SANDBOX_PATH}/keys`, (sandbox, { name }) => sandbox.listKeys(name)),
  defineCall({
    method: 'POST',
    path: `${SANDBOX_PATH}/keys`,
    from: 'body',
    audit: (sent) => ('name' in sent ? 'create_key' : 'renew_keys'),
    schema: keyOptions,
    async run(request, { name: key, scopes, ttl }) {
      const { urlOf, name } = request
      if (key === undefined && (scopes ?? ttl) !== undefined) {
        const allowed = 'a name for the key, or no scopes and no ttl'
        refuse(general.field_invalid, { field: 'name', received: quote(key), allowed })
      }
      const sandbox = await requireSandbox(request)
      if (key === undefined) return sandbox.renewKeys(name)
      return sandbox.addKey(name, urlOf(name), { name: key, scopes: scopes ?? ['read'], ttl })
    },
  }),
  defineSandboxCall(
    'DELETE',
    `${SANDBOX_PATH}/keys/{key}`,
    (sandbox, { name, key }) => sandbox.revokeKey(name, key),
    'revoke_key',
  ),
]
