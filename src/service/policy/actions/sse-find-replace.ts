import { action } from '../action.ts'
import { REPLACED, replacements } from '../fields.ts'
import { nameMatched, nameReplacements, replaceText } from '../replace.ts'

export const sseFindReplace = action({
  type: 'sse-find-replace',
  about: 'Replaces matches of patterns in the messages of an event stream.',
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
  parts: nameReplacements,
  run({ replacements }, visit) {
    const { event } = visit
    if (!event) return { did: 'found no message', isIdle: true }
    let total = 0
    const found = replacements.flatMap(({ field = 'data', ...replacement }, replacement_index) => {
      const before = event.get(field)
      if (before === undefined) return []
      const { text, matched, count } = replaceText(before, [replacement])
      event.set(field, text)
      total += count
      return matched.map((each) => ({ ...each, replacement_index }))
    })
    const parts = nameMatched(found)
    return { did: `replaced ${total} matches`, sets: { replacements: found }, isIdle: total === 0, parts }
  },
})
