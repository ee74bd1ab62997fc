/** The rules for who is allowed after signing in with OAuth (rules: edges#signing-in). */
import * as kit from '../kit/index.ts'
import * as parts from '../parts/index.ts'

const emptyTextError = (number: number) =>
  kit.ofField(number, 400, '{field} is {received}. A list for {provider} cannot contain an empty string.')

const twiceError = (number: number) =>
  kit.ofField(number, 400, '{field} is {received}, which is already in the list for {provider}. Send it once.')

/** The errors for the lists of allowed people. */
export const peopleErrors = kit.declareErrors({
  oauth_email_domain_invalid: kit.ofField(
    7039,
    400,
    '{field} is {received}, which is not an email domain for {provider}, such as "example.com".',
  ),
  oauth_team_invalid: kit.ofField(
    7040,
    400,
    '{field} is {received}. A team for {provider} is a number, or "an-organization/a-team".',
  ),
  oauth_email_invalid: kit.ofField(
    7043,
    400,
    '{field} is {received}, which is not an email address for {provider}, such as "kim@example.com".',
  ),
  oauth_email_domain_punycode_invalid: kit.ofField(
    7044,
    400,
    '{field} is {received}. A domain for {provider} needs valid Punycode after "xn--".',
  ),
  oauth_email_punycode_invalid: kit.ofField(
    7045,
    400,
    '{field} is {received}. An email address for {provider} needs a domain with valid Punycode after "xn--".',
  ),
  oauth_email_twice: twiceError(7046),
  oauth_email_domain_twice: twiceError(7047),
  oauth_team_twice: twiceError(7048),
  oauth_organization_twice: twiceError(7049),
  oauth_email_empty: emptyTextError(7051),
  oauth_email_domain_empty: emptyTextError(7052),
  oauth_team_empty: emptyTextError(7053),
  oauth_organization_empty: emptyTextError(7054),
  oauth_email_not_lowercase: kit.field(7067, 400, 'a lowercase email address'),
  oauth_email_domain_not_lowercase: kit.field(7068, 400, 'a lowercase domain'),
})

type PeopleError = (typeof peopleErrors)[keyof typeof peopleErrors]

/** The errors for the strings in a list. */
interface ListRules {
  readonly empty: PeopleError
  readonly twice: PeopleError
  /** Returns the error for a string of invalid form. */
  readonly find: (text: string) => PeopleError | undefined
}

const RULES: Readonly<Record<string, ListRules>> = {
  email_addresses: {
    empty: peopleErrors.oauth_email_empty,
    twice: peopleErrors.oauth_email_twice,
    find(text) {
      if (!/^[^@\s]+@[^@\s]+$/.test(text)) return peopleErrors.oauth_email_invalid
      if (hasWrongPunycode(text.slice(text.indexOf('@') + 1))) return peopleErrors.oauth_email_punycode_invalid
      return text === text.toLowerCase() ? undefined : peopleErrors.oauth_email_not_lowercase
    },
  },
  email_domains: {
    empty: peopleErrors.oauth_email_domain_empty,
    twice: peopleErrors.oauth_email_domain_twice,
    find(text) {
      if (hasWrongPunycode(text)) return peopleErrors.oauth_email_domain_punycode_invalid
      if (parts.nameProblem(text)) return peopleErrors.oauth_email_domain_invalid
      return text === text.toLowerCase() ? undefined : peopleErrors.oauth_email_domain_not_lowercase
    },
  },
  teams: {
    empty: peopleErrors.oauth_team_empty,
    twice: peopleErrors.oauth_team_twice,
    find: (text) => (/^(\d+|[^/\s]+\/[^/\s]+)$/.test(text) ? undefined : peopleErrors.oauth_team_invalid),
  },
  organizations: {
    empty: peopleErrors.oauth_organization_empty,
    twice: peopleErrors.oauth_organization_twice,
    find: () => undefined,
  },
}

const hasWrongPunycode = (name: string): boolean => parts.nameProblem(name) === parts.nameErrors.domain_punycode_invalid

/** Reports the error of each string in a list of people. */
export function checkPeople(
  list: string,
  texts: readonly string[],
  report: (error: PeopleError, index: number, value: string) => void,
): void {
  const rules = RULES[list]
  if (!rules) return
  for (const [index, text] of texts.entries()) {
    const found = text === '' ? rules.empty : rules.find(text)
    const error = found ?? (texts.indexOf(text) < index ? rules.twice : undefined)
    if (error) report(error, index, text)
  }
}
