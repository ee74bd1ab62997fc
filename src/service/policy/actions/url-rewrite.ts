import { action } from '../action.ts'
import { from, text, texts, to } from '../fields.ts'

export const urlRewrite = action({
  type: 'url-rewrite',
  about: 'Replaces what matches a pattern in the whole URL of the request, scheme and host included.',
  page: 'url-rewrite',
  phases: ['on_http_request'],
  config: {
    from: from('The pattern, in the syntax of RE2. Without it, the whole URL matches.'),
    to: { ...to, isRequired: true },
  },
  sets: { matches: texts('The parts of the URL that matched.'), url: text('The new URL.') },
  run({ from, to }, { request, pattern }) {
    const before = request.url
    const matches = from === undefined ? [before] : pattern(from).matches(before)
    request.url = from === undefined ? to : pattern(from).replaceAll(before, to)
    const did = before === request.url ? 'left the URL unchanged' : `rewrote the URL to ${request.url}`
    return { did, sets: { matches, url: request.url } }
  },
})
