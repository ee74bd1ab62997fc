import { readFile } from 'node:fs/promises'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { CONTROL_KEY_HEADER, CONTROL_PATH } from '../../control/control.ts'
import type { Arguments } from '../commands/command.ts'
import { caught, UsageError } from '../errors.ts'
import { variableOf } from '../options/table.ts'

export interface ServerAddress {
  readonly url: string
  readonly key?: string | undefined
  /** The root certificate to trust, PEM. */
  readonly ca?: string | undefined
  /** The number of ms to wait for an answer. */
  readonly timeout?: number
}

interface Answer {
  readonly status: number
  readonly type: string
  readonly text: string
}

const DEFAULT_URL = 'http://127.0.0.1:4747'

/** Reads where the server is from the flags and the environment. */
export async function serverAddress({ flags }: Arguments, environment: NodeJS.ProcessEnv): Promise<ServerAddress> {
  const textFor = (flag: string) => {
    const value = flags.get(flag)
    return Array.isArray(value) ? value[0] : environment[variableOf(flag)] || undefined
  }
  const url = textFor('url') ?? DEFAULT_URL
  if (!/^https?:\/\/[^/]/.test(url) || !URL.canParse(url)) {
    const name = flags.has('url') ? '--url' : variableOf('url')
    throw new UsageError(`${name} is ${JSON.stringify(url)}. Allowed: an http or https URL.`)
  }
  const ca = textFor('ca')
  return { url, key: textFor('control-key'), ca: ca && (await textOf(ca)) }
}

/**
 * Reads the text of a file that a command line names.
 * @throws Error that names the file as it was typed.
 */
export async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = caught(error)
    const reason = code === 'ENOENT' ? 'there is no such file' : message
    throw new Error(`${file} cannot be read: ${reason}.`, { cause: error })
  }
}

/** Sends a request to a path below the server's URL. Rejects if the server cannot be reached. */
export async function ask(server: ServerAddress, method: string, path: string, body?: unknown): Promise<Answer> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const { origin, pathname, protocol } = new URL(server.url)
  const url = `${origin}${pathname.replace(/\/+$/, '')}${path}`
  const request = protocol === 'https:' ? (await import('node:https')).request : httpRequest
  const headers = {
    ...(sent === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(sent) }),
    ...(server.key === undefined ? {} : { [CONTROL_KEY_HEADER]: server.key }),
  }
  const options = { method, headers, ca: server.ca, timeout: server.timeout ?? 30_000 }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const outgoing = request(url, options, resolve)
    outgoing.once('timeout', () => {
      outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }))
    })
    outgoing.once('error', reject)
    outgoing.end(sent)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text }
}

/**
 * Calls a control of a running gateway. Returns its JSON, its text, or undefined if the answer is empty.
 * @throws Error that says what to do, if nobody answers or the gateway refuses.
 */
export async function askControl(
  server: ServerAddress,
  method: string,
  path: string,
  body?: unknown,
): Promise<unknown> {
  const { status, type, text } = await ask(server, method, `${CONTROL_PATH}${path}`, body).catch((error) => {
    throw new Error(whyNot(caught(error), server.url), { cause: error })
  })
  if (status === 204) return undefined
  const isJson = type.startsWith('application/json')
  const value: unknown = isJson ? JSON.parse(text) : text
  if (status >= 200 && status < 300) return value
  // An error of the gateway has both, and anything else neither.
  const { error_code, msg } = (isJson ? value : {}) as { readonly error_code?: string; readonly msg?: string }
  if (msg === undefined)
    throw new Error(`What answers at ${server.url} is no fauxgate: ${method} was answered ${status}.`)
  const hint = status === 401 ? ' Give it with --control-key or FAUXGATE_CONTROL_KEY.' : ''
  throw new Error(`${msg} (${error_code})${hint}`)
}

function whyNot({ code = '', message }: NodeJS.ErrnoException, url: string): string {
  if (['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', ''].includes(code)) {
    return `Nobody answers at ${url}. Start one with "fauxgate serve", or say where it is with --url or FAUXGATE_URL.`
  }
  if (/CERT|SELF_SIGNED|ISSUER|SIGNATURE/.test(code)) {
    return `The certificate of ${url} is not trusted (${code}). Give its root with --ca FILE or FAUXGATE_CA.`
  }
  if (code === 'ECONNRESET' || code === 'EPROTO') {
    return `${url} ended the connection (${code}). Is it ${url.startsWith('https:') ? 'HTTP' : 'HTTPS'}?`
  }
  return `${url} cannot be asked: ${message}.`
}
