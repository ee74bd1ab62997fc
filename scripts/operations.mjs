/** Returns the operations of an OpenAPI document, each with its path, its method, and its parameters in place of references. */
export function operationsOf({ paths, components }) {
  const resolved = ({ $ref, ...own }) => ($ref ? components.parameters[$ref.split('/').at(-1)] : own)
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, { parameters = [], ...operation }]) => ({
      path,
      method,
      parameters: parameters.map(resolved),
      ...operation,
    })),
  )
}
