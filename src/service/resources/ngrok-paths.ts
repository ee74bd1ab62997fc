import { nearest } from '../../core/schema/nearest.ts'
import groupsByPath from './ngrok-paths.json'

/** The path prefix of each group of operations that exists only in gateways with all of ngrok's families. */
const STARTS: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  Object.entries(groupsByPath).flatMap(([start, groups]) =>
    groups.split(' ').map((group) => [group, start === '/' ? `/${group}` : start]),
  ),
)

/**
 * Returns the prefix of a path that exists at ngrok but not in this gateway, such as `/api_keys` for `/api_keys/ak_1`. `isKnown` returns
 * whether a path exists in this gateway.
 */
export function findNgrokPath(path: string, isKnown: (path: string) => boolean): string | undefined {
  return Object.values(STARTS).find((start) => `${path}/`.startsWith(`${start}/`) && !isKnown(start))
}

/** Returns whether an operation belongs to one of ngrok's additional families. */
export function isNgrokOperation(name: string): boolean {
  return Object.hasOwn(STARTS, name.split('.', 1)[0] ?? '')
}

/**
 * Returns the operation of ngrok's additional families that a name refers to, even if the name is misspelled, such as
 * `vault_secrets.create` for `secrets.create`.
 */
export function findNgrokOperation(name: string): string | undefined {
  const [, call = ''] = name.split('.')
  if (isNgrokOperation(name)) return name
  return nearest(
    name,
    Object.keys(STARTS).map((each) => `${each}.${call}`),
  )
}

/** Returns a sentence that says which gateways support a path or an operation from ngrok's additional families. */
export function describeNgrokOnly(what: string): string {
  return (
    "This gateway was created by createGateway, which supports few of ngrok's paths in any dialect. " +
    `${what} exists in createNgrok from fauxgate/ngrok, and in "fauxgate serve --dialect ngrok".`
  )
}
