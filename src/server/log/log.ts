import { styleText } from 'node:util'
import type { DomainTransition } from '../../control/transitions.ts'
import { escapeUnprintable } from '../../core/schema/text.ts'
import { timestamp } from '../../core/schema/time.ts'
import { type Line, type Painter, renderLine } from '../terminal.ts'

export interface LoggedRequest {
  /** The gateway's time in ms since the Unix epoch. */
  readonly at: number
  readonly method: string
  /** The path, without the query and without keys. */
  readonly path: string
  /** The operation's name, or null for an unknown path or method, and for a control. */
  readonly operation: string | null
  /** The HTTP status, or null if there was no response. */
  readonly status: number | null
  readonly error: string | null
  /** The message of the error, why there was no response, or null if there was no error. */
  readonly message: string | null
  readonly duration: number | null
}

export type LoggedTransition = DomainTransition

export interface Log {
  /** Logs a notice about the server itself; `facts` is machine-readable. */
  notice(event: string, text: string, facts?: object): void
  request(request: LoggedRequest): void
  /** Logs the request of a visitor. Its path is a URL. */
  visitor(request: LoggedRequest): void
  provisioning(transition: LoggedTransition): void
}

type Write = (text: string) => void

export function jsonLog(write: Write): Log {
  const say = (event: string, facts: object) => write(`${escapeUnprintable(JSON.stringify({ event, ...facts }))}\n`)
  const sayRequest = (event: string, { at, duration, ...rest }: LoggedRequest) =>
    say(event, { at: new Date(at).toISOString(), ...rest, duration: roundToTenths(duration) })
  return {
    notice: (event, text, facts = {}) => say(event, { message: text, ...facts }),
    request: (request) => sayRequest('request', request),
    visitor: (request) => sayRequest('visitor', request),
    provisioning: (transition) => say('provisioning', transition),
  }
}

/** Returns a human-readable log, with dates if `isDated` is true. */
export function textLog(write: Write, paint: Painter, isDated: boolean): Log {
  const time = isDated ? timestamp : cacheLastSecond(timeOfDay)
  const writeRequest = (request: LoggedRequest) => write(renderLine(requestLine(request, time), paint))
  return {
    notice: (_event, text) => write(renderLine([text], paint)),
    request: writeRequest,
    visitor: writeRequest,
    provisioning: (transition) => write(renderLine(transitionLine(transition, time), paint)),
  }
}

const PATH_WIDTH = 34

export function requestLine(request: LoggedRequest, time: (at: number) => string): Line {
  const { at, method, path, operation, status, error, message, duration } = request
  const style = statusStyle(status)
  const line: Line[number][] = [
    ['dim', time(at)],
    method.padEnd(6),
    inOneLine(path).padEnd(PATH_WIDTH),
    [style, String(status ?? '---')],
  ]
  if (error !== null) line.push([style, inOneLine(error)])
  if (operation !== null) line.push(operation)
  if (duration !== null) line.push(['dim', `${roundToTenths(duration)} ms`])
  if (message !== null) line.push(['dim', inOneLine(message)])
  return line
}

function transitionLine({ at, domain, transition, message }: LoggedTransition, time: (at: number) => string): Line {
  const style = /failed|cancelled/.test(transition) ? 'red' : /issued|renewed/.test(transition) ? 'green' : 'cyan'
  return [
    ['dim', time(Date.parse(at))],
    'cert  ',
    domain.padEnd(PATH_WIDTH),
    [style, transition],
    ['dim', inOneLine(message)],
  ]
}

function statusStyle(status: number | null): 'red' | 'yellow' | 'green' {
  if (status === null || status >= 500) return 'red'
  return status >= 400 ? 'yellow' : 'green'
}

/** Returns a function with the same results that formats each second only once, because many requests arrive within a second. */
function cacheLastSecond(format: (at: number) => string): (at: number) => string {
  let lastSecond: number | undefined
  let text = ''
  return (at) => {
    const second = Math.floor(at / 1000)
    if (second !== lastSecond) text = format(at)
    lastSecond = second
    return text
  }
}

/** Formats a time in ms as the local time of day. */
export function timeOfDay(at: number): string {
  const time = new Date(at)
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map((part) => String(part).padStart(2, '0')).join(':')
}

function roundToTenths(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10
}

const MAX_LENGTH = 300

/** Matches a string of printable ASCII, like most strings. */
const PLAIN = /^[ -~]*$/

/** Returns a string as one line, truncated after {@link MAX_LENGTH} characters. */
function inOneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it removes control characters
  const withoutBreaks = () => text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
  // The escapes would count towards the width of a column.
  const shown = PLAIN.test(text) ? text : escapeUnprintable(withoutBreaks())
  return shown.length > MAX_LENGTH ? `${shown.slice(0, MAX_LENGTH)}…` : shown
}

/**
 * Returns a function that colors strings if the stream is a terminal. `NO_COLOR` with any value turns colors off. Otherwise, `FORCE_COLOR`
 * with any value except 0 and false turns colors on.
 */
export function createPainter(stream: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): Painter {
  return hasColours(stream, environment)
    ? (style, text) => styleText(style, text, { validateStream: false })
    : (_style, text) => text
}

function hasColours({ isTTY = false }: { readonly isTTY?: boolean }, environment: NodeJS.ProcessEnv): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = environment
  if (NO_COLOR) return false
  if (FORCE_COLOR !== undefined) return !['0', 'false'].includes(FORCE_COLOR)
  return isTTY && TERM !== 'dumb'
}
