// vitest: a new gateway receives the requests of a recording, and each difference fails the test.
import { readFileSync } from 'node:fs'
import { replayRecording } from 'fauxgate/testing'
import { expect, test } from 'vitest'

test('fauxgate responds as the service did', async () => {
  const recording = readFileSync(new URL('service.har', import.meta.url), 'utf8')
  const { compared } = await replayRecording(recording)
  expect(compared).toBe(6)
})
