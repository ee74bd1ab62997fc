import { afterEach, describe, expect, test } from 'vitest'
import { createNgrok } from '../../../src/gateway/ngrok.ts'

const original = globalThis.fetch
afterEach(() => {
  globalThis.fetch = original
})

describe('gateway.install({ agent: true }) (rules: agent#behavior)', () => {
  test.each(['http://127.0.0.1:4040', 'http://localhost:4040'])('answers %s', async (base) => {
    const gateway = createNgrok()
    const { uninstall } = gateway.install({ agent: true, others: 'refuse' })
    const sent = { method: 'POST', body: '{"addr":80}' }
    expect((await fetch(`${base}/api/tunnels`, sent)).status).toBe(201)
    expect((await fetch(new Request(`${base}/api/tunnels/command_line`, { method: 'DELETE' }))).status).toBe(204)
    await expect(fetch('http://localhost:4041/api/tunnels')).rejects.toThrow('is not under')
    uninstall()
    expect(globalThis.fetch).toBe(original)
  })

  test('without the option the agent is another host', async () => {
    createNgrok().install({ others: 'refuse' })
    await expect(fetch('http://localhost:4040/api/tunnels')).rejects.toThrow('is not under')
  })
})
