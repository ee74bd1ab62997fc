import { expect, test } from 'vitest'
import { connectionProblem } from '../../src/verify/client.ts'
import { readResponse } from '../../src/verify/exchange.ts'

test('A run reads at most 20 MB of a response, and then cancels it', async () => {
  let sent = 0
  let isCancelled = false
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      sent += 1_000_000
      controller.enqueue(new Uint8Array(1_000_000))
    },
    cancel() {
      isCancelled = true
    },
  })
  const problem = await readResponse(new Response(body)).catch(connectionProblem)
  expect([problem, isCancelled]).toEqual(['the response is larger than 20 MB', true])
  expect(sent).toBeLessThan(23_000_000)
})

test('A run reads characters that two chunks share, and a byte order mark', async () => {
  const bytes = new TextEncoder().encode('\ufeff{"a":"é"}')
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte))
      controller.close()
    },
  })
  expect(await readResponse(new Response(body))).toMatchObject({ text: '\ufeff{"a":"é"}', body: { a: 'é' } })
})

test('The reason why a request brought no response has no header of the request', async () => {
  const error = await fetch('http://127.0.0.1:9', { headers: { authorization: 'Bearer planted\nkey' } }).catch(
    (each) => each,
  )
  expect(error.message).toContain('planted')
  expect(connectionProblem(error)).toBe('no connection: TypeError')
})
