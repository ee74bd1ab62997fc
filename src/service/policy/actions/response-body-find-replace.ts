import type { Action } from '../action.ts'
import { REPLACED, replacements } from '../fields.ts'

export const responseBodyFindReplace: Action = {
  type: 'response-body-find-replace',
  about: 'Replaces what matches patterns in the body of the response.',
  page: 'response-body-find-replace',
  phases: ['on_http_response'],
  config: { replacements: replacements() },
  sets: REPLACED,
}
