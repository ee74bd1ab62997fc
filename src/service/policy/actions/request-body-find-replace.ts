import type { Action } from '../action.ts'
import { REPLACED, replacements } from '../fields.ts'

export const requestBodyFindReplace: Action = {
  type: 'request-body-find-replace',
  about: 'Replaces what matches patterns in the body of the request.',
  page: 'request-body-find-replace',
  phases: ['on_http_request'],
  config: { replacements: replacements() },
  sets: REPLACED,
}
