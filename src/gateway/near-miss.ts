import { type Dialect, dialects } from '../resources/dialects.ts'

/** Describes the likeliest reason why a URL is not below the URL of a gateway. */
export function nearMiss(url: string, gatewayUrl: string, { name }: Dialect): string {
  const [requested, own] = [parseUrl(url), parseUrl(gatewayUrl)]
  const at = `The gateway is at ${gatewayUrl}`
  if (!requested || !own) return `${at}.`
  const other = Object.values(dialects).find(
    (each) => each.name !== name && parseUrl(each.baseUrl)?.host === requested.host,
  )
  if (other)
    return `${requested.host} was called, and ${at.replace('The', 'the')}. Was \`dialect: ${other.name}\` meant?`
  if (requested.hostname === own.hostname)
    return `${at}: the host is the same, and the scheme, the port or the path is not.`
  return `${at}. Set the client's base URL to it, or the gateway's \`baseUrl\` to the client's.`
}

function parseUrl(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}
