// Generated from the docstrings of Config and GatewayOptions: `npm run generate`.

/** What each option of the command is, in one sentence, by its path in a config file. */
export const sentences: Readonly<Record<string, string>> = {
  addressesPerRegion: 'How many addresses a region has, 1 to 2,000,000. Default: 2,000,000.',
  authorityKeys:
    'The keys of the authority: fresh secret ones at each start, or the published test keys. Default: `fresh`.',
  'authorityKeys.secret': 'At least 16 characters that nobody can guess.',
  baseUrl: "The base URL of every URI in a response. Default: the server's own.",
  certificateValidity: 'How long automatic certificates are valid. Default: 90d.',
  clock: 'Where the time comes from; a module can have a clock of its own. Default: `system`.',
  control:
    'Who may use the control API below `/_fauxgate/`. Default: `loopback`, this machine only, by its own names. With a `key`: everyone who sends it in the header `Fauxgate-Control-Key`, and nobody else.',
  'control.allowHosts':
    'Further names of this machine by which the control API can be asked, and which pages may have, without a key.',
  'control.key':
    'A key that the control API asks of everyone, this machine included; by which names it is asked does not matter then.',
  data: 'The SQLite file that every change is kept in before it is answered; made where there is none. Default: none.',
  dialect: 'What differs between services; a module can have an object of its own. Default: `standard`.',
  dns: 'Whether attempts look at the zone of `gateway.dns`. Default: `off`.',
  dnsErrorRetry: 'How long a job waits after a DNS_ERROR. Default: 1h.',
  emptyJsonOnDelete:
    'A DELETE answers 200 with `{}` instead of 204, for clients that cannot read an empty answer. Default: false.',
  families: 'Families of your own, made with `fauxgate/kit`: in a module.',
  host: "The host name or address to listen on; `0.0.0.0` and `::` are all of this machine's. Default: `127.0.0.1`.",
  initial: 'A JSON file or a module with what exists from the beginning, and again after each reset: bodies by family.',
  internalErrorBackoff:
    'How long a job waits after its first INTERNAL_ERROR, twice as long after each further one, up to the most. Default: 1m and 64m.',
  'internalErrorBackoff.first': 'How long a job waits after its first INTERNAL_ERROR. Default: 1m.',
  'internalErrorBackoff.most': 'The most that a job waits after an INTERNAL_ERROR. Default: 64m.',
  journalBytes:
    'How many bytes `gateway.requests` keeps, at two bytes a character; the oldest requests go. Default: 16 MiB.',
  journalSize: 'How many requests `gateway.requests` keeps. Default: 1000.',
  keys: 'The API keys that HTTP requests may use. Default: any non-empty key.',
  log: 'How requests and provisioning are told: a line for people, or a JSON object, each. Default: `text`.',
  port: 'The TCP port; 0 for any free one. Default: 4747.',
  provisioningDelay:
    'From the start of a provisioning job to its first attempt; 0 issues within the creating call. Default: 30s.',
  quiet: 'Nothing but the line that says where it listens, and warnings. Default: false.',
  quirks: 'Departures from the API reference.',
  'quirks.keepBackendsOnPatch':
    'A PATCH of a weighted backend without `backends` keeps them instead of emptying them. Default: false.',
  rateLimit: 'Answers 429 to too many HTTP requests: true for 120 within 60 seconds. Default: false.',
  'rateLimit.requests': 'How many requests are let through. Default: 120.',
  'rateLimit.window': 'The rolling window that they are counted in. Default: 60s.',
  references:
    'Which edges, routes, endpoint configurations and child backends exist: any id of the right prefix (the default), or only those declared through `gateway.declare`.',
  renewalLead: 'How long before its expiry a certificate is renewed; less than its validity. Default: 30d.',
  seed: 'The same seed and the same calls give the same ids. Default: a fresh one for each gateway.',
  start: 'Where a manual clock starts, as an RFC 3339 time. Default: now.',
  state:
    'The file that the state is kept in: read at the start, written every minute, on SIGHUP, and at the end. Default: none.',
  store:
    "Where every change is kept, private keys and other secrets too, so that the state outlives the process. With a state in it, the gateway goes on from there: its seed, its manual clock's time, without `initial`. Default: nowhere.",
  tls: "HTTPS, with a certificate of the gateway's own authority. Default: false.",
  tlsRoot: 'The file that the root certificate is written to, for clients to trust. Default: it is printed.',
  unknownActions: 'What happens to traffic policy actions of an unknown type. Default: `refuse`.',
}
