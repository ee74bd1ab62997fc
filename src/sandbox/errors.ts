import { CONTROL_KEY_HEADER } from '../control/address.ts'
import { declareErrors, entry } from '../core/schema/errors.ts'
import { formatCount } from '../core/schema/text.ts'

/** The errors of shared sandboxes, about permissions, names, limits, and archives. */
export const errors = declareErrors({
  account_key_missing: entry(
    90601,
    401,
    'Only the account holder can do this. Send the account key in the {header} header.',
  ),
  account_key_invalid: entry(90602, 401, "The {header} header does not contain this account's key."),
  account_key_unset: entry(
    90603,
    503,
    'This Worker has no account key, so nobody can create sandboxes. Set the ACCOUNT_KEY secret.',
  ),
  variable_invalid: entry(90604, 503, "This Worker's variable {name} is {received}. Allowed: {allowed}."),
  object_unreachable: entry(
    90605,
    503,
    'The sandbox is currently unreachable. This request may or may not have been carried out. Try again.',
  ),
  sandbox_key_refused: entry(
    90606,
    401,
    `There is no sandbox {name}, or none of the keys that you sent belongs to it. Send an API key as "Authorization: Bearer …" or a control key as "${CONTROL_KEY_HEADER}: …"; the account key holder can create both.`,
  ),
  key_scope_missing: entry(
    90607,
    403,
    (it: { name: string; scopes: readonly string[]; method: string }) =>
      `The key ${it.name} allows ${it.scopes.join(', ')}, but not ${it.method}. Use a key that allows changes.`,
  ),
  account_key_throttled: entry(
    90608,
    429,
    (it: { wait: number }) =>
      `Too many wrong account keys came from this address. Try again in ${formatCount(it.wait, 'second')}.`,
  ),
  sandbox_name_invalid: entry(
    90610,
    400,
    'The sandbox is named {received}. Allowed: 1 to 40 lowercase letters, digits, and inner hyphens.',
  ),
  sandbox_not_found: entry(90611, 404, 'There is no sandbox {name}. The account key holder can create it with PUT.'),
  sandbox_taken: entry(90612, 409, 'The sandbox {name} already exists. Delete it first, or choose another name.'),
  sandbox_options_invalid: entry(90613, 400, 'The sandbox cannot be created: {why}'),
  too_many_sandboxes: entry(
    90614,
    409,
    (it: { most: number }) =>
      `The maximum of ${formatCount(it.most, 'sandbox', 'sandboxes')} has been reached. Delete some.`,
  ),
  key_taken: entry(90615, 409, 'The sandbox already has a key named {name}. Revoke it first, or choose another name.'),
  key_not_found: entry(90616, 404, 'The sandbox has no key named {name}.'),
  too_many_keys: entry(
    90617,
    409,
    (it: { most: number }) => `The sandbox has the maximum of ${formatCount(it.most, 'key')}. Revoke some.`,
  ),
  sandbox_unreadable: entry(
    90618,
    503,
    'The state of the sandbox {name} cannot be read. Nothing in it was changed. Run the version of fauxgate that wrote it or a newer one, restore a backup with ?existing=replace, or delete the sandbox. Reason: {why}',
  ),
  ttl_too_long: entry(
    90619,
    400,
    'The ttl exceeds {most}, the maximum on this server (LONGEST_TTL). Choose a shorter ttl.',
  ),
  quota_reached: entry(
    90620,
    409,
    (it: { prefix: string; most: number }) =>
      `The maximum of ${formatCount(it.most, 'sandbox', 'sandboxes')} with the prefix ${it.prefix} has been reached (QUOTAS). ` +
      'Delete some, or choose a name with another prefix.',
  ),
  archive_line_invalid: entry(
    90621,
    400,
    'This line of the archive is not in the format that GET /backup writes: {why}. No sandbox was restored from this line.',
  ),
  restore_incomplete: entry(
    90622,
    409,
    (it: { restored: number; refused: number }) =>
      `Restored ${formatCount(it.restored, 'sandbox', 'sandboxes')} and rejected ${it.refused}; see details. Send ` +
      'the archive again after fixing the problems, with ?existing=keep or ?existing=replace for names that already exist.',
  ),
  too_many_listeners: entry(
    90628,
    429,
    (it: { most: number }) =>
      `This sandbox already has ${formatCount(it.most, 'connected page')}, which is the maximum. Close one.`,
  ),
  sandbox_busy: entry(
    90629,
    429,
    (it: { most: number; wait: number }) =>
      `This sandbox reached the maximum of ${formatCount(it.most, 'request')} per minute. ` +
      `Try again in ${formatCount(it.wait, 'second')}.`,
  ),
})
