import { refuse } from '../core/schema/errors.ts'
import { quote } from '../core/schema/text.ts'
import { durationMs } from '../core/schema/time.ts'
import type { Account } from './account.ts'
import { errors } from './errors.ts'
import type { Objects, Quota, Stub } from './objects.ts'
import { isTtl, TTL_RANGE } from './ttl.ts'

/** The configuration of the Worker: the account's binding, secrets, and variables. Secrets and variables are strings. */
export interface SandboxEnvironment {
  /** The objects of the class `Account`. There is only one object. */
  readonly ACCOUNTS: Objects<Stub<Account>>
  /** The secret that lets its holder create, list, fork, and delete sandboxes. If it is not set, nobody can. */
  readonly ACCOUNT_KEY?: string
  /**
   * The secret that signs the keys of sandboxes. Default: the account key. Set it to the old account key when you change the account key.
   */
  readonly SIGNING_KEY?: string
  /** A comma-separated list of origins whose pages may use controls and account calls, with credentials. */
  readonly ALLOW_ORIGINS?: string
  /** The time to live of a sandbox that is created without `ttl`, such as `7d`. Default: `LONGEST_TTL`. */
  readonly DEFAULT_TTL?: string
  /** The maximum time to live of a sandbox, at most `366d`. Default: no limit. */
  readonly LONGEST_TTL?: string
  /** The URL that clients use, if there is a proxy in front of the Worker. */
  readonly PUBLIC_URL?: string
  /** The parent domain of the host names of the sandboxes, such as `sandboxes.example.com`. */
  readonly WILDCARD_HOST?: string
  /** The maximum number of records in a sandbox. Default: 20000. */
  readonly MOST_RECORDS?: string
  /** The maximum size of a sandbox's records as JSON, in bytes. Default and maximum: 16777216. */
  readonly MOST_BYTES?: string
  /** The maximum number of requests per minute to one sandbox. Default: 6000. */
  readonly MOST_REQUESTS?: string
  /** The maximum number of sandboxes at one time. Default: 10000. */
  readonly MOST_SANDBOXES?: string
  /** The maximum number of sandboxes with each name prefix, such as `branch-=50,ci-=200`. Default: no limits by prefix. */
  readonly QUOTAS?: string
}

export interface Limits {
  readonly records: number
  readonly bytes: number
  readonly requests: number
}

/** A state below this size fits in one request, and several copies fit in its object's memory. */
const MAX_BYTES = 16 * 1024 * 1024

/** Returns the limits for each sandbox. Throws an error for invalid variables. */
export function readLimits(env: SandboxEnvironment): Limits {
  return {
    records: readNumber(env, 'MOST_RECORDS', 20_000),
    bytes: readNumber(env, 'MOST_BYTES', MAX_BYTES, MAX_BYTES),
    requests: readNumber(env, 'MOST_REQUESTS', 6000),
  }
}

/** Returns the quotas. The first quota applies to all sandboxes. Throws an error for invalid variables. */
export function readQuotas(env: SandboxEnvironment): readonly Quota[] {
  const { QUOTAS } = env
  const quotas = (QUOTAS ? QUOTAS.split(',') : []).map((each) => {
    const [, prefix, limit] = /^\s*([a-z0-9][a-z0-9-]{0,39})=([1-9]\d{0,8})\s*$/.exec(each) ?? []
    if (prefix && limit) return { prefix, most: Number(limit) }
    return refuseVariable('QUOTAS', QUOTAS ?? '', 'name prefixes, each with a number, such as branch-=50,ci-=200')
  })
  return [{ prefix: '', most: readNumber(env, 'MOST_SANDBOXES', 10_000) }, ...quotas]
}

export function requireVariables(env: SandboxEnvironment): void {
  readLimits(env)
  readQuotas(env)
  readOrigins(env)
  readTtl(env, undefined)
  const { PUBLIC_URL, WILDCARD_HOST } = env
  if (PUBLIC_URL && !/^https?:\/\/[^/?#\s]+(?:\/[^?#\s]*)?$/i.test(PUBLIC_URL))
    refuseVariable('PUBLIC_URL', PUBLIC_URL, 'the URL that clients use, such as https://sandboxes.example.com')
  if (WILDCARD_HOST && !/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(WILDCARD_HOST))
    refuseVariable('WILDCARD_HOST', WILDCARD_HOST, 'a host name, such as sandboxes.example.com, without a port')
}

/** Returns the secret that signs keys, or an empty string if there is none. */
export function getSigningSecret({ SIGNING_KEY, ACCOUNT_KEY }: SandboxEnvironment): string {
  return SIGNING_KEY || ACCOUNT_KEY || ''
}

/** Returns the origins whose pages have full access. Throws an error for an invalid variable. */
export function readOrigins({ ALLOW_ORIGINS }: SandboxEnvironment): readonly string[] {
  const origins = ALLOW_ORIGINS ? ALLOW_ORIGINS.split(',').map((each) => each.trim()) : []
  // Browsers send an origin in lower case and without the default port.
  if (origins.every((each) => /^https?:\/\/[^/?#\s@*]+$/i.test(each) && URL.canParse(each))) {
    return origins.map((each) => new URL(each).origin)
  }
  return refuseVariable(
    'ALLOW_ORIGINS',
    ALLOW_ORIGINS ?? '',
    'origins such as https://app.example.com, separated by commas',
  )
}

/**
 * Returns the time to live of a new sandbox in ms, or undefined if it does not expire. Throws an error for a time that is too long, or for
 * invalid variables.
 */
export function readTtl(
  { DEFAULT_TTL, LONGEST_TTL }: SandboxEnvironment,
  requested: number | undefined,
): number | undefined {
  const longest = readDuration('LONGEST_TTL', LONGEST_TTL)
  const fallback = readDuration('DEFAULT_TTL', DEFAULT_TTL) ?? longest
  if (longest === undefined) return requested ?? fallback
  if (requested !== undefined && requested > longest) refuse(errors.ttl_too_long, { most: String(LONGEST_TTL) })
  return Math.min(requested ?? fallback ?? longest, longest)
}

function readDuration(name: string, text: string | undefined): number | undefined {
  if (!text) return undefined
  const ms = durationMs(text)
  return isTtl(ms) ? ms : refuseVariable(name, text, `a duration ${TTL_RANGE}, such as 7d`)
}

function refuseVariable(name: string, received: string, allowed: string): never {
  return refuse(errors.variable_invalid, { name, received: quote(received), allowed })
}

function readNumber(
  env: SandboxEnvironment,
  name: 'MOST_RECORDS' | 'MOST_BYTES' | 'MOST_REQUESTS' | 'MOST_SANDBOXES',
  fallback: number,
  max = 999_999_999,
): number {
  const text = env[name]
  // The platform may pass null for a missing variable.
  if (!text) return fallback
  if (/^[1-9]\d{0,8}$/.test(text) && Number(text) <= max) return Number(text)
  return refuseVariable(name, text, `a whole number from 1 to ${max}`)
}

const MINUTE_MS = 60_000

/** A counter of requests per minute of real time. It ignores the sandbox's clock. */
export class RequestRate {
  #minute = 0
  #count = 0

  constructor(readonly most: number) {}

  /** Counts a request. Returns 0, or the number of seconds to wait if there were too many requests in the current minute. */
  take(now: number): number {
    const minute = Math.floor(now / MINUTE_MS)
    this.#count = minute === this.#minute ? this.#count + 1 : 1
    this.#minute = minute
    return this.#count <= this.most ? 0 : Math.ceil(((minute + 1) * MINUTE_MS - now) / 1000)
  }
}
