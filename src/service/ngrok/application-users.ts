import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import type * as parts from '../parts/index.ts'
import { type ApplicationUserRecord, applicationUserRecords } from './application-records.ts'

const { id, uri, created_at } = kit.resourceHead
const text = (sentence: string) => kit.documented(v.string(), sentence)

const shape = kit.named(
  v.object({
    id,
    uri,
    identity_provider: kit.documented(
      kit.named(
        v.object({ name: text('The name of the provider.'), url: text('The URL of the provider.') }),
        'IdentityProvider',
        'An identity provider that people sign in with.',
      ),
      'The identity provider that the person signed in with.',
    ),
    provider_user_id: text("The person's ID at the provider."),
    username: text('The name that the person signs in with.'),
    email: text("The person's email address."),
    name: text("The person's name."),
    created_at,
    last_active: kit.documented(kit.time, 'The time of the last request.'),
    last_login: kit.documented(kit.time, 'The time of the last sign-in.'),
  }),
  'ApplicationUser',
  'A person who has signed in to an endpoint.',
)

const view: kit.View<ApplicationUserRecord, kit.Frozen<v.InferOutput<typeof shape>>> = (user, { url }) => ({
  id: user.id,
  uri: `${url}/app/users/${user.id}`,
  identity_provider: { name: user.provider, url: user.provider_url },
  provider_user_id: user.provider_user_id,
  username: user.username,
  email: user.email,
  name: user.name,
  created_at: kit.timestamp(user.created_at),
  last_active: kit.timestamp(user.last_active),
  last_login: kit.timestamp(user.last_login),
})

const EMAIL = 'kim@example.com'

const applicationUser = kit.declaration({
  schema: kit.named(
    v.object({
      provider: v.optional(text('The name of the identity provider.'), 'google'),
      provider_url: v.optional(text('The URL of the identity provider.'), 'https://accounts.google.com'),
      provider_user_id: v.optional(text("The person's ID at the provider."), '1'),
      username: v.optional(text('The name that the person signs in with.'), EMAIL),
      email: v.optional(text("The person's email address."), EMAIL),
      name: v.optional(text("The person's name."), 'Kim'),
    }),
    'ApplicationUserDeclaration',
    'Declares a person who has just signed in to an endpoint.',
  ),
  response: shape,
  run(tx, person) {
    const times = { created_at: tx.now, last_active: tx.now, last_login: tx.now }
    return tx.show(view, tx.put(applicationUserRecords, { id: tx.newId('au'), ...times, ...person }))
  },
})

const kind = {
  name: 'application_users',
  path: '/app/users',
  prefix: 'au',
  what: 'application user',
  tableFields: ['email', 'name', 'last_login'],
  collection: applicationUserRecords,
  filterable: [],
  shape,
} as const

/** People who signed in to endpoints. Visits create users, and tests can declare them. */
export const applicationUsers = kit.familyOf({
  operations: {
    ...kit.readOperations(kind, view),
    delete: kit.operation({
      name: 'application_users.delete',
      method: 'DELETE',
      path: '/app/users/{id}',
      status: 204,
      summary: 'Delete an application user and its sessions',
      ids: { id: 'au' },
      errors: [kit.general.not_found],
      run(tx, { id }) {
        tx.remove(applicationUserRecords, kit.required(tx, applicationUserRecords, id, kind.what))
      },
    }),
  },
  errors: {} satisfies parts.ErrorsByKey,
  prefix: 'au',
  collections: [applicationUserRecords],
  declares: { applicationUser },
})
