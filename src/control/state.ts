import { type ControlOperation, plainControl } from './control-operation.ts'

export const stateControls = {
  snapshot: plainControl({
    method: 'GET',
    path: '/state',
    summary: 'A snapshot of the state',
    run: (host) => host.snapshot(),
  }),
  // It reads what was sent itself: in a snapshot `null` is a value.
  restore: {
    method: 'PUT',
    path: '/state',
    summary: 'Put the state of a snapshot in the place of the state',
    from: 'body',
    run: (host, snapshot) => host.restore(snapshot),
  } satisfies ControlOperation,
}

export const journalControls = {
  requests: plainControl({
    method: 'GET',
    path: '/requests',
    summary: 'What was asked and answered, oldest first',
    mediaType: 'application/json',
    run: (host) => host.journal.json(),
  }),
  clear: plainControl({
    method: 'DELETE',
    path: '/requests',
    summary: 'Empty the journal',
    run: (host) => host.journal.clear(),
  }),
}
