// Generates the parts of docs/fidelity.md and docs/differences.md that follow from the sources, and docs/evidence-reference.md.
import { listRanges } from '../../../src/control/faults/documented-numbers.ts'
import { errors as faultErrors } from '../../../src/control/faults/fault.ts'
import type { CatalogueError } from '../../../src/core/schema/errors.ts'
import { CERTIFICATE_ERRORS } from '../../../src/service/provisioning/certificate-errors.ts'
import unsent from '../../../tools/evidence/unsent-codes.json' with { type: 'json' }
import type { AllEvidence } from '../evidence.ts'
import { table, withParts } from '../markdown.ts'
import { formatReferences } from '../references.ts'
import { type Doubt, declaredErrors, errors, listDoubts, type OperationRules, type Section } from './rules.ts'
import { type Evidence, KINDS, OWN_NUMBERS, PUBLISHED } from './sources.ts'
import { countTrafficRows, formatTrafficPages } from './traffic-pages.ts'

/** Returns both committed pages, by path. */
export function formatPages(
  root: string,
  operations: readonly OperationRules[],
  all: AllEvidence,
  sections: readonly Section[],
): Map<string, string> {
  const doubts = listDoubts(sections)
  const { documented, decided, used } = countNumbers(all)
  return new Map([
    withParts(root, 'docs/fidelity.md', {
      totals: formatTotals(operations, all, sections),
      codes: formatCodes(),
      shares: formatShares(operations, all),
      traffic: countTrafficRows(root),
    }),
    withParts(root, 'docs/differences.md', {
      parts: `The ${operations.length} operations are those of ${listGroups(operations)}.`,
      statuses: `The documentation lists ${documented} error codes, but gives the HTTP status of only ${documented - decided} of them. Published programs depend on ${used} of the codes.`,
      doubts: doubts.map(({ name, text }) => `- \`${name}\`: ${text}`).join('\n'),
    }),
  ])
}

/** Returns docs/evidence-reference.md, which neither the repository nor the package contains. */
export function formatReference(
  root: string,
  operations: readonly OperationRules[],
  all: AllEvidence,
  sections: readonly Section[],
): string {
  return `${[
    '# Reference: the evidence',
    `[Evidence](${PUBLISHED}/docs/fidelity.md) explains the kinds of evidence. [Open doubts](differences.md#open-doubts) has the text of each doubt.`,
    '## By operation',
    'For each operation, the table counts fields and responses by kind of evidence. A field or response can have several kinds.',
    formatOperationTable(operations, all, listDoubts(sections)),
    '## By traffic page',
    formatTrafficPages(root),
    '## References',
    'What happens to a field that refers to another resource: see [the rules](decisions/references.md#table).',
    formatReferences(sections),
    '## Error codes that fauxgate does not send',
    'A range can include codes that fauxgate does send.',
    table(
      ['codes', 'why'],
      unsent.rows.map(({ codes, because }) => [codes, because]),
    ),
  ].join('\n\n')}\n`
}

/** Formats how a test gets each documented error code. */
function formatCodes(): string {
  const ranges = listRanges()
  const isDocumented = ({ number }: CatalogueError) =>
    ranges.some(({ first, last }) => number >= first && number <= last)
  const count = (found: readonly CatalogueError[]) =>
    new Set(found.filter(isDocumented).map(({ number }) => number)).size
  const ofFaults = Object.values<CatalogueError>(faultErrors)
  const provoked = errors.filter((error) => !ofFaults.includes(error))
  const declared = count(declaredErrors)
  const ofJobs = new Set(Object.values(CERTIFICATE_ERRORS).map(({ number }) => number)).size
  const total = ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  return table(
    ['how a test receives a documented error code', 'codes'],
    [
      ['by a request that breaks a rule', count(provoked) - declared],
      ['by a request, with an account that the test declares', declared],
      ['by the outcome of a certificate job, which a test scripts or simulated DNS causes', ofJobs],
      ['by a fault only', total - count(provoked) - ofJobs],
      ['all', total],
    ],
  )
}

/** Counts the errors with a documented number: all, those with a decided status, and those that programs rely on. */
function countNumbers({ errors }: AllEvidence) {
  const documented = Object.values(errors).filter((found) => found.documented && !found.decided?.includes(OWN_NUMBERS))
  const count = (kind: 'decided' | 'client') => documented.filter((found) => found[kind]).length
  return { documented: documented.length, decided: count('decided'), used: count('client') }
}

/** Lists the first parts of the existing paths, such as `/reserved_domains`. */
function listGroups(operations: readonly OperationRules[]): string {
  const groups = operations.map(({ call }) => /\/(?:(?:edges|backends)\/)?\w+/.exec(call)?.[0])
  return [...new Set(groups)]
    .sort()
    .map((group) => `\`${group}\``)
    .join(', ')
}

function formatTotals(operations: readonly OperationRules[], all: AllEvidence, sections: readonly Section[]): string {
  const keys = new Set(operations.flatMap(({ errors }) => errors.map(({ key }) => key)))
  const row = (name: string, rules: readonly Evidence[]) => [name, rules.length, ...countKinds(rules)]
  return table(
    ['', 'all', ...KINDS],
    [
      row('operations', Object.values(all.operations)),
      row('fields of bodies, responses and lists', Object.values(all.fields)),
      row(
        'errors of operations',
        [...keys].map((key) => all.errors[key] ?? {}),
      ),
      row(
        `[rules](${PUBLISHED}/docs/decisions/README.md), of the emulator too`,
        sections.map(({ evidence }) => evidence),
      ),
    ],
  )
}

const countKinds = (rules: readonly Partial<Record<string, unknown>>[]) =>
  KINDS.map((kind) => rules.filter((found) => found[kind] !== undefined).length)

/** Errors that only an emulator has: code calls the gateway inside a call, or the test's own store fails. */
const OF_THE_EMULATOR = ['gateway_busy', 'store_failed']

/** Returns the evidence of the responses of an operation that a service can give too: its success, and its errors. */
function listResponseEvidence({ name, errors }: OperationRules, all: AllEvidence): Evidence[] {
  const possible = errors.filter(({ key }) => !OF_THE_EMULATOR.includes(key))
  return [all.operations[name] ?? {}, ...possible.map(({ key }) => all.errors[key] ?? {})]
}

const isDecisionAlone = ({ documented, client, recorded }: Evidence) => !documented && !client && !recorded

function formatShares(operations: readonly OperationRules[], all: AllEvidence): string {
  const answers = operations.flatMap((operation) => listResponseEvidence(operation, all))
  const ours = answers.filter(isDecisionAlone).length
  const keys = operations.flatMap(({ errors }) => errors.map(({ key }) => key))
  const further = keys.filter((key) => OF_THE_EMULATOR.includes(key)).length
  const decided = [...new Set(keys)].filter(
    (key) => !OF_THE_EMULATOR.includes(key) && isDecisionAlone(all.errors[key] ?? {}),
  )
  const whole = `${ours + further} of ${answers.length + further}, ${formatPercent(ours + further, answers.length + further)}`
  return `An operation has a response for success, and one for each of its errors. Of all ${answers.length} responses that a
service can send, ${ours} are based only on decisions: **${formatPercent(ours, answers.length)}**. They are the errors ${formatKeys(decided)}.

Two more errors of each operation come from the emulator itself: ${formatKeys(OF_THE_EMULATOR)}. No service can send these responses:
they mean that code calls the gateway during a call, or that a test's store fails. With these errors, it is ${whole}.`
}

const formatKeys = (keys: readonly string[]) => keys.map((key) => `\`${key}\``).join(', ')

const formatPercent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

function formatOperationTable(
  operations: readonly OperationRules[],
  all: AllEvidence,
  doubts: readonly Doubt[],
): string {
  const rows = operations.map((operation) => {
    const { name, call, sends, reads } = operation
    const fields = [...new Set([...sends, ...reads].map(({ key }) => key))].map((key) => all.fields[key] ?? {})
    const answers = listResponseEvidence(operation, all)
    const open = doubts.filter(({ about }) => about.includes(name)).map((doubt) => `\`${doubt.name}\``)
    const share = formatPercent(answers.filter(isDecisionAlone).length, answers.length)
    return [`\`${call}\``, ...countKinds([...answers, ...fields]), share, open.join(', ')]
  })
  return table(['operation', ...KINDS, 'responses based only on decisions', 'open doubts'], rows)
}
