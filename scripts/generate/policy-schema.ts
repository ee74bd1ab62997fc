// Makes the JSON Schema of traffic policies from the rows of the actions, for editors.
import type { Action, Field, Fields, Format } from '../../src/service/policy/action.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
import { HEADER_NAME, KEEPS_RESERVED, MAX_HEADER_VALUE, MAX_NAME, RESERVED } from '../../src/service/policy/headers.ts'
import { PHASES, type Phase } from '../../src/service/policy/phases.ts'

type Schema = Readonly<Record<string, unknown>>

const PAGE = 'https://ngrok.com/docs/traffic-policy/actions'

/** The sentences about the phases, by name. */
const PHASE_SENTENCES: Readonly<Record<Phase, string>> = {
  on_tcp_connect: 'The rules for each new connection, before any request is read.',
  on_http_request: 'The rules for each request, before it goes to the upstream.',
  on_http_response: 'The rules for each response, before it goes to the client.',
  on_event_stream_message: 'The rules for each message of an event stream.',
}

/** A CEL expression. `${…}` is not for expressions. */
const EXPRESSION: Schema = { type: 'string', pattern: '^(?!\\s*\\$\\{)[\\s\\S]*\\S' }

const TEMPLATE: Schema = { type: 'string', pattern: '\\$\\{' }

const OCTET = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)'
const LABEL = '(?!-)[A-Za-z0-9-]{1,63}(?<!-)'

/** The schemas of formats. The check says more, such as whether a certificate can be read. */
const FORMATS: Readonly<Partial<Record<Format, Schema>>> = {
  'cookie-name': { pattern: HEADER_NAME.source },
  cidr: {
    pattern: `^(?:${OCTET}(?:\\.${OCTET}){3}/(?:[12]?\\d|3[0-2])|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*/(?:\\d|[1-9]\\d|1[01]\\d|12[0-8]))$`,
  },
  credentials: { pattern: '^[^:\\u0000-\\u001f\\u007f]*:[^\\u0000-\\u001f\\u007f]{8,128}$' },
  domain: { pattern: `^\\.?${LABEL}(?:\\.${LABEL})+$`, maxLength: 253 },
  'header-value': { pattern: '^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f]*$', maxLength: MAX_HEADER_VALUE },
  certificate: { pattern: '-----BEGIN CERTIFICATE' },
  'private-key': { pattern: '-----BEGIN [A-Z ]*PRIVATE KEY' },
  printable: { pattern: '^[ -~]*$' },
  url: { pattern: '^[A-Za-z][A-Za-z0-9+.-]*://[^\\s/?#]+[^\\s]*$' },
}

/** The units of durations that are whole ms. */
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }
const ANY_DURATION = '(?:\\d+(?:\\.\\d*)?(?:ns|us|µs|ms|s|m|h))+'

/** Says which durations are allowed. Of those that have several units or a fraction, a pattern cannot tell the sum. */
function durationOf({ min, max, step = 1 }: Extract<Field, { kind: 'duration' }>): Schema {
  if (max === Number.POSITIVE_INFINITY) return { type: 'string', pattern: `^(?:0|${ANY_DURATION})$` }
  const exact = Object.entries(UNITS).map(([unit, ms]) => {
    const zeros = Math.max(step / ms, 1)
    const numbers = numbersFrom(Math.ceil(min / ms / zeros), Math.floor(max / ms / zeros))
    return `0*(?:${numbers})${String(zeros).slice(1)}${unit}`
  })
  return { type: 'string', pattern: `^(?:${exact.join('|')}|(?!\\d+(?:ms|s|m|h)$)${ANY_DURATION})$` }
}

/** Returns a pattern for the whole numbers in a range, none of which is 0. */
function numbersFrom(min: number, max: number): string {
  const parts: string[] = []
  for (let start = Math.max(min, 1), size = 1; start <= max; start += size) {
    for (size = 1; start % (size * 10) === 0 && start + size * 10 - 1 <= max; ) size *= 10
    parts.push(`${start / size}${'\\d'.repeat(String(size).length - 1)}`)
  }
  return parts.join('|')
}

/** Returns the schema of the names of headers that an action may have. */
function headerName(type: string): Schema {
  const reserved = KEEPS_RESERVED.test(type) && { not: { pattern: `^(?:${RESERVED.map(inAnyCase).join('|')})$` } }
  return { type: 'string', maxLength: MAX_NAME, pattern: HEADER_NAME.source, ...reserved }
}

function schemaOf(field: Field, type: string): Schema {
  const described = {
    description: field.about.replaceAll('`', ''),
    ...(field.default !== undefined && { default: field.default }),
  }
  // As in YAML, null is no value.
  return { ...described, anyOf: [...alternativesOf(field, type), { type: 'null' }] }
}

function alternativesOf(field: Field, type: string): Schema[] {
  switch (field.kind) {
    case 'text':
      return textOf(field)
    case 'integer':
      return [{ type: 'integer', minimum: field.min, maximum: field.max }]
    case 'number':
      return [{ type: 'number', minimum: field.min, maximum: field.max }]
    case 'boolean':
      return [{ type: 'boolean' }]
    case 'duration':
      return [durationOf(field)]
    case 'list': {
      const { item, min, max, isUnique, takesOne } = field
      const list = {
        type: 'array',
        items: schemaOf(item, type),
        ...(min !== undefined && { minItems: min }),
        ...(max !== undefined && { maxItems: max }),
        ...(isUnique && { uniqueItems: true }),
      }
      return takesOne ? [list, schemaOf(item, type)] : [list]
    }
    case 'map': {
      const { value, keys, min, max } = field
      const bounds = {
        ...(min !== undefined && { minProperties: min }),
        ...(max !== undefined && { maxProperties: max }),
      }
      const names = keys === 'header' && { propertyNames: headerName(type) }
      return [{ type: 'object', additionalProperties: schemaOf(value, type), ...names, ...bounds }]
    }
    case 'object':
      return [objectOf(field.fields, type)]
    case 'variables':
      return [{ type: 'array', minItems: 1, items: { type: 'object', minProperties: 1, maxProperties: 1 } }]
    case 'ip-policy':
      return [{ type: 'string', pattern: '^ipp_[0-9A-Za-z]{1,64}$' }]
    case 'any':
      return [{}]
    case 'header-name':
      return [headerName(type)]
    case 'expression':
      return [EXPRESSION]
  }
}

function textOf({
  choices,
  format,
  isAnyCase,
  takesCel,
  minLength,
  maxLength,
}: Extract<Field, { kind: 'text' }>): Schema[] {
  const length = { ...(minLength && { minLength }), ...(maxLength && { maxLength }) }
  const template = takesCel ? [TEMPLATE] : []
  if (choices) {
    const anyCase = isAnyCase ? [{ type: 'string', pattern: `^(?:${choices.map(inAnyCase).join('|')})$` }] : []
    return [{ enum: choices }, ...anyCase, ...template]
  }
  const written = { ...length, ...(format && FORMATS[format]) }
  return [{ type: format === 'header-value' ? ['string', 'number', 'boolean'] : 'string', ...written }, ...template]
}

/** Returns a pattern for a word in upper and lower case. JSON Schema has no flag for it. */
function inAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

function objectOf(fields: Fields, type: string, isOpen = false): Schema {
  const entries = Object.entries(fields)
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field, type)])),
    ...(required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  }
}

/** Values that are not empty, by their kind: one of them, and the schema of all. */
const NOT_EMPTY = {
  text: { sample: 'a', schema: { type: 'string', minLength: 1 } },
  list: { sample: ['a'], schema: { type: 'array', minItems: 1 } },
}

/** Says which fields a config needs because of another field, by asking the action's own check about a config with this field alone. */
function requirementsOf({ config, check }: Action): Schema {
  const missing = (given: Readonly<Record<string, unknown>>) =>
    (check?.(given, 'on_http_request', 'https') ?? [])
      .filter(
        ({ path, message, needs }) => needs !== undefined || (path.length === 1 && message.startsWith('is missing')),
      )
      .map(({ path: [name], needs }) => needs ?? String(name))
  const always = missing({})
  const allOf = Object.entries(config).flatMap(([name, field]): Schema[] => {
    if (field.kind === 'text' && field.choices) {
      const needs = field.choices.map((choice) => [choice, missing({ [name]: choice })] as const)
      return [...new Set(needs.flatMap(([, names]) => names))].map((needed) => {
        const choices = needs.filter(([, names]) => names.includes(needed)).map(([choice]) => inAnyCase(choice))
        return ifThen({ [name]: { type: 'string', pattern: `^(?:${choices.join('|')})$` } }, needed)
      })
    }
    if (field.kind !== 'text' && field.kind !== 'list') return []
    const { sample, schema } = NOT_EMPTY[field.kind]
    const needed = missing({ [name]: sample }).filter((each) => !always.includes(each))
    return needed.map((each) => ifThen({ [name]: schema }, each))
  })
  return allOf.length > 0 ? { allOf } : {}
}

function ifThen(properties: Readonly<Record<string, Schema>>, needed: string): Schema {
  // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
  return { if: { properties, required: Object.keys(properties) }, then: { required: [needed] } }
}

/** Returns the schema of an action's config, with the action's sentence and page. */
function configOf(action: Action): Schema {
  const { type, about, page, config, isOpen } = action
  const object = { ...objectOf(config, type, isOpen), ...requirementsOf(action) }
  const isOptional = !('required' in object)
  const description = `The config of ${type}. ${about.replaceAll('`', '')} See ${PAGE}/${page}/`
  return { description, anyOf: [object, ...(isOptional ? [{ type: 'null' }] : [])] }
}

function actionsOf(phase: Phase): Schema {
  const actions = ACTIONS.filter(({ phases }) => phases.includes(phase))
  return {
    type: 'array',
    minItems: 1,
    description: 'What happens to traffic that matches, in order.',
    items: {
      type: 'object',
      required: ['type'],
      properties: {
        type: {
          description: 'The kind of the action.',
          enum: actions.map(({ type }) => type),
          enumDescriptions: actions.map(({ about }) => about.replaceAll('`', '')),
        },
        config: {},
      },
      additionalProperties: false,
      allOf: actions.map((each) => ({
        if: { properties: { type: { const: each.type } }, required: ['type'] },
        // biome-ignore lint/suspicious/noThenProperty: it is a keyword of JSON Schema
        then: {
          properties: { config: { $ref: `#/definitions/${each.type}` } },
          ...(Object.values(each.config).some(({ isRequired }) => isRequired) && { required: ['type', 'config'] }),
        },
      })),
    },
  }
}

function rulesOf(phase: Phase): Schema {
  const expression = { anyOf: [EXPRESSION, { type: 'boolean' }] }
  const rule = {
    type: 'object',
    required: ['actions'],
    additionalProperties: false,
    properties: {
      name: { type: ['string', 'null'], description: 'The name of the rule.' },
      expressions: {
        type: ['array', 'null'],
        items: expression,
        description: 'The CEL expressions that must all be true. Without expressions, all traffic matches.',
      },
      actions: actionsOf(phase),
    },
  }
  return { description: PHASE_SENTENCES[phase], type: ['array', 'null'], items: rule }
}

/** Makes the JSON Schema of a traffic policy. It has no types of expressions and no limits of plans. */
export function createPolicySchema(): Schema {
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'ngrok traffic policy',
    description: 'The rules for traffic of an endpoint: CEL expressions and actions, by phase.',
    type: 'object',
    properties: Object.fromEntries(PHASES.map((phase) => [phase, rulesOf(phase)])),
    additionalProperties: false,
    definitions: Object.fromEntries(ACTIONS.map((each) => [each.type, configOf(each)])),
  }
}
