import * as v from 'valibot'
import { documented } from '../../core/schema/documentation.ts'
import { timestamp } from '../../core/schema/time.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { listUsedControls } from '../used-controls.ts'
import type { History } from './history.ts'
import { RUNNERS } from './source.ts'

const read = controlCall({
  method: 'GET',
  path: '/test',
  summary: 'Generate a test that repeats the requests and the control calls between them',
  commands: [{ name: 'requests test', example: '--runner Jest' }],
  from: 'query',
  schema: v.object({
    runner: v.optional(
      documented(v.picklist(RUNNERS, RUNNERS.join(', ')), 'The test runner.', { json: { default: 'vitest' } }),
      'vitest',
    ),
  }),
  response: v.string(),
  mediaType: 'text/plain; charset=utf-8',
  // Loaded on first use, because it is rarely needed.
  run: async (host, { runner }) => (await import('./file.ts')).writeTest(runner, readHistory(host)),
})

/** Available only over HTTP, because a program that has a gateway in its own process is already a test. */
export const copiedTest: Control = { calls: [read] }

function readHistory(host: ControlHost): History {
  const { journal, engine, dialect, traffic, controlLog } = host
  return {
    used: listUsedControls(host),
    journal: JSON.parse(journal.json()),
    url: engine.url,
    dialect: dialect.name,
    versionHeader: { [dialect.versionHeader]: '2' },
    visits: traffic.journal.count,
    now: timestamp(engine.now),
    isInitial: (id) => controlLog.isInitialId(id),
  }
}
