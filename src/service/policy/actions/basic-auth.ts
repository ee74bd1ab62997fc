import { isObject } from '../../../core/schema/values.ts'
import { action } from '../action.ts'
import { readCredentials } from '../credentials.ts'
import { enforce, flag, nameItems, text } from '../fields.ts'

export const basicAuth = action({
  type: 'basic-auth',
  about: 'Allows only requests whose name and password match one of the credentials.',
  page: 'basic-auth',
  phases: ['on_http_request'],
  outcomes: ['accepted', 'refused'],
  config: {
    credentials: {
      kind: 'list',
      item: {
        kind: 'text',
        format: 'credentials',
        isSecret: true,
        takesCel: true,
        about:
          'A name and a password of 8 to 128 characters, separated by a colon. If a `${…}` is combined with ' +
          'other text, that text must contain the colon.',
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
      authorized: flag('Whether the credentials were correct.'),
    },
  },
  parts: ({ credentials }) => nameItems('credentials', credentials),
  refusal: ({ credentials }) =>
    isObject(credentials) && [credentials.presented, credentials.authorized].includes(false)
      ? { status: 401 }
      : undefined,
  run({ credentials, realm }, { request }) {
    const presented = readCredentials(request.headers.get('authorization'))
    const colon = presented?.indexOf(':') ?? 0
    const [username = '', password = ''] = [presented?.slice(0, colon), presented?.slice(colon + 1)]
    const isKnown = presented !== undefined && credentials.includes(presented)
    // The policy check does not know the value of an expression.
    const authorized = isKnown && password.length >= 8 && password.length <= 128
    const sets = { credentials: { presented: presented !== undefined, username, authorized } }
    const facts = { username }
    if (authorized) {
      const parts = nameItems('credentials', credentials).filter((_, index) => credentials[index] === presented)
      return { did: `accepted the credentials of ${username}`, sets, facts, parts }
    }
    const headers = { 'www-authenticate': `Basic realm="${realm.replaceAll('"', '')}"` }
    const refused = isKnown ? 'rejected a password that is not 8 to 128 characters long' : 'rejected the credentials'
    const did = presented === undefined ? 'found no credentials' : refused
    return { did, sets, facts, ends: { status: 401, headers }, isRefusal: true }
  },
})
