import { describe, expect, test } from 'vitest'
import { expectError } from '../../support/client.ts'
import { openGateway } from './support.ts'

/** Opens a gateway with a credential that has these access rules. */
function openWithAcl(...acl: string[]) {
  const { gateway } = openGateway()
  const { id: credential } = gateway.credentials.create({ acl })
  const bind = (url?: string) => () =>
    gateway.declare.tunnelSession({ credential, endpoints: [url === undefined ? {} : { url }] })
  const label = (labels: Record<string, string>) => () =>
    gateway.declare.tunnelSession({ credential, labelled: [{ labels }] })
  return { gateway, credential, bind, label }
}

// rules: ngrok-families#bind-rules
describe('The ACL of a credential', () => {
  test.each([
    ['no rule', [], 'https://app.example.com'],
    ['"*"', ['*'], 'tcp://1.tcp.ngrok.io:20000'],
    ['a rule for all', ['bind:*'], 'https://app.example.com'],
    ['the same name', ['bind:app.example.com'], 'https://app.example.com'],
    ['a wildcard above the name', ['bind:a.example', 'bind:*.example.com'], 'https://x.app.example.com'],
    ['a wildcard for itself', ['bind:*.example.com'], 'https://*.example.com'],
    ['the same address', ['bind:1.tcp.ngrok.io:20000'], 'tcp://1.tcp.ngrok.io:20000'],
    ['an internal name', ['bind:app.internal'], 'tls://app.internal:443'],
  ])('with %s allows an agent to bind', (_name, acl, url) => {
    const { gateway, bind } = openWithAcl(...acl)
    bind(url)()
    expect(gateway.endpoints.list().endpoints).toHaveLength(1)
  })

  test.each([
    [316, ['bind:example.com'], 'https://app.example.com'],
    [316, ['bind:*.example.com'], 'https://example.com'],
    [316, ['bind:team=web'], 'https://team.example.com'],
    [316, ['bind:app.example.com'], undefined],
    [308, ['bind:1.tcp.ngrok.io:20001', 'bind:*.ngrok.io'], 'tcp://1.tcp.ngrok.io:20000'],
  ])('rejects with ERR_NGROK_%i under %j the URL %s, and no session starts', (number, acl, url) => {
    const { gateway, bind, credential } = openWithAcl(...acl)
    const before = gateway.snapshot()
    const error = expectError(bind(url))
    expect([error.code, error.message]).toEqual([`ERR_NGROK_${number}`, expect.stringContaining(credential)])
    expect(error.message).toContain(acl.join(', '))
    if (url) expect(error.message).toContain(`bind:${url.split('://')[1]}`)
    expect(gateway.snapshot()).toEqual(before)
  })

  test('rejects random addresses of the agent with 356 in the response of the agent', async () => {
    const { gateway, credential } = openWithAcl('bind:1.tcp.ngrok.io:20000')
    gateway.declare.tunnelSession({ credential })
    const before = gateway.snapshot()
    const response = await gateway.agent.fetch('http://127.0.0.1:4040/api/tunnels', {
      method: 'POST',
      body: JSON.stringify({ name: 'db', proto: 'tcp', addr: 5432 }),
    })
    const { error_code, details } = await response.json()
    expect([response.status, error_code, details.err]).toEqual([502, 103, expect.stringContaining('ERR_NGROK_356')])
    expect(gateway.snapshot()).toEqual(before)
  })

  test('needs a rule for each label (399)', () => {
    const { gateway, label } = openWithAcl('bind:team=*', 'bind:*=prod')
    label({ team: 'web', env: 'prod' })()
    const before = gateway.snapshot()
    const error = expectError(label({ team: 'web', env: 'test' }))
    expect([error.code, error.message]).toEqual(['ERR_NGROK_399', expect.stringContaining('bind:env=test')])
    expect(error.message).toMatch(/^tunnel_session\.labelled\.0\.labels\.env is "test"/)
    expect(gateway.snapshot()).toEqual(before)
  })

  test('of an SSH credential counts too', () => {
    const { gateway } = openGateway()
    const public_key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHLjHOBjQYSO9kPmbyXRYMqPtiEKtHzN3aHzHZDcQeBM'
    const { id: credential } = gateway.sshCredentials.create({ public_key, acl: ['bind:a.example.com'] })
    const declare = () => gateway.declare.tunnelSession({ credential, endpoints: [{ url: 'https://b.example.com' }] })
    expect(expectError(declare).code).toBe('ERR_NGROK_316')
  })
})
