import { isLoopbackAddress } from '../../http/access.ts'
import { type DialectName, dialects } from '../../resources/dialects.ts'
import { suggestion } from '../../schema/nearest.ts'
import { operationGroups } from '../../verify/scenarios.ts'
import { UsageError } from '../errors.ts'
import type { Flag } from '../options/table.ts'
import type { Arguments } from './command.ts'

const names = Object.keys(dialects) as DialectName[] // The keys of the same object.

/** The variable that has the key. */
const KEY_VARIABLE = 'NGROK_API_KEY'

/** The key that a server gets which takes any. */
const ANY_KEY = 'fauxgate-verify'

const DEFAULTS = { rate: 60, timeout: 30, list: 'fauxgate-verify.jsonl' }

export const verifyFlags: readonly Flag[] = [
  text('dialect', names.join('|'), 'The dialect that the server speaks. Default: what its answers look like.'),
  text(
    'domain',
    'DOMAIN',
    'A domain of yours. Names below it are reserved. Default: none, and example.com on this machine.',
  ),
  { ...text('only', 'FAMILY', 'The families to ask, such as ip_policies. Default: all.'), kind: 'texts' },
  turn('yes', 'Create without asking before.'),
  turn('read-only', 'Create nothing: ask for lists and for what is not there.'),
  turn('plan', 'Send nothing: print what would be called, and what would not, with the reason.'),
  turn('clean', 'Ask nothing: delete what an earlier run has left.'),
  integer('rate', `The most requests of a minute. Default: ${DEFAULTS.rate}.`),
  integer('timeout', `The seconds to wait for an answer. Default: ${DEFAULTS.timeout}.`),
  text('list', 'FILE', `The file that says what the run has made. Default: ${DEFAULTS.list}, removed at the end.`),
  turn('json', 'Print the result as JSON.'),
  text('junit', 'FILE', 'The file for the result as JUnit XML.'),
  text('record', 'FILE', 'The file for a recording, as HAR, without secrets, keys, ids, names and addresses.'),
]

function text(flag: string, value: string, sentence: string): Flag {
  return { flag, kind: 'text', value, sentence }
}

function turn(flag: string, sentence: string): Flag {
  return { flag, kind: 'switch', value: '', sentence }
}

function integer(flag: string, sentence: string): Flag {
  return { flag, kind: 'integer', value: 'N', sentence }
}

/** The options of a command line of `verify`. */
export interface VerifyArguments {
  readonly dialect: DialectName | undefined
  readonly domain: string | undefined
  readonly families: readonly string[] | undefined
  readonly perMinute: number
  /** In ms. */
  readonly timeout: number
  readonly list: string
  readonly junit: string | undefined
  readonly record: string | undefined
  readonly is: (flag: 'yes' | 'read-only' | 'plan' | 'clean' | 'json') => boolean
}

/**
 * Reads the flags of `verify`.
 * @throws UsageError that names the flag, the value and what is allowed.
 */
export function verifyArguments({ flags }: Arguments): VerifyArguments {
  const values = (flag: string) => {
    const value = flags.get(flag)
    return Array.isArray(value) ? value : []
  }
  const [dialect] = values('dialect')
  const only = values('only')
  const [domain] = values('domain')
  if (domain !== undefined && !/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(domain))
    throw new UsageError(`--domain is ${JSON.stringify(domain)}. Allowed: a domain of yours, such as test.example.com.`)
  return {
    dialect: dialect === undefined ? undefined : requireOne('--dialect', dialect, names),
    domain,
    families: only.length > 0 ? only.map((name) => requireOne('--only', name, operationGroups('ngrok'))) : undefined,
    perMinute: requireCount('--rate', values('rate')[0], DEFAULTS.rate, 60_000),
    timeout: requireCount('--timeout', values('timeout')[0], DEFAULTS.timeout, 600) * 1000,
    list: values('list')[0] ?? DEFAULTS.list,
    junit: values('junit')[0],
    record: values('record')[0],
    is: (flag) => flags.get(flag) === true,
  }
}

function requireOne<Name extends string>(flag: string, received: string, allowed: readonly Name[]): Name {
  const known = allowed.find((name) => name === received)
  if (known) return known
  const meant = suggestion(received, allowed)
  throw new UsageError(`${flag} is ${JSON.stringify(received)}. Allowed: ${allowed.join(', ')}.${meant}`)
}

/**
 * Reads a whole number from 1 on.
 * @throws UsageError that names the flag, the value and what is allowed.
 */
export function requireCount(flag: string, received: string | undefined, otherwise: number, most: number): number {
  if (received === undefined) return otherwise
  const count = Number(received)
  if (/^\d{1,6}$/.test(received) && count >= 1 && count <= most) return count
  throw new UsageError(`${flag} is ${JSON.stringify(received)}. Allowed: a whole number from 1 to ${most}.`)
}

/** A server to ask: its base URL without a trailing slash, and whether it is on this machine. */
export interface Target {
  readonly url: string
  readonly isLocal: boolean
  readonly key: string
}

/**
 * Reads where the server is, and the key from the environment.
 * @throws UsageError that says what to change. It never repeats the key.
 */
export function targetOf(typed: string, environment: NodeJS.ProcessEnv): Target {
  const url = URL.canParse(typed) ? new URL(typed) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`verify needs the URL of a server, for example "fauxgate verify http://127.0.0.1:4747".`)
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(
      'The URL of the server has more than a host, a port and a path. Allowed: https://host:port/path.',
    )
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
  const isLocal = host === 'localhost' || isLoopbackAddress(host)
  const base = `${url.origin}${url.pathname.replace(/\/+$/, '')}`
  return { url: base, isLocal, key: requireKey(environment[KEY_VARIABLE], url.protocol, isLocal) }
}

function requireKey(key: string | undefined, protocol: string, isLocal: boolean): string {
  if (key === undefined || key === '') {
    if (isLocal || protocol === 'http:') return ANY_KEY
    throw new UsageError(`${KEY_VARIABLE} is not set. It has the API key of the account to call.`)
  }
  const wrong = [...key].findIndex((character) => !/^[\x21-\x7e]$/.test(character))
  if (wrong !== -1) {
    const where =
      wrong === key.length - 1 ? 'as its last character, perhaps the end of a line' : `as character ${wrong + 1}`
    throw new UsageError(
      `${KEY_VARIABLE} has a blank, a control character or a letter that is not ASCII ${where}. Allowed: visible ASCII ` +
        'characters. It is not shown, and nothing was sent.',
    )
  }
  if (protocol === 'http:' && !isLocal)
    throw new UsageError(
      `The key of ${KEY_VARIABLE} would travel unencrypted. Use an https URL, or unset the variable.`,
    )
  return key
}
