// Writes the evidence for each rule into docs/fidelity.md and docs/differences.md. types.ts writes it for the OpenAPI
// documents.
import { groupOf } from '../../src/core/operation/operation.ts'
import { formatPages, formatReference } from './evidence/pages.ts'
import { operations as allOperations, errors, type OperationRules, type Section, sectionsOf } from './evidence/rules.ts'
import {
  type Evidence,
  evidenceOfError,
  KINDS,
  type Kind,
  listStatements,
  NGROK_DOCS,
  pageOf,
  readExamples,
} from './evidence/sources.ts'

export type Rules = Readonly<Record<string, Evidence>>

/** The evidence of every rule of the API, by its name. */
export interface AllEvidence {
  readonly operations: Rules
  /** By type and field; the parameters of queries by `query` and their name. */
  readonly fields: Rules
  /** By key. */
  readonly errors: Rules
}

export default function evidence(root: string): Map<string, string> {
  const sections = sectionsOf(root)
  return formatPages(root, allOperations, evidenceOf(sections, allOperations, root), sections)
}

/** Returns docs/evidence-reference.md. */
export function evidenceReference(root: string): string {
  const sections = sectionsOf(root)
  return formatReference(root, allOperations, evidenceOf(sections, allOperations, root), sections)
}

/**
 * Returns src/generated/evidence.json for the OpenAPI documents. It lists each source once; rules refer to the places in
 * this list. `docs` is the start of most sources, and is abbreviated to `/`.
 */
export function evidenceJson(root: string): string {
  const all = evidenceOf(sectionsOf(root), allOperations, root)
  const sources = [
    ...new Set(
      Object.values(all)
        .flatMap(Object.values<Evidence>)
        .flatMap(sourcesOf)
        .flat(),
    ),
  ]
  const places = new Map(sources.map((source, place) => [source, place]))
  const placesOf = (found: Evidence) => {
    const kinds = sourcesOf(found).map((list) => list.map((source) => places.get(source)))
    return kinds.slice(0, kinds.findLastIndex((list) => list.length > 0) + 1)
  }
  return JSON.stringify({
    docs: NGROK_DOCS,
    sources: sources.map((source) => source.replace(NGROK_DOCS, '/')),
    operations: mapValues(all.operations, placesOf),
    fields: mapValues(groupByType(all.fields), (fields) => mapValues(fields, placesOf)),
    errors: mapValues(all.errors, placesOf),
  })
}

/** Groups the evidence of fields by type. The names of the fields are then without their types. */
function groupByType(fields: Rules): Readonly<Record<string, Rules>> {
  const types: Record<string, Record<string, Evidence>> = {}
  for (const [key, found] of Object.entries(fields)) {
    const dot = key.indexOf('.')
    const type = key.slice(0, dot)
    types[type] = { ...types[type], [key.slice(dot + 1)]: found }
  }
  return types
}

const sourcesOf = (found: Evidence) => KINDS.map((kind) => found[kind] ?? [])

const mapValues = <T, U>(values: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))

/** A source of a rule, with its kind. */
type Citation = readonly [kind: Kind, source: string]

function evidenceFrom(citations: readonly Citation[]): Evidence {
  const sources = (of: Kind) => [...new Set(citations.flatMap(([kind, source]) => (kind === of ? source : [])))]
  return Object.fromEntries(KINDS.flatMap((kind) => (sources(kind).length > 0 ? [[kind, sources(kind)]] : [])))
}

/** The parameters of lists, with the sections that they follow. */
const QUERY = { limit: 'lists#paging', before_id: 'lists#cursor', filter: 'lists#filter' }
const EXTRA = 'dialects#extra-fields'
const OWN_FAMILIES = 'one-table#own-families'

/** Returns the groups of the operations that no source names: fauxgate's own families. */
export function ownFamilies(operations: readonly OperationRules[] = allOperations, root = '.'): string[] {
  const examples = readExamples(root)
  const isKnown = ({ call }: OperationRules) => pageOf(call) !== undefined || listStatements(call, examples).length > 0
  const known = operations.filter(isKnown).map(groupOf)
  return [...new Set(operations.map(groupOf))].filter((group) => !known.includes(group))
}

/** Joins the rules with their evidence. */
export function evidenceOf(
  sections: readonly Section[],
  operations: readonly OperationRules[] = allOperations,
  root = '.',
): AllEvidence {
  const examples = readExamples(root)
  const own = ownFamilies(operations, root)
  const findStatements = ({ call }: OperationRules) => listStatements(call, examples)
  /** Returns the kinds of evidence that a section has, with the section as their source. */
  const citationsOf = (name: string) => {
    const section = sections.find((each) => each.name === name)
    return Object.keys(section?.evidence ?? {}).map((kind): Citation => [kind as Kind, name]) // Sections have these kinds.
  }
  const ownFamilyCitations = citationsOf(OWN_FAMILIES)
  const findOperationEvidence = (operation: OperationRules): Evidence => {
    if (own.includes(groupOf(operation))) return evidenceFrom(ownFamilyCitations)
    const page = pageOf(operation.call)
    const statements = findStatements(operation).map(({ kind, source }): Citation => [kind, source])
    return evidenceFrom([...(page ? [['documented', page] as const] : []), ...statements])
  }
  const fields: Record<string, Citation[]> = {}
  for (const operation of operations) {
    const statements = findStatements(operation)
    for (const place of ['sends', 'reads'] as const) {
      for (const { key, path, cites, isExtra } of operation[place]) {
        const namingStatements = statements.filter((statement) => statement[place].includes(path))
        const citations = [
          ...(fields[key] ?? []),
          ...namingStatements.map(({ kind, source }): Citation => [kind, source]),
        ]
        // A section documents a rule on the field. It is no evidence that the field exists.
        const isNamed = citations.some(([kind]) => kind !== 'decided')
        const sectionCitations = [...(cites ? citationsOf(cites) : []), ...(isExtra ? citationsOf(EXTRA) : [])]
        fields[key] = [...citations, ...sectionCitations.filter(([kind]) => !isNamed || kind === 'decided')]
        if (fields[key].length === 0 && own.includes(groupOf(operation))) fields[key] = ownFamilyCitations
      }
    }
    if (operation.query)
      for (const [name, section] of Object.entries(QUERY)) fields[`query.${name}`] = citationsOf(section)
  }
  return {
    operations: Object.fromEntries(operations.map((each) => [each.name, findOperationEvidence(each)])),
    fields: mapValues(fields, evidenceFrom),
    errors: Object.fromEntries(errors.map((error) => [error.key, evidenceOfError(error)])),
  }
}
