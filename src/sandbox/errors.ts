import { declareErrors, entry } from '../schema/errors.ts'
import { counted } from '../schema/text.ts'

/** The errors of shared sandboxes: of who may do what with them, and of their limits. */
export const errors = declareErrors({
  account_key_missing: entry(
    90601,
    401,
    (it: { header: string }) => `Sandboxes are the account's. Send its key in the header ${it.header}.`,
  ),
  account_key_invalid: entry(
    90602,
    401,
    (it: { header: string }) => `What the header ${it.header} holds is not the key of this account.`,
  ),
  account_key_unset: entry(
    90603,
    503,
    () => 'This Worker has no account key, so nobody can create sandboxes. Set the secret ACCOUNT_KEY.',
  ),
  variable_invalid: entry(
    90604,
    503,
    (it: { name: string; received: string; allowed: string }) =>
      `This Worker's variable ${it.name} is ${it.received}. Allowed: ${it.allowed}.`,
  ),
  object_unreachable: entry(
    90605,
    503,
    () => 'The sandbox is out of reach for the moment: whether this request was carried out is unknown. Try again.',
  ),
  sandbox_name_invalid: entry(
    90610,
    400,
    (it: { received: string }) =>
      `The sandbox is named ${it.received}. Allowed: 1 to 40 lower-case letters, digits and inner hyphens.`,
  ),
  sandbox_not_found: entry(
    90611,
    404,
    (it: { name: string }) => `There is no sandbox ${it.name}. The holder of the account key creates it by PUT.`,
  ),
  sandbox_taken: entry(
    90612,
    409,
    (it: { name: string }) => `There is a sandbox ${it.name} already. Delete it first, or take another name.`,
  ),
  sandbox_options_invalid: entry(90613, 400, (it: { why: string }) => `The sandbox cannot be created: ${it.why}`),
  too_many_sandboxes: entry(
    90614,
    409,
    (it: { most: number }) =>
      `There are ${counted(it.most, 'sandbox', 'sandboxes')} already, the most allowed. Delete some.`,
  ),
  too_many_listeners: entry(
    90628,
    429,
    (it: { most: number }) =>
      `${counted(it.most, 'page listens', 'pages listen')} to this sandbox already, the most allowed. Close one.`,
  ),
  sandbox_busy: entry(
    90629,
    429,
    (it: { most: number; wait: number }) =>
      `This sandbox had ${counted(it.most, 'request')} within a minute, the most allowed. ` +
      `Try again in ${counted(it.wait, 'second')}.`,
  ),
})
