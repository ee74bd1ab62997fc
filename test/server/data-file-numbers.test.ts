import { beforeEach, describe, expect } from 'vitest'
import type { JournalEntry, Overview, Timelines, Trouble } from '../../src/generated/controls.ts'
import { SHOWN_START } from '../support/clock.ts'
import { startServerProcess } from '../support/command.ts'
import { enterNewFolder } from '../support/folder.ts'
import { ECDSA, timeAfter } from '../support/provisioning.ts'
import { testSqlite } from '../support/sqlite.ts'

beforeEach(() => void enterNewFolder())

const OPTIONS = [
  '--data',
  'gateway.db',
  '--clock',
  'manual',
  '--start',
  SHOWN_START,
  '--dns',
  'simulated',
  '--journal-size',
  '100',
]

type Served = Awaited<ReturnType<typeof startServerProcess>>

async function send({ url }: Served, method: string, path: string, body?: object): Promise<unknown> {
  const headers = { authorization: 'Bearer key', 'service-version': '2', 'content-type': 'application/json' }
  const response = await fetch(url + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await response.text()
  return text && JSON.parse(text)
}

/** Reads all numbers that the page shows. */
async function readNumbers(server: Served) {
  const read = <T>(path: string) => send(server, 'GET', `/_fauxgate${path}`) as Promise<T>
  const troubles = await read<Trouble[]>('/troubles')
  return {
    overview: await read<Overview>('/overview'),
    refused: troubles.filter(({ kind }) => kind === 'rejected'),
    broken: troubles.filter(({ kind }) => kind === 'broken'),
    timelines: await read<Timelines>('/timelines'),
    requests: (await read<JournalEntry[]>('/requests')).length,
  }
}

describe('The numbers of a server with a data file', () => {
  testSqlite(
    'are those of before after a flood, 80 days of failure and a killed process, except for the journal',
    async () => {
      const first = await startServerProcess('serve', '--port', '0', ...OPTIONS)
      for (let number = 0; number < 2; number++) {
        const domain = `d${number}.example.com`
        await send(first, 'POST', '/reserved_domains', { domain, certificate_management_policy: ECDSA })
      }
      await send(first, 'POST', '/_fauxgate/clock', { advance: '80d' })
      const certificate_management_policy = ECDSA
      await send(first, 'POST', '/reserved_domains', { domain: 'new.example.com', certificate_management_policy })
      for (let number = 0; number < 120; number++) await send(first, 'POST', '/reserved_domains', { domain: '-' })
      const before = await readNumbers(first)
      expect(before).toMatchObject({
        overview: { now: timeAfter('80d'), counts: { reserved_domains: 3 }, requests: 100, dropped: 23 },
        // The journal has dropped the oldest errors.
        refused: [{ count: 100 }, { count: 20 }],
        broken: [{ count: 3 }],
        requests: 100,
      })
      const [job, old] = before.timelines.timelines
      expect([job?.attempts, job?.state, job?.timeline.length]).toEqual([0, 'provisioning', 1])
      expect([old?.attempts, old?.state, old?.timeline.length]).toEqual([1920, 'failing', 100])
      first.child.kill('SIGKILL')
      await first.exited

      const second = await startServerProcess('serve', '--port', '0', ...OPTIONS)
      const after = await readNumbers(second)
      const { timelines, total, ...rest } = before.timelines
      expect(after).toEqual({
        overview: { ...before.overview, requests: 0, dropped: 0, since: timeAfter('80d') },
        refused: [],
        broken: before.broken,
        timelines: { total, ...rest, timelines: timelines.map((each) => ({ ...each, earlier: each.timeline.length })) },
        requests: 0,
      })
      // The job that was under way continues: its first attempt runs when it was due.
      await send(second, 'POST', '/_fauxgate/clock', { advance: '30s' })
      const later = await readNumbers(second)
      expect(later.timelines.timelines.slice(0, 2)).toMatchObject([
        { attempts: 1, timeline: [{ transition: 'started' }, { transition: 'failed' }], earlier: 1 },
        { attempts: 1921, earlier: 98 },
      ])
    },
  )
})
