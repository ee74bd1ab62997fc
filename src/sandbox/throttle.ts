/** The number of wrong keys that one address may send at once. */
const MAX_AT_ONCE = 20

const REFILL_MS = 1000

/** The maximum number of addresses in memory. Beyond that, the oldest address is dropped. */
const MAX_ADDRESSES = 10_000

/** A limit on wrong account keys: each address may send 20 at once, then one per second. Each Worker process counts separately. */
export class FailureThrottle {
  readonly #failures = new Map<string, { count: number; since: number }>()

  /** Returns 0, or the number of seconds until an address may try again. */
  getWait(address: string, now: number): number {
    const { count } = this.#refill(address, now)
    return count < MAX_AT_ONCE ? 0 : 1
  }

  addFailure(address: string, now: number): void {
    const { count, since } = this.#refill(address, now)
    this.#failures.delete(address)
    this.#failures.set(address, { count: count + 1, since })
    const [oldest] = this.#failures.keys()
    if (oldest !== undefined && this.#failures.size > MAX_ADDRESSES) this.#failures.delete(oldest)
  }

  #refill(address: string, now: number): { count: number; since: number } {
    const { count, since } = this.#failures.get(address) ?? { count: 0, since: now }
    const refilled = Math.max(0, Math.floor((now - since) / REFILL_MS))
    return refilled >= count
      ? { count: 0, since: now }
      : { count: count - refilled, since: since + refilled * REFILL_MS }
  }
}

/** Returns the client's address without the port, as the platform reports it. For an IPv6 address, returns the first four groups. */
export function getClientAddress(request: Request & { readonly cf?: { readonly clientIp?: string } }): string {
  // workerd provides the address in `cf`, and the hosted platform in a header that clients cannot set.
  const { cf } = request
  const address = cf?.clientIp?.replace(/:\d+$/, '') ?? request.headers.get('cf-connecting-ip') ?? ''
  // An address with dots is an IPv4 address, possibly in IPv6 notation.
  if (!address.includes(':') || address.includes('.')) return address
  const [start = [], end = []] = address
    .replace(/[[\]]/g, '')
    .split('::')
    .map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: Math.max(0, 8 - start.length - end.length) }, () => '0')
  return [...start, ...zeros, ...end].slice(0, 4).join(':')
}
