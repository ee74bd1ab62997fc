import * as v from 'valibot'
import { documented, named } from '../core/schema/documentation.ts'
import { count } from '../core/schema/record-schema.ts'
import { anyObject, time } from '../core/schema/schema.ts'
import type { UsedControls } from '../generated/controls.ts'
import { type Control, type ControlHost, controlCall } from './control.ts'

const usedControl = named(
  v.object({
    method: documented(v.string(), 'The method.'),
    path: documented(v.string(), 'The path under the base URL, with its query.'),
    body: v.exactOptional(documented(anyObject<object>(), 'The JSON of the body, without secrets.')),
    hidden: v.exactOptional(
      documented(
        v.picklist(['secrets', 'function', 'length']),
        'Why its body and query are omitted: `secrets` if they may contain secrets, `function` if they contain a function, and `length` if they are too long.',
      ),
    ),
    response: v.exactOptional(
      documented(anyObject<object>(), 'The response to a new fault, a new snapshot, or a write by the inspector.'),
    ),
    at: documented(time, "The gateway's time before the control was used."),
    after: documented(
      v.string(),
      'The operation ID of the newest request in the journal before the control was used; empty if there is none.',
    ),
  }),
  'UsedControl',
  'A control that changed something, or a write by the inspector. The journal has no entry for either.',
)

const usedControls = named(
  v.object({
    later: documented(v.boolean(), 'True if the gateway already had a state when this list and the journal began.'),
    requests: documented(count, 'The number of requests that the journal has dropped.'),
    dropped: documented(count, 'The number of controls that were dropped.'),
    others: documented(count, "The number of changes to resources by operations in the gateway's own process."),
    agent: documented(count, "The number of changes to resources by requests to the agent's API."),
    options: documented(
      anyObject<object>(),
      "The gateway's options that differ from the defaults, without secrets and without the options for its time, address, and start. With `initial` and the `seed` of its IDs, unless `later` is true.",
    ),
    own: documented(v.array(v.string()), 'The operations of your own families, which no dialect has.'),
    controls: documented(v.array(usedControl), 'The controls, oldest first.'),
  }),
  'UsedControls',
  'The controls used since the journal was cleared, as far back as the log goes, and the number of earlier entries that are missing.',
)

const list = controlCall({
  method: 'GET',
  path: '/controls',
  summary: 'List the control calls made since the journal was cleared, oldest first',
  commands: [{ name: 'controls' }],
  response: usedControls,
  run: listUsedControls,
})

/** Returns the controls, without the gateway's keys. */
export function listUsedControls({ controlLog, withoutKeys }: ControlHost): UsedControls {
  return JSON.parse(withoutKeys(JSON.stringify(controlLog.list())))
}

/** Available only over HTTP, because a test in the same process knows which controls it used. */
export const usedControlsControl: Control = { calls: [list] }
