// Writes the table of what a run leaves out of a real account into docs/verify.md.
import { planOf } from '../../src/verify/scenarios.ts'
import { table, withParts } from './markdown.ts'

export default function verify(root: string): Map<string, string> {
  const upload = { certificate_pem: '', private_key_pem: '' }
  const { notAsked, fieldsNotAsked } = planOf({ dialect: 'ngrok', isLocal: false, isReadOnly: false, upload })
  const verbsOf = new Map<string, string[]>()
  const reasons = new Map<string, string>()
  const add = (of: string, name: string, reason: string) => {
    verbsOf.set(of, [...(verbsOf.get(of) ?? []), name])
    reasons.set(of, reason)
  }
  for (const [operation, reason] of notAsked) {
    const [group = '', verb = ''] = operation.split('.')
    add(group, verb, reason)
  }
  for (const { operation, field, reason } of fieldsNotAsked) add(operation, `\`${field}\``, reason)
  // One row for all with the same operations and the same reason.
  const rows = new Map<string, string[]>()
  for (const [of, verbs] of verbsOf) {
    const key = JSON.stringify([reasons.get(of), verbs.join(', ')])
    rows.set(key, [...(rows.get(key) ?? []), `\`${of}\``])
  }
  const lines = [...rows].map(([key, of]) => [...(JSON.parse(key) as [string, string]), of.join(', ')]) // As just written.
  return new Map([withParts(root, 'docs/verify.md', { 'left out': table(['reason', 'left out', 'of'], lines) })])
}
