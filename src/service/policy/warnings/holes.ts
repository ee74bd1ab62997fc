import type { Variables } from '../action.ts'
import { variablesOf } from '../environment.ts'
import { MAX_CHOICES, type Subject, type Visitor } from './symbolic.ts'
import { Evaluation } from './visitor.ts'
import type { Hole, ReadRule } from './warning.ts'

/** The checks that reject clients without their credentials. */
const CHECKS = ['basic-auth', 'jwt-validation', 'oauth', 'openid-connect', 'saml', 'verify-webhook']

/** The maximum number of values to examine in one rule, and of pairs of such a value and another rule. */
const MAX_SUBJECTS = 8
const MAX_PAIRS = 100_000

/** Returns the values that the conditions of rules depend on, and for which no other rule is there. */
export function listHoles(rules: readonly ReadRule[]): readonly Hole[] {
  // The phase of responses has the variables of all phases. A condition with one of a later phase has an error.
  const variables = variablesOf({ phase: 'on_http_response', hasTls: true, isModule: true })
  let pairs = 0
  return rules.flatMap((rule) => {
    if (pairs > MAX_PAIRS) return []
    const { evaluation } = run(rule, { variables })
    return [...evaluation.subjects.values()].slice(0, MAX_SUBJECTS).flatMap((subject) => {
      pairs += rules.length
      const hole = toHole(rule, subject, variables)
      const isHole = hole.fails || hole.isUnreadable || hole.isAllowList || hole.isNeeded
      return isHole && !rules.some((other) => other !== rule && isForOthers(other, subject, variables)) ? [hole] : []
    })
  })
}

type Given = Pick<Evaluation, 'variables'> & Partial<Pick<Evaluation, 'visitor' | 'subject' | 'choice' | 'choices'>>

/** Runs the conditions of a rule: it applies if all of them are true. */
function run({ conditions }: ReadRule, of: Given) {
  const evaluation = new Evaluation(of.variables, of.visitor, of.subject, of.choice, of.choices)
  const results = conditions.map(({ tree, problem }) => (tree && !problem ? evaluation.run(tree) : false))
  const result = results.includes(false) ? false : results.includes(undefined) ? undefined : true
  return { result, evaluation }
}

/** Returns what the conditions of a rule are for visitors, for each choice of all other tests. */
function runAll(rule: ReadRule, subject: Subject, variables: Variables, visitors: readonly Visitor[]) {
  const choices: string[] = []
  const compared = new Set<string>()
  const rows: Record<Visitor, boolean | undefined>[] = []
  for (let choice = 0; choice < 1 << Math.min(choices.length, MAX_CHOICES) || choice === 0; choice++) {
    const row: Partial<Record<Visitor, boolean | undefined>> = {}
    for (const visitor of visitors) {
      const { result, evaluation } = run(rule, { variables, visitor, subject, choice, choices })
      row[visitor] = result
      for (const each of evaluation.compared) compared.add(each)
    }
    const { without, wrong, right, high, unreadable } = row
    rows.push({ without, wrong, right, high, unreadable })
  }
  return { rows, compared }
}

function toHole(rule: ReadRule, subject: Subject, variables: Variables): Hole {
  const { rows, compared } = runAll(rule, subject, variables, ['without', 'wrong', 'right', 'high', 'unreadable'])
  // A client that must not exceed a limit sends an invalid value.
  const isLimit = isDenial(rule)
  return {
    rule,
    subject,
    compared,
    fails: rows.some(({ without, wrong }) => wrong === true && without === undefined),
    isUnreadable: rows.some(({ wrong, high, unreadable }) => (wrong || (isLimit && high)) && unreadable === undefined),
    isAllowList: rows.some(({ without, wrong, right }) => wrong === true && without === false && right !== true),
    isNeeded: !rows.some(({ without }) => without) && rows.some(({ wrong, right }) => wrong || right),
  }
}

/** Returns whether a rule is for requests without a value: it ends or checks these, and not all others. */
function isForOthers(rule: ReadRule, subject: Subject, variables: Variables): boolean {
  if (!rule.actions.some(({ row, config }) => row.ends?.(config) || CHECKS.includes(row.type))) return false
  const word = subject.name?.replaceAll("'", '') ?? ''
  if (!rule.conditions.some(({ source }) => source.toLowerCase().includes(word.toLowerCase()))) return false
  const { rows } = runAll(rule, subject, variables, ['without', 'wrong', 'right'])
  return rows.some(({ without, wrong, right }) => without === true && !(wrong && right))
}

export function isDenial({ actions }: ReadRule): boolean {
  return actions.some(({ row, config }) => {
    const { status_code: status } = config
    const isError = row.type === 'custom-response' && typeof status === 'number' && status >= 400 && status < 500
    return isError || row.type === 'deny' || row.type === 'close-connection'
  })
}

/** Returns the type of the check that a rule has, or undefined if it has none that ends traffic. */
export function checkOf({ actions }: ReadRule): string | undefined {
  return actions.find(({ row, config }) => CHECKS.includes(row.type) && config.enforce !== false)?.row.type
}

/** Returns the place of the test of a value in the conditions of its rule. */
export function placeOf({ rule, subject }: Hole) {
  const { test } = subject
  const { path, offset } = rule.conditions.find(({ source }) => source === test.input) ?? { path: rule.path, offset: 0 }
  return { path, within: { offset: offset + test.range.start, length: test.range.end - test.range.start } }
}
