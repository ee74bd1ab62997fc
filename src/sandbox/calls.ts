import * as v from 'valibot'
import { type HttpResponse, jsonAnswer } from '../http/messages.ts'
import { dialects } from '../resources/dialects.ts'
import { bodyReader, jsonObject } from '../schema/body.ts'
import { documented } from '../schema/documentation.ts'
import { refuse } from '../schema/errors.ts'
import { quote } from '../schema/text.ts'
import { isSandboxName, SANDBOXES_PATH } from './address.ts'
import { ACCOUNT_CONTEXT } from './answers.ts'
import type { SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import type { SandboxList } from './objects.ts'
import { forkOptions, sandboxOptions } from './options.ts'
import { objectOf } from './platform.ts'

/** What a call of the account works on. */
export interface AccountHost {
  readonly env: SandboxEnvironment
  /** The public URL of a sandbox. */
  readonly urlOf: (name: string) => string
}

/** One call of the account, defined once. */
export interface AccountCall {
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE'
  readonly path: string
  readonly summary: string
  readonly from: 'body' | 'query' | 'nothing'
  /** Whether a whole state may stand in its body. */
  readonly hasState?: true
  readonly run: (host: AccountHost, name: string, sent: object) => Promise<HttpResponse>
}

function accountCall<S extends v.GenericSchema>({
  schema,
  run,
  ...definition
}: Omit<AccountCall, 'run'> & {
  readonly schema: S
  readonly run: (host: AccountHost, name: string, input: v.InferOutput<S>) => Promise<HttpResponse>
}): AccountCall {
  const read = bodyReader(schema)
  return { ...definition, run: (host, name, sent) => run(host, name, read(jsonObject(sent), {}, ACCOUNT_CONTEXT)) }
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

/** The object of a sandbox. */
const sandboxIn = ({ env }: AccountHost, name: string) => objectOf(env.SANDBOXES, name)

/** Refuses what no sandbox can be named. */
export function requireName(received: string): string {
  return isSandboxName(received) ? received : refuse(errors.sandbox_name_invalid, { received: quote(received) })
}

/** All calls of the account. */
export const accountCalls: readonly AccountCall[] = [
  accountCall({
    method: 'GET',
    path: SANDBOXES_PATH,
    summary: 'The sandboxes, by name',
    from: 'query',
    schema: page,
    async run(host, _, { limit, after }) {
      const found = await objectOf(host.env.ACCOUNTS, 'account').list(after, limit + 1)
      const sandboxes = found.slice(0, limit).map((each) => ({ ...each, url: host.urlOf(each.name) }))
      const last = found.length > limit ? sandboxes.at(-1)?.name : undefined
      const answer: SandboxList = { sandboxes, next_after: last ?? null, dialects: Object.keys(dialects) }
      return jsonAnswer(200, answer)
    },
  }),
  accountCall({
    method: 'PUT',
    path: named,
    summary: 'Create a sandbox',
    from: 'body',
    hasState: true,
    schema: sandboxOptions,
    run: (host, name, options) => sandboxIn(host, name).create(name, host.urlOf(name), { options }),
  }),
  accountCall({
    method: 'GET',
    path: named,
    summary: 'What there is to say of a sandbox',
    from: 'nothing',
    schema: nothing,
    run: (host, name) => sandboxIn(host, name).describe(name, host.urlOf(name)),
  }),
  accountCall({
    method: 'DELETE',
    path: named,
    summary: 'Remove a sandbox and everything in it',
    from: 'nothing',
    schema: nothing,
    run: (host, name) => sandboxIn(host, name).remove(name),
  }),
  accountCall({
    method: 'POST',
    path: `${named}/fork`,
    summary: 'Copy a sandbox: both go on alike, each with keys of its own',
    from: 'body',
    schema: forkOptions,
    async run(host, name, { name: fork, ttl }) {
      requireName(fork)
      const copy = await sandboxIn(host, name).copy(name)
      if ('refused' in copy) return copy.refused
      return sandboxIn(host, fork).create(fork, host.urlOf(fork), { copy, ttl })
    },
  }),
  accountCall({
    method: 'POST',
    path: `${named}/keys`,
    summary: 'New keys for a sandbox, in the place of its old ones',
    from: 'body',
    schema: nothing,
    run: (host, name) => sandboxIn(host, name).renewKeys(name),
  }),
]
