/** Returns the operations of an OpenAPI document, each with its path and its method, and with resolved references. */
export function operationsOf({ paths, components }) {
  const resolve = (kind, { $ref, ...own }) => ($ref ? components[kind][$ref.split('/').at(-1)] : own)
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], responses, ...operation }]) => ({
      path,
      method,
      parameters: parameters.map((each) => resolve('parameters', each)),
      ...operation,
      responses: mapValues(responses, (each) => resolve('responses', each)),
    })),
  )
}

/** Returns an object with each value changed. */
export const mapValues = (values, change) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]))
