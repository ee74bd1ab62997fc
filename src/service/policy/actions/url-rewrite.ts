import type { Action } from '../action.ts'
import { from, text, texts, to } from '../fields.ts'

export const urlRewrite: Action = {
  type: 'url-rewrite',
  about: 'Replaces what matches a pattern in the whole URL of the request, scheme and host included.',
  page: 'url-rewrite',
  phases: ['on_http_request'],
  config: { from: from('The pattern, in the syntax of RE2.', true), to: { ...to, isRequired: true } },
  sets: { matches: texts('The parts of the URL that matched.'), url: text('The new URL.') },
}
