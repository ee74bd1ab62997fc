import type { IncomingMessage } from 'node:http'
import { text } from 'node:stream/consumers'
import { CONTROL_KEY_HEADER, CONTROL_PATH } from '../../control/address.ts'
import { isLocalUrl } from '../../gateway/http/callers.ts'
import { tryParseJson } from '../../verify/exchange.ts'
import { type Arguments, flagValue } from '../commands/command.ts'
import { asSystemError, readErrorBody, UsageError } from '../errors.ts'
import { readText } from '../files.ts'
import { request as httpRequest } from '../http.ts'
import { variableName } from '../options/flags.ts'
import { printErrorLine } from '../terminal.ts'
import type { RefusalDetails } from './refusals.ts'
import { findStartTime, type RunningServer, registeredServers } from './running.ts'

export interface ServerAddress {
  readonly url: string
  readonly key?: string | undefined
  /** The root certificate to trust, as PEM. */
  readonly ca?: string | undefined
  /** The maximum time to wait for a response, in ms. */
  readonly timeout?: number
  /** The time of day at which the server started, if known. */
  readonly started?: string | undefined
}

const DEFAULT_URL = 'http://127.0.0.1:4747'

/** An error response of a gateway to a control call. */
export class ControlError extends Error {
  constructor(
    /** The gateway's message, without the error code and the server's URL. */
    readonly refusal: string,
    source: string,
    /** The details that the gateway sent with the message. */
    readonly details: RefusalDetails,
  ) {
    super(`${refusal} (${source})`)
  }
}

/**
 * Reads the server's URL from the flags and the environment. If neither sets it, returns the only running server.
 * @throws UsageError if several servers are running.
 */
export async function readServerAddress(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<ServerAddress> {
  const textFor = (flag: string) => flagValue(parsed, flag) ?? (environment[variableName(flag)] || undefined)
  // Users also copy the inspector's URL, because `serve` prints it.
  const url = (textFor('url') ?? (await findOnlyServer(environment))).replace(/\/_fauxgate\/?$/, '')
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    const name = parsed.flags.has('url') ? '--url' : variableName('url')
    throw new UsageError(`${name} is ${JSON.stringify(url)}. Allowed: an http or https URL.`)
  }
  const ca = textFor('ca')
  return { url, key: textFor('control-key'), ca: ca && (await readText(ca)), started: findStartTime(url, environment) }
}

async function findOnlyServer(environment: NodeJS.ProcessEnv): Promise<string> {
  const isRunning = async (url: string) => !['none', 'web server'].includes(await detectProgram(url))
  const registered = await registeredServers(environment, isRunning)
  const isListed = registered.some(({ url }) => url === DEFAULT_URL)
  // A server in a container, or another user's server, is not registered here.
  const unlisted = !isListed && (await detectProgram(DEFAULT_URL)) === 'fauxgate' ? [{ url: DEFAULT_URL }] : []
  const running: readonly RunningServer[] = [...unlisted, ...registered]
  const [only = { url: DEFAULT_URL }, ...others] = running
  if (others.length === 0) return only.url
  const list = running.map(({ url, started }) => (started ? `${url} (started ${started})` : url)).join(', ')
  throw new UsageError(`${running.length} servers are running: ${list}. Choose one with --url or FAUXGATE_URL.`)
}

/**
 * Returns the kind of program that listens at a URL. `program` means that the program does not respond in time or does not speak HTTP.
 */
export async function detectProgram(url: string): Promise<'fauxgate' | 'web server' | 'program' | 'none'> {
  try {
    const { status, text } = await sendRequest({ url, timeout: 1000 }, 'GET', `${CONTROL_PATH}/clock`)
    const { manual, error_code } = Object(tryParseJson(text))
    // A control key may be required.
    const isFauxgate = status === 200 ? manual !== undefined : [401, 403].includes(status) && error_code !== undefined
    return isFauxgate ? 'fauxgate' : 'web server'
  } catch (error) {
    return asSystemError(error).code === 'ECONNREFUSED' ? 'none' : 'program'
  }
}

/** Prints to standard error which server a command acted on. */
export function printServer({ url, started }: ServerAddress, isDone = false): void {
  const since = started === undefined ? '' : `, started ${started}`
  printErrorLine(`${isDone ? 'done ' : ''}at ${urlWithoutKey(url)}${since}`)
}

/** Returns a URL without its user name, password, query, and trailing slash. */
export function baseUrlOf({ origin, pathname }: URL): string {
  return `${origin}${pathname.replace(/\/+$/, '')}`
}

function urlWithoutKey(url: string): string {
  return baseUrlOf(new URL(url))
}

/** Sends a request to a path under the server's URL. Rejects if the server cannot be reached. */
export async function sendRequest(server: ServerAddress, method: string, path: string, body?: unknown) {
  const bodyText = body === undefined ? undefined : JSON.stringify(body)
  const base = new URL(server.url)
  const url = `${baseUrlOf(base)}${path}`
  const request = base.protocol === 'https:' ? (await import('node:https')).request : httpRequest
  const headers = {
    ...(bodyText === undefined
      ? {}
      : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(bodyText) }),
    ...(server.key === undefined ? {} : { [CONTROL_KEY_HEADER]: server.key }),
  }
  const options = {
    method,
    headers,
    ca: server.ca,
    timeout: server.timeout ?? 30_000,
    // With NODE_USE_ENV_PROXY, the global agent sends requests to this machine to the proxy as well.
    ...(isLocalUrl(base) && { agent: false }),
  }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, options, resolve)
    outgoing.once('timeout', () => {
      outgoing.destroy(Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' }))
    })
    outgoing.once('error', reject)
    outgoing.end(bodyText)
  })
  return { status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text: await text(response) }
}

/**
 * Calls a control of a running gateway that responds with this media type. Returns the JSON or the text of the response, or
 * undefined if it is empty.
 * @throws Error that explains what to do if the server cannot be reached; ControlError if the gateway responds with an error.
 */
export async function callControl(
  server: ServerAddress,
  method: string,
  path: string,
  body?: unknown,
  mediaType = 'application/json',
): Promise<unknown> {
  const { status, type, text } = await sendRequest(server, method, `${CONTROL_PATH}${path}`, body).catch((error) => {
    throw new Error(connectionProblem(asSystemError(error), server.url), { cause: error })
  })
  if (status === 204) return undefined
  const url = urlWithoutKey(server.url)
  const value: unknown = type.startsWith('application/json') ? tryParseJson(text) : text
  if (status >= 200 && status < 300) {
    if (value !== undefined && type.startsWith(mediaType)) return value
    throw new Error(`The server at ${url} is not a fauxgate server: its response is not ${mediaType}.`)
  }
  const { error, message, details } = readErrorBody(value)
  if (error === null || message === null) {
    const hint = new URL(url).pathname === '/' ? '' : " Is this the server's URL, without a path?"
    throw new Error(`The server at ${url} is not a fauxgate server: its status was ${status}.${hint}`)
  }
  const hint = status === 401 ? ' Pass the key with --control-key or FAUXGATE_CONTROL_KEY.' : ''
  throw new ControlError(`${message}${hint}`, `${error}, at ${url}`, details)
}

function connectionProblem({ code = '', message }: NodeJS.ErrnoException, serverUrl: string): string {
  const url = urlWithoutKey(serverUrl)
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', ''].includes(code)) {
    return `No server responds at ${url}. Start one with "fauxgate serve", or specify it with --url or FAUXGATE_URL.`
  }
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
    return `The certificate of ${url} is not trusted (${code}). Pass its root certificate with --ca FILE or FAUXGATE_CA.`
  }
  if (code === 'ECONNRESET' || code === 'EPROTO') {
    return `The server at ${url} closed the connection (${code}). Is it ${url.startsWith('https:') ? 'HTTP' : 'HTTPS'}?`
  }
  return `${url} cannot be reached: ${message}.`
}
