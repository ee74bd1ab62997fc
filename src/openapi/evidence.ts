import coded from '../generated/evidence.json'

/** The sources of a rule, by kind: each is a URL or a name. */
export interface Evidence {
  /** Pages or statements that document it. */
  readonly documented?: readonly string[]
  /** The official clients whose types name it, or programs that rely on it. */
  readonly client?: readonly string[]
  /** Recordings that show it, with their dates. */
  readonly recorded?: readonly string[]
  /** The sections of our own decisions, each with its reason. */
  readonly decided?: readonly string[]
}

export interface WithEvidence<E = Evidence> {
  readonly 'x-fauxgate-evidence'?: E
}

/** For each rule the places of its sources, by kind in the order of {@link KINDS}. */
type Rules = Readonly<Record<string, readonly (readonly number[])[]>>

const KINDS = ['documented', 'client', 'recorded', 'decided'] as const
const DECISIONS = 'https://github.com/fauxgate/fauxgate/blob/main/docs/decisions/'

/** Returns the evidence of an operation by its name, or of an error by its key, as documents have it. */
export function evidenceOf(kind: 'operations' | 'errors', name: string): WithEvidence {
  const rules: Rules = coded[kind]
  return rules[name] ? { 'x-fauxgate-evidence': decoded(rules[name]) } : {}
}

/** Returns the evidence of the fields of a type, by field. */
export function fieldEvidenceOf(type: string): WithEvidence<Readonly<Record<string, Evidence>>> {
  const fields: Rules = coded.fields
  const own = Object.keys(fields).filter((name) => name.startsWith(`${type}.`))
  const found = own.map((name) => [name.slice(type.length + 1), decoded(fields[name] ?? [])])
  return own.length > 0 ? { 'x-fauxgate-evidence': Object.fromEntries(found) } : {}
}

function decoded(places: readonly (readonly number[])[]): Evidence {
  const kinds = KINDS.map((kind, i) => [kind, (places[i] ?? []).map((place) => linked(coded.sources[place] ?? ''))])
  return Object.fromEntries(kinds.filter(([, sources]) => sources?.length))
}

/** Makes a URL of a section such as `lists#paging`. */
function linked(source: string): string {
  const [, page, rest] = /^([a-z-]+)(#.*)$/.exec(source) ?? []
  return page === undefined ? source : `${DECISIONS}${page}.md${rest}`
}
