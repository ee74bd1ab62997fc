// Makes the page of the limits of an account from the limits of the families.
import { PLANS } from '../../../src/operation/limit.ts'
import { limitRows } from '../limits.ts'
import { table } from '../markdown.ts'

/** The page of the limits of families. */
export function limitsPage(families) {
  const rows = limitRows(families).map(({ name, what, none, reached, older, rate, plans }) => [
    `\`${name}\``,
    what,
    ...[none, reached, older, rate].map(linksOf),
    ...plans.map((most) => most ?? ''),
  ])
  return `${[
    '<!-- Made by `npm run generate` from the limits of the families in src/. -->',
    '# Limits of an account',
    'The names of `account.limits`, with the numbers of their errors, and the most that each plan has; no number means no limit. ' +
      '`also` has the numbers for `{ max, number }`. [An account with limits](../ngrok.md#an-account-with-limits) shows ' +
      'how to set them.',
    table(['limit', 'what counts', 'none allowed', 'too many', 'also', 'too fast', ...PLANS], rows),
  ].join('\n\n')}\n`
}

/** The numbers of errors, as links to the page that has them. */
function linksOf(errors) {
  return errors.map(({ key, number }) => `[${number}](ngrok/error-catalogue.md#${key})`).join(', ')
}
