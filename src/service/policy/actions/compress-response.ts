import type { Action } from '../action.ts'
import { flag, text } from '../fields.ts'

export const compressResponse: Action = {
  type: 'compress-response',
  about: 'Compresses the response with an algorithm that the client accepts.',
  page: 'compress-response',
  phases: ['on_http_response'],
  config: {
    algorithms: {
      kind: 'list',
      item: {
        kind: 'text',
        choices: ['gzip', 'deflate', 'br', 'compress'],
        choiceNumber: 2214,
        about: 'An algorithm.',
      },
      isUnique: true,
      default: ['gzip', 'deflate', 'br', 'compress'],
      about: 'The algorithms that may be used.',
    },
  },
  variable: 'compress',
  sets: {
    already_compressed: flag('Whether the response was compressed before.'),
    negotiated_algorithm: text('The algorithm that was used.'),
  },
}
