import * as v from 'valibot'
import { type HttpResponse, jsonAnswer } from '../http/messages.ts'
import { dialects, standard } from '../resources/dialects.ts'
import { bodyReader, jsonObject } from '../schema/body.ts'
import { documented } from '../schema/documentation.ts'
import { refuse } from '../schema/errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { quote } from '../schema/text.ts'
import { SANDBOXES_PATH } from './address.ts'
import { type SandboxEnvironment, ttlIn } from './environment.ts'
import { errors } from './errors.ts'
import { isSandboxName } from './names.ts'
import { objectOf, type SandboxList, type SandboxObject, type Stub } from './objects.ts'
import { forkOptions, keyOptions, sandboxOptions } from './options.ts'

export interface AccountHost {
  readonly env: SandboxEnvironment
  readonly urlOf: (name: string) => string
}

export interface AccountCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly from?: 'body' | 'query'
  /** Its body may hold a whole state. */
  readonly hasState?: true
  readonly run: (host: AccountHost, name: string, sent: object, key: string) => Promise<HttpResponse>
}

/** Bodies of the account's calls belong to no gateway. */
const CONTEXT: RuleContext = { dialect: standard, rules: {}, catalogue: new Map() }

type Definition<S extends v.GenericSchema> = Omit<AccountCall, 'run'> & {
  readonly schema: S
  readonly run: (host: AccountHost, name: string, input: v.InferOutput<S>, key: string) => Promise<HttpResponse>
}

function accountCall<S extends v.GenericSchema>({ schema, run, ...definition }: Definition<S>): AccountCall {
  const read = bodyReader(schema)
  return { ...definition, run: (host, name, sent, key) => run(host, name, read(jsonObject(sent), {}, CONTEXT), key) }
}

const LONGEST_PAGE = 1000
const LIMIT = `a whole number from 1 to ${LONGEST_PAGE}`

const page = v.object({
  limit: v.optional(
    documented(
      v.pipe(v.string(LIMIT), v.regex(/^[1-9]\d{0,3}$/, LIMIT), v.transform(Number), v.maxValue(LONGEST_PAGE, LIMIT)),
      'How many sandboxes a page has.',
    ),
    '100',
  ),
  after: v.optional(documented(v.string(), 'Only sandboxes whose names come after this one.'), ''),
})

const nothing = v.object({})
const named = `${SANDBOXES_PATH}/{name}`

/** Returns the object of a registered sandbox. Refuses any other name: to ask its object would make a file for it. */
async function sandboxIn({ env }: AccountHost, name: string): Promise<Stub<SandboxObject>> {
  const registered = await objectOf(env.ACCOUNTS, 'account').find(name)
  return registered ? objectOf(env.SANDBOXES, name) : refuse(errors.sandbox_not_found, { name })
}

export function requireName(received: string): string {
  return isSandboxName(received) ? received : refuse(errors.sandbox_name_invalid, { received: quote(received) })
}

export const accountCalls: readonly AccountCall[] = [
  accountCall({
    method: 'GET',
    path: SANDBOXES_PATH,
    from: 'query',
    schema: page,
    async run(host, _, { limit, after }) {
      const found = await objectOf(host.env.ACCOUNTS, 'account').list(after, limit + 1)
      const sandboxes = found.slice(0, limit).map((each) => ({ ...each, url: host.urlOf(each.name) }))
      const last = found.length > limit ? sandboxes.at(-1)?.name : undefined
      const list: SandboxList = { sandboxes, next_after: last ?? null, dialects: Object.keys(dialects) }
      return jsonAnswer(200, list)
    },
  }),
  accountCall({
    method: 'PUT',
    path: named,
    from: 'body',
    hasState: true,
    schema: sandboxOptions,
    async run(host, name, { ttl: asked, ...options }) {
      const ttl = ttlIn(host.env, asked)
      const beginning = { options: { ...options, ...(ttl !== undefined && { ttl }) } }
      return objectOf(host.env.SANDBOXES, name).create(name, host.urlOf(name), beginning)
    },
  }),
  accountCall({
    method: 'GET',
    path: named,
    schema: nothing,
    run: async (host, name) => (await sandboxIn(host, name)).describe(name, host.urlOf(name)),
  }),
  accountCall({
    method: 'DELETE',
    path: named,
    schema: nothing,
    run: async (host, name) => (await sandboxIn(host, name)).remove(name),
  }),
  accountCall({
    method: 'POST',
    path: `${named}/fork`,
    from: 'body',
    schema: forkOptions,
    async run(host, name, { name: fork, ttl: asked }) {
      requireName(fork)
      const ttl = ttlIn(host.env, asked)
      const copy = await (await sandboxIn(host, name)).copy(name)
      if ('refused' in copy) return copy.refused
      return objectOf(host.env.SANDBOXES, fork).create(fork, host.urlOf(fork), { copy, ttl })
    },
  }),
  accountCall({
    method: 'GET',
    path: `${named}/keys`,
    schema: nothing,
    run: async (host, name) => (await sandboxIn(host, name)).listKeys(name),
  }),
  accountCall({
    method: 'POST',
    path: `${named}/keys`,
    from: 'body',
    schema: keyOptions,
    async run(host, name, { name: key, scopes, ttl }) {
      const sandbox = await sandboxIn(host, name)
      if (key === undefined) return sandbox.renewKeys(name)
      return sandbox.addKey(name, host.urlOf(name), { name: key, scopes, ttl })
    },
  }),
  accountCall({
    method: 'DELETE',
    path: `${named}/keys/{key}`,
    schema: nothing,
    run: async (host, name, _, key) => (await sandboxIn(host, name)).revokeKey(name, key),
  }),
]
