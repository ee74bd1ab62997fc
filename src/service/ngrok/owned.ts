/** The fields, errors, and rules of records that belong to a user: credentials, SSH credentials, and API keys. */
import * as v from 'valibot'
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'
import { findUser, type Owned, PREFIXES } from './owned-records.ts'
import { ACCOUNT_USER, descriptionAndMetadata, FILTERABLE, refuseUnless } from './shared.ts'

const OWNERS = ['usr', ...PREFIXES]
const OWNER_NAMES = ['owner_id', 'owner_email', 'scim_user_id'] as const

export const errors = kit.declareErrors({
  owner_id_wrong: kit.field(
    243,
    400,
    () => `an ID that starts with ${OWNERS.map((each) => `"${each}_"`).join(', ')}, an email address, or a SCIM ID`,
  ),
  owner_named_twice: kit.ofField(
    631,
    400,
    (it) =>
      `${it.field} is ${it.received}, but another owner was also sent. Send only one of ${OWNER_NAMES.join(', ')}.`,
  ),
  acl_rule_invalid: kit.field(
    600,
    400,
    '"*", or "bind:" followed by one of: "*"; a domain; a wildcard such as "*.example.com"; a host and port such as ' +
      '"1.tcp.ngrok.io:20000"; a label such as "team=web", whose key and value may be "*"',
  ),
  owned_description_too_long: parts.tooLong(604),
  owned_metadata_too_long: parts.tooLong(605),
  owned_update_empty: parts.emptyUpdate(606),
  owner_not_found: kit.ofField(
    634,
    400,
    `{field} is {received}, which does not exist. Send ${ACCOUNT_USER}, or the ID of a bot user.`,
  ),
  owner_inactive: kit.ofField(
    636,
    400,
    '{field} is {received}, an inactive user. Send an active user, or activate this one.',
  ),
  token_precomputed: kit.ofField(
    638,
    400,
    '{field} was sent, but the service always generates tokens. Omit the field.',
  ),
})

const OWNER = "The owner: the account's user, a bot user, or a service user."

/** The part of the heading that is common to the records that belong to a user. */
export const heading = {
  filterable: [...FILTERABLE, 'owner_id'],
  texts: descriptionAndMetadata({
    description: errors.owned_description_too_long,
    metadata: errors.owned_metadata_too_long,
  }),
  keptTexts: descriptionAndMetadata(),
  note: '; at least one field is required',
} as const

const OWNER_RULE = 'ngrok-families#owner'

/** An email address, or a SCIM ID (rules: ngrok-families#owner). */
const PERSON = /^[^\s@]+@[^\s@]+$|^(?=.*\d)[0-9A-Za-z-]+$/

function isIdOfOwner(id: string): boolean {
  return OWNERS.some((each) => parts.isIdOf(id, `${each}_`))
}

const otherOwner = (sentence: string) => v.optional(kit.documented(v.string(), sentence, { rules: OWNER_RULE }), '')

/** The columns for the owner. Any of three body fields can specify the owner; {@link readOwner} reads them. */
export const ownerColumns = {
  owner_id: parts.column({
    create: v.optional(
      kit.documented(
        v.pipe(
          v.string(),
          refuseUnless(errors.owner_id_wrong, (id) => id === '' || isIdOfOwner(id) || PERSON.test(id)),
        ),
        `${OWNER} An ID, an email address, or a SCIM ID. Default: the account's user.`,
        { json: { pattern: `^$|^(${OWNERS.join('|')})_[0-9A-Za-z]+$|${PERSON.source}` }, rules: OWNER_RULE },
      ),
      '',
    ),
    kept: v.string(),
    shown: kit.documented(v.string(), OWNER),
  }),
  owner_email: parts.column({ create: otherOwner("The owner's email address.") }),
  scim_user_id: parts.column({ create: otherOwner("The owner's SCIM ID.") }),
}

/** The column of the token. A snapshot without secrets has no tokens. */
export const tokenColumn = parts.column({
  kept: v.exactOptional(parts.made(v.pipe(v.string(), kit.secret))),
  shown: kit.documented(
    v.nullable(v.pipe(v.string(), kit.secret)),
    'The token. Included only in the response to the request that created it; null in all other responses.',
  ),
  show: () => null,
})

/** The column of a token chosen by the client. This service rejects it. */
export const precomputedTokenColumn = parts.column({
  create: v.optional(
    kit.documented(
      v.pipe(
        v.string(),
        kit.secret,
        refuseUnless(errors.token_precomputed, () => false),
      ),
      'Not accepted, because the service always generates tokens.',
      { rules: 'ngrok-families#keys-and-credentials' },
    ),
  ),
})

/** The errors of {@link readOwner}. */
export const ownerErrors = [errors.owner_named_twice, errors.owner_not_found, errors.owner_inactive]

type Owners = { readonly [Name in (typeof OWNER_NAMES)[number]]: string }

/** Returns the ID of the owner in a body. Default: the account's user. Throws an error for an unknown or inactive owner. */
export function readOwner(tx: kit.Transaction, body: Owners): string {
  const [, second] = OWNER_NAMES.filter((name) => body[name] !== '')
  if (second) kit.refuse(errors.owner_named_twice, { field: second, received: kit.quote(body[second]) })
  return isIdOfOwner(body.owner_id) ? requireOwner(tx, body.owner_id) : ACCOUNT_USER
}

function requireOwner(tx: kit.Transaction, id: string): string {
  if (id === ACCOUNT_USER) return ACCOUNT_USER
  const user = findUser(tx, id)
  if (!user) return kit.refuse(errors.owner_not_found, { field: 'owner_id', received: kit.quote(id) })
  if (!user.active) kit.refuse(errors.owner_inactive, { field: 'owner_id', received: kit.quote(id) })
  return user.id
}

interface Changes extends Pick<Owned, 'description' | 'metadata'> {
  readonly acl?: readonly string[] | undefined
}

/** Creates the rules for updating a record that belongs to a user. An update must contain at least one field. */
export function defineOwnedUpdate<R extends Owned>(records: kit.Collection<R>, updateBody: v.GenericSchema) {
  return {
    errors: [errors.owned_update_empty],
    run(tx: kit.Transaction, record: R, body: Changes): R {
      parts.requireUpdate(errors.owned_update_empty, body, updateBody)
      return tx.put(records, { ...record, ...kit.described(body, record), ...(body.acl && { acl: body.acl }) })
    },
  }
}

const NAME = '([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?)'
const ACL_RULE = new RegExp(
  `^(\\*|bind:(\\*|(\\*\\.)?(${NAME}\\.)+${NAME}|(${NAME}\\.)*${NAME}:(?<port>\\d{1,5})|[^\\s=]+=[^\\s=]+))$`,
  'i',
)

function isAclRule(text: string): boolean {
  const found = ACL_RULE.exec(text)
  const port = Number(found?.groups?.port ?? 1)
  return found !== null && port >= 1 && port <= 65_535
}

const acl = kit.documented(
  v.array(v.pipe(v.string(), refuseUnless(errors.acl_rule_invalid, isAclRule))),
  'The rules for what an agent may bind, such as `bind:*.example.com`. An empty list allows everything.',
  { json: { examples: [['bind:*.example.com', 'bind:1.tcp.ngrok.io:20000', 'bind:team=*']] } },
)

/** The column of the access rules. */
export const aclColumn = parts.column({ sent: acl, create: v.optional(acl, []), kept: v.array(v.string()), shown: acl })

/** The limit on credentials (or SSH credentials) with an ACL. Each family adds its error. */
export const aclLimit: parts.AccountLimit = {
  what: 'credentials with an ACL',
  counts: ({ acl }) => Array.isArray(acl) && acl.length > 0,
  isChangeable: true,
  plans: { free: 0, hobbyist: 0 },
}
