import { resolve } from 'node:path'
import { formatCount } from '../../core/schema/text.ts'
import { isLoopbackAddress } from '../../gateway/http/callers.ts'
import { sendRequest } from '../client/server-calls.ts'
import { sandboxRows } from '../options/config.ts'
import { parseOptions, prefixErrors } from '../options/parsed-options.ts'
import { sandboxTable } from '../options/table.ts'
import { type AccountKey, openDataFolder, readOrCreateAccountKey } from '../sandboxes/data-folder.ts'
import { findWorkerd, Workerd } from '../sandboxes/workerd.ts'
import { hostInUrl } from '../serve.ts'
import { printLine, warn } from '../terminal.ts'
import { onSignals } from '../waiting.ts'
import { requireFreePort } from './announce.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'

export const sandboxCommand: Command = {
  name: 'sandbox',
  words: '',
  summary: 'Serve shared sandboxes with workerd: many gateways behind one URL',
  flags: sandboxTable,
  notes: [
    'Install the workerd package next to fauxgate: npm install --save-dev workerd.',
    'ACCOUNT_KEY is the secret for creating and removing sandboxes. If it is not set, the first start creates a key, ' +
      'prints the key, and stores it in the folder.',
    'SIGINT and SIGTERM stop the server. To get the sandboxes back, start it again with the same folder.',
  ],
  run: runSandboxes,
}

async function runSandboxes(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  requireNoWords(parsed.words, 'sandbox', parsed)
  const { config, names } = parseOptions(parsed, environment, undefined, sandboxTable)
  const { port = sandboxRows.port.default, host = sandboxRows.host.default, data = sandboxRows.data.default } = config
  const binary = findWorkerd()
  await requireFreePort(host, port)
  const folder = resolve(data)
  const { removed, unlock } = await prefixErrors('data', names, () => openDataFolder(folder))
  if (removed > 0) printLine(`Removed ${formatCount(removed, 'empty file', 'empty files')} of deleted sandboxes.`)
  try {
    const account = await readOrCreateAccountKey(folder, environment)
    if (account.createdIn)
      printLine(`The account key is ${account.key}\nIt is printed only once, and is stored in ${account.createdIn}`)
    const inUrl = host.includes(':') ? `[${host}]` : host
    const workerd = new Workerd(binary, inUrl, port, folder, { ...environment, ACCOUNT_KEY: account.key })
    await runUntilSignal(workerd, host, folder, account)
  } finally {
    unlock()
  }
  return 0
}

/** Announces the sandboxes once they are ready, and stops them on a signal. */
async function runUntilSignal(workerd: Workerd, host: string, folder: string, account: AccountKey): Promise<void> {
  const end = onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], () => workerd.stop())
  try {
    announce(await waitUntilHealthy(workerd, hostInUrl(host)), host, folder, account)
    const how = await workerd.ended
    if (!workerd.isStopping) throw new Error(`workerd exited unexpectedly, ${how}.`)
  } catch (error) {
    if (!workerd.isStopping) throw error
  } finally {
    if (!workerd.isStopping) workerd.stop()
    await workerd.ended.catch(() => undefined)
    end()
  }
}

/**
 * Waits until the sandboxes are ready, and returns their URL.
 * @throws Error with the Worker's message if a variable of the Worker is invalid.
 */
async function waitUntilHealthy(workerd: Workerd, host: string): Promise<string> {
  const url = `http://${host}:${await workerd.listening()}`
  const { status, text } = await sendRequest({ url }, 'GET', '/healthz')
  if (status !== 200) throw new Error(JSON.parse(text).msg)
  return url
}

function announce(url: string, host: string, folder: string, { shellExpression }: AccountKey): void {
  printLine(`fauxgate sandboxes are listening on ${url}`)
  printLine(`Their data is in ${folder}`)
  printLine('Create a sandbox, in another shell:')
  printLine(`  curl -X PUT ${url}/s/first -H "Fauxgate-Account-Key: ${shellExpression}"`)
  if (host !== 'localhost' && !isLoopbackAddress(host))
    warn(
      'other machines can reach this address, over plain HTTP. Put a TLS proxy in front of it, and set PUBLIC_URL ' +
        'to its URL.',
    )
}
