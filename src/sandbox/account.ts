import { DurableObject } from 'cloudflare:workers'
import * as v from 'valibot'
import { type HttpResponse, jsonAnswer } from '../http/messages.ts'
import { dialects, standard } from '../resources/dialects.ts'
import { bodyReader, jsonObject } from '../schema/body.ts'
import { documented } from '../schema/documentation.ts'
import { refuse } from '../schema/errors.ts'
import type { RuleContext } from '../schema/rule.ts'
import { quote } from '../schema/text.ts'
import { isSandboxName, SANDBOXES_PATH } from './address.ts'
import type { SandboxEnvironment } from './environment.ts'
import { errors } from './errors.ts'
import { type AccountObject, objectOf, type RegisteredSandbox, type SandboxList } from './objects.ts'
import { forkOptions, sandboxOptions } from './options.ts'

/** The names of all sandboxes. No request to a sandbox comes here: there is one account for all of them. */
export class Account extends DurableObject<SandboxEnvironment> implements AccountObject {
  #isReady = false

  register(sandbox: RegisteredSandbox, most: number): boolean {
    const { name } = sandbox
    const [others] = this.#run('SELECT COUNT(*) AS count FROM sandboxes WHERE name <> ?', name)
    if (Number(others?.count) >= most) return false
    this.#run('INSERT OR REPLACE INTO sandboxes (name, facts) VALUES (?, ?)', name, JSON.stringify(sandbox))
    return true
  }

  forget(name: string): void {
    this.#run('DELETE FROM sandboxes WHERE name = ?', name)
  }

  list(after: string, limit: number): RegisteredSandbox[] {
    const rows = this.#run('SELECT facts FROM sandboxes WHERE name > ? ORDER BY name LIMIT ?', after, limit)
    return rows.map(({ facts }) => JSON.parse(String(facts)))
  }

  #run(statement: string, ...values: (string | number)[]): Readonly<Record<string, unknown>>[] {
    const { sql } = this.ctx.storage
    if (!this.#isReady) sql.exec('CREATE TABLE IF NOT EXISTS sandboxes (name TEXT PRIMARY KEY, facts TEXT NOT NULL)')
    this.#isReady = true
    return [...sql.exec(statement, ...values)]
  }
}

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
  readonly run: (host: AccountHost, name: string, sent: object) => Promise<HttpResponse>
}

/** Bodies of the account's calls belong to no gateway. */
const CONTEXT: RuleContext = { dialect: standard, rules: {}, catalogue: new Map() }

type Definition<S extends v.GenericSchema> = Omit<AccountCall, 'run'> & {
  readonly schema: S
  readonly run: (host: AccountHost, name: string, input: v.InferOutput<S>) => Promise<HttpResponse>
}

function accountCall<S extends v.GenericSchema>({ schema, run, ...definition }: Definition<S>): AccountCall {
  const read = bodyReader(schema)
  return { ...definition, run: (host, name, sent) => run(host, name, read(jsonObject(sent), {}, CONTEXT)) }
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

const sandboxIn = ({ env }: AccountHost, name: string) => objectOf(env.SANDBOXES, name)

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
    run: (host, name, options) => sandboxIn(host, name).create(name, host.urlOf(name), { options }),
  }),
  accountCall({
    method: 'GET',
    path: named,
    schema: nothing,
    run: (host, name) => sandboxIn(host, name).describe(name, host.urlOf(name)),
  }),
  accountCall({
    method: 'DELETE',
    path: named,
    schema: nothing,
    run: (host, name) => sandboxIn(host, name).remove(name),
  }),
  accountCall({
    method: 'POST',
    path: `${named}/fork`,
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
    from: 'body',
    schema: nothing,
    run: (host, name) => sandboxIn(host, name).renewKeys(name),
  }),
]
