// Makes the JSON Schema of traffic policies from the rows of the actions, for editors.
import type { Action, Field, Fields } from '../../src/service/policy/action.ts'
import { ACTIONS } from '../../src/service/policy/actions/index.ts'
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

const TEMPLATE: Schema = { type: 'string', pattern: '\\$\\{' }
const DURATION: Schema = { type: 'string', pattern: '^(0|(\\d+(\\.\\d*)?(ns|us|µs|ms|s|m|h))+)$' }

function schemaOf(field: Field): Schema {
  const described = {
    description: field.about.replaceAll('`', ''),
    ...(field.default !== undefined && { default: field.default }),
  }
  // As in YAML, null is no value.
  return { ...described, anyOf: [...alternativesOf(field), { type: 'null' }] }
}

function alternativesOf(field: Field): Schema[] {
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
      return [DURATION]
    case 'list': {
      const { item, min, max, isUnique, takesOne } = field
      const list = {
        type: 'array',
        items: schemaOf(item),
        ...(min !== undefined && { minItems: min }),
        ...(max !== undefined && { maxItems: max }),
        ...(isUnique && { uniqueItems: true }),
      }
      return takesOne ? [list, schemaOf(item)] : [list]
    }
    case 'map': {
      const { value, min, max } = field
      const bounds = {
        ...(min !== undefined && { minProperties: min }),
        ...(max !== undefined && { maxProperties: max }),
      }
      return [{ type: 'object', additionalProperties: schemaOf(value), ...bounds }]
    }
    case 'object':
      return [objectOf(field.fields)]
    case 'variables':
      return [{ type: 'array', minItems: 1, items: { type: 'object', minProperties: 1, maxProperties: 1 } }]
    case 'ip-policy':
      return [{ type: 'string', pattern: '^ipp_[0-9A-Za-z]{1,64}$' }]
    case 'any':
      return [{}]
    default:
      return [{ type: 'string' }]
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
    // YAML reads `1.2` as a number.
    const asNumbers = choices.map(Number).filter((each) => !Number.isNaN(each))
    const anyCase = isAnyCase ? [{ type: 'string', pattern: `^(?:${choices.map(inAnyCase).join('|')})$` }] : []
    return [{ enum: [...choices, ...asNumbers] }, ...anyCase, ...template]
  }
  return [{ type: format === 'header-value' ? ['string', 'number', 'boolean'] : 'string', ...length }, ...template]
}

/** Returns a pattern for a word in upper and lower case. JSON Schema has no flag for it. */
function inAnyCase(word: string): string {
  return word.replace(/[a-z]/g, (letter) => `[${letter}${letter.toUpperCase()}]`)
}

function objectOf(fields: Fields, isOpen = false): Schema {
  const entries = Object.entries(fields)
  const required = entries.filter(([, { isRequired }]) => isRequired).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(entries.map(([name, field]) => [name, schemaOf(field)])),
    ...(required.length > 0 && { required }),
    ...(!isOpen && { additionalProperties: false }),
  }
}

/** Returns the schema of an action's config, with the action's sentence and page. */
function configOf({ type, about, page, config, isOpen }: Action): Schema {
  const object = objectOf(config, isOpen)
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
  const expression = { anyOf: [{ type: 'string' }, { type: 'boolean' }] }
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
