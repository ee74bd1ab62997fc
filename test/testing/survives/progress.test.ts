import { expect, test, vi } from 'vitest'
import { survives } from '../../../src/testing/testing.ts'
import { createCall, ensureAddress } from './programs/client.ts'

test('On a terminal, a line shows the progress every fifty schedules, and is gone at the end', async () => {
  vi.stubEnv('CI', '')
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { isTTY } = process.stderr
  process.stderr.isTTY = true
  try {
    await survives((life) => ensureAddress(createCall(life), 'app'), { faults: 2, kinds: ['lost', '5xx', '429'] })
    const lines = write.mock.calls.map(([text]) => String(text).replace('\r\x1b[2K', ''))
    expect(lines).toEqual(['50 of 62 schedules, 0 fail', ''])
  } finally {
    process.stderr.isTTY = isTTY
    write.mockRestore()
    vi.unstubAllEnvs()
  }
})
