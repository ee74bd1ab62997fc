import { expect, test, vi } from 'vitest'
import { survives } from '../../../src/testing/testing.ts'
import { callOf, ensureAddress } from './programs/client.ts'

test('On a terminal, one line tells every fifty schedules how far the search is, and is gone at the end', async () => {
  vi.stubEnv('CI', '')
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const { isTTY } = process.stderr
  process.stderr.isTTY = true
  try {
    await survives((life) => ensureAddress(callOf(life), 'app'), { faults: 2, kinds: ['lost', '5xx', '429'] })
    const lines = write.mock.calls.map(([text]) => String(text).replace('\r\x1b[2K', ''))
    expect(lines).toEqual(['50 of 62 schedules, 0 fail', ''])
  } finally {
    process.stderr.isTTY = isTTY
    write.mockRestore()
    vi.unstubAllEnvs()
  }
})
