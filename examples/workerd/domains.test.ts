// workerd, the runtime of Cloudflare Workers: `workerd test` calls the test() of each entry point.
import { manualClock } from 'fauxgate'
import { createNgrok } from 'fauxgate/ngrok'
import { issuedDomain } from 'fauxgate/testing'

/** The bindings of the Worker. */
interface Environment {
  readonly gatewayUrl: string
  readonly fetch: typeof fetch
}

/** The fields of a domain that the Worker reads. */
interface Domain {
  readonly domain: string
  readonly certificate: object | null
}

/** The code under test: a Worker that lists the domains with a certificate. */
const worker = {
  async fetch(_request: Request, { gatewayUrl, fetch }: Environment): Promise<Response> {
    const headers = { authorization: 'Bearer any key', 'ngrok-version': '2' }
    const answer = await fetch(`${gatewayUrl}/reserved_domains`, { headers })
    if (!answer.ok) return new Response(null, { status: 502 })
    const { reserved_domains }: { reserved_domains: Domain[] } = await answer.json()
    return Response.json(reserved_domains.filter(({ certificate }) => certificate).map(({ domain }) => domain))
  },
}

function equal(one: unknown, other: unknown): void {
  if (JSON.stringify(one) !== JSON.stringify(other))
    throw new Error(`${JSON.stringify(one)} is not ${JSON.stringify(other)}`)
}

function createGatewayAndClient() {
  const gateway = createNgrok({ clock: manualClock('2026-01-01T00:00:00Z'), seed: 'worker' })
  const send = () => worker.fetch(new Request('https://app.test/'), { gatewayUrl: gateway.url, fetch: gateway.fetch })
  return { gateway, send }
}

export const secured = {
  async test() {
    const { gateway, send } = createGatewayAndClient()
    gateway.reservedDomains.create({ domain: 'plain.example.com' })
    issuedDomain(gateway)
    equal(await (await send()).json(), ['app.example.com'])
  },
}

export const unavailable = {
  async test() {
    const { gateway, send } = createGatewayAndClient()
    gateway.faults.add({ operation: 'reserved_domains.list', times: 1, status: 503 })
    equal((await send()).status, 502)
  },
}
