import { isObject } from '../../../core/schema/values.ts'
import { groupsOf } from '../pattern.ts'
import { blankInterpolations } from '../template.ts'
import type { Warning } from './warning.ts'

export const groupUnknown: Warning = {
  id: 'group-unknown',
  about:
    'A replacement such as `$2` names a group that the pattern does not contain, or writes a group as `${1}` or `\\1`.',
  reason: 'A group that does not exist is replaced with an empty string.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/url-rewrite/',
  wrong: `on_http_request:
  - actions: [{ type: url-rewrite, config: { from: '/blog/([0-9]+)', to: '/posts?id=$1&page=$2' } }]
`,
  right: `on_http_request:
  - actions: [{ type: url-rewrite, config: { from: '/blog/([0-9]+)/([0-9]+)', to: '/posts?id=$1&page=$2' } }]
`,
  find: ({ actions }) =>
    actions.flatMap(({ config, path }) =>
      [config, ...(Array.isArray(config.replacements) ? config.replacements : [])].flatMap((each: unknown, index) => {
        const { from, to } = isObject(each) ? each : {}
        if (typeof from !== 'string' || typeof to !== 'string' || from.includes('${')) return []
        const groups = groupsOf(from)
        const at = [...path, 'config', ...(index > 0 ? ['replacements', index - 1] : []), 'to']
        const [written, digits, escaped = digits] = /\$\{\s*(\d+)\s*\}|\\(\d)/.exec(to) ?? []
        if (written !== undefined && groups?.has(escaped ?? ''))
          return {
            path: at,
            what: `writes a group as ${written}, which is ${digits === undefined ? 'that text' : `the number ${digits}`}`,
            hint: `Write $${escaped}.`,
          }
        const name = groups && namesIn(to).find((group) => !groups.has(group))
        if (name === undefined) return []
        const known = [...(groups ?? [])].slice(1).map((group) => `$${group}`)
        const hint =
          known.length > 0
            ? `The pattern has ${known.join(', ')}.`
            : 'Put the part that it should stand for in parentheses in the pattern.'
        return {
          path: at,
          what: `refers to the group $${name}, which the pattern does not have, so it is replaced with nothing`,
          hint: `${hint} Write $$ for a dollar sign.`,
        }
      }),
    ),
}

/** Lists the groups that a replacement names. A name extends as far as possible. */
function namesIn(to: string): readonly string[] {
  return Array.from(blankInterpolations(to).matchAll(/\$(?:\$|([\p{L}\p{Nd}_]+))/gu), ([, name]) => name ?? '0')
}
