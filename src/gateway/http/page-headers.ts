import { utf8Bytes } from '../../core/schema/platform.ts'
import { hashes } from '../../service/x509/hashes.ts'

/** Makes the headers of the inspector's document. Only its own script and style run, and they reach only its own server. */
export function createPageHeaders(html: string): Readonly<Record<string, string>> {
  const policy = [
    "default-src 'none'",
    `script-src ${hashContents('script', html).join(' ')}`,
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

/** Returns the hash of the contents of each element with a tag, as a policy names it. */
function hashContents(tag: string, html: string): string[] {
  return [...html.matchAll(new RegExp(`<${tag}[^>]*>(.*?)</${tag}>`, 'gs'))].map(([, inside = '']) => {
    const digest = hashes.sha256.digest(utf8Bytes(inside))
    return `'sha256-${btoa(String.fromCharCode(...digest))}'`
  })
}
