import { isObject } from '../../schema/values.ts'

/** What a config field must be: a test and how a message names it. */
interface FieldRule {
  readonly allowed: string
  readonly isRequired: boolean
  readonly test: (value: unknown) => boolean
}

const text = (isRequired = false): FieldRule => ({
  allowed: 'a string',
  isRequired,
  test: (value) => typeof value === 'string',
})

const statusCode: FieldRule = {
  allowed: 'an integer from 100 to 599',
  isRequired: false,
  test: (value) => typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599,
}

const object: FieldRule = {
  allowed: 'an object',
  isRequired: false,
  test: isObject,
}

/** The documented config fields of the documented action types (rules: traffic-policy#actions). */
const CONFIGS: Readonly<Record<string, Readonly<Record<string, FieldRule>>>> = {
  'url-rewrite': { from: text(true), to: text(true) },
  'custom-response': { content: text(), content_type: text(), status_code: statusCode },
  deny: { status_code: statusCode },
  log: { metadata: object },
}

/** What is wrong with the config of an action, one entry per field. Fields that are not documented pass. */
export function actionConfigProblems(
  type: string,
  config: unknown,
): { field: string; allowed: string; value: unknown }[] {
  const fields = Object.hasOwn(CONFIGS, type) ? CONFIGS[type] : undefined
  if (!fields || (config !== undefined && !isObject(config))) return []
  const sent = config ?? {}
  return Object.entries(fields)
    .map(([field, { allowed, isRequired, test }]) => ({ field, allowed, value: sent[field], isRequired, test }))
    .filter(({ value, isRequired, test }) => (value === undefined || value === null ? isRequired : !test(value)))
    .map(({ field, allowed, value }) => ({ field, allowed, value }))
}
