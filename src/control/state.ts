import * as v from 'valibot'
import { control, plainControl } from './control-operation.ts'

export const stateControls = {
  snapshot: plainControl({
    method: 'GET',
    path: '/state',
    summary: 'A snapshot of the state',
    run: (host) => host.snapshot(),
  }),
  restore: control({
    method: 'PUT',
    path: '/state',
    summary: 'Put the state of a snapshot in the place of the state',
    from: 'body',
    input: v.object({
      version: v.unknown(),
      now: v.unknown(),
      seed: v.optional(v.unknown()),
      sequence: v.unknown(),
      rateLimit: v.unknown(),
      records: v.unknown(),
    }),
    run: (host, sent) => host.restore({ ...sent, seed: sent.seed ?? null }),
  }),
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
