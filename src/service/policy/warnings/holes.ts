import type { ASTNode } from '@marcbachmann/cel-js'
import { checkExpression } from '../expression.ts'
import { Cases } from './cases.ts'
import type { Stored } from './stored.ts'
import { MAX_CHOICES, type Subject, type VisitorKind } from './symbolic.ts'
import { Evaluation, type Given } from './visitor.ts'
import { type Hole, listVariables, placeOfNode, type ReadRule, SCOPE } from './warning.ts'

/** The checks that reject clients without credentials. */
const CHECKS = ['basic-auth', 'jwt-validation', 'oauth', 'openid-connect', 'saml', 'verify-webhook']

/** The headers that clients and proxies use for the client's address. */
export const ADDRESS_HEADERS =
  /^'(?:(?:x-)?forwarded(?:-for)?|x-real-ip|x-client-ip|x-cluster-client-ip|true-client-ip|cf-connecting-ip)'$/

/** The maximum number of values to examine in one rule, and of pairs of a value and another rule. */
const MAX_SUBJECTS = 8
const MAX_PAIRS = 100_000

/** The facts about a policy that all its conditions share. */
interface Shared extends Pick<Given, 'variables' | 'stored'> {
  readonly rules: readonly ReadRule[]
  readonly cases: Cases
}

/** The results of the conditions of a rule for each visitor: true, false, or undefined if they fail. */
type Row = Readonly<Record<VisitorKind, boolean | undefined>>

/**
 * Returns the values that rule conditions depend on and that no other rule covers. With `stored`, these include parts of variables that
 * `set-vars` sets.
 */
export function listHoles(rules: readonly ReadRule[], stored?: Stored): readonly Hole[] {
  const shared: Shared = { rules, cases: new Cases(), variables: listVariables(), ...(stored && { stored }) }
  let pairs = 0
  return rules.flatMap((rule) => {
    if (pairs > MAX_PAIRS) return []
    const { evaluation } = run(rule, shared)
    return [...evaluation.subjects.values()].slice(0, MAX_SUBJECTS).flatMap((subject) => {
      pairs += rules.length
      return findHole(rule, subject, shared) ?? []
    })
  })
}

/** Runs a rule's conditions. The rule applies if all of them are true. */
function run({ conditions }: ReadRule, given: Given) {
  const evaluation = new Evaluation(given)
  const results = conditions.map(({ tree, problem }) => (tree && !problem ? evaluation.run(tree) : false))
  const result = results.includes(false) ? false : results.includes(undefined) ? undefined : true
  return { result, evaluation }
}

const VISITORS: readonly VisitorKind[] = ['without', 'wrong', 'empty', 'right', 'high', 'unreadable', 'large']

/** Returns the results of rule conditions for visitors for each combination of all other tests, and those tests. */
function runAll(rules: readonly ReadRule[], subject: Subject, shared: Shared) {
  const choices: string[] = []
  const compared = new Set<string>()
  const rows: (readonly Row[])[] = []
  for (let choice = 0; choice < 1 << Math.min(choices.length, MAX_CHOICES) || choice === 0; choice++) {
    rows.push(
      rules.map((rule) => {
        const row: Partial<Record<VisitorKind, boolean | undefined>> = {}
        for (const visitor of VISITORS) {
          const { result, evaluation } = run(rule, { ...shared, visitor, subject, choice, choices })
          row[visitor] = result
          for (const each of evaluation.compared) compared.add(each)
        }
        const { without, wrong, empty, right, high, unreadable, large } = row
        return { without, wrong, empty, right, high, unreadable, large }
      }),
    )
  }
  return { rows, compared, choices }
}

/** Finds what a value allows in a rule that no other rule prevents. */
function findHole(rule: ReadRule, subject: Subject, shared: Shared): Hole | undefined {
  const alone = runAll([rule], subject, shared)
  const isNeeded = !alone.rows.some(([row]) => row?.without)
  // A visitor who exceeds the limit sends an invalid value instead.
  const isLimit = isDenial(rule)
  const isAddress = (isLimit || checkOf(rule) !== undefined) && ADDRESS_HEADERS.test(subject.name ?? '')
  const find = (rows: readonly Row[]) => ({
    // A rule that acts on an empty header is also meant for a missing one.
    fails: rows.some(({ without, wrong, empty }) => (wrong || (empty && subject.name)) && without === undefined),
    isUnreadable: rows.some(
      ({ wrong, high, unreadable, large }) =>
        (wrong || (isLimit && high)) && (unreadable === undefined || large === undefined),
    ),
    isAllowList: rows.some(({ without, wrong, right }) => wrong === true && without === false && right !== true),
    isClientAddress: isAddress && rows.some(({ wrong, right }) => wrong === true && right === false),
    isNeeded: isNeeded && rows.some(({ without, wrong, right }) => !without && (wrong || right)),
  })
  const isHole = (found: ReturnType<typeof find>) => Object.values(found).includes(true)
  const found = find(alone.rows.flat())
  const fails = isNeeded && alone.rows.some(([row]) => row && row.without === undefined)
  if (fails && rule.conditions.some(({ tree }) => tree && requiresAbsence(tree, subject, shared)))
    return { rule, subject, compared: alone.compared, ...find([]), isNever: true }
  if (!isHole(found)) return undefined
  const guards = listGuards(rule, subject, shared, alone.choices)
  const open = guards.length === 0 ? found : find(listOpen(rule, guards, subject, shared))
  return isHole(open) ? { rule, subject, compared: alone.compared, ...open } : undefined
}

/** Returns whether a condition is, or joins with `&&`, a test such as `!hasReqHeader('x')` that is true only without a value. */
function requiresAbsence(tree: ASTNode, subject: Subject, shared: Shared): boolean {
  if (tree.op === '&&') return tree.args.some((each) => requiresAbsence(each, subject, shared))
  const isTest =
    tree.op === '!_' && (tree.args.op === 'in' || (tree.args.op === 'call' && /^has/.test(tree.args.args[0])))
  const isFor = (visitor: VisitorKind) => new Evaluation({ ...shared, visitor, subject, choices: [] }).run(tree)
  return isTest && isFor('without') === true && isFor('wrong') === false
}

/** Returns the results of a rule's conditions for visitors that no guard stops. For stopped visitors, the rule counts as applied. */
function listOpen(rule: ReadRule, guards: readonly ReadRule[], subject: Subject, shared: Shared): readonly Row[] {
  const { rows, choices } = runAll([rule, ...guards], subject, shared)
  const isPossible = readChoices(choices, shared)
  return rows.flatMap(([row, ...others], choice) => {
    if (!row || !isPossible(choice)) return []
    const isStopped = (visitor: VisitorKind) => others.some((each) => each[visitor] === true)
    const [without, unreadable, large] = (['without', 'unreadable', 'large'] as const).map(
      (visitor) => isStopped(visitor) || row[visitor],
    )
    return { ...row, without, unreadable, large }
  })
}

/**
 * Returns the rules that stop some visitors, that is, rules for requests in which a value is missing or malformed. If there are any, also
 * returns earlier rules that end traffic based on the same tests.
 */
function listGuards(rule: ReadRule, subject: Subject, shared: Shared, tests: readonly string[]): readonly ReadRule[] {
  const { rules } = shared
  const guards = rules.filter((other) => other !== rule && isForOthers(other, subject, shared))
  if (guards.length === 0) return []
  const known = new Set([...tests, ...runAll(guards, subject, shared).choices])
  const before = rules.slice(0, rules.indexOf(rule)).filter((other) => {
    if (other.phase !== rule.phase || guards.includes(other) || !isEnd(other) || other.conditions.length === 0)
      return false
    const choices: string[] = []
    run(other, { ...shared, choices })
    return choices.every((each) => known.has(each))
  })
  return [...guards, ...before]
}

/**
 * Returns whether a rule is for requests in which a value is missing or malformed, that is, whether it ends or checks such requests but not
 * all other requests.
 */
function isForOthers(rule: ReadRule, subject: Subject, shared: Shared): boolean {
  if (!isEnd(rule) && !rule.actions.some(({ row }) => CHECKS.includes(row.type))) return false
  const word = subject.name?.replaceAll("'", '') ?? ''
  if (!rule.conditions.some(({ source }) => source.toLowerCase().includes(word.toLowerCase()))) return false
  const rows = runAll([rule], subject, shared).rows.flat()
  return rows.some(({ without, wrong, right, unreadable }) => (without || unreadable) === true && !(wrong && right))
}

function isEnd({ actions }: ReadRule): boolean {
  return actions.some(({ row, config }) => row.ends?.(config))
}

/** Returns a function that tells whether a combination is possible. For example, a path that begins with `/a/b` also begins with `/a`. */
function readChoices(choices: readonly string[], { cases }: Shared): (choice: number) => boolean {
  const tests = choices.flatMap((source, at) => {
    const { tree, problem } = checkExpression(source, SCOPE)
    return tree && !problem ? [{ tree, bit: at % MAX_CHOICES }] : []
  })
  const listed = tests.length > 1 ? cases.list(tests.map(({ tree }) => tree)) : undefined
  return (choice) =>
    listed?.some((truths) => tests.every(({ tree, bit }) => truths.get(tree) === (((choice >> bit) & 1) === 1))) ?? true
}

export function isDenial({ actions }: ReadRule): boolean {
  return actions.some(({ row, config }) => {
    const { status_code: status } = config
    const isError = row.type === 'custom-response' && typeof status === 'number' && status >= 400 && status < 500
    return isError || row.type === 'deny' || row.type === 'close-connection'
  })
}

/** Returns the type of a rule's check, or undefined if the rule contains no check that ends traffic. */
export function checkOf({ actions }: ReadRule): string | undefined {
  return actions.find(({ row, config }) => CHECKS.includes(row.type) && config.enforce !== false)?.row.type
}

/** Returns the position of a value's test among the conditions of its rule. */
export function placeOf({ rule, subject }: Hole) {
  const { test } = subject
  return placeOfNode(
    rule.conditions.find(({ source }) => source === test.input) ?? { path: rule.path, offset: 0 },
    test,
  )
}
