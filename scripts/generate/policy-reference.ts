// Makes the reference of traffic policies: the actions, the variables and functions of expressions, and the warnings.
import { type Action, type Field, type Fields, type Variables, variableOf } from '../../src/service/policy/action.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import { DECISIONS, type Decision } from '../../src/service/policy/decisions.ts'
import { languageOf, TEXT } from '../../src/service/policy/environment.ts'
import { FUNCTIONS } from '../../src/service/policy/functions.ts'
import { PHASES, type Phase } from '../../src/service/policy/phases.ts'
import { isVariable } from '../../src/service/policy/variables.ts'
import { WARNINGS } from '../../src/service/policy/warnings/index.ts'
import { readTrafficPages, type TrafficRow } from './evidence/traffic-pages.ts'
import { table } from './markdown.ts'

const PAGES = readTrafficPages()

const SITE = 'https://ngrok.com/docs/traffic-policy'

const seconds = (ms: number) => `${ms / 1000}s`

/** Describes the values of a field in words. */
function describe(field: Field): string {
  switch (field.kind) {
    case 'text':
      return field.choices ? field.choices.map((each) => `\`${each}\``).join(', ') : describeText(field)
    case 'integer':
      return `integer from ${field.min} to ${field.max}`
    case 'number':
      return `number from ${field.min} to ${field.max}`
    case 'boolean':
      return '`true` or `false`'
    case 'duration':
      return field.max === Number.POSITIVE_INFINITY
        ? 'duration'
        : `duration from ${seconds(field.min)} to ${seconds(field.max)}`
    case 'list':
      return `list${describeBounds(field)} of: ${describe(field.item)}`
    case 'map':
      return `map${describeBounds(field)} of names to: ${describe(field.value)}`
    case 'object':
      return `map with ${Object.keys(field.fields)
        .map((name) => `\`${name}\``)
        .join(', ')}`
    case 'expression':
      return 'CEL expression'
    case 'header-name':
      return 'name of a header'
    case 'ip-policy':
      return 'id of an IP policy'
    case 'variables':
      return 'list of maps with one name and its value'
    case 'any':
      return 'any value'
  }
}

function describeText({ format, maxLength }: Extract<Field, { kind: 'text' }>): string {
  const FORMATS: Readonly<Record<string, string>> = {
    cidr: 'range of addresses',
    credentials: '`user:password`',
    pattern: 'pattern of RE2',
    certificate: 'certificate as PEM',
    'private-key': 'private key as PEM',
    url: 'URL',
  }
  const what = (format && FORMATS[format]) ?? 'text'
  return maxLength === undefined ? what : `${what} of at most ${maxLength} characters`
}

function describeBounds({ min = 0, max }: { readonly min?: number; readonly max?: number }): string {
  const bounds = [...(min > 0 ? [`at least ${min}`] : []), ...(max === undefined ? [] : [`at most ${max}`])]
  return bounds.length === 0 ? '' : ` (${bounds.join(', ')})`
}

/** Returns the rows of fields, those of maps in maps included. */
function listRows(fields: Fields, path = ''): string[][] {
  return Object.entries(fields).flatMap(([name, field]) => {
    const at = path + name
    const marks = [
      ...(field.isRequired ? ['Required.'] : []),
      ...(field.default === undefined ? [] : [`Default: \`${JSON.stringify(field.default)}\`.`]),
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is what policies write
      ...(field.takesCel ? ['Takes `${…}`.'] : []),
      ...(field.isSecret ? ['Secret.'] : []),
    ]
    const inner = field.kind === 'list' ? field.item : field
    const below = inner.kind === 'object' ? listRows(inner.fields, `${at}${field.kind === 'list' ? '[]' : ''}.`) : []
    return [[`\`${at}\``, describe(field), [field.about, ...marks].join(' ')], ...below]
  })
}

function listVariables(variables: Variables, path: string): (readonly [name: string, type: string, about: string])[] {
  return Object.entries(variables).flatMap(([name, each]) => {
    const at = name === TEXT ? path : path === '' ? name : `${path}.${name}`
    return isVariable(each) ? [[at, each.type, each.about] as const] : listVariables(each, at)
  })
}

/** Formats what the pages of the service leave open or say in two ways, and what fauxgate does not do. */
function formatDecisions(own: readonly Decision[], rows: readonly TrafficRow[]): readonly string[] {
  const readings = rows.flatMap(({ says, undecided }) => (undecided ? [[says, ...undecided]] : []))
  const missing = rows.flatMap(({ says, not }) => (not === undefined ? [] : [[says, not]]))
  return [
    own.length > 0
      ? `Decided by fauxgate, because the service's documentation does not say it:\n\n${own.map(({ says, docs }) => `- ${says} [Reason](${docs}).`).join('\n')}`
      : '',
    readings.length > 0
      ? `The service's pages contradict themselves or each other:\n\n${table(['statement', "fauxgate's reading", 'another reading'], readings)}`
      : '',
    missing.length > 0 ? `Not done by fauxgate:\n\n${table(['statement', 'reason'], missing)}` : '',
  ]
}

function formatAction(action: Action): string {
  const { type, about, page, phases, protocols, config, isOpen, sets, outcomes, decisions: own = [] } = action
  const where = `Phases: ${phases.map((phase) => `\`${phase}\``).join(', ')}.`
  const only = protocols ? ` Only on endpoints of ${protocols.map((each) => `\`${each}\``).join(', ')}.` : ''
  const ends = outcomes ? ` [Outcomes](policy.md#test-a-policy): ${outcomes.join(', ')}.` : ''
  const rows = listRows(config)
  const below = `actions.ngrok.${variableOf(action)}`
  const variables = listVariables(sets ?? {}, below)
  return [
    `### ${type}\n\n${about} ${where}${only}${ends} [The service's page](${SITE}/actions/${page}/).`,
    rows.length > 0
      ? table(['field', 'value', 'meaning'], rows)
      : isOpen
        ? 'Its config is not checked.'
        : 'It has no config.',
    variables.length > 0
      ? table(
          ['variable', 'type', 'value'],
          variables.map(([name, kind, text]) => [`\`${name}\``, `\`${kind}\``, text]),
        )
      : '',
    ...formatDecisions(own, rowsOf(page)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/** Returns the path of the page of an action. */
const pageOf = (name: string) => `traffic-policy/actions/${name}`

/** Returns the statements of the page of an action. */
function rowsOf(name: string): readonly TrafficRow[] {
  return PAGES.find(({ page }) => page === pageOf(name))?.rows ?? []
}

/** Formats the decisions that are no action's, and the pages of the service that are none of an action. */
function formatOtherDecisions(): string {
  const ofActions = ACTIONS.flatMap(({ decisions = [] }) => decisions)
  const others = Object.values<Decision>(DECISIONS).filter((each) => !ofActions.includes(each))
  const pages = PAGES.filter(({ page }) => !ACTIONS.some((action) => pageOf(action.page) === page))
  const rows = pages.flatMap(({ page, rows }) =>
    rows.map((row) => ({
      ...row,
      says: `${row.says} [Page](https://ngrok.com/docs/${page.replace(/\/index$/, '')}).`,
    })),
  )
  return formatDecisions(others, rows)
    .filter((part) => part !== '')
    .join('\n\n')
}

const ALL_PHASES = 'all'

function phasesText(phases: readonly Phase[]): string {
  return phases.length === PHASES.length ? ALL_PHASES : phases.map((phase) => `\`${phase}\``).join(', ')
}

function formatVariables(): string {
  const found = new Map<string, { readonly type: string; readonly about: string; readonly phases: Phase[] }>()
  for (const phase of PHASES) {
    for (const [name, type, about] of listVariables(languageOf({ phase, hasTls: true }).variables, '')) {
      if (name.startsWith('actions.ngrok.') && !name.startsWith('actions.ngrok.last')) continue
      const known = found.get(name) ?? { type, about, phases: [] }
      known.phases.push(phase)
      found.set(name, known)
    }
  }
  const rows = [...found].map(([name, { type, about, phases }]) => [
    `\`${name}\``,
    `\`${type}\``,
    about,
    phasesText(phases),
  ])
  return table(['variable', 'type', 'value', 'phases'], rows)
}

function formatFunctions(): string {
  const rows = FUNCTIONS.map(({ signatures, about, phases }) => [
    signatures.map((each) => `\`${each}\``).join('<br>'),
    about,
    phasesText(phases ?? PHASES),
  ])
  return table(['function', 'meaning', 'phases'], rows)
}

function formatWarnings(): string {
  const texts = WARNINGS.map(({ id, about, reason, docs, wrong, right }) => {
    const example = (text: string) => `\`\`\`yaml\n${text.trimEnd()}\n\`\`\``
    return `### ${id}\n\n${about} ${reason} [The service's page](${docs}).\n\nWrong:\n\n${example(wrong)}\n\nRight:\n\n${example(right)}`
  })
  return texts.join('\n\n')
}

/** Makes the page of the language of traffic policies. */
export function formatPolicyPage(): string {
  return `# Traffic policies

The actions, variables and functions that \`fauxgate policy check\` and a gateway of \`fauxgate/ngrok\` know. Expressions are
written in [CEL](${SITE}/concepts/cel-evaluation/).

## Actions

${ACTIONS.map(formatAction).join('\n\n')}

## Variables

Actions list their own variables.

${formatVariables()}

## Functions

These are the functions that the service adds to CEL's own.

${formatFunctions()}

## Decisions

A request's trace names the fauxgate decision that a step depends on. Actions list their own decisions.

${formatOtherDecisions()}

## Warnings

\`fauxgate policy check\` warns about these policies, which the service accepts.

${formatWarnings()}
`
}
