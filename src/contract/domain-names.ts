import punycode from 'punycode.js'
import * as v from 'valibot'
import { facts } from './documentation.ts'
import type { ErrorKey } from './errors.ts'
import { rule } from './schema.ts'

type NameErrorKey =
  Extract<ErrorKey, `domain_${string}`> extends infer K
    ? Exclude<
        K,
        | 'domain_taken'
        | 'domain_metadata_too_long'
        | 'domain_update_empty'
        | 'domain_name_and_domain'
        | 'domain_region_invalid'
      >
    : never

/** What JSON Schema says of a label: at most 63 letters, digits and hyphens, no hyphen at either end. */
const LABEL = '[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?'

/** A domain's name: checked, then in lower case. */
export const domainName = v.pipe(
  v.string(),
  rule<string>((name, report) => {
    const key = nameProblem(name)
    if (key) report(key, {})
  }),
  v.toLowerCase(),
  facts({ json: { maxLength: 253, pattern: `^(\\*\\.)?(${LABEL}\\.)+${LABEL}$` } }),
)

const LONGEST_NAME = 253
const LONGEST_LABEL = 63

/**
 * The first rule that a domain name breaks (decisions, "Reserved domains": Name), or undefined: first those on the whole
 * name, then those on each label, then those on its suffix. Case does not matter; letters that only become ASCII in lower
 * case do.
 */
export function nameProblem(name: string): NameErrorKey | undefined {
  if (name.length > LONGEST_NAME) return 'domain_too_long'
  const labels = name.split('.')
  if (name !== '' && labels.includes('')) return 'domain_empty_label'
  if (labels.length < 2) return 'domain_not_qualified'
  for (const [position, label] of labels.entries()) {
    const key = labelProblem(label, position === 0)
    if (key) return key
  }
  return suffixProblem(labels)
}

/** What is wrong with the end of a name whose labels are right. */
function suffixProblem(labels: readonly string[]): NameErrorKey | undefined {
  const last = labels.at(-1) as string
  if (/^\d+$/.test(last) || /^localhost$/i.test(last)) return 'domain_suffix_unreachable'
  return labels.length === 2 && labels[0] === '*' ? 'domain_wildcard_suffix' : undefined
}

function labelProblem(label: string, isFirst: boolean): NameErrorKey | undefined {
  if (label.includes('*')) {
    if (!isFirst) return 'domain_wildcard_not_first'
    return label === '*' ? undefined : 'domain_wildcard_mixed'
  }
  if (label.includes('_')) return 'domain_underscore'
  if (!/^[a-zA-Z0-9-]+$/.test(label)) return 'domain_character_invalid'
  if (label.startsWith('-')) return 'domain_label_start_invalid'
  if (label.endsWith('-')) return 'domain_label_end_invalid'
  if (label.length > LONGEST_LABEL) return 'domain_label_too_long'
  if (/^xn--/i.test(label)) return isPunycode(label.slice(4).toLowerCase()) ? undefined : 'domain_punycode_invalid'
  return label.slice(2, 4) === '--' ? 'domain_hyphens_3_4' : undefined
}

/**
 * Whether what follows `xn--`, in lower case, is the Punycode of a text with other letters than ASCII's (RFC 3492). The
 * platform's URL parser would know too, but its strictness differs between versions.
 */
function isPunycode(encoded: string): boolean {
  try {
    const text = punycode.decode(encoded)
    return /\P{ASCII}/u.test(text) && !/\p{Surrogate}/u.test(text) && punycode.encode(text) === encoded
  } catch {
    return false
  }
}
