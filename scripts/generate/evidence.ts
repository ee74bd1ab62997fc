// Writes the evidence for each rule into docs/fidelity.md. types.ts writes the same evidence for the OpenAPI documents.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { differencesPage } from './evidence/differences.ts'
import { fidelityPage } from './evidence/page.ts'
import {
  operations as allOperations,
  errors,
  type FieldRule,
  type OperationRules,
  type Section,
  sectionsOf,
} from './evidence/rules.ts'
import {
  type Evidence,
  type Example,
  evidenceOfError,
  examplesIn,
  KINDS,
  type Kind,
  pageOf,
  testimoniesOf,
} from './evidence/witnesses.ts'

const DIFFERENCES = 'docs/differences.md'

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
  const all = evidenceOf(sections, allOperations, root)
  return new Map([
    ['docs/fidelity.md', fidelityPage(allOperations, all, sections)],
    [DIFFERENCES, differencesPage(readFileSync(join(root, DIFFERENCES), 'utf8'), allOperations, all, sections)],
  ])
}

/** Returns src/generated/evidence.json, which the OpenAPI documents have. */
export function evidenceJson(root: string): string {
  return coded(evidenceOf(sectionsOf(root), allOperations, root))
}

/** Joins the rules with their evidence. */
export function evidenceOf(
  sections: readonly Section[],
  operations: readonly OperationRules[] = allOperations,
  root = '.',
): AllEvidence {
  const examples = examplesIn(root)
  const fields: Record<string, Evidence> = {}
  const add = (key: string, found: Evidence) => {
    fields[key] = joined(fields[key] ?? {}, found)
  }
  for (const operation of operations) {
    const testimonies = testimoniesOf(operation.call, examples)
    for (const place of ['sends', 'reads'] as const) {
      for (const rule of operation[place]) {
        for (const { kind, source, ...said } of testimonies)
          if (said[place].includes(rule.path)) add(rule.key, { [kind]: [source] })
        // A section documents a rule on the field. It is no evidence that the field exists.
        const named = Object.keys(fields[rule.key] ?? {}).some((kind) => kind !== 'decided')
        add(rule.key, cited(rule, sections, named))
      }
    }
    if (operation.query) for (const [name, section] of QUERY) add(`query.${name}`, citing(section, sections))
  }
  return {
    operations: Object.fromEntries(operations.map((each) => [each.name, ofOperation(each, examples)])),
    fields,
    errors: Object.fromEntries(errors.map((error) => [error.key, evidenceOfError(error)])),
  }
}

/** The parameters of lists, with the sections that they follow. */
const QUERY = [
  ['limit', 'lists#paging'],
  ['before_id', 'lists#cursor'],
  ['filter', 'lists#filter'],
] as const

function ofOperation({ call }: OperationRules, examples: readonly Example[]): Evidence {
  const page = pageOf(call)
  const found = testimoniesOf(call, examples).map(({ kind, source }): Evidence => ({ [kind]: [source] }))
  return [...(page ? [{ documented: [page] }] : []), ...found].reduce(joined, {})
}

const EXTRA = 'dialects#extra-fields'

function cited({ cites, isExtra }: FieldRule, sections: readonly Section[], isNamed: boolean): Evidence {
  const found = joined(cites ? citing(cites, sections) : {}, isExtra ? citing(EXTRA, sections) : {})
  return isNamed ? onlyDecided(found) : found
}

const onlyDecided = ({ decided }: Evidence): Evidence => (decided ? { decided } : {})

/** The kinds of evidence that a section has, with the section as their source. */
function citing(name: string, sections: readonly Section[]): Evidence {
  const section = sections.find((each) => each.name === name)
  return Object.fromEntries(Object.keys(section?.evidence ?? {}).map((kind) => [kind, [name]]))
}

function joined(a: Evidence, b: Evidence): Evidence {
  const kinds = KINDS.filter((kind) => a[kind] || b[kind])
  return Object.fromEntries(kinds.map((kind) => [kind, [...new Set([...(a[kind] ?? []), ...(b[kind] ?? [])])]]))
}

/** Writes each source once, and its place elsewhere. Fields are grouped by their types. */
function coded({ operations, fields, errors }: AllEvidence): string {
  const places = new Map<string, number>()
  const placeOf = (source: string) => {
    if (!places.has(source)) places.set(source, places.size)
    return places.get(source)
  }
  const placesOf = (found: Evidence) => {
    const kinds = KINDS.map((kind: Kind) => (found[kind] ?? []).map(placeOf))
    return kinds.slice(0, kinds.findLastIndex((places) => places.length > 0) + 1)
  }
  const rows = (rules: Rules) =>
    Object.entries(rules).map(([name, found]) => `${JSON.stringify(name)}: ${JSON.stringify(placesOf(found))}`)
  const part = (name: string, all: readonly string[]) => `${JSON.stringify(name)}: {\n${all.join(',\n')}\n}`
  const parts = [
    part('operations', rows(operations)),
    part(
      'fields',
      Object.entries(byType(fields)).map(([type, own]) => part(type, rows(own))),
    ),
    part('errors', rows(errors)),
  ]
  const sources = [...places.keys()].map((source) => JSON.stringify(source))
  return `{\n"sources": [\n${sources.join(',\n')}\n],\n${parts.join(',\n')}\n}\n`
}

/** Groups the evidence of fields by type. The names of the fields are then without their types. */
function byType(fields: Rules): Readonly<Record<string, Rules>> {
  const types: Record<string, Record<string, Evidence>> = {}
  for (const [key, found] of Object.entries(fields)) {
    const dot = key.indexOf('.')
    const type = key.slice(0, dot)
    types[type] = { ...types[type], [key.slice(dot + 1)]: found }
  }
  return types
}
