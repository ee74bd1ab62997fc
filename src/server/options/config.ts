import * as v from 'valibot'
import { named } from '../../core/schema/documentation.ts'
import { oneOfThese, optionRow, optionsOf, switchOption } from '../../core/schema/options.ts'
import { durationRange } from '../../core/schema/range-options.ts'
import { TIME_ALLOWED, timeMs } from '../../core/schema/time.ts'
import { clock, families } from '../../gateway/option-schemas.ts'
import { gatewayRows } from '../../gateway/options.ts'
import { dialectNames } from '../../service/resources/dialects.ts'
import { trafficRows } from '../traffic/traffic-options.ts'
import { address, host, name, nonEmptyText, port } from './listen-schemas.ts'

const file = v.pipe(nonEmptyText('the path of a file'), v.metadata({ isFile: true, placeholder: 'FILE' }))
const folder = v.pipe(nonEmptyText('the path of a folder'), v.metadata({ placeholder: 'FOLDER' }))

const start = v.pipe(
  v.string(TIME_ALLOWED),
  v.check((text) => timeMs(text) !== undefined, TIME_ALLOWED),
)

/** Creates a schema that accepts one of these names, or a value that the gateway accepts. */
const namedOr = <const T extends readonly string[], S extends v.GenericSchema>(names: T, schema: S) =>
  v.union([v.picklist(names), schema], names.map((name) => `"${name}"`).join(' or '))

const { store: _store, clock: _clock, ...shared } = gatewayRows

/** All options of `fauxgate serve`, in the order of the help. The values of some `createGateway` options can also be a name or a file. */
export const configRows = {
  port: optionRow(port, 'The TCP port; 0 for any free port.', { default: 4747 }),
  host: optionRow(
    host,
    'The host name or address to listen on. `0.0.0.0` and `::` listen on all addresses of this machine.',
    { default: '127.0.0.1', defaultText: '`127.0.0.1`', placeholder: 'HOST' },
  ),
  name: optionRow(name, 'A name to show in the inspector, such as a branch name.', {
    defaultText: 'none',
    placeholder: 'NAME',
  }),
  agent: optionRow(
    address,
    "The port for the local API of ngrok's agent (ngrok uses 4040); 0 for any free port. It listens on " +
      '`127.0.0.1`, or on the given address, such as `0.0.0.0:4040`. For other machines and containers, ' +
      '`--allow-host` is also needed.',
    { defaultText: 'none' },
  ),
  tls: optionRow(switchOption, "Serve HTTPS, with a certificate from the gateway's own authority.", { default: false }),
  tlsRoot: optionRow(file, 'The file to write the root certificate to, for clients to trust.', {
    defaultText: 'it is printed',
  }),
  data: optionRow(
    file,
    'The SQLite file in which each change is stored before its response is sent. Created if it does not exist.',
    { defaultText: 'none' },
  ),
  state: optionRow(file, 'The state file: read at startup, and written every minute, on SIGHUP, and at exit.', {
    defaultText: 'none',
  }),
  quiet: optionRow(switchOption, 'Print only addresses and warnings, not the log.', { default: false }),
  log: optionRow(
    oneOfThese(['text', 'json']),
    'The format of the log: one line of text or one JSON object for each request and each provisioning step.',
    { default: 'text' },
  ),
  latency: optionRow(
    durationRange(),
    'The delay of every API response, in real time. For a range such as `50ms..200ms`, the seed picks a delay for ' +
      'each response.',
    { defaultText: 'none' },
  ),
  ...trafficRows,
  watch: optionRow(switchOption, 'Restart when the config file or the `initial` file changes.', { default: false }),
  clock: optionRow(
    namedOr(['system', 'manual'], clock),
    'The source of the time. A config module can set its own clock.',
    { default: 'system' },
  ),
  start: optionRow(start, 'The start time of a manual clock, in RFC 3339 format.', {
    defaultText: 'now, rounded down to the second',
    placeholder: 'TIME',
  }),
  ...shared,
  dialect: optionRow(
    namedOr(dialectNames, shared.dialect.wrapped),
    'The service to emulate. A config module can set its own dialect.',
    { default: 'standard' },
  ),
  baseUrl: optionRow(shared.baseUrl.wrapped, 'The base URL of the URIs in responses.', {
    defaultText: "the server's own URL",
  }),
  initial: optionRow(
    v.union([file, shared.initial.wrapped], 'the path of a file, or an object with arrays of bodies'),
    'A JSON file or a module with the resources that exist at the start and after each reset: request bodies by family.',
  ),
  families: optionRow(
    families,
    'Your own families, created with `fauxgate/kit`. Only a config module can set this option.',
  ),
  authorityKeys: optionRow(
    oneOfThese(['test', 'fresh']),
    "The authority's keys: new secret keys at each start, or the published test keys.",
    { default: 'fresh' },
  ),
}

/** The options of `fauxgate sandbox`. */
export const sandboxRows = {
  port: optionRow(port, 'The TCP port; 0 for any free port.', { default: 8787 }),
  host: configRows.host,
  data: optionRow(folder, 'The folder for the data and the account key. Created if it does not exist.', {
    default: 'fauxgate-sandboxes',
  }),
}

/** The schema of {@link Config}. */
export const configSchema = named(
  optionsOf(configRows),
  'Config',
  'The options of `fauxgate serve` in a config file: those of {@link createGateway} and those of the server. Each option whose ' +
    'value is a string, a number, or a switch is also a flag and an environment variable.',
)
