import { quote } from '../../../core/schema/text.ts'
import { blankInterpolations } from '../template.ts'
import { type Finding, listValues, type ReadValue, type Warning } from './warning.ts'

export const headerValue: Warning = {
  id: 'header-value',
  about:
    "A header's value contains a control character around a `${…}` or a character outside ASCII, or the name of a header to remove contains a `*`.",
  reason:
    'Headers cannot contain control characters: traffic fails with error 3900. Other characters are sent in UTF-8, which clients read as Latin-1.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/add-headers/',
  wrong: `on_http_response:
  - actions:
      - { type: add-headers, config: { headers: { x-city: 'Köln' } } }
`,
  right: `on_http_response:
  - actions:
      - { type: add-headers, config: { headers: { x-city: 'K%C3%B6ln' } } }
`,
  find: ({ actions }) => actions.flatMap(listValues).flatMap(findIn),
}

function findIn({ field, value, path }: ReadValue): readonly Finding[] {
  if (field.kind === 'header-name' && typeof value === 'string' && value.includes('*'))
    return [{ path, what: 'has a "*", which is not a wildcard', hint: 'Write the whole name of each header.' }]
  if (field.kind !== 'text' || field.format !== 'header-value' || typeof value !== 'string') return []
  const fixed = blankInterpolations(value)
  const [letter] = /[^\t\x20-\x7e]/u.exec(fixed) ?? []
  if (letter === undefined) return []
  const isControl = /\p{Cc}/u.test(letter)
  // A value without expressions is an error.
  if (isControl && fixed === value) return []
  const why = isControl ? 'which headers cannot contain' : 'which clients read as other characters'
  const hint = isControl ? 'Remove the control character.' : 'Write it in ASCII, for example percent-encoded.'
  return [{ path, what: `has the character ${quote(letter)}, ${why}`, hint }]
}
