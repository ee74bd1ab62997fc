import { utf8Bytes } from '../../core/schema/platform.ts'
import { hashes } from '../../service/x509/hashes.ts'

/** The scripts of the inspector, beside its page: its own, and tabs that it loads later. */
export const PAGE_SCRIPTS = ['page', 'traffic', 'resources', 'state'] as const

/** The headers of a script of the inspector. */
export const SCRIPT_HEADERS = {
  'Content-Type': 'text/javascript; charset=utf-8',
  'Cache-Control': 'no-cache',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
  'Cross-Origin-Resource-Policy': 'same-origin',
} as const

/** Makes the headers of a page. Only its own script and style run, with what the script imports, and they reach only its own server. */
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

/** Returns the hashes of the scripts that a page may import: its import map has them. */
function listImported(html: string): string[] {
  const [, map = '{}'] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? []
  const { integrity = {} }: { integrity?: Readonly<Record<string, string>> } = JSON.parse(map)
  return Object.values(integrity).map((hash) => `'${hash}'`)
}

/** Returns the hash of the contents of each element with a tag, as a policy names it. */
function hashContents(tag: string, html: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, inside = '']) => {
    const digest = hashes.sha256.digest(utf8Bytes(inside))
    return `'sha256-${btoa(String.fromCharCode(...digest))}'`
  })
}
