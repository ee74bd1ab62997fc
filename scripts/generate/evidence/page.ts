import type { AllEvidence } from '../evidence.ts'
import { table } from '../markdown.ts'
import { doubtsOf, type LinkedDoubt, type OperationRules, type Section } from './rules.ts'
import { documentedNumbers, type Evidence, KINDS, PUBLISHED } from './witnesses.ts'

const NOTE = '<!-- Made by `npm run generate` from src/, docs/decisions and evidence/. -->'

/** Returns docs/fidelity.md, with the evidence of each operation. */
export function fidelityPage(
  operations: readonly OperationRules[],
  all: AllEvidence,
  sections: readonly Section[],
): string {
  const doubts = doubtsOf(sections)
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
    'Nobody has shown yet how the real service behaves here.',
    doubtTable(doubts),
  ].join('\n\n')}\n`
}

const INTRODUCTION = `Every operation, field, error and rule of fauxgate has evidence, and a test fails if one has none. There are four kinds:

| kind | meaning |
|---|---|
| documented | A page of ngrok's documentation names it, or a standard that the API follows. fauxgate follows the API reference of September 2025, whose calls and fields are in evidence/service.json. |
| client | A type in one of ngrok's official clients names it, or a program relies on it. |
| recorded | A recorded answer of the real service shows it. The published ones are in [evidence/examples.har](${PUBLISHED}/evidence/examples.har), and tests replay them. |
| decided | It is a decision of fauxgate, with [its reason](${PUBLISHED}/docs/decisions/README.md). |

Where can you check a witness yourself?

| witness | where it is |
|---|---|
| \`ngrok-api-go 9.0.0\`, \`ngrok-api-go 5.0.0\` | [github.com/ngrok/ngrok-api-go](https://github.com/ngrok/ngrok-api-go), tags v9.0.0 and v5.0.0. \`datatypes.go\` has the types of bodies and answers, and each \`client.go\` has the calls. |
| \`ngrok-api-typescript 0.11.0\` | [@ngrok/ngrok-api](https://www.npmjs.com/package/@ngrok/ngrok-api) on npm, version 0.11.0: \`datatypes.ts\` and \`services.ts\` in its sources. |
| programs without a name | Public programs that call this API. [programs.test.ts](${PUBLISHED}/test/ngrok/programs.test.ts) and [further-programs.test.ts](${PUBLISHED}/test/ngrok/further-programs.test.ts) make their calls, in their order. |
| examples of the API reference | Each entry of the recording names its file in [github.com/ngrok/ngrok-docs](https://github.com/ngrok/ngrok-docs) in \`comment\`. |
| decisions, such as \`limits#texts\` | The section of [docs/decisions](${PUBLISHED}/docs/decisions/README.md), with its reason. |

Each operation, field and error of the OpenAPI document has its evidence as \`x-fauxgate-evidence\`. The numbers there are places
in the document's list \`x-fauxgate-sources\`, counted from 0. Each error in the
[error catalogue](${PUBLISHED}/docs/reference/error-catalogue.md) has its evidence too.`

const LEGEND = `For each operation, the table counts its fields and answers with each kind of evidence. One can have several kinds.`

function totals(operations: readonly OperationRules[], all: AllEvidence, sections: readonly Section[]): string {
  const ofSections = Object.fromEntries(sections.map(({ name, evidence }) => [name, evidence as unknown as Evidence]))
  const used = new Set(operations.flatMap(({ errors }) => errors.map(({ key }) => key)))
  const errors = Object.fromEntries(Object.entries(all.errors).filter(([key]) => used.has(key)))
  const rows = Object.entries({
    operations: all.operations,
    'fields of bodies, answers and lists': all.fields,
    'errors of operations': errors,
    [`[rules](${PUBLISHED}/docs/decisions/README.md), of the emulator too`]: ofSections,
  }).map(([name, rules]) => [name, Object.keys(rules).length, ...countsOf(Object.values(rules))])
  return table(['', 'all', ...KINDS], rows)
}

const countsOf = (rules: readonly Evidence[]) =>
  KINDS.map((kind) => rules.filter((found) => found[kind] !== undefined).length)

function statuses({ errors }: AllEvidence): string {
  const documented = documentedNumbers(errors)
  const decided = documented.filter((found) => found.decided)
  return `Of the ${documented.length} errors with a documented number, the documentation names the HTTP status of ${documented.length - decided.length}. fauxgate [decides](${PUBLISHED}/docs/decisions/errors.md#catalogue) the status of the other ${decided.length}. Rely on \`error_code\`.`
}

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
  const keys = new Set(operations.flatMap(({ errors }) => errors.map(({ key }) => key)))
  const decided = [...keys].filter((key) => !OF_THE_EMULATOR.includes(key) && isOursAlone(all.errors[key] ?? {}))
  const further = operations.flatMap(({ errors }) => errors.filter(({ key }) => OF_THE_EMULATOR.includes(key))).length
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
    return [
      `\`${call}\``,
      ...countsOf([...answers, ...fields]),
      percent(answers.filter(isOursAlone).length, answers.length),
      open.join(', '),
    ]
  })
  return table(['operation', ...KINDS, 'answers on a decision alone', 'open doubts'], rows)
}

function doubtTable(doubts: readonly LinkedDoubt[]): string {
  const rows = doubts.map(({ link, about, text }) => [link, about.map((each) => `\`${each}\``).join(', '), text])
  return table(['doubt', 'operations', 'what is not known, and what fauxgate does'], rows)
}
