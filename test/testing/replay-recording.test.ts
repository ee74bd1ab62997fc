import { afterEach, describe, expect, test, vi } from 'vitest'
import { replayRecording } from '../../src/testing/testing.ts'
import { SHOWN_START } from '../support/clock.ts'
import { formatRecording, recordExchanges } from '../support/verify.ts'

/** Times before and after every run of this test. */
const [OLD, NEW] = [Date.parse('2020-01-01T00:00:00Z'), Date.parse('2100-01-01T00:00:00Z')]

/** Records the requests about IP policies, at a time. `change` changes the responses. */
async function record(at = NEW, change = (text: string) => text): Promise<string> {
  const exchanges = await recordExchanges({ families: ['ip_policies'] }, at)
  const copies = exchanges.map(({ response, ...each }) => {
    const text = change(response.text.replaceAll(SHOWN_START.slice(0, 10), new Date(at).toISOString().slice(0, 10)))
    return { ...each, response: { ...response, text, body: text === '' ? undefined : JSON.parse(text) } }
  })
  return formatRecording(copies)
}

afterEach(() => void vi.restoreAllMocks())

describe('replayRecording', () => {
  test('returns the comparison if fauxgate answers as recorded', async () => {
    const warn = vi.spyOn(console, 'warn')
    const { compared, differing } = await replayRecording(await record())
    expect(compared).toBeGreaterThan(30)
    expect([differing, warn.mock.calls]).toEqual([[], []])
  })

  test('throws each difference with the request and both sides, and a known one is excused', async () => {
    const text = await record(undefined, (response) => response.replace('"metadata"', '"meta"'))
    await expect(replayRecording(text)).rejects.toThrow(
      /^The replay of the recording failed:\n\n[\s\S]*POST \/ip_policies\n {2}body\.metadata: fauxgate .* \| recorded no such field/,
    )
    const reason = 'for this test'
    const known = ['body*.meta', 'body*.metadata'].map((at) => ({ request: '*', at, reason }))
    await expect(replayRecording(text, { known })).resolves.toMatchObject({ differing: [], unused: [] })
    await expect(replayRecording(await record(), { known })).rejects.toThrow(
      'does not match any difference. Remove it.',
    )
  })

  test('finds no difference in a description that begins with a time', async () => {
    const exchanges = await recordExchanges({ families: ['ip_policies'] }, NEW)
    const replaceRunName = (text: string) => text.replaceAll('fauxgate-verify-test “', '2026-01-02 10:00:00 “')
    const copies = exchanges.map(({ at, request, response }) => ({
      at,
      request: { ...request, body: request.body && replaceRunName(request.body) },
      response: { ...response, text: replaceRunName(response.text) },
    }))
    const file = formatRecording(copies).replaceAll(SHOWN_START.slice(0, 10), new Date(NEW).toISOString().slice(0, 10))
    expect((await replayRecording(file)).compared).toBeGreaterThan(30)
  })

  test('warns of an old recording, and does not fail', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => undefined)
    const { warnings } = await replayRecording(await record(OLD))
    expect(warnings).toHaveLength(1)
    expect(warn.mock.calls).toEqual([[expect.stringMatching(/^fauxgate: the recording is \d+ days old/)]])
  })

  test.each<[string, unknown, object | undefined, string]>([
    ['bytes', new Uint8Array(), undefined, 'text is a Uint8Array. Allowed: the text of a HAR 1.2 file, not its path.'],
    ['an unknown option', '{}', { knwon: [] }, '"knwon" is not an option. Supported: known.'],
    ['a known difference without a reason', '{}', { known: [{ request: '*', at: '*' }] }, 'known.0.reason is missing.'],
  ])('rejects %s', async (_what, text, options, message) => {
    await expect(replayRecording(text as string, options)).rejects.toThrow(message)
  })

  test('throws for a text that is no recording, or that compares nothing', async () => {
    await expect(replayRecording('{}')).rejects.toThrow('The text contains no log.')
    const allowed = 'Allowed: the text of a HAR 1.2 file, not its path.'
    await expect(replayRecording('service.har')).rejects.toThrow(`text is "service.har". ${allowed}`)
    await expect(replayRecording(undefined as never)).rejects.toThrow(`text is missing. ${allowed}`)
    const recording = JSON.parse(await record())
    recording.log.entries = []
    await expect(replayRecording(JSON.stringify(recording))).rejects.toThrow('0 exchanges compared')
  })
})
