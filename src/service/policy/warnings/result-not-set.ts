import { formatCount } from '../../../core/schema/text.ts'
import { isObject } from '../../../core/schema/values.ts'
import { type Config, variableOf } from '../action.ts'
import { ACTIONS } from '../actions/index.ts'
import type { PolicyExpression } from '../expression.ts'
import { type Finding, isWithin, type ReadAction, type Warning } from './warning.ts'

/** The errors in rules and actions that may hide the action. */
const HIDING: readonly (number | undefined)[] = [2201, 2203, 2206, 2230, 2236]

export const resultNotSet: Warning = {
  id: 'result-not-set',
  about:
    'An expression reads the result of an action that is not in an earlier rule or phase, or a token that no action verifies.',
  reason:
    "An action's variables have values only after the action has run. Rules run in order, and the conditions of a rule run before its actions.",
  docs: 'https://ngrok.com/docs/traffic-policy/variables/action/',
  wrong: `on_http_request:
  - expressions: ["actions.ngrok.basic_auth.credentials.username == 'ada'"]
    actions: [{ type: log, config: { metadata: { who: ada } } }]
  - actions: [{ type: basic-auth, config: { credentials: ['ada:correct horse'] } }]
`,
  right: `on_http_request:
  - actions: [{ type: basic-auth, config: { credentials: ['ada:correct horse'] } }]
  - expressions: ["actions.ngrok.basic_auth.credentials.username == 'ada'"]
    actions: [{ type: log, config: { metadata: { who: ada } } }]
`,
  find: ({ actions, expressions, problems }) => {
    if (problems.some(({ number }) => HIDING.includes(number))) return []
    return expressions.flatMap((expression) => {
      const { source, path, offset, kind } = expression
      // Most expressions read no results.
      if (!source.includes('actions.')) return []
      const place = kind === 'condition' ? path.slice(0, 2) : path
      const at = actions.findIndex((each) => isWithin(each.path, place) || isWithin(path, each.path))
      const before = at < 0 ? actions : actions.slice(0, at)
      const found = new Map(Array.from(source.matchAll(READ), (each) => [each[1] ?? '', each.index]))
      const results = [...found].flatMap(([name, index]) => {
        const { type } = ACTIONS.find((row) => variableOf(row) === name) ?? {}
        if (type === undefined || before.some(({ row }) => variableOf(row) === name)) return []
        const isLater = actions.some(({ row }) => row.type === type)
        return {
          path,
          within: { offset: offset + index, length: `actions.ngrok.${name}`.length },
          what: `reads actions.ngrok.${name}, but ${type} ${isLater ? 'runs later' : 'is not in the policy'}`,
          hint: isLater ? `Move the rule with ${type} before this one.` : `Add ${type} to an earlier rule.`,
        }
      })
      return [...results, ...findUnreadTokens(expression, before)]
    })
  },
}

/** A result of an action, unless the expression tests whether it exists. */
const READ = /(?<!\bhas\()\bactions\.ngrok\.(\w+)/g

const TOKEN = /\bactions\.ngrok\.jwt_validation\.tokens\[(\d+)\]/g

/** Finds the tokens that an expression reads although the jwt-validation actions before it have fewer. */
function findUnreadTokens(
  { source, path, offset }: PolicyExpression,
  before: readonly ReadAction[],
): readonly Finding[] {
  const tokens = Math.max(0, ...before.map(({ config }) => countTokens(config)))
  const unread = Array.from(source.matchAll(TOKEN)).filter(([, index]) => tokens > 0 && Number(index) >= tokens)
  return unread.map(({ 0: { length }, 1: token, index }) => ({
    path,
    within: { offset: offset + index, length },
    what: `reads tokens[${token}], but jwt-validation reads only ${formatCount(tokens, 'token')}`,
    hint: `Use tokens[${tokens - 1}], or add the token to http.tokens of jwt-validation.`,
  }))
}

/** Returns the number of tokens that a jwt-validation action reads. */
function countTokens({ http }: Config): number {
  return isObject(http) && Array.isArray(http.tokens) ? http.tokens.length : 0
}
