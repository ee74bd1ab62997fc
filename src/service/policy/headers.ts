import { quote } from '../../core/schema/text.ts'
import type { PolicyPath } from './problem.ts'
import type { Reporter } from './reporter.ts'

/** The maximum length of a header name and of a header value, in characters. */
export const MAX_NAME = 256
export const MAX_HEADER_VALUE = 8192

export const HEADER_NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/

/** The headers that `add-headers` and `remove-headers` must not change. */
export const RESERVED: readonly string[] = ['user-agent', 'ngrok-skip-browser-warning']
export const KEEPS_RESERVED = /^(add|remove)-headers$/

/** Checks a header name in a config. */
export function checkHeaderName(
  name: string,
  path: PolicyPath,
  reporter: Reporter,
  { action = 'remove-headers', ...more }: { action?: string; isOfKey?: true } = {},
): undefined {
  if (name.length > MAX_NAME)
    return reporter.report(
      2208,
      path,
      `has a name that is ${name.length} characters long. The maximum is ${MAX_NAME}`,
      more,
    )
  if (!HEADER_NAME.test(name)) {
    return reporter.report(
      2210,
      path,
      `has the invalid name ${quote(name)}. Allowed: letters, digits, "-", "_", and other characters that are valid in header names`,
      more,
    )
  }
  if (KEEPS_RESERVED.test(action) && RESERVED.includes(name.toLowerCase())) {
    reporter.report(2219, path, `is the header ${name.toLowerCase()}, which policies cannot change`, more)
  }
}
