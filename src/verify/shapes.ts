import { valueText } from './texts.ts'

/** Names of fields whose values a service makes up: only their shape is compared. */
export const GENERATED_FIELDS: Readonly<Record<string, (text: string) => string>> = {
  token: runLengths,
  addr: hostShape,
  cname_target: suffixShape,
  acme_challenge_cname_target: suffixShape,
  display_name: runLengths,
  certificate: algorithmOf,
  cert: pemShape,
  public_key: madeKeyShape,
  msg: (text) => (text.trim() === '' ? 'nothing' : 'a message'),
}

/** The length of each run of letters and digits. */
function runLengths(text: string): string {
  return text.replaceAll(/[0-9A-Za-z]+/g, (run) => `<${run.length}>`)
}

/** The algorithm of a key or a certificate of SSH. */
function algorithmOf(line: string): string {
  return line.split(' ', 1).join()
}

/** The kinds of blocks of a PEM. */
function pemShape(text: string): string {
  return text.match(/-----BEGIN [A-Z ]+-----/g)?.join(' ') ?? valueText(text)
}

/** The algorithm and the size of a key that a service made up. It has no comment; the key of a request keeps its comment. */
function madeKeyShape(line: string): string {
  const [algorithm = '', key = '', comment] = line.split(' ')
  return comment === undefined ? `${algorithm} with ${key.trim().length} characters` : line
}

/** A host and port without their numbers. */
function hostShape(text: string): string {
  return text.replaceAll(/\d+/g, 'N')
}

/** The number of labels, and the last two. */
function suffixShape(text: string): string {
  const labels = text.split('.')
  return `${labels.length} labels ….${labels.slice(-2).join('.')}`
}

/** A time with each digit as `0`, and any fraction of a second as one. */
export function timeShape(text: string): string {
  return text.replaceAll(/\d/g, '0').replace(/\.0+/, '.0')
}
