import { variableOf } from '../action.ts'
import { ACTIONS } from '../actions/index.ts'
import { LISTS, type Subject } from './symbolic.ts'

const PAGES = 'https://ngrok.com/docs/traffic-policy/'

/**
 * Returns the section of the service's documentation about a value that a request may lack, that is, the section about the function that
 * reads or tests it.
 */
export function pageOf({ key }: Subject, verb: 'get' | 'has'): string {
  const [name] = Object.entries(LISTS).find(([, path]) => key.startsWith(path)) ?? []
  const result = verb === 'has' ? 'bool' : name?.endsWith('Cookie') ? 'cookie' : 'list'
  if (name !== undefined) return `${PAGES}macros/#${verb}${name.toLowerCase()}string---${result}`
  const [, variable] = /^actions\.ngrok\.(\w+)/.exec(key) ?? []
  const action = ACTIONS.find((each) => variableOf(each) === variable)
  return action ? `${PAGES}actions/${action.page}/#action-result-variables` : `${PAGES}concepts/expressions/`
}
