import { suggestion } from '../../core/schema/nearest.ts'

/** Words for each command that people know from other tools. */
const COMMANDS: Readonly<Record<string, string>> = {
  serve: 'start run up server listen dev launch http https tcp tls tunnel daemon',
  requests: 'log logs tail journal history calls traffic access inspect watch monitor',
  clock: 'time now date timer',
  'clock advance': 'advance tick forward fast-forward wait sleep skip travel jump move',
  'clock next': 'next step',
  script: 'outcome outcomes provisioning provision scenario',
  'script show': 'pending queue',
  timeline: 'cert certs certificate certificates domain domains timelines job jobs',
  faults: 'failures errors',
  'faults add': 'fail failure error inject chaos break mock stub',
  dns: 'zone record records',
  overview: 'status stats info state-of ls list ps show summary health',
  report: 'explain debug diagnose doctor why',
  'state export': 'export save dump backup snapshot',
  'state import': 'import load restore',
  reset: 'clean clear wipe flush restart stop-all',
  init: 'new create setup scaffold configure generate',
  migrate: 'upgrade update',
  root: 'ca authority trust pem',
  completion: 'completions complete autocomplete',
  help: 'man docs usage commands',
}

/** Other words for each second word of a command. An empty text means the command without a second word. */
const SECOND_WORDS: readonly (readonly [name: string, words: string])[] = [
  ['', 'list ls show get status all view print now'],
  ['show', 'list ls get status all view print pending'],
  ['remove', 'rm delete del drop unset'],
  ['clear', 'reset empty wipe delete remove drop'],
  ['add', 'new create set inject put'],
  ['advance', 'forward fast-forward move tick skip by wait add travel'],
  ['to', 'set at until goto travel'],
  ['export', 'save dump write get show'],
  ['import', 'load restore read put set'],
  ['fail', 'servfail timeout break'],
  ['cname', 'set add'],
]

/** Names for each flag that people know from other tools. */
const FLAGS: Readonly<Record<string, string>> = {
  port: 'p',
  config: 'c conf configuration',
  host: 'bind address hostname listen interface ip',
  quiet: 'q silent',
  tls: 'https ssl secure',
  'tls-root': 'cert ca-cert cert-file',
  data: 'db database persist persistence store sqlite file',
  state: 'snapshot',
  log: 'json verbose log-format log-level format',
  key: 'k api-key apikey token auth api-token',
  'control-key': 'admin-key',
  latency: 'delay slow',
  'retry-after': 'retry',
  start: 'time now date',
  initial: 'seed-file fixtures import preset',
  dialect: 'api service',
  url: 'server endpoint u address host base-url',
  follow: 'f tail watch',
  times: 'n count repeat',
  domain: 'for name',
  watch: 'w reload hot',
}

/** Returns ` Did you mean …?` for an unknown command: first by its meaning, then by its spelling. */
export function suggestCommand(typed: string, names: readonly string[]): string {
  if (/^(?:stop|kill|quit|exit|shutdown|down)$/.test(typed)) return ' A server stops with Ctrl+C, or with a signal.'
  const command = Object.keys(COMMANDS).find((name) => hasWord(COMMANDS[name], typed))
  return command ? ` Did you mean ${command}?` : suggestion(typed, names)
}

/** Returns ` Did you mean …?` for an unknown second word, such as `delete` in `faults delete`. */
export function suggestSecondWord(first: string, typed: string, names: readonly string[]): string {
  const byMeaning = SECOND_WORDS.filter(([, words]) => hasWord(words, typed))
    .map(([second]) => `${first} ${second}`.trim())
    .find((name) => names.includes(name))
  const forDuration = /^\+?\d+(?:ms|s|m|h|d)?$/.test(typed) ? `${first} advance` : ''
  const command = byMeaning ?? names.find((name) => name === forDuration)
  return command ? ` Did you mean ${command}?` : suggestion(`${first} ${typed}`, names)
}

/** Returns ` Did you mean …?` for an unknown flag: first by its spelling, then by its meaning. */
export function suggestFlag(typed: string, flags: readonly string[]): string {
  const bySpelling = suggestion(typed, flags, (flag) => `--${flag}`)
  const byMeaning = Object.keys(FLAGS).find((flag) => flags.includes(flag) && hasWord(FLAGS[flag], typed))
  return bySpelling || (byMeaning ? ` Did you mean --${byMeaning}?` : '')
}

function hasWord(words = '', typed: string): boolean {
  return words.split(' ').includes(typed.toLowerCase())
}
