import type { ErrorKey } from '../contract/errors.ts'

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

const LONGEST_NAME = 253
const LONGEST_LABEL = 63

/**
 * The first rule that a domain name breaks (decisions, "Reserved domains": Name), or undefined. Case does not matter;
 * letters that only become ASCII in lower case do.
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
  return undefined
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
  if (/^xn--/i.test(label)) return isPunycode(label.toLowerCase()) ? undefined : 'domain_punycode_invalid'
  return label.slice(2, 4) === '--' ? 'domain_hyphens_3_4' : undefined
}

/** The URL parser of the platform knows UTS #46; it refuses a label that does not decode, or not back to itself. */
function isPunycode(label: string): boolean {
  try {
    return new URL(`http://${label}.test`).hostname === `${label}.test`
  } catch {
    return false
  }
}
