import { expect, it } from 'vitest'
import { openGateway } from './support.ts'

it.each([
  [326, 'a,b.example.com'],
  [327, 'a..example.com'],
  [328, '-a.example.com'],
  [329, 'a-.example.com'],
  [330, 'ab--c.example.com'],
  [331, 'app.localhost'],
  [347, 'xn--zzzzzzzzzzz.com'],
  [355, 'a_b.example.com'],
  [396, `${'a'.repeat(64)}.example.com`],
  [397, `${'a.'.repeat(125)}example.com`],
])(
  'An agent may not start at a host with the error %i: %s (rules: agent#urls-of-the-account)',
  async (number, host) => {
    const { gateway } = openGateway()
    const before = gateway.snapshot()
    const start = gateway.agent.start({ addr: 80, proto: 'http', url: `https://${host}` })
    await expect(start).rejects.toMatchObject({ code: `ERR_NGROK_${number}` })
    expect(gateway.snapshot()).toEqual(before)
  },
)

it('A host in Unicode is rejected with its Punycode, as a URL, a hostport, a DNS name and the domain of an ingress', () => {
  const { gateway } = openGateway()
  const host = 'bücher.example.com'
  for (const call of [
    () => gateway.endpoints.create({ url: `https://${host}`, traffic_policy: '{}' }),
    () => gateway.httpsEdges.create({ hostports: [`${host}:443`] }),
    () => gateway.agentIngresses.create({ domain: host }),
    () => gateway.dns.cname(host, 'www.example.com'),
    () => gateway.dns.cname('www.example.com', host),
  ])
    expect(call).toThrow('"xn--bcher-kva.example.com"')
})
