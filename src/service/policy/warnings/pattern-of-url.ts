import type { ASTNode } from '@marcbachmann/cel-js'
import { quote } from '../../../core/schema/text.ts'
import type { Config } from '../action.ts'
import { pathOfNode } from '../expression.ts'
import { readTest } from './cases.ts'
import type { Finding, ReadRule, Warning } from './warning.ts'

export const patternOfUrl: Warning = {
  id: 'pattern-of-url',
  about: 'The pattern of a redirect or a rewrite treats the URL as a path: it never matches, or the new URL is wrong.',
  reason:
    'The pattern is compared with the whole URL, such as `https://example.com/a`, and only its match is replaced.',
  docs: 'https://ngrok.com/docs/traffic-policy/actions/url-rewrite/',
  wrong: `on_http_request:
  - actions: [{ type: url-rewrite, config: { from: ^/api/, to: /v2/ } }]
`,
  right: `on_http_request:
  - actions: [{ type: url-rewrite, config: { from: /api/, to: /v2/ } }]
`,
  find: ({ rules }) =>
    rules.flatMap((rule) =>
      rule.actions.flatMap(({ row, config, path }) => {
        const found = ['redirect', 'url-rewrite'].includes(row.type) ? findWrong(config, row.type, rule) : undefined
        const docs = `https://ngrok.com/docs/traffic-policy/actions/${row.page}/`
        return found ? { docs, ...found, path: [...path, 'config', ...found.path] } : []
      }),
    ),
}

/** Returns whether a condition tests only the beginning of the path, and holds for a path. */
function isPrefix(tree: ASTNode | undefined, path: string): boolean {
  const { subject, name, constants = [] } = (tree && readTest(tree)) ?? {}
  const isOfPath = subject && pathOfNode(subject) === 'req.url.path'
  return isOfPath === true && name === 'startsWith' && constants.some((each) => path.startsWith(String(each)))
}

function findWrong({ from, to }: Config, type: string, { conditions }: ReadRule): Finding | undefined {
  if (typeof from !== 'string' || typeof to !== 'string') return undefined
  const whole = 'https?://[^/]+'
  if (/^\^(?:\/[^|]*$|\((?:\?:)?\/[^()|]*(?:\|\/[^()|]*)*\)(?![*?{]))/.test(from))
    return {
      path: ['from'],
      what: `is ${quote(from)}, which never matches, because a URL begins with its scheme`,
      hint: `Remove the ^, or write ^${whole}${from.slice(1)}.`,
    }
  if (/^\/\((?:\?:)?[.]/.test(from))
    return {
      path: ['from'],
      what: `is ${quote(from)}, whose first match is the // after the scheme`,
      hint: `Begin from with ^(${whole}), and to with $1.`,
    }
  if (from.startsWith('/') && /^https?:\/\//.test(to))
    return {
      path: ['to'],
      what: `is a whole URL, but ${quote(from)} matches only a part, so the scheme and the host before the match remain`,
      hint: `Begin from with ^${whole}, or write a path.`,
    }
  const isAgain = conditions.every(({ tree }) => isPrefix(tree, to))
  const isLoop = type === 'redirect' && isAgain && /^[\w/-]+$/.test(from) && to.includes(from)
  if (!isLoop || to === from) return undefined
  return {
    path: ['to'],
    what: `also matches ${quote(from)}, so each redirect leads to another`,
    hint: 'End the pattern with $, or add an expression that excludes the new path.',
  }
}
