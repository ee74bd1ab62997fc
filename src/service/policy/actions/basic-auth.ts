import type { Action } from '../action.ts'
import { enforce, flag, text } from '../fields.ts'

export const basicAuth: Action = {
  type: 'basic-auth',
  about: 'Lets pass only requests with the name and password of one of the credentials.',
  page: 'basic-auth',
  phases: ['on_http_request'],
  config: {
    credentials: {
      kind: 'list',
      item: {
        kind: 'text',
        format: 'credentials',
        isSecret: true,
        takesCel: true,
        about: 'A name and a password of 8 to 128 characters, with a colon between.',
      },
      min: 1,
      max: 10,
      isRequired: true,
      isSecret: true,
      about: 'The credentials, each as `user:password`.',
    },
    realm: {
      kind: 'text',
      format: 'printable',
      maxLength: 128,
      default: 'ngrok',
      about: 'The realm that browsers show.',
    },
    enforce,
  },
  sets: {
    credentials: {
      presented: flag('Whether the request had credentials.'),
      username: text('The name in the credentials.'),
      authorized: flag('Whether the credentials were right.'),
    },
  },
}
