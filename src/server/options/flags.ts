export interface Flag {
  /** The name without the leading hyphens. */
  readonly flag: string
  readonly kind: 'text' | 'integer' | 'switch' | 'texts' | 'json'
  /** The placeholder for the value in the help. Empty for a switch. */
  readonly value: string
  readonly sentence: string
  /** The environment variable that also sets the option. */
  readonly variable?: string
}

export function textFlag(flag: string, value: string, sentence: string): Flag {
  return { flag, kind: 'text', value, sentence }
}

export function integerFlag(flag: string, sentence: string): Flag {
  return { flag, kind: 'integer', value: 'N', sentence }
}

export function switchFlag(flag: string, sentence: string): Flag {
  return { flag, kind: 'switch', value: '', sentence }
}

const withVariable = (flag: Flag): Flag => ({ ...flag, variable: variableName(flag.flag) })

const CONFIG =
  'The config file. Default: fauxgate.config.json, .js, .mjs, or .ts in the current folder, if there is one.'
export const CONFIG_FLAG = withVariable(textFlag('config', 'FILE', CONFIG))

const SERVER = "The server's URL. Default: the server running on this machine, or `http://127.0.0.1:4747`."
export const SERVER_FLAGS = [
  textFlag('url', 'URL', SERVER),
  textFlag('control-key', 'KEY', 'The control key of the server, if it has one.'),
  textFlag('ca', 'FILE', 'The root certificate of a server with --tls.'),
].map(withVariable)

/** Returns the flag for a path such as `control.key` or a field such as `retryAfter` or `endpoint_configuration`. */
export function flagAt(path: string): string {
  return path.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`).replace(/[._]/g, '-')
}

export function variableName(flag: string): string {
  return `FAUXGATE_${flag.toUpperCase().replaceAll('-', '_')}`
}
