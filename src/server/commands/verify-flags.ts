import { isLocalUrl } from '../../gateway/http/callers.ts'
import { dialectNames } from '../../service/resources/dialects.ts'
import { operationGroups } from '../../verify/scenarios.ts'
import { baseUrlOf } from '../client/server-calls.ts'
import { UsageError } from '../errors.ts'
import { type Flag, integerFlag, switchFlag, textFlag } from '../options/flags.ts'
import { type Arguments, flagValue, parseBaseUrl, requireOneOf } from './command.ts'

/** The environment variable with the API key. */
const KEY_VARIABLE = 'NGROK_API_KEY'

/** The key for servers that accept any key. */
const ANY_KEY = 'fauxgate-verify'

/** A maximum number of requests per minute that is never reached in practice. */
const MAX_RATE = 60_000

const DEFAULTS = { rate: 60, timeout: 30, list: 'fauxgate-verify.jsonl' }

export const verifyFlags: readonly Flag[] = [
  textFlag(
    'dialect',
    dialectNames.join('|'),
    'The dialect that the server uses. Default: the dialect of its responses, or ngrok with --plan.',
  ),
  textFlag(
    'domain',
    'DOMAIN',
    'A domain that you own. The run reserves subdomains of it. Default: example.com for a server on this machine, none otherwise.',
  ),
  {
    ...textFlag('only', 'FAMILY', 'The families to compare, such as ip_policies. Default: all families.'),
    kind: 'texts',
  },
  switchFlag('yes', 'Create resources without asking first.'),
  switchFlag('read-only', 'Create nothing. Only list resources, and request unknown IDs.'),
  switchFlag('plan', 'Print which requests would and would not be sent, and why, without sending any.'),
  switchFlag('clean', 'Only delete what an earlier run left behind.'),
  integerFlag(
    'rate',
    `The maximum number of requests per minute. Default: ${DEFAULTS.rate}; for a server on this machine, no limit.`,
  ),
  integerFlag('timeout', `How many seconds to wait for a response. Default: ${DEFAULTS.timeout}.`),
  textFlag(
    'list',
    'FILE',
    `The file for the list of resources that the run creates. Default: ${DEFAULTS.list}, removed at the end.`,
  ),
  switchFlag('json', 'Print the result as JSON.'),
  textFlag('junit', 'FILE', 'The file to write the result to, as JUnit XML.'),
  textFlag('record', 'FILE', 'The file for a HAR recording without secrets, keys, IDs, names, and addresses.'),
]

/** Reads the flags of `verify`. @throws UsageError with the flag, the value, and the allowed values. */
export function parseVerifyFlags(parsed: Arguments) {
  const value = (flag: string) => flagValue(parsed, flag)
  const isOn = (flag: string) => parsed.flags.get(flag) === true
  const [dialect, domain] = [value('dialect'), value('domain')]
  const only = parsed.flags.get('only')
  const harmless = ['plan', 'read-only'].find(isOn)
  if (isOn('clean') && harmless !== undefined)
    throw new UsageError(`--clean and --${harmless} were both set. --clean deletes resources. Omit one.`)
  if (domain !== undefined && !/^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/.test(domain))
    throw new UsageError(
      `--domain is ${JSON.stringify(domain)}. Allowed: a domain that you own, such as test.example.com.`,
    )
  return {
    dialect: dialect === undefined ? undefined : requireOneOf('--dialect', dialect, dialectNames),
    domain,
    families: Array.isArray(only)
      ? only.map((name) => requireOneOf('--only', name, operationGroups('ngrok')))
      : undefined,
    rate: value('rate') === undefined ? undefined : parseCount('--rate', value('rate'), DEFAULTS.rate, MAX_RATE),
    timeout: parseCount('--timeout', value('timeout'), DEFAULTS.timeout, 600) * 1000,
    isReadOnly: isOn('read-only'),
    isConfirmed: isOn('yes'),
    isPlan: isOn('plan'),
    isClean: isOn('clean'),
    isJson: isOn('json'),
    listFile: value('list') ?? DEFAULTS.list,
    junit: value('junit'),
    record: value('record'),
  }
}

/** The parsed flags of `verify`. Times are in ms. */
export type VerifySettings = ReturnType<typeof parseVerifyFlags>

/** Returns the maximum number of requests per minute. A server on this machine needs no limit for the sake of other users. */
export function rateFor({ rate }: VerifySettings, { isLocal }: { readonly isLocal: boolean }): number {
  return rate ?? (isLocal ? MAX_RATE : DEFAULTS.rate)
}

/** Reads a whole number from `min` to `max`. @throws UsageError with the flag, the value, and the allowed values. */
export function parseCount(flag: string, received: string | undefined, fallback: number, max: number, min = 1): number {
  if (received === undefined) return fallback
  const count = Number(received)
  if (/^\d{1,6}$/.test(received) && count >= min && count <= max) return count
  throw new UsageError(`${flag} is ${JSON.stringify(received)}. Allowed: a whole number from ${min} to ${max}.`)
}

/**
 * Returns the server: its base URL without a trailing slash, whether it is on this machine, and the API key from the environment. With
 * `--plan`, the key may be missing.
 * @throws UsageError that says what to change. The message never contains the key.
 */
export function parseTarget(typed: string, environment: NodeJS.ProcessEnv, isPlan = false) {
  const url = parseBaseUrl(typed, 'verify needs the URL of a server', 'verify http://127.0.0.1:4747')
  const isLocal = isLocalUrl(url)
  const key = environment[KEY_VARIABLE] || undefined
  return {
    url: baseUrlOf(url),
    isLocal,
    key: key === undefined && isPlan ? ANY_KEY : requireKey(key, url.protocol, isLocal),
  }
}

function requireKey(key: string | undefined, protocol: string, isLocal: boolean): string {
  if (key === undefined) {
    if (isLocal || protocol === 'http:') return ANY_KEY
    throw new UsageError(`${KEY_VARIABLE} is not set. It must contain the account's API key.`)
  }
  const invalidIndex = [...key].findIndex((character) => !/^[\x21-\x7e]$/.test(character))
  if (invalidIndex !== -1) {
    const where =
      invalidIndex === key.length - 1
        ? 'as its last character, perhaps a line break'
        : `as character ${invalidIndex + 1}`
    throw new UsageError(
      `${KEY_VARIABLE} contains a space, a control character, or a non-ASCII character ${where}. Allowed: visible ASCII ` +
        'characters. The key is not shown, and nothing was sent.',
    )
  }
  if (protocol === 'http:' && !isLocal)
    throw new UsageError(
      `The key in ${KEY_VARIABLE} would be sent unencrypted. Use an https URL, or unset the variable.`,
    )
  return key
}
