import { mapValues } from '../../core/schema/values.ts'
import evidenceFile from '../../generated/evidence.json'

/** The sources of a rule, by kind. Each number is an index into the document's `x-fauxgate-sources` list. */
export interface Evidence {
  /** Pages or statements that document it. */
  readonly documented?: readonly number[]
  /** The official clients whose types contain it, or programs that rely on it. */
  readonly client?: readonly number[]
  /** Recordings that show it, with their dates. */
  readonly recorded?: readonly number[]
  /** The sections of fauxgate's own decisions, each with its reason. */
  readonly decided?: readonly number[]
}

export interface WithEvidence<E = Evidence> {
  readonly 'x-fauxgate-evidence'?: E
}

/** Each rule's sources, as indexes: a list for each kind, in the order of {@link KINDS}, up to the last kind with sources. */
type Rules = Readonly<Record<string, readonly (readonly number[])[]>>

const KINDS = ['documented', 'client', 'recorded', 'decided'] as const
const DECISIONS = 'https://github.com/fauxgate/fauxgate/blob/main/docs/decisions/'

/** The evidence in one document. Its list of sources grows whenever a rule's evidence is read. */
export class DocumentEvidence {
  /** The sources of all evidence so far: URLs or names. */
  readonly sources: string[] = []

  /** Returns the evidence of an operation by its name, or of an error by its key. */
  of(kind: 'operations' | 'errors', name: string): WithEvidence {
    const rules: Rules = evidenceFile[kind]
    return rules[name] ? { 'x-fauxgate-evidence': this.#createEvidence(rules[name]) } : {}
  }

  /** Returns the evidence for the fields of a type, by field. */
  ofFields(type: string): WithEvidence<Readonly<Record<string, Evidence>>> {
    const types: Readonly<Record<string, Rules>> = evidenceFile.fields
    const own = types[type]
    return own ? { 'x-fauxgate-evidence': mapValues(own, (places) => this.#createEvidence(places)) } : {}
  }

  #createEvidence(places: readonly (readonly number[])[]): Evidence {
    const kinds = KINDS.map((kind, i) => [kind, (places[i] ?? []).map((place) => this.#addSource(place))])
    return Object.fromEntries(kinds.filter(([, found]) => found?.length))
  }

  #addSource(place: number): number {
    const source = resolveSource(place)
    const known = this.sources.indexOf(source)
    return known < 0 ? this.sources.push(source) - 1 : known
  }
}

/** Returns the source with an index in the generated file. An ngrok page or a section such as `lists#paging` is converted to a URL. */
function resolveSource(place: number): string {
  const source = (evidenceFile.sources[place] ?? '').replace(/^\//, evidenceFile.docs)
  const [, page, rest] = /^([a-z-]+)(#.*)$/.exec(source) ?? []
  return page === undefined ? source : `${DECISIONS}${page}.md${rest}`
}
