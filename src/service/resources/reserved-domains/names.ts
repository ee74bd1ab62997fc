import * as v from 'valibot'
import type { CommonDialect } from '../../../core/schema/dialect.ts'
import { declareErrors, type FieldError, field } from '../../../core/schema/errors.ts'
import type { JsonFacts } from '../../../core/schema/facts.ts'
import { isPunycode, toPunycode } from '../../../core/schema/punycode.ts'
import { rule } from '../../../core/schema/rule.ts'
import { domainDialect } from './dialect.ts'

/** The errors for a domain's name (rules: domain-names#grammar). */
export const nameErrors = declareErrors({
  domain_wildcard_not_first: field(402, 400, '"*" only as the whole first label'),
  domain_wildcard_mixed: field(403, 400, 'a first label that is either "*" or has no "*"'),
  domain_character_invalid: field(
    406,
    400,
    (it: { readonly punycode?: string | undefined }) =>
      `letters a to z, digits, "-" and "."${it.punycode === undefined ? '' : `, such as "${it.punycode}", the same name in Punycode`}`,
  ),
  domain_label_start_invalid: field(407, 400, 'labels that start with a letter or digit'),
  domain_label_end_invalid: field(408, 400, 'labels that end with a letter or digit'),
  domain_empty_label: field(409, 400, 'a name without an empty label'),
  domain_hyphens_3_4: field(410, 400, '"--" as a label\'s third and fourth character only after "xn"'),
  domain_suffix_unreachable: field(
    411,
    400,
    (it: { readonly also?: string }) =>
      `a last label that is not "localhost"${it.also ? ` or "${it.also}"` : ''} and not all digits`,
  ),
  domain_wildcard_suffix: field(
    416,
    400,
    (it: { readonly also?: string }) =>
      `"*." before at least two labels, such as "*.example.com"${it.also ? `, and not all names under "${it.also}"` : ''}`,
  ),
  domain_punycode_invalid: field(429, 400, 'a label with valid Punycode after "xn--"'),
  domain_underscore: field(438, 400, 'a name without "_"'),
  domain_not_qualified: field(448, 400, 'at least two labels, such as "app.example.com"'),
  domain_label_too_long: field(513, 400, 'labels of at most 63 characters'),
  domain_too_long: field(514, 400, 'at most 253 characters'),
})

export type NameError = FieldError<string, object>

/**
 * The pattern of a label for JSON Schema: at most 63 letters, digits, and hyphens, with no hyphen at either end, and `--` only after `xn`.
 */
const LABEL = '(?!(?![Xx][Nn])..--)[0-9A-Za-z]([0-9A-Za-z-]{0,61}[0-9A-Za-z])?'

/**
 * Returns the pattern of a name for JSON Schema: it does not end with a number or `localhost`, and has two labels after a wildcard.
 * `before` and `after` match what can surround the name.
 */
function formatPattern(before = '', after = ''): string {
  return `^${before}(?!.*\\.(\\d+|localhost)${after}$)(\\*\\.(?=[^.]+\\.))?(${LABEL}\\.)+${LABEL}${after}$`
}

/** Returns the JSON Schema keywords for a name in a request. */
export function describeName(dialect: CommonDialect): JsonFacts {
  const isTrimmed = domainDialect(dialect).domainNames === 'trimmed'
  return isTrimmed
    ? { pattern: formatPattern('\\s*', '\\.?\\s*') }
    : { maxLength: MAX_NAME_LENGTH, pattern: formatPattern() }
}

export const domainName = v.pipe(
  v.string(),
  rule(Object.values<NameError>(nameErrors), (name, report) => {
    const error = nameProblem(name)
    if (error) report(error, nameFacts(name))
  }),
  v.toLowerCase(),
)

/** Returns the values for the messages of {@link nameErrors}. For a name with non-ASCII letters, this includes its valid form. */
export function nameFacts(name: string): { readonly punycode?: string } {
  const punycode = toPunycode(name)
  return punycode !== undefined && nameProblem(punycode) === undefined ? { punycode } : {}
}

const MAX_NAME_LENGTH = 253
const MAX_LABEL_LENGTH = 63

/**
 * Returns the error of the first rule that a domain name breaks (rules: domain-names#grammar). Rules about the whole name come first, then
 * rules about each label, and finally rules about the suffix. Case does not matter, but a letter that is ASCII only when lowercased, such
 * as the Kelvin sign, is invalid.
 */
export function nameProblem(name: string): NameError | undefined {
  if (name.length > MAX_NAME_LENGTH) return nameErrors.domain_too_long
  const labels = name.split('.')
  if (name !== '' && labels.includes('')) return nameErrors.domain_empty_label
  if (labels.length < 2) return nameErrors.domain_not_qualified
  for (const [position, label] of labels.entries()) {
    const error = labelProblem(label, position === 0)
    if (error) return error
  }
  return suffixProblem(labels)
}

function suffixProblem(labels: readonly string[]): NameError | undefined {
  const last = labels.at(-1) ?? ''
  if (/^\d+$/.test(last) || /^localhost$/i.test(last)) return nameErrors.domain_suffix_unreachable
  return labels.length === 2 && labels[0] === '*' ? nameErrors.domain_wildcard_suffix : undefined
}

function labelProblem(label: string, isFirst: boolean): NameError | undefined {
  if (label.includes('*')) {
    if (!isFirst) return nameErrors.domain_wildcard_not_first
    return label === '*' ? undefined : nameErrors.domain_wildcard_mixed
  }
  if (label.includes('_')) return nameErrors.domain_underscore
  if (!/^[a-zA-Z0-9-]+$/.test(label)) return nameErrors.domain_character_invalid
  if (label.startsWith('-')) return nameErrors.domain_label_start_invalid
  if (label.endsWith('-')) return nameErrors.domain_label_end_invalid
  if (label.length > MAX_LABEL_LENGTH) return nameErrors.domain_label_too_long
  if (/^xn--/i.test(label))
    return isPunycode(label.slice(4).toLowerCase()) ? undefined : nameErrors.domain_punycode_invalid
  return label.slice(2, 4) === '--' ? nameErrors.domain_hyphens_3_4 : undefined
}
