import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import { accountFeatures } from './account-features.ts'
import { apiKeys } from './api-keys.ts'
import { ACCOUNT_ID, ACCOUNT_USER, EMAIL } from './shared.ts'

const text = (sentence: string) => kit.documented(v.string(), sentence)
const no = (sentence: string) => kit.documented(v.boolean(), `${sentence} Always false.`)

const BEGINNING = Date.UTC(2020, 0, 1)

const shape = kit.named(
  v.object({
    account: kit.named(
      v.object({
        id: text('The account ID.'),
        name: text('The account name.'),
        created_at: kit.documented(kit.time, 'The time at which the account was created.'),
        suspended: no('True if the account has unpaid invoices.'),
        enforce_sso: no('True if people must sign in with a provider.'),
        min_api_version: kit.documented(v.number(), 'The oldest version of the API that the account may use.'),
        min_agent_version: text('The oldest version of an agent that the account may use.'),
        user_mfa_required: no('True if people must use a second factor.'),
        traffic_full_capture: no('True if complete requests are recorded.'),
      }),
      'Account',
      'An account.',
    ),
    api_key: kit.documented(
      v.object({
        id: kit.resourceHead.id,
        uri: text('The path of the resource, without the host of the service.'),
        description: text('The purpose of the key.'),
        created_at: kit.resourceHead.created_at,
        token: kit.documented(v.nullable(v.string()), 'Always null.'),
        owner_id: text('The user who owns the key.'),
      }),
      'The oldest API key created through the API, or a key without a resource if there is none.',
      { rules: 'ngrok-families#self' },
    ),
    user: text("The user's email address."),
  }),
  'Self',
  'The account, the user, and the API key of a request.',
)

/** The API key to show for requests whose key is not a resource. */
export const NO_KEY = { id: 'ak_0000000theKeyOfThisAccount0', created_at: BEGINNING, owner_id: ACCOUNT_USER }

/** The account, the user, and the API key that a request belongs to. */
export const self = kit.familyOf({
  operations: {
    get: kit.operation({
      name: 'self.get',
      method: 'GET',
      path: '/self',
      status: 200,
      summary: 'Get the account, the user, and the API key of the request',
      ids: {},
      response: shape,
      run(tx): kit.Frozen<v.InferOutput<typeof shape>> {
        const {
          id,
          description = '',
          created_at,
          owner_id,
        }: Partial<kit.ResourceRecord> & typeof NO_KEY = [...tx.newestFirst(apiKeys)].at(-1) ?? NO_KEY
        return {
          account: {
            id: ACCOUNT_ID,
            name: EMAIL,
            created_at: kit.timestamp(BEGINNING),
            suspended: false,
            enforce_sso: false,
            min_api_version: 2,
            min_agent_version: '2.3.0',
            user_mfa_required: false,
            traffic_full_capture: false,
          },
          api_key: {
            id,
            uri: `/api_keys/${id}`,
            description,
            created_at: kit.timestamp(created_at),
            token: null,
            owner_id,
          },
          user: EMAIL,
        }
      },
    }),
  },
  ...accountFeatures,
  collections: [],
})
