import { describe, expect, test } from 'vitest'
import replacements from './replacements.json'
import { createVisited, policyOf } from './visits.ts'

// The rows are a pattern, a replacement, a text, and the result of regexp.ReplaceAllString of Go 1.26.
const ROWS = replacements.map(([from = '', to = '', text = '', result = '']) => ({ from, to, text, result }))
const PATTERNS = [...new Set(ROWS.map(({ from }) => from))]

/** Writes a text as an interpolation, whose value is the text unchanged. */
function interpolate(text: string): string {
  const letters = Array.from(text, (letter) => `\\U${letter.codePointAt(0)?.toString(16).padStart(8, '0')}`)
  return `\${"${letters.join('')}"}`
}

describe('Replacements are those of Go (rules: traffic#replacements)', () => {
  test.each(PATTERNS)('of what matches %j', async (pattern) => {
    const rows = ROWS.filter(({ from }) => from === pattern)
    const found: typeof rows = []
    for (const { from, to, text } of rows) {
      const config = { replacements: [{ from: interpolate(from), to: interpolate(to) }] }
      const { visit, received } = createVisited(policyOf('request-body-find-replace', config))
      await visit('/', { method: 'POST', body: text })
      found.push({ from, to, text, result: (await received[0]?.text()) ?? 'none' })
    }
    expect(found).toEqual(rows)
  })

  test.each([
    ['redirect', '.*', 'https://b.example.com/', 'https://b.example.com/'],
    ['redirect', '(/a)(b)', '$2x', 'https://app.example.com'],
    ['redirect', '(?P<first>/a)(b)', '$first$9', 'https://app.example.com/a'],
  ])('%s of %j to %j leads to %j', async (type, from, to, url) => {
    const { visit } = createVisited(policyOf(type, { from, to }))
    const response = await visit('/ab', { redirect: 'manual' })
    expect(response.headers.get('location')).toBe(url)
  })

  test('url-rewrite of .* replaces the URL once', async () => {
    const { visit, received } = createVisited(policyOf('url-rewrite', { from: '.*', to: '/b' }))
    await visit('/a?c')
    expect(received.map(({ url }) => url)).toEqual(['http://localhost/b'])
  })

  test('an action lists no empty match right after another match', async () => {
    const show = { body: '${actions.ngrok.url_rewrite.matches}' }
    const { visit } = createVisited(
      JSON.stringify({
        on_http_request: [
          {
            actions: [
              { type: 'url-rewrite', config: { from: 'a*$', to: 'b' } },
              { type: 'custom-response', config: show },
            ],
          },
        ],
      }),
    )
    expect(await (await visit('/caa')).text()).toBe('[aa]')
  })
})
