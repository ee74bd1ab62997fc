import { utf8Bytes } from '../../core/schema/platform.ts'
import { hashes } from '../../service/x509/hashes.ts'

/** The inspector's scripts, next to its page: its main script, and tabs that it loads later. */
export const PAGE_SCRIPTS = ['page', 'traffic', 'resources', 'state'] as const

/** The headers of an inspector script. */
export const SCRIPT_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** Creates the headers of a page. The headers allow only the page's own script, imports, and style, and requests to its own server. */
export function createPageHeaders(html: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src ${[...hashContents('script', html), ...listImported(html)].join(' ')}`,
    `style-src ${hashContents('style', html).join(' ')}`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]
  return {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': policy.join('; '),
    'Cache-Control': 'no-cache',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
    'Cross-Origin-Opener-Policy': 'same-origin',
  }
}

/** Returns the hashes of the scripts that a page may import, from its import map. */
function listImported(html: string): string[] {
  const [, map = '{}'] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? []
  const { integrity = {} }: { integrity?: Readonly<Record<string, string>> } = JSON.parse(map)
  return Object.values(integrity).map((hash) => `'${hash}'`)
}

/** Returns the hash of the contents of each element with a given tag, as used in a Content-Security-Policy. */
function hashContents(tag: string, html: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, inside = '']) => {
    const digest = hashes.sha256.digest(utf8Bytes(inside))
    return `'sha256-${btoa(String.fromCharCode(...digest))}'`
  })
}
