// Formats the table of the options of a gateway, with the type, the default and an example of each.
import type * as v from 'valibot'
import { documentationOf } from '../../src/core/schema/documentation.ts'
import { gatewayRows, readGatewayOptions } from '../../src/gateway/options.ts'
import { manualClock, ngrok } from '../../src/index.ts'
import { type Option, optionTable } from '../../src/server/options/table.ts'
import { table } from './markdown.ts'
import { typeOf } from './schema-types.ts'

/** Examples by the path of the option. For other options, the default is an example. */
const EXAMPLES: Readonly<Record<string, string>> = {
  control: "{ key: 'my-key' }",
  'control.key': "'my-key'",
  'control.allowHosts': "['gateway.internal']",
  cors: "['https://console.example.com']",
  dialect: "{ ...ngrok, name: 'ours' }",
  baseUrl: "'https://gateway.example'",
  keys: "['key-of-my-test']",
  seed: "'checkout'",
  initial: "{ reservedDomains: [{ domain: 'app.example.com' }] }",
  references: "'declared'",
  unknownActions: "'accept'",
  emptyJsonOnDelete: 'true',
  errorText: "'varied'",
  quirks: '{ lateStatus: true }',
  'quirks.keepBackendsOnPatch': 'true',
  'quirks.lateStatus': 'true',
  'quirks.policyMayFallThrough': 'true',
  'quirks.takenStatus': '409',
  rateLimit: "{ requests: 10, window: '1m' }",
  'rateLimit.requests': '10',
  'rateLimit.window': "'1m'",
  account: "{ plan: 'free' }",
  'account.plan': "'free'",
  journalSize: '100',
  journalBytes: '1_000_000',
  addressesPerRegion: '1',
  takenDomains: "['taken.example.com']",
  clock: "manualClock('2026-01-01T00:00:00Z')",
  dns: "'simulated'",
  provisioningDelay: "'5s'",
  certificates: "{ validity: '47d', renewalLead: '16h' }",
  'certificates.validity': "'47d'",
  'certificates.renewalLead': "'16h'",
  internalErrorBackoff: "{ first: '10s', most: '5m' }",
  'internalErrorBackoff.first': "'10s'",
  'internalErrorBackoff.most': "'5m'",
  dnsErrorRetry: "'10m'",
  authorityKeys: "'fresh'",
}

/** Examples that need a file or a family of a test, so that nothing checks them here. */
const UNCHECKED: Readonly<Record<string, string>> = { families: '{ guestPasses }', store: "sqliteStore('gateway.db')" }

/** The default in a sentence. */
const DEFAULT = / ?Default: (.*?)\.(?= [A-Z]|$)/

/** Returns whether the option of the command is one of a gateway, in the same words. */
export function isGatewayOption({ path, sentence }: Option): boolean {
  const [name = ''] = path.split('.')
  const row = new Map<string, v.GenericSchema>(Object.entries(gatewayRows)).get(name)
  return row !== undefined && (name !== path || documentationOf(row).sentence === sentence)
}

/** Returns the table: each option, followed by the options in it. */
export function formatGatewayOptions(): string {
  const rows = Object.entries<v.GenericSchema>(gatewayRows).flatMap(([path, schema]) => [
    formatRow(path, typeOf(schema), schema),
    ...optionTable
      .filter((option) => option.path.startsWith(`${path}.`))
      .map((option) => formatRow(option.path, typeOfOption(option), undefined, option.sentence)),
  ])
  return `\n${table(['option', 'flag', 'type', 'default', 'example', ''], rows)}\n`
}

function typeOfOption({ kind, schema }: (typeof optionTable)[number]): string {
  return kind === 'texts' ? 'readonly string[]' : typeOf(schema)
}

function formatRow(path: string, type: string, schema?: v.GenericSchema, about?: string): readonly string[] {
  const sentence = about ?? (schema && documentationOf(schema).sentence) ?? ''
  const value: unknown = schema && Reflect.get(schema, 'default')
  const byDefault = DEFAULT.exec(sentence)?.[1] ?? (typeof value === 'string' ? `\`${value}\`` : 'none')
  const example = UNCHECKED[path] ?? checkExample(path, EXAMPLES[path])
  const name = type === 'C' ? 'Clock' : type
  const flag = optionTable.find((option) => option.path === path)?.flag
  return [
    `\`${path}\``,
    flag ? `\`--${flag}\`` : '',
    `\`${name.replace('readonly ', '')}\``,
    byDefault,
    example && `\`${example}\``,
    sentence.replace(DEFAULT, '').trim(),
  ]
}

/** Returns an example if a gateway takes it. */
function checkExample(path: string, text = ''): string {
  if (text === '') return text
  const names = path.split('.').reverse()
  const value: unknown = new Function('manualClock', 'ngrok', `return (${text})`)(manualClock, ngrok)
  readGatewayOptions(names.reduce<unknown>((inner, name) => ({ [name]: inner }), value) as object)
  return text
}
