// Generates the types of an account's limits, and their section of the reference.

import { createLimitTable, findRateError, listMaximumErrors } from '../../src/core/operation/account.ts'
import type { Families } from '../../src/core/operation/family.ts'
import { type AccountLimit, PLANS } from '../../src/core/operation/limit.ts'
import type { CatalogueError } from '../../src/core/schema/errors.ts'
import { ngrokFamilies } from '../../src/service/ngrok/families.ts'
import { families } from '../../src/service/resources/index.ts'
import { table } from './markdown.ts'
import { formatComment } from './schema-types.ts'

/** A limit of the reference: its name, what counts, the errors, and the numbers of the plans. */
interface LimitRow {
  readonly name: string
  readonly what: string
  readonly isFeature: boolean
  readonly none: readonly CatalogueError[]
  readonly reached: readonly CatalogueError[]
  readonly older: readonly CatalogueError[]
  readonly rate: readonly CatalogueError[]
  /** The maximum of each plan, in the order of the plans; undefined for no limit. */
  readonly plans: readonly (number | undefined)[]
}

/** Returns the limits of families, in their order. */
function listLimitRows(own: Families): LimitRow[] {
  return [...createLimitTable(Object.values(own))].map(([name, limits]) => {
    const [first] = limits
    if (!first) throw new Error(`${name} has no limit.`)
    const all = (of: (limit: AccountLimit) => CatalogueError | undefined) => [
      ...new Set(limits.map(of).filter((each) => each !== undefined)),
    ]
    return {
      name,
      what: first.what,
      isFeature: first.isFeature === true,
      none: all(({ none }) => none),
      reached: all((limit) => (limit.isFeature ? undefined : listMaximumErrors(limit)[0])),
      older: all(({ older }) => older),
      rate: all((limit) => (limit.isSize || limit.isFeature ? undefined : findRateError(limit))),
      plans: PLANS.map((plan) => first.plans?.[plan]),
    }
  })
}

/** Formats the file of the types of limits. */
export function formatLimitTypes(): [string, string] {
  const common = listLimitRows(families)
  const further = listLimitRows(ngrokFamilies).filter(({ name }) => !common.some((each) => each.name === name))
  const texts = [
    '// Written by `npm run generate` from the limits of the families in src/.',
    "import type { FeatureOption, LimitOption } from '../core/operation/limit.ts'\n",
    formatType('AccountLimits', '', "An account's limits, by name. An omitted limit is the plan's.", common),
    formatType(
      'NgrokLimits',
      ' extends AccountLimits',
      "The limits of an account with all of ngrok's families.",
      further,
    ),
  ]
  return ['limits.ts', texts.join('\n')]
}

function formatType(name: string, base: string, sentence: string, rows: readonly LimitRow[]): string {
  const members = rows.map(
    (row) =>
      `${formatComment(formatSentence(row))}readonly ${row.name}?: ${row.isFeature ? 'FeatureOption' : 'LimitOption'} | undefined\n`,
  )
  return `${formatComment(sentence)}export interface ${name}${base} {\n${members.join('')}}\n`
}

function formatSentence({ what, isFeature, none, reached, older, rate, plans }: LimitRow): string {
  if (isFeature)
    return `Set to \`0\` for an account that can't use ${what}: attempts fail with ${formatCodes(none)}${
      older.length > 0 ? `, or ${formatNumbers(older)} if \`number\` selects it` : ''
    }.`
  const ofPlans = PLANS.flatMap((plan, place) => (plans[place] === undefined ? [] : `\`${plan}\` ${plans[place]}`))
  return [
    `The maximum number of ${what}. Exceeding it fails with ${formatCodes(reached)}`,
    none.length > 0 ? `, or ${formatNumbers(none)} if the maximum is 0` : '',
    older.length > 0 ? `, or ${formatNumbers(older)} if \`number\` selects it` : '',
    rate.length > 0 ? `. Exceeding a rate fails with ${formatCodes(rate)}.` : '.',
    ofPlans.length > 0 ? ` Plans: ${ofPlans.join(', ')}.` : '',
  ].join('')
}

function formatCodes(errors: readonly CatalogueError[]): string {
  return `error code${errors.length === 1 ? '' : 's'} ${formatNumbers(errors)}`
}

function formatNumbers(errors: readonly CatalogueError[]): string {
  return errors.map(({ number }) => number).join(' and ')
}

/** Returns the section of the reference about the limits of an account. */
export function formatLimits(own: Families): string {
  const rows = listLimitRows(own).map(({ name, what, none, reached, older, rate, plans }) => [
    `\`${name}\``,
    what,
    ...[none, reached, older, rate].map((errors) => errors.map(({ number }) => number).join(', ')),
    ...plans.map((maximum) => maximum ?? ''),
  ])
  return [
    '## Limits of an account',
    'The names in `account.limits`, with their error codes and the maximum of each plan; no number means no limit. ' +
      '`also` has the numbers for `{ max, number }`. [An account with limits](ngrok.md#an-account-with-limits) shows how to set them.',
    table(['limit', 'what counts', 'none allowed', 'too many', 'also', 'too fast', ...PLANS], rows),
  ].join('\n\n')
}
