// Guesses of tools/evidence/traffic.mjs: requests that may satisfy the conditions of a rule, and values of variables.

export const unique = (list) => [...new Set(list)]
export const matchAll = (pattern, text) => [...text.matchAll(pattern)].map((found) => found.slice(1))

/** Returns a request that may satisfy conditions: with the path, the headers and the visitor that they name. */
export function guessVisit(text, origin) {
  const first = (pattern) => pattern.exec(text)?.[1]
  const query = matchAll(/(?:QueryParam\(|query_params\[)\\?['"]([\w-]+)/g, text).map(([key]) => `${key}=a`)
  const cookies = matchAll(/(?:ReqCookie\(|req\.cookies\[)\\?['"]([\w-]+)/g, text).map(([key]) => `${key}=a`)
  const headers = Object.fromEntries(
    [
      ...matchAll(/(?:headers\[|ReqHeader\()['"]([\w-]+)['"][\])][^'"&|\n]*(?:['"]([^'"\n]*))?/gi, text),
      ...matchAll(/user_agent[^'"]*['"](?:\(\?i\))?[.*]*([^'"|()\n]+)/gi, text).map(([value]) => ['user-agent', value]),
      ...(cookies.length > 0 ? [['cookie', cookies.join('; ')]] : []),
    ].map(([key, value]) => [key, value?.trim() || 'a, b.c d']),
  )
  const url = `${origin}${first(/['"](\/[^'"*^$()[\]\\ ]*)['"]/) ?? '/'}${query.length > 0 ? `?${query.join('&')}` : ''}`
  const method = first(/['"](GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS)['"]/) ?? 'GET'
  const ip = first(/(\d+\.\d+\.\d+\.\d+)/) ?? '203.0.113.1'
  const country = first(/country_?code[^'"]*['"]([A-Z]{2})['"]/i)
  const identity = { email: first(/['"]([\w.+-]+@[\w.-]+)['"]/) ?? 'a@example.com', name: 'A', id: '1' }
  return [url, { method, headers, from: { ip, ...(country && { country }), identity } }]
}

/** Returns a value of a variable. A list and a map have what the text reads of them. */
export function sampleOf({ type = 'dyn' } = {}, path, text) {
  const rest = text.split(path).slice(1)
  const read = (pattern) => Object.fromEntries(rest.map((each) => [pattern.exec(each)?.[1] ?? 'a', 'a']))
  if (type.startsWith('list')) return [read(/^\[\d+\]\.(\w+)/)]
  if (type.startsWith('map')) return read(/^\[\\?["']([^"'\\]+)/)
  return { int: 1, double: 1, bool: true }[type] ?? 'a'
}
