import { request as httpRequest, type IncomingMessage } from 'node:http'
import { CONTROL_KEY_HEADER, CONTROL_PATH } from '../../control/control.ts'
import { caught } from '../caught.ts'

/** Where a server is, and what it wants to see. */
export interface Where {
  /** Its base URL. */
  readonly url: string
  readonly key?: string | undefined
  /** The root certificate to trust, PEM. */
  readonly ca?: string | undefined
  /** After how many ms nobody answers. */
  readonly timeout?: number
}

/** What was answered. */
export interface Asked {
  readonly status: number
  readonly type: string
  readonly text: string
}

/** Asks a server. `path` stands below its URL. Rejects where it cannot be reached. */
export async function ask(where: Where, method: string, path: string, body?: unknown): Promise<Asked> {
  const sent = body === undefined ? undefined : JSON.stringify(body)
  const { origin, pathname, protocol } = new URL(where.url)
  const url = `${origin}${pathname.replace(/\/+$/, '')}${path}`
  const request = protocol === 'https:' ? (await import('node:https')).request : httpRequest
  const headers = {
    ...(sent === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(sent) }),
    ...(where.key === undefined ? {} : { [CONTROL_KEY_HEADER]: where.key }),
  }
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    const asking = request(url, { method, headers, ca: where.ca, timeout: where.timeout ?? 30_000 }, resolve)
    asking.once('timeout', () => asking.destroy(timedOut()))
    asking.once('error', reject)
    asking.end(sent)
  })
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString('utf8')
  return { status: answer.statusCode ?? 0, type: answer.headers['content-type'] ?? '', text }
}

function timedOut(): Error {
  return Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' })
}

/**
 * Asks a control of a running gateway; answers its JSON, its text, or undefined where it has nothing to say.
 * @throws Error that says what to do, where nobody answers or the gateway refuses.
 */
export async function askControl(where: Where, method: string, path: string, body?: unknown): Promise<unknown> {
  const { status, type, text } = await reached(where, method, `${CONTROL_PATH}${path}`, body)
  const isJson = type.startsWith('application/json')
  const value: unknown = isJson ? JSON.parse(text) : text
  if (status === 204) return undefined
  if (status >= 200 && status < 300) return value
  // An error of the gateway has both, and anything else neither.
  const { error_code, msg } = (isJson ? value : {}) as { readonly error_code?: string; readonly msg?: string }
  if (msg === undefined)
    throw new Error(`What answers at ${where.url} is no fauxgate: ${method} was answered ${status}.`)
  const hint = status === 401 ? ' Give it with --control-key or FAUXGATE_CONTROL_KEY.' : ''
  throw new Error(`${msg} (${error_code})${hint}`)
}

async function reached(where: Where, method: string, path: string, body: unknown): Promise<Asked> {
  try {
    return await ask(where, method, path, body)
  } catch (error) {
    throw new Error(whyNot(caught(error), where.url), { cause: error })
  }
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
