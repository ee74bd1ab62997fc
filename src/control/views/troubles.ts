import * as v from 'valibot'
import { documented, named } from '../../core/schema/documentation.ts'
import { refuse } from '../../core/schema/errors.ts'
import { general } from '../../core/schema/general-errors.ts'
import { count } from '../../core/schema/record-schema.ts'
import { anyObject, time } from '../../core/schema/schema.ts'
import { quote } from '../../core/schema/text.ts'
import type { Trouble } from '../../generated/controls.ts'
import { agent } from '../agent/index.ts'
import { clock } from '../clock.ts'
import { type Control, type ControlHost, controlCall } from '../control.ts'
import { dns } from '../dns.ts'
import { faults } from '../faults/index.ts'
import { provisioning } from '../provisioning/index.ts'
import { KINDS } from './trouble-kinds.ts'

const place = v.object({
  collection: documented(
    v.string(),
    'The collection of the record; `requests`, `traffic`, `agent`, `other_hosts`, or `provisioning/script` for anything else.',
  ),
  key: documented(v.string(), 'The ID of the record, request, or outcome, or the name of anything else.'),
  name: documented(v.string(), 'Its name.'),
})

const call = v.object({
  method: documented(v.string(), 'The method.'),
  path: documented(v.string(), 'The path under `/_fauxgate`.'),
  body: documented(anyObject<object>(), 'The JSON of the body.'),
})

const trouble = named(
  v.object({
    kind: documented(v.picklist(KINDS, KINDS.join(', ')), 'The kind.'),
    count: documented(count, 'The number of places with this problem.'),
    cause: documented(v.string(), 'The cause.'),
    about: documented(
      v.array(place),
      'The first places with this problem: at most 8. For requests, the most recent one.',
    ),
    search: v.exactOptional(documented(v.string(), 'The search words that find these requests in the inspector.')),
    due: v.exactOptional(documented(time, 'The time of the next attempt or event.')),
    id: v.exactOptional(
      documented(
        v.string(),
        'The ID to pass to `POST /troubles/fix`. It does not change when the same problem occurs in more places. Absent if there is no fix.',
      ),
    ),
    fix: v.exactOptional(
      documented(
        v.array(call),
        'The first control calls that fix it: at most 100. `POST /troubles/fix` makes all the calls.',
      ),
    ),
  }),
  'Trouble',
  'A likely mistake that the state or the requests reveal, and its location.',
)

// Loaded on first use: few programs list troubles.
const listTroubles = async (host: ControlHost, maxCalls?: number) =>
  (await import('./troubles-list.ts')).listTroubles(host, maxCalls)

const read = controlCall({
  method: 'GET',
  path: '/troubles',
  summary: 'List likely mistakes, grouped by cause',
  commands: [{ name: 'troubles' }],
  response: v.array(trouble),
  run: async (host): Promise<Trouble[]> => JSON.parse(host.withoutKeys(JSON.stringify(await listTroubles(host)))),
})

/** The controls whose calls fix problems. */
const FIXING = [dns, provisioning, faults, clock, agent]

const fix = controlCall({
  method: 'POST',
  path: '/troubles/fix',
  summary: 'Fix a problem everywhere it is listed',
  commands: [{ name: 'troubles fix', words: { id: 'ID' }, example: '"fixed: The DNS records are correct now."' }],
  from: 'body',
  schema: v.object({ id: documented(v.string(), 'The `id` of the problem, as listed.') }),
  errors: [general.not_found],
  async run(host, { id }) {
    const isIt = (each: Trouble) => each.id !== undefined && host.withoutKeys(each.id) === id
    const found = (await listTroubles(host, Number.POSITIVE_INFINITY)).find(isIt)
    if (!found) return refuse(general.not_found, { what: 'fixable problem with the ID', received: quote(id) }, {})
    const calls = FIXING.flatMap(({ calls }) => (typeof calls === 'function' ? calls(host.families) : calls))
    for (const { method, path, body } of found.fix ?? [])
      await calls.find((each) => each.method === method && each.path === path)?.run(host, body)
  },
})

/** Available only over HTTP. `gateway.report()` is for tests. */
export const troubles: Control = { calls: [read, fix] }
