import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { PREFIXES, users } from './owned-records.ts'
import { defineUnique, nameTakenError, refuseIfEmpty } from './shared.ts'

const errors = kit.declareErrors({
  user_name_empty: kit.ofField(4109, 400, '{field} is missing or empty. Send a name of 1 to 255 bytes in UTF-8.'),
  user_name_too_long: parts.tooLong(4110),
  user_name_taken: nameTakenError(4112, 'user'),
  user_limit_reached: kit.tooMany(4119),
})

/** The limit for both paths, which share the same users. */
const limits = kit.accountLimits({
  bot_users: { what: 'bot users', reached: errors.user_limit_reached, plans: { free: 0, hobbyist: 0 } },
})

const NAME = 'The name, unique among bot users and service users.'
const ACTIVE = 'False to prevent the user from owning new credentials and keys.'

const name = kit.documented(
  v.pipe(v.unwrap(parts.textOfBytes(255, errors.user_name_too_long, NAME)), refuseIfEmpty(errors.user_name_empty)),
  NAME,
  { json: { minLength: 1, examples: ['ci'] }, isRequired: true },
)
const active = kit.documented(v.boolean(), ACTIVE)

const { description: _, metadata: __, ...head } = kit.resourceHead
const fields = v.object({ ...head, name: kit.documented(v.string(), NAME), active })

const createFields = { name: v.optional(name, ''), active: v.optional(active, true) }
const updateFields = { name: v.optional(name), active: v.optional(active) }

const unique = defineUnique(users, 'name', {
  field: 'name',
  error: errors.user_name_taken,
  allowed: 'a name that no other user has',
})

/** The path of a user, by ID prefix. */
const PATHS = PREFIXES.map((prefix) => ({ prefix, path: `/${prefix}_users` }))

/** Creates the family for one of the two paths, which share the same users. */
function userFamily<const P extends (typeof PREFIXES)[number]>(prefix: P) {
  const title = prefix === 'bot' ? 'BotUser' : 'ServiceUser'
  const shape = kit.named(fields, title, 'A user for a program. It owns credentials and API keys.')
  return kit.resource(
    {
      name: `${prefix}_users`,
      prefix,
      prefixes: PREFIXES,
      what: `${prefix} user`,
      tableFields: ['name', 'active'],
      filterable: ['id', 'created_at', 'name'],
      errors,
      limits,
      collection: users,
      shape,
      ...parts.defineBodies(title, `a ${prefix} user`, { create: createFields, update: updateFields }),
    },
    {
      view(user, wire): kit.Frozen<v.InferOutput<typeof fields>> {
        const { id, name, active } = user
        const path = PATHS.find((each) => id.startsWith(each.prefix))?.path
        return { id, uri: `${wire.url}${path}/${id}`, created_at: kit.timestamp(user.created_at), name, active }
      },
      create: {
        errors: [errors.user_name_taken],
        run(tx, body) {
          return tx.put(users, unique.requireUnique(tx, { id: tx.newId(prefix), created_at: tx.now, ...body }))
        },
      },
      update: {
        errors: [errors.user_name_taken],
        run(tx, user, { name = user.name, active = user.active }) {
          const after = unique.requireUnique(tx, { ...user, name, active })
          return name === user.name && active === user.active ? user : tx.put(users, after)
        },
      },
      relations: unique.relations,
    },
  )
}

/** Bot users. */
export const botUsers = userFamily('bot')

/** Service users: the bot users, under another path. */
export const serviceUsers = { ...userFamily('service'), collections: [] }
