import { quote } from '../../../core/schema/text.ts'
import { action } from '../action.ts'
import { DECISIONS } from '../decisions.ts'
import { from, text, texts, to } from '../fields.ts'
import { completeUrl, readHttpUrl, toUrlText } from '../url-text.ts'

export const urlRewrite = action({
  type: 'url-rewrite',
  about: 'Replaces matches of a pattern in the whole request URL, including the scheme and the host.',
  page: 'url-rewrite',
  phases: ['on_http_request'],
  config: {
    from: from('The pattern, in RE2 syntax. Without it, the whole URL matches.'),
    to: { ...to, isRequired: true },
  },
  sets: { matches: texts('The parts of the URL that matched.'), url: text('The new URL.') },
  decisions: [DECISIONS.urlText, DECISIONS.noUrl],
  run({ from, to }, { request }) {
    const before = request.url
    const { text, matches } = from === undefined ? { text: to, matches: [before] } : from.replaceAll(before, to)
    const target = toUrlText(text)
    const url = completeUrl(target, before)
    if (!readHttpUrl(url))
      return {
        did: `made ${quote(url)}, which is not an http or https URL`,
        ends: { status: 500, error: 3900 },
        decision: DECISIONS.noUrl,
      }
    request.url = url
    const sets = { matches, url }
    if (before === url) return { did: 'left the URL unchanged', sets, isIdle: true }
    return { did: `rewrote the URL to ${url}`, sets, decision: target === text ? undefined : DECISIONS.urlText }
  },
})
