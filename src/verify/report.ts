import { cut, formatCount } from '../core/schema/text.ts'
import type { RemainingResource } from './clean-up.ts'
import { type Difference, differenceText } from './differ.ts'
import type { ApiResponse } from './exchange.ts'
import { type FieldNotAsked, fieldLines } from './left-out.ts'
import { NOT_CHOSEN } from './scenarios.ts'

export type StepVerdict = 'same' | 'differs' | 'not called'

/** The outcome of one step. */
export interface StepOutcome {
  readonly family: string
  readonly operation: string
  readonly what: string
  readonly method: string
  readonly path: string
  /** The text of the body, if it was sent and the responses differ. */
  readonly body?: string
  readonly verdict: StepVerdict
  /** The reason that the step was not sent. */
  readonly reason?: string
  /** True if an earlier failure, rather than a rule of the run, prevented the step from being sent. */
  readonly isFailure?: boolean
  readonly differences?: readonly Difference[]
  /** Both responses without secrets, if they differ. */
  readonly expected?: ResponseExcerpt
  readonly received?: ResponseExcerpt
}

/** The part of a response shown in a result. */
export interface ResponseExcerpt {
  readonly status: number
  readonly body: unknown
}

/** Fields whose values are not shown in a result. */
const SECRET_FIELDS = ['token', 'value', 'private_key_pem']

/** Returns the part of a response to show in a result. */
export function excerptOf({ status, text, body }: ApiResponse): ResponseExcerpt {
  if (body === undefined) return { status, body: text === '' ? undefined : text.slice(0, 2000) }
  const hide = (name: string, value: unknown) =>
    SECRET_FIELDS.includes(name) && typeof value === 'string' ? '[redacted]' : value
  return { status, body: JSON.parse(JSON.stringify(body, hide)) }
}

/** The result of an operation. */
export interface OperationResult {
  readonly operation: string
  readonly verdict: StepVerdict
  /** The number of its requests, by verdict. */
  readonly same: number
  readonly differs: number
  readonly notAsked: number
  /** The reason, if none of its requests was sent. */
  readonly reason?: string
}

/** A change to a list since before the run. */
export interface InventoryChange {
  readonly path: string
  readonly id: string
  readonly change: 'missing' | 'new' | 'changed'
}

/** The result of a run. */
export interface VerifyReport {
  readonly url: string
  readonly dialect: string
  /** The ID of the run. Each name that the run assigns contains it. */
  readonly run: string
  readonly startedAt: string
  readonly requests: number
  readonly outcomes: readonly StepOutcome[]
  readonly operations: readonly OperationResult[]
  /** The fields of called operations that were not in any request. */
  readonly fieldsNotAsked: readonly FieldNotAsked[]
  readonly inventory: readonly InventoryChange[]
  /** The resources that the run may have left behind. */
  readonly remaining: readonly RemainingResource[]
  /** The reason that the run ended early, if it did. */
  readonly stopped?: string
}

/** Summarizes the outcomes of each operation. For an operation without outcomes, states why it was not called. */
export function operationResults(
  operations: readonly string[],
  outcomes: readonly StepOutcome[],
  notAsked: ReadonlyMap<string, string>,
): readonly OperationResult[] {
  return operations.map((operation) => {
    const own = outcomes.filter((each) => each.operation === operation)
    const count = (verdict: StepVerdict) => own.filter((each) => each.verdict === verdict).length
    const counts = { same: count('same'), differs: count('differs'), notAsked: count('not called') }
    const verdict = counts.differs > 0 ? 'differs' : counts.same > 0 ? 'same' : 'not called'
    const reason = own.find((each) => each.reason !== undefined)?.reason ?? notAsked.get(operation)
    return { operation, verdict, ...counts, ...(verdict === 'not called' && reason !== undefined && { reason }) }
  })
}

/**
 * Returns the exit code of the command: 0 if nothing differs, 1 if a response or the inventory differs, 3 if something could not be called,
 * or 4 if something may be left behind.
 */
export function exitCodeOf({ outcomes, inventory, remaining, stopped }: VerifyReport): 0 | 1 | 3 | 4 {
  if (remaining.length > 0) return 4
  if (inventory.length > 0 || outcomes.some(({ verdict }) => verdict === 'differs')) return 1
  const isAnySame = outcomes.some(({ verdict }) => verdict === 'same')
  return stopped !== undefined || !isAnySame || outcomes.some(({ isFailure }) => isFailure) ? 3 : 0
}

/** Returns the result as a string for people. */
export function reportText(report: VerifyReport): string {
  const { operations, outcomes, fieldsNotAsked, inventory, remaining, stopped, url, dialect, requests } = report
  const called = operations.filter(({ verdict }) => verdict !== 'not called')
  const width = Math.max(0, ...called.map(({ operation }) => operation.length))
  const count = (verdict: StepVerdict) => operations.filter((each) => each.verdict === verdict).length
  const counts = `${count('same')} operations the same, ${count('differs')} different, ${count('not called')} not called`
  return [
    ...called.map((each) => `${each.operation.padEnd(width)}  ${rowText(each)}`),
    ...outcomes.filter(({ verdict }) => verdict === 'differs').flatMap((each) => ['', ...differenceLines(each)]),
    // If no request could be sent, one reason is enough.
    ...(called.length > 0 || stopped === undefined ? notAskedLines(operations) : []),
    ...(called.length > 0 ? fieldLines(fieldsNotAsked) : []),
    ...(inventory.length > 0 ? ['', 'The inventory has changed:'] : []),
    ...inventory.map(({ path, id, change }) => `  ${path}/${id}: ${change}`),
    ...(remaining.length > 0 ? ['', 'May be left behind; "fauxgate verify --clean" deletes it:'] : []),
    ...remaining.map(({ path, reason }) => `  ${path}: ${reason}`),
    '',
    ...(stopped === undefined ? [] : [`Ended early: ${stopped}.`]),
    `${url}, compared with fauxgate (${dialect}): ${counts}; ${formatCount(requests, 'request')}.`,
    '',
  ].join('\n')
}

function rowText({ verdict, same, differs, notAsked }: OperationResult): string {
  const further = notAsked > 0 ? `, ${notAsked} not called` : ''
  const all = formatCount(same + differs, 'answer')
  return verdict === 'same' ? `same     ${all}${further}` : `differs  ${differs} of ${all}${further}`
}

/** Lists the operations that were not called, grouped by reason. */
function notAskedLines(operations: readonly OperationResult[]): string[] {
  const byReason = new Map<string, string[]>()
  for (const { operation, verdict, reason = '' } of operations) {
    if (verdict === 'not called') byReason.set(reason, [...(byReason.get(reason) ?? []), operation])
  }
  if (byReason.size === 0) return []
  // The user knows what --only leaves out: about 200 operations.
  const linesOf = (reason: string, names: readonly string[]) =>
    reason === NOT_CHOSEN
      ? [`  ${reason}: ${formatCount(names.length, 'operation')}`]
      : [`  ${reason}:`, `    ${names.join(', ')}`]
  return ['', 'Not called:', ...[...byReason].flatMap(([reason, names]) => linesOf(reason, names))]
}

function differenceLines({
  operation,
  what,
  method,
  path,
  body,
  differences = [],
  expected,
  received,
}: StepOutcome): string[] {
  return [
    `${operation} ${what}: ${method} ${path}`,
    ...(body === undefined ? [] : [`  asked     ${cut(body, MAX_SHOWN)}`]),
    ...differences.map((each) => `  ${differenceText(each)}`),
    `  fauxgate  ${responseText(expected)}`,
    `  received  ${responseText(received)}`,
  ]
}

/** The maximum number of characters of a response to show in the text. `--json` includes everything. */
const MAX_SHOWN = 600

function responseText(response: ResponseExcerpt | undefined): string {
  if (!response) return ''
  const json = response.body === undefined ? '' : JSON.stringify(response.body)
  return `${response.status} ${cut(json, MAX_SHOWN)}`
}

/** Returns the result as JUnit XML: one suite per family, and one case per request. */
export function reportXml({ outcomes, url, inventory, remaining, stopped }: VerifyReport): string {
  const families = [...new Set(outcomes.map(({ family }) => family))]
  const suites = families.map((family) => {
    const own = outcomes.filter((each) => each.family === family)
    return suite(family, own.map(testCase))
  })
  const left = [
    ...inventory.map(({ path, id, change }) => failedCase('inventory', `${path}/${id}`, change)),
    ...remaining.map(({ path, reason }) => failedCase('inventory', path, reason)),
  ]
  const checked = left.length > 0 ? left : [unfailedCase('inventory', 'as before', stopped)]
  const all = [...suites, suite('inventory', checked)].join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="fauxgate verify ${escapeXml(url)}">\n${all}\n</testsuites>\n`
}

function suite(name: string, cases: readonly string[]): string {
  const count = (mark: string) => cases.filter((each) => each.includes(mark)).length
  const counts = `tests="${cases.length}" failures="${count('<failure')}" skipped="${count('<skipped')}"`
  return `<testsuite name="${escapeXml(name)}" ${counts}>\n${cases.join('\n')}\n</testsuite>`
}

function testCase(outcome: StepOutcome): string {
  const { operation, what, verdict, reason, differences = [] } = outcome
  return verdict === 'differs'
    ? failedCase(operation, what, differences.map((each) => differenceText(each)).join('\n'))
    : unfailedCase(operation, what, reason)
}

/** Formats a case that passed or was skipped for a reason. */
function unfailedCase(operation: string, what: string, reason: string | undefined): string {
  const attributes = `classname="${escapeXml(operation)}" name="${escapeXml(what)}"`
  if (reason === undefined) return `<testcase ${attributes}/>`
  return `<testcase ${attributes}><skipped message="${escapeXml(reason)}"/></testcase>`
}

function failedCase(operation: string, what: string, text: string): string {
  const message = escapeXml(text.split('\n')[0] ?? '')
  return `<testcase classname="${escapeXml(operation)}" name="${escapeXml(what)}"><failure message="${message}">${escapeXml(text)}</failure></testcase>`
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Characters that are not allowed in XML are omitted. */
function escapeXml(text: string): string {
  return text.replaceAll(/(?![\t\n\r])[\p{Cc}\ufffe\uffff]/gu, '').replaceAll(/[&<>"]/g, (each) => ENTITIES[each] ?? '')
}
