// The parts of docs/fidelity.md and docs/differences.md that follow from the sources.
import type { AllEvidence } from '../evidence.ts'
import { table, withParts } from '../markdown.ts'
import { doubtsOf, type LinkedDoubt, type OperationRules, type Section } from './rules.ts'
import { type Evidence, KINDS, OWN_NUMBERS, PUBLISHED } from './sources.ts'

/** Returns both pages, by their paths. */
export function pages(
  root: string,
  operations: readonly OperationRules[],
  all: AllEvidence,
  sections: readonly Section[],
): Map<string, string> {
  const doubts = doubtsOf(sections)
  const { documented, decided, seen } = numbersOf(all)
  return new Map([
    withParts(root, 'docs/fidelity.md', {
      totals: totals(operations, all, sections),
      statuses: `Of the ${documented} errors with a documented number, the documentation names the HTTP status of ${documented - decided}. fauxgate [decides](${PUBLISHED}/docs/decisions/errors.md#catalogue) the status of the other ${decided}. Rely on \`error_code\`.`,
      shares: shares(operations, all),
      operations: operationTable(operations, all, doubts),
      doubts: doubtTable(doubts),
    }),
    withParts(root, 'docs/differences.md', {
      parts: `The ${operations.length} operations are those of ${groupsOf(operations)}.`,
      statuses: `The documentation numbers ${documented} errors, and names the status of ${documented - decided}. Programs rely on ${seen} of these numbers.`,
      doubts: doubts.map(({ link, text }) => `- ${link}: ${text}`).join('\n'),
    }),
  ])
}

/** Counts the errors whose number is documented: all, those whose status is a decision, and those that programs rely on. */
function numbersOf({ errors }: AllEvidence) {
  const documented = Object.values(errors).filter((found) => found.documented && !found.decided?.includes(OWN_NUMBERS))
  const count = (kind: 'decided' | 'client') => documented.filter((found) => found[kind]).length
  return { documented: documented.length, decided: count('decided'), seen: count('client') }
}

/** Lists the first parts of the existing paths, such as `/reserved_domains`. */
function groupsOf(operations: readonly OperationRules[]): string {
  const groups = operations.map(({ call }) => /\/(?:(?:edges|backends)\/)?\w+/.exec(call)?.[0])
  return [...new Set(groups)]
    .sort()
    .map((group) => `\`${group}\``)
    .join(', ')
}

function totals(operations: readonly OperationRules[], all: AllEvidence, sections: readonly Section[]): string {
  const keys = new Set(operations.flatMap(({ errors }) => errors.map(({ key }) => key)))
  const row = (name: string, rules: readonly Evidence[]) => [name, rules.length, ...countsOf(rules)]
  return table(
    ['', 'all', ...KINDS],
    [
      row('operations', Object.values(all.operations)),
      row('fields of bodies, answers and lists', Object.values(all.fields)),
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

const countsOf = (rules: readonly Partial<Record<string, unknown>>[]) =>
  KINDS.map((kind) => rules.filter((found) => found[kind] !== undefined).length)

/** Conditions of the emulator itself, which no service has: it is called inside a call, or the test's own store fails. */
const OF_THE_EMULATOR = ['gateway_busy', 'store_failed']

/** The answers of an operation that a service can give too: its success, and its errors. */
function answersOf({ name, errors }: OperationRules, all: AllEvidence): Evidence[] {
  const possible = errors.filter(({ key }) => !OF_THE_EMULATOR.includes(key))
  return [all.operations[name] ?? {}, ...possible.map(({ key }) => all.errors[key] ?? {})]
}

const isOursAlone = ({ documented, client, recorded }: Evidence) => !documented && !client && !recorded

function shares(operations: readonly OperationRules[], all: AllEvidence): string {
  const answers = operations.flatMap((operation) => answersOf(operation, all))
  const ours = answers.filter(isOursAlone).length
  const keys = operations.flatMap(({ errors }) => errors.map(({ key }) => key))
  const further = keys.filter((key) => OF_THE_EMULATOR.includes(key)).length
  const decided = [...new Set(keys)].filter(
    (key) => !OF_THE_EMULATOR.includes(key) && isOursAlone(all.errors[key] ?? {}),
  )
  const whole = `${ours + further} of ${answers.length + further}, ${percent(ours + further, answers.length + further)}`
  return `An operation has an answer for success, and one for each of its errors. Of all ${answers.length} answers that a service can
give, ${ours} rest on a decision alone: **${percent(ours, answers.length)}**. They are the errors ${linksTo(decided)}.

Two more errors of each operation come from the emulator itself: ${linksTo(OF_THE_EMULATOR)}. No service can give these answers:
code calls the gateway inside a call, or the store of a test fails. Counted with them, it is ${whole}.`
}

const linksTo = (keys: readonly string[]) =>
  keys.map((key) => `[\`${key}\`](${PUBLISHED}/docs/reference/ngrok/error-catalogue.md#${key})`).join(', ')

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

function operationTable(
  operations: readonly OperationRules[],
  all: AllEvidence,
  doubts: readonly LinkedDoubt[],
): string {
  const rows = operations.map((operation) => {
    const { name, call, sends, reads } = operation
    const fields = [...new Set([...sends, ...reads].map(({ key }) => key))].map((key) => all.fields[key] ?? {})
    const answers = answersOf(operation, all)
    const open = doubts.filter(({ about }) => about.includes(name)).map((doubt) => `[${doubt.name}](#open-doubts)`)
    const share = percent(answers.filter(isOursAlone).length, answers.length)
    return [`\`${call}\``, ...countsOf([...answers, ...fields]), share, open.join(', ')]
  })
  return table(['operation', ...KINDS, 'answers on a decision alone', 'open doubts'], rows)
}

function doubtTable(doubts: readonly LinkedDoubt[]): string {
  const rows = doubts.map(({ link, about, text }) => [link, about.map((each) => `\`${each}\``).join(', '), text])
  return table(['doubt', 'operations', 'what is not known, and what fauxgate does'], rows)
}
