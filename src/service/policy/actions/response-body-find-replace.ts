import { action } from '../action.ts'
import { REPLACED, replacements } from '../fields.ts'
import { nameReplacements, replaceBody } from '../replace.ts'

export const responseBodyFindReplace = action({
  type: 'response-body-find-replace',
  about: 'Replaces matches of patterns in the response body.',
  page: 'response-body-find-replace',
  phases: ['on_http_response'],
  config: { replacements: replacements({}) },
  sets: REPLACED,
  parts: nameReplacements,
  run: ({ replacements }, visit) => replaceBody(replacements, visit),
})
