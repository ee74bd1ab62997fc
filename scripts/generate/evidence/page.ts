import type { AllEvidence, Rules } from '../evidence.ts'
import type { Doubt, OperationRules, Section } from './rules.ts'
import { type Evidence, KINDS } from './witnesses.ts'

const NOTE = '<!-- Made by `npm run generate` from src/, docs/decisions and evidence/. -->'

/** docs/fidelity.md: who says so, per operation. */
export function fidelityPage(
  operations: readonly OperationRules[],
  all: AllEvidence,
  sections: readonly Section[],
): string {
  const doubts = sections.flatMap((section) => section.doubts.map((doubt) => ({ ...doubt, section: section.name })))
  return `${[
    NOTE,
    '# Who says so?',
    INTRODUCTION,
    '## All rules',
    totals(operations, all, sections),
    statuses(all),
    '## Answers that rest on a decision alone',
    shares(operations, all),
    '## By operation',
    LEGEND,
    operationTable(operations, all, doubts),
    '## Open doubts',
    'Nobody has shown these yet. Who can ask the real service can settle them.',
    doubtTable(doubts),
  ].join('\n\n')}\n`
}

const INTRODUCTION = `Every operation, field, error and rule of fauxgate has at least one witness, and a test fails if one has none. There
are four kinds, and they are never added up, because they show different things:

| kind | what it is |
|---|---|
| documented | A page of ngrok's documentation names it. "API reference of September 2025" is the one that fauxgate was written from; the file evidence/service.json has its calls and fields. |
| client | The types of one of ngrok's official clients name it, or a program relies on it. The types are read from the sources of the clients. |
| recorded | An answer of the real service shows it, with its date. |
| decided | It is ours. [The decisions](decisions/README.md) have the reason. |

The OpenAPI document has the sources of each operation, field and error as \`x-fauxgate-evidence\`. The
[error catalogue](reference/error-catalogue.md) has those of each error.`

const LEGEND = `Of each operation, with its fields and errors, the number of those that have a witness of the kind. One can have
several kinds.`

function totals(operations: readonly OperationRules[], all: AllEvidence, sections: readonly Section[]): string {
  const ofSections = Object.fromEntries(sections.map(({ name, evidence }) => [name, evidence as unknown as Evidence]))
  const used = new Set(operations.flatMap(({ errors }) => errors.map(({ key }) => key)))
  const errors = Object.fromEntries(Object.entries(all.errors).filter(([key]) => used.has(key)))
  const rows = Object.entries({
    operations: all.operations,
    'fields of bodies, answers and lists': all.fields,
    'errors of operations': errors,
    '[rules](decisions/README.md), of the emulator too': ofSections,
  }).map(([name, rules]) => [name, Object.keys(rules).length, ...countsOf(Object.values(rules))])
  return table(['', 'all', ...KINDS], rows)
}

const countsOf = (rules: readonly Evidence[]) =>
  KINDS.map((kind) => rules.filter((found) => found[kind] !== undefined).length)

function statuses({ errors }: AllEvidence): string {
  const documented = Object.values(errors).filter((found) => found.documented)
  const decided = documented.filter((found) => found.decided)
  return `Of the ${documented.length} errors with a documented number, the documentation names the HTTP status of ${documented.length - decided.length}. The status of the other ${decided.length} is [decided](decisions/errors.md#catalogue). Rely on \`error_code\`.`
}

/** The answers of an operation: its success, and each of its errors. */
function answersOf({ name, errors }: OperationRules, all: AllEvidence): Evidence[] {
  return [all.operations[name] ?? {}, ...errors.map(({ key }) => all.errors[key] ?? {})]
}

const isOursAlone = ({ documented, client, recorded }: Evidence) => !documented && !client && !recorded

function shares(operations: readonly OperationRules[], all: AllEvidence): string {
  const answers = operations.flatMap((operation) => answersOf(operation, all))
  const ours = answers.filter(isOursAlone).length
  const kinds = new Set(
    operations.flatMap(({ errors }) =>
      errors.map(({ key }) => key).filter((key) => isOursAlone(all.errors[key] ?? {})),
    ),
  )
  const names = [...kinds].map((key) => `[\`${key}\`](reference/ngrok/error-catalogue.md#${key})`).join(', ')
  return `An operation has as many answers as it has errors, and one for success. Of all ${answers.length} answers, ${ours} rest on
a decision alone: **${percent(ours, answers.length)}**. This share is to fall. No success is among them, and of the errors only
those of our own: ${names}.`
}

const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(1)} %`

function operationTable(
  operations: readonly OperationRules[],
  all: AllEvidence,
  doubts: readonly (Doubt & { readonly section: string })[],
): string {
  const rows = operations.map((operation) => {
    const { name, call, sends, reads } = operation
    const fields = [...new Set([...sends, ...reads].map(({ key }) => key))].map((key) => all.fields[key] ?? {})
    const answers = answersOf(operation, all)
    const open = doubts.filter(({ about }) => about.includes(name)).map((doubt) => `[${doubt.name}](#open-doubts)`)
    return [
      `\`${call}\``,
      ...countsOf([...answers, ...fields]),
      percent(answers.filter(isOursAlone).length, answers.length),
      open.join(', '),
    ]
  })
  return table(['operation', ...KINDS, 'answers on a decision alone', 'open doubts'], rows)
}

function doubtTable(doubts: readonly (Doubt & { readonly section: string })[]): string {
  const rows = doubts.map(({ name, about, text, section }) => {
    const [page, heading] = section.split('#')
    const where = about.map((each) => `\`${each}\``).join(', ')
    return [`[\`${name}\`](decisions/${page}.md#${heading})`, where, text]
  })
  return table(['doubt', 'operations', 'what is not known, and what is done here'], rows)
}

function table(head: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n')
}

export type { Rules }
