// Finds the rules of the API in the sources: the operations, their fields and their errors, and the sections of
// docs/decisions.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type * as v from 'valibot'
import { createLimitTable, findRateError, listMaximumErrors } from '../../../src/core/operation/account.ts'
import { addRulesBefore, type Families, type Family } from '../../../src/core/operation/family.ts'
import { errorsOf, type Operation } from '../../../src/core/operation/operation.ts'
import { documentationOf } from '../../../src/core/schema/documentation.ts'
import type { CatalogueError } from '../../../src/core/schema/errors.ts'
import { isSchema, marksOf, partsOf } from '../../../src/core/schema/schema-parts.ts'
import { ngrokFamilies } from '../../../src/gateway/ngrok.ts'
import { tableOf } from '../../../src/gateway/table.ts'
import { errors as sandboxErrors } from '../../../src/sandbox/errors.ts'
import { stateErrors } from '../../../src/service/resources/account-state.ts'
import { ngrok } from '../../../src/service/resources/dialects.ts'
import { families } from '../../../src/service/resources/index.ts'
import { anchorOf } from '../markdown.ts'

/** A field of a body or of a response. */
export interface FieldRule {
  /** The name of its type and its own, such as `ReservedAddress.addr`. */
  readonly key: string
  /** The place in the body or the response, such as `certificate.id`. */
  readonly path: string
  /** The section of docs/decisions that the field cites. */
  readonly cites: string | undefined
  /** True if only the dialects that name the field have it. */
  readonly isExtra: boolean
}

export interface OperationRules {
  readonly name: string
  /** `METHOD /path`. */
  readonly call: string
  readonly query: boolean
  readonly sends: readonly FieldRule[]
  readonly reads: readonly FieldRule[]
  readonly errors: readonly CatalogueError[]
}

// Their types are narrower than that of any family.
const further = ngrokFamilies as unknown as Families
const all: Families = { ...families, ...further }

export const operations: readonly OperationRules[] = Object.values(addRulesBefore(all))
  .flatMap((family) => Object.values(family.operations as Readonly<Record<string, Operation>>))
  .map((operation) => ({
    name: operation.name,
    call: `${operation.method} ${operation.path}`,
    query: operation.query !== undefined,
    sends: operation.body ? listFields(operation.body) : [],
    reads: operation.response ? listFields(operation.response) : [],
    errors: errorsOf(operation),
  }))

/** Every error of the service with all families, of the controls, and of shared sandboxes. */
export const errors: readonly CatalogueError[] = [
  ...tableOf(ngrok, further).catalogue.values(),
  ...Object.values(sandboxErrors),
]

const limits = [...createLimitTable(Object.values<Family>(all)).values()].flat()

/** The errors that an account declared for a test causes: those of its limits and features, and of its state. */
export const declaredErrors: readonly CatalogueError[] = [
  ...limits.flatMap((limit) => [...listMaximumErrors(limit), findRateError(limit)]),
  ...Object.values(stateErrors),
]

/** Returns the fields of a schema and of those in it. A named schema is the owner of its fields. */
function listFields(
  schema: v.GenericSchema,
  owner = '',
  path = '',
  seen: readonly v.GenericSchema[] = [],
): FieldRule[] {
  if (seen.includes(schema)) return []
  // The first step of a pipe has the same parts as the pipe itself.
  const { wrapped, entries, item, options = [] } = partsOf(schema)
  const { name = owner } = documentationOf(schema)
  const inner = [wrapped, item, ...options].filter(isSchema)
  const below = inner.flatMap((each) => listFields(each, name, path, [...seen, schema]))
  const own = Object.entries(entries ?? {}).flatMap(([field, each]) => {
    const at = path === '' ? field : `${path}.${field}`
    const cites = documentationOf(each).facts.findLast(({ rules }) => rules !== undefined)?.rules
    const rule = { key: `${name}.${field}`, path: at, cites, isExtra: marksOf(each).extra === true }
    return [rule, ...listFields(each, `${name}.${field}`, at, [...seen, schema])]
  })
  return [...new Map([...own, ...below].map((rule) => [`${rule.key} ${rule.path}`, rule])).values()]
}

/** A section of docs/decisions. */
export interface Section {
  /** Page and heading, as rules are cited: `lists#paging`. */
  readonly name: string
  readonly title: string
  /** The words of each kind of evidence. */
  readonly evidence: Readonly<Record<string, string>>
  /** The rules without evidence, by name, with the operations that they are about. */
  readonly doubts: readonly Doubt[]
}

export interface Doubt {
  readonly name: string
  readonly about: readonly string[]
  readonly text: string
}

/** Reads the sections of docs/decisions. Evidence before the first section applies to all sections that have none. */
export function sectionsOf(root: string): Section[] {
  const folder = join(root, 'docs/decisions')
  const pages = readdirSync(folder).filter((name) => name !== 'README.md')
  return pages.sort().flatMap((file) => {
    const [head = '', ...sections] = readFileSync(join(folder, file), 'utf8').split(/^## /m)
    const ofPage = parseEvidence(head)
    return sections.map((text) => {
      const [title = ''] = text.split('\n')
      const name = `${file.replace('.md', '')}#${anchorOf(title)}`
      const own = parseEvidence(text)
      return { name, title, evidence: Object.keys(own).length > 0 ? own : ofPage, doubts: parseDoubts(text) }
    })
  })
}

/** Reads `Evidence: documented (…); decided (…).` of a section. */
function parseEvidence(text: string): Record<string, string> {
  const [, line = ''] = /^Evidence: ([\s\S]*?\))\.$/m.exec(text) ?? []
  const parts = line.replace(/\s+/g, ' ').split(/; (?=(?:documented|client|recorded|decided) \()/)
  const found = parts.map((part) => /^(documented|client|recorded|decided) \((.+)\)$/.exec(part))
  return Object.fromEntries(found.flatMap((match) => (match ? [[match[1], match[2]]] : [])))
}

/** Reads `Doubt, NAME, of OPERATION, …: text.` */
function parseDoubts(text: string): Doubt[] {
  return [...text.matchAll(/^Doubt `([\w-]+)` of ([^:]+):\s([\s\S]*?)(?=\n\n|$(?![\s\S]))/gm)].map(
    ([, name = '', about = '', content = '']) => ({
      name,
      about: about.split(', ').map((each) => each.replaceAll('`', '').trim()),
      text: content.replace(/\s+/g, ' ').trim(),
    }),
  )
}

/** Returns the doubts of all sections. */
export const listDoubts = (sections: readonly Section[]): Doubt[] => sections.flatMap(({ doubts }) => doubts)
