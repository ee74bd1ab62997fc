// Formats the table of references, for docs/evidence-reference.md.
import type { Families } from '../../src/core/operation/family.ts'
import type { Deletion, Reference } from '../../src/core/operation/reference.ts'
import type { CatalogueError } from '../../src/core/schema/errors.ts'
import { ngrokFamilies } from '../../src/gateway/ngrok.ts'
import { families } from '../../src/service/resources/index.ts'
import type { Section } from './evidence/rules.ts'
import { table } from './markdown.ts'

// Their types are narrower than that of any family.
const all = { ...families, ...ngrokFamilies } as unknown as Families

const DELETIONS: Readonly<Record<Extract<Deletion, string>, string>> = {
  cascades: 'the resource with the field is removed',
  dangles: 'the ID stays',
  detaches: 'the field is emptied',
  follows: 'the field is updated',
}

export function formatReferences(sections: readonly Section[]): string {
  const rows = Object.values(all).flatMap((family) => {
    const inPlaceOf = Object.values(family.operations).find((operation) => operation.inPlaceOf)?.inPlaceOf
    const nameOf = (error: CatalogueError) => `\`${(inPlaceOf?.get(error) ?? error).key}\``
    return (family.references ?? []).map((row) => formatRow(row, nameOf, sections))
  })
  const head = ['field', 'refers to', 'unknown ID', 'when that resource is deleted', 'rule']
  return table(head, rows.sort(byFirst))
}

const byFirst = ([a = '']: readonly string[], [b = '']: readonly string[]) => (a < b ? -1 : 1)

function formatRow(row: Reference, nameOf: (error: CatalogueError) => string, sections: readonly Section[]): string[] {
  const { holder, sent, shown, to, missing, deletion, only, rules } = row
  const fields = [...new Set([sent, shown])].flatMap((name) => (name === undefined ? [] : [`\`${name}\``]))
  const section = sections.find(({ name }) => name === rules)
  if (!section) throw new Error(`The reference ${holder.name}.${row.field} cites ${rules}, which is no section.`)
  const isOpen = to.isUndeclared !== undefined
  return [
    `\`${holder.name}\`: ${fields.join(', ')}${only ? `, ${only.what}` : ''}`,
    to.what.replace(/^an? /, ''),
    missing ? `${nameOf(missing)}${isOpen ? ' if `declared`' : ''}` : 'not in bodies',
    typeof deletion === 'string' ? DELETIONS[deletion] : `the deletion is rejected: ${nameOf(deletion.error)}`,
    `[${section.title}](decisions/${rules.replace('#', '.md#')}), ${Object.keys(section.evidence).join(', ')}`,
  ]
}
