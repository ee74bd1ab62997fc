import { nearest } from '../../core/schema/nearest.ts'
import groupsByPath from './ngrok-paths.json'

/** The beginning of the paths of each group of operations that only gateways with all of ngrok's families have. */
const STARTS: Readonly<Record<string, string>> = /* @__PURE__ */ Object.fromEntries(
  Object.entries(groupsByPath).flatMap(([start, groups]) =>
    groups.split(' ').map((group) => [group, start === '/' ? `/${group}` : start]),
  ),
)

/**
 * Returns the beginning of a path that ngrok has, if this gateway lacks it: `/api_keys` of `/api_keys/ak_1`. `isKnown` says
 * whether this gateway has a path.
 */
export function findNgrokPath(path: string, isKnown: (path: string) => boolean): string | undefined {
  return Object.values(STARTS).find((start) => `${path}/`.startsWith(`${start}/`) && !isKnown(start))
}

/** Returns whether an operation is one of ngrok's further families. */
export function isNgrokOperation(name: string): boolean {
  return Object.hasOwn(STARTS, name.split('.', 1)[0] ?? '')
}

/** Returns the operation of ngrok's further families that a name means, also if it is misspelt: `vault_secrets.create` of `secrets.create`. */
export function findNgrokOperation(name: string): string | undefined {
  const [, call = ''] = name.split('.')
  if (isNgrokOperation(name)) return name
  return nearest(
    name,
    Object.keys(STARTS).map((each) => `${each}.${call}`),
  )
}

/** Describes which gateways have a path or an operation of ngrok's further families. */
export function describeNgrokOnly(what: string): string {
  return (
    "This gateway was made by createGateway, which has few of ngrok's paths in any dialect. " +
    `${what} exists in createNgrok from fauxgate/ngrok, and in "fauxgate serve --dialect ngrok".`
  )
}
