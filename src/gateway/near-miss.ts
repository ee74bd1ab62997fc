import { type Dialect, dialects } from '../resources/dialects.ts'

/** Names the likeliest reason why a URL is not below that of a gateway. */
export function nearMiss(url: string, gatewayUrl: string, { name }: Dialect): string {
  const [asked, own] = [partsOf(url), partsOf(gatewayUrl)]
  const at = `The gateway is at ${gatewayUrl}`
  if (!asked || !own) return `${at}.`
  const other = Object.values(dialects).find((each) => each.name !== name && partsOf(each.baseUrl)?.host === asked.host)
  if (other) return `${asked.host} was called, and ${at.replace('The', 'the')}. Was \`dialect: ${other.name}\` meant?`
  if (asked.hostname === own.hostname)
    return `${at}: the host is the same, and the scheme, the port or the path is not.`
  return `${at}. Set the client's base URL to it, or the gateway's \`baseUrl\` to the client's.`
}

function partsOf(url: string): URL | undefined {
  try {
    return new URL(url)
  } catch {
    return undefined
  }
}
