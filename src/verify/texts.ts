/** Matches a timestamp as it appears in responses. */
export const TIME = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/** Returns whether a string matches a pattern with `*` as a wildcard. */
export function matchesWildcards(pattern: string, text: string): boolean {
  const [first = '', ...parts] = pattern.split('*')
  const last = parts.pop()
  if (last === undefined) return pattern === text
  if (!text.startsWith(first)) return false
  let at = first.length
  for (const part of parts) {
    const found = text.indexOf(part, at)
    if (found === -1) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}

/** The maximum number of characters of a value to show in a result. */
const MAX_SHOWN = 200

/** Returns a value as JSON, truncated if it is long. */
export function valueText(value: unknown): string {
  if (value === undefined) return 'nothing'
  const json = JSON.stringify(value)
  return json.length <= MAX_SHOWN ? json : `${json.slice(0, MAX_SHOWN)}… (${json.length} characters)`
}

/** Applies a function to the parts of a path and to the names and decoded values of its query. */
export function mapPath(path: string, change: (text: string, isValue: boolean) => string): string {
  const [at = '', query] = path.split(/\?(.*)/s)
  const parts = at.split('/').map((part) => change(part, false))
  if (query === undefined) return parts.join('/')
  const parameters = query.split('&').map((parameter) => {
    const [name = '', ...rest] = parameter.split('=')
    const value = decodeOrKeep(rest.join('='))
    const changed = change(value, true)
    const changedName = change(name, false)
    return changed === value && changedName === name ? parameter : `${changedName}=${encodeURIComponent(changed)}`
  })
  return `${parts.join('/')}?${parameters.join('&')}`
}

function decodeOrKeep(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
