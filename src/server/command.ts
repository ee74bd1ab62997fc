import { once } from 'node:events'
import { parseArgs } from 'node:util'
import { type Dialect, ngrok, standard } from '../contract/dialect.ts'
import { createGateway } from '../gateway.ts'
import type { GatewayOptions } from '../gateway-options.ts'
import { serve } from './serve.ts'

const DIALECTS: Readonly<Record<string, Dialect>> = { standard, ngrok }

const USAGE = `Usage: fauxgate serve [options]

Serves an emulated tunnel gateway's management API, with its state in memory.

  --port N              the TCP port; 0 for any free one          (default 4747)
  --host HOST           the address to listen on                  (default 127.0.0.1)
  --dialect NAME        standard or ngrok                         (default standard)
  --base-url URL        what URIs in responses start with         (default the server's own URL)
  --key KEY             accept only this API key; may be repeated (default any key)
  --seed TEXT           the same seed and calls give the same ids (default a fresh one)
  --references MODE     any or declared                           (default any)
  --empty-json-on-delete  answer a DELETE with 200 and {} instead of 204
  -h, --help            this text
`

const OPTIONS = {
  port: { type: 'string', default: '4747' },
  host: { type: 'string', default: '127.0.0.1' },
  dialect: { type: 'string', default: 'standard' },
  'base-url': { type: 'string' },
  key: { type: 'string', multiple: true },
  seed: { type: 'string' },
  references: { type: 'string' },
  'empty-json-on-delete': { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const

/** Says what is wrong with the command line. */
class UsageError extends Error {}

/**
 * Runs the `fauxgate` command and answers its exit code: 0 when it stopped on a signal, 1 when it could not listen,
 * 2 when the command line is wrong.
 */
export async function runCommand(args: readonly string[]): Promise<number> {
  try {
    const { values, positionals } = parse(args)
    if (values.help) return print(USAGE)
    if (positionals[0] !== 'serve' || positionals.length > 1) {
      throw new UsageError(`The command is ${JSON.stringify(positionals.join(' '))}. Allowed: serve.`)
    }
    return await serveUntilSignal(gatewayOptions(values), portOf(values.port), values.host)
  } catch (error) {
    const isUsage = error instanceof UsageError || error instanceof TypeError
    process.stderr.write(`fauxgate: ${(error as Error).message}\n${isUsage ? `\n${USAGE}` : ''}`)
    return isUsage ? 2 : 1
  }
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], options: OPTIONS, allowPositionals: true, strict: true })
}

type Values = ReturnType<typeof parse>['values']

function gatewayOptions(values: Values): GatewayOptions {
  const dialect = Object.hasOwn(DIALECTS, values.dialect) ? DIALECTS[values.dialect] : undefined
  if (!dialect) {
    throw new UsageError(
      `--dialect is ${JSON.stringify(values.dialect)}. Allowed: ${Object.keys(DIALECTS).join(', ')}.`,
    )
  }
  return {
    dialect,
    ...(values['base-url'] !== undefined && { baseUrl: values['base-url'] }),
    ...(values.key && { keys: values.key }),
    ...(values.seed !== undefined && { seed: values.seed }),
    ...(values.references !== undefined && { references: values.references as 'any' | 'declared' }),
    ...(values['empty-json-on-delete'] && { emptyJsonOnDelete: true }),
  }
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN
  if (!(port <= 65535)) throw new UsageError(`--port is ${JSON.stringify(text)}. Allowed: an integer from 0 to 65535.`)
  return port
}

async function serveUntilSignal(options: GatewayOptions, port: number, host: string): Promise<number> {
  const server = await serve(createGateway(options), { port, host })
  const stopped = new AbortController()
  const { signal } = stopped
  const signalled = Promise.race([once(process, 'SIGINT', { signal }), once(process, 'SIGTERM', { signal })])
  print(`fauxgate (${options.dialect?.name}) listens on ${server.url}\n`)
  await signalled
  stopped.abort()
  await server.close()
  return 0
}

function print(text: string): number {
  process.stdout.write(text)
  return 0
}
