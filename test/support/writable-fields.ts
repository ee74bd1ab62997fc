import type * as v from 'valibot'
import type { Operation } from '../../src/core/operation/operation.ts'
import { isSchema, partsOf } from '../../src/core/schema/schema-parts.ts'

/** The families whose bodies have modules as fields. */
const WITH_MODULES = /^(https_edge_routes|endpoint_configurations|https_edges|tls_edges|tcp_edges)\.([a-z_]+)\./

/** The providers of a module `oauth`, which have the same fields. */
const PROVIDERS = /\.provider\.(amazon|facebook|github|gitlab|google|linkedin|microsoft|twitch)\./

/**
 * Lists the paths of all fields that operations can set, such as `ip_policies.action`. A module that several resources have is one:
 * `module.compression.enabled`.
 */
export function listWritableFields(operations: readonly Operation[]): {
  readonly all: number
  readonly paths: readonly string[]
} {
  const found = operations.flatMap(({ name, path, body }) => {
    if (!body) return []
    const owner = name.endsWith('.replace') ? `module.${path.split('/').at(-1)}` : name.slice(0, name.indexOf('.'))
    return listPaths(body, owner)
  })
  const paths = found.map((each) => each.replace(WITH_MODULES, 'module.$2.').replace(PROVIDERS, '.provider.'))
  return { all: found.length, paths: [...new Set(paths)].sort() }
}

function listPaths(schema: v.GenericSchema, path: string): string[] {
  const { entries, item, value, wrapped, pipe = [] } = partsOf(schema)
  if (entries) return Object.entries(entries).flatMap(([name, each]) => listPaths(each, `${path}.${name}`))
  if (item) return listPaths(item, path)
  if (wrapped) return listPaths(wrapped, path)
  const inner = pipe.filter(isSchema).filter((each) => each !== schema && partsOf(each).type !== 'custom')
  const below = inner.map((each) => partsOf(each)).find((each) => each.entries ?? each.item ?? each.wrapped)
  if (below) return listPaths(below as v.GenericSchema, path) // Parts are those of a schema.
  return value && partsOf(value).entries ? listPaths(value, path) : [path]
}
