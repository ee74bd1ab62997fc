import { CONTROL_KEY_HEADER } from '../../control/address.ts'
import type { ControlCall } from '../../control/control.ts'
import type { CatalogueError } from '../../core/schema/errors.ts'
import type { OperationItem } from './document.ts'
import { createErrorResponses } from './errors.ts'
import { convert, convertWhole } from './json-schema.ts'
import { type Conversions, createQueryParameter, createRequestBody, createResponseItem } from './operations.ts'

export const CONTROL_TAG = {
  name: 'controls',
  description:
    'Test controls, available only to this machine or to clients with the control key. The real service does not have them.',
}

export const CONTROL_KEY = {
  type: 'apiKey',
  in: 'header',
  name: CONTROL_KEY_HEADER,
  description: 'The control key, if the gateway has one. Without one, only this machine has access.',
}

export function createCallItem(
  call: ControlCall,
  conversions: Conversions,
  errors: readonly CatalogueError[],
): OperationItem {
  const { method, path, summary, response, mediaType = 'application/json' } = call
  const status = response ? 200 : 204
  return {
    operationId: `controls.${method.toLowerCase()}${path.replaceAll(/\W/g, '_')}`,
    tags: [CONTROL_TAG.name],
    summary,
    ...createInput(call, conversions),
    responses: {
      [status]: createResponseItem(response, mediaType, conversions),
      ...createErrorResponses(errors, conversions.dialect),
    },
  }
}

function createInput(
  { from, schema }: ControlCall,
  { sent }: Conversions,
): Pick<OperationItem, 'parameters' | 'requestBody'> {
  if (!schema) return {}
  if (from === 'body') return { requestBody: createRequestBody(convertWhole(schema, sent), sent.names.get(schema)) }
  const { properties = {}, required = [] } = convert(schema, { ...sent, place: 'query' })
  const parameters = Object.entries(properties).map(([name, json]) =>
    createQueryParameter(name, json, required.includes(name)),
  )
  return { parameters }
}
