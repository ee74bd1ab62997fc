import { suggestion } from '../../core/schema/nearest.ts'
import { isObject } from '../../core/schema/values.ts'
import type { Config, Field, Fields } from './action.ts'
import { checkCelText, checkFieldExpression } from './cel-fields.ts'
import { formatProblem } from './formats.ts'
import { checkHeaderName } from './headers.ts'
import type { PolicyOptions } from './options.ts'
import type { Place } from './place.ts'
import type { PolicyPath } from './problem.ts'
import { KEY } from './reporter.ts'
import { checkVariables } from './set-variables.ts'
import { readDuration } from './time.ts'

/** The maximum number of choices that a message lists in full. */
const MAX_NAMED = 30

/** Checks an action's config. */
export function checkConfig(config: Config, path: PolicyPath, place: Place): undefined {
  const { action, reporter, options } = place
  checkFields(action.config, config, path, place, action.isOpen)
  for (const { number, path: at, message, needs: _, ...more } of action.check?.(
    config,
    place.scope.phase,
    options.protocol ?? 'https',
  ) ?? [])
    reporter.report(number, [...path, ...at], message, more)
  const { paid } = action
  if (paid && options.plan !== undefined && paid.notOnPlans.includes(options.plan)) {
    for (const name of paid.fields.filter((each) => isGiven(config[each]))) {
      reporter.report(2263, [...path, name], `is a paid feature, which the ${options.plan} plan does not include`, KEY)
    }
  }
}

function checkFields(fields: Fields, values: Config, path: PolicyPath, place: Place, isOpen = false): undefined {
  if (isOpen) checkCelText(values, path, place)
  else place.reporter.reportUnknown(2203, path, values, Object.keys(fields), place.action.type)
  const [first, ...others] = Object.keys(fields).filter((name) => fields[name]?.isRequired && !isGiven(values[name]))
  if (first !== undefined) {
    const also = others.length === 0 ? '' : `, and so ${others.length === 1 ? 'is' : 'are'} ${others.join(', ')}`
    place.reporter.report(2234, [...path, first], `is missing. It is required${also}`)
  }
  for (const [name, field] of Object.entries(fields))
    if (isGiven(values[name])) checkValue(field, values[name], [...path, name], place)
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null
}

function checkValue(field: Field, value: unknown, path: PolicyPath, place: Place): undefined {
  const { reporter } = place
  const refuse = (number: number, allowed: string) =>
    reporter.reportValue(number, path, value, allowed, { isSecret: field.isSecret })
  const refuseRange = ({ min, max }: { min: number; max: number }) =>
    refuse(2215, min === max ? `the number ${min}` : `a number from ${min} to ${max}`)
  switch (field.kind) {
    case 'text':
      return checkText(field, value, path, place)
    case 'header-name':
      return typeof value === 'string' ? checkHeaderName(value, path, reporter) : refuse(2204, 'the name of a header')
    case 'ip-policy':
      if (typeof value !== 'string') return refuse(2204, 'the ID of an IP policy')
      return isUnknownIpPolicy(value, place.options) ? refuse(2216, 'the ID of an IP policy of the account') : undefined
    case 'expression':
      return typeof value === 'string'
        ? checkFieldExpression(field, value, path, place)
        : refuse(2204, 'a CEL expression')
    case 'boolean':
      return typeof value === 'boolean' ? undefined : refuse(2204, 'true or false')
    case 'integer':
      if (typeof value !== 'number' || !Number.isInteger(value))
        return refuse(2204, `an integer from ${field.min} to ${field.max}`)
      return value < field.min || value > field.max ? refuseRange(field) : undefined
    case 'number':
      if (typeof value !== 'number') return refuse(2204, `a number from ${field.min} to ${field.max}`)
      return value >= field.min && value <= field.max ? undefined : refuseRange(field)
    case 'duration':
      return checkDuration(field, value, refuse)
    case 'list':
      if (field.takesOne && isObject(value)) return checkValue(field.item, value, path, place)
      return Array.isArray(value) ? checkList(field, value, path, place) : refuse(2204, 'a list')
    case 'map':
      return isObject(value) ? checkMap(field, value, path, place) : refuse(2204, 'a map')
    case 'object':
      return isObject(value)
        ? checkFields(field.fields, value, path, place)
        : refuse(2204, `a map with ${Object.keys(field.fields).join(', ')}`)
    case 'variables':
      return checkVariables(field, value, path, place)
    case 'any':
      return field.takesCel ? checkCelText(value, path, place) : undefined
  }
}

function isUnknownIpPolicy(id: string, { hasIpPolicy }: PolicyOptions): boolean {
  return hasIpPolicy ? !hasIpPolicy(id) : !/^ipp_[0-9A-Za-z]{1,64}$/.test(id)
}

function checkText(field: Extract<Field, { kind: 'text' }>, value: unknown, path: PolicyPath, place: Place): undefined {
  const { reporter } = place
  const refuse = (number: number, what: string) => reporter.report(number, path, what)
  const isScalar = typeof value === 'number' || typeof value === 'boolean'
  // The service's examples have headers such as `is-ngrok: 1`.
  if (typeof value !== 'string' && !(isScalar && field.format === 'header-value')) {
    const hint = isScalar && field.choices?.includes(String(value)) ? { hint: `Write "${value}", with quotes.` } : {}
    return reporter.reportValue(2204, path, value, 'a string', { isSecret: field.isSecret, ...hint })
  }
  const text = String(value)
  if (field.takesCel && text.includes('${')) {
    if (field.format === 'credentials') checkFormat(field.format, text, path, place)
    return checkCelText(text, path, place, field.isSecret)
  }
  const { choices, minLength = 0, maxLength = Number.POSITIVE_INFINITY } = field
  if (choices && !choices.includes(field.isAnyCase ? text.toLowerCase() : text)) {
    const allowed =
      choices.length > MAX_NAMED ? `${choices.slice(0, 8).join(', ')}, … (${choices.length} names)` : choices.join(', ')
    return reporter.report(
      field.choiceNumber ?? 2222,
      path,
      `is ${JSON.stringify(text.slice(0, 80))}.${suggestion(text, choices)} Allowed: ${allowed}`,
    )
  }
  if (field.format !== 'query-value') {
    if (minLength > 0 && text.length === 0) return refuse(2223, 'is empty')
    if (text.length > maxLength) return refuse(2221, `is ${text.length} characters long. The maximum is ${maxLength}`)
  } else if (text.length > maxLength) {
    return refuse(maxLength > 128 ? 2246 : 2245, `is ${text.length} characters long. The maximum is ${maxLength}`)
  }
  if (field.format) checkFormat(field.format, text, path, place)
}

function checkFormat(
  format: NonNullable<Extract<Field, { kind: 'text' }>['format']>,
  text: string,
  path: PolicyPath,
  { reporter }: Place,
): undefined {
  const problem = formatProblem(format, text)
  if (problem) reporter.report(problem.number, path, problem.what)
}

function checkDuration(
  { min, max, step }: Extract<Field, { kind: 'duration' }>,
  value: unknown,
  refuse: (number: number, allowed: string) => undefined,
): undefined {
  const ms = typeof value === 'string' ? readDuration(value) : undefined
  const allowed = `a duration${max === Number.POSITIVE_INFINITY ? '' : ` from ${min / 1000}s to ${max / 1000}s`}${step ? ` in steps of ${step / 1000}s` : ''}, such as "${Math.min(Math.max(min, 60_000), max) / 1000}s"`
  if (ms === undefined) return refuse(typeof value === 'string' ? 2222 : 2204, allowed)
  if (ms < min || ms > max || (step !== undefined && ms % step !== 0)) refuse(2225, allowed)
}

function checkList(
  field: Extract<Field, { kind: 'list' }>,
  value: readonly unknown[],
  path: PolicyPath,
  place: Place,
): undefined {
  const { item, min = 0, max = Number.POSITIVE_INFINITY, countNumber = 2218 } = field
  if (value.length < min) return place.reporter.report(2223, path, `is empty. At least ${min} is required`)
  if (value.length > max)
    return place.reporter.report(countNumber, path, `contains ${value.length} entries. The maximum is ${max}`)
  for (const [index, each] of value.entries()) checkValue(item, each, [...path, index], place)
  if (!field.isUnique) return
  const double = value.findIndex((each, index) => value.indexOf(each) !== index)
  if (double >= 0)
    place.reporter.report(
      2231,
      [...path, double],
      `is ${JSON.stringify(value[double])}, which is already in the list. Each value is allowed once`,
    )
}

function checkMap(field: Extract<Field, { kind: 'map' }>, value: Config, path: PolicyPath, place: Place): undefined {
  const { min = 0, max = Number.POSITIVE_INFINITY, countNumber = 2218 } = field
  const entries = Object.entries(value)
  if (entries.length < min) return place.reporter.report(2223, path, `is empty. At least ${min} is required`)
  if (entries.length > max)
    return place.reporter.report(countNumber, path, `contains ${entries.length} entries. The maximum is ${max}`)
  for (const [name, each] of entries) {
    if (field.keys === 'header')
      checkHeaderName(name, [...path, name], place.reporter, { action: place.action.type, ...KEY })
    checkValue(field.value, each, [...path, name], place)
  }
}
