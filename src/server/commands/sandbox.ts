import { resolve } from 'node:path'
import { isLoopbackAddress } from '../../http/access.ts'
import { counted } from '../../schema/text.ts'
import { ask } from '../client/ask.ts'
import { sandboxRows } from '../options/config.ts'
import { naming, parseOptions } from '../options/parsed-options.ts'
import { sandboxTable } from '../options/table.ts'
import { type AccountKey, accountKeyOf, openDataFolder } from '../sandboxes/data-folder.ts'
import { Workerd, workerdBinary } from '../sandboxes/workerd.ts'
import { hostInUrl } from '../serve.ts'
import { say, warn } from '../terminal.ts'
import { onSignals } from '../waiting.ts'
import { requireFree } from './announce.ts'
import { type Arguments, type Command, requireNoWords } from './command.ts'

export const sandboxCommand: Command = {
  name: 'sandbox',
  words: '',
  summary: 'Serve shared sandboxes with workerd: many gateways behind one URL',
  flags: sandboxTable,
  notes: [
    'The package workerd must be installed beside fauxgate: npm install --save-dev workerd.',
    'ACCOUNT_KEY is the secret that creates and removes sandboxes. Without that variable, the first start makes a key, shows it, and keeps it in the folder.',
    'SIGINT and SIGTERM stop it. The next start with the same folder has all sandboxes again.',
  ],
  run: runSandboxes,
}

async function runSandboxes(parsed: Arguments, environment: NodeJS.ProcessEnv): Promise<number> {
  requireNoWords(parsed.words, 'sandbox', parsed)
  const { config, names } = parseOptions(parsed, environment, undefined, sandboxTable)
  const { port = sandboxRows.port.default, host = sandboxRows.host.default, data = sandboxRows.data.default } = config
  const binary = workerdBinary()
  await requireFree(host, port)
  const folder = resolve(data)
  const removed = await naming('data', names, () => openDataFolder(folder))
  if (removed > 0) say(`Removed ${counted(removed, 'empty file', 'empty files')} of sandboxes that are gone.`)
  const account = await accountKeyOf(folder, environment)
  if (account.createdIn)
    say(`The account key is ${account.key}\nIt is shown this once, and kept in ${account.createdIn}`)
  const inUrl = host.includes(':') ? `[${host}]` : host
  const workerd = new Workerd(binary, inUrl, port, folder, { ...environment, ACCOUNT_KEY: account.key })
  const end = onSignals(['SIGINT', 'SIGTERM', 'SIGHUP'], () => workerd.stop())
  try {
    announce(await healthyAt(workerd, hostInUrl(host, host)), host, folder, account)
    const code = await workerd.ended
    if (!workerd.isStopping) throw new Error(`workerd ended by itself, with exit code ${code}.`)
  } catch (error) {
    if (!workerd.isStopping) throw error
  } finally {
    if (!workerd.isStopping) workerd.stop()
    await workerd.ended.catch(() => undefined)
    end()
  }
  return 0
}

/**
 * Waits until the sandboxes can be used, and returns their URL.
 * @throws Error with the Worker's message if a variable of the Worker is invalid.
 */
async function healthyAt(workerd: Workerd, host: string): Promise<string> {
  const url = `http://${host}:${await workerd.listening()}`
  const { status, text } = await ask({ url }, 'GET', '/healthz')
  if (status !== 200) throw new Error(JSON.parse(text).msg)
  return url
}

function announce(url: string, host: string, folder: string, { inShell }: AccountKey): void {
  say(`fauxgate sandboxes listen on ${url}`)
  say(`Their data is in ${folder}`)
  say('Create the first sandbox, in another shell:')
  say(`  curl -X PUT ${url}/s/first -H "Fauxgate-Account-Key: ${inShell}"`)
  if (host !== 'localhost' && !isLoopbackAddress(host))
    warn(
      'others can reach this address, over plain HTTP. Put a proxy with TLS before it, and set PUBLIC_URL to its URL.',
    )
}
