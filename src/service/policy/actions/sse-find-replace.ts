import type { Action } from '../action.ts'
import { REPLACED, replacements } from '../fields.ts'

export const sseFindReplace: Action = {
  type: 'sse-find-replace',
  about: 'Replaces what matches patterns in the messages of an event stream.',
  page: 'sse-find-replace',
  phases: ['on_event_stream_message'],
  config: {
    replacements: replacements({
      field: {
        kind: 'text',
        choices: ['data', 'retry'],
        default: 'data',
        takesCel: true,
        about: 'The field of the message.',
      },
    }),
  },
  sets: REPLACED,
}
