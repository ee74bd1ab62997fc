import { createServer, type Server } from 'node:http'

/** The fields of a domain that the page shows. */
interface Domain {
  readonly domain: string
  readonly certificate: object | null
}

/** The application under test: a page that lists domains, with a form that reserves one. */
export function createApp(serviceUrl: string): Server {
  const headers = { authorization: 'Bearer any key', 'ngrok-version': '2', 'content-type': 'application/json' }
  const send = async (path: string, init: RequestInit = {}) => {
    const answer = await fetch(`${serviceUrl}${path}`, { headers, ...init })
    return { ok: answer.ok, ...(await answer.json()) }
  }
  const page = (list: readonly Domain[], problem: string | undefined) => `<!doctype html><title>Domains</title>
    <form method="post"><label>Domain <input name="domain"></label><button>Reserve</button></form>
    ${problem ? `<p role="alert">${problem}</p>` : ''}
    <ul>${list.map(({ domain, certificate }) => `<li>${domain}: ${certificate ? 'secured' : 'in progress'}</li>`).join('')}</ul>`
  return createServer(async (request, response) => {
    let problem: string | undefined
    if (request.method === 'POST') {
      const form = new URLSearchParams(Buffer.concat(await request.toArray()).toString())
      const body = { domain: form.get('domain'), certificate_management_policy: { authority: 'letsencrypt' } }
      const { ok, msg } = await send('/reserved_domains', { method: 'POST', body: JSON.stringify(body) })
      if (!ok) problem = msg
    }
    const { reserved_domains } = await send('/reserved_domains')
    response.setHeader('content-type', 'text/html').end(page(reserved_domains, problem))
  })
}
