import { action } from '../action.ts'
import { REPLACED, replacements } from '../fields.ts'
import { nameReplacements, replaceBody } from '../replace.ts'

export const requestBodyFindReplace = action({
  type: 'request-body-find-replace',
  about: 'Replaces matches of patterns in the request body.',
  page: 'request-body-find-replace',
  phases: ['on_http_request'],
  config: { replacements: replacements({}) },
  sets: REPLACED,
  parts: nameReplacements,
  run: ({ replacements }, visit) => replaceBody(replacements, visit),
})
