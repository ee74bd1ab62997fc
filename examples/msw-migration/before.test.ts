import { HttpResponse, http } from 'msw'
import { setupServer } from 'msw/node'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { reserve, waitForCertificate } from './domains.ts'

interface Domain {
  id: string
  domain: string
  certificate: { id: string } | null
  reads: number
}
const api = 'https://api.ngrok.com'
const domains = new Map<string, Domain>()
const failure = (status: number, error_code: string, msg: string) =>
  HttpResponse.json({ error_code, status_code: status, msg, details: {} }, { status })

const server = setupServer(
  http.post(`${api}/reserved_domains`, async ({ request }) => {
    const { domain } = (await request.json()) as { domain: string }
    const taken = [...domains.values()].some((each) => each.domain === domain)
    if (taken) return failure(409, 'ERR_NGROK_413', `${domain} is already reserved.`)
    const created: Domain = { id: `rd_${domains.size + 1}`, domain, certificate: null, reads: 0 }
    domains.set(created.id, created)
    return HttpResponse.json(created, { status: 201 })
  }),
  http.get(`${api}/reserved_domains/:id`, ({ params }) => {
    const found = domains.get(String(params.id))
    if (!found) return failure(404, 'ERR_NGROK_404', 'There is no such domain.')
    // There is no clock here: the certificate arrives with the third read.
    found.reads += 1
    if (found.reads === 3) found.certificate = { id: 'cert_1' }
    return HttpResponse.json(found)
  }),
)
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }))
afterEach(() => {
  server.resetHandlers()
  domains.clear()
})
afterAll(() => server.close())

test('waits for the certificate', async () => {
  const { id } = await reserve('app.example.com')
  expect(await waitForCertificate(id, async () => {})).toBe('cert_1')
})

test('reports a name that is taken', async () => {
  await reserve('app.example.com')
  await expect(reserve('app.example.com')).rejects.toThrow('ERR_NGROK_413')
})

test('tries once more when the service is overloaded', async () => {
  const overloaded = () => failure(503, 'ERR_NGROK_503', 'Try again.')
  server.use(http.post(`${api}/reserved_domains`, overloaded, { once: true }))
  await reserve('app.example.com')
  expect([...domains.values()].map(({ domain }) => domain)).toEqual(['app.example.com'])
})
