import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { from, headers, text, texts, to } from '../fields.ts'
import { completeUrl, toUrlText } from '../url-text.ts'

export const redirect = action({
  type: 'redirect',
  about: "Redirects to the URL that results from the replacement. If the URL doesn't change, there is no redirect.",
  page: 'redirect',
  phases: ['on_http_request'],
  config: {
    from: from('The pattern, in RE2 syntax. Without it, the whole URL matches.'),
    to: { ...to, isRequired: true },
    status_code: { kind: 'integer', min: 300, max: 399, default: 302, about: 'The status of the redirect.' },
    headers: headers('Additional headers for the redirect.'),
  },
  mayEnd: true,
  sets: { matches: texts('The parts of the URL that matched.'), url: text('The URL of the redirect.') },
  decisions: [DECISIONS.urlText],
  run({ from, to, status_code: status, headers = {} }, { request }) {
    const before = request.url
    const { text, matches } = from === undefined ? { text: to, matches: [before] } : from.replaceAll(before, to)
    const target = toUrlText(text)
    const url = completeUrl(target, before)
    const sets = { matches, url }
    if (url === before) return { did: 'left the URL unchanged', sets, isIdle: true }
    const others = Object.entries(headers).filter(([name]) => name.toLowerCase() !== 'location')
    const ends = { status, headers: { ...Object.fromEntries(others), location: url } }
    return { did: `redirected to ${url}`, sets, ends, decision: target === text ? undefined : DECISIONS.urlText }
  },
})
